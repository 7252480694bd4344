"""Conversion between TravelPlanner's answers and the rows of a plan."""
