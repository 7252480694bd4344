"""Tests of the package that writes suites."""
