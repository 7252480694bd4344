"""Schedules prepared for a page: lanes of intervals that must not overlap, and loads (amounts in use over time).

A rule `no_overlap(...)` gives a lane for each of its groups. A comparison of `peak(...)` gives a load with its
capacity.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from planspec.dsl.model import tree as t
from planspec.dsl.model.intervals import is_peak, outermost_intervals
from planspec.dsl.model.rows import Row
from planspec.dsl.model.types import ScalarType, Type
from planspec.dsl.model.value_text import row_key, show
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.report.record import ScheduleInterval, ShownLane, ShownLoad, ShownSchedule
from planspec.report.texts import line
from planspec.verifiers.meaning.ground import Ground, Instance
from planspec.verifiers.meaning.interpret import Env, Interpreter
from planspec.verifiers.meaning.intervals import Run
from planspec.verifiers.meaning.meter import StepLimitError
from planspec.verifiers.meaning.plan_rows import Plan

MOST_LANES = 60
"""Maximum number of lanes in a picture."""
MOST_TICKS = 5
"""Maximum number of labels on a scale. More do not fit on the screen of a phone."""
_MINUTES = (5, 10, 15, 30, 60, 120, 180, 240, 360, 720, *(MINUTES_A_DAY * days for days in (1, 2, 7, 14, 28, 91, 364)))
_TIMES = frozenset({ScalarType.TIME, ScalarType.MOMENT, ScalarType.DURATION})


def schedules(ground: Ground, plan: Plan) -> tuple[tuple[ShownSchedule, ...], tuple[ShownLoad, ...]]:
    """Return the lanes and the loads of a plan. Rules with an invalid interval are left out.

    An interval is invalid if its start, end or amount is unknown, or if it ends before it starts.
    """
    lanes: dict[str, list[tuple[str, list[Run], t.Intervals]]] = {}
    loads: list[ShownLoad] = []
    interpreter = ground.interpreter.on(plan)
    for instance in ground.instances:
        if not instance.applicable:
            continue
        try:
            for intervals, env, compare in _intervals(interpreter, instance):
                groups = interpreter.runs(intervals, env)
                runs = [run for group in groups for run in group]
                if not runs or not all(run.is_valid and run.amount is not None for run in runs):
                    continue
                if intervals.function == "no_overlap":
                    named = (
                        (_lane_name(interpreter, intervals, group, instance), group, intervals) for group in groups
                    )
                    lanes.setdefault(instance.constraint.id, []).extend(named)
                else:
                    loads += _loads(interpreter, instance, intervals, groups, compare, env)
        except StepLimitError:
            continue
    currency = ground.task.currency
    return tuple(_schedule(rule, rows, currency) for rule, rows in lanes.items()), tuple(loads)


def _intervals(interpreter: Interpreter, instance: Instance) -> Iterator[tuple[t.Intervals, Env, t.Compare | None]]:
    """Yield the intervals, variables and comparison of a `no_overlap` or `peak` rule; nothing for other rules.

    The rule may be the body of a predicate.
    """
    body, env = instance.constraint.body, instance.env
    while isinstance(body, t.Apply) and (given := interpreter.arguments(body, env)) is not None:
        body, env = body.definition.body, given
    intervals = outermost_intervals(body)
    if intervals is not None:
        yield intervals, env, body if isinstance(body, t.Compare) else None


def _lane_name(interpreter: Interpreter, intervals: t.Intervals, group: Sequence[Run], instance: Instance) -> str:
    """Return the name of a lane: its group or, without groups, the bracketed part of the instance's id."""
    if intervals.per is not None:
        value = interpreter.value(intervals.per, group[0].env)
        return show(value, intervals.per.type, interpreter.task.currency)
    _, bracket, rest = instance.id.partition("[")
    return rest.removesuffix("]") if bracket else instance.constraint.id


