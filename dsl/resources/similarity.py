"""Minimum similarities of two names for several uses.

Similarity is 1 for equal names and 0 for names without a common character (normalised Indel distance).
Benchmarks with their own rules for names declare their own thresholds.
"""

SUGGESTED = 0.601
"""For the suggestion of a name in a diagnostic: above 0.6."""
IN_ANSWERS = 0.9
"""For reading a name in an answer as the name of a row, if no other is as similar."""
IN_ACTIONS = 0.95
"""For reading a name in an action as the name of a row, if no other is; each part of `Name, City` separately.
"""
LONGEST_MISSPELT = 100
"""The maximum length of a misspelt name."""
