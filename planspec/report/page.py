"""Contents of a report on runs, prepared for the templates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, groupby
from pathlib import Path

from planspec.agents.pictures import Image
from planspec.api.catalog import Catalog, suite_folder
from planspec.deprecation import former_fields, former_parameters
from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.errors import NotFoundError
from planspec.parallel import map_parallel, naming
from planspec.report.details import RunAttempt, TaskPage, TaskPageRequest, task_page
from planspec.report.proofs import Key, store_proofs, stored_proofs
from planspec.report.radar import FEWEST_AXES
from planspec.report.record import ShownTask
from planspec.report.texts import line
from planspec.report.thinking import ThinkingModel, thinking_models
from planspec.runs import RunFolder
from planspec.runs.pictures import find_picture
from planspec.runs.running import task_paths
from planspec.runs.suite_copy import SuiteCopy
from planspec.scores import Comparison, RunScores, compare
from planspec.scores.estimates import Estimate
from planspec.scores.metrics import metrics_of_family
from planspec.scores.record import Difference, ReadShares, RunTable, TallyRow, TallyTable, TaskScores
from planspec.verifiers.metrics.metric import Metric

MOST_RADARS = 6
"""Maximum number of groups of tasks with radar charts. If there are more, only the table is shown."""
MOST_PAIRED = 5
"""Maximum number of runs of a suite for which all pairs are compared.

With more runs, each is compared with the first run, and with runs of the same agent in another setting.
"""
AS_READ = "right_as_read"
"""Name of the metric for the share of answers that would be right if the facts were as the agent declared them."""
MOST_PICTURE_BYTES = 40_000_000
"""Maximum total size of the pictures in a page. Browsers cannot open much larger pages. The runs' folders hold all."""
ProgressCallback = Callable[[int, int], None]
"""Function called with the number of finished tasks and the number of all tasks."""


@dataclass(frozen=True, slots=True)
class ShownRun:
    """A run on the page.

    Attributes:
        index: index among the runs of the page, counted from 0.
        name: name on the page: the run's name or, without one, its agent. The folder is added if several runs
            share the name.
        scores: scores of the run.
    """

    index: int
    name: str
    scores: RunScores


@dataclass(frozen=True, slots=True)
class ReportTaskRow:
    """A row of the table of tasks.

    Attributes:
        index: index in `ReportPage.details`.
        task: id of the task.
        scores: scores of each run of the chapter, in order; None if a run lacks the task.
    """

    index: int
    task: str
    scores: tuple[TaskScores | None, ...]

    @property
    def any(self) -> TaskScores:
        """Scores of the task in the first run that includes it."""
        return next(one for one in self.scores if one is not None)

    @property
    def outcome(self) -> str:
        """How many attempts pass: `all`, `some` or `none`."""
        passed = sum(one.passed for one in self.scores if one)
        requested = sum(one.wanted for one in self.scores if one)
        return "all" if passed == requested else "some" if passed else "none"


@dataclass(frozen=True, slots=True)
class ShownTallies:
    """A table of counts for each run in a chapter, such as the right and wrong cells of each column.

    Attributes:
        name: name of the table among the family's metrics.
        table: the longest of the runs' tables. Its title and labels are shown.
        rows: name of each row, and its counts in each run, in order, or None if a run lacks the row.
    """

    name: str
    table: TallyTable
    rows: tuple[tuple[str, tuple[TallyRow | None, ...]], ...]

    @property
    def parts(self) -> list[tuple[str, list[tuple[str, tuple[TallyRow | None, ...]]]]]:
        """Groups of rows by the beginning of their names, up to the last dot. In a group, a row has the rest of its name."""
        return [
            (part, [(name.rpartition(".")[2], tallies) for name, tallies in rows])
            for part, rows in groupby(self.rows, lambda row: row[0].rpartition(".")[0])
        ]


@dataclass(frozen=True, slots=True)
class SettingComparison:
    """Comparison of two runs of one agent in different settings.

    Attributes:
        pair: comparison of the two runs, task by task.
        gap: pass rate of the second run minus that of the first.
        as_read: share of the second run's answers that would be right if the facts were as the agent declared them;
            None if the agent declared no facts.
    """

    pair: Comparison
    gap: Difference
    as_read: Estimate | None


