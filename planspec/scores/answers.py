"""Many answers: which is for which task, the verdict on each, and the family's metrics over all."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from planspec.dsl.model.task import Task
from planspec.errors import UnsuitableAnswersError
from planspec.scores.answer_lines import AnswersLike, answer_lines, answers_alone
from planspec.scores.score_text import NO_LINE, score_lines
from planspec.scores.suite_tasks import SuiteTasks, check_profiles
from planspec.verifiers.answers.envelope import Answer, Undelivered, read_answer
from planspec.verifiers.meaning.verdict import Verdict
from planspec.verifiers.metrics.scored import Scored, verdicts_of
from planspec.verifiers.official.protocol import OFFICIAL, STRICT

if TYPE_CHECKING:
    from planspec.api.judging import Judge
    from planspec.dsl.workspace.workspace import Workspace
    from planspec.parallel import Jobs
    from planspec.traces.metrics import TraceMetrics, TraceScores
    from planspec.verifiers.meaning.judge import Details


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of many answers.

    Attributes:
        suite: its id, or that of the task.
        profile: by which they were judged.
        metrics: the family's document.
        verdicts: verdicts of each answer in order, then of the tasks without one; empty where whole traces are scored.
        traces: the metrics of each trace; None in families whose metrics look at answers alone.
        traces_text: the same for people.
        unread: the lines that cannot be read and do not say their task, and why; none of them passes.
    """

    suite: str
    profile: str
    metrics: Mapping[str, Any] = field(repr=False)
    verdicts: tuple[Verdict, ...] = field(repr=False)
    traces: TraceScores | None = field(default=None, repr=False)
    traces_text: str = field(default="", repr=False)
    unread: tuple[str, ...] = field(default=(), repr=False)

    @property
    def passed(self) -> bool:
        """Whether every line is an answer that passes, and every task has one."""
        if self.traces is not None:
            return self.traces.passed
        return not self.unread and all(verdict.status == "pass" for verdict in self.verdicts)

    def __str__(self) -> str:
        """The text that `planspec score` prints."""
        if self.traces is not None:
            return self.traces_text
        return "\n".join(score_lines(self.metrics, self.verdicts, self.unread))

    def __repr__(self) -> str:
        counts = Counter(verdict.status for verdict in self.verdicts)
        told = ", ".join(f"{n} {status}" for status, n in sorted(counts.items()))
        return f"<Scores of {self.suite}: {told or ('all pass' if self.passed else 'not all pass')}>"


def score(
    suite: Task | str | PathLike[str],
    answers: AnswersLike,
    *,
    profile: str = STRICT,
    jobs: Jobs = 1,
    differences: bool = False,
    details: bool = True,
) -> Scores:
    """The verdicts on many answers, and the family's metrics over them; tasks without an answer count as undelivered.

    Args:
        suite: a suite or a task, by path, folder or id; or a checked task.
        answers: JSON lines, `{"task": ..., "plan": ...}` each, or a record of the family's public tools; for one task
            also its bare answer; in families whose metrics look at tool calls and tokens, traces. The `pathlib.Path` of
            a file with them (also of a Parquet table with the columns `task` and `plan`), or the lines.
        profile: `strict`, the library's meaning, or `official`, what the family's public evaluator says.
        jobs: processes to judge with, or a Ray cluster.
        differences: tell where the profiles part; only where traces are scored.
        details: work out messages, margins and rows of what is violated, and keep what is said of each trace; without
            it scoring is several times faster, and a file of traces of any length needs little memory.

    Raises:
        NotFoundError: there is no such suite or task.
        UnknownProfileError: the family has no such profile.
        UnsuitableAnswersError: no line is an answer, or one is not for one of the tasks alone; or differences are asked of
            answers.
        DiagnosticError: the suite or a task has errors.
        TypeError: something is no suite, or no answers.
        OSError: the answers are the path of a file that cannot be read.
    """
    from planspec.api.catalog import Catalog, suite_folder
    from planspec.api.loading import name_of
    from planspec.traces.metrics import trace_metrics

    call = _Call(answers, profile, jobs, differences, details)
    catalog = Catalog()
    if not isinstance(suite, Task):
        name = name_of(suite)
        found = catalog.suite(name)
        if (of_traces := trace_metrics(found.protocol or found.family)) is not None:
            return _of_traces(found.id, of_traces, suite_folder(catalog.suite_path(name)), call)
    return _of_answers(SuiteTasks.of(suite, catalog), call)


