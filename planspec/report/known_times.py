"""What facts tell about the times of a plan's rows: how long a thing takes, when a place is open, at which times it lets people in.

The types of columns say it. A table with a column for the thing, or for something of the thing's alone such as an offer of a place, and
beside it two times, tells when the thing is open; with one time and no other it tells when it lets people in; a date in it is the day of
which that holds.
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
class _Times:
    """A table of facts that tells times of a thing, with its rows by the thing."""

    date: Column | None
    times: tuple[Column, ...]
    rows: Mapping[Row, Sequence[Row]]


@dataclass(frozen=True, eq=False)
class KnownTimes:
    """The times that a task's facts tell.

    Attributes:
        task: whose facts they are.
    """

    task: Task
    _tables: dict[str, list[_Times]] = field(default_factory=dict)

    def of(self, things: Sequence[Row], day: int | None) -> tuple[Hours, tuple[int, ...]]:
        """When things are open on a day, and the times at which they let people in.

        Args:
            things: rows of facts that a row of a plan refers to.
            day: its day; None where it has none.
        """
        hours: set[tuple[int, int]] = set()
        slots: set[int] = set()
        for thing in things:
            for told in self._telling(thing._table):
                for row in told.rows.get(thing, ()):
                    if told.date is not None and getattr(row, told.date.name) != day:
                        continue
                    said = [getattr(row, column.name) for column in told.times]
                    if None in said:
                        continue
                    if len(said) == 2:
                        hours.add((said[0], said[1]))
                    else:
                        slots.add(said[0])
        return tuple(sorted(hours)), tuple(sorted(slots))[:MOST_SLOTS]

    def length(self, row: Row) -> int | None:
        """The minutes that a row of a plan takes, where one duration alone tells it: its own, that of a thing in its key, or that of the facts with its key."""
        own = list(_durations(row))
        if own:
            return own[0] if len(own) == 1 else None
        table = row._table
        keys = [table.columns[name] for name in table.key]
        for column in keys:
            thing = getattr(row, column.name)
            found = list(_durations(thing)) if isinstance(thing, Row) else []
            if len(found) == 1:
                return found[0]
        for facts in self._keyed:
            if [facts.columns[name].type for name in facts.key] == [column.type for column in keys]:
                wanted = tuple(getattr(row, column.name) for column in keys)
                for fact in self.task.facts[facts.name].rows:
                    if tuple(getattr(fact, name) for name in facts.key) == wanted:
                        found = list(_durations(fact))
                        return found[0] if len(found) == 1 else None
        return None

    @cached_property
    def _keyed(self) -> list[Table]:
        """The tables of facts with a key and a duration."""
        return [
            table
            for table in self.task.tables.values()
            if not table.plan
            and table.key
            and any(c.type is ScalarType.DURATION for c in table.columns.values())
        ]

    def _telling(self, of: Table) -> list[_Times]:
        if of.name not in self._tables:
            self._tables[of.name] = list(self._found(of))
        return self._tables[of.name]

    def _found(self, of: Table) -> Iterator[_Times]:
        for table in self.task.tables.values():
            columns = list(table.columns.values())
            refs = [c for c in columns if isinstance(c.type, RowType)]
            times = tuple(c for c in columns if c.type is ScalarType.TIME)
            dates = [c for c in columns if c.type is ScalarType.DATE]
            if table.plan or len(refs) != 1 or len(times) not in (1, 2) or len(dates) > 1:
                continue
            way = self._way(refs[0], of)
            if way is None:
                continue
            rows: dict[Row, list[Row]] = {}
            for row in self.task.facts[table.name].rows:
                thing: Any = row
                for name in way:
                    thing = None if thing is None else getattr(thing, name)
                if thing is not None:
                    rows.setdefault(thing, []).append(row)
            yield _Times(dates[0] if dates else None, times, rows)

    def _way(self, ref: Column, of: Table) -> tuple[str, ...] | None:
        """The columns that lead from a row to its thing; None where none do."""
        if ref.type == of.type:
            return (ref.name,)
        between = next((t for t in self.task.tables.values() if t.type == ref.type and not t.plan), None)
        owners = (
            [c.name for c in between.columns.values() if c.type == of.type] if between is not None else []
        )
        return (ref.name, owners[0]) if len(owners) == 1 else None


def _durations(row: Row) -> Iterator[int]:
    for column in row._table.columns.values():
        value: Any = getattr(row, column.name)
        if column.type is ScalarType.DURATION and value is not None:
            yield value


def laned(items: Sequence[Item]) -> Sequence[Item]:
    """The items of a day, each in its lane where some overlap; as they are where none do.

    A lane is what does one thing at a time: the column with the fewest values of which no two rows overlap.
    """
    timed = [
        item for item in items if item.start is not None and item.end is not None and item.kind == "stay"
    ]
    if not _overlap(timed):
        return items
    tables = {item.table for item in timed}
    names = [None, *dict.fromkeys(name for item in timed for name, _ in item.cells)]
    fit: list[tuple[int, int]] = []
    for place, name in enumerate(names):
        groups: dict[str | None, list[Item]] = {}
        for item in timed:
            groups.setdefault(_cell(item, name), []).append(item)
        if None not in groups and 1 < len(groups) < len(timed) and not any(map(_overlap, groups.values())):
            fit.append((len(groups), place))
    if not fit or len(tables) > 1:
        return items
    best = names[min(fit)[1]]
    return [item.model_copy(update={"lane": _cell(item, best)}) if item in timed else item for item in items]


def _cell(item: Item, name: str | None) -> str | None:
    """A cell of an item by its name; its title without one."""
    return item.title if name is None else dict(item.cells).get(name)


def _overlap(items: Sequence[Item]) -> bool:
    """Two of them are at one time."""
    spans = sorted((item.start or 0, item.end or 0) for item in items)
    return any(later[0] < earlier[1] for earlier, later in pairwise(spans))
