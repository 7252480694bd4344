"""Messages between a coordinator and its day executors: sub-goals one way, typed feedback the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Role: TypeAlias = Literal["departure", "stay", "transit", "return"]
Mode: TypeAlias = Literal["car", "public"]
"""Mode of transport of the whole trip: one's own car, or flights and taxis."""
FeedbackStatus: TypeAlias = Literal["feasible", "infeasible"]
Violation: TypeAlias = Literal["budget", "time", "availability"]


@dataclass(frozen=True, slots=True)
class Goal:
    """The sub-goal of one day: all information that its executor gets.

    Attributes:
        day: number of the day, from 1.
        date: date as text, `2022-03-16`.
        role: kind of day.
        origin: place of departure on a day of travel.
        city: city where the day ends.
        nights: nights that the executor books, beginning with this day's; later days find them booked.
        mode: mode of transport; None if it is not settled.
        hint: suggested spending in cents, which no constraint enforces; None for no hint.
        tastes: cuisines that this day's meals must cover.
        frugal: whether optional items are left out.
        note: further remarks of a coordinator that is a model.
        request: parts of the request that concern the day, as read by a coordinator that is a model.
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
        day: number of the day, from 1.
        status: whether the day can be done as requested.
        deficit: least cost of the day minus its hint, or minus the remaining budget if that is less, in
            cents; negative for a surplus. None if there is neither bound or the cost is unknown.
        violation_type: reason why the day cannot be done.
        refusals: refusals of this day by the shared state, by code.
    """

    day: int
    status: FeedbackStatus
    deficit: int | None = None
    violation_type: Violation | None = None
    refusals: Mapping[str, int] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the payload, with the deficit in units of the currency as text; `refusals` only if there are any."""
        payload: dict[str, Any] = {
            "day": self.day,
            "status": self.status,
            "deficit": None if self.deficit is None else money(self.deficit),
            "violation_type": self.violation_type,
        }
        return payload | ({"refusals": dict(self.refusals)} if self.refusals else {})


@dataclass(frozen=True, slots=True)
class DayDraft:
    """A plan of one day.

    Attributes:
        action: rows by table, in the form that a monitor accepts.
        cost: cost in cents.
        names: names of the booked offers.
        plan: the day as a model wrote it; None without a model.
        claimed: cost claimed by the model, in cents, or None.
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
    """A day that cannot be done as requested.

    Attributes:
        draft: last proposal, which was refused; None if nothing could be proposed.
    """

    goal: Goal
    feedback: Feedback
    draft: DayDraft | None
    tally: ExecutorCounts


@dataclass(frozen=True, slots=True)
class Cancelled:
    """A day that was stopped, or never begun, because another was rejected."""

    goal: Goal
    tally: ExecutorCounts


Outcome: TypeAlias = Committed | Rejected | Cancelled


@dataclass(slots=True)
class ExecutorCounts:
    """The counts of one executor, or of the coordinator.

    Attributes:
        calls: calls by kind: `search`, `choose`, `commit`, `model`, `tool`.
        refusals: refused commits, by code.
        seconds: duration of the work.
        before_violation: tool calls before the first violation (section A.2), or None.
        stage: index of the conversation in the trace, or None.
        kept: whether the day is kept from an earlier turn.
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
        """Add the calls and refusals of another count, but not its time."""
        for kind, count in other.calls.items():
            self.calls[kind] = self.calls.get(kind, 0) + count
        for code, count in other.refusals.items():
            self.refusals[code] = self.refusals.get(code, 0) + count


def money(cents: int) -> str:
    """Return an amount as text: `-12.50`."""
    whole, rest = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}{whole}.{rest:02}"
