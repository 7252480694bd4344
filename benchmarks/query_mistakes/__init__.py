"""Mistakes written by hand between the query and the rules of shipped tasks."""
