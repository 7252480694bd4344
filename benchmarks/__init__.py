"""Measurements, run by hand: their figures depend on the machine, so no test reads them."""
