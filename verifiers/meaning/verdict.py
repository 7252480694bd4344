"""The verdict on a plan, with a finding for each instance of a constraint."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeAlias

from planspec.dsl.diagnostics.source import Span
from planspec.dsl.model.rows import Row
from planspec.dsl.model.value_text import row_key
from planspec.dsl.workspace.workspace import Workspace
from planspec.shown import NotebookValue
from planspec.text import LineFormatter, PlainFormatter
from planspec.verifiers.meaning.margin import margin_text
from planspec.verifiers.meaning.objectives import ObjectiveValue

FindingLevel: TypeAlias = Literal["hard", "soft", "shape"]
FindingStatus: TypeAlias = Literal["satisfied", "violated", "not-applicable"]


MetricValue: TypeAlias = bool | int | str | None
"""Value of a measure as JSON."""
REFUSED = "refusal"
"""Kind of the finding on a refusal: an answer that says that no plan exists."""
STRICT = {"extra": "forbid"}
"""Pydantic configuration of the JSON documents: unknown keys are rejected, also in the JSON Schemas."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePlace:
    """The position where the text of a constraint begins; line and column are counted from 1."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT
    file: str
    line: int
    column: int

    @classmethod
    def of(cls, span: Span) -> SourcePlace:
        """Return the position where a span's text begins, after leading white space."""
        blanks = len(span.text) - len(span.text.lstrip())
        line, column = span.source.position(span.start + blanks)
        return cls(file=span.source.name, line=line, column=column)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowRef:
    """A reference to a plan row by its key, with parts joined by `, `.

    In a table without a key, the position of the row, counted from 0, is used instead. A `one` table needs neither,
    since it has exactly one row.
    """

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT
    table: str
    key: str | None = field(metadata={"description": "null for a `one` table, which has exactly one row"})


