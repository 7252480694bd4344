"""Many answers to each task, judged as they come: their verdicts in order, and the metrics of drawing among them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planspec.dsl.model.task import Task
from planspec.errors import LimitReachedError, LostWorkerError, UnsuitableAnswersError, is_memory
from planspec.measures.intervals import RESAMPLES, SEED
from planspec.scores.answer_lines import AnswersLike, answers_alone
from planspec.scores.record import Estimate
from planspec.scores.sample_files import verdict_file
from planspec.scores.sample_metrics import TaskSamples, sample_estimates
from planspec.scores.sample_verdicts import (
    NOT_JUDGED,
    Line,
    Misfit,
    SampleVerdict,
    SampleWork,
    asks_soft,
    judge_lines,
    let_go,
    shelf_of,
    unjudged_line,
    unread_line,
)
from planspec.scores.score_text import sample_lines
from planspec.scores.suite_tasks import SuiteTasks
from planspec.verifiers.official.protocol import STRICT

if TYPE_CHECKING:
    from planspec.parallel import Jobs

CHUNK_LINES = 500
"""The most lines that are judged at a time: those on one task one after the other."""
CHUNK_BYTES = 4_000_000
AHEAD = 2
"""Chunks for each process that wait or are done."""
MOST_NAMED = 100
"""The most lines that are no answers, or that nobody can judge, of which is kept why."""


@dataclass(frozen=True, slots=True)
class SampleScores:
    """The scores of many answers to each task.

    Attributes:
        suite: its id, or that of the task.
        profile: by which they were judged.
        samples: answers to each task that count.
        tasks: the answers to each task of the suite, summed up.
        estimates: the metrics by name, with their intervals.
        lines: answers that came, those that cannot be read among them.
        unread: lines that cannot be read and do not say their task, and why: the first hundred.
        unread_lines: how many there are.
        unjudged: answers that nobody can judge, and why: the first hundred. They fail.
        unjudged_lines: how many there are.
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
        """The numbers by name: `n`, `pass@1`, `pass^2`, ..."""
        wanted = len(self.tasks) * self.samples
        counts = {
            "n": wanted, "tasks": len(self.tasks), "samples": self.samples,
            "delivered": sum(task.delivered for task in self.tasks),
            "missing": wanted - sum(task.n for task in self.tasks), "unread": self.unread_lines,
            "unjudged": self.unjudged_lines, "plans": sum(task.plans for task in self.tasks),
        }  # fmt: skip
        return {**counts, **{name: one.value for name, one in self.estimates.items()}}

    @property
    def passed(self) -> bool:
        """Whether every line is an answer that passes, and none is missing."""
        return not self.unread_lines and all(task.passed == self.samples for task in self.tasks)

    def __str__(self) -> str:
        """The text that `planspec score --many` prints."""
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
) -> SampleScores:
    """The metrics of many answers to each task: pass@k, pass^k, best-of-n and majority by plan.

    Every answer is judged, and none is kept: a file of any length needs little memory.

    Args:
        suite: a suite or a task, by path, folder or id; or a checked task, which is judged in this process.
        answers: JSON lines, `{"task": ..., "sample": ..., "plan": ...}` each; the `pathlib.Path` of a file of them or of
            a Parquet table with these columns, or the lines. A line without `sample` is the next one of its task.
        profile: `strict`, the library's meaning, or `official`, what the family's public evaluator says.
        jobs: processes to judge with, or a Ray cluster.
        samples: answers to each task that were asked for; as many as the task with most has, if left out. Those that are
            missing count as undelivered.
        draws: the k of pass@k and pass^k; powers of two and `samples` if left out.
        out: a file for the verdicts, one for each line and in their order: JSON lines, or a Parquet table if its name ends
            with `.parquet`.
        details: write whole verdicts, with all findings.
        seed: seed of the bootstrap.
        resamples: of the bootstrap.

    Raises:
        NotFoundError: there is no such suite or task.
        UnknownProfileError: the family has no such profile.
        UnsuitableAnswersError: no line is an answer, or one is not for a task of the suite, or two are the same sample, or a task
            has more answers than were asked for; or there are fewer answers than a k of `draws`.
        DiagnosticError: the suite or a task has errors.
        TypeError: something is no suite, or no answers.
        ValueError: a k of `draws`, or `samples`, is less than 1.
        OSError: a file cannot be read or written.
    """
    if any(number < 1 for number in (*(draws or ()), 1 if samples is None else samples)):
        raise ValueError("the numbers of answers, and of those to draw, count from 1")
    tasks = SuiteTasks.of(suite)
    tasks.check_profile(profile)
    held = isinstance(suite, Task)
    work = SampleWork.of(suite if isinstance(suite, Task) else str(suite), profile, details=details)
    shelf_of(work, tasks)
    try:
        summed = _Summing(tasks)
        with verdict_file(None if out is None else Path(out)) as write:
            for verdict in judged_answers(work, answers, 1 if held else jobs):
                write(verdict, summed.add(verdict))
        return summed.scores(work, samples, draws, 1 if held else jobs, seed, resamples)
    finally:
        let_go(work)


