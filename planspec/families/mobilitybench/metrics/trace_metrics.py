"""Scores of the traces of a run over a suite, in several processes and bounded memory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import tee
from pathlib import Path
from typing import Any, TypeVar

from planspec.errors import LostWorkerError
from planspec.families.mobilitybench.calls import folded
from planspec.families.mobilitybench.episode import Episode
from planspec.families.mobilitybench.episode_map import add_map_answers
from planspec.families.mobilitybench.judging import judge_of, wider_judge
from planspec.families.mobilitybench.metrics.differences import (
    DifferenceCounts,
    ProfileComparison,
    compare_profiles,
)
from planspec.families.mobilitybench.metrics.official import OfficialReport
from planspec.families.mobilitybench.metrics.printing import lines_of, metric_lines
from planspec.families.mobilitybench.metrics.record import METRICS, Strict
from planspec.families.mobilitybench.metrics.report import StrictReport
from planspec.families.mobilitybench.metrics.scoring import final, score_trace
from planspec.families.mobilitybench.official.evaluator import CaseScores, Truth, score
from planspec.families.mobilitybench.public.table import OFFICIAL as RECORDS
from planspec.families.mobilitybench.public.table import read_official
from planspec.families.mobilitybench.recording import recording_beside
from planspec.families.mobilitybench.replay import ReplaySandbox
from planspec.families.mobilitybench.suite import InvalidEpisodeError, read_with_tasks
from planspec.families.mobilitybench.suite_files import EPISODES, episode_files, task_ids
from planspec.measures.intervals import SEED
from planspec.parallel import Jobs, map_parallel
from planspec.traces.files import reason
from planspec.traces.metrics import TraceRequest, TraceScores, UnsuitableRunError
from planspec.traces.record import Trace
from planspec.traces.telling import TraceFile, line_trace
from planspec.verifiers.meaning.verdict import Verdict
from planspec.verifiers.official.protocol import OFFICIAL, STRICT

AHEAD = 4
"""Chunks for each process that wait or are done."""
MOST_QUOTED = 60
"""Characters of a query that are quoted."""


@dataclass(frozen=True, slots=True)
class EpisodeWork:
    """One episode with its trace, to be scored.

    Attributes:
        episode: the run's episode.
        task: path of its task; None if no verdict is required.
        trace: the run, or the line that holds it.
        place: position of the trace in its file.
        truth: the public toolkit's input; None if that profile is not requested.
        strict: whether the strict metrics are requested.
        compare: whether the comparison of the profiles is requested.
        folder: folder of the suite.
    """

    episode: Episode
    task: Path | None
    trace: Trace | bytes | None
    place: int
    truth: Truth | None
    strict: bool
    compare: bool
    folder: Path


@dataclass(frozen=True, slots=True)
class EpisodeResult:
    """Scores of an episode.

    Attributes:
        strict: strict metrics; None if not requested.
        official: the toolkit's numbers; None if not requested, or if there is no trace.
        comparison: comparison of the profiles; None if not requested.
        unread: reason why the trace cannot be read.
        question: query in the trace, if it is not the episode's.
    """

    strict: Strict | None
    official: CaseScores | None
    comparison: ProfileComparison | None
    unread: str | None
    question: str | None


class MobilityBenchTraceMetrics:
    """The strict metrics of traces, the public toolkit's, or both."""

    declared = METRICS

    def profiles(self, folder: Path) -> Sequence[str]:
        """Return the profiles of a suite, with `official` if the suite has the public toolkit's inputs."""
        return (STRICT, OFFICIAL) if (folder / RECORDS).is_file() else (STRICT,)

    def over(self, request: TraceRequest) -> TraceScores:
        """Compute the metrics of a file of traces.

        Raises:
            UnsuitableRunError: the suite has no episodes, a task has two traces, or a trace belongs to no
                task of the suite.
            OSError: a file cannot be read.
        """
        if not episode_files(request.folder):
            raise UnsuitableRunError(f"the suite `{request.suite}` has no `{EPISODES}`")
        traces = TraceFile(request.traces)
        _check(request, traces)
        summed = _Summing(request, traces)
        try:
            for work, result in _done(_work(request, traces), request.jobs):
                summed.add(work, result)
        except InvalidEpisodeError as broken:
            raise UnsuitableRunError(str(broken)) from None
        return summed.scores()

    def metric_lines(self, metrics: Mapping[str, Any], profile: str) -> Sequence[str]:
        """Return the metrics of a suite, or of a part of it, as text for people."""
        return list(metric_lines(metrics, profile))

    def lines(self, scores: TraceScores) -> Sequence[str]:
        """Return the metrics as text for people, with other observations about the traces."""
        return lines_of(scores)


