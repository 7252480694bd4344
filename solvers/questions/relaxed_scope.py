"""The scope's bounds taken off: each field may be anything of its type, within reason."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product
from math import gcd
from typing import Any

from planspec.dsl.diagnostics.source import Span
from planspec.dsl.model.types import INTEGRAL, Column, EnumType, RowType, ScalarType
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.verifiers.meaning.ground import FieldDomain, Ground, GroundRow
from planspec.verifiers.meaning.interpret import distinct

MOST_ROWS = 200
"""A field that refers to a larger table keeps its bound: the search would drown."""
LAST_TIME = 30 * 60
"""The latest time that fields reach on the scope's own grid, in minutes after midnight."""
LATEST_TIME = 48 * 60 - 1
"""Times can be written up to here, in minutes."""
DAYS = 7
"""The number of days by which a date's bound is moved on either side."""


@dataclass(frozen=True, slots=True)
class ColumnBound:
    """The bound that the scope sets to one column of a plan table.

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


@dataclass(frozen=True, slots=True)
class RowsBound:
    """The bound that a plan table has the rows of the scope: all that are not optional, and no others.

    Attributes:
        span: the first entry's text.
    """

    table: str
    span: Span

    @property
    def id(self) -> str:
        """`scope:visits`."""
        return f"scope:{self.table}"


@dataclass(frozen=True, slots=True)
class Widened:
    """A task over a wider scope.

    Attributes:
        bounds: what was taken off of columns.
        rows: what was taken off of tables.
        kept: what the scope says and could not be widened, as ids.
    """

    ground: Ground
    bounds: tuple[ColumnBound, ...]
    rows: tuple[RowsBound, ...]
    kept: tuple[str, ...] = ()


def widen(ground: Ground) -> tuple[Ground, tuple[ColumnBound, ...]]:
    """The task over a wider scope on the scope's own grid, and the bounds that were taken off.

    An enum or Boolean field may be every member, a reference every row of its table (up to 200), a time any
    from 00:00 to 30:00 on the scope's own grid, a date or a moment a week earlier or later; any other number lies
    between 0 (or as far below) and twice as far above, on the grid. Constants stay, and so do texts, sets and rows.
    """
    made = _widen(ground, _Coarse(ground), frozenset())
    return made.ground, made.bounds


def widen_beyond(ground: Ground, keep: Collection[str] = ()) -> Widened:
    """The task over all that an answer could say, as far as that is finite.

    As `widen`, but each number on the finest grid (to the minute, to the minor unit), a time up to 47:59, none where
    the column has `?`, and what the scope states as a constant, too. No row of an open table need be there, and each
    table has rows more: one for each combination of the rows and members that its key may have (up to 200) and that
    no row in scope stands for; one for each of them all where the key has other parts, and one where it has none.
    A constant in the key stays: other rows have the other keys. What the scope leaves out keeps its default.

    Args:
        ground: the task.
        keep: ids of bounds that stay, such as `scope:visits.start`; `scope:visits` are the table's rows.
    """
    return _widen(ground, _Fine(ground), frozenset(keep))


def _widen(ground: Ground, reach: _Coarse, keep: frozenset[str]) -> Widened:
    tables: dict[str, tuple[GroundRow, ...]] = {}
    bounds: list[ColumnBound] = []
    bounds_of_rows: list[RowsBound] = []
    kept: list[str] = []
    for name, rows in ground.rows.items():
        wider = [dict(row.fields) for row in rows]
        for column in rows[0].table.columns.values() if rows else ():
            taken: dict[int, FieldDomain] = {}
            bound = f"scope:{name}.{column.name}"
            for i, row in enumerate(rows):
                domain = row.fields[column.name]
                if not reach.concerns(row, column):
                    continue
                found = reach.wider(column, domain)
                if found is None:
                    kept.append(bound)
                elif found != domain and bound not in keep:
                    taken[i] = domain
                    wider[i][column.name] = found
            if taken:
                bounds.append(ColumnBound(name, column.name, taken, _span(rows[min(taken)], column.name)))
        tables[name] = tuple(replace(row, fields=fields) for row, fields in zip(rows, wider, strict=True))
        if (
            f"scope:{name}" not in keep
            and rows
            and reach.rows
            and not (rows[0].table.one or ground.task.closed)
        ):
            more = _rows_more(tables[name], reach, keep)
            if more is None:
                kept.append(f"scope:{name}")
                continue
            tables[name] = (*(replace(row, optional=True) for row in tables[name]), *more)
            bounds_of_rows.append(RowsBound(name, rows[0].entry.span))
    return Widened(
        replace(ground, rows=tables), tuple(bounds), tuple(bounds_of_rows), tuple(dict.fromkeys(kept))
    )


class _Coarse:
    """The reach of a field without its bound, coarsely: on the scope's own grid; a constant stays."""

    rows = False
    last_time = LAST_TIME

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self.farthest: dict[Any, int] = {}  # of types whose bounds at zero move too, by how much

    def concerns(self, row: GroundRow, column: Column) -> bool:
        """The scope bounds the field."""
        return row.fields[column.name].open

    def wider(self, column: Column, domain: FieldDomain) -> FieldDomain | None:
        """The domain of the field without its bound; None if it keeps it."""
        or_none = domain.or_none or column.optional
        whole = self.everything(column, or_none=or_none)
        if whole is not None:
            return whole
        return self.numbers(column.type, domain, or_none=or_none) if column.type in INTEGRAL else None

    def everything(self, column: Column, *, or_none: bool) -> FieldDomain | None:
        """All values of a type that has few; None of others."""
        values: Sequence[Any]
        match column.type:
            case EnumType(members=members):
                values = members
            case ScalarType.BOOL:
                values = (True, False)
            case RowType(table=name):
                facts = self._ground.task.facts.get(name)
                if facts is None or len(facts.rows) > MOST_ROWS:
                    return None
                values = facts.rows
            case _:
                return None
        return FieldDomain(tuple(values), None, or_none=or_none, open=len(values) + or_none > 1)

    def numbers(self, type_: Any, domain: FieldDomain, *, or_none: bool) -> FieldDomain | None:
        """The interval that a number may lie in; None where that is no wider."""
        low, high, step = self.grid(domain)
        match type_:
            case ScalarType.TIME:
                bottom, top = min(low, 0), max(high, self.last_time)
            case ScalarType.DATE:
                bottom, top = low - DAYS, high + DAYS
            case ScalarType.MOMENT:
                bottom, top = low - DAYS * MINUTES_A_DAY, high + DAYS * MINUTES_A_DAY
            case _:
                reach = max(abs(low), abs(high), high - low) or self.farthest.get(type_, 0)
                bottom, top = min(0, low - reach if low < 0 else 0), high + reach
        below, above = (low - bottom) // step, (top - high) // step
        if below == above == 0:
            return None
        return FieldDomain(None, (low - below * step, high + above * step, step), or_none=or_none, open=True)

    def grid(self, domain: FieldDomain) -> tuple[int, int, int]:
        """The least, the greatest and the step of what a number may be."""
        if domain.interval is not None:
            return domain.interval
        values = sorted(domain.values or (0,))
        step = gcd(*(b - a for a, b in pairwise(values)))
        return values[0], values[-1], step or 1


