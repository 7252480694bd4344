"""Recognition of numbers in English words, such as `two hundred and five`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from planspec.dsl.resources.english_words import ONES, TENS
from planspec.verifiers.environment.query_text.numeral import Numeral

UNITS = {word: number for number, word in enumerate(ONES)}
DECADES = {word: 10 * number for number, word in enumerate(TENS) if word}
SCALES = {"thousand": 1000, "million": 1_000_000}
"""Words that multiply the number before them."""
ORDINALS = {
    word: number
    for number, word in enumerate(
        [
            "first",
            "second",
            "third",
            "fourth",
            "fifth",
            "sixth",
            "seventh",
            "eighth",
            "ninth",
            "tenth",
            "eleventh",
            "twelfth",
            "thirteenth",
            "fourteenth",
            "fifteenth",
            "sixteenth",
            "seventeenth",
            "eighteenth",
            "nineteenth",
            "twentieth",
        ],
        1,
    )
}
HINTS = {"couple": 2, "pair": 2, "both": 2, "twice": 2, "double": 2, "twin": 2, "partner": 2, "dozen": 12, "once": 1}
"""Words that may state a number. They often mean something else, so there is no warning if a task lacks the number."""
HINTS |= {
    "alone": 1,
    "single": 1,
    "myself": 1,
    "solo": 1,
    "triple": 3,
    "thrice": 3,
    "trio": 3,
    "week": 7,
    "fortnight": 14,
}
WORD = re.compile(r"[a-z]+")
GAP = re.compile(r"[\s-]+")


def english_numerals(text: str) -> Iterator[Numeral]:
    """Yield the numbers in English words in a text in lower case."""
    words = list(WORD.finditer(text))
    at = 0
    while at < len(words):
        used, number = _read(text, words[at:])
        if used:
            yield Numeral(words[at].start(), words[at + used - 1].end(), (Fraction(number),), "words")
            at += used
            continue
        word = words[at][0]
        if word in ORDINALS:
            yield Numeral(*words[at].span(), (Fraction(ORDINALS[word]),), "ordinal")
        elif word in HINTS:
            yield Numeral(*words[at].span(), (Fraction(HINTS[word]),), "hint")
        at += 1


def _read(text: str, words: Sequence[re.Match[str]]) -> tuple[int, int]:
    """Read the number at the start of a sequence of words. Return its number of words (0 if none) and its value."""
    total, part, used = 0, None, 0
    last = ""
    for at, match in enumerate(words):
        word = match[0]
        if at and GAP.fullmatch(text, words[at - 1].end(), match.start()) is None:
            break
        if word == "and" and last in ("hundred", *SCALES):
            continue
        if word == "a" and at == 0:
            continue
        following = _next_part(part, word, last)
        if following is None and word in ("hundred", *SCALES):
            base = 1 if part is None and not used else part
            if base is None:
                break
            if word == "hundred":
                part = base * 100
            else:
                total, part = total + base * SCALES[word], None
        elif following is None:
            break
        else:
            part = following
        used, last = at + 1, word
    return used, total + (part or 0)


def _next_part(part: int | None, word: str, last: str) -> int | None:
    """Extend a number below 1,000 (or None) by a word: 20 and `five` give 25. `last` is the word before, here `twenty`.

    Return None if the word does not continue the number.
    """
    small = UNITS.get(word, DECADES.get(word))
    if small is None:
        return None
    if part is None or last == "hundred":
        return (part or 0) + small
    if last in DECADES and word in UNITS and 0 < small < 10:
        return part + small
    return None
