"""The verdict on a plan, with a finding for each instance of a constraint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias

from planspec.dsl.diagnostics.source import Span
from planspec.dsl.model.rows import Row
from planspec.dsl.model.value_text import row_key
from planspec.shown import Shown

FindingLevel: TypeAlias = Literal["hard", "soft", "shape"]
FindingStatus: TypeAlias = Literal["satisfied", "violated", "not-applicable"]


MetricValue: TypeAlias = bool | int | str | None
"""The value of a measure in JSON."""
REFUSED = "refusal"
"""The kind of the finding on an answer that says, and is right, that there is no plan."""
STRICT = {"extra": "forbid"}
"""The configuration of these documents: pydantic accepts no other keys, and their schemas say so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePlace:
    """The place where the text of a rule begins; line and column count from 1."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT
    file: str
    line: int
    column: int

    @classmethod
    def of(cls, span: Span) -> SourcePlace:
        """The place where the text of a span begins, after its blanks."""
        blanks = len(span.text) - len(span.text.lstrip())
        line, column = span.source.position(span.start + blanks)
        return cls(file=span.source.name, line=line, column=column)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowRef:
    """A row of the plan: by its key, whose parts `, ` joins; by its place from 0 if its table has no key."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT
    table: str
    key: str | None = field(metadata={"description": "null for the row of a `one` table"})


def row_ref(row: Row, currency: str | None) -> RowRef:
    """The name of a plan's row in a finding."""
    table = row._table
    return RowRef(table=table.name, key=None if table.one else row_key(row, currency))


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A finding on one instance of a constraint, or on the plan's shape.

    A finding of level `shape` is counted nowhere, and one that is violated fails the plan.
    """

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT
    constraint: str = field(metadata={"description": "the instance's id, such as slot[pergamon]"})
    level: FindingLevel
    kind: str | None = None
    status: FindingStatus
    none: str | None = field(
        default=None, metadata={"description": "what was none and made a violated instance false"}
    )
    message: str
    margin: int | str | None = field(
        default=None,
        metadata={
            "description": "by how much it holds (from 0) or fails (below 0); exact decimal text where it is not whole"
        },
    )
    unit: str | None = field(
        default=None,
        metadata={"description": "of the margin: min, d, m, 1, or a part of the currency such as 1/100 EUR"},
    )
    rows: tuple[RowRef, ...] = ()
    source: SourcePlace | None = None
    since: int | None = field(
        default=None, metadata={"description": "the turn, from 1, that brought the constraint"}
    )

    def with_details(
        self,
        message: str,
        margin: int | str | None,
        unit: str | None,
        none: str | None = None,
        rows: tuple[RowRef, ...] = (),
    ) -> Finding:
        """The same finding with its details: `dataclasses.replace` takes three times as long."""
        return Finding(
            constraint=self.constraint, level=self.level, kind=self.kind, status=self.status, none=none,
            message=message, margin=margin, unit=unit, rows=rows, source=self.source, since=self.since,
        )  # fmt: skip

    def __repr__(self) -> str:
        margin = "" if self.margin is None else f", margin {self.margin} {self.unit}"
        return f"<Finding {self.status}, {self.constraint} ({self.level}{margin})>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """The number of applicable instances, and of the satisfied ones."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT
    satisfied: int
    total: int


@dataclass(frozen=True, slots=True)
class CheckSummary:
    """A family's own checks of an answer beside the rules, for people.

    Attributes:
        name: of all that was checked, such as `facts`.
        label: of one thing of them, such as `fact`.
        tally: how many are right.
        faults: of each that is not, where it stands and what is wrong.
    """

    name: str
    label: str
    tally: Tally
    faults: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict(Shown):
    """The verdict on a plan. A family that checks more than the rules adds a field for it in a type of its own.

    `status` is `fail` if a hard constraint or the plan's shape is violated, `undelivered` if there was no
    plan to judge. `in_scope` is no part of it, and None where no findings in detail were asked for.
    """

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT
    task: str
    profile: str
    status: Literal["pass", "fail", "undelivered"]
    hard: Tally
    soft: Tally
    metrics: dict[str, MetricValue]
    in_scope: bool | None
    findings: tuple[Finding, ...]

    @property
    def checks(self) -> tuple[CheckSummary, ...]:
        """The family's own checks of the answer beside the rules: none, unless it has verdicts of its own."""
        return ()

    def amid_text(self) -> Verdict:
        """The same verdict, of an answer beside whose JSON other text stood: no other one, unless its family asks for JSON alone."""
        return self

    def __repr__(self) -> str:
        counts = f"hard {self.hard.satisfied}/{self.hard.total}, soft {self.soft.satisfied}/{self.soft.total}"
        return f"<Verdict {self.status}, {self.task}: {counts}>"

    def __str__(self) -> str:
        """What `planspec verify` prints."""
        from planspec.paper import Plain
        from planspec.verifiers.meaning.verdict_text import verdict_lines

        return "\n".join(verdict_lines(self, Plain()))


def undelivered(task: str, reason: str, *, hard: int, soft: int, profile: str = "strict") -> Verdict:
    """The verdict where there is no plan: everything that is asked counts as failed.

    Args:
        task: its id.
        reason: why there is no plan.
        hard: how many hard instances apply to the task.
        soft: how many soft ones.
        profile: whose verdict it is.
    """
    finding = Finding(
        constraint="answer", level="shape", kind="undelivered", status="violated", message=reason
    )
    return Verdict(
        task=task, profile=profile, status="undelivered", hard=Tally(satisfied=0, total=hard),
        soft=Tally(satisfied=0, total=soft), metrics={}, in_scope=False, findings=(finding,),
    )  # fmt: skip


def is_right_refusal(verdict: Verdict) -> bool:
    """Whether it is proved that there is no plan: nothing is asked of one."""
    return verdict.status == "pass" and any(finding.kind == REFUSED for finding in verdict.findings)
