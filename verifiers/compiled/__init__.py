"""The fast verifier: constraints compiled to Python functions."""
