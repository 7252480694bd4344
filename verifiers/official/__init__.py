"""Interface of reimplemented public evaluators, which keep all quirks in order to reproduce published numbers."""
