"""Attempts at trips with verdicts and notes written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from planspec.families.travelplanner.tables.trips import Trip
from planspec.runs import Attempt
from planspec.scores.known import RuleFacts, TaskFacts
from planspec.scores.record import RunTable
from planspec.traces.record import Trace
from planspec.verifiers.meaning.verdict import Finding, Tally, Verdict

RULES = {
    "is_valid_restaurants": "commonsense",
    "is_valid_attractions": "commonsense",
    "is_not_absent": "commonsense",
    "is_valid_accommodation": "commonsense",
    "valid_cost": "request",
}


def handwritten_trip(
    task: str = "a",
    *,
    violated: Sequence[str] = (),
    status: str = "",
    days: int = 3,
    cities: int = 1,
    budget: int | None = 1000_00,
    local: Sequence[str] = (),
    costs: Sequence[int | None] = (100_00, 100_00, 100_00),
    visited: int | None = None,
    dear: int = 0,
    rounds: Sequence[Any] | None = None,
    seconds: float = 10.0,
    **times: float,
) -> Trip:
    """Return an attempt at a trip. The status defaults to `fail` if a rule is violated, otherwise `pass`."""
    rules = {**RULES, **dict.fromkeys(local, "request")}
    found = [_finding(rule, kind, "violated" if rule in violated else "satisfied") for rule, kind in rules.items()]
    outcome: Any = status or ("fail" if violated else "pass")
    hard = Tally(satisfied=len(rules) - len(violated), total=len(rules))
    verdict = Verdict(
        task=task,
        profile="strict",
        status=outcome,
        hard=hard,
        soft=Tally(satisfied=0, total=0),
        metrics={},
        in_scope=None,
        findings=tuple(found),
    )
    facts = TaskFacts(
        sha256="0",
        labels={},
        rules=tuple(RuleFacts(rule=rule, kind=kind, hard=True, n=1) for rule, kind in rules.items()),
        measures={"days": days, "cities": cities, "budget": budget},
    )
    extra: Any = {} if rounds is None else {"himap": [turn(rounds, **times)]}
    attempt = Attempt(
        task=task,
        repeat=0,
        seed=0,
        turns=(),
        verdict={"status": outcome},
        trace=Trace(task=task, extra=extra),
        started="",
        seconds=seconds,
    )
    measures: Any = (
        {} if outcome == "undelivered" else {"costs": list(costs), "visited": visited or cities, "dear": dear}
    )
    return Trip(task, facts, verdict, attempt, measures)


def _finding(rule: str, kind: str, status: Any) -> Finding:
    return Finding(constraint=rule, level="hard", kind=kind, status=status, message="")


def turn(rounds: Sequence[Any], **times: float) -> dict[str, Any]:
    """Return the note that the agent HiMAP writes on a turn with these rounds."""
    return {
        "iterations": len(rounds),
        "agreed": False,
        "delivered": 1,
        "seconds": times.get("total", 0.0),
        "coordinator_s": sum(one["coordinator_s"] for one in rounds),
        "executors_s": sum(one["seconds"] for one in rounds),
        "calls": {},
        "refusals": {},
        "rounds": list(rounds),
    }


def round_note(
    *days: tuple[str, str], mode: str = "car", coordinator_s: float = 1.0, seconds: float = 2.0
) -> dict[str, Any]:
    """Return the note on a planning round, given the city and the outcome of each day."""
    return {
        "stage": 0,
        "hints": [None] * len(days),
        "feedback": [],
        "cancelled": [],
        "seconds": seconds,
        "coordinator_s": coordinator_s,
        "days": [
            {
                "day": number,
                "outcome": outcome,
                "kept": False,
                "before_violation": None,
                "stage": number,
                "role": "stay",
                "origin": None,
                "city": city,
                "nights": 0,
                "mode": mode,
                "cost": None,
                "seconds": 1.0,
            }
            for number, (city, outcome) in enumerate(days, 1)
        ],
    }


def rows(table: RunTable) -> dict[Any, dict[str, Any]]:
    """Return the rows of a table, keyed by the first cell, each as a mapping from column to cell."""
    names = [column.name for column in table.columns]
    return {row[0]: dict(zip(names[1:], row[1:], strict=True)) for row in table.rows}
