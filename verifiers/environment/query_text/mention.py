"""Mentions of amounts, times and dates in a text, with their possible readings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

Measure: TypeAlias = Literal["number", "money", "duration", "distance", "time", "date", "weekday"]
"""Kind of a value that a text states; `number` if it has no unit."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One possible meaning of the words of a mention.

    Attributes:
        measure: the kind of value.
        value: a number; money in main units, a duration or a time in minutes, a distance in metres, a date as
            100 times the month plus the day, a weekday from 0 (Monday) to 6.
        detail: code of the currency of money, or year of a date; None if the text does not say.
    """

    measure: Measure
    value: Fraction
    detail: str | int | None = None


@dataclass(frozen=True, slots=True)
class Mention:
    """A part of a text that states a value.

    Attributes:
        start: offset of its first character.
        end: offset after its last character.
        readings: its possible meanings.
        is_ordinal: whether it is a word such as `third`, or a number such as `3rd`.
        is_definite: whether the words almost certainly state a value: true for `14:30`, false for `one`.
    """

    start: int
    end: int
    readings: frozenset[Reading]
    is_definite: bool = True
    is_ordinal: bool = False

    @property
    def measure(self) -> Measure:
        """The kind of value; `number` if no unit is mentioned."""
        measures = {reading.measure for reading in self.readings}
        if "number" in measures and "duration" not in measures:
            return "number"
        return min(measures, key=lambda measure: (measure == "number", measure))

    @property
    def counts_days(self) -> bool:
        """Whether the words state a number of days, nights or weeks."""
        return self.has("duration") and self.has("number")

    def has(self, measure: Measure) -> bool:
        """Return whether one of the possible meanings is a value of the given kind, such as `duration`."""
        return any(reading.measure == measure for reading in self.readings)


def numbers(values: Iterable[Fraction]) -> frozenset[Reading]:
    """Return for each number its reading (possible meaning of words) as a number without a unit."""
    return frozenset(Reading("number", value) for value in values)
