"""A complete family in a distribution of its own, and a suite of one task, as written by a third party."""
