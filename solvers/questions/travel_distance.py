"""Distances between the places of a plan's rows, looked up in a table of facts."""

from __future__ import annotations

from typing import Any

from planspec.dsl.model.facts import Facts
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import RowType, ScalarType, Table


class PlaceDistances:
    """Distances between places, from a table of distances among the task's facts.

    The first two key columns of the table of distances refer to places, and another column has a duration or a
    distance.

    Args:
        task: the task.
        main: plan table of the rows that have places. One of its columns should refer to a place, or to a row (such as
            a hotel) to which a place refers.

    Attributes:
        column: name of the first column of `main` that refers to a place or to such a row; None if `main` has no such
            column, or if the task has no table of distances.
    """

    FAR = 10**6
    """Large number used as the distance between two places for which the table of distances has no row."""

    def __init__(self, task: Task, main: Table) -> None:
        self.column: str | None = None
        self._distances: dict[tuple[Row, Row], int] = {}
        self._place: dict[Row, Row] = {}
        for facts in task.facts.values():
            table = facts.table
            ends = table.key[:2]
            if len(ends) < 2 or table.columns[ends[0]].type != table.columns[ends[1]].type:
                continue
            place_type = table.columns[ends[0]].type
            size = next(
                (c.name for c in table.columns.values() if c.type in (ScalarType.DURATION, ScalarType.DISTANCE)),
                None,
            )
            if (
                not isinstance(place_type, RowType)
                or size is None
                or not self._set_column(main, task.facts[place_type.table])
            ):
                continue
            for row in facts.rows:
                pair = (getattr(row, ends[0]), getattr(row, ends[1]))
                value = getattr(row, size)
                if value is not None:
                    self._distances[pair] = min(value, self._distances.get(pair, value))
            return

    def _set_column(self, main: Table, places: Facts) -> bool:
        """Find the first column of the plan table `main` that determines a place, and return whether there is one.

        The column refers either to places, or to rows of another table (such as hotels) to which a column of `places`
        refers.
        """
        for column in main.columns.values():
            if not isinstance(column.type, RowType):
                continue
            if column.type == places.table.type:
                self.column = column.name
                self._place = {row: row for row in places.rows}
                return True
            link = next((c.name for c in places.table.columns.values() if c.type == column.type), None)
            if link is not None:
                self.column = column.name
                self._place = {getattr(row, link): row for row in places.rows if getattr(row, link) is not None}
                return True
        return False

    def distance(self, a: Any, b: Any) -> int:
        """Return the distance between two values of `column`, in the unit of the table of distances.

        Return 0 if both are the same place, the minimum if the table has several distances, and `FAR` if it has none.
        """
        start, end = self._place.get(a), self._place.get(b)
        if start is None or end is None:
            return self.FAR
        return 0 if start is end else self._distances.get((start, end), self.FAR)
