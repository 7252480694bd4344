"""Rescoring of a run by the current version of its suite: changed verdicts, and metrics before and after."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import JsonValue

from planspec.api.catalog import Catalog, suite_folder
from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.workspace.workspace import Workspace
from planspec.environments import open_task
from planspec.errors import NotFoundError
from planspec.parallel import PerWorker, map_parallel, naming
from planspec.runs import Attempt, ChangedSuiteError, Failure, InvalidRunError, RunFolder, chain
from planspec.runs.attempting import judge_again
from planspec.runs.record import RescoredRun, Run
from planspec.runs.running import fingerprint, package_versions, read_tasks, task_paths
from planspec.runs.suite_copy import SuiteCopy, UsedFiles, copy_suite
from planspec.scores.rescoring_report import MovedConstraint, MovedVerdict, Rescoring
from planspec.scores.scoring import run_metrics
from planspec.traces.metrics import trace_metrics

Judged: TypeAlias = tuple[dict[str, Any], Failure | None]
"""A verdict as JSON, and the failure of the attempt, or None."""


def rescore(
    run: str | PathLike[str],
    suite: str | PathLike[str] | None = None,
    *,
    out: str | PathLike[str] | None = None,
    jobs: int = 1,
) -> Rescoring:
    """Judge the attempts of a run again, by the current version of its suite or by another version.

    No agent is run, and the run is not changed. The new verdicts form a new run, which can be reported and compared like any other. Its header names the original run.

    Args:
        run: folder of the run.
        suite: path, folder or id of the suite; None for the run's own suite.
        out: folder of the new run, which must be empty or absent; None for `RUN-rescored`.
        jobs: number of processes.

    Raises:
        NotFoundError: there is no such suite.
        DiagnosticError: a task has errors.
        PlanspecError: the folder is not a run, or was changed; the new folder is not empty; or the suite has
            no task of the run.
        OSError: the new folder cannot be written.
    """
    folder = RunFolder(Path(run))
    header = folder.read_header()
    attempts = list(folder.attempts())
    new = RunFolder(Path(out) if out is not None else _new_folder(folder.path))
    if new.path.resolve() == folder.path.resolve() or (new.path.is_dir() and any(new.path.iterdir())):
        raise InvalidRunError(f"`{new.path}` is not empty; the new scores need a folder of their own")
    catalog = Catalog()
    place = catalog.suite_path(str(suite) if suite is not None else header.suite_path)
    opened = catalog.suite(str(place))
    paths = dict(catalog.ids(opened.tasks))
    shared = tuple(task for task in header.tasks if task in paths)
    if not shared:
        raise ChangedSuiteError(f"the suite `{opened.id}` has none of the tasks of the run")
    by_task: dict[str, list[Attempt]] = {task: [] for task in shared}
    for attempt in attempts:
        if attempt.task in by_task:
            by_task[attempt.task].append(attempt)
    orders = [
        _RejudgeRequest(str(paths[task]), header.setting or None, str(suite_folder(place)), tuple(group))
        for task, group in by_task.items()
    ]
    digest, used = hashlib.sha256(), UsedFiles({task: paths[task] for task in shared})
    judged: dict[tuple[str, int], Judged] = {}
    rejudged = map_parallel(PerWorker(_Rejudger), orders, jobs, failed=naming(lambda order: f"`{order.path}`"))
    for task, result in zip(by_task, rejudged, strict=True):
        digest.update(result.fingerprint)
        used.files |= dict.fromkeys(result.files)
        judged.update(
            {(task, attempt.repeat): verdict for attempt, verdict in zip(by_task[task], result.verdicts, strict=True)}
        )
    before = _metrics_before(folder, header, catalog.workspace, jobs)
    source = RescoredRun(
        run=folder.path.resolve().name,
        suite_sha256=header.suite_sha256,
        header_sha256=chain.first_seal(folder.header_file.read_bytes()),
        seal=attempts[-1].chain if attempts else None,
    )
    new.create(
        header.model_copy(
            update={
                "suite": opened.id,
                "suite_path": str(place),
                "suite_sha256": digest.hexdigest(),
                "family": opened.family,
                "tasks": shared,
                "versions": package_versions(),
                "rescored": source,
                "chained": True,
            }
        )
    )
    copy_suite(new.path, place, opened, used)
    same = header.suite_sha256 == digest.hexdigest()
    with new.writing() as file:
        for attempt in attempts:
            if attempt.task in by_task:
                verdict, failure = judged[attempt.key]
                # the needed facts are unknown for a changed suite or verdict
                is_current = same and verdict["status"] == attempt.status
                update = {
                    "verdict": verdict,
                    "failure": failure,
                    "facts": attempt.facts if is_current else None,
                    "read": attempt.read if is_current else None,
                    "chain": None,
                }
                file.add(attempt.model_copy(update=update))
    moved = (_find_change(attempt, judged[attempt.key][0]) for attempt in attempts if attempt.task in by_task)
    return Rescoring(
        run=str(folder.path),
        out=str(new.path),
        suite=opened.id,
        attempts=len(judged),
        moved=tuple(each for each in moved if each is not None),
        metrics=run_metrics(new, jobs=jobs),
        before=before,
        gone=tuple(task for task in header.tasks if task not in paths),
        added=tuple(task for task in paths if task not in header.tasks),
    )


def _new_folder(run: Path) -> Path:
    """Return the path of a folder beside the run that does not exist yet."""
    base = run.resolve()
    path, number = base.with_name(f"{base.name}-rescored"), 1
    while path.exists():
        number += 1
        path = base.with_name(f"{base.name}-rescored-{number}")
    return run.parent / path.name


def _metrics_before(folder: RunFolder, header: Run, workspace: Workspace, jobs: int) -> Mapping[str, JsonValue] | None:
    """Return the metrics of the recorded verdicts.

    Return None if they require files of the unchanged suite, which no longer exists.
    """
    try:
        if (
            trace_metrics(header.family) is not None and SuiteCopy.of(folder.path) is None
        ):  # metrics of traces need files of the suite
            catalog = Catalog(workspace)
            paths = task_paths(header.tasks, catalog.suite(header.suite_path), catalog)
            current = read_tasks(paths.values(), workspace)
            if current != (header.tasks, header.suite_sha256):
                return None
        return run_metrics(folder, jobs=jobs)
    except (ChangedSuiteError, NotFoundError, DiagnosticError):
        return None


# -- one task ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _RejudgeRequest:
    """A request to judge the attempts at a task again, by the current file of the task."""

    path: str
    setting: str | None
    folder: str
    attempts: Sequence[Attempt]


@dataclass(frozen=True, slots=True)
class _RejudgedAttempts:
    """New verdicts on the attempts at a task, the hash of the task's documents, and their files."""

    verdicts: tuple[Judged, ...]
    fingerprint: bytes
    files: tuple[Path, ...]


