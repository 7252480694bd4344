"""Output models of audits: proved claims about each task of a suite, and verdicts on published answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, get_args

from planspec.api.outputs.base import Output
from planspec.dsl.model.expectation import Expectation
from planspec.verifiers.meaning.objectives import Amount, ObjectiveValue

Result: TypeAlias = Literal["none", "several", "gap", "lazy", "text", "unknown", "ok"]
"""Result of a task's audit: the worst that applies."""
RESULTS: tuple[Result, ...] = get_args(Result)
"""The results, worst first."""
ERRORS: frozenset[Result] = frozenset({"none", "several", "lazy"})
"""Results that make an audit fail."""
Proved: TypeAlias = Literal["unique", "multiple", "feasible", "infeasible", "unknown"]
PROVED: tuple[Proved, ...] = get_args(Proved)
ReferenceStatus: TypeAlias = Literal["pass", "fail", "absent"]


class AuditOrigin(Output):
    """Where a task comes from. `record` and `path` are null for a task with its own document."""

    file: str
    line: int
    record: int | None = None
    path: str | None = None


class AuditPlace(Output):
    """A span of text. Lines and columns count from 1, and ends are exclusive.

    Attributes:
        field: JSON pointer of the field of a record, such as `/prompt`; null outside records.
    """

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    field: str | None = None

    def __str__(self) -> str:
        """Return the place as text, such as `requests.jsonl:140 /prompt`."""
        place = f"{self.file}:{self.line}"
        return place if self.field is None else f"{place} {self.field}"


class AuditFinding(Output):
    """A mistake or a weakness of a task.

    Attributes:
        code: code of the diagnostic, which `planspec explain` explains.
        message: headline.
        detail: remark on the marked text, possibly empty.
        help: remedy or example; empty without one.
        source: place in the document.
    """

    code: str
    severity: Literal["error", "warning"]
    message: str
    detail: str = ""
    help: str | None = None
    source: AuditPlace


class PlanCount(Output):
    """Number of plans that differ in the fields compared for uniqueness. It is a lower bound unless `exact` is true."""

    count: int
    exact: bool


class ReferenceAudit(Output):
    """The author's answer.

    Attributes:
        status: status of its verdict.
        answer: the answer.
        violations: reasons why the answer fails; empty if it passes.
        objectives: its objective values, compared with those of the best known plan.
    """

    status: Literal["pass", "fail", "undelivered"]
    answer: Any
    violations: list[str] = []
    objectives: list[ObjectiveValue] = []


class OtherPlan(Output):
    """A passing plan for comparison with the reference or, without one, with the first plan that was found.

    Attributes:
        kind: `another` plan; a plan `better` than the reference; or the `nearest` plan to a failing reference.
        plan: the plan as an answer.
        differs: differences from the reference to the plan, such as `meeting.start 12:30 -> 11:30`.
        first: the plan with which it is compared if there is no reference; else null.
    """

    kind: Literal["another", "better", "nearest"]
    plan: Any
    differs: list[str]
    first: Any = None


class LazyAnswer(Output):
    """Result of an answer without rows: whether it passes, and the share of soft constraints that it satisfies."""

    passes: bool
    soft: float | None = None


class BestAudit(Output):
    """Values of the best known plan. `by` names the back ends that prove that no plan is better."""

    soft_weight: int
    values: list[Amount | None]
    bounds: list[Amount | None]
    by: list[str]
    scope: Literal["within", "beyond"]


class FactTable(Output):
    """The first rows of a table in a task's own facts. `count` is the number of all rows.

    Empty cells are empty strings.
    """

    name: str
    columns: list[str]
    rows: list[list[str]]
    count: int


class TaskFacts(Output):
    """Facts of a task as text: its givens, and the tables in its own document or record."""

    givens: Mapping[str, str]
    tables: list[FactTable]


