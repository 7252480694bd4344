"""Recognition of numbers in digits, and in English, German, Chinese and Japanese words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from planspec.verifiers.environment.query_text.english_numerals import english_numerals
from planspec.verifiers.environment.query_text.german_numerals import german_numerals
from planspec.verifiers.environment.query_text.han_numerals import han_numerals
from planspec.verifiers.environment.query_text.numeral import Numeral

DIGITS = re.compile(
    r"(?<![a-z\d_.])\d{1,3}(?:[,.'’\u00a0\u202f]\d{3})+(?:[.,]\d{1,2})?(?!\d)"
    r"|(?<![a-z\d_.])\d{1,15}(?:[.,]\d{1,6}(?!\d))?(?P<ordinal>(?:st|nd|rd|th)\b)?"
)
GROUPED = re.compile(r"\d{1,3}([,.'’\u00a0\u202f])\d{3}(?:\1\d{3})*(?P<rest>[.,]\d{1,2})?")
"""Pattern of a number with separators between groups of three digits, such as `1,140.50`."""


def numerals(text: str) -> list[Numeral]:
    """Return the numbers in a text in lower case, in order and without overlaps."""
    result: list[Numeral] = []
    taken = bytearray(len(text))
    for reader in (_digit_numerals, english_numerals, german_numerals, han_numerals):
        for numeral in reader(text):
            if not any(taken[numeral.start : numeral.end]):
                taken[numeral.start : numeral.end] = b"\1" * (numeral.end - numeral.start)
                result.append(numeral)
    return sorted(result, key=lambda numeral: numeral.start)


def _digit_numerals(text: str) -> Iterator[Numeral]:
    for match in DIGITS.finditer(text):
        ordinal = match["ordinal"]
        digits = match[0].removesuffix(ordinal or "")
        yield Numeral(*match.span(), tuple(_values(digits)), "ordinal" if ordinal else "digits")


def _values(digits: str) -> Iterator[Fraction]:
    """Yield the possible values of digits: `1,140` may be 1140 or, with a decimal comma, 1.14."""
    grouped = GROUPED.fullmatch(digits)
    if grouped is not None:
        rest = grouped["rest"] or ""
        whole = re.sub(r"\D", "", digits.removesuffix(rest))
        yield Fraction(f"{whole}.{rest[1:]}" if rest else whole)
        if rest or digits.count(grouped[1]) > 1 or grouped[1] not in ",.":
            return
    yield Fraction(digits.replace(",", "."))