def _schedule(rule: str, rows: Sequence[tuple[str, Sequence[Run], t.Intervals]], currency: str | None) -> ShownSchedule:
    runs = [run for _, group, _ in rows for run in group]
    low, high = min(run.start for run in runs), max(run.end for run in runs)
    shown = [
        ShownLane(
            name=line(name, 60),
            runs=tuple(
                _schedule_interval(run, intervals, name, currency)
                for run in sorted(group, key=lambda run: (run.start, run.end))
            ),
        )
        for name, group, intervals in rows
    ]
    return ShownSchedule(
        rule=line(rule, 80),
        low=low,
        high=max(high, low + 1),
        ticks=_ticks(low, high, rows[0][2].start.type),
        lanes=tuple(shown[:MOST_LANES]),
        left_out=max(0, len(shown) - MOST_LANES),
    )


def _schedule_interval(run: Run, intervals: t.Intervals, lane: str, currency: str | None) -> ScheduleInterval:
    """Return an interval for the page. Its title is the key of its row, without the name of the lane."""
    row = _plan_row(run.env, intervals.clauses)
    key = None if row is None or row._table.one else row_key(row, currency)
    parts = [part for part in (key or "").split(", ") if part != lane]
    return ScheduleInterval(
        title=line(", ".join(parts), 60),
        start=run.start,
        end=run.end,
        table=None if row is None else row._table.name,
        key=key,
    )


def _plan_row(env: Mapping[t.Binding, Any], clauses: Iterable[t.Clause]) -> Row | None:
    values = (env[target] for clause in clauses for target in clause.targets)
    return next((value for value in values if isinstance(value, Row) and value._table.plan), None)


def _loads(
    interpreter: Interpreter,
    instance: Instance,
    intervals: t.Intervals,
    groups: Sequence[Sequence[Run]],
    compare: t.Compare | None,
    env: Env,
) -> Iterator[ShownLoad]:
    """Yield the load of each group of a `peak(...)` rule."""
    currency = interpreter.task.currency
    limit = None
    if compare is not None and len(compare.operands) == 2:
        limit = next((interpreter.value(part, env) for part in compare.operands if not is_peak(part)), None)
    for group in groups:
        changes: dict[Any, Any] = {}
        for run in group:
            changes[run.start] = changes.get(run.start, 0) + run.amount
            changes[run.end] = changes.get(run.end, 0) - run.amount
        points, total = [], 0
        for moment in sorted(changes):
            total += changes[moment]
            points.append((moment, float(total)))
        most, at = interpreter.peak(group)
        name = instance.id
        if intervals.per is not None:
            name = f"{name}, {_lane_name(interpreter, intervals, group, instance)}"
        yield ShownLoad(
            rule=line(name, 80),
            points=tuple(points),
            limit=None if limit is None else float(limit),
            most=show(most, intervals.type, currency),
            at=None if at is None else show(at, intervals.start.type, currency),
            allowed=None if limit is None else show(limit, intervals.type, currency),
            ticks=_ticks(points[0][0], points[-1][0], intervals.start.type),
        )


def _ticks(low: int, high: int, type_: Type) -> tuple[tuple[int, str], ...]:
    """Return at most `MOST_TICKS` round values, with their texts, between two values of a type."""
    steps = _MINUTES if type_ in _TIMES else [base * 10**power for power in range(9) for base in (1, 2, 5)]
    step = next((step for step in steps if (high - low) // step < MOST_TICKS), steps[-1])
    first = -(-low // step) * step
    return tuple((value, _tick_text(value, step, type_)) for value in range(first, high + 1, step))


def _tick_text(value: int, step: int, type_: Type) -> str:
    if type_ is ScalarType.DATE:
        return show(value, type_, None)[5:]
    if type_ is ScalarType.MOMENT:
        day = show(value // MINUTES_A_DAY, ScalarType.DATE, None)[5:]
        is_day = value % MINUTES_A_DAY == 0
        return day if is_day or step >= MINUTES_A_DAY else show(value % MINUTES_A_DAY, ScalarType.TIME, None)
    return show(value, type_, None)