@dataclass(frozen=True, eq=False)
class Chapter:
    """The part of a page about the runs of one suite.

    Attributes:
        suite: name of the suite.
        runs: runs in order.
        comparisons: comparisons of pairs of runs.
        tasks: tasks of the first run in its order, then tasks that are only in other runs.
    """

    suite: str
    runs: tuple[ShownRun, ...]
    comparisons: tuple[Comparison, ...]
    tasks: tuple[ReportTaskRow, ...]

    @cached_property
    def metrics(self) -> dict[str, Metric]:
        """Declarations of the metrics that occur in the runs, by name."""
        declared: dict[str, Metric] = {}
        for run in self.runs:
            declarations = metrics_of_family(run.scores.protocol)
            declared |= {name: declarations[name] for name in run.scores.metrics if name not in declared}
        return declared

    @cached_property
    def pass_rate_metric(self) -> str | None:
        """Name of the family's pass-rate metric, used to compare groups of tasks; None if there is none."""
        return next((name for name, metric in self.metrics.items() if metric.main), None)

    @cached_property
    def sample_metric_names(self) -> list[str]:
        """Names of pass@k and other metrics over several attempts.

        The metrics of the run with the most repeats come first, then metrics that are only in other runs.
        """
        most_first = sorted(self.runs, key=lambda run: -run.scores.run.repeats)
        return list(dict.fromkeys(name for run in most_first for name in run.scores.samples))

    @cached_property
    def groups(self) -> dict[str, list[str]]:
        """Labels of the groups of tasks, by grouping."""
        labels_by: dict[str, dict[str, None]] = {}
        for run in self.runs:
            for by, labels in run.scores.groups.items():
                labels_by.setdefault(by, {}).update(dict.fromkeys(labels))
        return {by: list(labels) for by, labels in labels_by.items()}

    @cached_property
    def axes(self) -> list[str]:
        """Names of the metrics that can be axes of a radar chart: shares of which higher is better."""
        return [
            name for name, metric in self.metrics.items() if metric.kind != "quantity" and metric.better == "higher"
        ]

    @cached_property
    def radar_grouping(self) -> str | None:
        """Grouping of the tasks for radar charts (one chart per group); None if none is suitable."""
        if len(self.axes) < FEWEST_AXES:
            return None
        return next((by for by, labels in self.groups.items() if 1 < len(labels) <= MOST_RADARS), None)

    @cached_property
    def thinking(self) -> list[ThinkingModel]:
        """Models that several runs use with different thinking settings, such as `on` and `off`."""
        return thinking_models([run.scores for run in self.runs])

    @cached_property
    def tallies(self) -> list[ShownTallies]:
        """Tables of counts that the family defines, with the counts of all runs."""
        by_run = [run.scores.tallies for run in self.runs]
        result = []
        for name in dict.fromkeys(name for tallies in by_run for name in tallies):
            tables = [tallies.get(name) for tallies in by_run]
            fullest = sorted(filter(None, tables), key=lambda table: -len(table.rows))
            rows = dict.fromkeys(row for table in fullest for row in table.rows)
            rows_shown = tuple(
                (row, tuple(None if table is None else table.rows.get(row) for table in tables)) for row in rows
            )
            result.append(ShownTallies(name, fullest[0], rows_shown))
        return result

    @cached_property
    def publication_tables(self) -> list[tuple[str, list[tuple[ShownRun, RunTable]]]]:
        """Titles of the tables in the family's publication, each with the runs that have it."""
        found: dict[str, list[tuple[ShownRun, RunTable]]] = {}
        for run in self.runs:
            for table in run.scores.tables:
                found.setdefault(table.title, []).append((run, table))
        return list(found.items())

    @cached_property
    def kinds(self) -> list[tuple[str, str]]:
        """Level and name of each kind of constraint: hard before soft, most violated first."""
        worst: dict[tuple[str, str], float] = {}
        for run in self.runs:
            for one in run.scores.kinds:
                key = (one.level, one.kind)
                worst[key] = max(worst.get(key, 0.0), one.share.value or 0.0)
        return sorted(worst, key=lambda key: (key[0] != "hard", -worst[key], key[1]))

    @cached_property
    def setting_comparisons(self) -> list[SettingComparison]:
        """Comparisons of runs of the same agent in different settings."""
        by = {run.scores.name: run.scores for run in self.runs}
        return [
            SettingComparison(pair, pair.differences[0], by[pair.second.name].metrics.get(AS_READ))
            for pair in self.comparisons
            if pair.first.agent == pair.second.agent and pair.first.setting != pair.second.setting and pair.differences
        ]

    @cached_property
    def readers(self) -> list[ShownRun]:
        """Runs whose agents declared the facts that they had read."""
        return [run for run in self.runs if run.scores.reading]

    def reading(self, by: str) -> list[tuple[str, str | None, list[ReadShares | None]]]:
        """Return counts of the facts that agents declared to have read.

        Facts that no agent declared or needed are left out.

        Args:
            by: grouping of the facts: by visual `cue`, by kind of `page`, or by `fact`.

        Returns:
            For each group its name, its state or None, and the counts of each run in `readers`.
        """
        by_run = [{(one.name, one.state): one for one in run.scores.reading if one.by == by} for run in self.readers]
        present = {
            key for counts in by_run for key, one in counts.items() if one.right or one.wrong or one.needed_missing
        }
        keys = sorted(present, key=lambda key: (key[0], key[1] or ""))
        return [(name, state, [counts.get((name, state)) for counts in by_run]) for name, state in keys]

    @cached_property
    def boundaries(self) -> list[str]:
        """Boundaries at which attempts failed, such as `provider`."""
        return list(dict.fromkeys(b.boundary for run in self.runs for b in run.scores.boundaries if b.attempts))


