"""Exports of suites and runs: rows, tables, data frames, and folders of tasks for other harnesses."""
