"""Benchmarks, run by hand. Their figures depend on the machine, so that no test checks them."""
