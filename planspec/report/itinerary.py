"""Plans of any task as days with items, for the timelines on a page.

The types of columns determine which cells are days, times, places or routes between places.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import Column, EnumType, RowType, ScalarType, SetType, Table
from planspec.dsl.model.value_text import row_key, show
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.report.known_times import KnownTimes, assign_lanes
from planspec.report.record import Day, Item, StopKind
from planspec.report.texts import line
from planspec.verifiers.meaning.plan_rows import Plan

ORIGINS, ENDS = ("origin", "from"), ("to", "destination")
"""Names of columns with the origin of a trip, and names of columns with its destination."""
BETWEEN = ("depart", "arrive")
"""Names of times in a referenced row that also apply to the referring row, such as a flight's departure."""
MOST_PARTS = 60
ARROW = " \u2192 "


@dataclass(frozen=True, eq=False)
class Itinerary:
    """Converts the plans of one task to days with items.

    Attributes:
        task: task of the plans.
    """

    task: Task
    _children: dict[str, list[tuple[Table, Mapping[Row, Sequence[Row]]]]] = field(default_factory=dict)

    @cached_property
    def _times(self) -> KnownTimes:
        return KnownTimes(self.task)

    def days(self, plan: Plan) -> tuple[Day, ...]:
        """Return the rows of a plan as items, grouped by day. Rows without a day come first.

        Items of a day are ordered by time. Items without a time come last, in the order of their tables.
        """
        items_by_day: dict[int | None, list[Item]] = {}
        for table in self.task.plan_tables:
            for row in plan.tables[table.name]:
                if _is_empty(row):
                    continue
                day, item = self._item(table, row)
                items_by_day.setdefault(day, []).append(item)
        return tuple(
            Day(
                name="" if day is None else self._date(day),
                items=tuple(assign_lanes(sorted(items_by_day[day], key=_time_order))),
            )
            for day in sorted(items_by_day, key=lambda day: (day is not None, day or 0))
        )

    def parts(self, row: Row) -> Iterator[tuple[Table, Sequence[Row]]]:
        """Yield each table of facts that lists parts of a row, and these parts in order.

        For example, the parts of a route are its legs.
        """
        for table, by_parent in self._numbered_parts(row._table):
            if row in by_parent:
                yield table, by_parent[row]

    def _date(self, day: int) -> str:
        return show(day, ScalarType.DATE, None)

    def _item(self, table: Table, row: Row) -> tuple[int | None, Item]:
        """Return the day of a row (an ordinal number, or None without a day) and the row as an item."""
        columns = list(table.columns.values())
        dated = next((c for c in columns if c.type in (ScalarType.DATE, ScalarType.MOMENT)), None)
        day, times, used = _day_and_times(row, columns, dated)
        if not times:
            times = _referenced_times(row, columns)
        title, title_columns, way = self._title(row, columns)
        kind: StopKind = "way" if way else "stay" if times else "note"
        cells = tuple(
            (c.name, self._cell_text(row, c))
            for c in columns
            if c.name not in used | title_columns and not _is_left_out(row, c) and not _is_counter(row, c)
        )
        ends = title.split(ARROW) if kind == "way" else ()
        cells = tuple((name, text) for name, text in cells if text not in ends)
        refs = [v for c in columns if isinstance(c.type, RowType) and (v := getattr(row, c.name)) is not None]
        if len(times) == 1 and (length := self._times.length(row)) is not None:
            times = [times[0], times[0] + length]
        hours, slots = self._times.of(refs, day) if kind == "stay" else ((), ())
        return day, Item(
            table=table.name,
            key=None if table.one else row_key(row, self.task.currency),
            title=title,
            kind=kind,
            start=times[0] if times else None,
            end=times[1] if len(times) > 1 else None,
            cells=cells,
            parts=tuple(text for ref in refs for text in self._part_lines(ref))[:MOST_PARTS],
            open=hours,
            slots=slots,
        )

    def _title(self, row: Row, columns: Sequence[Column]) -> tuple[str, set[str], bool]:
        """Return a row's title, the columns used in it, and whether the row is a route between places.

        The title of a route names its origin and destination.
        """
        for origins, ends in ((ORIGINS[:1], ENDS), (ORIGINS[1:], ENDS)):
            ways = [
                next((c for c in columns if c.name in names and not _is_left_out(row, c)), None)
                for names in (origins, ends)
            ]
            if all(ways):
                title = ARROW.join(self._cell_text(row, c) for c in ways if c)
                return title, {c.name for c in ways if c}, True
        filled = [c for c in columns if not _is_left_out(row, c)]
        routes = [c for c in filled if isinstance(c.type, RowType)]
        between = self._route_ends(getattr(row, routes[0].name)) if len(routes) == 1 else None
        if between is not None:
            return between, {routes[0].name}, True
        for kind in (RowType, EnumType, ScalarType.TEXT):
            for c in filled:
                if c.type is kind or (isinstance(kind, type) and isinstance(c.type, kind)):
                    return self._cell_text(row, c), {c.name}, False
        return row._table.name, set(), False

    def _route_ends(self, route: Any) -> str | None:
        """Return the first and last stop of a route as a title; None if the row is not a route."""
        for table, rows in self.parts(route) if isinstance(route, Row) else ():
            places = [c for c in table.columns.values() if c.name not in table.key]
            if len(rows) > 1 and len(places) == 1 and isinstance(places[0].type, RowType):
                return ARROW.join(self._cell_text(rows[at], places[0]) for at in (0, -1))
        return None

    def _cell_text(self, row: Row, column: Column) -> str:
        value = getattr(row, column.name)
        if value is None and column.name in row._unknown:
            text = row._unknown.get(column.name) if isinstance(row._unknown, Mapping) else None
            return line(f"\u201c{text}\u201d (unknown)" if text else "(unknown)")
        if isinstance(value, Row):
            value = _referent(value)
            return line(show(value, value._table.type, self.task.currency))
        text = line(show(value, column.type, self.task.currency))
        return text.replace("_", " ") if isinstance(column.type, EnumType) else text

    def _part_lines(self, row: Row) -> Iterator[str]:
        for table, rows in self.parts(row):
            columns = [c for c in table.columns.values() if c.name not in table.key]
            lines = [
                ", ".join(_labelled(c, self._cell_text(part, c)) for c in columns if not _is_left_out(part, c))
                for part in rows
            ]
            if len(columns) == 1:
                yield " \u00b7 ".join(lines)
            else:
                yield from lines

    def _numbered_parts(self, parent: Table) -> list[tuple[Table, Mapping[Row, Sequence[Row]]]]:
        """Return the tables of facts whose key is a row of `parent` and a number, such as the legs of a route.

        Each table comes with a mapping from a row of `parent` to its parts in the order of their numbers.
        """
        if parent.name not in self._children:
            ordered: list[tuple[Table, Mapping[Row, Sequence[Row]]]] = []
            for table in self.task.tables.values():
                key = [table.columns[name].type for name in table.key]
                if not table.plan and key == [parent.type, ScalarType.INT]:
                    by: dict[Row, list[Row]] = {}
                    one, number = table.key
                    for row in sorted(self.task.facts[table.name].rows, key=lambda r: getattr(r, number)):
                        by.setdefault(getattr(row, one), []).append(row)
                    ordered.append((table, by))
            self._children[parent.name] = ordered
        return self._children[parent.name]


