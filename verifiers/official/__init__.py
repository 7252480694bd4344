"""What public evaluators do, quirks included, in plain Python: so that published numbers can be compared."""
