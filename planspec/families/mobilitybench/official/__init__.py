"""MobilityBench's public evaluator, quirks included, so that published numbers can be compared."""
