"""Times of a plan's rows that follow from the facts: durations, opening hours, and admission times.

Tables of facts with times are recognized by the types of their columns. One column refers to the row to which the times
apply, such as a museum, or to a row that belongs to it, such as an offer of the museum. Two columns of times are
opening hours; a single one is an admission time. A date column holds the day on which the times apply.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import Column, RowType, ScalarType, Table
from planspec.report.record import Item

MOST_SLOTS = 200
Hours = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class _TimesTable:
    """A table of facts with opening hours or admission times for the rows of another table.

    Attributes:
        date: column with the day on which the times apply; None if they apply on every day.
        times: one column of admission times, or two columns of opening hours.
        rows: rows with times, by the row of the other table.
    """

    date: Column | None
    times: tuple[Column, ...]
    rows: Mapping[Row, Sequence[Row]]


@dataclass(frozen=True, eq=False)
class KnownTimes:
    """Lookup of times in a task's facts.

    Attributes:
        task: task with the facts.
    """

    task: Task
    _tables: dict[str, list[_TimesTable]] = field(default_factory=dict)

    def of(self, refs: Sequence[Row], day: int | None) -> tuple[Hours, tuple[int, ...]]:
        """Return opening hours and admission times on a day, in minutes after midnight.

        Args:
            refs: rows of facts to which a plan row refers.
            day: day of the plan row; None if it has none.
        """
        hours: set[tuple[int, int]] = set()
        slots: set[int] = set()
        for target in refs:
            for times in self._times_of(target._table):
                for row in times.rows.get(target, ()):
                    if times.date is not None and getattr(row, times.date.name) != day:
                        continue
                    values = [getattr(row, column.name) for column in times.times]
                    if None in values:
                        continue
                    if len(values) == 2:
                        hours.add((values[0], values[1]))
                    else:
                        slots.add(values[0])
        return tuple(sorted(hours)), tuple(sorted(slots))[:MOST_SLOTS]

    def length(self, row: Row) -> int | None:
        """Return the duration of a plan row in minutes; None if the facts do not determine it.

        It is taken from the plan row, from a row in its key, or from the fact with the same key, if that has exactly one duration.
        """
        own = list(_durations(row))
        if own:
            return own[0] if len(own) == 1 else None
        table = row._table
        keys = [table.columns[name] for name in table.key]
        for column in keys:
            target = getattr(row, column.name)
            durations = list(_durations(target)) if isinstance(target, Row) else []
            if len(durations) == 1:
                return durations[0]
        for facts in self._duration_tables:
            if [facts.columns[name].type for name in facts.key] == [column.type for column in keys]:
                key = tuple(getattr(row, column.name) for column in keys)
                for fact in self.task.facts[facts.name].rows:
                    if tuple(getattr(fact, name) for name in facts.key) == key:
                        durations = list(_durations(fact))
                        return durations[0] if len(durations) == 1 else None
        return None

    @cached_property
    def _duration_tables(self) -> list[Table]:
        """Return the tables of facts that have a key and a duration."""
        return [
            table
            for table in self.task.tables.values()
            if not table.plan and table.key and any(c.type is ScalarType.DURATION for c in table.columns.values())
        ]

    def _times_of(self, target_table: Table) -> list[_TimesTable]:
        if target_table.name not in self._tables:
            self._tables[target_table.name] = list(self._find_times(target_table))
        return self._tables[target_table.name]

    def _find_times(self, target_table: Table) -> Iterator[_TimesTable]:
        for table in self.task.tables.values():
            columns = list(table.columns.values())
            refs = [c for c in columns if isinstance(c.type, RowType)]
            times = tuple(c for c in columns if c.type is ScalarType.TIME)
            dates = [c for c in columns if c.type is ScalarType.DATE]
            if table.plan or len(refs) != 1 or len(times) not in (1, 2) or len(dates) > 1:
                continue
            path = self._path_to(refs[0], target_table)
            if path is None:
                continue
            rows: dict[Row, list[Row]] = {}
            for row in self.task.facts[table.name].rows:
                target: Any = row
                for name in path:
                    target = None if target is None else getattr(target, name)
                if target is not None:
                    rows.setdefault(target, []).append(row)
            yield _TimesTable(dates[0] if dates else None, times, rows)

    def _path_to(self, ref: Column, target_table: Table) -> tuple[str, ...] | None:
        """Return the columns that lead from a row with times to a row of the target table; None if there is no path."""
        if ref.type == target_table.type:
            return (ref.name,)
        between = next((t for t in self.task.tables.values() if t.type == ref.type and not t.plan), None)
        owners = (
            [c.name for c in between.columns.values() if c.type == target_table.type] if between is not None else []
        )
        return (ref.name, owners[0]) if len(owners) == 1 else None


def _durations(row: Row) -> Iterator[int]:
    for column in row._table.columns.values():
        value: Any = getattr(row, column.name)
        if column.type is ScalarType.DURATION and value is not None:
            yield value


def assign_lanes(items: Sequence[Item]) -> Sequence[Item]:
    """Assign the items of a day to parallel lanes if some overlap; otherwise return them unchanged.

    A lane is a value of a column, such as a machine, for which items with equal values never overlap. If several
    columns qualify, the one with the fewest values is used.
    """
    timed = [item for item in items if item.start is not None and item.end is not None and item.kind == "stay"]
    if not _has_overlap(timed):
        return items
    tables = {item.table for item in timed}
    names = [None, *dict.fromkeys(name for item in timed for name, _ in item.cells)]
    fit: list[tuple[int, int]] = []
    for place, name in enumerate(names):
        groups: dict[str | None, list[Item]] = {}
        for item in timed:
            groups.setdefault(_cell(item, name), []).append(item)
        if None not in groups and 1 < len(groups) < len(timed) and not any(map(_has_overlap, groups.values())):
            fit.append((len(groups), place))
    if not fit or len(tables) > 1:
        return items
    best = names[min(fit)[1]]
    return [item.model_copy(update={"lane": _cell(item, best)}) if item in timed else item for item in items]


def _cell(item: Item, name: str | None) -> str | None:
    """Return a cell of an item by name, or None if there is none. If the name is None, return the item's title."""
    return item.title if name is None else dict(item.cells).get(name)


def _has_overlap(items: Sequence[Item]) -> bool:
    """Return whether any two of the items overlap in time."""
    spans = sorted((item.start or 0, item.end or 0) for item in items)
    return any(later[0] < earlier[1] for earlier, later in pairwise(spans))
