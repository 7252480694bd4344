"""The fast verifier, which compiles constraints to Python functions."""
