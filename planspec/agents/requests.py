"""The figures that a request in English names, as a planner without a model reads them: days, people, words.

It reads what is said plainly and guesses at nothing: who says it otherwise is not understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, timedelta

NUMBERS = {
    word: number
    for number, word in enumerate(
        ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"), 1
    )
}
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_MONTH = "|".join(MONTHS)
_NUMBER = rf"(\d+|{'|'.join(NUMBERS)})"
_GROUPS = (
    rf"\b{_NUMBER} (?:people|persons|travell?ers|adults|friends|of us)\b",
    rf"\b(?:family|party|group) of {_NUMBER}\b",
    rf"\b(?:a trip|trip|days) for {_NUMBER}\b",
    rf"\b(?:the|us|we are) {_NUMBER}\b",
)
_CHILDREN = rf"\b(?:{_NUMBER} (?:children|kids)|(?:a|our|my) (?:child|son|daughter|[a-z]+-year-old))\b"
_PAIRS = r"\b(?:my|our) \w+ and (?:i|me)\b|\bcouple\b|\banniversary\b"


def number(text: str) -> int:
    """A number in digits, or up to twelve as a word."""
    return int(text) if text.isdecimal() else NUMBERS[text.lower()]


def days_of(text: str) -> tuple[date, ...]:
    """The days from the first date that is named to the last, in order; none where no date with a year is named."""
    if iso := [date.fromisoformat(said) for said in re.findall(r"\b\d{4}-\d{2}-\d{2}\b", text)]:
        return _span(min(iso), max(iso))
    year = re.search(r"\b(20\d{2})\b", text)
    if year is None:
        return ()
    named = [(month, day) for day, month in re.findall(rf"\b(\d{{1,2}})(?:st|nd|rd|th)? ({_MONTH})\b", text)]
    for month, day, last in re.findall(
        rf"\b({_MONTH}) (\d{{1,2}})(?:st|nd|rd|th)?\b(?: to (\d{{1,2}})(?:st|nd|rd|th))?", text
    ):
        named += [(month, day), *([(month, last)] if last else [])]
    found = sorted(date(int(year[1]), MONTHS.index(month) + 1, int(day)) for month, day in named)
    return _span(found[0], found[-1]) if found else ()


def _span(first: date, last: date) -> tuple[date, ...]:
    return tuple(first + timedelta(place) for place in range((last - first).days + 1))


def children_of(text: str) -> int:
    """How many children come along."""
    return sum(number(said) if said else 1 for said in re.findall(_CHILDREN, text, re.IGNORECASE))


def people_of(text: str) -> int:
    """How many travel, children too; one where nothing is said of others."""
    for group in _GROUPS:
        said = re.search(group, text, re.IGNORECASE)
        if said is not None:
            adults = "adults" in said[0]
            return number(said[1]) + (children_of(text) if adults else 0)
    return 2 if re.search(_PAIRS, text, re.IGNORECASE) else 1


def words_of(text: str) -> set[str]:
    """Its words, in small letters."""
    return set(re.findall(r"[^\W\d_]+", text.lower()))


def names_of(text: str) -> list[str]:
    """What may be a name: words with capitals that follow each other, in order, each once."""
    found = re.findall(r"\b[A-Z][\w'-]*(?:(?:(?<=St)\.)? [A-Z][\w'-]*)*", text)
    return list(dict.fromkeys(name.removesuffix("'s") for name in found))


def clause_of(text: str, words: Iterable[str]) -> str:
    """What is said in the part of a sentence that has one of some words; nothing where none has."""
    wanted = set(words)
    return next((part for part in re.split(r"[,;.](?!\d)| and ", text) if wanted & words_of(part)), "")


def says_any(text: str, phrases: Iterable[str]) -> bool:
    """One of some phrases is said, whatever the case."""
    return any(phrase in text.lower() for phrase in phrases)
