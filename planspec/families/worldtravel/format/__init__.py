"""Conversion between WorldTravel's answers and the rows of a plan."""