TRACE_METRICS = MobilityBenchTraceMetrics()


class _Summing:
    """Sums over the episodes scored so far."""

    def __init__(self, request: TraceRequest, traces: TraceFile) -> None:
        self._request = request
        self._unread = [str(one) for one in traces.unread]
        self._strict = StrictReport(seed=SEED if request.seed is None else request.seed)
        self._official = OfficialReport()
        self._differences = DifferenceCounts(details=request.details)
        self._questions: list[str] = []
        self._details: list[dict[str, Any]] = []
        self._episodes = self._passed = 0

    def add(self, work: EpisodeWork, result: EpisodeResult) -> None:
        self._episodes += 1
        if result.unread is not None:
            self._unread.append(f"{self._request.traces.name}:{work.place}: {result.unread}")
        if result.question is not None:
            where = f"{self._request.traces.name}:{work.place}: {work.episode.id}"
            self._questions.append(
                f"{where}: the trace asks {_quoted(result.question)}, the task {_quoted(work.episode.query)}"
            )
        if result.strict is not None:
            self._strict.add(result.strict)
        if result.comparison is not None:
            self._differences.add(result.comparison)
        if self._request.profile == OFFICIAL:
            self._official.add(work.episode.id, result.official)
            self._passed += self._official.passes(result.official)
            if self._request.details:
                self._details.append(self._official.document_of(work.episode.id, result.official))
        elif result.strict is not None:
            self._passed += result.strict.metrics["FPR"].value == 1
            if self._request.details:
                self._details.append(result.strict.document())

    def scores(self) -> TraceScores:
        request = self._request
        return TraceScores(
            suite=request.suite, profile=request.profile, passed=0 < self._episodes == self._passed,
            metrics=self._official.document() if request.profile == OFFICIAL else self._strict.document(),
            traces=self._details, unread=self._unread, other_questions=self._questions,
            differences=self._differences.document() if request.differences else None,
        )  # fmt: skip


def _check(request: TraceRequest, traces: TraceFile) -> None:
    """Check that each trace belongs to a task of the suite, and is the only one.

    Raises:
        UnsuitableRunError: a trace does not.
    """
    if traces.duplicates:
        task, first, second = traces.duplicates[0]
        raise UnsuitableRunError(
            f"the traces have `{task}` twice, at {first} and at {second}; give each agent a file of its own"
        )
    ids = task_ids(request.folder)
    for task, place in traces.tasks.items():
        if task not in ids:
            raise UnsuitableRunError(f"{request.traces.name}:{place}: the suite has no task `{task}`")


def _work(request: TraceRequest, traces: TraceFile) -> Iterator[EpisodeWork]:
    both = request.differences
    strict = request.profile == STRICT or both
    truths = _Truths(request.folder / RECORDS) if request.profile == OFFICIAL or both else None
    for episode, task in read_with_tasks(request.folder):
        yield EpisodeWork(
            episode, task if strict else None, traces.raw(episode.id),
            traces.tasks.get(episode.id, 0), truths.pop(episode.id) if truths is not None else None, strict, both,
            request.folder,
        )  # fmt: skip


class _Truths:
    """The public toolkit's inputs, looked up in the order of the file, so that few are stored."""

    def __init__(self, file: Path) -> None:
        self._name = file.name
        self._left = _truths(file)
        self._passed: dict[str, Truth] = {}

    def pop(self, episode: str) -> Truth:
        """Return the input for an episode, which is not stored any longer.

        Raises:
            UnsuitableRunError: there is none, or the file cannot be read.
        """
        if episode in self._passed:
            return self._passed.pop(episode)
        for truth in self._left:
            if truth.case == episode:
                return truth
            self._passed[truth.case] = truth
        raise UnsuitableRunError(f"`{self._name}` has nothing on `{episode}`")


