"""Tests of the writers of suites."""
