"""Benchmark families. Each family has a folder in this package and a row in `planspec/family/registry.py`."""
