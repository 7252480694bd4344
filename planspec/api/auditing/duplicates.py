"""Tasks of a suite that are nearly the same: they have the same plans, or agents read the same query.

Tasks have the same plans for sure if their proof hashes are equal. Queries are compared without case and with one
space for each run of blanks. Turns of one task are not compared with each other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from planspec.api.auditing.findings import DUPLICATE
from planspec.api.outputs.audits import AuditFinding, AuditPlace, TaskAudit


def with_duplicates(tasks: Sequence[TaskAudit]) -> list[TaskAudit]:
    """Return audits with the ids of near-duplicates, and a finding on each task that has one before it."""
    groups: dict[tuple[str, str], list[TaskAudit]] = defaultdict(list)
    for task in tasks:
        for key in _keys(task):
            groups[key].append(task)
    others: dict[str, dict[str, str]] = {task.task: {} for task in tasks}
    for (kind, _), members in groups.items():
        for task in members:
            for other in members:
                if _base(other) != _base(task):
                    others[task.task].setdefault(other.task, kind)
    before: set[str] = set()
    audits: list[TaskAudit] = []
    for task in tasks:
        near = others[task.task]
        findings = [*task.findings, *(_finding(task, other, kind) for other, kind in near.items() if other in before)]
        audits.append(task.model_copy(update={"duplicates": list(near), "findings": findings}) if near else task)
        before.add(task.task)
    return audits


def _keys(task: TaskAudit) -> Iterable[tuple[str, str]]:
    query = " ".join(task.query.split()).casefold()
    return [(kind, key) for kind, key in (("plans", task.proof_hash), ("query", query)) if key]


def _base(task: TaskAudit) -> str:
    return task.task.partition("@")[0]


def _finding(task: TaskAudit, other: str, kind: str) -> AuditFinding:
    origin, same = task.origin, "rules and facts" if kind == "plans" else "query"
    return AuditFinding(
        code=DUPLICATE,
        severity="warning",
        message=f"`{other}` has the same {same}",
        detail="the same task twice" if kind == "plans" else "one query for two tasks",
        source=AuditPlace(file=origin.file, line=origin.line, column=1, end_line=origin.line, end_column=1),
    )