@dataclass(frozen=True, slots=True)
class ReportPage:
    """The contents of a page.

    Attributes:
        chapters: chapters, one for each suite.
        details: details of each task, in the order of the rows of all chapters.
        seconds: time limit of each search in seconds; None if no searches were requested.
        title: title of the page.
        pictures: pictures that agents were shown, by hash, up to the size limit.
    """

    chapters: tuple[Chapter, ...]
    details: tuple[ShownTask, ...]
    seconds: float | None
    title: str = "planspec report"
    pictures: Mapping[str, Image] = field(default_factory=dict)

    @property
    def runs(self) -> list[ShownRun]:
        """Runs of all chapters."""
        return [run for chapter in self.chapters for run in chapter.runs]


@former_fields(heard="on_progress")
@dataclass(frozen=True, slots=True)
class ReportOptions:
    """Options of a report.

    Attributes:
        seconds: time limit in seconds for finding each best plan and each nearest plan to an answer; None to leave both
            out.
        jobs: number of processes.
        on_progress: called after each task; None for no callback.
    """

    seconds: float | None = 5.0
    jobs: int = 1
    on_progress: ProgressCallback | None = None


@former_parameters(wanted="options")
def gather(runs: Sequence[tuple[RunFolder, RunScores]], options: ReportOptions) -> ReportPage:
    """Gather the contents of a page about runs.

    Args:
        runs: runs with their scores.
        options: options of the report.

    Raises:
        InvalidRunError: a folder is not a run.
        InternalError: a plan found by a solver does not pass the verifier.
    """
    parts = chapters(runs)
    requests: list[tuple[Path, TaskPageRequest]] = []
    for chapter in parts:
        requests += _requests(_runs_by_suite(runs)[chapter.suite], chapter.runs, chapter.tasks, options)
    details = tuple(_task_pages(requests, options))
    pictures = dict(_pictures(details, [folder.path for folder, _ in runs]))
    return ReportPage(parts, details, options.seconds, pictures=pictures)


def chapters(runs: Sequence[tuple[RunFolder, RunScores]]) -> tuple[Chapter, ...]:
    """Group runs into the chapters of a page, one for each suite."""
    result: list[Chapter] = []
    index = tasks = 0
    for suite, members in _runs_by_suite(runs).items():
        agents = Counter(_agent_name(scores) for _, scores in members)
        shown = tuple(ShownRun(index + n, _run_name(scores, agents), scores) for n, (_, scores) in enumerate(members))
        rows = _task_rows([scores for _, scores in members], tasks)
        result.append(Chapter(suite, shown, tuple(_comparisons([run.scores for run in shown])), rows))
        index, tasks = index + len(shown), tasks + len(rows)
    return tuple(result)


def _runs_by_suite(
    runs: Sequence[tuple[RunFolder, RunScores]],
) -> dict[str, list[tuple[RunFolder, RunScores]]]:
    """Group the runs by suite."""
    suites: dict[str, list[tuple[RunFolder, RunScores]]] = {}
    for folder, scores in runs:
        suites.setdefault(scores.run.suite, []).append((folder, scores))
    return suites


def _pictures(details: Iterable[ShownTask], folders: Sequence[Path]) -> Iterator[tuple[str, Image]]:
    """Yield hash and image of each stored picture that calls returned, up to the size limit."""
    calls = (call for task in details for attempt in task.attempts for call in attempt.trace.calls)
    room = MOST_PICTURE_BYTES
    for sha256 in dict.fromkeys(picture.sha256 for call in calls for picture in call.pictures):
        image = next(filter(None, (find_picture(folder, sha256) for folder in folders)), None)
        if image is not None and len(image.data) <= room:
            room -= len(image.data)
            yield sha256, image


def _run_name(scores: RunScores, agents: Mapping[str, int]) -> str:
    agent = _agent_name(scores)
    return agent if agents[agent] == 1 else f"{agent} ({scores.name})"


def _agent_name(scores: RunScores) -> str:
    return scores.run.name or scores.run.agent


