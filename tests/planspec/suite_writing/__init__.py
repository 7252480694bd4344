"""Tests of the texts of suites and their parts."""
