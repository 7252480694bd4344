"""The calendar of a city: opening hours and starts by day, and the places left of each start."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cached_property
from random import Random

from planspec.families.worldtravel.generator.city import CityFolder
from planspec.suite_writing.options import UnsuitableSuiteError

WEEK = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
UNBOOKED = 99
"""Places left of a start that needs no booking; it is never sold out."""
GONE, WEEKEND, AFTER_GONE = 22, 12, 15
"""Percentages of sold-out starts: base, extra on weekends, extra after another sold-out start."""


@dataclass(frozen=True, slots=True)
class Window:
    """Opening hours of a place or of a part of one, in minutes after midnight."""

    of: str
    day: date
    open: int
    close: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A start of an offer, with the places left."""

    offer: str
    day: date
    at: int
    left: int
    language: str


@dataclass(frozen=True)
class Calendar:
    """The calendar of all days of a city.

    Attributes:
        windows: opening hours of places.
        parts: opening hours of parts of places.
        entries: starts, in order.
    """

    days: tuple[date, ...]
    windows: tuple[Window, ...]
    parts: tuple[Window, ...]
    entries: tuple[Entry, ...]

    def starting(self, trip: Collection[date]) -> frozenset[str]:
        """Return the offers with a start on one of the days."""
        return frozenset(offer for day in trip for offer in self._offers.get(day, ()))

    @cached_property
    def _offers(self) -> dict[date, set[str]]:
        offers: dict[date, set[str]] = {}
        for entry in self.entries:
            offers.setdefault(entry.day, set()).add(entry.offer)
        return offers

    def on(self, trip: Collection[date]) -> Calendar:
        """Return the calendar of the days of a trip alone."""
        return Calendar(
            tuple(day for day in self.days if day in trip),
            tuple(window for window in self.windows if window.day in trip),
            tuple(window for window in self.parts if window.day in trip),
            tuple(entry for entry in self.entries if entry.day in trip),
        )

    def sold(self, gone: dict[tuple[str, date, int], int]) -> Calendar:
        """Return the calendar with fewer places left of some starts, given by offer, day and time."""
        return replace(
            self,
            entries=tuple(
                replace(e, left=min(e.left, gone.get((e.offer, e.day, e.at), e.left))) for e in self.entries
            ),
        )


def weekdays(text: str) -> frozenset[int]:
    """Parse the weekdays of a text such as `tue-sun` or `mon,wed`; Monday is 0.

    Raises:
        UnsuitableSuiteError: the text names no weekdays.
    """
    days: set[int] = set()
    for part in text.replace(" ", "").split(","):
        first, _, last = part.partition("-")
        if first not in WEEK or (last and last not in WEEK):
            raise UnsuitableSuiteError(f"`{text}` names no weekdays; write `mon-sun` or `tue,thu`")
        i, j = WEEK.index(first), WEEK.index(last or first)
        days |= {k % 7 for k in range(i, (j if j >= i else j + 7) + 1)}
    return frozenset(days)


def minutes(text: str) -> int:
    """Parse a time such as `14:30` or `25:00` into minutes after midnight.

    Raises:
        UnsuitableSuiteError: the text is no time.
    """
    hours, colon, rest = text.strip().partition(":")
    if not (colon and hours.isdigit() and rest.isdigit() and len(rest) == 2 and int(rest) < 60):
        raise UnsuitableSuiteError(f"`{text}` is no time; write 14:30")
    return int(hours) * 60 + int(rest)


def duration(text: str) -> int:
    """Parse a duration such as `30min` or `1h30min` into minutes.

    Raises:
        UnsuitableSuiteError: the text is no duration.
    """
    match = re.fullmatch(r"(?:(\d+)h)?(?:(\d+)min)?", text.strip())
    if match is None or not match[0]:
        raise UnsuitableSuiteError(f"`{text}` is no duration; write 30min")
    return 60 * int(match[1] or 0) + int(match[2] or 0)


def clock(after_midnight: int) -> str:
    """Format minutes after midnight: 870 becomes 14:30."""
    return f"{after_midnight // 60:02d}:{after_midnight % 60:02d}"


def draw_calendar(city: CityFolder, first: date, days: int, seed: int) -> Calendar:
    """Draw a calendar.

    Each offer and day is drawn separately, so a longer calendar begins like a shorter one.

    Args:
        city: city with hours and starts by weekday.
        first: first day of the calendar.
        days: number of days.
        seed: seed of the sold-out starts.
    """
    dates = tuple(first + timedelta(days=i) for i in range(days))
    windows = tuple(window for day in dates for window in _windows(city, "hours", "place", day))
    parts = tuple(window for day in dates for window in _windows(city, "part_hours", "part", day))
    return Calendar(dates, windows, parts, tuple(_entries(city, dates, windows, seed)))


def _windows(city: CityFolder, file: str, column: str, day: date) -> Iterator[Window]:
    place_of = {row["id"]: row["place"] for row in city.rows("part")} if column == "part" else {}
    special = {s.place: s for s in city.head.closed if s.date == day}
    if column == "place":
        for change in special.values():
            for hours in change.hours:
                opens, _, closes = hours.partition("-")
                yield Window(change.place, day, minutes(opens), minutes(closes))
    for row in city.rows(file):
        if place_of.get(row[column], row[column]) not in special and day.weekday() in weekdays(row["days"]):
            yield Window(row[column], day, minutes(row["open"]), minutes(row["close"]))


def _entries(
    city: CityFolder, dates: Sequence[date], windows: Sequence[Window], seed: int
) -> Iterator[Entry]:
    booked = {row["id"]: row["booked"] == "true" for row in city.rows("offer")}
    place_of = {row["id"]: row["place"] for row in city.rows("offer")}
    open_on: dict[tuple[str, date], list[Window]] = {}
    for window in windows:
        open_on.setdefault((window.of, window.day), []).append(window)
    starts: dict[tuple[str, date], dict[int, tuple[int, str]]] = {}
    for row in city.rows("starts"):
        on = weekdays(row["days"])
        for day in dates:
            hours = open_on.get((place_of[row["offer"]], day), ())
            if day.weekday() in on:
                for at in range(minutes(row["first"]), minutes(row["last"]) + 1, duration(row["every"])):
                    if any(w.open <= at < w.close for w in hours):
                        starts.setdefault((row["offer"], day), {})[at] = (
                            int(row["places"]),
                            row.get("language", ""),
                        )
    for row in city.rows("programme"):
        day = date.fromisoformat(row["date"])
        if day in dates:
            starts.setdefault((row["offer"], day), {})[minutes(row["at"])] = (int(row["places"]), "")
    for (offer, day), times in sorted(starts.items(), key=lambda item: (item[0][1], item[0][0])):
        random, before = Random(f"{seed} {offer} {day}"), False
        for at, (places, language) in sorted(times.items()):
            chance = GONE + (WEEKEND if day.weekday() >= 5 else 0) + (AFTER_GONE if before else 0)
            before = random.randrange(100) < chance
            left = random.randint(1, places)
            if not booked[offer]:
                left = UNBOOKED
            elif before:
                left = 0
            yield Entry(offer, day, at, left, language)
