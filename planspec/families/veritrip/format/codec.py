"""VeriTrip's answers: three tables of texts and numbers.

`transportationTable` names trains and flights by number and day, `accommodationTable` hotels and kinds of rooms,
`itineraryTable` what is done hour by hour; its notes cite documents as `[20]`. The wrapper `Final Result` may be there
or not. Names are found at a similarity of 0.9 after folding (`similarity.IN_ANSWERS`); what no table has stays in
the plan as an unknown name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.errors import InexpressiblePlanError
from planspec.families.veritrip.format.reading import FORMS, WRAPPER, ReadAnswer, opened, read_tables_of
from planspec.families.veritrip.format.tables import tables_of
from planspec.families.veritrip.format.writing import write_answer
from planspec.verifiers.answers.findings import ShapeFinding
from planspec.verifiers.answers.tables import read_tables
from planspec.verifiers.meaning.plan_rows import Plan

PLAN_TABLES = ("transportation", "accommodation", "itinerary")


class VeriTrip:
    """The codec of `{"Final Result": {"transportationTable": [...], ...}}`."""

    name = "veritrip"
    lists = False

    def is_answer(self, data: Any) -> bool:
        """Whether an object has one of the three tables, or the wrapper around them."""
        return isinstance(data, Mapping) and any(
            name == WRAPPER or str(name).lstrip("#") in FORMS for name in data
        )

    def decode(self, task: Task, data: Any) -> tuple[Plan, tuple[ShapeFinding, ...]]:
        """The rows of an answer; one that is the plan's own tables is read as such.

        Args:
            task: its tables say which names there are.
            data: the object of three tables, or what wraps it.
        """
        if is_plan(data):
            return read_tables(task, data)
        reading = self.read(task, data)
        return reading.plan, reading.findings

    def read(self, task: Task, data: Any) -> ReadAnswer:
        """An answer cell by cell."""
        return read_tables_of(tables_of(task), opened(data))

    def encode(self, task: Task, plan: Plan) -> Any:
        """The answer that decodes to the plan.

        Raises:
            InexpressiblePlanError: there is none. The answer is read again before it is returned.
        """
        tables = tables_of(task)
        answer = write_answer(tables, plan)
        again = self.read(task, answer).plan
        for name in PLAN_TABLES:
            said, read = (Counter(map(_values, p.tables[name])) for p in (plan, again))
            if said != read:
                lost = next(iter((said - read) or (read - said)))
                shown = ", ".join(str(v._key[0] if isinstance(v, Row) else v) for v in lost if v is not None)
                raise InexpressiblePlanError(
                    f"an answer of three tables cannot say the row of `{name}` with {shown}"
                )
        return answer


def is_plan(data: Any) -> bool:
    """It is the plan's own tables, and no answer of an agent."""
    return isinstance(data, Mapping) and any(name in data for name in PLAN_TABLES)


def _values(row: Row) -> tuple[Any, ...]:
    return tuple(getattr(row, name) for name in row._table.columns)


FORMAT = VeriTrip()

__all__ = ["FORMAT", "VeriTrip", "is_plan"]
