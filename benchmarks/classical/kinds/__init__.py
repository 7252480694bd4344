"""The kinds of problems, one module each."""
