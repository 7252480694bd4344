"""Benchmark families. Each has a folder of this package, and a row in `planspec/family/registry.py`."""
