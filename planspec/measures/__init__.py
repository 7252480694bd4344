"""Measures of plans and of runs: intervals of numbers, ways between places."""
