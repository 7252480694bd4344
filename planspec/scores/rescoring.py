"""A run judged again by its suite as it is now: the verdicts that moved, by which constraints, and the metrics of both."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import JsonValue

from planspec.api.catalog import Catalog, suite_folder
from planspec.dsl.workspace.workspace import Workspace
from planspec.environments import open_task
from planspec.errors import DiagnosticError, NotFoundError
from planspec.parallel import map_workers, naming
from planspec.runs import Attempt, ChangedSuiteError, Failure, InvalidRunError, RunFolder, chain
from planspec.runs.attempting import judge_again
from planspec.runs.record import RescoredRun, Run
from planspec.runs.running import fingerprint, package_versions, read_tasks, task_paths
from planspec.runs.suite_copy import SuiteCopy, UsedFiles, copy_suite
from planspec.scores.rescoring_text import rescoring_lines
from planspec.scores.scoring import run_metrics
from planspec.traces.metrics import trace_metrics

Judged: TypeAlias = tuple[dict[str, Any], Failure | None]
"""A verdict as a document, and the failure of its attempt."""


@dataclass(frozen=True, slots=True)
class MovedConstraint:
    """A constraint that is violated in one of two verdicts on an answer and not in the other.

    Attributes:
        constraint: the instance's id; of the shape of a plan, its table or column.
        level: `hard`, `soft` or `shape`.
        before: `satisfied`, `violated` or `not-applicable`; None where there was no such constraint.
        after: likewise, as it is now.
        message: what the violation is.
    """

    constraint: str
    level: str
    before: str | None
    after: str | None
    message: str


@dataclass(frozen=True, slots=True)
class MovedVerdict:
    """An attempt whose verdict moved.

    Attributes:
        task: its id.
        repeat: of the attempt, from 0.
        before: the recorded status: `pass`, `fail` or `undelivered`.
        after: the status now.
        because: the constraints that moved; those that decide whether a plan passes come first.
    """

    task: str
    repeat: int
    before: str
    after: str
    because: tuple[MovedConstraint, ...]

    def __repr__(self) -> str:
        return (
            f"<MovedVerdict of {self.task}: {self.before} -> {self.after}, {len(self.because)} constraints>"
        )


@dataclass(frozen=True, slots=True)
class Rescoring:
    """A run judged again.

    Attributes:
        run: the folder of the run, which stays as it is.
        out: the folder of the new run: the same attempts with their new verdicts, sealed anew.
        suite: the id of the suite by which it was judged.
        attempts: the number of those that were judged again.
        moved: those whose verdict moved, in the order of the run.
        metrics: the family's, now.
        before: the family's, as they were; None where the suite by which the run was judged is not there any more.
        gone: the run's tasks that the suite has no more; their attempts are left out.
        added: the suite's tasks that the run did not attempt.
    """

    run: str
    out: str
    suite: str
    attempts: int
    moved: tuple[MovedVerdict, ...] = field(repr=False)
    metrics: Mapping[str, JsonValue] = field(repr=False)
    before: Mapping[str, JsonValue] | None = field(repr=False)
    gone: tuple[str, ...] = ()
    added: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Rescoring of {self.run}: {len(self.moved)} of {self.attempts} attempts moved>"

    def __str__(self) -> str:
        """The text that `planspec rescore` prints."""
        return "\n".join(rescoring_lines(self))

    @property
    def flips(self) -> Mapping[tuple[str, str], int]:
        """The number of attempts for each status before and after, where the two differ."""
        pairs = ((moved.before, moved.after) for moved in self.moved)
        return Counter(pair for pair in pairs if pair[0] != pair[1])


def rescore(
    run: str | PathLike[str],
    suite: str | PathLike[str] | None = None,
    *,
    out: str | PathLike[str] | None = None,
    jobs: int = 1,
) -> Rescoring:
    """Judge the attempts of a run again, by its suite as it is now or by another version of it.

    No agent is asked. The run stays as it is; the new verdicts are a run of their own, which `report` and `compare` of
    scores read like any other, and whose header names the run that it was made from.

    Args:
        run: the run's folder.
        suite: by path, folder or id; the run's own, if left out.
        out: the folder of the new run, which must be empty or not there; `RUN-rescored`, if left out.
        jobs: number of processes.

    Raises:
        NotFoundError: there is no such suite.
        DiagnosticError: a task has errors.
        PlanspecError: the folder is no run, or was changed; or the new folder is not empty; or no task of the run is in
            the suite.
        OSError: the new folder cannot be written.
    """
    folder = RunFolder(Path(run))
    header = folder.run()
    made = list(folder.attempts())
    new = RunFolder(Path(out) if out is not None else _fresh(folder.path))
    if new.path.resolve() == folder.path.resolve() or (new.path.is_dir() and any(new.path.iterdir())):
        raise InvalidRunError(f"`{new.path}` is not empty; the new scores need a folder of their own")
    catalog = Catalog()
    place = catalog.suite_path(str(suite) if suite is not None else header.suite_path)
    found = catalog.suite(str(place))
    paths = dict(catalog.ids(found.tasks))
    kept = tuple(task for task in header.tasks if task in paths)
    if not kept:
        raise ChangedSuiteError(f"the suite `{found.id}` has none of the tasks of the run")
    by_task: dict[str, list[Attempt]] = {task: [] for task in kept}
    for attempt in made:
        if attempt.task in by_task:
            by_task[attempt.task].append(attempt)
    orders = [
        _Order(str(paths[task]), header.setting or None, str(suite_folder(place)), tuple(attempts))
        for task, attempts in by_task.items()
    ]
    digest, used = hashlib.sha256(), UsedFiles({task: paths[task] for task in kept})
    judged: dict[tuple[str, int], Judged] = {}
    rejudged = map_workers(_Rejudger, orders, jobs, failed=naming(lambda order: f"`{order.path}`"))
    for task, done in zip(by_task, rejudged, strict=True):
        digest.update(done.fingerprint)
        used.files |= dict.fromkeys(done.files)
        judged.update(
            {(task, attempt.repeat): told for attempt, told in zip(by_task[task], done.verdicts, strict=True)}
        )
    before = _metrics_before(folder, header, catalog.workspace, jobs)
    source = RescoredRun(
        run=folder.path.resolve().name, suite_sha256=header.suite_sha256,
        header_sha256=chain.first(folder.header.read_bytes()), seal=made[-1].chain if made else None,
    )  # fmt: skip
    new.create(
        header.model_copy(
            update={
                "suite": found.id,
                "suite_path": str(place),
                "suite_sha256": digest.hexdigest(),
                "family": found.family,
                "tasks": kept,
                "versions": package_versions(),
                "rescored": source,
                "chained": True,
            }
        )
    )
    copy_suite(new.path, place, found, used)
    same = header.suite_sha256 == digest.hexdigest()
    with new.writing() as file:
        for attempt in made:
            if attempt.task in by_task:
                verdict, failure = judged[attempt.key]
                # what was seen of a suite that was another then, or under another verdict, is not known
                kept_ = same and verdict["status"] == attempt.status
                update = {
                    "verdict": verdict, "failure": failure, "facts": attempt.facts if kept_ else None, "read": attempt.read if kept_ else None,
                    "chain": None,
                }  # fmt: skip
                file.add(attempt.model_copy(update=update))
    moved = (_moved(attempt, judged[attempt.key][0]) for attempt in made if attempt.task in by_task)
    return Rescoring(
        run=str(folder.path), out=str(new.path), suite=found.id, attempts=len(judged),
        moved=tuple(one for one in moved if one is not None), metrics=run_metrics(new, jobs=jobs), before=before,
        gone=tuple(task for task in header.tasks if task not in paths),
        added=tuple(task for task in paths if task not in header.tasks),
    )  # fmt: skip


def _fresh(run: Path) -> Path:
    """A folder beside the run that is not there yet."""
    base = run.resolve()
    made, again = base.with_name(f"{base.name}-rescored"), 1
    while made.exists():
        again += 1
        made = base.with_name(f"{base.name}-rescored-{again}")
    return run.parent / made.name


def _metrics_before(
    folder: RunFolder, header: Run, workspace: Workspace, jobs: int
) -> Mapping[str, JsonValue] | None:
    """The metrics of the recorded verdicts; None where they need the suite as it was, and it is not there any more."""
    try:
        if (
            trace_metrics(header.family) is not None and SuiteCopy.of(folder.path) is None
        ):  # they look at the suite itself, whatever was recorded
            catalog = Catalog(workspace)
            paths = task_paths(header.tasks, catalog.suite(header.suite_path), catalog)
            now = read_tasks(paths.values(), workspace)
            if now != (header.tasks, header.suite_sha256):
                return None
        return run_metrics(folder, jobs=jobs)
    except (ChangedSuiteError, NotFoundError, DiagnosticError):
        return None


# -- one task ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Order:
    """The attempts at one task, and where it is now."""

    path: str
    setting: str | None
    folder: str
    attempts: Sequence[Attempt]


@dataclass(frozen=True, slots=True)
class _Rejudged:
    """The verdicts on a task's attempts, a hash over the documents that it stands in and uses, and the files of these."""

    verdicts: tuple[Judged, ...]
    fingerprint: bytes
    files: tuple[Path, ...]


