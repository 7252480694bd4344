"""All plans in a small scope, enumerated from the ground rows without the solvers' representation."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from planspec.dsl.model.rows import Row, make_row
from planspec.verifiers.meaning.ground import FieldDomain, Ground, GroundRow
from planspec.verifiers.meaning.plan_rows import Plan


def field_choices(domain: FieldDomain) -> list[Any]:
    """Return the possible values of a field. Python's None stands for *none*."""
    if domain.interval is not None:
        low, high, step = domain.interval
        values: list[Any] = list(range(low, high + 1, step))
    else:
        values = list(domain.values or ())
    return [*values, None] if domain.or_none else values


def row_choices(row: GroundRow) -> list[dict[str, Any] | None]:
    """Return the possible contents of a row. None stands for an absent row."""
    columns = list(row.fields)
    filled = [
        dict(zip(columns, values, strict=True)) for values in product(*(field_choices(row.fields[c]) for c in columns))
    ]
    return [*filled, None] if row.optional else list(filled)


def scope_size(ground: Ground) -> int:
    """Return the number of ways to fill the scope."""
    size = 1
    for rows in ground.rows.values():
        for row in rows:
            row_size = 1
            for domain in row.fields.values():
                row_size *= len(field_choices(domain))
            size *= row_size + row.optional
    return size


def all_plans(ground: Ground) -> Iterator[Plan]:
    """Yield every plan in scope. If rows are interchangeable, equal plans are yielded several times."""
    slots = [(name, row) for name, rows in ground.rows.items() for row in rows]
    for filled in product(*(row_choices(row) for _, row in slots)):
        tables: dict[str, list[Any]] = {table.name: [] for table in ground.task.plan_tables}
        for (name, row), values in zip(slots, filled, strict=True):
            if values is not None:
                tables[name].append(make_row(row.table, values, len(tables[name])))
        yield Plan({name: tuple(rows) for name, rows in tables.items()})


def fingerprint(ground: Ground, plan: Plan) -> tuple[Any, ...]:
    """Return a value that identifies a plan: the multiset of rows of each table."""
    tables = []
    for table in ground.task.plan_tables:
        rows = [tuple([_hashable(getattr(row, c)) for c in table.columns]) for row in plan.tables[table.name]]
        tables.append((table.name, tuple(sorted(rows, key=repr))))
    return tuple(tables)


def _hashable(value: Any) -> Any:
    """Return a value that can be an element of a set."""
    return repr(value) if isinstance(value, Row) else value
