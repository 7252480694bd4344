"""The record of a run: its rounds with hints and feedback, calls, refusals and times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from planspec.agents.desk import Desk
from planspec.families.travelplanner.himap.bargaining import Round
from planspec.families.travelplanner.himap.goals import (
    Cancelled,
    Committed,
    ExecutorCounts,
    Goal,
    Outcome,
    Rejected,
    money,
)
from planspec.traces import record

NOTE = "himap"


def keep(
    desk: Desk,
    made: Sequence[Round],
    delivered: int | None,
    seconds: float,
    *,
    staged: bool = True,
    more: Mapping[str, Any] | None = None,
) -> None:
    """Note the rounds of a turn at the desk, and each coordinator and executor as a stage of the trace.

    Args:
        desk: of the attempt.
        made: the rounds.
        delivered: the place in `made` of the round whose plan is the answer; None if none is.
        seconds: of the whole turn.
        staged: the stages are to be kept; models keep theirs while they speak.
        more: what else there is to note of the turn.
    """
    total = ExecutorCounts()
    for number, one in enumerate(made, 1):
        total.add(one.coordinator)
        for outcome in one.outcomes:
            total.add(outcome.tally)
        if staged:
            _stage(desk, number, one)
    turns = [
        *desk.notes.get(NOTE, ()),
        {
            "iterations": len(made),
            "agreed": bool(made) and made[-1].agreed,
            "delivered": None if delivered is None else delivered + 1,
            "seconds": round(seconds, 3),
            "coordinator_s": round(sum(one.coordinator.seconds for one in made), 3),
            "executors_s": round(sum(one.seconds for one in made), 3),
            "calls": total.calls,
            "refusals": total.refusals,
            "rounds": [_round(one) for one in made],
            **(more or {}),
        },
    ]
    desk.note(NOTE, turns)


def _stage(desk: Desk, number: int, one: Round) -> None:
    one.coordinator.stage = desk.stage(
        record.Stage(
            name="coordinator", id=f"round {number}", steps=(tuple(told(goal) for goal in one.goals),),
            extra={"seconds": round(one.coordinator.seconds, 3), "calls": dict(one.coordinator.calls)},
        )
    )  # fmt: skip
    for outcome in one.outcomes:
        which = f"round {number} day {outcome.goal.day}"
        outcome.tally.stage = desk.stage(record.Stage(name="executor", id=which, extra=summary(outcome)))


def _round(one: Round) -> dict[str, Any]:
    return {
        "stage": one.coordinator.stage,
        "hints": [None if goal.hint is None else money(goal.hint) for goal in one.goals],
        "feedback": [o.feedback.as_json() for o in one.outcomes if not isinstance(o, Cancelled)],
        "cancelled": [outcome.goal.day for outcome in one.outcomes if isinstance(outcome, Cancelled)],
        "seconds": round(one.seconds, 3),
        "days": [_day(outcome) for outcome in one.outcomes],
    }


def _day(outcome: Outcome) -> dict[str, Any]:
    """What rewards are made of: how a day ended, and what was called by then."""
    tally = outcome.tally
    return {
        "day": outcome.goal.day,
        "outcome": type(outcome).__name__.lower(),
        "kept": tally.kept,
        "before_violation": tally.before_violation,
        "stage": tally.stage,
    }


def told(goal: Goal) -> str:
    """A sub-goal on one line."""
    way = goal.city if goal.origin is None else f"{goal.origin} to {goal.city}"
    hint = "" if goal.hint is None else f", about {money(goal.hint)}"
    return f"day {goal.day} ({goal.role}): {way}{hint}"


def summary(outcome: Outcome) -> dict[str, Any]:
    """A summary of an executor's work and answer."""
    tally = outcome.tally
    extra: dict[str, Any] = {
        "seconds": round(tally.seconds, 3),
        "calls": dict(tally.calls),
        "refusals": dict(tally.refusals),
    }
    if tally.kept:
        extra["kept"] = True
    match outcome:
        case Committed(_, feedback, draft) | Rejected(_, feedback, draft):
            extra["feedback"] = feedback.as_json()
            extra["cost"] = None if draft is None else money(draft.cost)
            if draft is not None and draft.claimed is not None:
                extra["claimed"] = money(draft.claimed)
        case Cancelled():
            extra["cancelled"] = True
    return extra
