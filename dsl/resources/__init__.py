"""Bounds on what is read and worked out: sizes, time, memory, and which files are read at all."""
