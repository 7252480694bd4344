"""Minimum similarities of two names for several uses.

Similarity is 1 for equal names and 0 for names without a common character (normalised Indel distance).
Benchmarks with their own rules for names declare their own thresholds.
"""

SUGGESTED = 0.601
"""Minimum similarity of a name that a diagnostic suggests. It stands for "above 0.6"."""
IN_ANSWERS = 0.9
"""Minimum similarity at which a name in an answer stands for a row, if no other row's name is as similar."""
IN_ACTIONS = 0.95
"""Minimum similarity at which a name in an action stands for a row, if no other row's name reaches it.

It applies to each part of `Name, City` separately.
"""
MAX_NAME_CHARACTERS = 100
"""The maximum length of a name for which similar names are searched."""
