"""The fast verifier: constraints as Python functions."""