@dataclass(frozen=True, slots=True)
class _Call:
    """The call of `score`, beside the suite."""

    answers: AnswersLike
    profile: str
    jobs: Jobs
    differences: bool
    details: bool


def _of_answers(suite: SuiteTasks, call: _Call) -> Scores:
    from planspec.families.registry import family_of

    if call.differences:
        raise UnsuitableAnswersError(
            "for this family `planspec verify --explain-differences` explains one answer at a time"
        )
    suite.check_profile(call.profile)
    found = _sorted_out(call.answers, suite, lists=family_of(suite.family).format.load().lists)
    details: Details = "violated" if call.details else "none"
    work = [
        _Work(task, suite.sources[task], line, call.profile, details) for task, line in found.answers.items()
    ]
    judged = _judged(work, call.jobs)
    run = [judged[task] for task in found.answers]
    document = json.loads(family_of(suite.protocol).metrics.load().over(run).model_dump_json())
    return Scores(suite.id, call.profile, document, verdicts_of(run), unread=tuple(found.unread))


def _of_traces(suite: str, metrics: TraceMetrics, folder: Path, call: _Call) -> Scores:
    from planspec.traces.metrics import TraceRequest

    wanted = (call.profile, *((OFFICIAL,) if call.differences else ()))
    check_profiles(suite, wanted, metrics.profiles(folder))
    with _as_file(call.answers) as file:
        request = TraceRequest(
            suite=suite, folder=folder, traces=file, profile=call.profile, differences=call.differences,
            details=call.details, jobs=call.jobs,
        )  # fmt: skip
        scores = metrics.over(request)
    return Scores(suite, call.profile, scores.metrics, (), scores, "\n".join(metrics.lines(scores)))


@contextmanager
def _as_file(answers: AnswersLike) -> Iterator[Path]:
    """A file with the answers; one that is given is not read whole."""
    if isinstance(answers, PathLike):
        yield Path(answers)
        return
    with TemporaryDirectory() as folder:
        kept = Path(folder) / "standard-input"
        with kept.open("xb") as opened:
            opened.writelines(line.rstrip(b"\n") + b"\n" for _, line in answer_lines(answers))
        yield kept


@dataclass(slots=True)
class _SortedLines:
    """The lines by their tasks.

    Attributes:
        answers: answers of each task its line, in the order of the lines; tasks without one come last, with None.
        unread: lines that cannot be read and do not say their task, and why.
    """

    answers: dict[str, bytes | None] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list)


def _sorted_out(answers: AnswersLike, suite: SuiteTasks, *, lists: bool) -> _SortedLines:
    """Each answer by its task.

    Args:
        answers: envelopes, or where `lists` also the records of the family's public tools; for an only task also bare.
        suite: whose tasks they are for.
        lists: an answer of the family can be a list.

    Raises:
        UnsuitableAnswersError: no line is an answer, or one is not for one of the tasks alone.
    """
    found = _SortedLines()
    lines_of: dict[str, int] = {}
    for number, line in answers_alone(answers):
        read = read_answer(line, lists=lists)
        task = read.task or (recorded_task(read) if lists else None) or suite.only
        if task is None and isinstance(read, Undelivered):
            found.unread.append(f"line {number} is no answer: {read.reason}")
            continue
        if task is None:
            raise UnsuitableAnswersError(
                f"line {number} does not say which task it answers with which plan; write "
                '`{"task": "its id", "plan": ...}` on one line'
            )
        if task not in suite.sources:
            raise UnsuitableAnswersError(f"line {number}: the suite has no task `{task}`")
        if task in lines_of:
            raise UnsuitableAnswersError(
                f"line {number} answers `{task}` again, as line {lines_of[task]} did; `--many` scores several answers to a task"
            )
        lines_of[task] = number
        found.answers[task] = line
    if found.unread and not lines_of:
        raise UnsuitableAnswersError(f"{found.unread[0]}; each line is one, with its task")
    found.answers |= {task: None for task in suite.sources if task not in lines_of}
    return found


