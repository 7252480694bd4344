"""Limits on input and computation: sizes, time, memory, and kinds of files."""
