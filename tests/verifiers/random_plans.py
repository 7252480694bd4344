"""Random plans of any task, with ties, duplicates, values far outside the scope and, optionally, missing cells."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any, assert_never

from planspec.dsl.model.rows import Row, make_row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import (
    EnumType,
    ListType,
    RowType,
    ScalarType,
    ScaledType,
    SetType,
    Special,
    Type,
)
from planspec.verifiers.meaning.plan_rows import Plan


def random_plan(task: Task, random: Random, *, holes: float = 0.0, max_rows: int = 5) -> Plan:
    """Return a random plan whose cells have values of the declared types, or *none*.

    Args:
        task: task with the plan tables.
        random: source of randomness.
        holes: probability that a mandatory cell is *none*, from 0 to 1.
        max_rows: largest number of rows of a table.
    """
    tables: dict[str, tuple[Row, ...]] = {}
    for table in task.plan_tables:
        rows = []
        for index in range(random.choice((0, 1, 1, 1, 2)) if table.one else random.randint(0, max_rows)):
            values: dict[str, Any] = {}
            unknown: dict[str, str] = {}
            for name, column in table.columns.items():
                if random.random() < (max(holes, 0.25) if column.optional else holes):
                    values[name] = None
                    if random.random() < 0.3:
                        unknown[name] = "Atlantis"
                else:
                    values[name] = _cell(task, tables, column.type, random)
            rows.append(make_row(table, values, index, unknown=unknown))
        tables[table.name] = tuple(rows)
    return Plan(tables)


def _cell(task: Task, tables: dict[str, tuple[Row, ...]], type_: Type, random: Random) -> Any:
    """Return a random value of a type."""
    match type_:
        case RowType():
            rows = tables.get(type_.table, ()) if task.tables[type_.table].plan else task.facts[type_.table].rows
            return random.choice(rows) if rows else None
        case EnumType():
            return random.choice(type_.members)
        case SetType() | ListType():
            items = [_cell(task, tables, type_.item, random) for _ in range(random.randint(0, 3))]
            return tuple(dict.fromkeys(item for item in items if item is not None))
        case ScalarType.BOOL:
            return random.random() < 0.5
        case ScalarType.TEXT:
            return random.choice(("", "art", "old", "green", "Old Museum"))
        case ScalarType.DECIMAL:
            return Fraction(random.randint(-8, 8), random.choice((1, 2, 4, 5)))
        case ScalarType.DATE:
            return 739798 + random.randint(-1, 3)  # days around 2026-07-01
        case ScalarType.MOMENT:
            return 1440 * (739798 + random.randint(-1, 3)) + random.choice((0, 540, 600))
        case ScalarType.TIME:
            return random.choice((540, 541, 555, 570, 600, 600, 630, 660, 720, 1500))
        case ScalarType.INT | ScalarType.DURATION | ScalarType.MONEY | ScalarType.DISTANCE:
            return random.choice((-3, 0, 0, 1, 1, 2, 3, 30, 60, 90, 300, 1000, 1250))
        case ScaledType() | Special():
            raise AssertionError(f"no column is {type_}")
        case _:
            assert_never(type_)
