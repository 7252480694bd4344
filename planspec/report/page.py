"""A report: what a page says of some runs, gathered so that a template has nothing left to work out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, groupby
from pathlib import Path

from planspec.agents.pictures import Image
from planspec.api.catalog import Catalog, suite_folder
from planspec.errors import DiagnosticError, NotFoundError
from planspec.parallel import map_parallel, naming
from planspec.report.details import RunAttempt, TaskPage, TaskPageRequest, tell
from planspec.report.proofs import Key, keep, kept
from planspec.report.radar import FEWEST_AXES
from planspec.report.record import TaskShown
from planspec.report.texts import line
from planspec.report.thinking import ThinkingModel, thinking_models
from planspec.runs import RunFolder
from planspec.runs.pictures import find_picture
from planspec.runs.running import task_paths
from planspec.runs.suite_copy import SuiteCopy
from planspec.scores import Comparison, RunScores, compare
from planspec.scores.metrics import declared_by
from planspec.scores.record import Difference, Estimate, ReadShares, Tallied, TallyTable, TaskScores
from planspec.verifiers.metrics.metric import Metric

MOST_RADARS = 6
"""Up to this number of groups, each has a radar chart; more have the table alone."""
MOST_PAIRED = 5
"""Up to this number of runs of a suite, each is compared with each; beyond it, each with the first and with those of the same agent in another setting."""
AS_READ = "right_as_read"
"""The metric that says how often an answer is right in the world as the agent read it."""
MOST_PICTURE_BYTES = 40_000_000
"""The most bytes of pictures that a page carries, so that a browser opens it; the rest is in the folders of the runs."""
ProgressCallback = Callable[[int, int], None]
"""A callback that gets the number of tasks that are done, and the number of all."""


@dataclass(frozen=True, slots=True)
class RunShown:
    """One run.

    Attributes:
        place: among the runs of the page.
        name: as the page calls it: by its own name, else its agent; with its folder where that is the name of several.
    """

    place: int
    name: str
    scores: RunScores


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A line of the table of tasks.

    Attributes:
        place: among the tasks of the page, by which its details are found.
        scores: of each run of the chapter in order; None where a run has not the task.
    """

    place: int
    task: str
    scores: tuple[TaskScores | None, ...]

    @property
    def any(self) -> TaskScores:
        """The scores of the first run that has the task."""
        return next(one for one in self.scores if one is not None)

    @property
    def outcome(self) -> str:
        """`all`, `some` or `none` of the attempts pass."""
        passed = sum(one.passed for one in self.scores if one)
        wanted = sum(one.wanted for one in self.scores if one)
        return "all" if passed == wanted else "some" if passed else "none"


@dataclass(frozen=True, slots=True)
class TalliesShown:
    """A table of what a family counts in answers, such as their cells by column, of all runs of a chapter.

    Attributes:
        name: of the table among the family's metrics.
        table: that of the run with most rows.
        rows: the name of each, with the counts of each run in order; None where a run has none of it.
    """

    name: str
    table: TallyTable
    rows: tuple[tuple[str, tuple[Tallied | None, ...]], ...]

    @property
    def parts(self) -> list[tuple[str, list[tuple[str, tuple[Tallied | None, ...]]]]]:
        """The rows by what stands before the dot in their names, without that; nothing where there is no dot."""
        return [
            (part, [(name.rpartition(".")[2], found) for name, found in rows])
            for part, rows in groupby(self.rows, lambda row: row[0].rpartition(".")[0])
        ]


@dataclass(frozen=True, slots=True)
class SettingsGap:
    """How much more or less an agent passes in one setting than in another.

    Attributes:
        pair: the two runs, task by task.
        gap: of their pass rates, second less first.
        as_read: how often answers in the second are right in the world as the agent read it; None where it declared nothing.
    """

    pair: Comparison
    gap: Difference
    as_read: Estimate | None


