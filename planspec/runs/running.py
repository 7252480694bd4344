"""A run: every attempt that is missing, several at a time, each recorded as it ends."""

from __future__ import annotations

import hashlib
import platform
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from planspec.agents.agent import AgentSpec, UnknownAgentError, agent, uncontained
from planspec.agents.failures import ERRORS, Boundary
from planspec.agents.view import Limits
from planspec.api.catalog import Catalog, suite_folder
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.documents.documents import Suite
from planspec.dsl.model.task import Task
from planspec.dsl.workspace.workspace import Workspace
from planspec.environments import open_task
from planspec.errors import LostWorkerError, NotFoundError, PlanspecError
from planspec.parallel import Deadline, DeadlineExceededError, Jobs, map_workers
from planspec.runs import workers
from planspec.runs.attempting import AttemptSpec, about, lost
from planspec.runs.folder import RunFolder
from planspec.runs.prices import usd
from planspec.runs.record import Attempt, Price, Run, RunLimits
from planspec.runs.suite_copy import SuiteCopy, UsedFiles, copy_suite
from planspec.runs.workers import UNOPENED, Attempting, WorkerConfig, WorkOrder, conceal
from planspec.traces.metrics import trace_metrics

PACKAGES = ("planspec", "ortools", "z3-solver", "pydantic", "openai", "anthropic", "llama-cpp-python")
"""Whose versions a run keeps, where they are installed."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of a run.

    Attributes:
        suite: path or id.
        agent: as it is named.
        setting: setting of the family; the first that the suite is prepared for if None.
        limits: limits of each attempt.
        repeats: attempts at each task.
        seed: seed of the first repeat.
        limit: of the number of tasks; all if None.
        tasks: the ids of those that are attempted; all if there are none.
        name: name of the run; that of its agent if None.
        prices: of models, by name.
        replies: the folder of replies that are asked for once; None to ask for each.
    """

    suite: str
    agent: AgentSpec
    setting: str | None = None
    limits: Limits = field(default_factory=Limits)
    repeats: int = 1
    seed: int = 0
    limit: int | None = None
    tasks: tuple[str, ...] = ()
    name: str | None = None
    prices: Mapping[str, Price] = field(default_factory=dict)
    replies: Path | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a run.

    Attributes:
        total: attempts in all.
        done: of them, with those of earlier sittings.
        passed: of those that are done.
        failed: attempts that failed at a boundary.
        seconds_left: as those of this sitting went; None before the first has ended.
        last: the attempt that has just ended; None before the first of this sitting has.
        line: its place in the file of the attempts, from 1.
    """

    total: int
    done: int
    passed: int
    failed: int
    seconds_left: float | None
    last: Attempt | None = None
    line: int = 0


ProgressCallback = Callable[[Progress], None]


MOST_ERRORS = 10
"""Attempts in a row with an error at one boundary after which a run stops, where nobody says otherwise."""


class FailingAgentError(PlanspecError, RuntimeError):
    """An agent failed so often in a row at one boundary that its run was stopped; what was done is kept.

    Attributes:
        boundary: at which.
        times: in a row.
    """

    exit_code = 3

    def __init__(self, boundary: Boundary, times: int) -> None:
        often = "time" if times == 1 else "times in a row"
        super().__init__(f"the agent failed {times} {often} at {boundary}, and the run was stopped")
        self.boundary, self.times = boundary, times


class ChangedSuiteError(PlanspecError, ValueError):
    """The suite is not the one that the run was begun with, or not as it should be."""


def begin(wanted: RunOptions, folder: RunFolder) -> Run:
    """Write the header of a new run.

    Raises:
        NotFoundError: there is no such suite or task, or the suite has no task of an id.
        ChangedSuiteError: it is a task of a family whose metrics need its suite.
        UnknownAgentError: no agent has the name, or its options are wrong.
        UnknownSettingError: the family has no such setting.
        DiagnosticError: a task has errors.
        InvalidRunError: there is something in the folder.
        OSError: a folder cannot be written.
    """
    workspace = Workspace()
    catalog = Catalog(workspace)
    path = catalog.suite_path(wanted.suite)
    suite = catalog.suite(wanted.suite)
    loose = path.is_dir() or path in suite.tasks
    if loose and trace_metrics(suite.family) is not None:
        raise ChangedSuiteError(
            f"tasks of `{suite.family}` are scored with the records of their suite: run the suite, with --limit for less"
        )
    paths = _chosen(suite, wanted.tasks, catalog)[: wanted.limit]
    with redirect_stdout(sys.stderr):  # a file with an agent is run, and may print
        made = agent(wanted.agent)
    opened = [
        open_task(path_, wanted.setting, folder=suite_folder(path), workspace=workspace)
        for path_ in paths[:1]
    ]
    families = getattr(made, "families", None)
    if families is not None and suite.family not in families:
        raise UnknownAgentError(
            f"the agent `{wanted.agent}` answers tasks of {', '.join(sorted(families))} alone; "
            f"`planspec agents show {wanted.agent.name}` has its options"
        )
    siteless = getattr(made, "siteless", None)
    if siteless is not None and any(task.hosted is not None for task in opened):
        raise UnknownAgentError(
            f"in the setting `{opened[0].setting}` agents work at a site, and the agent `{wanted.agent.name}` cannot: {siteless}"
        )
    sightless = getattr(made, "sightless", None)
    if sightless is not None and any(task.pictured is not None and task.hosted is None for task in opened):
        raise UnknownAgentError(
            f"in the setting `{opened[0].setting}` tools answer with pictures alone, and the agent `{wanted.agent.name}` sees none: {sightless}"
        )
    used = UsedFiles()
    ids, digest = read_tasks(paths, workspace, used)
    references = used.references_outside(suite_folder(path).resolve())
    conceal(made, (*_secret(path, suite.tasks, folder), *references))
    if wanted.replies is not None:
        wanted.replies.mkdir(parents=True, exist_ok=True)
    run = Run(
        suite=suite.id, suite_path=str(path), suite_sha256=digest, family=suite.family, agent=str(wanted.agent),
        setting=opened[0].setting if opened else wanted.setting or "", limits=_limits(wanted.limits), repeats=wanted.repeats,
        seed=wanted.seed, name=wanted.name, prices=dict(wanted.prices), tasks=ids,
        response_cache=None if wanted.replies is None else str(wanted.replies.absolute()), versions=package_versions(), about=about(made),
        started=datetime.now(UTC).isoformat(timespec="seconds"), chained=True,
        uncontained=uncontained(made),
    )  # fmt: skip
    folder.create(run)
    copy_suite(folder.path, path, suite, used)
    return run


def go_on(
    folder: RunFolder,
    jobs: Jobs,
    told: ProgressCallback | None = None,
    *,
    begun: bool = False,
    fail_on_error: int | None = None,
) -> None:
    """Make every attempt that a run lacks, and those again that failed at the provider.

    Args:
        folder: folder of the run.
        jobs: attempts at a time, each in a process of its own; or a Ray cluster, with an attempt on each processor.
        told: hears of each attempt that ended.
        begun: the run was begun just now, so that its tasks need not be read again to see whether they have changed.
        fail_on_error: attempts in a row that fail at one boundary, whichever, after which the run stops; 0 for never. If None,
            `MOST_ERRORS` at one where something is broken: the provider, a tool, the agent's own program.

    Raises:
        FailingAgentError: the run was stopped; what was done is kept, and it can be gone on with.
        InvalidRunError: the folder is no run.
        BusyRunError: another process is at it.
        ChangedSuiteError: its tasks are others now.
    """
    run = folder.run()
    workspace = Workspace()
    catalog = Catalog(workspace)
    suite = catalog.suite(run.suite_path)
    paths = task_paths(run.tasks, suite, catalog)
    if not begun and read_tasks(paths.values(), workspace) != (run.tasks, run.suite_sha256):
        raise ChangedSuiteError(f"the suite `{run.suite}` is not the one that the run was begun with")
    copies = SuiteCopy.of(folder.path)
    references = () if copies is None else tuple(map(Path, copies.index.references))
    hidden = (*_secret(Path(run.suite_path), suite.tasks, folder), *references)
    if not begun:
        with redirect_stdout(sys.stderr):
            made_ = agent(AgentSpec.read(run.agent))
        conceal(made_, hidden)
    with folder.writing() as file:
        tally = _Tally(len(run.tasks) * run.repeats)
        done, retries = set(), dict[tuple[str, int], int]()
        for old in folder.attempts():
            if old.unserved:
                retries[old.key] = old.retry + 1
                continue
            done.add(old.key)
            tally.count(old)
        tally.begun()
        orders = [
            WorkOrder(
                AttemptSpec(task, repeat, run.seed + repeat, retries.get((task, repeat), 0)), str(paths[task])
            )
            for repeat in range(run.repeats)
            for task in run.tasks
            if (task, repeat) not in done
        ]
        if told:
            told(tally.progress())
        row = _FailureRow(fail_on_error)
        for made in _attempts(run, folder, orders, jobs, workspace, hidden):
            if run.prices:
                made = made.model_copy(update={"usd": usd(made.trace, run.prices)})
            file.add(made)
            tally.count(made)
            if told:
                told(replace(tally.progress(), last=made, line=file.lines))
            if row.ends(made):
                break
    if row.stopped is not None:
        raise row.stopped


class _FailureRow:
    """Failures in a row at one boundary, in the order in which attempts end.

    Args:
        most: after which a run is stopped; see `go_on`.
    """

    def __init__(self, most: int | None) -> None:
        self._most, self._boundary, self._times = most, "", 0
        self.stopped: FailingAgentError | None = None

    def ends(self, made: Attempt) -> bool:
        """Whether the run stops after this attempt."""
        failure = made.failure
        if failure is None:
            self._boundary, self._times = "", 0
            return False
        self._times = self._times + 1 if failure.boundary == self._boundary else 1
        self._boundary = failure.boundary
        most = self._most if self._most is not None else MOST_ERRORS if failure.boundary in ERRORS else 0
        if most and self._times >= most:
            self.stopped = FailingAgentError(failure.boundary, self._times)
        return self.stopped is not None


def _attempts(
    run: Run,
    folder: RunFolder,
    orders: list[WorkOrder],
    jobs: Jobs,
    workspace: Workspace,
    hidden: tuple[Path, ...],
) -> Iterator[Attempt]:
    """The attempts as they end."""
    office = WorkerConfig(
        AgentSpec.read(run.agent),
        run.setting or None,
        str(suite_folder(Path(run.suite_path))),
        Limits(**run.limits.model_dump()),
        hidden,
        None if run.response_cache is None else Path(run.response_cache),
        folder.path.absolute(),
    )

    def failed(order: WorkOrder, error: Exception) -> Attempt:
        match error:
            case DeadlineExceededError():
                told = f"{run.limits.seconds:g} seconds are over, and the agent did not end by itself"
                return _lost(run, order, workspace, "timeout", told, error.seconds)
            case LostWorkerError():
                return _lost(run, order, workspace, "adapter", f"the agent was lost: {error}", error.seconds)
        raise error

    deadline = Deadline(office.limits.seconds + workers.GRACE, workers.STARTING)
    results: Iterator[dict[str, Any] | Attempt] = map_workers(
        partial(Attempting, office), orders, jobs, spawn=True, failed=failed, ordered=False, apart=True, plain=True,
        losses=1, deadline=deadline, begin=workers.print_on_stderr,
    )  # fmt: skip
    for made in results:
        if isinstance(made, Attempt):
            yield made
        elif UNOPENED in made:
            raise ChangedSuiteError(made[UNOPENED])
        else:
            yield Attempt.model_validate(made)


def _chosen(suite: Suite, wanted: Sequence[str], catalog: Catalog) -> Sequence[Path]:
    """The tasks of these ids, in the suite's order; all if there are none.

    Raises:
        NotFoundError: the suite has no such task.
    """
    if not wanted:
        return suite.tasks
    by_id = dict(catalog.ids(suite.tasks))
    for name in wanted:
        if name not in by_id:
            close = did_you_mean(name, by_id)
            raise NotFoundError(
                f"the suite `{suite.id}` has no task `{name}`" + (f"; {close}" if close else "")
            )
    return [path for name, path in by_id.items() if name in set(wanted)]


def task_paths(tasks: Sequence[str], suite: Suite, catalog: Catalog) -> dict[str, Path]:
    """The files of a run's tasks by their ids; where one is not there any more, that which is in its place, if there is one."""
    wanted, found = set(tasks), dict[str, Path]()
    for name, path in catalog.ids(suite.tasks):
        if len(found) == len(wanted):
            break
        if name in wanted:
            found[name] = path
    return dict(zip(tasks, suite.tasks, strict=False)) | found


