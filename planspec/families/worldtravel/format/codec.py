"""Codec of WorldTravel's itineraries.

An itinerary has days with items. An item has a time, a departure, a destination and a cost.

An attraction or restaurant item becomes a row of `visits`, a transportation item a row of `moves`, and all hotel items
together become `lodging`. The benchmark's prompt also requires a hotel item at the beginning and the end of each day,
and a transportation item between two places. The codec reports missing items, but only violated constraints make the
plan fail.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.errors import InexpressiblePlanError
from planspec.families.worldtravel.format.reading import ItineraryReader
from planspec.families.worldtravel.format.tables import WorldTravelTables
from planspec.families.worldtravel.format.writing import write_itinerary
from planspec.verifiers.answers.findings import ShapeFinding
from planspec.verifiers.answers.format import PlanFormat
from planspec.verifiers.answers.tables import read_tables
from planspec.verifiers.meaning.plan_rows import Plan


class WorldTravelCodec:
    """Codec of answers such as `{"itinerary": [{"date": "7.1", "schedule": [...]}]}`."""

    name = "worldtravel"
    lists = False  # no answer is a JSON list

    def is_answer(self, data: Any) -> bool:
        """Return whether the data is an object with an itinerary."""
        return isinstance(data, Mapping) and "itinerary" in data

    def decode(self, task: Task, data: Any) -> tuple[Plan, tuple[ShapeFinding, ...]]:
        """Decode an itinerary. Return the plan, and findings on the itinerary's shape (missing or malformed parts).

        The plan's tables as JSON are also accepted.
        """
        tables = WorldTravelTables.from_task(task)
        if "itinerary" not in data and any(table.name in data for table in task.plan_tables):
            return read_tables(task, data)
        return ItineraryReader(tables).read(data)

    def encode(self, task: Task, plan: Plan) -> Any:
        """Encode a plan as an itinerary, and check that the itinerary decodes to the plan.

        Raises:
            InexpressiblePlanError: no itinerary decodes to the plan.
        """
        tables = WorldTravelTables.from_task(task)
        itinerary = write_itinerary(tables, plan)
        decoded, _ = ItineraryReader(tables).read(itinerary)
        for name, rows in plan.tables.items():
            lost = Counter(map(_column_values, rows)) - Counter(map(_column_values, decoded.tables.get(name, ())))
            if lost:
                raise InexpressiblePlanError(f"an itinerary cannot say {_row_text(next(iter(lost)), name)}")
            if len(rows) != len(decoded.tables.get(name, ())):
                raise InexpressiblePlanError(f"an itinerary with these `{name}` says more of them")
        return itinerary


def _column_values(row: Row) -> tuple[Any, ...]:
    return tuple(getattr(row, name) for name in row._table.columns)


def _row_text(values: tuple[Any, ...], table: str) -> str:
    return f"the row of `{table}` with {', '.join(map(str, _display_values(values)))}"


def _display_values(values: tuple[Any, ...]) -> Iterator[Any]:
    return (value._key[0] if isinstance(value, Row) and value._key else value for value in values)


FORMAT: PlanFormat = WorldTravelCodec()