def row_ref(row: Row, currency: str | None) -> RowRef:
    """Return the reference to a plan row in findings."""
    table = row._table
    return RowRef(table=table.name, key=None if table.one else row_key(row, currency))


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A finding on one instance of a constraint, or on the plan's shape.

    Tallies do not count findings of level `shape`, but a violated one makes the plan fail.
    """

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT
    constraint: str = field(metadata={"description": "the instance's id, such as slot[pergamon]"})
    level: FindingLevel
    kind: str | None = None
    status: FindingStatus
    none: str | None = field(
        default=None, metadata={"description": "text of the expression whose value *none* made the instance fail"}
    )
    message: str
    margin: int | str | None = field(
        default=None,
        metadata={
            "description": "amount by which the instance holds (0 or more) or fails (negative); a string with the exact "
            "decimal if it is not whole"
        },
    )
    unit: str | None = field(
        default=None,
        metadata={"description": "unit of the margin: min, d, m, 1, or a part of the currency such as 1/100 EUR"},
    )
    rows: tuple[RowRef, ...] = ()
    source: SourcePlace | None = None
    since: int | None = field(default=None, metadata={"description": "turn, from 1, since which the instance applies"})

    def with_details(
        self,
        message: str,
        margin: int | str | None,
        unit: str | None,
        none: str | None = None,
        rows: tuple[RowRef, ...] = (),
    ) -> Finding:
        """Return a copy of this finding with details. This method is faster than `dataclasses.replace`.

        Args:
            message: the message.
            margin: amount by which the instance holds or fails; None if no amount is known.
            unit: unit of the margin.
            none: text of the expression whose value *none* made the instance fail; None if no such expression exists.
            rows: plan rows responsible for a violation.
        """
        return Finding(
            constraint=self.constraint,
            level=self.level,
            kind=self.kind,
            status=self.status,
            none=none,
            message=message,
            margin=margin,
            unit=unit,
            rows=rows,
            source=self.source,
            since=self.since,
        )

    def __repr__(self) -> str:
        margin = "" if self.margin is None else f", margin {self.margin} {self.unit}"
        return f"<Finding {self.status}, {self.constraint} ({self.level}{margin})>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """The number of applicable instances (`total`), and the number of those that are satisfied."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT
    satisfied: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalJudgement:
    """The judgement on a refusal: an answer that says that no plan exists."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT
    right: bool | None = field(
        metadata={"description": "whether the refusal is correct; null if this was not decided in time"}
    )
    conflict: tuple[str, ...] = field(
        default=(),
        metadata={"description": "for a correct refusal, constraints that cannot hold together; empty if unknown"},
    )
    minimal: bool | None = field(
        default=None,
        metadata={
            "description": "for a correct refusal, whether each constraint that the answer names is needed for a "
            "conflict; null if it names none, or if this was not decided"
        },
    )


@dataclass(frozen=True, slots=True)
class CheckSummary:
    """Summary, for display, of checks of an answer that a family has in addition to constraints.

    A family is a benchmark with its own answer format, metrics and checks.

    Attributes:
        name: name of the checks, such as `facts`.
        label: singular noun for the checked items, such as `fact`.
        tally: numbers of correct and of checked items.
        faults: position and description of each fault.
    """

    name: str
    label: str
    tally: Tally
    faults: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict(NotebookValue):
    """The verdict on a plan.

    `status` is `fail` if a hard constraint or the plan's shape is violated, and `undelivered` if there was no
    plan to judge. `in_scope` tells whether a search over the task's scope could find the plan. It does not affect the
    status, and is None if it was not computed (see `details` of `judge`).

    Families (benchmarks) that check more than constraints add a field for the results in a subclass.
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
    objectives: tuple[ObjectiveValue, ...] = ()
    refusal: RefusalJudgement | None = None

    @property
    def checks(self) -> tuple[CheckSummary, ...]:
        """Results of the checks that the task's family has in addition to constraints; empty if there are none."""
        return ()

    def amid_text(self) -> Verdict:
        """Return the verdict for an answer whose JSON is surrounded by other text. A family may forbid such text."""
        return self

    def __repr__(self) -> str:
        counts = f"hard {self.hard.satisfied}/{self.hard.total}, soft {self.soft.satisfied}/{self.soft.total}"
        return f"<Verdict {self.status}, {self.task}: {counts}>"

    def __str__(self) -> str:
        """Return the output of `planspec verify`."""
        return "\n".join(verdict_lines(self, PlainFormatter()))


def undelivered(
    task: str,
    reason: str,
    *,
    hard: int,
    soft: int,
    profile: str = "strict",
    objectives: tuple[ObjectiveValue, ...] = (),
) -> Verdict:
    """Return the verdict on a missing plan. No constraint counts as satisfied.

    Args:
        task: id of the task.
        reason: reason why there is no plan.
        hard: number of hard instances that apply to the task.
        soft: number of soft instances that apply to the task.
        profile: profile of the verdict.
        objectives: the task's objectives, without values.
    """
    finding = Finding(constraint="answer", level="shape", kind="undelivered", status="violated", message=reason)
    return Verdict(
        task=task,
        profile=profile,
        status="undelivered",
        hard=Tally(satisfied=0, total=hard),
        soft=Tally(satisfied=0, total=soft),
        metrics={},
        in_scope=False,
        findings=(finding,),
        objectives=objectives,
    )


def is_right_refusal(verdict: Verdict) -> bool:
    """Return whether a verdict is about a correct refusal: the task has no plan."""
    return verdict.status == "pass" and any(finding.kind == REFUSED for finding in verdict.findings)


def is_wrong_refusal(verdict: Verdict) -> bool:
    """Return whether a verdict is about a wrong refusal.

    A refusal is wrong if the task has a plan, or if the constraints that it names can hold together.
    """
    return verdict.status == "fail" and any(finding.kind == REFUSED for finding in verdict.findings)


LEVELS = ("shape", "hard", "soft")
"""Levels of findings in the order of display."""
MARKS: dict[str, tuple[str, dict[str, Any]]] = {
    "violated": ("x", {"fg": "red", "bold": True}),
    "satisfied": ("+", {"fg": "green"}),
    "not-applicable": ("-", {"dim": True}),
}


