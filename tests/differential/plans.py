"""Every plan of a small scope, straight from the ground rows: no IR, no slots."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from planspec.dsl.model.rows import Row, make_row
from planspec.verifiers.meaning.ground import FieldDomain, Ground, GroundRow
from planspec.verifiers.meaning.plan_rows import Plan


def choices(domain: FieldDomain) -> list[Any]:
    """What a field may be."""
    if domain.interval is not None:
        low, high, step = domain.interval
        made: list[Any] = list(range(low, high + 1, step))
    else:
        made = list(domain.values or ())
    return [*made, None] if domain.or_none else made


def row_choices(row: GroundRow) -> list[dict[str, Any] | None]:
    """The contents that a row may have; None for its absence."""
    columns = list(row.fields)
    filled = [
        dict(zip(columns, values, strict=True))
        for values in product(*(choices(row.fields[c]) for c in columns))
    ]
    return [*filled, None] if row.optional else list(filled)


def scope_size(ground: Ground) -> int:
    """How many ways there are to fill the scope."""
    size = 1
    for rows in ground.rows.values():
        for row in rows:
            here = 1
            for domain in row.fields.values():
                here *= len(choices(domain))
            size *= here + row.optional
    return size


def all_plans(ground: Ground) -> Iterator[Plan]:
    """Every plan in scope (several times where rows are interchangeable)."""
    slots = [(name, row) for name, rows in ground.rows.items() for row in rows]
    for filled in product(*(row_choices(row) for _, row in slots)):
        tables: dict[str, list[Any]] = {table.name: [] for table in ground.task.plan_tables}
        for (name, row), values in zip(slots, filled, strict=True):
            if values is not None:
                tables[name].append(make_row(row.table, values, len(tables[name])))
        yield Plan({name: tuple(rows) for name, rows in tables.items()})


def fingerprint(ground: Ground, plan: Plan) -> tuple[Any, ...]:
    """What a plan is: for each table the multiset of its rows."""
    made = []
    for table in ground.task.plan_tables:
        rows = [tuple([_plain(getattr(row, c)) for c in table.columns]) for row in plan.tables[table.name]]
        made.append((table.name, tuple(sorted(rows, key=repr))))
    return tuple(made)


def _plain(value: Any) -> Any:
    return repr(value) if isinstance(value, Row) else value
