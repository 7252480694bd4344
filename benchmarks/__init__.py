"""Benchmarks, which are run by hand. Their figures depend on the machine, so no test checks them."""
