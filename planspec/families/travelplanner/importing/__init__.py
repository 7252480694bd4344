"""Importers of TravelPlanner's public data."""