def recorded_task(read: Answer | Undelivered) -> str | None:
    """The task of a record `{"idx": 1, "query": ..., "plan": [...]}`."""
    record = getattr(read, "plan", None)
    if not isinstance(record, Mapping) or "plan" not in record:
        return None
    named = record.get("id", record.get("idx"))
    return str(named) if isinstance(named, str | int) and not isinstance(named, bool) else None


# ------------------------------------------------------------------ one answer


@dataclass(frozen=True, slots=True)
class _Work:
    """One task with its answer.

    Attributes:
        task: its id.
        source: its file, or itself.
        line: the answer, None where there is none.
        profile: by which it is judged.
        details: the findings to work out.
        lost: why nobody could judge it, if nobody could.
    """

    task: str
    source: Task | str
    line: bytes | None
    profile: str
    details: Details
    lost: str | None = None


def _judged(works: Sequence[_Work], jobs: Jobs) -> dict[str, Scored]:
    """The scored verdict of each task, in order; an answer that ends the processes that judge it is not judged, and fails."""
    from planspec.errors import LostWorkerError
    from planspec.parallel import map_workers

    lost: list[_Work] = []

    def failed(work: _Work, error: Exception) -> None:
        if not isinstance(error, LostWorkerError):
            raise error
        lost.append(replace(work, line=None, lost=str(error)))

    results = map_workers(_Judging, works, jobs, light=True, failed=failed)
    made: dict[str, Scored | None] = dict(zip((work.task for work in works), results, strict=True))
    if lost:  # of their tasks alone something is known
        again = map_workers(_Judging, lost, jobs, apart=True)
        made |= zip((work.task for work in lost), again, strict=True)
    return {task: scored for task, scored in made.items() if scored is not None}


class _Judging:
    """Judges task after task, and reads what they share once."""

    def __init__(self) -> None:
        from planspec.dsl.workspace.workspace import Workspace

        self._workspace = Workspace()

    def __call__(self, work: _Work) -> Scored:
        """The verdict on a task's answer, with what metrics ask of it."""
        return _judge(work, self._workspace)


def _judge(work: _Work, workspace: Workspace) -> Scored:
    from planspec.api.judging import Judge
    from planspec.api.loading import load
    from planspec.scores.measuring import detour_over, kept_over

    source = work.source
    judge = Judge(source if isinstance(source, Task) else load(source, workspace=workspace), work.profile)
    if work.lost is not None:
        return judge.scored(judge.unjudged(f"not judged: {work.lost}"))
    if work.line is None:
        return judge.scored(judge.undelivered(NO_LINE))
    read = judge.reading(work.line)
    verdict = verdict_on_turns(judge, read, work.details)
    if verdict is not None:
        return replace(judge.scored(verdict), kept=kept_over(judge, turn_answers(read) or ()))
    scored = judge.scored(judge.judge(read, details=work.details))
    if judge.family.visits is None:
        return scored
    plan = read.plan if isinstance(read, Answer) else None
    return replace(scored, detour=detour_over(judge, plan), tool_calls=_tool_calls(read))


def verdict_on_turns(judge: Judge, read: Answer | Undelivered, details: Details) -> Verdict | None:
    """The verdict on `{"task": ..., "turns": [plan of turn 1, plan of turn 2, ...]}`; None of other answers.

    Args:
        judge: judge of the last turn.
        read: the answer.
        details: the findings to work out.
    """
    plans = turn_answers(read)
    if plans is None:
        return None
    turns = judge.task.turns or 1
    if len(plans) != turns:
        return judge.undelivered(f"there are answers to {len(plans)} turns, and the task has {turns}")
    if not plans[-1]:
        return judge.undelivered("the last turn has no answer")
    return judge.answer(plans[-1], details=details)


def turn_answers(read: Answer | Undelivered) -> list[Any] | None:
    """The answers to the turns of a conversation; None of other answers."""
    record = read.plan if isinstance(read, Answer) else None
    turns = record.get("turns") if isinstance(record, Mapping) and set(record) == {"turns"} else None
    return turns if isinstance(turns, list) else None


def _tool_calls(read: Answer | Undelivered) -> int | None:
    """The tool calls that an envelope `{"task": ..., "plan": ..., "tool_calls": 12}` tells."""
    calls = read.beside.get("tool_calls")
    return calls if isinstance(calls, int) and not isinstance(calls, bool) and calls >= 0 else None
