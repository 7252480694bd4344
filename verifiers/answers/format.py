"""Interfaces of plan formats (codecs between answers and plans) and of answer checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol, TypeAlias, runtime_checkable

from planspec.dsl.model.task import Task
from planspec.errors import PlanspecError
from planspec.verifiers.answers.findings import ShapeFinding
from planspec.verifiers.answers.tables import read_tables, write_tables
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.verdict import Verdict


class NoAnswerError(PlanspecError, ValueError):
    """The JSON contains no plan in the expected format."""


@runtime_checkable
class PlanFormat(Protocol):
    """A codec between an answer's JSON and the rows of a plan."""

    @property
    def name(self) -> str:
        """Name of the task family (a benchmark) that has this format."""

    @property
    def lists(self) -> bool:
        """Whether an answer can be a list."""

    def is_answer(self, data: Any) -> bool:
        """Return whether JSON looks like an answer in this format, for example because it has a typical key.

        Answers that are plan tables as JSON, which every task accepts, are recognised without this method.
        """

    def decode(self, task: Task, data: Any) -> tuple[Plan, tuple[ShapeFinding, ...]]:
        """Return the rows of an answer (a JSON object, or a list if `lists`) and the faults of its data.

        Raises:
            NoAnswerError: the answer contains no plan.
            UnsuitableTaskError: the task lacks the tables that the format fills.
        """

    def encode(self, task: Task, plan: Plan) -> Any:
        """Return an answer as JSON that decodes to this plan.

        Raises:
            InexpressiblePlanError: the format cannot express the plan.
            UnsuitableTaskError: the task lacks the tables that the format fills.
        """


class _Tables:
    """The format of answers that are plan tables as JSON."""

    name = "tables"
    lists = False

    def is_answer(self, data: Any) -> bool:  # noqa: ARG002 - the plan's tables need no recognition
        return False

    def decode(self, task: Task, data: Any) -> tuple[Plan, tuple[ShapeFinding, ...]]:
        return read_tables(task, data)

    def encode(self, task: Task, plan: Plan) -> Any:
        return write_tables(task, plan)


TABLES: PlanFormat = _Tables()
"""Format for tasks without a family: the plan's tables as JSON."""


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """A decoded answer, with the results of the checks that the task's family (a benchmark) adds.

    Attributes:
        plan: rows of the answer.
        findings: faults of the answer's data.
        extend: function that adds the results of the checks to the verdict on the plan.
    """

    plan: Plan
    findings: tuple[ShapeFinding, ...]
    extend: Callable[[Verdict], Verdict]


AnswerCheck: TypeAlias = Callable[[Task, Any], CheckedAnswer]
"""Function that takes a task and an answer's JSON, decodes the answer in the task family's format, and checks it."""


def plain_json(value: Any) -> Any:
    """Convert an encoded answer for `json.dumps`: Decimals to numbers, tuples to lists."""
    match value:
        case Mapping():
            return {key: plain_json(item) for key, item in value.items()}
        case list() | tuple():
            return [plain_json(item) for item in value]
        case Decimal():
            return int(value) if value == int(value) else float(value)
        case _:
            return value
