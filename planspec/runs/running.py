"""Execution of runs. Missing attempts are made in parallel, and each is recorded when it ends."""

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

from planspec.agents.agent import AgentSpec, UnknownAgentError, agent
from planspec.agents.failures import ERRORS, Boundary
from planspec.agents.optional import agent_info, conceal
from planspec.agents.view import Limits
from planspec.api.catalog import Catalog, suite_folder
from planspec.deprecation import former_parameters
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.documents.documents import Suite
from planspec.dsl.model.task import Task
from planspec.dsl.workspace.workspace import Workspace
from planspec.environments import open_task
from planspec.errors import LostWorkerError, NotFoundError, PlanspecError
from planspec.parallel import DeadlineExceededError, Jobs, PerWorker, PieceDeadline, map_parallel
from planspec.runs import workers
from planspec.runs.attempting import AttemptSpec, describe_agent, lost_attempt
from planspec.runs.folder import RunFolder
from planspec.runs.prices import usd
from planspec.runs.record import Attempt, ModelPrice, Run, RunLimits
from planspec.runs.suite_copy import SuiteCopy, UsedFiles, copy_suite
from planspec.runs.workers import UNOPENED, AttemptMaker, WorkerConfig, WorkOrder
from planspec.traces.metrics import trace_metrics

