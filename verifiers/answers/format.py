"""Answers as tables in JSON -> the rows of a plan, and back; what any plan format is, and any check of answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Protocol, TypeAlias, runtime_checkable

from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import Column, EnumType, ListType, RowType, Scalar, SetType, Type
from planspec.dsl.model.value_text import exact, show
from planspec.dsl.resources.limits import FINDINGS
from planspec.errors import PlanspecError
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.verdict import Finding, Status, Verdict


@dataclass(frozen=True, slots=True)
class ShapeFinding:
    """A fault of an answer as data, whatever the constraints say.

    Attributes:
        kind: a slug, such as `unknown-name`.
        message: a sentence without its point.
        path: where in the answer, as a JSON pointer (RFC 6901).
        table: the plan table that it concerns, if one.
        column: likewise.
        fails: it fails the plan. What is merely untidy does not.
    """

    kind: str
    message: str
    path: str
    table: str | None = None
    column: str | None = None
    fails: bool = True

    def as_finding(self) -> Finding:
        """The same in a verdict: counted nowhere, and violated if it fails the plan."""
        place = ".".join(part for part in (self.table, self.column) if part) or "answer"
        status: Status = "violated" if self.fails else "not-applicable"
        message = f"{self.message} (at {self.path})" if self.path else self.message
        return Finding(constraint=place, level="shape", kind=self.kind, status=status, message=message)


@dataclass(slots=True)
class FindingLog:
    """The findings on one answer: the first thousand, and then how many more."""

    kept: list[ShapeFinding] = field(default_factory=list)
    left_out: int = 0
    fails: bool = False  # one that was left out fails the plan

    def add(self, finding: ShapeFinding) -> None:
        """Keep or count a finding."""
        if len(self.kept) < FINDINGS:
            self.kept.append(finding)
        else:
            self.left_out += 1
            self.fails |= finding.fails

    def all(self) -> tuple[ShapeFinding, ...]:
        """The findings that were kept, and a last one for the rest."""
        if not self.left_out:
            return tuple(self.kept)
        rest = ShapeFinding("more", f"{self.left_out} more findings are left out", "", fails=self.fails)
        return (*self.kept, rest)


class NoAnswer(PlanspecError, ValueError):
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

    def decode(self, task: Task, data: Any) -> tuple[Plan, tuple[ShapeFinding, ...]]:
        """The rows of an answer (an object, or where `lists` a list), and what is wrong with it as data.

        Raises:
            NoAnswer: there is no plan in it.
            UnfitTask: the task has not the tables that the format fills.
        """

    def encode(self, task: Task, plan: Plan) -> Any:
        """The JSON of an answer that decodes to this plan.

        Raises:
            Inexpressible: there is none.
            UnfitTask: the task has not the tables that the format fills.
        """


class _Tables:
    """The plan's tables themselves as JSON."""

    name = "tables"
    lists = False

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


def pointer(path: str, part: str | int) -> str:
    """A JSON pointer, one step further."""
    return f"{path}/{str(part).replace('~', '~0').replace('/', '~1')}"


def read_tables(task: Task, data: Mapping[str, Any]) -> tuple[Plan, tuple[ShapeFinding, ...]]:
    """The rows of an answer that is the plan's tables as JSON.

    Each table is a list of objects, one for each row; a `one` table may be its only row. A reference is its
    row's key: a text for a single key, else the key columns in order or by name; of a table without a key the
    row's place, from 0. A cell that cannot be read is none and has a finding.

    Args:
        task: its plan tables say what is read.
        data: the answer, as `read_answer` returns it.

    Returns:
        The plan, in which every row that is an object stands, and the findings.
    """
    from planspec.verifiers.answers.tables import TableReader  # it needs the names above

    return TableReader(task).read(data)


def write_tables(task: Task, plan: Plan) -> dict[str, Any]:
    """The plan's tables as JSON; `read_tables` gives the same plan again.

    Whatever has a unit, and a decimal that is not whole, is text, so no number passes through a float. A name
    that no row has is written as the answer wrote it.

    Args:
        task: its plan tables say what is written.
        plan: the rows.

    Returns:
        Lists of objects by table; a `one` table with one row is that row.
    """
    written: dict[str, Any] = {}
    for table in task.plan_tables:
        rows = [_row(row, table.columns, task.currency) for row in plan.tables[table.name]]
        written[table.name] = rows[0] if table.one and len(rows) == 1 else rows
    return written


def _row(row: Row, columns: Mapping[str, Column], currency: str | None) -> dict[str, Any]:
    said = row._unknown if isinstance(row._unknown, Mapping) else {}
    return {
        name: said[name] if name in said else json_value(getattr(row, name), column.type, currency)
        for name, column in columns.items()
    }


def json_value(value: Any, of: Type, currency: str | None) -> Any:
    """A run-time value as a cell of a JSON document.

    Args:
        value: of the type `of`, or None.
        of: its type.
        currency: the world's, such as `EUR`.

    Returns:
        None, a bool, an int, a text, or for sets and composite keys a list of such.
    """
    if value is None:
        return None
    match of:
        case Scalar.BOOL | Scalar.INT:
            return value
        case Scalar.DECIMAL:
            return value.numerator if value.denominator == 1 else exact(value)
        case Scalar() | EnumType():
            return show(value, of, currency)
        case SetType(item) | ListType(item):
            return [json_value(part, item, currency) for part in value]
        case RowType():
            return _reference(value, currency)
        case _:
            raise TypeError(f"a {of} is no cell")


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


def _reference(row: Row, currency: str | None) -> Any:
    table = row._table
    if not table.key:
        return row._index
    parts = [json_value(getattr(row, name), table.columns[name].type, currency) for name in table.key]
    return parts[0] if len(parts) == 1 else parts
