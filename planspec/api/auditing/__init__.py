"""Audits: everything that can be proved about each task of a suite."""