PACKAGES = ("planspec", "ortools", "z3-solver", "pydantic", "openai", "anthropic", "llama-cpp-python")
"""Packages whose versions a run records, if they are installed."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of a run.

    Attributes:
        suite: path or id of the suite.
        agent: specification of the agent.
        setting: name of a setting; None for the first setting that the suite supports.
        limits: limits of each attempt.
        repeats: number of attempts at each task.
        seed: seed of the first repeat.
        limit: maximum number of tasks; None for all.
        tasks: ids of the tasks to attempt; empty for all.
        name: name of the run; None to use the agent's name.
        prices: prices of models by name.
        replies: folder of cached replies of models; None for no cache.
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
    prices: Mapping[str, ModelPrice] = field(default_factory=dict)
    replies: Path | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a run.

    Attributes:
        total: number of attempts of the complete run.
        done: number of finished attempts, including those made before the run was resumed.
        passed: number of attempts that passed.
        failed: number of attempts that failed at a boundary.
        seconds_left: estimated seconds to completion, at the pace since the last start; None until an attempt has ended
            since then.
        last: attempt that has just ended; None if none has ended since the last start.
        line: line number of `last` in the file of attempts, counted from 1; 0 without an attempt.
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
"""Default number of consecutive failures of the same part (such as the model's service) after which a run stops."""


class FailingAgentError(PlanspecError, RuntimeError):
    """The agent failed repeatedly at one boundary, so that its run was stopped. Finished attempts remain recorded.

    Attributes:
        boundary: boundary of the failures.
        times: number of consecutive failures.
    """

    exit_code = 3

    def __init__(self, boundary: Boundary, times: int) -> None:
        often = "time" if times == 1 else "times in a row"
        super().__init__(f"the agent failed {times} {often} at {boundary}, and the run was stopped")
        self.boundary, self.times = boundary, times


class ChangedSuiteError(PlanspecError, ValueError):
    """The suite has changed since the run began, or is not suitable for a run."""


@former_parameters(wanted="options")
def begin(options: RunOptions, folder: RunFolder) -> Run:
    """Write the header of a new run.

    Raises:
        NotFoundError: there is no such suite or task, or the suite lacks a requested task.
        ChangedSuiteError: the suite is a single task of a family whose metrics need a whole suite.
        UnknownAgentError: no agent has the name, its options are wrong, or it cannot work in the setting.
        UnknownSettingError: the family has no such setting.
        DiagnosticError: a task has errors.
        InvalidRunError: the folder is not empty.
        OSError: a folder cannot be written.
    """
    workspace = Workspace()
    catalog = Catalog(workspace)
    path = catalog.suite_path(options.suite)
    suite = catalog.suite(options.suite)
    loose = path.is_dir() or path in suite.tasks
    if loose and trace_metrics(suite.family) is not None:
        raise ChangedSuiteError(
            f"tasks of `{suite.family}` are scored with the records of their suite: run the suite, with --limit for less"
        )
    paths = _select_tasks(suite, options.tasks, catalog)[: options.limit]
    with redirect_stdout(sys.stderr):  # this runs the agent's program, which may print
        created = agent(options.agent)
    opened = [open_task(path_, options.setting, folder=suite_folder(path), workspace=workspace) for path_ in paths[:1]]
    info = agent_info(created)
    if info.families is not None and suite.family not in info.families:
        raise UnknownAgentError(
            f"the agent `{options.agent}` answers tasks of {', '.join(sorted(info.families))} alone; "
            f"`planspec agents show {options.agent.name}` has its options"
        )
    if info.siteless is not None and any(task.hosted is not None for task in opened):
        raise UnknownAgentError(
            f"in the setting `{opened[0].setting}` agents work at a site, and the agent `{options.agent.name}` cannot: {info.siteless}"
        )
    if info.sightless is not None and any(task.pictured is not None and task.hosted is None for task in opened):
        raise UnknownAgentError(
            f"in the setting `{opened[0].setting}` tools answer with pictures alone, and the agent `{options.agent.name}` sees none: {info.sightless}"
        )
    used = UsedFiles()
    ids, digest = read_tasks(paths, workspace, used)
    references = used.references_outside(suite_folder(path).resolve())
    conceal(created, (*_hidden_folders(path, suite.tasks, folder), *references))
    if options.replies is not None:
        options.replies.mkdir(parents=True, exist_ok=True)
    run = Run(
        suite=suite.id,
        suite_path=str(path),
        suite_sha256=digest,
        family=suite.family,
        agent=str(options.agent),
        setting=opened[0].setting if opened else options.setting or "",
        limits=_run_limits(options.limits),
        repeats=options.repeats,
        seed=options.seed,
        name=options.name,
        prices=dict(options.prices),
        tasks=ids,
        response_cache=None if options.replies is None else str(options.replies.absolute()),
        versions=package_versions(),
        about=describe_agent(created),
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        chained=True,
        uncontained=info.uncontained,
    )
    folder.create(run)
    copy_suite(folder.path, path, suite, used)
    return run


@former_parameters(told="on_progress", fail_on_error="max_consecutive_failures")
def resume_run(
    folder: RunFolder,
    jobs: Jobs,
    on_progress: ProgressCallback | None = None,
    *,
    begun: bool = False,
    max_consecutive_failures: int | None = None,
) -> None:
    """Begin or resume a run: make the missing attempts, and repeat those that failed at the provider.

    Args:
        folder: folder of the run.
        jobs: number of parallel attempts, each in its own process; or a Ray cluster, with one attempt for each
            processor.
        on_progress: called at the start, and after each attempt.
        begun: whether the run has just been created. The check of its tasks for changes is then skipped.
        max_consecutive_failures: number of consecutive failures at the same boundary after which the run stops; 0 for
            no such limit. With None, the limit is `MOST_ERRORS`, and only failures at the provider, at a tool or in the
            agent's program count.

    Raises:
        FailingAgentError: the run was stopped. Its finished attempts remain recorded, and it can be resumed.
        InvalidRunError: the folder is not a run.
        BusyRunError: another process is writing to the run.
        ChangedSuiteError: the tasks have changed since the run began.
    """
    run = folder.read_header()
    workspace = Workspace()
    catalog = Catalog(workspace)
    suite = catalog.suite(run.suite_path)
    paths = task_paths(run.tasks, suite, catalog)
    if not begun and read_tasks(paths.values(), workspace) != (run.tasks, run.suite_sha256):
        raise ChangedSuiteError(f"the suite `{run.suite}` is not the one that the run was begun with")
    copies = SuiteCopy.of(folder.path)
    references = () if copies is None else tuple(map(Path, copies.index.references))
    hidden = (*_hidden_folders(Path(run.suite_path), suite.tasks, folder), *references)
    if not begun:
        with redirect_stdout(sys.stderr):
            created = agent(AgentSpec.read(run.agent))
        conceal(created, hidden)
    with folder.writing() as file:
        tally = _Tally(len(run.tasks) * run.repeats)
        done, retries = set(), dict[tuple[str, int], int]()
        for earlier in folder.attempts():
            if earlier.unserved:
                retries[earlier.key] = earlier.retry + 1
                continue
            done.add(earlier.key)
            tally.count(earlier)
        tally.start()
        orders = [
            WorkOrder(AttemptSpec(task, repeat, run.seed + repeat, retries.get((task, repeat), 0)), str(paths[task]))
            for repeat in range(run.repeats)
            for task in run.tasks
            if (task, repeat) not in done
        ]
        if on_progress:
            on_progress(tally.progress())
        streak = _FailureStreak(max_consecutive_failures)
        for attempt in _make_attempts(run, folder, orders, jobs, workspace, hidden):
            if run.prices:
                attempt = attempt.model_copy(update={"usd": usd(attempt.trace, run.prices)})
            file.add(attempt)
            tally.count(attempt)
            if on_progress:
                on_progress(replace(tally.progress(), last=attempt, line=file.line_count))
            if streak.stops_at(attempt):
                break
    if streak.error is not None:
        raise streak.error


class _FailureStreak:
    """Counter of consecutive failures at the same boundary (such as the model's service or a tool), as attempts end.

    Args:
        max_failures: number of failures after which a run is stopped; see `resume_run`.
    """

    def __init__(self, max_failures: int | None) -> None:
        self._max_failures, self._boundary, self._times = max_failures, "", 0
        self.error: FailingAgentError | None = None

    def stops_at(self, attempt: Attempt) -> bool:
        """Count an attempt, and return whether the run stops after it."""
        failure = attempt.failure
        if failure is None:
            self._boundary, self._times = "", 0
            return False
        self._times = self._times + 1 if failure.boundary == self._boundary else 1
        self._boundary = failure.boundary
        default = MOST_ERRORS if failure.boundary in ERRORS else 0
        max_failures = default if self._max_failures is None else self._max_failures
        if max_failures and self._times >= max_failures:
            self.error = FailingAgentError(failure.boundary, self._times)
        return self.error is not None


def _make_attempts(
    run: Run,
    folder: RunFolder,
    orders: list[WorkOrder],
    jobs: Jobs,
    workspace: Workspace,
    hidden: tuple[Path, ...],
) -> Iterator[Attempt]:
    """Yield the attempts as they end."""
    config = WorkerConfig(
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
                message = f"{run.limits.seconds:g} seconds are over, and the agent did not end by itself"
                return _lost_attempt(run, order, workspace, "timeout", message, error.seconds)
            case LostWorkerError():
                return _lost_attempt(run, order, workspace, "adapter", f"the agent was lost: {error}", error.seconds)
        raise error

    deadline = PieceDeadline(config.limits.seconds + workers.GRACE, workers.STARTING)
    results: Iterator[dict[str, Any] | Attempt] = map_parallel(
        PerWorker(partial(AttemptMaker, config)),
        orders,
        jobs,
        spawn=True,
        failed=failed,
        ordered=False,
        apart=True,
        plain=True,
        losses=1,
        deadline=deadline,
        begin=workers.print_on_stderr,
    )
    for result in results:
        if isinstance(result, Attempt):
            yield result
        elif UNOPENED in result:
            raise ChangedSuiteError(result[UNOPENED])
        else:
            yield Attempt.model_validate(result)


def _select_tasks(suite: Suite, ids: Sequence[str], catalog: Catalog) -> Sequence[Path]:
    """Return the files of the tasks with the given ids, or of all tasks if `ids` is empty, in the suite's order.

    Raises:
        NotFoundError: the suite has no such task.
    """
    if not ids:
        return suite.tasks
    by_id = dict(catalog.ids(suite.tasks))
    for name in ids:
        if name not in by_id:
            close = did_you_mean(name, by_id)
            raise NotFoundError(f"the suite `{suite.id}` has no task `{name}`" + (f"; {close}" if close else ""))
    return [path for name, path in by_id.items() if name in set(ids)]


def task_paths(tasks: Sequence[str], suite: Suite, catalog: Catalog) -> dict[str, Path]:
    """Return the files of a run's tasks by id.

    A task that the suite no longer has gets the file at the same index, if there is one.
    """
    remaining, files = set(tasks), dict[str, Path]()
    for name, path in catalog.ids(suite.tasks):
        if len(files) == len(remaining):
            break
        if name in remaining:
            files[name] = path
    return dict(zip(tasks, suite.tasks, strict=False)) | files


def _hidden_folders(suite: Path, tasks: Iterable[Path], run: RunFolder) -> tuple[Path, ...]:
    """Return the folders to hide from agents: tasks, references, certificates and records."""
    return tuple({suite_folder(suite), *(task.parent for task in tasks), run.path})


def _lost_attempt(
    run: Run, order: WorkOrder, workspace: Workspace, boundary: Boundary, message: str, seconds: float
) -> Attempt:
    opened = open_task(order.path, run.setting or None, folder=suite_folder(Path(run.suite_path)), workspace=workspace)
    return lost_attempt(order.spec, run.agent, opened, boundary, message, seconds)


class _Tally:
    """Counts attempts, and estimates the remaining time."""

    def __init__(self, total: int) -> None:
        self._now = Progress(total, 0, 0, 0, None)
        self._start, self._done_before = time.monotonic(), 0

    def start(self) -> None:
        """Start the clock. Earlier attempts do not affect the estimated time."""
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
        now, done = self._now, self._now.done - self._done_before
        if not done:
            return now
        return replace(now, seconds_left=(time.monotonic() - self._start) / done * (now.total - now.done))


def read_tasks(
    paths: Iterable[Path], workspace: Workspace, used: UsedFiles | None = None
) -> tuple[tuple[str, ...], str]:
    """Return the ids of tasks, and a hash over all documents that define them.

    Args:
        paths: paths of the tasks.
        workspace: workspace that opens documents.
        used: collects the files from which the tasks were read; None to collect none.
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
    """Return a hash over all documents that define a task, without its cases."""
    texts = sorted({hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in task.texts})
    return hashlib.sha256(b"".join(texts)).digest()


def question_fingerprint(task: Task, evidence: Collection[str]) -> bytes:
    """Return a hash like `fingerprint`, but without the tables in the task's file if all of them are evidence.

    Args:
        task: the task.
        evidence: names of the family's tables that hold evidence. No constraint reads them.
    """
    own = f"{task.span.source.name}: sqlite" if task.own_tables and task.own_tables <= set(evidence) else None
    remaining = (text for source, text in zip(task.sources, task.texts, strict=True) if source.name != own)
    texts = sorted({hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in remaining})
    return hashlib.sha256(b"".join(texts)).digest()


def _run_limits(limits: Limits) -> RunLimits:
    return RunLimits(seconds=limits.seconds, tool_calls=limits.tool_calls, steps=limits.steps, tokens=limits.tokens)


def package_versions() -> dict[str, str]:
    """Return the versions of Python and of the packages on which results depend."""
    versions: dict[str, Any] = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions
