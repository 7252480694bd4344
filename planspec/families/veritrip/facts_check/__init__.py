"""Comparison of the facts in VeriTrip answers with the fact base."""
