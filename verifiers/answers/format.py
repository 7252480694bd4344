"""The interface of plan formats, codecs between an answer's JSON and a plan's rows, and of checks of answers."""

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
    """JSON of another shape: there is no plan in it to judge."""


@runtime_checkable
class PlanFormat(Protocol):
    """A codec between an answer's JSON and the rows of a plan."""

    @property
    def name(self) -> str:
        """The family whose answers have this form."""

    @property
    def lists(self) -> bool:
        """An answer can be a list."""

    def is_answer(self, data: Any) -> bool:
        """Whether JSON has a mark of an answer to a task of the family, such as a name that only answers have.

        The plan's own tables are known without it.
        """

    def decode(self, task: Task, data: Any) -> tuple[Plan, tuple[ShapeFinding, ...]]:
        """The rows of an answer (an object, or where `lists` a list), and what is wrong with it as data.

        Raises:
            NoAnswerError: there is no plan in it.
            UnsuitableTaskError: the task has not the tables that the format fills.
        """

    def encode(self, task: Task, plan: Plan) -> Any:
        """The JSON of an answer that decodes to this plan.

        Raises:
            InexpressiblePlanError: there is none.
            UnsuitableTaskError: the task has not the tables that the format fills.
        """


class _Tables:
    """The plan's tables themselves as JSON."""

    name = "tables"
    lists = False

    def is_answer(self, data: Any) -> bool:  # noqa: ARG002 - the plan's tables are all that there is
        return False

    def decode(self, task: Task, data: Any) -> tuple[Plan, tuple[ShapeFinding, ...]]:
        return read_tables(task, data)

    def encode(self, task: Task, plan: Plan) -> Any:
        return write_tables(task, plan)


TABLES: PlanFormat = _Tables()
"""The format of tasks without a family."""


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """An answer that was decoded, with what its family checks of it beside the rules.

    Attributes:
        plan: its rows.
        findings: what is wrong with it as data.
        extend: adds to the verdict on the plan what was checked.
    """

    plan: Plan
    findings: tuple[ShapeFinding, ...]
    extend: Callable[[Verdict], Verdict]


AnswerCheck: TypeAlias = Callable[[Task, Any], CheckedAnswer]
"""From an answer's JSON, without its envelope: it is read once, by the family's plan format, and checked."""


def plain_json(value: Any) -> Any:
    """An encoded answer as `json.dumps` takes it: Decimals as numbers, tuples as lists."""
    match value:
        case Mapping():
            return {key: plain_json(item) for key, item in value.items()}
        case list() | tuple():
            return [plain_json(item) for item in value]
        case Decimal():
            return int(value) if value == int(value) else float(value)
        case _:
            return value
