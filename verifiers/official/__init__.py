"""Interface of the public evaluators, which are reimplemented with all quirks to reproduce published numbers."""
