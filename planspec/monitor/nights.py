"""The nights of a trip: where they may still be spent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from planspec.dsl.model.rows import Row, make_row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import ListType, RowType, ScalarType, Table
from planspec.errors import PlanspecError
from planspec.verifiers.meaning.plan_rows import Plan


class NoNightsError(PlanspecError, ValueError):
    """A task without a trip of days that each end in a city, or a day or city that it does not have."""


@dataclass(frozen=True, slots=True)
class TripDays:
    """The days of a task's trip.

    Attributes:
        days: ordinals in order; a night follows each but the last.
        table: the plan's days, by `day`, with `city` and `hotel`.
        cities: what there is to stay in.
    """

    days: tuple[int, ...]
    table: Table
    cities: Table

    @classmethod
    def of(cls, task: Task) -> TripDays:
        """The trip of a task with a given `trip` and a plan table `days`.

        Raises:
            NoNightsError: it has not both.
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
        """The days that a night follows."""
        return self.days[:-1]

    def day(self, said: int | str | date) -> int:
        """A day of the trip: by its number from 1, or its date.

        Raises:
            NoNightsError: it is none.
        """
        if isinstance(said, date):
            found = said.toordinal()
        elif isinstance(said, str):
            try:
                found = date.fromisoformat(said).toordinal()
            except ValueError:
                raise NoNightsError(f"`{said[:40]}` is no date") from None
        else:
            found = self.days[said - 1] if 1 <= said <= len(self.days) else 0
        if found not in self.days:
            raise NoNightsError(f"{said} is no day of the trip")
        return found

    def runs(self, plan: Plan, city: Row, start: int | None) -> Iterator[tuple[int, ...]]:
        """For each first night (or that one), the nights on end that can still be spent in the city."""
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
        """Rows that say no more than that the days end in the city."""
        return tuple(make_row(self.table, {"day": day, "city": city}, i) for i, day in enumerate(days))