class _Rejudger:
    """Judges attempts in one workspace, so that files used by several tasks are read once."""

    def __init__(self) -> None:
        self._workspace = Workspace()

    def __call__(self, order: _RejudgeRequest) -> _RejudgedAttempts:
        opened = open_task(order.path, order.setting, folder=Path(order.folder), workspace=self._workspace)
        verdicts = tuple(judge_again(attempt, opened) for attempt in order.attempts)
        used = UsedFiles()
        used.add(opened.judge.task, Path(order.path))
        return _RejudgedAttempts(verdicts, fingerprint(opened.judge.task), tuple(used.files))


# -- what changed -----------------------------------------------------------------------------------


def _find_change(attempt: Attempt, verdict: Mapping[str, Any]) -> MovedVerdict | None:
    """Return the change of a verdict; None if its status and its violations are the same as before."""
    because = tuple(sorted(_changed_constraints(attempt.verdict, verdict), key=lambda c: c.level == "soft"))
    if attempt.status == verdict["status"] and not because:
        return None
    return MovedVerdict(attempt.task, attempt.repeat, attempt.status, str(verdict["status"]), because)


def _changed_constraints(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[MovedConstraint]:
    was, now = _findings_by_constraint(before), _findings_by_constraint(after)
    for name in dict.fromkeys((*now, *was)):
        old, new = was.get(name), now.get(name)
        status_before, status_after = (None if finding is None else str(finding["status"]) for finding in (old, new))
        if status_before == status_after or "violated" not in (status_before, status_after):
            continue
        violated = new if status_after == "violated" else old
        assert violated is not None
        yield MovedConstraint(name, str(violated["level"]), status_before, status_after, str(violated["message"]))


def _findings_by_constraint(verdict: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the findings of a recorded verdict by constraint.

    A violated finding takes precedence over others.
    """
    findings: dict[str, Mapping[str, Any]] = {}
    for finding in verdict.get("findings", ()):
        name = str(finding["constraint"])
        if name not in findings or finding["status"] == "violated":
            findings[name] = finding
    return findings
