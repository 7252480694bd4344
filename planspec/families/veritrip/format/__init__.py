"""Codec between VeriTrip's answers and the rows of a plan."""
