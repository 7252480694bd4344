"""TravelPlanner's public evaluator, quirks included, for comparison with published numbers."""
