"""Nights of a trip, and whether they can still be spent in a city, given the part of a plan committed so far."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from planspec.dsl.model.rows import Row, make_row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import ListType, RowType, ScalarType, Table
from planspec.errors import PlanspecError
from planspec.monitor import Monitor
from planspec.verifiers.meaning.plan_rows import Plan


class NoNightsError(PlanspecError, ValueError):
    """Error if a task is not about a trip with a city for each day, or if the trip lacks a requested day or city."""


@dataclass(frozen=True, slots=True)
class TripDays:
    """Days of a task's trip.

    Attributes:
        days: days as proleptic ordinals, in order. A night follows each day except the last.
        table: plan table of days, with the key `day` and the columns `city` and `hotel`.
        cities: table of the cities.
    """

    days: tuple[int, ...]
    table: Table
    cities: Table

    @classmethod
    def of(cls, task: Task) -> TripDays:
        """Return the trip of a task that has a given `trip` and a plan table `days`.

        Raises:
            NoNightsError: the task lacks the given or the table.
        """
        table = task.tables.get("days")
        declared = task.given_declarations.get("trip")
        if (
            table is None
            or not table.plan
            or table.key != ("day",)
            or not {"city", "hotel"} <= table.columns.keys()
            or not isinstance(table.columns["city"].type, RowType)
            or declared is None
            or declared.type != ListType(ScalarType.DATE)
            or not task.givens["trip"]
        ):
            raise NoNightsError(f"`{task.id}` has no trip whose days have a city and a hotel")
        cities = task.tables[table.columns["city"].type.table]
        return cls(tuple(sorted(task.givens["trip"])), table, cities)

    @property
    def nights(self) -> tuple[int, ...]:
        """Days followed by a night: all days of the trip except the last."""
        return self.days[:-1]

    def day(self, day: int | str | date) -> int:
        """Return the ordinal of a day of the trip.

        Args:
            day: the day's number from 1, its date, or the date as text, such as `2022-03-16`.

        Raises:
            NoNightsError: there is no such day of the trip.
        """
        if isinstance(day, date):
            ordinal = day.toordinal()
        elif isinstance(day, str):
            try:
                ordinal = date.fromisoformat(day).toordinal()
            except ValueError:
                raise NoNightsError(f"`{day[:40]}` is not a date") from None
        else:
            ordinal = self.days[day - 1] if 1 <= day <= len(self.days) else 0
        if ordinal not in self.days:
            raise NoNightsError(f"{day} is not a day of the trip")
        return ordinal

    def runs(self, plan: Plan, city: Row, start: int | None) -> Iterator[tuple[int, ...]]:
        """Yield, for each first night, the longest run of consecutive nights that can be spent in a city.

        Nights are given as the ordinals of the days before them.

        Args:
            plan: plan with the committed rows.
            city: row of the city.
            start: the only first night to consider; None for all.
        """
        committed: Mapping[Any, Row] = {row.day: row for row in plan.tables["days"]}  # type: ignore[attr-defined]
        for first in self.nights if start is None else (start,):
            run: list[int] = []
            for day in self.nights:
                if day < first:
                    continue
                row: Any = committed.get(day)
                if day != first + len(run) or (
                    row is not None and (row.city not in (None, city) or row.hotel is not None)
                ):
                    break
                run.append(day)
            yield tuple(run)

    def stay(self, city: Row, days: tuple[int, ...]) -> tuple[Row, ...]:
        """Return rows of the plan table `days` for days that end in a city. Their other cells are empty."""
        return tuple(make_row(self.table, {"day": day, "city": city}, i) for i, day in enumerate(days))


def remaining_nights(monitor: Monitor, city: str, day: int | str | date | None = None) -> int:
    """Return the number of consecutive nights, from a day on, that can still be spent in a city.

    A night belongs to the day before it; the last day of the trip has none. A night is free for the city if its day is
    not committed to another city and has no hotel yet. If the monitor looks ahead, nights also have to be possible:
    they do not count if CP-SAT proves that no plan in scope completes the committed rows with these nights in the city.
    A hotel with a minimum stay above the result cannot be chosen on that day.

    Args:
        monitor: monitor of the trip.
        city: name of the city.
        day: first day: its number from 1, its date, or the date as text; None for the day with the most nights.

    Raises:
        NoNightsError: the task has no trip, or the trip lacks the day or the city.
        TimeoutError: other threads held the lock for too long.
    """
    trip = TripDays.of(monitor.task)
    row = monitor.find_row(trip.cities, city)
    if row is None:
        raise NoNightsError(f"no city is called `{city[:60]}`")
    start = None if day is None else trip.day(day)
    longest = 0
    with monitor.hold():
        for run in sorted(trip.runs(monitor.plan(), row, start), key=len, reverse=True):
            for count in range(len(run), longest, -1):
                if monitor.can_extend({"days": trip.stay(row, run[:count])}):
                    longest = count
                    break
    return longest


def is_final_accommodation_day(monitor: Monitor, day: int | str | date) -> bool:
    """Return whether the night after a day is the last night of the trip.

    The last night follows the second-to-last day, regardless of the committed rows.

    Args:
        monitor: monitor of the trip.
        day: the day's number from 1, its date, or the date as text.

    Raises:
        NoNightsError: the task has no trip, or the trip lacks the day.
    """
    trip = TripDays.of(monitor.task)
    return bool(trip.nights) and trip.day(day) == trip.nights[-1]
