"""Recognition of all amounts, times and dates in a text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from planspec.verifiers.environment.query_text.amounts import amounts
from planspec.verifiers.environment.query_text.clock_times import digital_times, worded_times
from planspec.verifiers.environment.query_text.dates import han_weekdays, numeric_dates, worded_dates
from planspec.verifiers.environment.query_text.marked_text import MarkedText, plain
from planspec.verifiers.environment.query_text.mention import Mention, numbers
from planspec.verifiers.environment.query_text.numeral import Numeral
from planspec.verifiers.environment.query_text.numerals import numerals

SMALL = 2
"""Least number without a unit, in digits, that counts as definite (it almost certainly states a value).

For numbers in words the least one is 3, because `two` is often not meant as a number.
"""
AGES = re.compile(
    r"\b(?:children|kids|teenagers|adults|people|kinder[n]?)(?: (?:who are|aged|under|over|below|above|unter|über))+"
    r"(?: the age of)? *$"
)
"""Pattern of words before an age, as in `children under 6`. Such an age belongs to the name of a group of people."""
GROUPS = re.compile(r" (?:generations?|generationen)\b")
"""Pattern of words after a number that describes people and does not count them, as in `three generations`."""


@lru_cache(maxsize=256)
def mentions(text: str) -> tuple[Mention, ...]:
    """Return the mentions in a text, in order.

    A mention is definite if it almost certainly states a value. If mentions overlap, only the longest definite mention
    remains, such as `an hour and a half`. If none of them is definite, several may remain, such as the time `by nine`
    and the number `nine`.
    """
    lower = plain(text)
    early = _longest([*numeric_dates(lower), *digital_times(lower), *han_weekdays(lower)], len(lower))
    rest = _without(lower, early)
    marked = MarkedText(rest, numerals(rest))
    worded = list(worded_dates(marked)) + list(worded_times(marked, rest)) + list(amounts(marked))
    late = _longest([m for m in worded if m.is_definite], len(lower))
    loose = [m for m in worded if not m.is_definite]
    taken = _covered_characters([*early, *late, *(m for m in loose if not m.readings)], len(lower))
    bare = [_bare_number(n, lower) for n in marked.numerals if not any(taken[n.start : n.end])]
    united = _merged([*bare, *(m for m in loose if m.readings and not any(taken[m.start : m.end]))])
    everything = (*early, *late, *united)
    return tuple(sorted(everything, key=lambda m: (m.start, -m.end)))


def _longest(candidates: Iterable[Mention], length: int) -> list[Mention]:
    """Return the longest of each group of overlapping mentions. Mentions with the same span are merged into one.

    `length` is the number of characters of the text.
    """
    result: dict[tuple[int, int], Mention] = {}
    taken = bytearray(length)
    for mention in sorted(candidates, key=lambda m: (m.start - m.end, m.start)):
        span = (mention.start, mention.end)
        if span in result:
            result[span] = replace(result[span], readings=result[span].readings | mention.readings)
        elif not any(taken[mention.start : mention.end]):
            taken[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
            result[span] = mention
    return list(result.values())


def _merged(candidates: Iterable[Mention]) -> Iterable[Mention]:
    """Merge mentions with the same span into one mention with all their readings.

    The merged mention is definite (it almost certainly states a value) if at least one of the mentions is definite. It
    is an ordinal, such as `third`, if at least one of the mentions is an ordinal.
    """
    result: dict[tuple[int, int], Mention] = {}
    for mention in candidates:
        span = (mention.start, mention.end)
        other = result.get(span, mention)
        definite = mention.is_definite or other.is_definite
        result[span] = Mention(
            *span, mention.readings | other.readings, definite, mention.is_ordinal or other.is_ordinal
        )
    return result.values()


def _covered_characters(chosen: Iterable[Mention], length: int) -> bytearray:
    taken = bytearray(length)
    for mention in chosen:
        taken[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
    return taken


def _without(text: str, chosen: Iterable[Mention]) -> str:
    """Return a text in which blanks replace the mentions."""
    characters = list(text)
    for mention in chosen:
        characters[mention.start : mention.end] = " " * (mention.end - mention.start)
    return "".join(characters)


def _bare_number(numeral: Numeral, text: str) -> Mention:
    """Return the mention of a number without a unit. Small numbers, ages and `three generations` are not definite."""
    least = SMALL if numeral.form == "digits" else SMALL + 1
    definite = numeral.form in ("digits", "words") and min(numeral.values) >= least
    definite = definite and AGES.search(text, max(0, numeral.start - 60), numeral.start) is None
    definite = definite and GROUPS.match(text, numeral.end) is None
    return Mention(numeral.start, numeral.end, numbers(numeral.values), definite, numeral.form == "ordinal")
