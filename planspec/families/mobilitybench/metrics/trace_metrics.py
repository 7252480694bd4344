"""Scorer of a suite's traces, in several processes and bounded memory."""

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
from planspec.families.mobilitybench.metrics.record import METRICS, StrictMetrics
from planspec.families.mobilitybench.metrics.report import StrictReport
from planspec.families.mobilitybench.metrics.scoring import run_verdict, score_trace
from planspec.families.mobilitybench.official.evaluator import CaseScores, Truth, score
from planspec.families.mobilitybench.public.table import OFFICIAL as RECORDS
from planspec.families.mobilitybench.public.table import read_official
from planspec.families.mobilitybench.recording import recording_beside
from planspec.families.mobilitybench.replay import ReplaySandbox
from planspec.families.mobilitybench.suite import InvalidEpisodeError, read_episodes_with_tasks
from planspec.families.mobilitybench.suite_files import EPISODES, episode_files, task_ids
from planspec.parallel import Jobs, map_parallel
from planspec.scores.intervals import SEED
from planspec.traces.files import reason
from planspec.traces.formats import TraceFile, line_trace
from planspec.traces.metrics import TraceRequest, TraceScores, UnsuitableRunError
from planspec.traces.record import Trace
from planspec.verifiers.meaning.verdict import Verdict
from planspec.verifiers.official.protocol import OFFICIAL, STRICT

AHEAD = 4
"""Maximum number of chunks per process that are submitted and not yet consumed."""
MOST_QUOTED = 60
"""Maximum number of characters quoted from a query."""


@dataclass(frozen=True, slots=True)
class EpisodeWork:
    """An episode to be scored, with its trace.

    Attributes:
        episode: the run's episode.
        task: path of its task; None if no verdict is needed.
        trace: the run, parsed or as a line of the file of traces; None if there is none.
        line_number: line number of the trace in its file; 0 if there is none.
        truth: the public toolkit's input; None if its metrics are not requested.
        strict: whether the strict metrics are requested.
        compare: whether a comparison of the strict and the toolkit's metrics is requested.
        folder: folder of the suite.
    """

    episode: Episode
    task: Path | None
    trace: Trace | bytes | None
    line_number: int
    truth: Truth | None
    strict: bool
    compare: bool
    folder: Path


@dataclass(frozen=True, slots=True)
class EpisodeResult:
    """Scores of an episode.

    Attributes:
        strict: strict metrics; None if not requested.
        official: the toolkit's scores; None if not requested, or if there is no trace.
        comparison: comparison of the profiles; None if not requested.
        why_unread: reason why the trace cannot be read; None if it can be read.
        question: the trace's query if it differs from the episode's query, otherwise None.
    """

    strict: StrictMetrics | None
    official: CaseScores | None
    comparison: ProfileComparison | None
    why_unread: str | None
    question: str | None


class MobilityBenchTraceMetrics:
    """Metrics of traces: the strict ones, the public toolkit's, or both."""

    declared = METRICS

    def profiles(self, folder: Path) -> Sequence[str]:
        """Return the profiles available for a suite. `official` requires the public toolkit's inputs in its folder."""
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
        _check_tasks(request, traces)
        summed = _ScoreSums(request, traces)
        try:
            for work, result in _score_episodes(_episodes_to_score(request, traces), request.jobs):
                summed.add(work, result)
        except InvalidEpisodeError as broken:
            raise UnsuitableRunError(str(broken)) from None
        return summed.scores()

    def metric_lines(self, metrics: Mapping[str, Any], profile: str) -> Sequence[str]:
        """Return lines of text with the metrics of a suite, or of a part of it."""
        return list(metric_lines(metrics, profile))

    def lines(self, scores: TraceScores) -> Sequence[str]:
        """Return lines of text with the metrics and other observations about the traces."""
        return lines_of(scores)


TRACE_METRICS = MobilityBenchTraceMetrics()


class _ScoreSums:
    """Accumulator of the scores of episodes."""

    def __init__(self, request: TraceRequest, traces: TraceFile) -> None:
        self._request = request
        self._unread = [str(one) for one in traces.unread]
        self._strict = StrictReport(seed=SEED if request.seed is None else request.seed)
        self._official = OfficialReport()
        self._differences = DifferenceCounts(details=request.details)
        self._questions: list[str] = []
        self._details: list[dict[str, Any]] = []
        self._episodes = self._skipped = 0

    def add(self, work: EpisodeWork, result: EpisodeResult) -> None:
        self._episodes += 1
        if result.why_unread is not None:
            self._unread.append(f"{self._request.traces.name}:{work.line_number}: {result.why_unread}")
        if result.question is not None:
            where = f"{self._request.traces.name}:{work.line_number}: {work.episode.id}"
            self._questions.append(
                f"{where}: the trace asks {_quote_start(result.question)}, the task {_quote_start(work.episode.query)}"
            )
        if result.strict is not None:
            self._strict.add(result.strict)
        if result.comparison is not None:
            self._differences.add(result.comparison)
        if self._request.profile == OFFICIAL:
            self._official.add(work.episode.id, result.official)
            self._skipped += self._official.passes(result.official)
            if self._request.details:
                self._details.append(self._official.scores_json(work.episode.id, result.official))
        elif result.strict is not None:
            self._skipped += result.strict.metrics["FPR"].value == 1
            if self._request.details:
                self._details.append(result.strict.as_json())

    def scores(self) -> TraceScores:
        request = self._request
        return TraceScores(
            suite=request.suite,
            profile=request.profile,
            passed=0 < self._episodes == self._skipped,
            metrics=self._official.as_json() if request.profile == OFFICIAL else self._strict.as_json(),
            traces=self._details,
            unread=self._unread,
            other_questions=self._questions,
            differences=self._differences.as_json() if request.differences else None,
        )


