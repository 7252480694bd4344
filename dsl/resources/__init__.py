"""Limits on input and computation: sizes, time, memory, and which files are read."""