class _Rejudger:
    """Judges attempts again with one workspace: what tasks share is read once."""

    def __init__(self) -> None:
        self._workspace = Workspace()

    def __call__(self, order: _Order) -> _Rejudged:
        opened = open_task(order.path, order.setting, folder=Path(order.folder), workspace=self._workspace)
        verdicts = tuple(judge_again(attempt, opened) for attempt in order.attempts)
        used = UsedFiles()
        used.add(opened.judge.task, Path(order.path))
        return _Rejudged(verdicts, fingerprint(opened.judge.task), tuple(used.files))


# -- what moved -------------------------------------------------------------------------------------


def _moved(attempt: Attempt, verdict: Mapping[str, Any]) -> MovedVerdict | None:
    """How a verdict moved; None where neither its status nor a violation did."""
    because = tuple(sorted(_constraints(attempt.verdict, verdict), key=lambda c: c.level == "soft"))
    if attempt.status == verdict["status"] and not because:
        return None
    return MovedVerdict(attempt.task, attempt.repeat, attempt.status, str(verdict["status"]), because)


def _constraints(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[MovedConstraint]:
    was, now = _by_constraint(before), _by_constraint(after)
    for name in dict.fromkeys((*now, *was)):
        old, new = was.get(name), now.get(name)
        status_before, status_after = (
            None if finding is None else str(finding["status"]) for finding in (old, new)
        )
        if status_before == status_after or "violated" not in (status_before, status_after):
            continue
        violated = new if status_after == "violated" else old
        assert violated is not None
        yield MovedConstraint(
            name, str(violated["level"]), status_before, status_after, str(violated["message"])
        )


def _by_constraint(verdict: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The findings of a recorded verdict by their constraints; of several on one place a violated one."""
    found: dict[str, Mapping[str, Any]] = {}
    for finding in verdict.get("findings", ()):
        name = str(finding["constraint"])
        if name not in found or finding["status"] == "violated":
            found[name] = finding
    return found
