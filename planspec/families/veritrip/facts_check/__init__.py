"""Comparison of VeriTrip's fact cells with the fact base."""
