"""Reductions: smaller problems whose answers to some questions are those of the whole problem."""
