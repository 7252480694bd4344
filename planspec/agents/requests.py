"""Search for dates, people and words in an English request, for planners without a language model.

Only common wordings are recognized.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, timedelta

from planspec.dsl.resources.english_words import MONTHS, ONES

NUMBERS = {word: value for value, word in enumerate(ONES[1:13], 1)}
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


def parse_number(text: str) -> int:
    """Parse a number written in digits, or in words up to twelve."""
    return int(text) if text.isdecimal() else NUMBERS[text.lower()]


def days_of(text: str) -> tuple[date, ...]:
    """Return all days from the first to the last date in a text; empty if no date has a year."""
    if iso := [date.fromisoformat(text) for text in re.findall(r"\b\d{4}-\d{2}-\d{2}\b", text)]:
        return _days_between(min(iso), max(iso))
    year = re.search(r"\b(20\d{2})\b", text)
    if year is None:
        return ()
    named = [(month, day) for day, month in re.findall(rf"\b(\d{{1,2}})(?:st|nd|rd|th)? ({_MONTH})\b", text)]
    for month, day, last in re.findall(
        rf"\b({_MONTH}) (\d{{1,2}})(?:st|nd|rd|th)?\b(?: to (\d{{1,2}})(?:st|nd|rd|th))?", text
    ):
        named += [(month, day), *([(month, last)] if last else [])]
    dates = sorted(date(int(year[1]), MONTHS.index(month) + 1, int(day)) for month, day in named)
    return _days_between(dates[0], dates[-1]) if dates else ()


def _days_between(first: date, last: date) -> tuple[date, ...]:
    return tuple(first + timedelta(offset) for offset in range((last - first).days + 1))


def children_of(text: str) -> int:
    """Return the number of children that a text mentions."""
    return sum(parse_number(count) if count else 1 for count in re.findall(_CHILDREN, text, re.IGNORECASE))


def people_of(text: str) -> int:
    """Return the number of travellers that a text mentions, including children; 1 if it mentions none."""
    for group in _GROUPS:
        match = re.search(group, text, re.IGNORECASE)
        if match is not None:
            adults = "adults" in match[0]
            return parse_number(match[1]) + (children_of(text) if adults else 0)
    return 2 if re.search(_PAIRS, text, re.IGNORECASE) else 1


def words_of(text: str) -> set[str]:
    """Return the words of a text in lower case."""
    return set(re.findall(r"[^\W\d_]+", text.lower()))


def names_of(text: str) -> list[str]:
    """Return possible names in a text: sequences of capitalized words, in order, without repeats."""
    names = re.findall(r"\b[A-Z][\w'-]*(?:(?:(?<=St)\.)? [A-Z][\w'-]*)*", text)
    return list(dict.fromkeys(name.removesuffix("'s") for name in names))


def clause_of(text: str, words: Iterable[str]) -> str:
    """Return the first clause with one of the words; an empty string if there is none."""
    keywords = set(words)
    return next((part for part in re.split(r"[,;.](?!\d)| and ", text) if keywords & words_of(part)), "")


def contains_any(text: str, phrases: Iterable[str]) -> bool:
    """Return whether a text contains one of the phrases, ignoring case."""
    return any(phrase in text.lower() for phrase in phrases)
