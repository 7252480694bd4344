"""Schema of the note `himap` in a trace: a list with one entry for each turn.

Rewards and tables are computed from the note.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, RootModel

from planspec.families.travelplanner.himap.goals import FeedbackStatus, LedgerName, Mode, Role, Violation

Amount = str
"""An amount in the main unit of the currency, as a string such as `-12.50`."""


class NoteModel(BaseModel):
    """Base class of the parts of a note: immutable, without additional fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class DayNote(NoteModel):
    """A day in a round.

    Attributes:
        day: number of the day, from 1.
        outcome: whether its plan was committed, its executor rejected the day, or another day's rejection cancelled the
            day.
        is_kept: whether the day was kept from an earlier turn.
        before_violation: number of tool calls before the first violation; null without a violation.
        stage: index of the executor's stage in the trace; null without a stage.
        role: kind of day; null in notes of earlier releases, like all fields below.
        origin: city of departure; null on days without a ride.
        city: city where the day ends.
        nights: number of nights that the day books.
        mode: mode of transport that the coordinator set; null if it set none.
        cost: cost of the day's last proposal; null without a proposal.
        seconds: duration of the executor's work.
    """

    day: int
    outcome: Literal["committed", "rejected", "cancelled"]
    is_kept: bool = Field(alias="kept")
    before_violation: int | None
    stage: int | None
    role: Role | None = None
    origin: str | None = None
    city: str | None = None
    nights: int | None = None
    mode: Mode | None = None
    cost: Amount | None = None
    seconds: float | None = None


class FeedbackNote(NoteModel):
    """Feedback of a day's executor to the coordinator (see `goals.Feedback`), with the deficit in the main unit."""

    day: int
    status: FeedbackStatus
    deficit: Amount | None
    violation_type: Violation | None
    refusals: dict[str, int] = Field(default_factory=dict)


class RoundNote(NoteModel):
    """A round of bargaining.

    Attributes:
        stage: index of the coordinator's stage in the trace; null without a stage.
        hints: suggested cost of each day.
        feedback: feedback of the days that were not cancelled.
        cancelled: numbers of the cancelled days.
        seconds: time from the start of the first day to the end of the last one.
        coordinator_s: duration of the coordinator's work; null in notes of earlier releases.
        days: days in order.
    """

    stage: int | None
    hints: tuple[Amount | None, ...]
    feedback: tuple[FeedbackNote, ...]
    cancelled: tuple[int, ...]
    seconds: float
    coordinator_s: float | None = None
    days: tuple[DayNote, ...]

    @property
    def is_agreed(self) -> bool:
        """Whether a plan for every day has been accepted."""
        return all(day.outcome == "committed" for day in self.days)


class TurnNote(NoteModel):
    """A turn of the agent.

    Attributes:
        iterations: number of splits of the trip.
        agreed: whether all days of the last round were committed.
        delivered: number of the round whose plan is the answer, from 1; null without an answer.
        seconds: duration of the turn.
        coordinator_s: duration of the coordinator's work in all rounds.
        executors_s: duration of all rounds, from their first day to their last.
        calls: number of calls of all roles, by kind.
        refusals: number of refusals of the shared state, by code.
        rounds: rounds in order.
        extracted: slots of the request that the coordinator read rightly; null without a model.
        coordinator_stage: index of the coordinator's stage in the trace; null without a model.
        plan: sub-goals and plans of the committed days; null without a model.
        early: whether a day could be rejected before it was planned, and a rejected day cancelled the others.
        ledger: costs that the shared state counts.
    """

    iterations: int
    agreed: bool
    delivered: int | None
    seconds: float
    coordinator_s: float
    executors_s: float
    calls: dict[str, int]
    refusals: dict[str, int]
    rounds: tuple[RoundNote, ...]
    extracted: dict[str, JsonValue] | None = None
    coordinator_stage: int | None = None
    plan: tuple[dict[str, JsonValue], ...] | None = None
    early: bool = True
    ledger: LedgerName = "tables"


class Note(RootModel[tuple[TurnNote, ...]]):
    """The whole note, in order of the turns."""