def _day_and_times(row: Row, columns: Sequence[Column], dated: Column | None) -> tuple[int | None, list[int], set[str]]:
    """Return a row's day, its times in minutes after midnight, and the names of the columns with these values.

    The day is None if the row has none. `dated` is the column that holds the day, or None.
    """
    value = None if dated is None else getattr(row, dated.name)
    used = set() if dated is None or value is None else {dated.name}
    if dated is not None and dated.type is ScalarType.MOMENT and value is not None:
        day = value // MINUTES_A_DAY
        moments = [c for c in columns if c.type is ScalarType.MOMENT and getattr(row, c.name) is not None][:2]
        return day, [getattr(row, c.name) - MINUTES_A_DAY * day for c in moments], {c.name for c in moments}
    timed = [c for c in columns if c.type is ScalarType.TIME and getattr(row, c.name) is not None][:2]
    return value, [getattr(row, c.name) for c in timed], used | {c.name for c in timed}


def _referenced_times(row: Row, columns: Sequence[Column]) -> list[int]:
    for column in columns:
        source = getattr(row, column.name)
        if isinstance(column.type, RowType) and isinstance(source, Row):
            source_columns = source._table.columns
            if all(name in source_columns and source_columns[name].type is ScalarType.TIME for name in BETWEEN):
                return [time for name in BETWEEN if (time := getattr(source, name)) is not None]
    return []


def _is_left_out(row: Row, column: Column) -> bool:
    """Return whether a cell is not worth showing: *none*, an empty set, or the default."""
    value = getattr(row, column.name)
    if value is None:
        return column.name not in row._unknown
    if isinstance(column.type, SetType) and not value:
        return True
    return column.has_default and _is_default(value, column.default)


def _is_counter(row: Row, column: Column) -> bool:
    """Return whether a column only numbers the rows of its table."""
    return column.name in row._table.key and column.type is ScalarType.INT and not column.has_default


def _is_empty(row: Row) -> bool:
    """Return whether a row only records that something is absent, such as a meal without a restaurant."""
    table = row._table
    others = [c for c in table.columns.values() if c.name not in table.key]
    return bool(others) and all(c.optional and _is_left_out(row, c) for c in others)


def _referent(row: Row) -> Row:
    """Return the only row to which a row refers, such as the place of a stop; otherwise the row itself."""
    columns = [c for c in row._table.columns.values() if c.name not in row._table.key]
    if len(columns) < 2 or not all(c.optional and isinstance(c.type, RowType) for c in columns):
        return row
    refs = [value for c in columns if isinstance(value := getattr(row, c.name), Row)]
    return refs[0] if len(refs) == 1 else row


def _is_default(value: Any, default: Any) -> bool:
    return bool(value == default)


def _labelled(column: Column, text: str) -> str:
    return (
        text
        if not isinstance(column.type, ScalarType)
        or column.type in (ScalarType.TEXT, ScalarType.DURATION, ScalarType.DISTANCE, ScalarType.MONEY)
        else f"{column.name} {text}"
    )


def _time_order(item: Item) -> tuple[bool, int, int]:
    return item.start is None, item.start or 0, item.end or 0
