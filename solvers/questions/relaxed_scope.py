"""Tasks without the bounds of their scope: fields may have any value of their type, within technical limits.

The scope of a task lists the rows and values that the plans of a search may have. Answers are not limited to it.
"""

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

MAX_ROWS, MAX_ROWS_BEYOND = 200, 2_000
"""Maximum sizes of tables for which a reference may point to every row, in `widen` and in `widen_beyond`."""
MAX_COMBINATIONS = 200
"""Maximum number of rows that `widen_beyond` adds to a plan table, one for each combination of values in its key."""
LAST_TIME = 30 * 60
"""Latest time to which `widen` widens a field, in minutes after midnight (30:00)."""
LATEST_TIME = 48 * 60 - 1
"""Latest time that an answer can contain, in minutes after midnight (47:59)."""
DAYS = 7
"""Number of days by which a wider scope moves the earliest and the latest date of a field."""


@dataclass(frozen=True, slots=True)
class ColumnBound:
    """The limit that a task's scope (the rows and values of plans) sets on the values in one column of a plan table.

    Attributes:
        table: name of the plan table.
        column: name of the column.
        rows: domain that the scope allows for the field, by the index of the row in scope. Rows with a field that can
            have no further values without the bound are left out.
        span: place of the first entry of the scope that sets the bound.
    """

    table: str
    column: str
    rows: Mapping[int, FieldDomain]
    span: Span

    @property
    def id(self) -> str:
        """The id of the bound, such as `scope:visits.start`."""
        return f"scope:{self.table}.{self.column}"


@dataclass(frozen=True, slots=True)
class RowsBound:
    """The limit that a plan table has all rows that the task's scope requires, and only rows that the scope lists.

    Attributes:
        table: name of the plan table.
        span: place of the table's first entry in the scope.
    """

    table: str
    span: Span

    @property
    def id(self) -> str:
        """The id of the bound, such as `scope:visits`."""
        return f"scope:{self.table}"


@dataclass(frozen=True, slots=True)
class WidenedTask:
    """A task over a wider scope: its plans may have more values and rows.

    Attributes:
        ground: the task over the wider scope.
        bounds: removed limits on the values of columns.
        rows: removed limits on the rows of tables.
        unremovable: ids of limits, such as `scope:visits.start`, that could not be removed.
    """

    ground: Ground
    bounds: tuple[ColumnBound, ...]
    rows: tuple[RowsBound, ...]
    unremovable: tuple[str, ...] = ()


def widen(ground: Ground) -> tuple[Ground, tuple[ColumnBound, ...]]:
    """Return the task over a wider scope (with more values for the fields of plans), and the bounds that were removed.

    In the wider scope:
    - An enum or Boolean field may have every value of its type.
    - A reference may point to every row of its table if the table has at most 200 rows.
    - A time lies between 00:00 and 30:00.
    - Dates and moments may be a week earlier or later.
    - Widened fields of columns with `?` may be *none*.
    - Any other number lies between 0 and twice its upper bound if its lower bound is not negative. If its lower bound
      is negative, both bounds move outwards by the distance from the lower bound to the upper bound or to 0, whichever
      is greater.

    Constants, strings, sets, the steps between values and the number of rows do not change.
    """
    widened = _widen(ground, _CoarseWidening(ground), frozenset())
    return widened.ground, widened.bounds


def widen_beyond(ground: Ground, keep: Collection[str] = ()) -> WidenedTask:
    """Return the task over a scope with all values and rows that an answer can have, within finite limits.

    Differences from `widen`:
    - Numbers are on the finest grid (one minute, one minor unit), and times reach 47:59.
    - Constants of the scope are also widened, except in keys.
    - Fields that the scope does not mention keep their defaults.
    - Unless the task is closed (its plans have only rows that the scope lists), all rows are optional in tables that
      may have several rows, and each of these tables gets additional rows for other keys.

    The additional rows of a table depend on its key:
    - If the key consists only of references and enums, there is one row for each combination of their values, except
      the combinations that are constant keys of rows in scope.
    - If the key has further columns, there is one row for each combination of the references and enums.
    - If the table has no key, there is one row.

    If there are more than 200 combinations, the limit on the table's rows is not removed.

    Args:
        ground: the task.
        keep: ids of bounds that are not removed, such as `scope:visits.start` for a column or `scope:visits`
            for the table's rows.
    """
    return _widen(ground, _FineWidening(ground), frozenset(keep))


