"""Scores the traces of a run over a suite, in several processes, with no more in memory than is being scored."""

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
from planspec.families.mobilitybench.episode_map import widened
from planspec.families.mobilitybench.judging import judge_of, wider_judge
from planspec.families.mobilitybench.metrics.differences import DifferenceCounts, Parting, parting
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
"""Characters of a question that are quoted."""


@dataclass(frozen=True, slots=True)
class EpisodeWork:
    """One episode with its trace.

    Attributes:
        episode: the run's episode.
        task: the path of its task; None if no verdict is wanted.
        trace: the run, or the line that holds it.
        place: of the trace in its file.
        truth: the public toolkit's input; None if that profile is not asked for.
        strict: the strict metrics are wanted.
        parting: the comparison of the profiles is wanted.
        folder: of the suite.
    """

    episode: Episode
    task: Path | None
    trace: Trace | bytes | None
    place: int
    truth: Truth | None
    strict: bool
    parting: bool
    folder: Path


@dataclass(frozen=True, slots=True)
class EpisodeResult:
    """The result of the work.

    Attributes:
        strict: None where that is not asked for.
        official: None where that is not asked for, or there is no trace.
        parting: None where that is not asked for.
        unread: why the trace is none.
        question: what its user asks, where that is not the episode's query.
    """

    strict: Strict | None
    official: CaseScores | None
    parting: Parting | None
    unread: str | None
    question: str | None


class MobilityBenchTraceMetrics:
    """The strict metrics of traces, the public toolkit's, or both."""

    declared = METRICS

    def profiles(self, folder: Path) -> Sequence[str]:
        """The profiles of a suite; `official` is among them if the suite keeps the public toolkit's inputs."""
        return (STRICT, OFFICIAL) if (folder / RECORDS).is_file() else (STRICT,)

    def over(self, request: TraceRequest) -> TraceScores:
        """The metrics of a file of traces.

        Raises:
            UnsuitableRunError: the suite has no episodes, or a task has two traces, or a trace is for no task of the suite.
            OSError: a file cannot be read.
        """
        if not episode_files(request.folder):
            raise UnsuitableRunError(f"the suite `{request.suite}` has no `{EPISODES}`")
        traces = TraceFile(request.traces)
        _check(request, traces)
        summed = _Summing(request, traces)
        try:
            for work, done in _done(_work(request, traces), request.jobs):
                summed.add(work, done)
        except InvalidEpisodeError as broken:
            raise UnsuitableRunError(str(broken)) from None
        return summed.scores()

    def metric_lines(self, metrics: Mapping[str, Any], profile: str) -> Sequence[str]:
        """The metrics of a suite, or of a part of it, for people."""
        return list(metric_lines(metrics, profile))

    def lines(self, scores: TraceScores) -> Sequence[str]:
        """The metrics for people, and whatever else the traces show."""
        return lines_of(scores)


TRACE_METRICS = MobilityBenchTraceMetrics()


class _Summing:
    """The running sums over the episodes while they are scored."""

    def __init__(self, request: TraceRequest, traces: TraceFile) -> None:
        self._request = request
        self._unread = [str(one) for one in traces.unread]
        self._strict = StrictReport(seed=SEED if request.seed is None else request.seed)
        self._official = OfficialReport()
        self._differences = DifferenceCounts(details=request.details)
        self._questions: list[str] = []
        self._told: list[dict[str, Any]] = []
        self._episodes = self._passed = 0

    def add(self, work: EpisodeWork, done: EpisodeResult) -> None:
        self._episodes += 1
        if done.unread is not None:
            self._unread.append(f"{self._request.traces.name}:{work.place}: {done.unread}")
        if done.question is not None:
            where = f"{self._request.traces.name}:{work.place}: {work.episode.id}"
            self._questions.append(
                f"{where}: the trace asks {_quoted(done.question)}, the task {_quoted(work.episode.query)}"
            )
        if done.strict is not None:
            self._strict.add(done.strict)
        if done.parting is not None:
            self._differences.add(done.parting)
        if self._request.profile == OFFICIAL:
            self._official.add(work.episode.id, done.official)
            self._passed += self._official.passes(done.official)
            if self._request.details:
                self._told.append(self._official.document_of(work.episode.id, done.official))
        elif done.strict is not None:
            self._passed += done.strict.metrics["FPR"].value == 1
            if self._request.details:
                self._told.append(done.strict.document())

    def scores(self) -> TraceScores:
        request = self._request
        return TraceScores(
            suite=request.suite, profile=request.profile, passed=0 < self._episodes == self._passed,
            metrics=self._official.document() if request.profile == OFFICIAL else self._strict.document(),
            traces=self._told, unread=self._unread, other_questions=self._questions,
            differences=self._differences.document() if request.differences else None,
        )  # fmt: skip


