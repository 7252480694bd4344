"""Attempts at trips, prepared for the tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import mean, stdev
from typing import Any, Literal, TypeAlias

from pydantic import JsonValue, ValidationError

from planspec.families.travelplanner.himap.note import Note, TurnNote
from planspec.families.travelplanner.himap.recording import NOTE
from planspec.runs import Attempt
from planspec.scores.attempts import AttemptedRun
from planspec.scores.known import TaskFacts
from planspec.scores.record import RunTable, TableColumn
from planspec.verifiers.meaning.verdict import Verdict

EASY, MEDIUM = 20.0, 45.0
"""Maximum complexity of trips in the easy tier and in the medium tier (Table 14)."""
LOCAL_KINDS = 4
"""Number of kinds of local constraints: house rule, cuisine, room type and transportation."""
TIERS = ("easy", "medium", "hard")
BUDGET_RULE = "valid_cost"
Cell: TypeAlias = str | int | float | None


@dataclass(frozen=True, eq=False)
class Trip:
    """One attempt at a trip.

    A run has an attempt for each task and each repeat. Attempts without a record count as undelivered.

    Attributes:
        task: id of the task.
        facts: properties of the task.
        verdict: verdict on the attempt.
        attempt: record of the attempt; None if there is none.
        measures: properties of the answer; empty without a plan.
    """

    task: str
    facts: TaskFacts
    verdict: Verdict
    attempt: Attempt | None
    measures: dict[str, JsonValue]

    @property
    def passed(self) -> bool:
        """Whether the attempt passes."""
        return self.verdict.status == "pass"

    @property
    def delivered(self) -> bool:
        """Whether there is a plan."""
        return self.verdict.status != "undelivered"

    @cached_property
    def violated(self) -> frozenset[str]:
        """Violated hard rules of a delivered answer."""
        found = self.verdict.findings
        return frozenset(
            one.constraint.partition("[")[0] for one in found if one.level == "hard" and one.status == "violated"
        )

    @property
    def days(self) -> int | None:
        """Length of the trip in days."""
        return _int_or_none(self._task_measure("days"))

    @property
    def cities(self) -> int | None:
        """Number of requested cities."""
        return _int_or_none(self._task_measure("cities"))

    @property
    def budget(self) -> int | None:
        """Budget in cents; None without a budget."""
        return _int_or_none(self._task_measure("budget"))

    def _task_measure(self, name: str) -> JsonValue:
        return (self.facts.measures or {}).get(name)

    @property
    def costs(self) -> list[int | None]:
        """Cost of each day in cents; empty without a delivered plan."""
        costs = self.measures.get("costs") if self.delivered else None
        return [_int_or_none(cost) for cost in costs] if isinstance(costs, list) else []

    @property
    def budget_used(self) -> float | None:
        """Cost of the plan as a share of the budget; None if the cost or the budget is unknown."""
        priced = [cost for cost in self.costs if cost is not None]
        if not self.budget or not priced or len(priced) < len(self.costs):
            return None
        return sum(priced) / self.budget

    @property
    def complexity(self) -> float | None:
        """Complexity by the paper's formula (B.1) with N = 4: D * C * (1 + 0.5 N), for D days and C cities.

        N counts the kinds of local constraints. Each query lists all four kinds, some without a value. The published
        mean, deviation and range (34.0, 22.2, 9.0 to 63.0) result from N = 4.
        """
        return self._complexity(LOCAL_KINDS)

    @property
    def given_complexity(self) -> float | None:
        """Complexity by the paper's formula, with N as the number of local constraints that have a value.

        The budget does not count.
        """
        return self._complexity(sum(r.n > 0 for r in self.facts.rules if r.kind == "request" and r.rule != BUDGET_RULE))

    def _complexity(self, constraints: int) -> float | None:
        if self.days is None or self.cities is None:
            return None
        return self.days * self.cities * (1 + 0.5 * constraints)

    @property
    def tier(self) -> str | None:
        """Tier of the trip by its complexity; None if the complexity is unknown."""
        value = self.complexity
        return None if value is None else TIERS[(value > EASY) + (value > MEDIUM)]

    @cached_property
    def turns(self) -> tuple[TurnNote, ...]:
        """Notes that HiMAP-Travel wrote about its turns; empty for other agents, and for invalid notes."""
        note = None if self.attempt is None else self.attempt.trace.extra.get(NOTE)
        try:
            return () if note is None else Note.model_validate(note).root
        except ValidationError:
            return ()

    @property
    def rounds(self) -> int | None:
        """Number of rounds of the last turn; None for other agents."""
        return self.turns[-1].iterations if self.turns else None

    @property
    def seconds(self) -> float | None:
        """Duration of the attempt; None without a record."""
        return None if self.attempt is None else self.attempt.seconds


def trips_of(run: AttemptedRun) -> list[Trip]:
    """Return all attempts of a run, with and without a record, in order of tasks and repeats."""
    result = []
    for task, row in zip(run.run.tasks, run.rows, strict=True):
        for repeat, scored in enumerate(row):
            attempt = run.attempts.get((task, repeat))
            measures = None if attempt is None else run.facts.of(attempt).measures
            result.append(Trip(task, run.facts.tasks[task], scored.verdict, attempt, measures or {}))
    return result


Kind: TypeAlias = Literal["text", "count", "share", "quantity"]
Columns: TypeAlias = Sequence[tuple[str, Kind]]
"""Names of columns, each with the kind of its cells."""


def table(name: str, title: str, columns: Columns, rows: Iterable[Sequence[Cell]], note: str) -> RunTable:
    """Return a table with typed columns."""
    return RunTable(
        name=name,
        title=title,
        columns=tuple(TableColumn(name=column, kind=kind) for column, kind in columns),
        rows=tuple(tuple(row) for row in rows),
        note=note,
    )


def share(trips: Sequence[Trip], holds: Callable[[Trip], bool]) -> float | None:
    """Return the share of attempts for which a condition holds; None without attempts."""
    return sum(map(holds, trips)) / len(trips) if trips else None


def average(values: Iterable[float | None]) -> float | None:
    """Return the mean of the known values; None if no value is known."""
    values_present = [value for value in values if value is not None]
    return mean(values_present) if values_present else None


def deviation(values: Iterable[float | None]) -> float | None:
    """Return the sample standard deviation of the known values; None for fewer than two."""
    values_present = [value for value in values if value is not None]
    return stdev(values_present) if len(values_present) > 1 else None


def _int_or_none(value: Any) -> int | None:
    return value if isinstance(value, int) else None