def _widen(ground: Ground, widening: _CoarseWidening, keep: frozenset[str]) -> WidenedTask:
    tables: dict[str, tuple[GroundRow, ...]] = {}
    bounds: list[ColumnBound] = []
    bounds_of_rows: list[RowsBound] = []
    unremovable: list[str] = []
    for name, rows in ground.rows.items():
        wider = [dict(row.fields) for row in rows]
        for column in rows[0].table.columns.values() if rows else ():
            removed: dict[int, FieldDomain] = {}
            bound = f"scope:{name}.{column.name}"
            for i, row in enumerate(rows):
                domain = row.fields[column.name]
                if not widening.is_bounded(row, column):
                    continue
                wider_domain = widening.wider(column, domain)
                if wider_domain is None:
                    unremovable.append(bound)
                elif wider_domain != domain and bound not in keep:
                    removed[i] = domain
                    wider[i][column.name] = wider_domain
            if removed:
                bounds.append(ColumnBound(name, column.name, removed, _entry_span(rows[min(removed)], column.name)))
        tables[name] = tuple(replace(row, fields=fields) for row, fields in zip(rows, wider, strict=True))
        if f"scope:{name}" not in keep and rows and widening.rows and not (rows[0].table.one or ground.task.closed):
            additional = _additional_rows(tables[name], widening, keep)
            if additional is None:
                unremovable.append(f"scope:{name}")
                continue
            tables[name] = (*(replace(row, optional=True) for row in tables[name]), *additional)
            bounds_of_rows.append(RowsBound(name, rows[0].entry.span))
    return WidenedTask(
        replace(ground, rows=tables), tuple(bounds), tuple(bounds_of_rows), tuple(dict.fromkeys(unremovable))
    )


class _CoarseWidening:
    """Rules by which `widen` widens domains. Constants and the steps between values do not change.

    Attributes:
        rows: whether tables get additional rows.
        last_time: latest time of a widened field, in minutes after midnight.
        most_rows: maximum size of a table for which a reference may point to every row.
        largest_bounds: largest absolute bound of numbers in the scope, by type; empty in this class.
    """

    rows = False
    last_time = LAST_TIME
    most_rows = MAX_ROWS

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self.largest_bounds: dict[Any, int] = {}  # by type: largest absolute bound in scope

    def is_bounded(self, row: GroundRow, column: Column) -> bool:
        """Return whether `widen` may add values to a row's field. It may if the scope allows more than one value."""
        return row.fields[column.name].open

    def wider(self, column: Column, domain: FieldDomain) -> FieldDomain | None:
        """Return the domain of a column's field without the limits of the scope; None if these cannot be removed."""
        or_none = domain.or_none or column.optional
        every_value = self.all_values(column, or_none=or_none)
        if every_value is not None:
            return every_value
        return self.number_interval(column.type, domain, or_none=or_none) if column.type in INTEGRAL else None

    def all_values(self, column: Column, *, or_none: bool) -> FieldDomain | None:
        """Return the domain of all values of an enum, Boolean or reference to a small table; else None.

        `or_none`: whether *none* is also in the domain.
        """
        values: Sequence[Any]
        match column.type:
            case EnumType(members=members):
                values = members
            case ScalarType.BOOL:
                values = (True, False)
            case RowType(table=name):
                facts = self._ground.task.facts.get(name)
                if facts is None or len(facts.rows) > self.most_rows:
                    return None
                values = facts.rows
            case _:
                return None
        return FieldDomain(tuple(values), None, or_none=or_none, open=len(values) + or_none > 1)

    def number_interval(self, type_: Any, domain: FieldDomain, *, or_none: bool) -> FieldDomain | None:
        """Return the widened domain of a number; None if it is not wider than before."""
        low, high, step = self.grid(domain)
        match type_:
            case ScalarType.TIME:
                bottom, top = min(low, 0), max(high, self.last_time)
            case ScalarType.DATE:
                bottom, top = low - DAYS, high + DAYS
            case ScalarType.MOMENT:
                bottom, top = low - DAYS * MINUTES_A_DAY, high + DAYS * MINUTES_A_DAY
            case _:
                reach = max(abs(low), abs(high), high - low) or self.largest_bounds.get(type_, 0)
                bottom, top = min(0, low - reach if low < 0 else 0), high + reach
        below, above = (low - bottom) // step, (top - high) // step
        if below == above == 0:
            return None
        return FieldDomain(None, (low - below * step, high + above * step, step), or_none=or_none, open=True)

    def grid(self, domain: FieldDomain) -> tuple[int, int, int]:
        """Return the minimum, maximum and step of a number's domain."""
        if domain.interval is not None:
            return domain.interval
        values = sorted(domain.values or (0,))
        step = gcd(*(b - a for a, b in pairwise(values)))
        return values[0], values[-1], step or 1


