"""Calendar of a city: opening hours and possible start times by day, and free places at each start time."""

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
"""Number of free places at a start time that needs no booking. Such a time is never sold out."""
SOLD_OUT_CHANCE, WEEKEND_CHANCE, REPEATED_CHANCE = 22, 12, 15
"""Percentages: the chance that a start time is sold out, and its increase on weekends and after a sold-out time."""


@dataclass(frozen=True, slots=True)
class Window:
    """Opening hours of a place, or of a part of a place, on a day.

    Attributes:
        owner: id of the place or part.
        open: opening time, in minutes after midnight.
        close: closing time, in minutes after midnight.
    """

    owner: str
    day: date
    open: int
    close: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A time at which a visit with an offer (ticket or table) can start.

    Attributes:
        offer: id of the offer.
        at: time in minutes after midnight.
        left: number of free places.
        language: language of a guided tour, or an empty string.
    """

    offer: str
    day: date
    at: int
    left: int
    language: str


@dataclass(frozen=True)
class Calendar:
    """The calendar of a city.

    Attributes:
        days: all days, in order.
        windows: opening hours of places.
        parts: opening hours of parts of places.
        entries: start times, sorted by day, offer and time.
    """

    days: tuple[date, ...]
    windows: tuple[Window, ...]
    parts: tuple[Window, ...]
    entries: tuple[Entry, ...]

    def offers_on(self, trip: Collection[date]) -> frozenset[str]:
        """Return the ids of the offers (tickets or tables) with a start time on one of the days."""
        return frozenset(offer for day in trip for offer in self._offers_by_day.get(day, ()))

    @cached_property
    def _offers_by_day(self) -> dict[date, set[str]]:
        offers: dict[date, set[str]] = {}
        for entry in self.entries:
            offers.setdefault(entry.day, set()).add(entry.offer)
        return offers

    def reduced_to(self, trip: Collection[date]) -> Calendar:
        """Return this calendar reduced to the days of a trip."""
        return Calendar(
            tuple(day for day in self.days if day in trip),
            tuple(window for window in self.windows if window.day in trip),
            tuple(window for window in self.parts if window.day in trip),
            tuple(entry for entry in self.entries if entry.day in trip),
        )

    def with_places_left(self, places_left: dict[tuple[str, date, int], int]) -> Calendar:
        """Return this calendar with other numbers of free places at some start times.

        Args:
            places_left: number of free places, by offer, day and minutes after midnight.
        """
        return replace(
            self,
            entries=tuple(
                replace(e, left=min(e.left, places_left.get((e.offer, e.day, e.at), e.left))) for e in self.entries
            ),
        )


def parse_weekdays(text: str) -> frozenset[int]:
    """Parse weekdays such as `tue-sun` or `mon,wed`. Monday is 0.

    Raises:
        UnsuitableSuiteError: the string does not name weekdays.
    """
    days: set[int] = set()
    for part in text.replace(" ", "").split(","):
        first_day, _, last = part.partition("-")
        if first_day not in WEEK or (last and last not in WEEK):
            raise UnsuitableSuiteError(f"`{text}` names no weekdays; write `mon-sun` or `tue,thu`")
        i, j = WEEK.index(first_day), WEEK.index(last or first_day)
        days |= {k % 7 for k in range(i, (j if j >= i else j + 7) + 1)}
    return frozenset(days)


def parse_clock(text: str) -> int:
    """Parse a time such as `14:30` or `25:00` into minutes after midnight.

    Raises:
        UnsuitableSuiteError: the string is not a time.
    """
    hours, colon, rest = text.strip().partition(":")
    if not (colon and hours.isdigit() and rest.isdigit() and len(rest) == 2 and int(rest) < 60):
        raise UnsuitableSuiteError(f"`{text}` is not a time; write 14:30")
    return int(hours) * 60 + int(rest)


def parse_duration(text: str) -> int:
    """Parse a duration such as `30min` or `1h30min` into minutes.

    Raises:
        UnsuitableSuiteError: the string is not a duration.
    """
    match = re.fullmatch(r"(?:(\d+)h)?(?:(\d+)min)?", text.strip())
    if match is None or not match[0]:
        raise UnsuitableSuiteError(f"`{text}` is not a duration; write 30min")
    return 60 * int(match[1] or 0) + int(match[2] or 0)


def format_clock(after_midnight: int) -> str:
    """Format minutes after midnight as a time. For example, 870 becomes `14:30`."""
    return f"{after_midnight // 60:02d}:{after_midnight % 60:02d}"


def draw_calendar(city: CityFolder, first_day: date, days: int, seed: int) -> Calendar:
    """Draw the calendar of a city at random.

    Each offer and day has its own random source. A shorter calendar is therefore the beginning of a longer one.

    Args:
        city: city with opening hours and start times by weekday.
        first_day: first day of the calendar.
        days: number of days.
        seed: seed of the numbers of free places.
    """
    dates = tuple(first_day + timedelta(days=i) for i in range(days))
    windows = tuple(window for day in dates for window in _windows_on(city, "hours", "place", day))
    parts = tuple(window for day in dates for window in _windows_on(city, "part_hours", "part", day))
    return Calendar(dates, windows, parts, tuple(_draw_entries(city, dates, windows, seed)))


def _windows_on(city: CityFolder, file: str, column: str, day: date) -> Iterator[Window]:
    place_of = {row["id"]: row["place"] for row in city.rows("part")} if column == "part" else {}
    special = {s.place: s for s in city.head.closed if s.date == day}
    if column == "place":
        for change in special.values():
            for hours in change.hours:
                opens, _, closes = hours.partition("-")
                yield Window(change.place, day, parse_clock(opens), parse_clock(closes))
    for row in city.rows(file):
        if place_of.get(row[column], row[column]) not in special and day.weekday() in parse_weekdays(row["days"]):
            yield Window(row[column], day, parse_clock(row["open"]), parse_clock(row["close"]))


def _draw_entries(city: CityFolder, dates: Sequence[date], windows: Sequence[Window], seed: int) -> Iterator[Entry]:
    booked = {row["id"]: row["booked"] == "true" for row in city.rows("offer")}
    place_of = {row["id"]: row["place"] for row in city.rows("offer")}
    open_on: dict[tuple[str, date], list[Window]] = {}
    for window in windows:
        open_on.setdefault((window.owner, window.day), []).append(window)
    starts: dict[tuple[str, date], dict[int, tuple[int, str]]] = {}
    for row in city.rows("starts"):
        on = parse_weekdays(row["days"])
        for day in dates:
            hours = open_on.get((place_of[row["offer"]], day), ())
            if day.weekday() in on:
                for at in range(parse_clock(row["first"]), parse_clock(row["last"]) + 1, parse_duration(row["every"])):
                    if any(w.open <= at < w.close for w in hours):
                        starts.setdefault((row["offer"], day), {})[at] = (
                            int(row["places"]),
                            row.get("language", ""),
                        )
    for row in city.rows("programme"):
        day = date.fromisoformat(row["date"])
        if day in dates:
            starts.setdefault((row["offer"], day), {})[parse_clock(row["at"])] = (int(row["places"]), "")
    for (offer, day), times in sorted(starts.items(), key=lambda item: (item[0][1], item[0][0])):
        random, before = Random(f"{seed} {offer} {day}"), False
        for at, (places, language) in sorted(times.items()):
            chance = (
                SOLD_OUT_CHANCE + (WEEKEND_CHANCE if day.weekday() >= 5 else 0) + (REPEATED_CHANCE if before else 0)
            )
            before = random.randrange(100) < chance
            left = random.randint(1, places)
            if not booked[offer]:
                left = UNBOOKED
            elif before:
                left = 0
            yield Entry(offer, day, at, left, language)
