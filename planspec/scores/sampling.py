"""Scoring of several answers to each task: verdicts in order, pass@k, and other metrics over samples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planspec.api.loading import given_texts
from planspec.dsl.model.task import Task
from planspec.errors import LimitReachedError, LostWorkerError, UnsuitableAnswersError, is_out_of_memory
from planspec.scores.answer_lines import AnswersLike, envelope_lines
from planspec.scores.estimates import Estimate
from planspec.scores.intervals import RESAMPLES, SEED
from planspec.scores.sample_files import verdict_file
from planspec.scores.sample_metrics import TaskSamples, sample_estimates
from planspec.scores.sample_verdicts import (
    NOT_JUDGED,
    Line,
    MisplacedLine,
    SampleVerdict,
    SampleWork,
    drop_judges,
    has_soft,
    judge_cache_of,
    judge_lines,
    unjudged_line,
    unread_line,
)
from planspec.scores.score_text import sample_lines
from planspec.scores.suite_tasks import SuiteTasks
from planspec.verifiers.official.protocol import STRICT

if TYPE_CHECKING:
    from planspec.parallel import Jobs

CHUNK_LINES = 500
"""Maximum number of lines in a chunk. Lines of a chunk that belong to the same task are judged consecutively."""
CHUNK_BYTES = 4_000_000
AHEAD = 2
"""Maximum number of chunks per process that are queued, or judged but not yet consumed."""
MOST_NAMED = 100
"""Maximum number of unreadable or unjudged lines for which the reason is stored."""


@dataclass(frozen=True, slots=True)
class SampleScores:
    """The scores of many answers to each task.

    Attributes:
        suite: id of the suite or task.
        profile: profile by which the answers were judged.
        samples: expected number of answers to each task.
        tasks: summaries of the answers to each task of the suite.
        estimates: metrics with intervals by name.
        lines: number of answers read, including unreadable ones.
        unread: messages about unreadable lines whose task is unknown, at most 100.
        unread_lines: number of unreadable lines whose task is unknown.
        unjudged: messages about answers that could not be judged and therefore fail, at most 100.
        unjudged_lines: number of all answers that could not be judged.
    """

    suite: str
    profile: str
    samples: int
    tasks: tuple[TaskSamples, ...] = field(repr=False)
    estimates: dict[str, Estimate] = field(repr=False)
    lines: int
    unread: tuple[str, ...] = field(default=(), repr=False)
    unread_lines: int = 0
    unjudged: tuple[str, ...] = field(default=(), repr=False)
    unjudged_lines: int = 0

    @property
    def metrics(self) -> dict[str, Any]:
        """Metrics and counts by name: `n`, `pass@1`, `pass^2`, ..."""
        expected = len(self.tasks) * self.samples
        counts = {
            "n": expected,
            "tasks": len(self.tasks),
            "samples": self.samples,
            "delivered": sum(task.delivered for task in self.tasks),
            "missing": expected - sum(task.n for task in self.tasks),
            "unread": self.unread_lines,
            "unjudged": self.unjudged_lines,
            "plans": sum(task.plans for task in self.tasks),
        }
        return {**counts, **{name: estimate.value for name, estimate in self.estimates.items()}}

    @property
    def passed(self) -> bool:
        """Whether every line is a passing answer, and no answer is missing."""
        return not self.unread_lines and all(task.passed == self.samples for task in self.tasks)

    def __str__(self) -> str:
        """Return the text that `planspec score --many` prints."""
        lists = ((self.unread, self.unread_lines), (self.unjudged, self.unjudged_lines))
        return "\n".join(sample_lines(self.metrics, self.estimates, lists))

    def __repr__(self) -> str:
        passed = sum(task.passed for task in self.tasks)
        return f"<SampleScores of {self.suite}: {passed} of {len(self.tasks) * self.samples} answers pass>"


def score_many(
    suite: Task | str | PathLike[str],
    answers: AnswersLike,
    *,
    profile: str = STRICT,
    jobs: Jobs = 1,
    samples: int | None = None,
    draws: Sequence[int] | None = None,
    out: PathLike[str] | None = None,
    details: bool = False,
    seed: int = SEED,
    resamples: int = RESAMPLES,
    setting: str | None = None,
    given: Mapping[str, object] | None = None,
    reading: str | None = None,
) -> SampleScores:
    """Compute metrics over many answers to each task: pass@k, pass^k, best-of-n and majority of plans.

    Every answer is judged and then discarded, so any number of answers needs little memory.

    Args:
        suite: suite or task, by path, folder or id; or a checked task, whose answers are judged in this process.
        answers: JSON Lines, each `{"task": ..., "sample": ..., "plan": ...}`, given as the `pathlib.Path` of a file or
            of a Parquet table with these columns, or as the lines. A line without `sample` gets the next number of its
            task.
        profile: `strict`, the task's rules as written in planspec, or `official`, the family's public evaluator.
        jobs: number of processes, or a Ray cluster.
        samples: number of answers expected for each task; None for the largest number of any task. Missing answers
            count as undelivered.
        draws: values of k for pass@k and pass^k; None for powers of two and `samples`.
        out: file for the verdicts, one for each line and in order: JSON Lines, or a Parquet table if its name ends with
            `.parquet`; None for no file.
        details: whether to write complete verdicts with all findings.
        seed: seed of the bootstrap.
        resamples: number of bootstrap resamples.
        setting: setting in which the answers were given. It decides whether an answer may claim that there is no plan.
            None for the default setting.
        given: values by name, which replace the givens of the tasks and their turns, in the form that `load` takes.
        reading: name of the suite's reading by which the answers are judged; None for the tasks as written.

    Raises:
        NotFoundError: there is no such suite, task or reading, or a task has no such given.
        UnknownProfileError: the family has no such profile.
        UnsuitableAnswersError: no line is an answer, a line belongs to no task of the suite, two lines have
            the same sample, a task has more answers than `samples`, or a k of `draws` exceeds the number of
            answers.
        DiagnosticError: the suite or a task has errors.
        TypeError: `suite` or `answers` has a wrong type.
        ValueError: a k of `draws`, or `samples`, is less than 1; `given` is used with a checked task; or the reading
            sets a given in `given`.
        OSError: a file cannot be read or written.
    """
    if any(number < 1 for number in (*(draws or ()), 1 if samples is None else samples)):
        raise ValueError("the numbers of answers, and of those to draw, count from 1")
    is_loaded = isinstance(suite, Task)
    named = suite if isinstance(suite, Task) else str(suite)
    texts = given_texts(given)
    work = SampleWork.of(named, profile, details=details, setting=setting, given=texts, reading=reading)
    tasks = work.tasks()
    tasks.check_profile(profile)
    judge_cache_of(work, tasks)
    try:
        sums = _SampleSums(tasks)
        with verdict_file(None if out is None else Path(out)) as write:
            for verdict in judge_answers(work, answers, 1 if is_loaded else jobs):
                write(verdict, sums.add(verdict))
        return sums.scores(work, samples, draws, 1 if is_loaded else jobs, seed, resamples)
    finally:
        drop_judges(work)


def judge_answers(work: SampleWork, answers: AnswersLike, jobs: Jobs) -> Iterator[SampleVerdict]:
    """Yield the verdicts in the order of the lines.

    Raises:
        UnsuitableAnswersError: a line belongs to no task of the suite.
    """
    from planspec.parallel import map_parallel

    chunks = _chunks(envelope_lines(answers))
    lost = partial(_judge_one_by_one, work, jobs)
    judge = partial(judge_lines, work)
    for done in map_parallel(judge, chunks, jobs, ahead=AHEAD, failed=lost, apart=jobs != 1):
        for verdict in done:
            if isinstance(verdict, MisplacedLine):
                raise UnsuitableAnswersError(f"line {verdict.line_number}: {verdict.message}")
            yield verdict


def _judge_one_by_one(
    work: SampleWork, jobs: Jobs, lines: Sequence[Line], error: Exception
) -> list[SampleVerdict | MisplacedLine]:
    """Judge lines one at a time after a process died on their chunk, so that only the line at fault stays unjudged."""
    from planspec.parallel import map_parallel

    _raise_unless_process_lost(error)
    alone = [[line] for line in lines]
    lost = partial(_unjudged_verdicts, work, jobs)
    judge = partial(judge_lines, work)
    results = map_parallel(judge, alone, jobs, light=True, failed=lost, apart=jobs != 1)
    return [verdict for verdicts in results for verdict in verdicts]


def _unjudged_verdicts(
    work: SampleWork, jobs: Jobs, lines: Sequence[Line], error: Exception
) -> list[SampleVerdict | MisplacedLine]:
    """Return failing verdicts on lines whose process died again. The tasks of some lines may be unknown."""
    from planspec.parallel import map_parallel

    _raise_unless_process_lost(error)
    (line,) = lines
    reason = f"{NOT_JUDGED}{LimitReachedError('memory') if is_out_of_memory(error) else error}"

    def unread(_: object, error: Exception) -> SampleVerdict:
        _raise_unless_process_lost(error)
        return unread_line(line[0], reason)

    report = partial(unjudged_line, work, reason=reason)
    return list(map_parallel(report, [line], jobs, failed=unread, apart=jobs != 1))


def _raise_unless_process_lost(error: Exception) -> None:
    """Raise an error again, except if its cause is the death of a process or a lack of memory."""
    if not (isinstance(error, LostWorkerError | LimitReachedError) or is_out_of_memory(error)):
        raise error


def _chunks(lines: Iterable[Line]) -> Iterator[list[Line]]:
    chunk: list[Line] = []
    size = 0
    for line in lines:
        chunk.append(line)
        size += len(line[1])
        if len(chunk) == CHUNK_LINES or size >= CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


@dataclass(slots=True)
class _NamedLines:
    """Messages about faulty lines: the first 100, and the number of all."""

    count: int = 0
    first: list[str] = field(default_factory=list)

    def add(self, line: str) -> None:
        self.count += 1
        if self.count <= MOST_NAMED:
            self.first.append(line)


class _SampleSums:
    """Counts over the answers read so far."""

    def __init__(self, tasks: SuiteTasks) -> None:
        self._suite = tasks
        self._tasks = {task: TaskSamples(task) for task in tasks.sources}
        self._seen: dict[str, set[int]] = {}
        self._lines = 0
        self._unread, self._unjudged_verdicts = _NamedLines(), _NamedLines()

    def add(self, verdict: SampleVerdict) -> int | None:
        """Count an answer.

        Returns:
            The number of the answer among those to its task; None if the answer is unreadable.

        Raises:
            UnsuitableAnswersError: two answers to the task have the same number.
        """
        self._lines += 1
        if verdict.task is None:
            self._unread.add(f"line {verdict.line_number} is no answer: {verdict.reason}")
            return verdict.sample
        task = self._tasks[verdict.task]
        if verdict.sample is None and verdict.status == "undelivered":  # an unreadable answer has no number
            task.add(None, verdict.status, verdict.hard, verdict.soft, None)
            return None
        seen = self._seen.setdefault(verdict.task, set())
        sample = task.n if verdict.sample is None else verdict.sample
        if sample in seen:
            raise UnsuitableAnswersError(
                f"line {verdict.line_number} is sample {sample} of `{verdict.task}` again; number the answers to a task, "
                "or leave `sample` out of all of them"
            )
        seen.add(sample)
        if verdict.reason is not None and verdict.status != "undelivered":
            self._unjudged_verdicts.add(
                f"line {verdict.line_number}, sample {sample} of {verdict.task}: {verdict.reason}"
            )
        task.add(sample, verdict.status, verdict.hard, verdict.soft, verdict.plan)
        return sample

    def scores(
        self,
        work: SampleWork,
        samples: int | None,
        draws: Sequence[int] | None,
        jobs: Jobs,
        seed: int,
        resamples: int,
    ) -> SampleScores:
        """Return the scores of all answers.

        Raises:
            UnsuitableAnswersError: no line was an answer, a task has more answers than `samples`, or a k
                exceeds the number of answers.
        """
        from planspec.parallel import map_parallel, naming

        if self._lines and self._unread.count == self._lines:
            raise UnsuitableAnswersError(f"{self._unread.first[0]}; each line is one, with its task")
        tasks = tuple(self._tasks.values())
        most = max(tasks, key=lambda task: task.n)
        expected = max(most.n, 1) if samples is None else samples
        if most.n > expected:
            raise UnsuitableAnswersError(f"`{most.task}` has {most.n} answers, but only {expected} are expected")
        if draws and max(draws) > expected:
            raise UnsuitableAnswersError(f"{max(draws)} of {expected} answers to each task cannot be drawn")
        empty = [task.task for task in tasks if not task.n]
        applying = map_parallel(
            partial(has_soft, work),
            empty,
            jobs,
            light=True,
            failed=naming(lambda task: f"the task `{task}`"),
        )
        for name, soft in zip(empty, applying, strict=True):
            self._tasks[name].has_soft = soft
        estimates = sample_estimates(tasks, expected, draws, seed=seed, resamples=resamples)
        return SampleScores(
            self._suite.id,
            work.profile,
            expected,
            tasks,
            estimates,
            self._lines,
            tuple(self._unread.first),
            self._unread.count,
            tuple(self._unjudged_verdicts.first),
            self._unjudged_verdicts.count,
        )
