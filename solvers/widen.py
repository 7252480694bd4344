"""The scope's bounds taken off: each open field may be anything of its type, within reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from math import gcd
from typing import Any

from planspec.dsl.source import Span
from planspec.dsl.types import INTEGRAL, Column, EnumType, RowType, Scalar, Table
from planspec.verifiers.ground import FieldDomain, Ground, GroundRow

MOST_ROWS = 200
"""A field that refers to a larger table keeps its bound: the search would drown."""
LAST_TIME = 30 * 60
"""Times are written up to here past midnight, in minutes."""
DAYS = 7
"""By how many days a date's bound is moved on either side."""


@dataclass(frozen=True, slots=True)
class Bound:
    """What the scope says of one column of a plan table.

    Attributes:
        rows: for each row in scope whose field was widened, its place and what the scope allows.
        span: the first entry's text.
    """

    table: str
    column: str
    rows: Mapping[int, FieldDomain]
    span: Span

    @property
    def id(self) -> str:
        """`scope:visits.start`."""
        return f"scope:{self.table}.{self.column}"


def widen(ground: Ground) -> tuple[Ground, tuple[Bound, ...]]:
    """The task over a wider scope, and the bounds that were taken off.

    An enum or Boolean field may be every member, a reference every row of its table (up to 200), a time any
    from 00:00 to 30:00 on the scope's own grid, a date a week earlier or later; any other number lies between
    0 (or as far below) and twice as far above, on the grid. Constants stay, and so do texts and sets.
    """
    tables: dict[str, tuple[GroundRow, ...]] = {}
    bounds: list[Bound] = []
    for name, rows in ground.rows.items():
        wider = [dict(row.fields) for row in rows]
        for column in rows[0].table.columns.values() if rows else ():
            taken: dict[int, FieldDomain] = {}
            for i, row in enumerate(rows):
                domain = row.fields[column.name]
                found = _wider(ground, column, domain)
                if found is not None and found != domain:
                    taken[i] = domain
                    wider[i][column.name] = found
            if taken:
                first = rows[min(taken)].entry
                stated = first.fields.get(column.name)
                bounds.append(Bound(name, column.name, taken, stated.domain.span if stated else first.span))
        tables[name] = tuple(replace(row, fields=fields) for row, fields in zip(rows, wider, strict=True))
    return replace(ground, rows=tables), tuple(bounds)


def _wider(ground: Ground, column: Column, domain: FieldDomain) -> FieldDomain | None:
    """What the field may be without its bound; None if it keeps it."""
    if not domain.open:
        return None
    or_none = domain.or_none or column.optional
    match column.type:
        case EnumType(members=members):
            return FieldDomain(tuple(members), None, or_none=or_none, open=True)
        case Scalar.BOOL:
            return FieldDomain((True, False), None, or_none=or_none, open=True)
        case RowType(table=name):
            table: Table = ground.task.tables[name]
            if table.plan or len(table.rows) > MOST_ROWS:
                return None
            return FieldDomain(tuple(table.rows), None, or_none=or_none, open=True)
        case type_ if type_ in INTEGRAL:
            return _numbers(type_, domain, or_none=or_none)
    return None


def _numbers(type_: Any, domain: FieldDomain, *, or_none: bool) -> FieldDomain | None:
    low, high, step = _grid(domain)
    match type_:
        case Scalar.TIME:
            bottom, top = min(low, 0), max(high, LAST_TIME)
        case Scalar.DATE:
            bottom, top = low - DAYS, high + DAYS
        case _:
            reach = max(abs(low), abs(high), high - low)
            bottom, top = min(0, low - reach if low < 0 else 0), high + reach
    below, above = (low - bottom) // step, (top - high) // step
    if below == above == 0:
        return None
    return FieldDomain(None, (low - below * step, high + above * step, step), or_none=or_none, open=True)


def _grid(domain: FieldDomain) -> tuple[int, int, int]:
    if domain.interval is not None:
        return domain.interval
    values = sorted(domain.values or (0,))
    step = gcd(*(b - a for a, b in pairwise(values)))
    return values[0], values[-1], step or 1
