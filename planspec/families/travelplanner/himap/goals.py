"""The messages between a coordinator and its day executors: sub-goals one way, typed feedback the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Role: TypeAlias = Literal["departure", "stay", "transit", "return"]
Mode: TypeAlias = Literal["car", "public"]
"""The means of travel for the whole trip: one's own car, or flights and taxis."""
FeedbackStatus: TypeAlias = Literal["feasible", "infeasible"]
Violation: TypeAlias = Literal["budget", "time", "availability"]


@dataclass(frozen=True, slots=True)
class Goal:
    """The sub-goal of one day: everything that its executor gets.

    Attributes:
        day: from 1.
        date: as text, `2022-03-16`.
        role: what kind of day it is.
        origin: where a day of travel sets out.
        city: where the day ends.
        nights: how many nights the executor books, beginning with this day's; the days after it find them booked.
        mode: how it is travelled; None where nobody has settled it.
        hint: what the day may spend, in cents: advice, which no rule enforces; None where there is none.
        tastes: the cuisines that this day's meals are to cover.
        frugal: nothing is to be booked that the day can do without.
        note: what else a coordinator that is a model says.
        request: what bears on the day of the request that such a coordinator read.
    """

    day: int
    date: str
    role: Role
    origin: str | None
    city: str
    nights: int = 0
    mode: Mode | None = None
    hint: int | None = None
    tastes: tuple[str, ...] = ()
    frugal: bool = False
    note: str = ""
    request: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Feedback:
    """An executor's answer to its sub-goal.

    Attributes:
        day: from 1.
        status: the day can be done as it is asked, or not.
        deficit: by how much the least that the day costs passes its hint, or what was left of the budget where that is
            less, in cents (below zero: what it could give up); None where there is neither, or where that is not known.
        violation_type: why the day cannot be done.
        refusals: of the shared state at this day, by code.
    """

    day: int
    status: FeedbackStatus
    deficit: int | None = None
    violation_type: Violation | None = None
    refusals: Mapping[str, int] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The payload, with the deficit in whole units of money as text; `refusals` where there were any."""
        made: dict[str, Any] = {
            "day": self.day,
            "status": self.status,
            "deficit": None if self.deficit is None else money(self.deficit),
            "violation_type": self.violation_type,
        }
        return made | ({"refusals": dict(self.refusals)} if self.refusals else {})


@dataclass(frozen=True, slots=True)
class DayDraft:
    """A plan of one day.

    Attributes:
        action: rows by table, as a monitor takes them.
        cost: in cents.
        names: what is booked, by its name.
        plan: the day as a model wrote it; None where none did.
        claimed: what the model says that it costs, in cents; None where none did.
    """

    action: Mapping[str, Any]
    cost: int
    names: tuple[str, ...] = ()
    plan: Any = None
    claimed: int | None = None


@dataclass(frozen=True, slots=True)
class Committed:
    """A day whose plan is committed."""

    goal: Goal
    feedback: Feedback
    draft: DayDraft
    tally: ExecutorCounts


@dataclass(frozen=True, slots=True)
class Rejected:
    """A day that cannot be done as it is asked.

    Attributes:
        draft: what was proposed last, and refused; None where nothing could be proposed.
    """

    goal: Goal
    feedback: Feedback
    draft: DayDraft | None
    tally: ExecutorCounts


@dataclass(frozen=True, slots=True)
class Cancelled:
    """A day that was broken off, or never begun, because another was rejected."""

    goal: Goal
    tally: ExecutorCounts


Outcome: TypeAlias = Committed | Rejected | Cancelled


@dataclass(slots=True)
class ExecutorCounts:
    """The counts of one executor, or of the coordinator.

    Attributes:
        calls: by kind: `search`, `choose`, `commit`, `model`, `tool`.
        refusals: of commits, by code.
        seconds: from its beginning to its end.
        before_violation: the tools that were called before the first violation (section A.2); None where there was none.
        stage: the place in the trace of the conversation; None where there is none.
        kept: the day stands as it was planned at an earlier turn.
    """

    calls: dict[str, int] = field(default_factory=dict)
    refusals: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    before_violation: int | None = None
    stage: int | None = None
    kept: bool = False

    def call(self, kind: str) -> None:
        """Count a call."""
        self.calls[kind] = self.calls.get(kind, 0) + 1

    def refused(self, code: str) -> None:
        """Count a refusal."""
        self.refusals[code] = self.refusals.get(code, 0) + 1

    def add(self, other: ExecutorCounts) -> None:
        """Count what another counted, but for the time."""
        for kind, count in other.calls.items():
            self.calls[kind] = self.calls.get(kind, 0) + count
        for code, count in other.refusals.items():
            self.refusals[code] = self.refusals.get(code, 0) + count


def money(cents: int) -> str:
    """An amount as text: `-12.50`."""
    whole, rest = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}{whole}.{rest:02}"
