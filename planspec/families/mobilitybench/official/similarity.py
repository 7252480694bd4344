"""Similarity of texts, as MobilityBench's public toolkit computes it."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

SimilarityMeasure: TypeAlias = Callable[[str, str], "Fraction | float"]
"""Function that returns the similarity of two texts, from 0 to 1. It is called if neither text contains the other."""


def shared_characters(a: str, b: str) -> Fraction:
    """Return the share of characters that two texts have in common. The toolkit uses it without an embedding model."""
    one, other = set(a), set(b)
    return Fraction(len(one & other), len(one | other)) if one or other else Fraction(0)


def equal_texts(a: str, b: str) -> Fraction:
    """Return 1 if the texts are equal, otherwise 0."""
    return Fraction(a == b)


def similarity(a: str, b: str, measure: SimilarityMeasure, *, folded: bool = False) -> Fraction | float:
    """Return the toolkit's similarity of two texts, which is 1 if one contains the other.

    Args:
        a: a text. If it is empty, the similarity is 0.
        b: another text.
        measure: similarity of texts if neither contains the other.
        folded: whether `measure` is called with the texts in lower case.
    """
    if not a or not b:
        return Fraction(0)
    if a in b or b in a:
        return Fraction(1)
    return measure(a.lower(), b.lower()) if folded else measure(a, b)
