"""Near-duplicate tasks of a suite: tasks with the same plans, or with the same query.

Tasks with equal proof hashes have the same plans. Queries are compared without regard to case and white space. Turns of
one task are not compared with each other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from planspec.api.auditing.findings import DUPLICATE
from planspec.api.outputs.audits import AuditFinding, AuditPlace, TaskAudit


def with_duplicates(tasks: Sequence[TaskAudit]) -> list[TaskAudit]:
    """Return the audits, extended by the ids of near-duplicate tasks.

    A task with an earlier near-duplicate also gets a finding. Tasks are compared only
    within the same reading (named set of parameters).
    """
    groups: dict[tuple[str | None, str, str], list[int]] = defaultdict(list)
    for place, task in enumerate(tasks):
        for kind, key in _comparison_keys(task):
            groups[task.reading, kind, key].append(place)
    others: list[dict[int, str]] = [{} for _ in tasks]
    for (_, kind, _), members in groups.items():
        for place in members:
            for other in members:
                if _task_id(tasks[other]) != _task_id(tasks[place]):
                    others[place].setdefault(other, kind)
    audits: list[TaskAudit] = []
    for place, (task, near) in enumerate(zip(tasks, others, strict=True)):
        added = [_finding(task, tasks[other].task, kind) for other, kind in near.items() if other < place]
        update = {"duplicates": [tasks[other].task for other in near], "findings": [*task.findings, *added]}
        audits.append(task.model_copy(update=update) if near else task)
    return audits


def _comparison_keys(task: TaskAudit) -> Iterable[tuple[str, str]]:
    """Return pairs of a kind of comparison, `plans` or `query`, and the value that near-duplicates have in common."""
    query = " ".join(task.query.split()).casefold()
    return [(kind, key) for kind, key in (("plans", task.proof_hash), ("query", query)) if key]


def _task_id(task: TaskAudit) -> str:
    return task.task.partition("@")[0]


def _finding(task: TaskAudit, other: str, kind: str) -> AuditFinding:
    origin = task.origin
    is_twin = kind == "plans"
    return AuditFinding(
        code=DUPLICATE,
        severity="warning",
        message=f"`{other}` has the same rules and facts, and so the same plans"
        if is_twin
        else f"`{other}` has the same query, and other rules or facts",
        detail="proofs see no difference between them" if is_twin else "one query for two tasks",
        source=AuditPlace(file=origin.file, line=origin.line, column=1, end_line=origin.line, end_column=1),
    )
