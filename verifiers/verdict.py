"""What is said of a plan: a verdict, and a finding for each instance of a constraint."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from planspec.dsl.rows import Row
from planspec.dsl.show import row_key
from planspec.dsl.source import Span

Level: TypeAlias = Literal["hard", "soft", "shape"]
Status: TypeAlias = Literal["satisfied", "violated", "not-applicable"]


class _Document(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", validate_by_name=True, validate_by_alias=True)


class SourcePlace(_Document):
    """Where the text of a rule begins; line and column count from 1."""

    file: str
    line: int
    column: int

    @classmethod
    def of(cls, span: Span) -> SourcePlace:
        """The place where the text of a span begins, after its blanks."""
        blanks = len(span.text) - len(span.text.lstrip())
        line, column = span.source.position(span.start + blanks)
        return cls(file=span.source.name, line=line, column=column)


class RowRef(_Document):
    """A row of the plan: by its key, whose parts `, ` joins; by its place from 0 if its table has no key."""

    table: str
    key: str | None = Field(description="null for the row of a `one` table")


def row_ref(row: Row, currency: str | None) -> RowRef:
    """How a finding names a row of the plan."""
    table = row._table
    return RowRef(table=table.name, key=None if table.one else row_key(row, currency))


class Finding(_Document):
    """What is said of one instance of a constraint, or of the plan's shape.

    A finding of level `shape` is counted nowhere, and one that is violated fails the plan.
    """

    constraint: str = Field(description="the instance's id, such as slot[pergamon]")
    level: Level
    kind: str | None = None
    status: Status
    none: str | None = Field(default=None, description="what was none and made a violated instance false")
    message: str
    margin: int | str | None = Field(
        default=None,
        description="by how much it holds (from 0) or fails (below 0); exact decimal text where it is not whole",
    )
    unit: str | None = Field(
        default=None, description="of the margin: min, d, m, 1, or a part of the currency such as 1/100 EUR"
    )
    rows: tuple[RowRef, ...] = ()
    source: SourcePlace | None = None
    since: int | None = Field(default=None, description="the turn, from 1, that brought the constraint")


class Tally(_Document):
    """How many of the applicable instances are satisfied."""

    satisfied: int
    total: int


class Verdict(_Document):
    """What is said of a plan.

    `status` is `fail` if a hard constraint or the plan's shape is violated, `undelivered` if there was no
    plan to judge. `in_scope` is no part of it.
    """

    task: str
    profile: str
    status: Literal["pass", "fail", "undelivered"]
    hard: Tally
    soft: Tally
    metrics: dict[str, JsonValue]
    in_scope: bool
    findings: tuple[Finding, ...]