def _check(request: TraceRequest, traces: TraceFile) -> None:
    """Each trace is for a task of the suite, and is the only one.

    Raises:
        UnsuitableRunError: one is not.
    """
    if traces.duplicates:
        task, first, second = traces.duplicates[0]
        raise UnsuitableRunError(
            f"the traces have `{task}` twice, at {first} and at {second}; give each agent a file of its own"
        )
    known = task_ids(request.folder)
    for task, place in traces.tasks.items():
        if task not in known:
            raise UnsuitableRunError(f"{request.traces.name}:{place}: the suite has no task `{task}`")


def _work(request: TraceRequest, traces: TraceFile) -> Iterator[EpisodeWork]:
    both = request.differences
    strict = request.profile == STRICT or both
    truths = _Truths(request.folder / RECORDS) if request.profile == OFFICIAL or both else None
    for episode, task in read_with_tasks(request.folder):
        yield EpisodeWork(
            episode, task if strict else None, traces.raw(episode.id),
            traces.tasks.get(episode.id, 0), truths.of(episode.id) if truths is not None else None, strict, both,
            request.folder,
        )  # fmt: skip


class _Truths:
    """The public toolkit's inputs, found in the order of the file, so that little has to be kept."""

    def __init__(self, file: Path) -> None:
        self._name = file.name
        self._left = _truths(file)
        self._passed: dict[str, Truth] = {}

    def of(self, episode: str) -> Truth:
        """The truth of an episode.

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
    """The results of each work, in order."""
    asked, kept = tee(work)  # what is begun ahead is kept until its result comes
    yield from zip(kept, map_parallel(do, asked, jobs, light=True, ahead=AHEAD, failed=_lost), strict=True)


def _lost(work: EpisodeWork, error: Exception) -> EpisodeResult:
    """The result of an episode whose trace ended the processes that scored it: as if there were no trace."""
    if not isinstance(error, LostWorkerError):
        raise error
    return replace(do(replace(work, trace=None)), unread=f"not scored: {error}")


def do(work: EpisodeWork) -> EpisodeResult:
    """Score one episode."""
    trace, unread = _trace(work)
    strict = official = parted = None
    if work.strict:
        verdict = (
            verdict_of(work.task, work.episode, trace, recording_beside(work.folder), work.folder)
            if work.task is not None and trace is not None
            else None
        )
        strict = score_trace(work.episode, trace, verdict, work.folder)
    if work.truth is not None and trace is not None:
        official = score(work.truth, trace)
    if work.parting and strict is not None and work.truth is not None:
        parted = parting(work.episode, trace, strict, work.truth, official)
    question = None if trace is None else other_question(work.episode, trace)
    return EpisodeResult(strict, official, parted, unread, question)


def other_question(episode: Episode, trace: Trace) -> str | None:
    """The question of a trace's user; None if it is the episode's query, or nobody asks.

    Letters and digits alone are compared, and the query may stand in a longer message, such as a prompt.
    """
    asked = [message.text for message in trace.messages if message.role == "user" and message.text]
    wanted = _bare(episode.query)
    return None if not asked or any(wanted in _bare(text) for text in asked) else asked[0]


def _bare(text: str) -> str:
    return "".join(c for c in folded(text) if c.isalnum())


def _quoted(text: str) -> str:
    """The beginning of a text on one line."""
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
    """The verdict on a run: the library's on its answer, which fails where calls stayed failed; None without an answer.

    It does not say whether the plan is in scope.

    Args:
        task: its path.
        episode: what was asked.
        trace: the run.
        recording: of the suite.
        suite: its folder.

    Raises:
        OSError: there is no such task.
        DiagnosticError: it has errors.
    """
    from planspec.families.mobilitybench.answers import resolved

    if trace.answer is None:
        return None
    wide = widened(episode, trace.calls, recording, suite)
    said, judge = resolved(trace.answer, trace, wide), judge_of(task)
    answered = judge.answer(said, details="reasons")
    if answered.status != "pass" and wide is not episode:
        answered = wider_judge(judge, wide).answer(said, details="reasons")
    return final(answered, episode, trace, suite)
