"""Scenes of places in three dimensions: one module for each sort of scene."""
