"""Comparison of a task's query with its rules, as in `draft --check`, for audits."""

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
"""Code of a difference between a task's query and its rules that is demonstrated by a plan."""


def with_words(audit: TaskAudit, task: str, model: Agent, log: Path | None, limits: Limits) -> TaskAudit:
    """Return the audit of a task with additional findings: differences from a model's formalisation of the query.

    Args:
        audit: the audit.
        task: path of the task.
        model: the model.
        log: log of replies. Logged replies are used again, and new ones are appended. None for no log.
        limits: limits of each search.

    Raises:
        OSError: the log cannot be read or written.
    """
    resume = log if log is not None and log.is_file() else None
    try:
        checked = check_text(task, model=model, log=log, resume=resume, limits=limits)
    except ModelFailedError as failed:
        return _undecided(audit, str(failed))
    except PlanspecError as error:  # the audit itself reports that the task has turns or errors
        return _undecided(audit, str(error)) if audit.result == "ok" else audit
    if checked.status == "agreed":
        return audit
    if not checked.disagreements:
        return _undecided(audit, "; ".join(checked.undecided) or "the budget is over")
    findings = [_finding(audit, each) for each in checked.disagreements]
    result = next(word for word in RESULTS if word in ("text", audit.result))
    return audit.model_copy(update={"findings": [*audit.findings, *findings], "result": result})


def _finding(audit: TaskAudit, found: DisagreementOutput) -> AuditFinding:
    rules = ", ".join(each.partition(":")[0] for each in found.rule)
    words = f'the words "{found.sentence}"' if found.sentence else "the query"
    opinion = (
        f"{words} allow a plan that the rules refuse ({rules})"
        if found.rules == "too-strict"
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
