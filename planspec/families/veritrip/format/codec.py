"""Codec of VeriTrip's answers: three tables of strings and numbers.

`transportationTable` lists trains and flights with their numbers and days. `accommodationTable` lists hotels and kinds
of rooms. `itineraryTable` lists activities with their times. Notes in the itinerary cite documents as `[20]`. The
wrapper `Final Result` is optional. Names are normalised and match at a similarity of 0.9 (`similarity.IN_ANSWERS`). A
name that matches no row is stored in the plan as an unknown name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.errors import InexpressiblePlanError
from planspec.families.veritrip.format.reading import FORMS, WRAPPER, ReadAnswer, read_answer, unwrap
from planspec.families.veritrip.format.tables import tables_of
from planspec.families.veritrip.format.writing import write_answer
from planspec.verifiers.answers.findings import ShapeFinding
from planspec.verifiers.answers.tables import read_tables
from planspec.verifiers.meaning.plan_rows import Plan

PLAN_TABLES = ("transportation", "accommodation", "itinerary")


class VeriTripCodec:
    """Codec of `{"Final Result": {"transportationTable": [...], ...}}`."""

    name = "veritrip"
    lists = False  # no answer is a JSON list

    def is_answer(self, data: Any) -> bool:
        """Return whether an object has one of the three tables, or the wrapper around them."""
        return isinstance(data, Mapping) and any(name == WRAPPER or str(name).lstrip("#") in FORMS for name in data)

    def decode(self, task: Task, data: Any) -> tuple[Plan, tuple[ShapeFinding, ...]]:
        """Return the plan of an answer, and findings on its shape.

        An answer that consists of the plan's own tables is also accepted.

        Args:
            task: task with the tables that define the names.
            data: object with the three tables, or the wrapper around it.
        """
        if is_plan(data):
            return read_tables(task, data)
        reading = self.read(task, data)
        return reading.plan, reading.findings

    def read(self, task: Task, data: Any) -> ReadAnswer:
        """Parse an answer into cells, each with a value or the reason why it cannot be read."""
        return read_answer(tables_of(task), unwrap(data))

    def encode(self, task: Task, plan: Plan) -> Any:
        """Return an answer that decodes to the plan. This is checked by decoding it.

        Raises:
            InexpressiblePlanError: No answer decodes to the plan.
        """
        tables = tables_of(task)
        answer = write_answer(tables, plan)
        decoded = self.read(task, answer).plan
        for name in PLAN_TABLES:
            expected, actual = (Counter(map(_comparable_values, p.tables[name])) for p in (plan, decoded))
            if expected != actual:
                difference = next(iter((expected - actual) or (actual - expected)))
                shown = ", ".join(str(v._key[0] if isinstance(v, Row) else v) for v in difference if v is not None)
                raise InexpressiblePlanError(f"an answer of three tables cannot say the row of `{name}` with {shown}")
        return answer


def is_plan(data: Any) -> bool:
    """Return whether an object consists of the plan's own tables instead of the answer's."""
    return isinstance(data, Mapping) and any(name in data for name in PLAN_TABLES)


def _comparable_values(row: Row) -> tuple[Any, ...]:
    return tuple(getattr(row, name) for name in row._table.columns)


FORMAT = VeriTripCodec()

__all__ = ["FORMAT", "VeriTripCodec", "is_plan"]
