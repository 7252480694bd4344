"""Codec of MobilityBench's answers: objects with places, a level of traffic, times, figures, or routes.

The object is the whole answer or its part `answer`; other parts, such as `intent`, are read by metrics. Values may be
numbers, or strings with units in several languages. A name that no recorded call returned is stored in the plan as an
unknown name, and the plan fails.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.errors import InexpressiblePlanError
from planspec.families.mobilitybench.format.reading import ANSWER, AnswerReader, find_answer_object
from planspec.families.mobilitybench.format.tables import tables_of
from planspec.families.mobilitybench.format.writing import write_answer
from planspec.verifiers.answers.findings import ShapeFinding
from planspec.verifiers.answers.format import NoAnswerError
from planspec.verifiers.answers.tables import read_tables
from planspec.verifiers.meaning.plan_rows import Plan

OWN_TABLES = ("legs", "days")
"""Plan tables with names that are not keys of an agent's answer, so that these names identify a plan."""


class MobilityBench:
    """Codec of `{"intent": ..., "answer": {...}}`."""

    name = "mobilitybench"
    lists = False  # no answer is a JSON list

    def is_answer(self, data: Any) -> bool:
        """Return whether an object has the key `answer`, the key of a part of an answer, or that of a plan table."""
        if not isinstance(data, Mapping):
            return False
        if ANSWER in data or is_plan(data):
            return True
        try:
            find_answer_object(data)
        except NoAnswerError:
            return False
        return True

    def decode(self, task: Task, data: Any) -> tuple[Plan, tuple[ShapeFinding, ...]]:
        """Decode an answer to the rows of a plan. Data that already holds plan tables is read without conversion.

        Args:
            task: the task. Its tables hold the tools' results.
            data: the answer. It names routes by ids or steps; references to calls must already be resolved.
        """
        if is_plan(data):
            return read_tables(task, data)
        tables = tables_of(task)
        return AnswerReader(
            tables, find_answer_object(data, tables.given("scenario"), single=tables.asks_for_one_place())
        ).read()

    def encode(self, task: Task, plan: Plan) -> Any:
        """Encode a plan as an answer.

        Raises:
            InexpressiblePlanError: no answer decodes to the plan. The answer is decoded again before it is
                returned.
        """
        tables_of(task)
        try:
            answer = write_answer(plan)
            again, _ = self.decode(task, answer)
        except (NoAnswerError, ArithmeticError, KeyError, TypeError, ValueError) as error:
            raise InexpressiblePlanError(f"no answer says this plan: {error}") from None
        for name, rows in plan.tables.items():
            expected, actual = Counter(map(_row_values, rows)), Counter(map(_row_values, again.tables[name]))
            if expected != actual:
                lost = next(iter((expected - actual) or (actual - expected)))
                shown = ", ".join(str(v._key[0] if isinstance(v, Row) else v) for v in lost if v is not None)
                raise InexpressiblePlanError(f"an answer cannot say the row of `{name}` with {shown}")
        return answer


def is_plan(data: Any) -> bool:
    """Return whether data holds plan tables, not an agent's answer."""
    return isinstance(data, Mapping) and any(name in data for name in OWN_TABLES)


def _row_values(row: Row) -> tuple[Any, ...]:
    return tuple(getattr(row, name) for name in row._table.columns)


FORMAT = MobilityBench()

__all__ = ["FORMAT", "MobilityBench", "is_plan"]