def _secret(suite: Path, tasks: Iterable[Path], run: RunFolder) -> tuple[Path, ...]:
    """The folders that no agent may look into: tasks with their references and certificates, and the records."""
    return tuple({suite_folder(suite), *(task.parent for task in tasks), run.path})


def _lost(
    run: Run, order: WorkOrder, workspace: Workspace, boundary: Boundary, message: str, seconds: float
) -> Attempt:
    opened = open_task(
        order.path, run.setting or None, folder=suite_folder(Path(run.suite_path)), workspace=workspace
    )
    return lost(order.asked, run.agent, opened, boundary, message, seconds)


class _Tally:
    """Counts attempts, and how fast they come."""

    def __init__(self, total: int) -> None:
        self._now = Progress(total, 0, 0, 0, None)
        self._start, self._done_before = time.monotonic(), 0

    def begun(self) -> None:
        """Begin this sitting: earlier attempts do not count for its pace."""
        self._start, self._done_before = time.monotonic(), self._now.done

    def count(self, attempt: Attempt) -> None:
        now = self._now
        self._now = replace(
            now,
            done=now.done + 1,
            passed=now.passed + (attempt.status == "pass"),
            failed=now.failed + (attempt.failure is not None),
        )

    def progress(self) -> Progress:
        now, here = self._now, self._now.done - self._done_before
        if not here:
            return now
        return replace(now, seconds_left=(time.monotonic() - self._start) / here * (now.total - now.done))


