"""Audits: everything that can be proved about the tasks of a suite, in one pass over each."""
