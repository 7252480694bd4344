"""What stands at a place, in three dimensions: one module for each sort of scene."""
