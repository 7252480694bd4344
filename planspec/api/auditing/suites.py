"""The audit of a suite: audits of its tasks, counts in total and by group, and near-duplicates."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from planspec.api.auditing.duplicates import with_duplicates
from planspec.api.auditing.findings import distinct_findings
from planspec.api.auditing.tasks import AuditOptions, AuditWork, TaskAuditor, unaudited
from planspec.api.catalog import Catalog
from planspec.api.checking import DocumentCheck
from planspec.api.loading import name_of
from planspec.api.outputs.audits import PROVED, RESULTS, AuditFinding, AuditOutput, AuditTotals, TaskAudit
from planspec.api.readings import select_readings
from planspec.dsl.resources.limits import RECORDS_BYTES
from planspec.dsl.resources.reading import read_bytes
from planspec.dsl.workspace.shards import is_shard
from planspec.parallel import PerWorker, map_parallel
from planspec.solvers.backends.register import PROVERS
from planspec.solvers.backends.versions import version_of

if TYPE_CHECKING:
    from planspec.api.catalog import TaskReference
    from planspec.dsl.model.reading import Reading
    from planspec.parallel import Jobs

RECORDS = "audit.jsonl"
"""File in a folder, with the audit of one task on each line."""


@dataclass(frozen=True, slots=True)
class SuiteToAudit:
    """A suite to audit, or a single task that is treated as one.

    Attributes:
        id: id of the suite or of the task.
        work: tasks to audit.
        findings: mistakes in the suite's own document.
    """

    id: str
    work: tuple[AuditWork, ...]
    findings: tuple[AuditFinding, ...] = ()

    @property
    def readings(self) -> list[str]:
        """Names of the readings in which the tasks are audited; empty for the tasks as written."""
        return list(dict.fromkeys(each.reading.name for each in self.work if each.reading is not None))


def suite_to_audit(
    suite: str | PathLike[str], recorded: Iterable[TaskAudit] = (), readings: Sequence[str] | None = None
) -> SuiteToAudit:
    """Return a suite with its tasks to audit.

    Args:
        suite: path, folder or id of a suite or a task.
        recorded: earlier audits, which are reused for tasks that have not changed.
        readings: names of readings (interpretations of the requests) in which each task is audited, or `all`; None for
            the tasks as written.

    Raises:
        NotFoundError: there is no such suite, task or reading.
        DiagnosticError: the suite has errors.
        TypeError: `suite` is neither a path nor an id.
    """
    name, catalog = name_of(suite), Catalog()
    references = select_readings(catalog.expand(name), readings, {}) if readings else catalog.expand(name)
    earlier: dict[tuple[str, str | None], list[TaskAudit]] = {}
    for each in recorded:
        earlier.setdefault((each.task.partition("@")[0], each.reading), []).append(each)
    ids = {path: task for task, path in catalog.ids(reference.path for reference in references)}

    def work_on(reference: TaskReference, reading: Reading | None) -> AuditWork:
        key = ids.get(reference.path, ""), None if reading is None else reading.name
        return AuditWork(reference, tuple(earlier.get(key, ()) if reference.turn is None else ()), reading)

    work = tuple(work_on(each, reading) for each in references for reading in (each.readings if readings else (None,)))
    if not catalog.means_several(name):
        return SuiteToAudit(next(iter(ids.values()), name), work)
    path = catalog.suite_path(name)
    if path.is_dir() or is_shard(path):
        return SuiteToAudit(path.resolve().name.split(".")[0], work)
    checked = DocumentCheck(catalog.workspace, None)(path)
    return SuiteToAudit(checked.id, work, tuple(distinct_findings(checked.diagnostics)))


def audit_output(
    suite: SuiteToAudit, tasks: Sequence[TaskAudit], options: AuditOptions, by: str | None = None
) -> AuditOutput:
    """Return the audit of a suite.

    Args:
        suite: the suite.
        tasks: audits of its tasks, in order.
        options: options of the audit.
        by: key of `meta` by which the tasks are grouped; None for no groups.
    """
    tasks = with_duplicates(tasks)
    totals = totals_of(tasks)
    return AuditOutput(
        suite=suite.id,
        readings=suite.readings,
        summary=totals.summary,
        proved=totals.proved,
        references=totals.references,
        tasks=tasks,
        findings=list(suite.findings),
        by=by,
        strata=[] if by is None else strata(tasks, by),
        most=options.most,
        seconds=round(sum(task.seconds for task in tasks), 3),
        versions={name: version for name in PROVERS if (version := version_of(name)) is not None},
    )


def strata(tasks: Iterable[TaskAudit], by: str) -> list[AuditTotals]:
    """Return counts for each value of a key of `meta`. Tasks without the key come last."""
    groups: dict[Any, list[TaskAudit]] = {}
    for task in tasks:
        groups.setdefault(task.meta.get(by), []).append(task)
    order = sorted(groups, key=lambda value: (value is None, isinstance(value, str), value if value is not None else 0))
    return [totals_of(groups[value], None if value is None else _shown_value(value)) for value in order]


def _shown_value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def totals_of(tasks: Collection[TaskAudit], value: str | None = None) -> AuditTotals:
    """Return counts over tasks."""
    results = Counter(task.result for task in tasks)
    proved = Counter(task.proved for task in tasks)
    references = Counter("absent" if task.reference is None else task.reference.status for task in tasks)
    return AuditTotals(
        value=value,
        tasks=len(tasks),
        summary={result: results[result] for result in RESULTS},
        proved={claim: proved[claim] for claim in PROVED},
        references={
            "pass": references["pass"],
            "fail": references["fail"] + references["undelivered"],
            "absent": references["absent"],
        },
    )


def recorded_audits(folder: Path) -> list[TaskAudit]:
    """Read the audits recorded in a folder. An incomplete last line is skipped.

    Raises:
        ValueError: a line is not the audit of a task. The message names the line.
        OSError: the file cannot be read.
    """
    path = folder / RECORDS
    if not path.exists():
        return []
    audits: dict[tuple[str, str | None], TaskAudit] = {}
    for number, line in enumerate(read_bytes(path, RECORDS_BYTES).split(b"\n")[:-1], 1):
        try:
            audit = TaskAudit.model_validate_json(line)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            raise ValueError(f"`{path}`, line {number} is no audit of a task: {first['msg']}") from None
        audits[audit.task, audit.reading] = audit
    return list(audits.values())


@contextmanager
def record_file(folder: Path) -> Iterator[Callable[[Iterable[TaskAudit]], None]]:
    """Open a folder's file of audits for appending. Missing ones are created, an incomplete last line is removed.

    Yields:
        A function that adds audits.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / RECORDS).open("ab+") as file:
        file.seek(0)
        file.truncate(file.read().rfind(b"\n") + 1)

        def add(audits: Iterable[TaskAudit]) -> None:
            file.writelines(audit.model_dump_json().encode() + b"\n" for audit in audits)
            file.flush()

        yield add


def audit_tasks(suite: SuiteToAudit, options: AuditOptions, jobs: Jobs = 1) -> list[TaskAudit]:
    """Audit the tasks of a suite, in order.

    Args:
        suite: the suite.
        options: options of the audit.
        jobs: number of processes, or a Ray cluster.

    Raises:
        InternalError: the verifier and a back end contradict each other.
    """
    from functools import partial

    from planspec.errors import LostWorkerError

    def lost(work: AuditWork, error: Exception) -> list[TaskAudit]:
        if not isinstance(error, LostWorkerError):
            raise error
        return [unaudited(work, str(error))]

    make = PerWorker(partial(TaskAuditor, options))
    return [audit for audits in map_parallel(make, suite.work, jobs, failed=lost) for audit in audits]