@dataclass(frozen=True, eq=False)
class Chapter:
    """All runs of one suite.

    Attributes:
        tasks: in the order of the first run, then those that only others have.
    """

    suite: str
    runs: tuple[RunShown, ...]
    comparisons: tuple[Comparison, ...]
    tasks: tuple[TaskRow, ...]

    @cached_property
    def metrics(self) -> dict[str, Metric]:
        """The metrics of all runs by name, each once, with their declarations."""
        found: dict[str, Metric] = {}
        for run in self.runs:
            declarations = declared_by(run.scores.protocol)
            found |= {name: declarations[name] for name in run.scores.metrics if name not in found}
        return found

    @cached_property
    def main(self) -> str | None:
        """The metric that groups are compared by: how many attempts pass, as the family calls it."""
        return next((name for name, metric in self.metrics.items() if metric.main), None)

    @cached_property
    def samples(self) -> list[str]:
        """The metrics of drawing among the attempts at each task, as the run with most repeats has them; then those of others."""
        most_first = sorted(self.runs, key=lambda run: -run.scores.run.repeats)
        return list(dict.fromkeys(name for run in most_first for name in run.scores.samples))

    @cached_property
    def groups(self) -> dict[str, list[str]]:
        """The labels of each way to group the tasks."""
        found: dict[str, dict[str, None]] = {}
        for run in self.runs:
            for by, labels in run.scores.groups.items():
                found.setdefault(by, {}).update(dict.fromkeys(labels))
        return {by: list(labels) for by, labels in found.items()}

    @cached_property
    def axes(self) -> list[str]:
        """The metrics that a radar chart can have as axes: shares that are better the higher they are."""
        return [
            name
            for name, metric in self.metrics.items()
            if metric.kind != "quantity" and metric.better == "higher"
        ]

    @cached_property
    def drawn(self) -> str | None:
        """The first way to group the tasks of which each group has a radar chart; None without one."""
        if len(self.axes) < FEWEST_AXES:
            return None
        return next((by for by, labels in self.groups.items() if 1 < len(labels) <= MOST_RADARS), None)

    @cached_property
    def thinking(self) -> list[ThinkingModel]:
        """The models of which some runs think otherwise than others."""
        return thinking_models([run.scores for run in self.runs])

    @cached_property
    def tallies(self) -> list[TalliesShown]:
        """The tables of what the family counts in answers."""
        found = [run.scores.tallies for run in self.runs]
        made = []
        for name in dict.fromkeys(name for of_run in found for name in of_run):
            tables = [of_run.get(name) for of_run in found]
            fullest = sorted(filter(None, tables), key=lambda table: -len(table.rows))
            rows = dict.fromkeys(row for table in fullest for row in table.rows)
            told = tuple(
                (row, tuple(None if table is None else table.rows.get(row) for table in tables))
                for row in rows
            )
            made.append(TalliesShown(name, fullest[0], told))
        return made

    @cached_property
    def kinds(self) -> list[tuple[str, str]]:
        """Level and kind of all constraints, hard before soft, those first that fail most anywhere."""
        worst: dict[tuple[str, str], float] = {}
        for run in self.runs:
            for one in run.scores.kinds:
                key = (one.level, one.kind)
                worst[key] = max(worst.get(key, 0.0), one.share.value or 0.0)
        return sorted(worst, key=lambda key: (key[0] != "hard", -worst[key], key[1]))

    @cached_property
    def settings(self) -> list[SettingsGap]:
        """The comparisons of one agent in two settings, with what the agent declared to have read in the second."""
        by = {run.scores.name: run.scores for run in self.runs}
        return [
            SettingsGap(pair, pair.differences[0], by[pair.second.name].metrics.get(AS_READ))
            for pair in self.comparisons
            if pair.first.agent == pair.second.agent and pair.first.setting != pair.second.setting and pair.differences
        ]  # fmt: skip

    @cached_property
    def readers(self) -> list[RunShown]:
        """The runs of which agents declared to have read something."""
        return [run for run in self.runs if run.scores.reading]

    def reading(self, by: str) -> list[tuple[str, str | None, list[ReadShares | None]]]:
        """What agents declared to have read, told apart in one way: each name and state, with the counts of each of the readers.

        What nobody declared and nobody needed is left out.

        Args:
            by: `cue`, `page` or `fact`.
        """
        of_runs = [
            {(one.name, one.state): one for one in run.scores.reading if one.by == by} for run in self.readers
        ]
        told = {
            key
            for of_run in of_runs
            for key, one in of_run.items()
            if one.right or one.wrong or one.needed_missing
        }
        keys = sorted(told, key=lambda key: (key[0], key[1] or ""))
        return [(name, state, [of_run.get((name, state)) for of_run in of_runs]) for name, state in keys]

    @cached_property
    def boundaries(self) -> list[str]:
        """The boundaries at which an attempt failed."""
        return list(
            dict.fromkeys(b.boundary for run in self.runs for b in run.scores.boundaries if b.attempts)
        )


@dataclass(frozen=True, slots=True)
class Page:
    """Everything on a page.

    Attributes:
        details: of each task, in the order of the chapters' rows.
        pictures: that agents were shown, by their hashes; those that are too many are named alone.
        seconds: that each proof might take; None where none was asked for.
    """

    chapters: tuple[Chapter, ...]
    details: tuple[TaskShown, ...]
    seconds: float | None
    title: str = "planspec report"
    pictures: Mapping[str, Image] = field(default_factory=dict)

    @property
    def runs(self) -> list[RunShown]:
        """The runs of all chapters."""
        return [run for chapter in self.chapters for run in chapter.runs]


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """The options of a report.

    Attributes:
        seconds: for each plan of the oracle and each repair; None to leave them out.
        jobs: processes.
        heard: gets the progress after each task; None for no reports.
    """

    seconds: float | None = 5.0
    jobs: int = 1
    heard: ProgressCallback | None = None


def gather(runs: Sequence[tuple[RunFolder, RunScores]], wanted: ReportOptions) -> Page:
    """Gather what is to be said of runs.

    Args:
        runs: each with its scores.
        wanted: how.

    Raises:
        InvalidRunError: a folder is no run.
        InternalError: a plan that a solver found does not pass the verifier.
    """
    made = chapters(runs)
    asked: list[tuple[Path, TaskPageRequest]] = []
    for chapter in made:
        asked += _asked(_members(runs)[chapter.suite], chapter.runs, chapter.tasks, wanted)
    details = tuple(_told(asked, wanted))
    pictures = dict(_pictures(details, [folder.path for folder, _ in runs]))
    return Page(made, details, wanted.seconds, pictures=pictures)


def chapters(runs: Sequence[tuple[RunFolder, RunScores]]) -> tuple[Chapter, ...]:
    """The chapters of a page, one for each suite.

    Args:
        runs: each with its scores.
    """
    made: list[Chapter] = []
    place = tasks = 0
    for suite, members in _members(runs).items():
        agents = Counter(_called(scores) for _, scores in members)
        shown = tuple(
            RunShown(place + n, _name(scores, agents), scores) for n, (_, scores) in enumerate(members)
        )
        rows = _rows([scores for _, scores in members], tasks)
        made.append(Chapter(suite, shown, tuple(_compared([run.scores for run in shown])), rows))
        place, tasks = place + len(shown), tasks + len(rows)
    return tuple(made)


def _members(
    runs: Sequence[tuple[RunFolder, RunScores]],
) -> dict[str, list[tuple[RunFolder, RunScores]]]:
    """The runs by their suites."""
    suites: dict[str, list[tuple[RunFolder, RunScores]]] = {}
    for folder, scores in runs:
        suites.setdefault(scores.run.suite, []).append((folder, scores))
    return suites


def _pictures(details: Iterable[TaskShown], folders: Sequence[Path]) -> Iterator[tuple[str, Image]]:
    """The pictures of all calls by their hashes, as long as there is room for them; those that no run has kept are left out."""
    calls = (call for task in details for attempt in task.attempts for call in attempt.trace.calls)
    room = MOST_PICTURE_BYTES
    for sha256 in dict.fromkeys(picture.sha256 for call in calls for picture in call.pictures):
        found = next(filter(None, (find_picture(folder, sha256) for folder in folders)), None)
        if found is not None and len(found.data) <= room:
            room -= len(found.data)
            yield sha256, found


def _name(scores: RunScores, agents: Mapping[str, int]) -> str:
    agent = _called(scores)
    return agent if agents[agent] == 1 else f"{agent} ({scores.name})"


def _called(scores: RunScores) -> str:
    return scores.run.name or scores.run.agent


