"""Record of a turn in the trace: its rounds with hints, feedback, calls, refusals and times."""

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


def record_turn(
    desk: Desk,
    rounds: Sequence[Round],
    delivered: int | None,
    seconds: float,
    *,
    writes_stages: bool = True,
    extra: Mapping[str, Any] | None = None,
) -> None:
    """Add a note on a turn to the trace, and a stage for each coordinator and executor.

    Args:
        desk: desk of the attempt, through which the trace is written.
        rounds: rounds of the turn.
        delivered: index in `rounds` of the round with the plan of the answer; None without an answer.
        seconds: duration of the whole turn.
        writes_stages: whether to write the stages. Conversations with a model write their stages themselves.
        extra: further entries of the note.
    """
    total = ExecutorCounts()
    for number, round_ in enumerate(rounds, 1):
        total.add(round_.coordinator)
        for outcome in round_.outcomes:
            total.add(outcome.tally)
        if writes_stages:
            _write_stages(desk, number, round_)
    turns = [
        *desk.notes.get(NOTE, ()),
        {
            "iterations": len(rounds),
            "agreed": bool(rounds) and rounds[-1].is_agreed,
            "delivered": None if delivered is None else delivered + 1,
            "seconds": round(seconds, 3),
            "coordinator_s": round(sum(round_.coordinator.seconds for round_ in rounds), 3),
            "executors_s": round(sum(round_.seconds for round_ in rounds), 3),
            "calls": total.calls,
            "refusals": total.refusals,
            "rounds": [_round_note(round_) for round_ in rounds],
            **(extra or {}),
        },
    ]
    desk.note(NOTE, turns)


def _write_stages(desk: Desk, number: int, round_: Round) -> None:
    round_.coordinator.stage = desk.record_stage(
        record.Stage(
            name="coordinator",
            id=f"round {number}",
            steps=(tuple(goal_line(goal) for goal in round_.goals),),
            extra={"seconds": round(round_.coordinator.seconds, 3), "calls": dict(round_.coordinator.calls)},
        )
    )
    for outcome in round_.outcomes:
        stage_id = f"round {number} day {outcome.goal.day}"
        outcome.tally.stage = desk.record_stage(record.Stage(name="executor", id=stage_id, extra=summary(outcome)))


def _round_note(round_: Round) -> dict[str, Any]:
    return {
        "stage": round_.coordinator.stage,
        "hints": [None if goal.hint is None else money(goal.hint) for goal in round_.goals],
        "feedback": [o.feedback.as_json() for o in round_.outcomes if not isinstance(o, Cancelled)],
        "cancelled": [outcome.goal.day for outcome in round_.outcomes if isinstance(outcome, Cancelled)],
        "seconds": round(round_.seconds, 3),
        "coordinator_s": round(round_.coordinator.seconds, 3),
        "days": [_day_note(outcome) for outcome in round_.outcomes],
    }


def _day_note(outcome: Outcome) -> dict[str, Any]:
    """Return the entry of a day in the note on a turn. `planspec.families.travelplanner.himap.note` has the schema."""
    tally, goal = outcome.tally, outcome.goal
    draft = None if isinstance(outcome, Cancelled) else outcome.draft
    return {
        "day": goal.day,
        "outcome": type(outcome).__name__.lower(),
        "kept": tally.kept,
        "before_violation": tally.before_violation,
        "stage": tally.stage,
        "role": goal.role,
        "origin": goal.origin,
        "city": goal.city,
        "nights": goal.nights,
        "mode": goal.mode,
        "cost": None if draft is None else money(draft.cost),
        "seconds": round(tally.seconds, 3),
    }


def goal_line(goal: Goal) -> str:
    """Describe a sub-goal in one line."""
    way = goal.city if goal.origin is None else f"{goal.origin} to {goal.city}"
    hint = "" if goal.hint is None else f", about {money(goal.hint)}"
    return f"day {goal.day} ({goal.role}): {way}{hint}"


def summary(outcome: Outcome) -> dict[str, Any]:
    """Return a summary of an executor's work and outcome."""
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
