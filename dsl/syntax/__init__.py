"""Parsing of expressions into syntax trees."""