def _rows(scores: Sequence[RunScores], begin: int) -> tuple[TaskRow, ...]:
    by = [{task.task: task for task in one.tasks} for one in scores]
    names = dict.fromkeys(task for one in by for task in one)
    return tuple(
        TaskRow(begin + place, name, tuple(one.get(name) for one in by)) for place, name in enumerate(names)
    )


def _compared(scores: Sequence[RunScores]) -> Iterator[Comparison]:
    for first, second in combinations(scores, 2):
        settings = first.run.agent == second.run.agent and first.run.setting != second.run.setting
        if len(scores) <= MOST_PAIRED or first is scores[0] or settings:
            yield compare(first, second)


def _asked(
    members: Sequence[tuple[RunFolder, RunScores]],
    shown: Sequence[RunShown],
    rows: Sequence[TaskRow],
    wanted: ReportOptions,
) -> Iterator[tuple[Path, TaskPageRequest]]:
    """The request for each task's details, and the folder in which proofs of the task are kept."""
    attempts: dict[tuple[str, str], list[RunAttempt]] = {}
    paths: dict[str, Path] = {}
    first: dict[str, tuple[RunFolder, RunScores]] = {}
    for (folder, scores), run in zip(members, shown, strict=True):
        sha = {task.task: task.sha256 for task in scores.tasks}
        for attempt in folder.attempts():
            if attempt.task in sha:
                attempts.setdefault((attempt.task, sha[attempt.task]), []).append(
                    RunAttempt(run.place, sha[attempt.task], attempt, scores.run.prices)
                )
        for name, path in _paths(folder, scores).items():
            paths.setdefault(name, path)
        for task in scores.tasks:
            first.setdefault(task.task, (folder, scores))
    known = {} if wanted.seconds is None else kept([folder.path for folder, _ in members], wanted.seconds)
    by: dict[str, dict[Key, object]] = {}
    for key, entry in known.items():
        by.setdefault(key[0], {})[key] = entry
    for row in rows:
        folder, scores = first[row.task]
        copy = SuiteCopy.of(folder.path)
        told = [
            one
            for sha256 in dict.fromkeys(one.sha256 for one in row.scores if one)
            for one in attempts.get((row.task, sha256), ())
        ]
        yield folder.path, TaskPageRequest(
            task=row.task, path=paths.get(row.task), folder=suite_folder(Path(scores.run.suite_path)) if copy is None else copy.folder,
            shipped=None if copy is None else copy.shipped,
            setting=scores.run.setting, sha256=row.any.sha256, facts=_facts(row.any),
            attempts=sorted(told, key=lambda made: (made.run, made.attempt.repeat)), seconds=wanted.seconds,
            known=by.get(row.any.sha256, {}),  # type: ignore[arg-type]
        )  # fmt: skip


def _paths(folder: RunFolder, scores: RunScores) -> dict[str, Path]:
    """The files of a run's tasks: the copies in its folder, else where they are now; none if its suite is gone."""
    copy = SuiteCopy.of(folder.path)
    if copy is not None:
        return copy.tasks
    catalog = Catalog()
    try:
        found = catalog.suite(scores.run.suite_path)
    except (NotFoundError, DiagnosticError, OSError):
        return {}
    return task_paths(scores.run.tasks, found, catalog)


def _facts(task: TaskScores) -> tuple[tuple[str, str], ...]:
    counts = [("hard constraints", str(task.hard)), ("soft constraints", str(task.soft))]
    if task.anchors is not None:
        counts.append(("anchors", str(task.anchors)))
    return (*counts, *((line(name, 80), line(value, 80)) for name, value in task.labels.items()))


def _told(asked: Sequence[tuple[Path, TaskPageRequest]], wanted: ReportOptions) -> Iterator[TaskShown]:
    for done, ((folder, _), told) in enumerate(
        zip(asked, _each([a for _, a in asked], wanted.jobs), strict=True), 1
    ):
        if told.found:
            keep(folder, told.found)
        if wanted.heard:
            wanted.heard(done, len(asked))
        yield told.shown


def _each(asked: Sequence[TaskPageRequest], jobs: int) -> Iterator[TaskPage]:
    return map_parallel(
        tell, asked, jobs, begin=_begin, spawn=True, failed=naming(lambda of: f"the task `{of.task}`")
    )


def _begin() -> None:
    """Ignore Ctrl-C in a worker: the parent process decides when to stop."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
