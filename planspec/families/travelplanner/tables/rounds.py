"""Tables of HiMAP-Travel's rounds: latency by phase, convergence and adaptation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import mean

from planspec.families.travelplanner.himap.note import RoundNote, TurnNote
from planspec.families.travelplanner.tables.trips import Cell, Columns, Trip, average, deviation, table
from planspec.scores.record import RunTable
from planspec.traces.record import Timing, Trace

TOTAL = "total"
SUMMED_ROWS = ("days: model, summed", "days: tools, summed")
"""Rows that sum times over executors. Days are planned in parallel, so a sum may exceed the duration of the phase."""


def latency(trips: Sequence[Trip]) -> RunTable:
    """Return the duration of each phase of the agent, by length of the trip (Tables 15 to 17)."""
    rows: list[tuple[Cell, ...]] = []
    for length in sorted({trip.days for trip in trips if trip.days is not None}):
        phases = [phases_of(trip) for trip in trips if trip.days == length and trip.attempt is not None]
        names = dict.fromkeys(name for one in phases for name in one)
        whole = average(one[TOTAL] for one in phases)
        for name in names:
            values = [one[name] for one in phases if name in one]
            part = mean(values) / whole if whole and name not in SUMMED_ROWS else None
            rows.append((length, name, len(values), mean(values), deviation(values), part))
    columns: Columns = (
        ("trip", "count"), ("phase", "text"), ("attempts", "count"), ("seconds", "quantity"),
        ("deviation", "quantity"), ("share", "share"),
    )  # fmt: skip
    return table(
        "latency",
        "Latency by phase and length of the trip (Tables 15 to 17)",
        columns,
        rows,
        "`himap`: coordinator and days are those of the first round, bargaining is all later rounds, and the rest is "
        "validation and overhead. Other agents have models and tools. The last column is the share of the total.",
    )


def phases_of(trip: Trip) -> dict[str, float]:
    """Return the duration of each phase of an attempt in seconds, over its turns; the last entry is the total."""
    attempt = trip.attempt
    if attempt is None:
        return {}
    if not trip.turns:
        model, tools = _busy(attempt.trace, None)
        return {
            "model": model,
            "tools": tools,
            "other": max(0.0, attempt.seconds - model - tools),
            TOTAL: attempt.seconds,
        }
    first = [_first_round(turn) for turn in trip.turns]
    coordinator, days = sum(a for a, _ in first), sum(b for _, b in first)
    bargaining = sum(turn.coordinator_s + turn.executors_s for turn in trip.turns) - coordinator - days
    total = sum(turn.seconds for turn in trip.turns)
    stages = {day.stage for turn in trip.turns for round_ in turn.rounds for day in round_.days}
    model, tools = _busy(attempt.trace, stages)
    inside = dict(zip(SUMMED_ROWS, (model, tools), strict=True)) if attempt.trace.generations else {}
    return {
        "coordinator": coordinator,
        "days": days,
        **inside,
        "bargaining": max(0.0, bargaining),
        "rest": max(0.0, total - coordinator - days - bargaining),
        TOTAL: total,
    }


def _first_round(turn: TurnNote) -> tuple[float, float]:
    """Return the seconds that the coordinator and the executors of the days took in the first round, as a pair."""
    if not turn.rounds:
        return turn.coordinator_s, 0.0
    first = turn.rounds[0]
    return turn.coordinator_s if first.coordinator_s is None else first.coordinator_s, first.seconds


def _busy(trace: Trace, stages: Iterable[int | None] | None) -> tuple[float, float]:
    """Return two sums of durations in seconds: of requests to models, and of calls of the task's tools.

    Args:
        trace: trace of an attempt.
        stages: stages that count; None for all.
    """
    counted = None if stages is None else set(stages)
    model = [one.time for one in trace.generations if counted is None or one.stage in counted]
    tools = [call.time for call in trace.calls if not call.own and (counted is None or call.stage in counted)]
    return _seconds(model), _seconds(tools)


def _seconds(times: Iterable[Timing | None]) -> float:
    return sum(time.seconds for time in times if time is not None)


def convergence(trips: Sequence[Trip]) -> RunTable:
    """Return the number of turns that reach agreement in each round (Table 31)."""
    turns = [turn for trip in trips for turn in trip.turns if turn.rounds]
    rows: list[tuple[Cell, ...]] = []
    agreed_so_far = 0
    for number in range(1, max((len(turn.rounds) for turn in turns), default=0) + 1):
        reached = [turn for turn in turns if len(turn.rounds) >= number]
        agreed = sum(turn.rounds[number - 1].is_agreed for turn in reached)
        agreed_so_far += agreed
        rows.append((number, len(reached), agreed, agreed / len(reached), agreed_so_far, agreed_so_far / len(turns)))
    columns: Columns = (
        ("round", "count"), ("reached", "count"), ("agreed", "count"), ("rate", "share"), ("so far", "count"),
        ("of all", "share"),
    )  # fmt: skip
    note = f"Mean number of rounds: {mean(len(turn.rounds) for turn in turns):.2f}." if turns else ""
    return table("convergence", "Convergence of bargaining (Table 31)", columns, rows, note)


def adaptation(trips: Sequence[Trip]) -> RunTable:
    """Return the number of changes that the coordinator makes after a rejection, by type (Table 32)."""
    changes = [
        (adaptation_of(before, after), after)
        for trip in trips
        for turn in trip.turns
        for before, after in pairwise(turn.rounds)
    ]
    by_kind: dict[str, list[RoundNote]] = {}
    for kind, after in changes:
        by_kind.setdefault(kind, []).append(after)
    rows = [_adaptation_row(kind, by_kind[kind], len(changes)) for kind in ADAPTATIONS if kind in by_kind]
    if changes:
        rows.append(_adaptation_row("all", [after for _, after in changes], len(changes)))
    columns: Columns = (
        ("adaptation", "text"), ("rounds", "count"), ("share", "share"), ("agreed", "share"), ("seconds", "quantity"),
    )  # fmt: skip
    return table(
        "adaptation",
        "Adaptation of the split (Table 32)",
        columns,
        rows,
        "What differs from the round before, the first of the list that applies; seconds of the new round.",
    )


ADAPTATIONS = (
    "fewer cities",
    "other cities",
    "other order",
    "other transport",
    "other nights",
    "hints alone",
    "unknown",
)


def adaptation_of(before: RoundNote, after: RoundNote) -> str:
    """Classify how the split of the trip changed between two rounds, for example as `fewer cities`.

    The result is `unknown` for notes of earlier releases.
    """
    if any(day.city is None for round_ in (before, after) for day in round_.days):
        return "unknown"
    first, second = _cities(before), _cities(after)
    if len(set(second)) < len(set(first)):
        return "fewer cities"
    if set(first) != set(second):
        return "other cities"
    if list(dict.fromkeys(first)) != list(dict.fromkeys(second)):
        return "other order"
    if [day.mode for day in before.days] != [day.mode for day in after.days]:
        return "other transport"
    return "other nights" if first != second else "hints alone"


def _cities(round_: RoundNote) -> list[str | None]:
    """Return the cities where the days of a round end, without the last day, which ends at home."""
    return [day.city for day in round_.days[:-1]]


def _adaptation_row(kind: str, rounds: Sequence[RoundNote], whole: int) -> tuple[Cell, ...]:
    agreed = sum(round_.is_agreed for round_ in rounds) / len(rounds)
    seconds = average((round_.coordinator_s or 0.0) + round_.seconds for round_ in rounds)
    return kind, len(rounds), len(rounds) / whole, agreed, seconds
