"""Numerals: occurrences of numbers in a text."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

NumeralForm: TypeAlias = Literal["digits", "words", "han", "ordinal", "hint"]
"""How a number is written. A `hint` is a word such as `couple`, which may or may not state a number."""


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number in a text.

    Attributes:
        start: offset of its first character.
        end: offset after its last character.
        values: the number; several if the text can be read in several ways, such as `1.140`.
        form: its notation, such as digits or words.
    """

    start: int
    end: int
    values: tuple[Fraction, ...]
    form: NumeralForm
