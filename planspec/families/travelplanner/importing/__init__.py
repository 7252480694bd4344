"""TravelPlanner's public data -> suites."""
