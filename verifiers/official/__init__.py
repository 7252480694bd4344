"""Public evaluators in plain Python with all their quirks, so that published numbers can be compared."""