class _FineWidening(_CoarseWidening):
    """Rules by which `widen_beyond` widens domains: to all values that an answer can have."""

    rows = True
    last_time = LATEST_TIME
    most_rows = MAX_ROWS_BEYOND

    def __init__(self, ground: Ground) -> None:
        super().__init__(ground)
        for rows in ground.rows.values():
            for row in rows:
                for column in row.table.columns.values():
                    if column.type in INTEGRAL:
                        low, high, _ = self.grid(row.fields[column.name])
                        largest = self.largest_bounds.get(column.type, 1)
                        self.largest_bounds[column.type] = max(largest, abs(low), abs(high))

    def is_bounded(self, row: GroundRow, column: Column) -> bool:
        """Return whether the scope gives values for a row's field.

        Constants in keys do not count, because they identify rows.
        """
        constant_key = column.key and not row.fields[column.name].open
        return column.name in row.entry.fields and not constant_key

    def grid(self, domain: FieldDomain) -> tuple[int, int, int]:
        """Return the minimum, the maximum and the smallest step of a number's domain."""
        low, high, _ = super().grid(domain)
        return low, high, 1


def _additional_rows(
    rows: Sequence[GroundRow], widening: _CoarseWidening, keep: frozenset[str]
) -> list[GroundRow] | None:
    """Return the rows that a plan table may have in addition to those in scope (`rows`); None if there are too many.

    `keep` has the ids of bounds that are not removed.
    """
    table, entry = rows[0].table, rows[0].entry
    declared = {name for row in rows for name in row.entry.fields}
    free = {
        c.name
        for c in table.columns.values()
        if (c.name in declared or c.key) and f"scope:{table.name}.{c.name}" not in keep
    }

    def widest(column: Column, similar: Sequence[GroundRow]) -> FieldDomain:
        domain = _union_of([row.fields[column.name] for row in similar])
        return (widening.wider(column, domain) or domain) if column.name in free else domain

    key: dict[str, tuple[Any, ...]] = {}
    for name in table.key:
        domain = widest(table.columns[name], rows)
        if domain.values is not None:
            key[name] = (*domain.values, *([None] if domain.or_none else []))
    combinations = list(product(*key.values()))
    if len(combinations) > MAX_COMBINATIONS:
        return None
    has_whole_key = len(key) == len(table.key) > 0
    additional = []
    for values in combinations:
        chosen = dict(zip(key, values, strict=True))
        similar = [row for row in rows if all(row.fields[name].admits(value) for name, value in chosen.items())]
        if has_whole_key and any(not any(row.fields[name].open for name in key) for row in similar):
            continue  # a row in scope already has this key
        fields = {
            column.name: _constant_domain(chosen[column.name])
            if column.name in chosen
            else widest(column, similar or rows)
            for column in table.columns.values()
        }
        additional.append(GroundRow(table, fields, True, entry, {}))
    return additional


def _union_of(domains: Sequence[FieldDomain]) -> FieldDomain:
    """Return the union of domains. For intervals, it also includes the values between them."""
    or_none = any(domain.or_none for domain in domains)
    if all(domain.interval is None for domain in domains):
        values = distinct([value for domain in domains for value in domain.values or ()])
        return FieldDomain(values, None, or_none=or_none, open=len(values) + or_none > 1)
    ends = [end for domain in domains for end in (domain.interval[:2] if domain.interval else domain.values or ())]
    return FieldDomain(None, (min(ends), max(ends), 1), or_none=or_none, open=True)


def _constant_domain(value: Any) -> FieldDomain:
    return FieldDomain(() if value is None else (value,), None, or_none=value is None, open=False)


def _entry_span(row: GroundRow, column: str) -> Span:
    declared = row.entry.fields.get(column)
    return declared.domain.span if declared else row.entry.span
