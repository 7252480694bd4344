"""Exports: rows of suites and runs, tables and data frames, and tasks as folders for other harnesses."""
