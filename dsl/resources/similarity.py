"""The least likeness of two names, by what follows from it.

Similarity is 1 for equal names and 0 for names without a character in common (normalised Indel distance). Benchmarks that
rule on names themselves state their own thresholds.
"""

SUGGESTED = 0.601
"""A diagnostic asks whether this name is meant: above 0.6."""
IN_ANSWERS = 0.9
"""An answer's name is read as the name of a row, if it is the only one so similar."""
IN_ACTIONS = 0.95
"""An action's name is read as the name of a row, likewise; each part of `Name, City` for itself."""
LONGEST_MISSPELT = 100
"""Longer texts are no misspelt names."""
