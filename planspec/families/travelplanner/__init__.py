"""The families TravelPlanner and FlexTravelBench, with tasks about trips between cities, and the agent HiMAP-Travel."""