def _task_rows(scores: Sequence[RunScores], begin: int) -> tuple[ReportTaskRow, ...]:
    by = [{task.task: task for task in one.tasks} for one in scores]
    names = dict.fromkeys(task for one in by for task in one)
    return tuple(
        ReportTaskRow(begin + index, name, tuple(one.get(name) for one in by)) for index, name in enumerate(names)
    )


def _comparisons(scores: Sequence[RunScores]) -> Iterator[Comparison]:
    for first, second in combinations(scores, 2):
        differs_in_setting = first.run.agent == second.run.agent and first.run.setting != second.run.setting
        if len(scores) <= MOST_PAIRED or first is scores[0] or differs_in_setting:
            yield compare(first, second)


def _requests(
    members: Sequence[tuple[RunFolder, RunScores]],
    shown: Sequence[ShownRun],
    rows: Sequence[ReportTaskRow],
    options: ReportOptions,
) -> Iterator[tuple[Path, TaskPageRequest]]:
    """Yield a request for the details of each task, with the folder in which the task's proofs are stored."""
    attempts: dict[tuple[str, str], list[RunAttempt]] = {}
    paths: dict[str, Path] = {}
    first: dict[str, tuple[RunFolder, RunScores]] = {}
    for (folder, scores), run in zip(members, shown, strict=True):
        sha = {task.task: task.sha256 for task in scores.tasks}
        for attempt in folder.attempts():
            if attempt.task in sha:
                attempts.setdefault((attempt.task, sha[attempt.task]), []).append(
                    RunAttempt(run.index, sha[attempt.task], attempt, scores.run.prices)
                )
        for name, path in _task_files(folder, scores).items():
            paths.setdefault(name, path)
        for task in scores.tasks:
            first.setdefault(task.task, (folder, scores))
    proofs = {} if options.seconds is None else stored_proofs([folder.path for folder, _ in members], options.seconds)
    by: dict[str, dict[Key, object]] = {}
    for key, entry in proofs.items():
        by.setdefault(key[0], {})[key] = entry
    for row in rows:
        folder, scores = first[row.task]
        copy = SuiteCopy.of(folder.path)
        task_attempts = [
            one
            for sha256 in dict.fromkeys(one.sha256 for one in row.scores if one)
            for one in attempts.get((row.task, sha256), ())
        ]
        yield (
            folder.path,
            TaskPageRequest(
                task=row.task,
                path=paths.get(row.task),
                folder=suite_folder(Path(scores.run.suite_path)) if copy is None else copy.folder,
                shipped=None if copy is None else copy.shipped,
                setting=scores.run.setting,
                sha256=row.any.sha256,
                facts=_task_facts(row.any),
                attempts=sorted(task_attempts, key=lambda run_attempt: (run_attempt.run, run_attempt.attempt.repeat)),
                seconds=options.seconds,
                proofs=by.get(row.any.sha256, {}),  # type: ignore[arg-type]
            ),
        )


def _task_files(folder: RunFolder, scores: RunScores) -> dict[str, Path]:
    """Return the files of a run's tasks by id: the copies in its folder or, without copies, the current files.

    The result is empty if the suite no longer exists.
    """
    copy = SuiteCopy.of(folder.path)
    if copy is not None:
        return copy.tasks
    catalog = Catalog()
    try:
        suite = catalog.suite(scores.run.suite_path)
    except (NotFoundError, DiagnosticError, OSError):
        return {}
    return task_paths(scores.run.tasks, suite, catalog)


def _task_facts(task: TaskScores) -> tuple[tuple[str, str], ...]:
    counts = [("hard constraints", str(task.hard)), ("soft constraints", str(task.soft))]
    if task.anchors is not None:
        counts.append(("anchors", str(task.anchors)))
    return (*counts, *((line(name, 80), line(value, 80)) for name, value in task.labels.items()))


def _task_pages(requests: Sequence[tuple[Path, TaskPageRequest]], options: ReportOptions) -> Iterator[ShownTask]:
    for done, ((folder, _), page) in enumerate(
        zip(requests, _make_pages([a for _, a in requests], options.jobs), strict=True), 1
    ):
        if page.proofs:
            store_proofs(folder, page.proofs)
        if options.on_progress:
            options.on_progress(done, len(requests))
        yield page.shown


def _make_pages(requests: Sequence[TaskPageRequest], jobs: int) -> Iterator[TaskPage]:
    return map_parallel(
        task_page,
        requests,
        jobs,
        begin=_ignore_interrupts,
        spawn=True,
        failed=naming(lambda request: f"the task `{request.task}`"),
    )


def _ignore_interrupts() -> None:
    """Ignore Ctrl-C in a worker, because the parent process stops the workers."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
