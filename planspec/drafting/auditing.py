"""Comparison of a task's query with its rules, the same as in `draft --check`, as a part of audits."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from planspec.agents.agent import Agent
from planspec.api.outputs.audits import RESULTS, AuditFinding, AuditPlace, TaskAudit
from planspec.drafting.calls import ModelFailedError
from planspec.drafting.output import DisagreementOutput
from planspec.drafting.verbs import check_text
from planspec.errors import PlanspecError

if TYPE_CHECKING:
    from planspec.solvers.backends.outcome import Limits

CODE = "PS444"
"""Diagnostic code for a plan that shows a difference between a task's query and its rules."""


def with_words(audit: TaskAudit, task: str, model: Agent, log: Path | None, limits: Limits) -> TaskAudit:
    """Return an audit extended by findings where a task's rules differ from a model's formalisation of its query.

    Args:
        audit: audit of the task.
        task: path of the task.
        model: model that formalises the query.
        log: file of the model's replies. Logged replies are reused, and new ones are appended. None for no log.
        limits: limits of each search.

    Raises:
        OSError: the log cannot be read or written.
    """
    resume = log if log is not None and log.is_file() else None
    try:
        checked = check_text(task, model=model, log=log, resume=resume, limits=limits)
    except ModelFailedError as failed:
        return _undecided(audit, str(failed))
    except PlanspecError as error:  # such a task cannot be compared with its query; the audit already reports why
        return _undecided(audit, str(error)) if audit.result == "ok" else audit
    if checked.status == "agreed":
        return audit
    if not checked.disagreements:
        return _undecided(audit, "; ".join(checked.undecided) or "the budget is over")
    findings = [_finding(audit, each) for each in checked.disagreements]
    result = next(word for word in RESULTS if word in ("text", audit.result))
    return audit.model_copy(update={"findings": [*audit.findings, *findings], "result": result})


def _finding(audit: TaskAudit, disagreement: DisagreementOutput) -> AuditFinding:
    rules = ", ".join(each.partition(":")[0] for each in disagreement.rule)
    words = f'the words "{disagreement.sentence}"' if disagreement.sentence else "the query"
    opinion = (
        f"{words} allow a plan that the rules refuse ({rules})"
        if disagreement.rules == "too-strict"
        else f"{words} forbid a plan that the rules accept ({rules} of a second formalisation)"
    )
    line = audit.origin.line
    return AuditFinding(
        code=CODE,
        severity="warning",
        message=f"query and rules differ: {opinion}",
        detail="a model's reading; `draft --check` shows the plan",
        source=AuditPlace(file=audit.origin.file, line=line, column=1, end_line=line, end_column=1),
    )


def _undecided(audit: TaskAudit, reason: str) -> TaskAudit:
    result = next(word for word in RESULTS if word in ("unknown", audit.result))
    return audit.model_copy(
        update={"undecided": [*audit.undecided, f"words against rules: {reason}"], "result": result}
    )
