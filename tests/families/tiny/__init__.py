"""A whole family in a distribution of its own, and a suite of one task: what a third party writes."""
