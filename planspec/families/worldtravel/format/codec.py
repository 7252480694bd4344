"""WorldTravel's itineraries: days of items, each with a time, two ends and a cost.

An attraction or a restaurant is a row of `visits`, a transportation one of `moves`, and all hotel items
together are `lodging`. What the prompt of the benchmark asks for beyond that (a hotel item at both ends of a
day, a way between any two places) fails no plan here: where it matters a constraint says so. It is reported.
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


class WorldTravel:
    """The codec of `{"itinerary": [{"date": "7.1", "schedule": [...]}]}`."""

    name = "worldtravel"
    lists = False

    def is_answer(self, data: Any) -> bool:
        """Whether an object has an itinerary."""
        return isinstance(data, Mapping) and "itinerary" in data

    def decode(self, task: Task, data: Any) -> tuple[Plan, tuple[ShapeFinding, ...]]:
        """The rows of an itinerary; an answer that is the plan's tables is read as such."""
        tables = WorldTravelTables.of(task)
        if "itinerary" not in data and any(table.name in data for table in task.plan_tables):
            return read_tables(task, data)
        return ItineraryReader(tables).read(data)

    def encode(self, task: Task, plan: Plan) -> Any:
        """The itinerary that decodes to the plan.

        Raises:
            InexpressiblePlanError: there is none. Each itinerary is read again before it is returned.
        """
        tables = WorldTravelTables.of(task)
        itinerary = write_itinerary(tables, plan)
        again, _ = ItineraryReader(tables).read(itinerary)
        for name, rows in plan.tables.items():
            lost = Counter(map(_values, rows)) - Counter(map(_values, again.tables.get(name, ())))
            if lost:
                raise InexpressiblePlanError(f"an itinerary cannot say {_shown(next(iter(lost)), name)}")
            if len(rows) != len(again.tables.get(name, ())):
                raise InexpressiblePlanError(f"an itinerary with these `{name}` says more of them")
        return itinerary


def _values(row: Row) -> tuple[Any, ...]:
    return tuple(getattr(row, name) for name in row._table.columns)


def _shown(values: tuple[Any, ...], table: str) -> str:
    return f"the row of `{table}` with {', '.join(map(str, _plain(values)))}"


def _plain(values: tuple[Any, ...]) -> Iterator[Any]:
    return (value._key[0] if isinstance(value, Row) and value._key else value for value in values)


FORMAT: PlanFormat = WorldTravel()
