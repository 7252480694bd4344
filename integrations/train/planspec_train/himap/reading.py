"""Candidate values in a request, such as names and numbers, each with the words around it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from planspec_train.facts import NUMBERS

MONTHS = {date(2000, month, 1).strftime("%B"): month for month in range(1, 13)}
DATE = re.compile(rf"\b({'|'.join(MONTHS)}) (\d+)(?:st|nd|rd|th)?(?:, (\d{{4}}))?")
AMOUNT = re.compile(r"\$(\d[\d,]*)")
NAME = re.compile(r"\b[A-Z][a-z]{2,}\b")
NUMBER = re.compile(rf"\b(?:{'|'.join(NUMBERS)}|\d+)\b", re.IGNORECASE)
WORD = re.compile(r"[a-z$-]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Mention:
    """A value mentioned in a request, as a candidate for an argument of a tool.

    Attributes:
        value: the value in the form that the tools take.
        contexts: features that describe the words around the value, such as `1 before: from`, without the value itself.
    """

    value: object
    contexts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """The candidate values in a request, by sort.

    Attributes:
        names: capitalised words, except names of months and words at the beginning of sentences.
        numbers: numbers in digits and words, 1 for "not stated", and the days from the earliest to the second date.
        dates: dates.
        amounts: sums of money in dollars, and None for "not stated".
        words: the distinct words of the request.
    """

    names: Sequence[Mention]
    numbers: Sequence[Mention]
    dates: Sequence[Mention]
    amounts: Sequence[Mention]
    words: Sequence[str]


def read_request(text: str) -> Reading:
    """Return the candidate values in a request."""
    dates = [(date(int(m[3] or 2022), MONTHS[m[1]], int(m[2])), m) for m in DATE.finditer(text)]
    taken = [match.span() for _, match in dates] + [match.span() for match in AMOUNT.finditer(text)]
    names = [m for m in NAME.finditer(text) if not _begins_sentence(text, m.start()) and m[0] not in MONTHS]
    numbers = [m for m in NUMBER.finditer(text) if not any(low <= m.start() < high for low, high in taken)]
    days = sorted({day for day, _ in dates})
    span = [Mention((days[1] - days[0]).days + 1, ("between dates",))] if len(days) > 1 else []
    return Reading(
        _distinct(Mention(m[0], _context(text, m)) for m in names),
        [
            *(
                Mention(int(NUMBERS.get(m[0].lower(), 0) or m[0]), _context(text, m))
                for m in numbers
                if _is_whole(m[0])
            ),
            Mention(1, ("not said",)),
            *span,
        ],
        [Mention(str(day), (*_context(text, m), f"date {place}")) for place, (day, m) in enumerate(dates)],
        [
            *(Mention(int(m[1].replace(",", "")), _context(text, m)) for m in AMOUNT.finditer(text)),
            Mention(None, ("not said",)),
        ],
        tuple(dict.fromkeys(word.lower() for word in WORD.findall(text))),
    )


def _is_whole(text: str) -> bool:
    return text.isdigit() or isinstance(NUMBERS[text.lower()], int)


def _begins_sentence(text: str, place: int) -> bool:
    before = text[:place].rstrip()
    return not before or before[-1] in ".?!"


def _context(text: str, match: re.Match[str]) -> tuple[str, ...]:
    before = [word.lower() for word in WORD.findall(text[: match.start()])[-2:]]
    after = [word.lower() for word in WORD.findall(text[match.end() :])[:1]]
    return (
        *(f"{len(before) - place} before: {word}" for place, word in enumerate(before)),
        *(f"after: {word}" for word in after),
    )


def _distinct(mentions: Iterator[Mention]) -> list[Mention]:
    """Merge mentions of the same value, with all their contexts."""
    contexts: dict[object, dict[str, None]] = {}
    for mention in mentions:
        contexts.setdefault(mention.value, {}).update(dict.fromkeys(mention.contexts))
    return [Mention(value, tuple(names)) for value, names in contexts.items()]
