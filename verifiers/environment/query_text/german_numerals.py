"""Recognition of numbers in German words, such as `fünfundzwanzig`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from planspec.verifiers.environment.query_text.numeral import Numeral

ONES = {
    word: number
    for number, word in enumerate(
        ["null", "ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf"]
        + [f"{word}zehn" for word in ("drei", "vier", "fünf", "sech", "sieb", "acht", "neun")]
    )
}
TENS = {
    "zwanzig": 20,
    "dreißig": 30,
    "dreissig": 30,
    "vierzig": 40,
    "fünfzig": 50,
    "sechzig": 60,
    "siebzig": 70,
    "achtzig": 80,
    "neunzig": 90,
}
HALVES = {"anderthalb": Fraction(3, 2), "eineinhalb": Fraction(3, 2), "zweieinhalb": Fraction(5, 2)}
ORDINALS = {"erste": 1, "zweite": 2, "dritte": 3, "siebte": 7, "achte": 8}
HINTS = {"eins": 1, "allein": 1, "alleine": 1, "paar": 2, "beide": 2, "beiden": 2, "zweimal": 2, "dutzend": 12}
HINTS |= {"zu zweit": 2, "zu dritt": 3, "zu viert": 4, "woche": 7}
_ONE = "|".join(sorted(ONES, key=len, reverse=True))
_TEN = "|".join(TENS)
NUMBER = re.compile(
    rf"(?:(?P<thousands>{_ONE})?(?P<thousand>tausend))?(?:(?P<hundreds>{_ONE})?(?P<hundred>hundert))?(?:und)?"
    rf"(?:(?:(?P<one>{_ONE})und)?(?P<ten>{_TEN})|(?P<small>{_ONE}))?"
)
WORD = re.compile(r"zu (?:zweit|dritt|viert)\b|[a-zäöüß]+")


def german_numerals(text: str) -> Iterator[Numeral]:
    """Yield the numbers in German words in a text in lower case."""
    for match in WORD.finditer(text):
        word = match[0]
        if word in HINTS:
            yield Numeral(*match.span(), (Fraction(HINTS[word]),), "hint")
        elif word in HALVES:
            yield Numeral(*match.span(), (HALVES[word],), "words")
        elif (number := _value(word)) is not None:
            yield Numeral(*match.span(), (Fraction(number),), "words")
        elif (number := _ordinal(word)) is not None:
            yield Numeral(*match.span(), (Fraction(number),), "ordinal")


def _ordinal(word: str) -> int | None:
    base = word[:-1] if word[-1] in "nrsm" else word
    if base in ORDINALS:
        return ORDINALS[base]
    for ending in ("ste", "te"):
        if base.endswith(ending):
            number = _value(base.removesuffix(ending))
            return number if number is not None and number > 1 else None
    return None


def _value(word: str) -> int | None:
    """Return the value of a numeral; None if the word is not a numeral, or can be an article (`ein`)."""
    if len(word) < 3 or word == "ein" or word.startswith("und"):
        return None
    match = NUMBER.fullmatch(word)
    if match is None:
        return None
    parts = match.groupdict()
    total = ONES[parts["thousands"] or "ein"] * 1000 if parts["thousand"] else 0
    total += ONES[parts["hundreds"] or "ein"] * 100 if parts["hundred"] else 0
    total += TENS[parts["ten"]] if parts["ten"] else 0
    return total + ONES[parts["one"] or parts["small"] or "null"]
