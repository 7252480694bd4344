"""TravelPlanner, FlexTravelBench and HiMAP-Travel."""
