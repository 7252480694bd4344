"""Rows of facts: where they come from, and how their cells are read."""
