"""Measures of plans and runs: confidence intervals, and lengths of tours."""