def _truths(file: Path) -> Iterator[Truth]:
    try:
        yield from read_official(file)
    except ValueError as error:
        raise UnsuitableRunError(f"`{file.name}`: {error}") from None


T = TypeVar("T")


def _done(work: Iterable[EpisodeWork], jobs: Jobs) -> Iterator[tuple[EpisodeWork, EpisodeResult]]:
    """Yield each work with its result, in order."""
    submitted, remaining = tee(work)  # work that begins ahead is stored until its result arrives
    yield from zip(
        remaining, map_parallel(do, submitted, jobs, light=True, ahead=AHEAD, failed=_lost), strict=True
    )


def _lost(work: EpisodeWork, error: Exception) -> EpisodeResult:
    """Return the result of an episode whose trace ended the scoring processes: as without a trace."""
    if not isinstance(error, LostWorkerError):
        raise error
    return replace(do(replace(work, trace=None)), unread=f"not scored: {error}")


def do(work: EpisodeWork) -> EpisodeResult:
    """Score one episode."""
    trace, unread = _trace(work)
    strict = official = comparison = None
    if work.strict:
        verdict = (
            verdict_of(work.task, work.episode, trace, recording_beside(work.folder), work.folder)
            if work.task is not None and trace is not None
            else None
        )
        strict = score_trace(work.episode, trace, verdict, work.folder)
    if work.truth is not None and trace is not None:
        official = score(work.truth, trace)
    if work.compare and strict is not None and work.truth is not None:
        comparison = compare_profiles(work.episode, trace, strict, work.truth, official)
    question = None if trace is None else other_question(work.episode, trace)
    return EpisodeResult(strict, official, comparison, unread, question)


def other_question(episode: Episode, trace: Trace) -> str | None:
    """Return the question of a trace's user; None if it is the episode's query, or there is none.

    Only letters and digits are compared, and the query may be part of a longer message, such as a prompt.
    """
    messages = [message.text for message in trace.messages if message.role == "user" and message.text]
    query = _bare(episode.query)
    return None if not messages or any(query in _bare(text) for text in messages) else messages[0]


def _bare(text: str) -> str:
    return "".join(c for c in folded(text) if c.isalnum())


def _quoted(text: str) -> str:
    """Return the beginning of a text on one line, quoted."""
    line = " ".join(text.split())
    return json.dumps(line if len(line) <= MOST_QUOTED else f"{line[:MOST_QUOTED]}...", ensure_ascii=False)


def _trace(work: EpisodeWork) -> tuple[Trace | None, str | None]:
    if not isinstance(work.trace, bytes):
        return work.trace, None
    try:
        return line_trace(work.trace, work.place), None
    except (ValueError, RecursionError) as error:
        return None, reason(error)


def verdict_of(
    task: Path,
    episode: Episode,
    trace: Trace,
    recording: ReplaySandbox | None = None,
    suite: Path | None = None,
) -> Verdict | None:
    """Return the verdict on a run: the library's on its answer, which fails if calls stayed failed.

    The verdict does not cover the scope.

    Args:
        task: path of the task.
        episode: the run's episode.
        trace: the run.
        recording: recording of the suite.
        suite: folder of the suite.

    Returns:
        The verdict; None without an answer.

    Raises:
        OSError: the task does not exist.
        DiagnosticError: the task has errors.
    """
    from planspec.families.mobilitybench.answers import resolve_routes

    if trace.answer is None:
        return None
    wide = add_map_answers(episode, trace.calls, recording, suite)
    answer, judge = resolve_routes(trace.answer, trace, wide), judge_of(task)
    verdict = judge.answer(answer, details="reasons")
    if verdict.status != "pass" and wide is not episode:
        verdict = wider_judge(judge, wide).answer(answer, details="reasons")
    return final(verdict, episode, trace, suite)