class _Fine(_Coarse):
    """The reach of a field over all that an answer could say."""

    rows = True
    last_time = LATEST_TIME

    def __init__(self, ground: Ground) -> None:
        super().__init__(ground)
        for rows in ground.rows.values():
            for row in rows:
                for column in row.table.columns.values():
                    if column.type in INTEGRAL:
                        low, high, _ = self.grid(row.fields[column.name])
                        farthest = self.farthest.get(column.type, 1)
                        self.farthest[column.type] = max(farthest, abs(low), abs(high))

    def concerns(self, row: GroundRow, column: Column) -> bool:
        """The scope says what the field may be, and not only which row it is."""
        constant_key = column.key and not row.fields[column.name].open
        return column.name in row.entry.fields and not constant_key

    def grid(self, domain: FieldDomain) -> tuple[int, int, int]:
        """The finest grid, as above."""
        low, high, _ = super().grid(domain)
        return low, high, 1


def _rows_more(rows: Sequence[GroundRow], reach: _Coarse, keep: frozenset[str]) -> list[GroundRow] | None:
    """Rows that a table may have beside those in scope; None where they could be any of too many."""
    table, entry = rows[0].table, rows[0].entry
    stated = {name for row in rows for name in row.entry.fields}
    free = {
        c.name for c in table.columns.values() if (c.name in stated or c.key) and f"scope:{table.name}.{c.name}" not in keep
    }  # fmt: skip

    def reached(column: Column, like: Sequence[GroundRow]) -> FieldDomain:
        domain = _any_of([row.fields[column.name] for row in like])
        return (reach.wider(column, domain) or domain) if column.name in free else domain

    key: dict[str, tuple[Any, ...]] = {}
    for name in table.key:
        domain = reached(table.columns[name], rows)
        if domain.values is not None:
            key[name] = (*domain.values, *([None] if domain.or_none else []))
    combinations = list(product(*key.values()))
    if len(combinations) > MOST_ROWS:
        return None
    whole = len(key) == len(table.key) > 0
    more = []
    for values in combinations:
        chosen = dict(zip(key, values, strict=True))
        like = [row for row in rows if all(row.fields[name].admits(value) for name, value in chosen.items())]
        if whole and any(not any(row.fields[name].open for name in key) for row in like):
            continue  # a row in scope has that key
        fields = {
            column.name: _constant(chosen[column.name]) if column.name in chosen else reached(column, like or rows)
            for column in table.columns.values()
        }  # fmt: skip
        more.append(GroundRow(table, fields, True, entry, {}))
    return more


def _any_of(domains: Sequence[FieldDomain]) -> FieldDomain:
    """The values that one of the domains admits; for intervals, all between their ends."""
    or_none = any(domain.or_none for domain in domains)
    if all(domain.interval is None for domain in domains):
        values = distinct([value for domain in domains for value in domain.values or ()])
        return FieldDomain(values, None, or_none=or_none, open=len(values) + or_none > 1)
    ends = [
        end for domain in domains for end in (domain.interval[:2] if domain.interval else domain.values or ())
    ]
    return FieldDomain(None, (min(ends), max(ends), 1), or_none=or_none, open=True)


def _constant(value: Any) -> FieldDomain:
    return FieldDomain(() if value is None else (value,), None, or_none=value is None, open=False)


def _span(row: GroundRow, column: str) -> Span:
    stated = row.entry.fields.get(column)
    return stated.domain.span if stated else row.entry.span
