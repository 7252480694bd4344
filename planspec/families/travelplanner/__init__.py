"""TravelPlanner and FlexTravelBench, whose tasks are trips between cities, and the agent HiMAP-Travel."""
