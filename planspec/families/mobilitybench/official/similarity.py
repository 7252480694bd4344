"""Similarity of texts as MobilityBench's public toolkit measures it: by the parts they share."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

SimilarityMeasure: TypeAlias = Callable[[str, str], "Fraction | float"]
"""A likeness of two texts, neither of which holds the other: from 0 to 1."""


def shared_characters(a: str, b: str) -> Fraction:
    """The share of the characters of both texts that are in each: what the toolkit does without an embedding model."""
    one, other = set(a), set(b)
    return Fraction(len(one & other), len(one | other)) if one or other else Fraction(0)


def nothing_else(a: str, b: str) -> Fraction:
    """No likeness but that of equal texts."""
    return Fraction(a == b)


def similarity(a: str, b: str, measure: SimilarityMeasure, *, folded: bool = False) -> Fraction | float:
    """The toolkit's similarity of two texts: 1 if one holds the other.

    Args:
        a: a text; nothing is like an empty one.
        b: likewise.
        measure: of other texts.
        folded: upper and lower case are the same to the measure.
    """
    if not a or not b:
        return Fraction(0)
    if a in b or b in a:
        return Fraction(1)
    return measure(a.lower(), b.lower()) if folded else measure(a, b)