def verdict_lines(verdict: Verdict, formatter: LineFormatter, *, quiet: bool = False) -> Iterator[str]:
    """Yield the output of `planspec verify`: findings, then the status with its counts.

    Args:
        verdict: the verdict.
        formatter: formats the lines.
        quiet: whether to show only violations and the status.
    """
    order = {"violated": 0, "satisfied": 1, "not-applicable": 2}
    ranked = sorted(verdict.findings, key=lambda f: (order[f.status], LEVELS.index(f.level)))
    width = max((len(f.constraint) for f in ranked if f.status != "not-applicable"), default=0)
    for finding in ranked:
        if finding.status == "violated":
            yield _finding_text(finding, width, formatter)
    for check in verdict.checks:
        yield from _fault_lines(check, formatter)
    for finding in () if quiet else ranked:
        if finding.status == "satisfied" or (finding.status == "not-applicable" and finding.level == "shape"):
            yield _finding_text(finding, width, formatter)
    if verdict.status == "pass" and verdict.profile == "strict" and verdict.in_scope is False:
        yield "  - the plan is outside the task's scope: this is no fault, but a search would not find it"
    if verdict.status != "undelivered":
        yield from (f"  = {objective.text}" for objective in verdict.objectives)
    tallies = (("hard", verdict.hard), ("soft", verdict.soft))
    parts = [f"{level} {tally.satisfied}/{tally.total}" for level, tally in tallies if tally.total]
    parts += [f"{check.name} {check.tally.satisfied}/{check.tally.total}" for check in verdict.checks]
    parts += [f"{name} {value}" for name, value in verdict.metrics.items() if value is not None]
    status = formatter.style(verdict.status, fg="green" if verdict.status == "pass" else "red", bold=True)
    yield f"{status}  {verdict.task}: {', '.join(parts) or ('no constraints' if verdict.refusal is None else 'there is no plan')}"


def violation_lines(findings: Iterable[Finding], formatter: LineFormatter) -> Iterator[str]:
    """Yield lines for the findings that make a plan fail."""
    failing = [f for f in findings if f.status == "violated" and f.level != "soft"]
    width = max((len(f.constraint) for f in failing), default=0)
    for finding in sorted(failing, key=lambda f: LEVELS.index(f.level)):
        yield _finding_text(finding, width, formatter)


def _fault_lines(check: CheckSummary, formatter: LineFormatter) -> Iterator[str]:
    """Yield lines for the faults that a family's checks, other than constraints, found in an answer."""
    label = formatter.style(f"{check.label:<5}", dim=True)
    for place, fault in check.faults:
        yield f"{formatter.style('  x', **MARKS['violated'][1])} {label} {place} {fault}"


def _finding_text(finding: Finding, width: int, formatter: LineFormatter) -> str:
    mark, style = MARKS[finding.status]
    violated = finding.status == "violated"
    parts = [
        formatter.style(f"  {mark}", **style),
        formatter.style(f"{finding.level:<5}", dim=True),
        formatter.style(f"{finding.constraint:<{width}}", bold=violated) + " ",
    ]
    if finding.margin is not None:
        parts.append(formatter.style(f"({margin_text(finding.margin, finding.unit)})", **style))
    if not violated and finding.level != "shape":
        return " ".join(parts).rstrip()
    text = finding.message + (formatter.style(f"; none: {finding.none}", dim=True) if finding.none else "")
    if finding.since is not None:
        text += formatter.style(f" (since turn {finding.since})", dim=True)
    source = finding.source
    place = "" if source is None else f"{shown_file_name(source.file)}:{source.line}"
    return formatter.line(" ".join(parts), text, place)


def shown_file_name(shown: str) -> str:
    """Return the path `shown` of a document for display: only its file name if planspec ships the document."""
    path = Path(shown)
    return path.name if path.is_absolute() and path.is_relative_to(_shipped_folder()) else shown


@cache
def _shipped_folder() -> Path:
    return Workspace().shipped
