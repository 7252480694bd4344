"""The audit of one task: checks, proofs and plans, with a result in one word."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from planspec.api.auditing.findings import (
    BACK_ENDS,
    NOT_AS_EXPECTED,
    claim_diagnostics,
    distinct_findings,
    is_text_finding,
)
from planspec.api.auditing.plans import counted_plans, has_gap, lazy_answer, other_plan, reference_audit
from planspec.api.auditing.proving import (
    AuditOptions,
    ProvedTurn,
    certify_turn,
    proved_turns,
    undecided_claims,
)
from planspec.api.auditing.task_facts import task_facts
from planspec.api.checking import DocumentCheck
from planspec.api.conversation import judges
from planspec.api.outputs.audits import RESULTS, AuditFinding, AuditOrigin, BestAudit, TaskAudit
from planspec.api.proofs import lint_report
from planspec.api.reading_text import name_in_reading
from planspec.dsl.diagnostics.diagnostic import Diagnostic, DiagnosticError, Severity
from planspec.dsl.model.proof_hash import proof_hash
from planspec.dsl.resources.paths import shown_path
from planspec.dsl.workspace.shards import split_task_path
from planspec.dsl.workspace.workspace import Workspace
from planspec.errors import LimitReachedError
from planspec.verifiers.meaning.objectives import amount

if TYPE_CHECKING:
    from fractions import Fraction

    from planspec.api.best_values import BestValues
    from planspec.api.catalog import TaskReference
    from planspec.api.outputs.audits import Proved, Result
    from planspec.api.outputs.claims import ValidateOutput
    from planspec.dsl.model.environment import Environment
    from planspec.dsl.model.reading import Reading
    from planspec.dsl.model.task import Task
    from planspec.verifiers.meaning.objectives import Amount


@dataclass(frozen=True, slots=True)
class AuditWork:
    """A task to audit.

    Attributes:
        reference: the task.
        recorded: an earlier audit of the task and its turns, which is reused if nothing has changed.
        reading: reading of its suite in which it is audited; None for the task as written.
    """

    reference: TaskReference
    recorded: tuple[TaskAudit, ...] = ()
    reading: Reading | None = None

    def __str__(self) -> str:
        return name_in_reading(str(self.reference), self.reading_name)

    @property
    def reading_name(self) -> str | None:
        """Name of the reading; None for the task as written."""
        return None if self.reading is None else self.reading.name


class TaskAuditor:
    """Auditor of one task after another. Files used by several tasks are read once.

    Args:
        options: options of the audit.
    """

    def __init__(self, options: AuditOptions) -> None:
        self._options, self._workspace = options, Workspace()

    def __call__(self, work: AuditWork) -> list[TaskAudit]:
        """Audit a task. Return an entry for it, or one for each of its turns.

        Raises:
            InternalError: the verifier and a back end contradict each other.
        """
        reference, begun = work.reference, time.process_time()
        checked = DocumentCheck(self._workspace, None)(reference.path)
        mistakes = [each for each in checked.diagnostics if each.severity is Severity.ERROR]
        task_id = checked.id or _name(reference.path)
        if mistakes:
            return [self._failed_audit(task_id, work, checked.diagnostics)]
        audits: list[TaskAudit] = []
        try:
            turns = judges(str(reference), workspace=self._workspace, expects=reference.expects, reading=work.reading)
            first = next(turns)
            if self._is_current(work.recorded, first.task):
                return list(work.recorded)
            for turn in proved_turns(chain((first,), turns), self._options):
                audits.append(self._audit(turn, checked.diagnostics, begun))
                begun = time.process_time()
        except DiagnosticError as error:
            audits.append(self._failed_audit(task_id, work, [*checked.diagnostics, *error.diagnostics]))
        except LimitReachedError as limit:
            audits.append(unaudited(work, str(limit), task_id, limits=str(self._options)))
        return audits

    def _is_current(self, recorded: tuple[TaskAudit, ...], first: Task) -> bool:
        """Return whether an earlier audit is still valid: the task, its reading and the options have not changed."""
        same = first.hash, proof_hash(first), first.expected, str(self._options)
        now = ((each.hash, each.proof_hash, each.expected, each.limits) for each in recorded[:1])
        return any(each == same for each in now) and all(
            (each.hash, each.limits) == (first.hash, str(self._options)) for each in recorded
        )

    def _failed_audit(self, task_id: str, work: AuditWork, diagnostics: Iterable[Diagnostic]) -> TaskAudit:
        """Return the audit of a task that has errors or that no back end can express."""
        findings = distinct_findings(diagnostics)
        errors = [each for each in findings if each.severity == "error"]
        inexpressible = all(each.code.startswith(BACK_ENDS) for each in errors)
        return TaskAudit(
            task=task_id,
            reading=work.reading_name,
            origin=AuditOrigin(file=errors[0].source.file, line=errors[0].source.line),
            result="unknown" if inexpressible else "none",
            expected=work.reference.expects,
            proved="unknown",
            findings=findings,
            undecided=["everything: no back end can express the task"] if inexpressible else [],
            limits=str(self._options),
        )

    def _audit(self, turn: ProvedTurn, mistakes: Iterable[Diagnostic], begun: float) -> TaskAudit:
        judge, output, options = turn.judge, turn.output, self._options
        task = judge.task
        undecided = list(undecided_claims(turn))
        plans, found = counted_plans(turn, options.most)
        reference = reference_audit(turn)
        gap = has_gap(reference) and reference is not None and reference.status == "pass"
        other = other_plan(turn, found, gap=gap)
        diagnostics = [*mistakes, *claim_diagnostics(task, output, reference, has_gap=gap)]
        if options.deep and task.turn in (None, task.turns):
            deep, finished = _deep_diagnostics(turn)
            diagnostics += deep
            undecided += [] if finished else ["what `check --deep` asks"]
        if options.certify and (reason := certify_turn(turn, options)) is not None:
            undecided.append(reason)
        findings, lazy = distinct_findings(diagnostics, task.record), lazy_answer(judge)
        words = {
            *_claim_results(output),
            *(["gap"] if gap else []),
            *(["lazy"] if lazy is not None and lazy.passes else []),
            *(["text"] if any(_is_about_text(each, task.environment) for each in findings) else []),
            *(["unknown"] if undecided else []),
        }
        result: Result = next((word for word in RESULTS if word in words), "ok")
        return TaskAudit(
            task=task.id,
            reading=task.reading,
            origin=_origin(task),
            title=task.title,
            query="\n\n".join(task.conversation),
            result=result,
            expected=task.expected,
            proved=_proved(output),
            by=_provers(output),
            plans=plans,
            reference=reference,
            other=other,
            lazy=lazy,
            findings=findings,
            undecided=undecided,
            best=_best(turn.best_values),
            facts=None if result == "ok" else task_facts(task),
            meta={key: value for key, value in task.meta.items() if isinstance(value, str | int | bool)},
            seconds=round(time.process_time() - begun, 4),
            hash=task.hash,
            proof_hash=proof_hash(task),
            limits=str(options),
        )


def unaudited(work: AuditWork, reason: str, task_id: str | None = None, limits: str = "") -> TaskAudit:
    """Return the audit of a task about which nothing was decided.

    Args:
        work: the task.
        reason: reason why nothing was decided.
        task_id: id of the task; None if unknown.
        limits: limits of the audit, as text.
    """
    reference = work.reference
    inside = split_task_path(reference.path)
    return TaskAudit(
        task=task_id or _name(reference.path),
        reading=work.reading_name,
        origin=AuditOrigin(file=str(reference.path if inside is None else inside[0]), line=1),
        result="unknown",
        expected=reference.expects,
        proved="unknown",
        undecided=[f"everything: {reason}"],
        limits=limits,
    )


def _name(path: Path) -> str:
    inside = split_task_path(path)
    return path.name.removesuffix(".yaml").removesuffix(".task") if inside is None else inside[1]


def _origin(task: Task) -> AuditOrigin:
    """Return where a task comes from: its own document, or a record in a suite's table."""
    if task.record is None:
        return AuditOrigin(file=task.span.source.name, line=task.span.line)
    span = task.record.span
    return AuditOrigin(
        file=span.source.name, line=span.line, record=task.record.number, path=shown_path(task.record.path)
    )


