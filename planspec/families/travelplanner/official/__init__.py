"""TravelPlanner's public evaluator, including its quirks, for comparison with published numbers."""
