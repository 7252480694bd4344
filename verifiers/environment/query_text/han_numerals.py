"""Recognition of numbers in Chinese characters, in Chinese and Japanese text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from planspec.verifiers.environment.query_text.numeral import Numeral

DIGITS = {character: number for number, character in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
PLACES = {"十": 10, "百": 100, "千": 1000}
"""Characters that multiply the digit before them."""
MYRIADS = frozenset("万萬")
NUMBER = re.compile("[零〇一二两兩三四五六七八九十百千万萬]+")


def han_numerals(text: str) -> Iterator[Numeral]:
    """Yield the numbers in Chinese characters in a text."""
    for match in NUMBER.finditer(text):
        yield Numeral(*match.span(), (Fraction(_value(match[0])),), "han")


def _value(word: str) -> int:
    """Return the value of a numeral with units, as in `一百二十` (120), or of digits, as in `二〇二六` (2026)."""
    if len(word) > 1 and all(character in DIGITS for character in word):
        return int("".join(str(DIGITS[character]) for character in word))
    total = part = 0
    digit: int | None = None
    for character in word:
        if character in DIGITS:
            digit = DIGITS[character]
        elif character in PLACES:
            part += (1 if digit is None else digit) * PLACES[character]
            digit = None
        else:
            total, part, digit = total + (part + (digit or 0) or 1) * 10_000, 0, None
    return total + part + (digit or 0)
