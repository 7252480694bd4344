"""Codec between MobilityBench's answers and the rows of a plan."""
