"""Findings of an audit: diagnostics of other checks, and diagnostics that only an audit reports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from typing import TYPE_CHECKING

from planspec.api.outputs.audits import AuditFinding, AuditPlace
from planspec.dsl.diagnostics.diagnostic import Diagnostic, Report
from planspec.dsl.diagnostics.rendering import line_and_column_range, reported_span
from planspec.dsl.diagnostics.sarif import sarif_log, sarif_result
from planspec.verifiers.answers.findings import pointer

if TYPE_CHECKING:
    from pydantic import JsonValue

    from planspec.api.outputs.audits import AuditOutput, ReferenceAudit, TaskAudit
    from planspec.api.outputs.claims import ValidateOutput
    from planspec.dsl.model.origin import RecordOrigin
    from planspec.dsl.model.task import Task

NOT_AS_EXPECTED = "PS436"
REFUSED, GAP, DUPLICATE = "PS620", "PS621", "PS622"
CLAIM_CODES = frozenset({NOT_AS_EXPECTED, REFUSED, GAP})
"""Diagnostic codes for claims. An audit reports the proofs of these claims anyway."""
BACK_ENDS = "PS5"
"""Prefix of diagnostic codes for parts of the language that a back end cannot express."""
TEXT_CODES = frozenset({"PS441", "PS442", "PS443"})
"""Diagnostic codes for differences between a task's query and its rules."""
UNTOLD = "PS430"
"""Diagnostic code for a fact that affects verdicts but that agents cannot learn."""


def finding(diagnostic: Diagnostic, record: RecordOrigin | None = None) -> AuditFinding:
    """Return a diagnostic as a finding.

    Args:
        diagnostic: the diagnostic.
        record: record from which the task was made; None for a task with its own document.
    """
    span = reported_span(diagnostic)
    line, column, end_line, end_column = line_and_column_range(span)
    way = None if record is None else record.field_at(span)
    place = AuditPlace(
        file=span.source.name,
        line=line,
        column=column,
        end_line=end_line,
        end_column=end_column,
        field=None if way is None else reduce(pointer, way, ""),
    )
    return AuditFinding(
        code=diagnostic.code,
        severity=diagnostic.severity.value,
        message=diagnostic.message,
        detail=diagnostic.primary.text,
        help=diagnostic.help,
        source=place,
    )


def distinct_findings(diagnostics: Iterable[Diagnostic], record: RecordOrigin | None = None) -> list[AuditFinding]:
    """Return diagnostics as findings, without duplicates. For `record`, see `finding`."""
    report = Report()
    for diagnostic in diagnostics:
        report.add(diagnostic)
    return [finding(diagnostic, record) for diagnostic in report.ordered()]


def claim_diagnostics(
    task: Task, output: ValidateOutput, reference: ReferenceAudit | None, *, has_gap: bool
) -> Iterator[Diagnostic]:
    """Yield diagnostics of proof results: an unexpected claim, a refused reference, and its gap.

    Args:
        task: the task.
        output: proved claims.
        reference: the author's answer; None without one.
        has_gap: whether a better plan than the reference exists.
    """
    report, place = Report(), task.place
    if output.as_expected is False:
        message = f"{_EXPECTED[output.expected]} is expected, and {_proved_words(output)}"
        report.warning(NOT_AS_EXPECTED, message, place, f"expected {output.expected}")
    for status, words in _BEST.items():
        if output.best is not None and output.best.unique.status == status:
            report.warning(
                NOT_AS_EXPECTED, f"one best plan is expected, and {words}", place, "`unique_best` is violated"
            )
    if reference is not None and reference.status != "pass":
        reasons = "; ".join(reference.violations) or "it is no answer"
        report.warning(REFUSED, "the reference does not pass", place, reasons)
    if has_gap and reference is not None:
        values = "; ".join(objective.text for objective in reference.objectives)
        report.warning(GAP, "the reference is not the best plan", place, values)
    yield from report.diagnostics


_EXPECTED = {"unique": "one plan", "feasible": "a plan", "infeasible": "no plan"}
_BEST = {
    "multiple": "there are several",
    "infeasible": "no plan keeps every soft constraint",
}
"""Texts about violated claims of `unique_best`, by status."""


def _proved_words(output: ValidateOutput) -> str:
    if output.feasible.status == "infeasible":
        return "there is one outside the scope" if output.expected == "infeasible" else "there is none"
    return "there is a plan" if output.expected == "infeasible" else "there are several plans"


def is_text_finding(each: AuditFinding, *, declares_environment: bool) -> bool:
    """Return whether a finding is about a difference between the rules and the texts that agents read.

    For a task without a declared environment, facts missing from these texts do not count: agents then read only the
    query, which that check does not examine.
    """
    return each.code in TEXT_CODES or (each.code == UNTOLD and declares_environment)


def has_errors(task: TaskAudit) -> bool:
    """Return whether a task has errors. Nothing is proved about such a task."""
    return any(each.severity == "error" for each in task.findings)


def sarif(audit: AuditOutput) -> dict[str, JsonValue]:
    """Return the findings of an audit as a SARIF log, without duplicates."""
    from importlib.metadata import version

    findings = [*audit.findings, *(each for task in audit.tasks for each in task.findings)]
    distinct = {(each.code, each.source, each.message): each for each in findings}
    return sarif_log(map(_sarif_result, distinct.values()), version=version("planspec"))


def _sarif_result(each: AuditFinding) -> dict[str, JsonValue]:
    place = (each.source.line, each.source.column, each.source.end_line, each.source.end_column)
    return sarif_result(each.code, each.severity, (each.message, each.detail, each.help), each.source.file, place)
