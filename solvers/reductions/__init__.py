"""Reductions: transformations into smaller problems that preserve the answers to some questions."""