def read_tasks(
    paths: Iterable[Path], workspace: Workspace, used: UsedFiles | None = None
) -> tuple[tuple[str, ...], str]:
    """The ids of tasks, and a hash over all documents that they stand in and use.

    Args:
        paths: of the tasks.
        workspace: workspace that opens documents.
        used: gets the files that they were read from.
    """
    from planspec.api.loading import load

    ids, digest = [], hashlib.sha256()
    for path in paths:
        task = load(path, workspace=workspace)
        ids.append(task.id.partition("@")[0])
        digest.update(fingerprint(task))
        if used is not None:
            used.add(task, path)
    return tuple(ids), digest.hexdigest()


def fingerprint(task: Task) -> bytes:
    """A hash over all documents that a task stands in and uses, its cases aside."""
    texts = sorted({hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in task.texts})
    return hashlib.sha256(b"".join(texts)).digest()


def asked_fingerprint(task: Task, evidence: Collection[str]) -> bytes:
    """The same hash without the task's own tables, where all of these only hold what documents say: a hash of what is asked.

    Args:
        task: that asks.
        evidence: the tables of its family by which no plan is judged.
    """
    own = f"{task.span.source.name}: sqlite" if task.own_tables and task.own_tables <= set(evidence) else None
    kept = (text for source, text in zip(task.sources, task.texts, strict=True) if source.name != own)
    texts = sorted({hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in kept})
    return hashlib.sha256(b"".join(texts)).digest()


def _limits(limits: Limits) -> RunLimits:
    return RunLimits(
        seconds=limits.seconds, tool_calls=limits.tool_calls, steps=limits.steps, tokens=limits.tokens
    )


def package_versions() -> dict[str, str]:
    """The versions of Python and of the packages on which verdicts depend."""
    found: dict[str, Any] = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
