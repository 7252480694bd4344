"""Benchmark families: one folder and one row for each."""
