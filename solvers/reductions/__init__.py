"""Reductions: smaller problems that have the same answers to some questions as the whole problem."""
