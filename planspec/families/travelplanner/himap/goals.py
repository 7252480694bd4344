"""Messages between the coordinator and the executors: sub-goals of days, and typed feedback on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Role: TypeAlias = Literal["departure", "stay", "transit", "return"]
Mode: TypeAlias = Literal["car", "public"]
"""Mode of transport of the whole trip: `car` for the travellers' own car, `public` for flights and taxis."""
LedgerName: TypeAlias = Literal["tables", "claimed"]
"""Costs that the shared state adds up: by the prices in the task's tables, or as claimed by executors."""
FeedbackStatus: TypeAlias = Literal["feasible", "infeasible"]
ClaimedViolation: TypeAlias = Literal["budget", "time", "availability"]
"""Reason for which an executor may reject its day."""
Violation: TypeAlias = ClaimedViolation | Literal["price"]
"""Reason why a day is rejected.

`price` means that all refusals were due to a wrong claimed cost. The sub-goal may then remain unchanged.
"""


@dataclass(frozen=True, slots=True)
class Goal:
    """Sub-goal of one day: all information that its executor gets.

    Attributes:
        day: number of the day, from 1.
        date: date of the day in ISO format, such as `2022-03-16`.
        role: kind of day.
        origin: city of departure on a day of travel; None on other days.
        city: city where the day ends.
        nights: number of nights that the executor books, starting with this day. Later days of the stay book none.
        mode: mode of transport; None if it is undecided.
        hint: suggested cost in cents, which is not enforced; None without a suggestion.
        tastes: cuisines that this day's meals must cover.
        frugal: whether the executor leaves out optional items.
        note: further remarks of a coordinator played by a model; may be empty.
        request: parts of the request that concern the day, as extracted by a coordinator played by a model.
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
    """Feedback of an executor on its sub-goal.

    Attributes:
        day: number of the day, from 1.
        status: whether the day can be planned as requested.
        deficit: lowest cost of the day minus the available money, in cents; negative for a surplus. The available
            money is the minimum of hint and remaining budget. The deficit is None if neither exists, or if the cost is
            unknown.
        violation_type: reason why the day cannot be planned; None if it can.
        refusals: number of refusals of this day by the shared state, by code.
    """

    day: int
    status: FeedbackStatus
    deficit: int | None = None
    violation_type: Violation | None = None
    refusals: Mapping[str, int] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the feedback as JSON. The deficit is a string in the currency's main unit.

        `refusals` is left out if there are none.
        """
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
        action: rows by table, in the form of a monitor's actions.
        cost: cost in cents.
        names: names of the booked offers.
        plan: plan as a model wrote it; None without a model.
        claimed: cost claimed by the model, in cents; None without a claim.
    """

    action: Mapping[str, Any]
    cost: int
    names: tuple[str, ...] = ()
    plan: Any = None
    claimed: int | None = None


@dataclass(frozen=True, slots=True)
class Committed:
    """Outcome of a day whose plan is committed.

    Attributes:
        goal: sub-goal of the day.
        feedback: feedback to the coordinator.
        draft: the committed plan.
        tally: counts of the executor's calls and refusals.
    """

    goal: Goal
    feedback: Feedback
    draft: DayDraft
    tally: ExecutorCounts


@dataclass(frozen=True, slots=True)
class Rejected:
    """Outcome of a day that cannot be planned as requested.

    Attributes:
        goal: sub-goal of the day.
        feedback: feedback to the coordinator.
        draft: last proposal, which was refused; None if the executor proposed nothing.
        tally: counts of the executor's calls and refusals.
    """

    goal: Goal
    feedback: Feedback
    draft: DayDraft | None
    tally: ExecutorCounts


@dataclass(frozen=True, slots=True)
class Cancelled:
    """Outcome of a day that was stopped or never started, because another day was rejected."""

    goal: Goal
    tally: ExecutorCounts


Outcome: TypeAlias = Committed | Rejected | Cancelled


@dataclass(slots=True)
class ExecutorCounts:
    """Counts of one executor, or of the coordinator.

    Attributes:
        calls: number of calls by kind: `search`, `choose`, `commit`, `model`, `tool`.
        refusals: number of refused commits, by code.
        seconds: duration of the work.
        before_violation: number of tool calls before the first violation (section A.2); None without a violation.
        stage: index of the role's stage in the trace; None without a stage.
        kept: whether the day is kept from the previous turn.
    """

    calls: dict[str, int] = field(default_factory=dict)
    refusals: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    before_violation: int | None = None
    stage: int | None = None
    kept: bool = False

    def count_call(self, kind: str) -> None:
        """Count a call under its kind, such as `search`."""
        self.calls[kind] = self.calls.get(kind, 0) + 1

    def count_refusal(self, code: str) -> None:
        """Count a refusal under its code."""
        self.refusals[code] = self.refusals.get(code, 0) + 1

    def add(self, other: ExecutorCounts) -> None:
        """Add the calls and refusals of other counts. The duration is not added."""
        for kind, count in other.calls.items():
            self.calls[kind] = self.calls.get(kind, 0) + count
        for code, count in other.refusals.items():
            self.refusals[code] = self.refusals.get(code, 0) + count


def money(cents: int) -> str:
    """Format an amount in the main unit of the currency: -1250 becomes `-12.50`."""
    whole, rest = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}{whole}.{rest:02}"