class TaskAudit(Output):
    """Audit of a task, or of one of its turns.

    Attributes:
        reading: name of the task's reading; null for the task as written.
        proved: the proved claim; `feasible` if only the existence of a plan is proved.
        by: back ends that prove this claim.
        plans: number of plans; null if none was counted.
        reference: the author's answer; null without one.
        other: another passing plan; null if none is known.
        lazy: result of an answer without rows; null if the task is expected to have no plan.
        undecided: questions that were not decided in time. They explain the result `unknown`.
        duplicates: ids of tasks in the suite with the same plans or the same query.
        best: values of the best known plan; null for a task without objectives.
        facts: givens and rows; null for a task without problems, and for one with errors.
        meta: scalar entries of the task's `meta`, by which audits group tasks.
        seconds: CPU time of the audit, in seconds.
        hash: SHA-256 of the texts from which the task was read.
        proof_hash: SHA-256 of everything that affects which plans pass; empty if the task has errors.
        limits: limits of the audit, as text. Decided results do not depend on them.
    """

    task: str
    reading: str | None = None
    origin: AuditOrigin
    title: str = ""
    query: str = ""
    result: Result
    expected: Expectation | None
    proved: Proved
    by: list[str] = []
    plans: PlanCount | None = None
    reference: ReferenceAudit | None = None
    other: OtherPlan | None = None
    lazy: LazyAnswer | None = None
    findings: list[AuditFinding] = []
    undecided: list[str] = []
    duplicates: list[str] = []
    best: BestAudit | None = None
    facts: TaskFacts | None = None
    meta: Mapping[str, str | int | bool] = {}
    seconds: float = 0
    hash: str = ""
    proof_hash: str = ""
    limits: str = ""

    def __repr__(self) -> str:
        return f"<TaskAudit of {self.task}: {self.result}>"


class AuditTotals(Output):
    """Counts over tasks.

    Attributes:
        value: value of the key by which tasks are grouped; null for tasks without it.
        summary: number of tasks by result.
        proved: number of tasks by proved claim.
        references: number of tasks by the status of their reference.
    """

    value: str | None = None
    tasks: int
    summary: Mapping[str, int]
    proved: Mapping[str, int]
    references: Mapping[str, int]


class RateOutput(Output):
    """A share of answers with its 95 % interval (Wilson). Both are null without answers."""

    passed: int
    share: float | None
    low: float | None
    high: float | None


class VerdictCells(Output):
    """Numbers of answers by planspec's verdict (right or wrong) and another judge's verdict (accepted or refused).

    Attributes:
        both: right and accepted.
        refused: right but refused.
        accepted: wrong but accepted.
        neither: wrong and refused.
    """

    both: int
    refused: int
    accepted: int
    neither: int


class VerdictDisagreement(Output):
    """An answer on which two judges disagree.

    Attributes:
        right: whether the answer is right by planspec's verdict.
        reasons: violations of a wrong answer, or differences of a right answer from the reference.
        answer: the answer as written in the file.
    """

    task: str
    right: bool
    reasons: list[str]
    answer: Any = None


class AnswersAudit(Output):
    """Audit of published answers, and of another judge's verdicts on them.

    Attributes:
        answers: number of answers.
        right: share of right answers.
        undecided: ids of tasks whose answers cannot be judged because their best plan is not proved.
        theirs: share of answers that the other judge accepts; null without such verdicts. It counts answers that both
            judges decided.
        corrected: share of right answers among the answers that both judges decided.
        cells: counts of these answers by both verdicts; null without verdicts of another judge.
        disagreements: answers on which the judges disagree.
        unmatched: task ids of verdicts without an answer.
        unread: messages about unreadable lines.
    """

    answers: int
    right: RateOutput
    undecided: list[str] = []
    theirs: RateOutput | None = None
    corrected: RateOutput | None = None
    cells: VerdictCells | None = None
    disagreements: list[VerdictDisagreement] = []
    unmatched: list[str] = []
    unread: list[str] = []


class AuditOutput(Output):
    """The result of `audit`: all tasks of a suite, and published answers to them.

    Attributes:
        readings: names of the readings; empty for the tasks as written.
        summary: number of tasks by result.
        proved: number of tasks by proved claim.
        references: number of tasks by the status of their reference.
        findings: mistakes in the suite's own document.
        by: key of `meta` by which `strata` groups the tasks; null without one.
        seconds: CPU time of the audit, in seconds.
        versions: versions of the back ends.
        scorer: audit of another scorer by answers with proved verdicts; null if not requested.
        answers: published answers; null if none were given.
    """

    suite: str
    readings: list[str] = []
    summary: Mapping[str, int]
    proved: Mapping[str, int]
    references: Mapping[str, int]
    tasks: list[TaskAudit]
    findings: list[AuditFinding] = []
    by: str | None = None
    strata: list[AuditTotals] = []
    most: int
    seconds: float
    versions: Mapping[str, str]
    scorer: Any = None
    answers: AnswersAudit | None = None

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {result}" for result, count in self.summary.items() if count)
        return f"<AuditOutput of {self.suite}: {counts or 'no tasks'}>"

    def __str__(self) -> str:
        """Return the text that `planspec audit` prints."""
        from planspec.api.auditing.text import audit_lines
        from planspec.text import PlainFormatter

        return "\n".join(audit_lines(self, PlainFormatter()))


OUTPUTS: dict[str, Any] = {
    "audit": AuditOutput,
}
"""Pydantic models of the JSON output of commands, by name."""
