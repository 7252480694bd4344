"""Public evaluators in plain Python, quirks included, so that published numbers can be compared."""
