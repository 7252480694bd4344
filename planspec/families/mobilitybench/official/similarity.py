"""Similarity of texts as in MobilityBench's public toolkit, by the parts that they share."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

SimilarityMeasure: TypeAlias = Callable[[str, str], "Fraction | float"]
"""Similarity, from 0 to 1, of two texts of which neither contains the other."""


def shared_characters(a: str, b: str) -> Fraction:
    """Return the share of common characters, as the toolkit does without an embedding model."""
    one, other = set(a), set(b)
    return Fraction(len(one & other), len(one | other)) if one or other else Fraction(0)


def nothing_else(a: str, b: str) -> Fraction:
    """Return 1 for equal texts, otherwise 0."""
    return Fraction(a == b)


def similarity(a: str, b: str, measure: SimilarityMeasure, *, folded: bool = False) -> Fraction | float:
    """Return the toolkit's similarity of two texts: 1 if one contains the other.

    Args:
        a: a text; an empty one is similar to none.
        b: another text.
        measure: similarity of other texts.
        folded: whether the measure ignores case.
    """
    if not a or not b:
        return Fraction(0)
    if a in b or b in a:
        return Fraction(1)
    return measure(a.lower(), b.lower()) if folded else measure(a, b)