def judged_answers(work: SampleWork, answers: AnswersLike, jobs: Jobs) -> Iterator[SampleVerdict]:
    """The verdicts in the order of the lines.

    Raises:
        UnsuitableAnswersError: a line is not for the suite's tasks.
    """
    from planspec.parallel import map_parallel

    chunks = _chunks(answers_alone(answers))
    lost = partial(_one_by_one, work, jobs)
    judge = partial(judge_lines, work)
    for done in map_parallel(judge, chunks, jobs, ahead=AHEAD, failed=lost, apart=jobs != 1):
        for one in done:
            if isinstance(one, Misfit):
                raise UnsuitableAnswersError(f"line {one.place}: {one.message}")
            yield one


def _one_by_one(
    work: SampleWork, jobs: Jobs, lines: Sequence[Line], error: Exception
) -> list[SampleVerdict | Misfit]:
    """The verdicts on a chunk that was lost: the line that is to blame is found, and is not judged."""
    from planspec.parallel import map_parallel

    _check_lost(error)
    alone = [[line] for line in lines]
    lost = partial(_unjudged, work, jobs)
    judge = partial(judge_lines, work)
    made = map_parallel(judge, alone, jobs, light=True, failed=lost, apart=jobs != 1)
    return [one for some in made for one in some]


def _unjudged(
    work: SampleWork, jobs: Jobs, lines: Sequence[Line], error: Exception
) -> list[SampleVerdict | Misfit]:
    """The verdict on a line that is lost each time: it fails; if it is lost when it is read, nobody knows its task."""
    from planspec.parallel import map_parallel

    _check_lost(error)
    (line,) = lines
    reason = f"{NOT_JUDGED}{LimitReachedError('memory') if is_memory(error) else error}"

    def unread(_: object, again: Exception) -> SampleVerdict:
        _check_lost(again)
        return unread_line(line[0], reason)

    tell = partial(unjudged_line, work, reason=reason)
    return list(map_parallel(tell, [line], jobs, failed=unread, apart=jobs != 1))


def _check_lost(error: Exception) -> None:
    """Raise what is no loss of a process, nor of the memory that its work needs."""
    if not (isinstance(error, LostWorkerError | LimitReachedError) or is_memory(error)):
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
    """Lines of which is said what is wrong with them: how many, and the first hundred."""

    count: int = 0
    first: list[str] = field(default_factory=list)

    def add(self, line: str) -> None:
        self.count += 1
        if self.count <= MOST_NAMED:
            self.first.append(line)


class _Summing:
    """The running sums over the answers."""

    def __init__(self, tasks: SuiteTasks) -> None:
        self._suite = tasks
        self._tasks = {task: TaskSamples(task) for task in tasks.sources}
        self._seen: dict[str, set[int]] = {}
        self._lines = 0
        self._unread, self._unjudged = _NamedLines(), _NamedLines()

    def add(self, verdict: SampleVerdict) -> int | None:
        """Count an answer.

        Returns:
            Its number among those to its task; None where it cannot be read.

        Raises:
            UnsuitableAnswersError: that number was there before.
        """
        self._lines += 1
        if verdict.task is None:
            self._unread.add(f"line {verdict.place} is no answer: {verdict.reason}")
            return verdict.sample
        task = self._tasks[verdict.task]
        if verdict.sample is None and verdict.status == "undelivered":  # nobody knows which one it was
            task.add(None, verdict.status, verdict.hard, verdict.soft, None)
            return None
        seen = self._seen.setdefault(verdict.task, set())
        sample = task.n if verdict.sample is None else verdict.sample
        if sample in seen:
            raise UnsuitableAnswersError(
                f"line {verdict.place} is sample {sample} of `{verdict.task}` again; number the answers to a task, "
                "or leave `sample` out of all of them"
            )
        seen.add(sample)
        if verdict.reason is not None and verdict.status != "undelivered":
            self._unjudged.add(f"line {verdict.place}, sample {sample} of {verdict.task}: {verdict.reason}")
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
        """The scores of all that was counted.

        Raises:
            UnsuitableAnswersError: no line was an answer, or a task has more answers than were asked for, or fewer than a k.
        """
        from planspec.parallel import map_parallel, naming

        if self._lines and self._unread.count == self._lines:
            raise UnsuitableAnswersError(f"{self._unread.first[0]}; each line is one, with its task")
        tasks = tuple(self._tasks.values())
        most = max(tasks, key=lambda task: task.n)
        wanted = max(most.n, 1) if samples is None else samples
        if most.n > wanted:
            raise UnsuitableAnswersError(f"`{most.task}` has {most.n} answers, and {wanted} were asked for")
        if draws and max(draws) > wanted:
            raise UnsuitableAnswersError(f"{max(draws)} of {wanted} answers to each task cannot be drawn")
        empty = [task.task for task in tasks if not task.n]
        applying = map_parallel(
            partial(asks_soft, work),
            empty,
            jobs,
            light=True,
            failed=naming(lambda task: f"the task `{task}`"),
        )
        for name, soft in zip(empty, applying, strict=True):
            self._tasks[name].has_soft = soft
        estimates = sample_estimates(tasks, wanted, draws, seed=seed, resamples=resamples)
        return SampleScores(
            self._suite.id,
            work.profile,
            wanted,
            tasks,
            estimates,
            self._lines,
            tuple(self._unread.first),
            self._unread.count,
            tuple(self._unjudged.first),
            self._unjudged.count,
        )
