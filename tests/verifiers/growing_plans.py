"""Random plans without faults of shape, and incomplete plans that can be extended to them.

A plan grows if rows are added or empty optional fields are filled.
"""

from __future__ import annotations

from random import Random
from typing import Any

from planspec.dsl.model.rows import Row, make_row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import RowType
from planspec.verifiers.meaning.ground import Ground
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.monotone.watch import MonotonePart, allowed_keys
from tests.verifiers.random_plans import random_plan


def sound_plan(task: Task, random: Random, max_rows: int = 5) -> Plan:
    """Return a random plan with known names, unique keys and filled mandatory cells."""
    drawn = random_plan(task, random, max_rows=max_rows)
    tables: dict[str, tuple[Row, ...]] = {}
    for table in task.plan_tables:
        rows: list[Row] = []
        keys: set[Any] = set()
        for row in drawn.tables[table.name]:
            whole = all(getattr(row, c.name) is not None or c.optional for c in table.columns.values())
            again = (table.key and row._key in keys) or (table.one and rows)
            if whole and not again:
                keys.add(row._key)
                rows.append(make_row(table, _values(row), len(rows)))
        tables[table.name] = tuple(rows)
    return Plan(tables)


def _values(row: Row) -> dict[str, Any]:
    return {name: getattr(row, name) for name in row._table.columns}


def smaller_plan(task: Task, plan: Plan, random: Random) -> Plan:
    """Return an incomplete version of a plan, without some of its rows and optional cells."""
    assert not any(
        isinstance(c.type, RowType) and task.tables[c.type.table].plan
        for table in task.plan_tables
        for c in table.columns.values()
    ), "rows that refer to rows are not left out here"
    rows_stay, cells_stay = random.choice((0.3, 0.7, 0.9, 1.0)), random.choice((0.3, 0.8, 1.0))
    tables: dict[str, tuple[Row, ...]] = {}
    for table in task.plan_tables:
        rows: list[Row] = []
        for row in plan.tables[table.name]:
            if random.random() < rows_stay:
                open_ = {
                    c.name for c in table.columns.values() if c.optional and not c.key and random.random() > cells_stay
                }
                values = {name: None if name in open_ else value for name, value in _values(row).items()}
                rows.append(make_row(table, values, len(rows)))
        tables[table.name] = tuple(rows)
    return Plan(tables)


def failed_conditions(ground: Ground, parts: tuple[MonotonePart, ...], plan: Plan) -> set[tuple[int, str]]:
    """Return the index and the instance of each monotone part whose condition fails on a plan."""
    interpreter = ground.interpreter.on(Plan(plan.tables))
    return {
        (number, instance.id)
        for number, part in enumerate(parts)
        for instance in ground.instances
        if instance.constraint is part.constraint and instance.applicable
        if not interpreter.holds(part.condition, instance.env)
    }


def failed_parts(ground: Ground, parts: tuple[MonotonePart, ...], plan: Plan) -> set[tuple[int, str]]:
    """Return the index and the instance of each monotone part whose part of the constraint fails on a plan."""
    interpreter = ground.interpreter.on(Plan(plan.tables))
    return {
        (number, instance.id)
        for number, part in enumerate(parts)
        for instance in ground.instances
        if instance.constraint is part.constraint and instance.applicable
        if not interpreter.holds(part.part, instance.env)
    }


def has_keys_within_limits(ground: Ground, plan: Plan) -> bool:
    """Return whether all rows have keys within the limits that rules set for their tables."""
    return all(
        row._key[0] in tuple(ground.interpreter.items(limit, {}))
        for table, limit in allowed_keys(ground).items()
        for row in plan.tables[table]
    )
