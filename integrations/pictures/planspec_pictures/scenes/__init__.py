"""Three-dimensional scenes of places: one module for each sort of scene."""
