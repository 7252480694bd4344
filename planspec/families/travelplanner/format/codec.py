"""Codec of TravelPlanner's plans: a list of days, each with seven strings.

- `current_city` is a city, or `from A to B` on a day of travel.
- `transportation` is a flight with its number, self-driving, or a taxi, each with its origin and destination.
- Meals, the accommodation and attractions are written `Name, City`. A `;` separates attractions.
- `-` marks an empty field.

Days without content are ignored. So are costs and states in parentheses, which agents may add.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.errors import InexpressiblePlanError
from planspec.families.travelplanner.format.reading import FIELDS, read_days
from planspec.families.travelplanner.format.tables import TravelPlannerTables, tables_of
from planspec.families.travelplanner.format.writing import write_days
from planspec.verifiers.answers.findings import ShapeFinding
from planspec.verifiers.answers.format import PlanFormat
from planspec.verifiers.answers.tables import read_tables
from planspec.verifiers.meaning.plan_rows import Plan


class TravelPlannerFormat:
    """The codec of answers such as `[{"days": 1, "current_city": "from A to B", "transportation": ...}, ...]`."""

    name = "travelplanner"
    lists = True  # an answer is a JSON list

    def is_answer(self, data: Any) -> bool:
        """Return whether the data is a list of days or an object whose `plan` is a list."""
        if isinstance(data, Mapping):
            return isinstance(data.get("plan"), list)
        return isinstance(data, list) and any(
            isinstance(day, Mapping) and not day.keys().isdisjoint(FIELDS) for day in data
        )

    def decode(self, task: Task, data: Any) -> tuple[Plan, tuple[ShapeFinding, ...]]:
        """Decode an answer into the rows of a plan.

        An answer in the form of the plan's tables is also accepted.

        Args:
            task: task of the answer. Its tables define the names.
            data: list of days, or an object whose `plan` is that list.
        """
        if isinstance(data, Mapping) and any(table.name in data for table in task.plan_tables):
            return read_tables(task, data)
        return read_days(tables_of(task), data["plan"] if isinstance(data, Mapping) and "plan" in data else data)

    def encode(self, task: Task, plan: Plan) -> Any:
        """Encode a plan as days, and check that they decode to the same plan.

        Raises:
            InexpressiblePlanError: no days decode to the plan.
        """
        tables = tables_of(task)
        days = write_days(tables, plan)
        decoded_plan, _ = read_days(tables, days)
        for table in (tables.days, tables.meals, tables.sights):
            expected = Counter(map(_row_values, plan.tables[table.name]))
            decoded = Counter(map(_row_values, decoded_plan.tables[table.name]))
            if table is tables.meals:  # decoding yields rows also for meals without a restaurant
                expected, decoded = (
                    Counter({v: n for v, n in c.items() if v[-1] is not None}) for c in (expected, decoded)
                )
            if expected != decoded:
                lost = next(iter((expected - decoded) or (decoded - expected)))
                shown = ", ".join(str(v._key[0] if isinstance(v, Row) else v) for v in lost)
                raise InexpressiblePlanError(f"days of seven texts cannot say the row of `{table.name}` with {shown}")
        return days


def _row_values(row: Row) -> tuple[Any, ...]:
    return tuple(getattr(row, name) for name in row._table.columns)


FORMAT: PlanFormat = TravelPlannerFormat()

__all__ = ["FORMAT", "TravelPlannerFormat", "TravelPlannerTables"]
