"""Random plans of any task: ties, duplicates, values far out of scope, and, where asked for, holes."""

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


def random_plan(task: Task, random: Random, *, holes: float = 0.0, most: int = 5) -> Plan:
    """A plan whose rows hold values of the declared types, or none.

    Args:
        task: whose plan tables are filled.
        random: the source of chance.
        holes: how likely a cell has none though its column must have a value.
        most: how many rows a table has at most.
    """
    made: dict[str, tuple[Row, ...]] = {}
    for table in task.plan_tables:
        rows = []
        for index in range(random.choice((0, 1, 1, 1, 2)) if table.one else random.randint(0, most)):
            values: dict[str, Any] = {}
            unknown: dict[str, str] = {}
            for name, column in table.columns.items():
                if random.random() < (max(holes, 0.25) if column.optional else holes):
                    values[name] = None
                    if random.random() < 0.3:
                        unknown[name] = "Atlantis"
                else:
                    values[name] = _cell(task, made, column.type, random)
            rows.append(make_row(table, values, index, unknown=unknown))
        made[table.name] = tuple(rows)
    return Plan(made)


def _cell(task: Task, made: dict[str, tuple[Row, ...]], of: Type, random: Random) -> Any:
    match of:
        case RowType():
            rows = made.get(of.table, ()) if task.tables[of.table].plan else task.facts[of.table].rows
            return random.choice(rows) if rows else None
        case EnumType():
            return random.choice(of.members)
        case SetType() | ListType():
            items = [_cell(task, made, of.item, random) for _ in range(random.randint(0, 3))]
            return tuple(dict.fromkeys(item for item in items if item is not None))
        case ScalarType.BOOL:
            return random.random() < 0.5
        case ScalarType.TEXT:
            return random.choice(("", "art", "old", "green", "Old Museum"))
        case ScalarType.DECIMAL:
            return Fraction(random.randint(-8, 8), random.choice((1, 2, 4, 5)))
        case ScalarType.DATE:
            return 739798 + random.randint(-1, 3)  # 2026-07-01 and days around it
        case ScalarType.MOMENT:
            return 1440 * (739798 + random.randint(-1, 3)) + random.choice((0, 540, 600))
        case ScalarType.TIME:
            return random.choice((540, 541, 555, 570, 600, 600, 630, 660, 720, 1500))
        case ScalarType.INT | ScalarType.DURATION | ScalarType.MONEY | ScalarType.DISTANCE:
            return random.choice((-3, 0, 0, 1, 1, 2, 3, 30, 60, 90, 300, 1000, 1250))
        case ScaledType() | Special():
            raise AssertionError(f"no column is {of}")
        case _:
            assert_never(of)
