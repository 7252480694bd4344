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
    rounds: Sequence[Round],
    delivered: int | None,
    seconds: float,
    *,
    staged: bool = True,
    more: Mapping[str, Any] | None = None,
) -> None:
    """Note the rounds of a turn at the desk, and each coordinator and executor as a stage of the trace.

    Args:
        desk: desk of the attempt.
        rounds: the rounds.
        delivered: index in `rounds` of the round whose plan is the answer, or None.
        seconds: duration of the whole turn.
        staged: whether to write the stages; models write theirs during the conversation.
        more: further notes on the turn.
    """
    total = ExecutorCounts()
    for number, round_ in enumerate(rounds, 1):
        total.add(round_.coordinator)
        for outcome in round_.outcomes:
            total.add(outcome.tally)
        if staged:
            _stage(desk, number, round_)
    turns = [
        *desk.notes.get(NOTE, ()),
        {
            "iterations": len(rounds),
            "agreed": bool(rounds) and rounds[-1].agreed,
            "delivered": None if delivered is None else delivered + 1,
            "seconds": round(seconds, 3),
            "coordinator_s": round(sum(round_.coordinator.seconds for round_ in rounds), 3),
            "executors_s": round(sum(round_.seconds for round_ in rounds), 3),
            "calls": total.calls,
            "refusals": total.refusals,
            "rounds": [_round(round_) for round_ in rounds],
            **(more or {}),
        },
    ]
    desk.note(NOTE, turns)


def _stage(desk: Desk, number: int, round_: Round) -> None:
    round_.coordinator.stage = desk.record_stage(
        record.Stage(
            name="coordinator", id=f"round {number}", steps=(tuple(goal_line(goal) for goal in round_.goals),),
            extra={"seconds": round(round_.coordinator.seconds, 3), "calls": dict(round_.coordinator.calls)},
        )
    )  # fmt: skip
    for outcome in round_.outcomes:
        stage_id = f"round {number} day {outcome.goal.day}"
        outcome.tally.stage = desk.record_stage(
            record.Stage(name="executor", id=stage_id, extra=summary(outcome))
        )


def _round(round_: Round) -> dict[str, Any]:
    return {
        "stage": round_.coordinator.stage,
        "hints": [None if goal.hint is None else money(goal.hint) for goal in round_.goals],
        "feedback": [o.feedback.as_json() for o in round_.outcomes if not isinstance(o, Cancelled)],
        "cancelled": [outcome.goal.day for outcome in round_.outcomes if isinstance(outcome, Cancelled)],
        "seconds": round(round_.seconds, 3),
        "days": [_day(outcome) for outcome in round_.outcomes],
    }


def _day(outcome: Outcome) -> dict[str, Any]:
    """Return the inputs of the rewards: the outcome of a day, and its calls before a violation."""
    tally = outcome.tally
    return {
        "day": outcome.goal.day,
        "outcome": type(outcome).__name__.lower(),
        "kept": tally.kept,
        "before_violation": tally.before_violation,
        "stage": tally.stage,
    }


def goal_line(goal: Goal) -> str:
    """Return a sub-goal as a line of text."""
    way = goal.city if goal.origin is None else f"{goal.origin} to {goal.city}"
    hint = "" if goal.hint is None else f", about {money(goal.hint)}"
    return f"day {goal.day} ({goal.role}): {way}{hint}"


def summary(outcome: Outcome) -> dict[str, Any]:
    """Return a summary of an executor's work and answer."""
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