def _check_tasks(request: TraceRequest, traces: TraceFile) -> None:
    """Check that each trace belongs to a task of the suite, and that no task has two traces.

    Raises:
        UnsuitableRunError: the check fails.
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


def _episodes_to_score(request: TraceRequest, traces: TraceFile) -> Iterator[EpisodeWork]:
    both = request.differences
    strict = request.profile == STRICT or both
    truths = _ToolkitInputs(request.folder / RECORDS) if request.profile == OFFICIAL or both else None
    for episode, task in read_episodes_with_tasks(request.folder):
        yield EpisodeWork(
            episode,
            task if strict else None,
            traces.raw(episode.id),
            traces.tasks.get(episode.id, 0),
            truths.pop(episode.id) if truths is not None else None,
            strict,
            both,
            request.folder,
        )


class _ToolkitInputs:
    """Lookup of the public toolkit's inputs by episode. The file is read only as far as needed."""

    def __init__(self, file: Path) -> None:
        self._name = file.name
        self._unread_truths = _read_truths(file)
        self._skipped: dict[str, Truth] = {}

    def pop(self, episode: str) -> Truth:
        """Return the input for an episode, and remove it from the lookup.

        Raises:
            UnsuitableRunError: the file has no input for the episode, or cannot be read.
        """
        if episode in self._skipped:
            return self._skipped.pop(episode)
        for truth in self._unread_truths:
            if truth.case == episode:
                return truth
            self._skipped[truth.case] = truth
        raise UnsuitableRunError(f"`{self._name}` has no record of `{episode}`")


def _read_truths(file: Path) -> Iterator[Truth]:
    try:
        yield from read_official(file)
    except ValueError as error:
        raise UnsuitableRunError(f"`{file.name}`: {error}") from None


T = TypeVar("T")


def _score_episodes(work: Iterable[EpisodeWork], jobs: Jobs) -> Iterator[tuple[EpisodeWork, EpisodeResult]]:
    """Score episodes in several processes, and yield each with its result, in order."""
    submitted, remaining = tee(work)  # submitted work is stored until its result arrives
    yield from zip(
        remaining,
        map_parallel(score_episode, submitted, jobs, light=True, ahead=AHEAD, failed=_score_without_trace),
        strict=True,
    )


def _score_without_trace(work: EpisodeWork, error: Exception) -> EpisodeResult:
    """Score an episode as if it had no trace. Used if scoring the trace killed the worker process."""
    if not isinstance(error, LostWorkerError):
        raise error
    return replace(score_episode(replace(work, trace=None)), why_unread=f"not scored: {error}")


def score_episode(work: EpisodeWork) -> EpisodeResult:
    """Score one episode."""
    trace, why_unread = _read_trace(work)
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
    return EpisodeResult(strict, official, comparison, why_unread, question)


def other_question(episode: Episode, trace: Trace) -> str | None:
    """Return the user's first message in a trace if no message contains the episode's query, otherwise None.

    Only letters and digits are compared.
    """
    messages = [message.text for message in trace.messages if message.role == "user" and message.text]
    query = _letters_and_digits(episode.query)
    return None if not messages or any(query in _letters_and_digits(text) for text in messages) else messages[0]


def _letters_and_digits(text: str) -> str:
    return "".join(c for c in folded(text) if c.isalnum())


def _quote_start(text: str) -> str:
    """Return the beginning of a text in quotation marks, on one line."""
    line = " ".join(text.split())
    return json.dumps(line if len(line) <= MOST_QUOTED else f"{line[:MOST_QUOTED]}...", ensure_ascii=False)


def _read_trace(work: EpisodeWork) -> tuple[Trace | None, str | None]:
    if not isinstance(work.trace, bytes):
        return work.trace, None
    try:
        return line_trace(work.trace, work.line_number), None
    except (ValueError, RecursionError) as error:
        return None, reason(error)


def verdict_of(
    task: Path,
    episode: Episode,
    trace: Trace,
    recording: ReplaySandbox | None = None,
    suite: Path | None = None,
) -> Verdict | None:
    """Judge a run: its answer by the task's constraints, and its delivery by how it ended and by its failed calls.

    The bounds of the task's scope are not checked.

    Args:
        task: path of the task.
        episode: the run's episode.
        trace: the run.
        recording: recorded tool calls that the whole suite shares; None if there are none.
        suite: folder of the suite.

    Returns:
        The verdict; None if the run has no answer.

    Raises:
        OSError: the task does not exist.
        DiagnosticError: the task has errors.
    """
    from planspec.families.mobilitybench.answers import resolve_routes

    if trace.answer is None:
        return None
    extended_episode = add_map_answers(episode, trace.calls, recording, suite)
    answer, judge = resolve_routes(trace.answer, trace, extended_episode), judge_of(task)
    verdict = judge.answer(answer, details="reasons")
    if verdict.status != "pass" and extended_episode is not episode:
        verdict = wider_judge(judge, extended_episode).answer(answer, details="reasons")
    return run_verdict(verdict, episode, trace, suite)