def _deep_diagnostics(turn: ProvedTurn) -> tuple[list[Diagnostic], bool]:
    """Return the diagnostics of `check --deep` for a turn, without those on claims, and whether the check finished."""
    report = lint_report(
        turn.judge.ground, turn.clock.rest, turn.outcome.validation, every_untold=False, lowering=turn.lowering
    )
    return [each for each in report.diagnostics if each.code != NOT_AS_EXPECTED], report.finished


def _is_about_text(each: AuditFinding, environment: Environment) -> bool:
    declares = bool(environment.settings or environment.shows or environment.tools or environment.tells)
    return is_text_finding(each, declares_environment=declares)


def _claim_results(output: ValidateOutput) -> Iterator[Result]:
    """Yield the bad results, such as `several`, that follow from proved claims and the verdict on the reference."""
    best = None if output.best is None or output.expected == "infeasible" else output.best.unique.status
    if output.reference.present and not output.reference.accepted:
        yield "none"
    if output.as_expected is False:
        yield "several" if output.expected == "unique" and output.unique.status == "multiple" else "none"
    if best in ("multiple", "infeasible"):
        yield "several" if best == "multiple" else "none"


def _proved(output: ValidateOutput) -> Proved:
    match output.unique.status:
        case "unique" | "multiple" | "infeasible" as status:
            return status
        case _:
            return "feasible" if output.feasible.status == "feasible" else "unknown"


def _provers(output: ValidateOutput) -> list[str]:
    """Return the back ends that prove the claim."""
    claim = output.feasible if output.unique.status == "unknown" else output.unique
    return [name for name, each in claim.backends.items() if each.status == claim.status != "unknown"]


def _best(best: BestValues | None) -> BestAudit | None:
    def shown(value: Fraction | None) -> Amount | None:
        return None if value is None else amount(value)

    if best is None:
        return None
    return BestAudit(
        soft_weight=best.soft_weight,
        values=[shown(value.best) for value in best.values],
        bounds=[shown(value.bound) for value in best.values],
        by=list(best.by),
        scope=best.scope,
    )


__all__ = ["AuditOptions", "AuditWork", "TaskAuditor", "unaudited"]
