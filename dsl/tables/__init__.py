"""Rows of facts: their sources, and the parsing of their cells."""
