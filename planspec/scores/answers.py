"""Scoring of many answers: they are assigned to tasks and judged, and the family's metrics are computed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from planspec.dsl.model.task import Task
from planspec.errors import UnsuitableAnswersError
from planspec.scores.answer_lines import AnswersLike, answer_lines, envelope_lines
from planspec.scores.score_text import NO_LINE, score_lines
from planspec.scores.stored_verdicts import SharedParts, VerdictSpool, without_details
from planspec.scores.suite_tasks import SuiteTasks, Variant, check_profiles
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
        suite: id of the suite or task.
        profile: profile by which the answers were judged.
        metrics: document of the family's metrics.
        verdicts: verdicts on the answers in order, then on the tasks without an answer; empty if traces are scored.
        traces: metrics of each trace; None in families whose metrics use only answers.
        traces_text: metrics of the traces as text.
        unread: messages about unreadable lines whose task is unknown. They count as failing answers.
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
        """Whether every line is a passing answer, and every task has an answer."""
        if self.traces is not None:
            return self.traces.passed
        return not self.unread and all(verdict.status == "pass" for verdict in self.verdicts)

    def __str__(self) -> str:
        """Return the text that `planspec score` prints."""
        if self.traces is not None:
            return self.traces_text
        return "\n".join(score_lines(self.metrics, self.verdicts, self.unread))

    def __repr__(self) -> str:
        counts = Counter(verdict.status for verdict in self.verdicts)
        text = ", ".join(f"{n} {status}" for status, n in sorted(counts.items()))
        return f"<Scores of {self.suite}: {text or ('all pass' if self.passed else 'not all pass')}>"


def score(
    suite: Task | str | PathLike[str],
    answers: AnswersLike,
    *,
    profile: str = STRICT,
    jobs: Jobs = 1,
    differences: bool = False,
    details: bool = True,
    setting: str | None = None,
    given: Mapping[str, object] | None = None,
    reading: str | None = None,
    spool: VerdictSpool | None = None,
) -> Scores:
    """Judge many answers and compute the family's metrics. Tasks without an answer count as undelivered.

    Args:
        suite: a suite or a task, by path, folder or id; or a checked task.
        answers: JSON Lines, each `{"task": ..., "plan": ...}` or a record of the family's public tools; for a single
            task also bare answers; traces in families whose metrics use tool calls and tokens. Given as the
            `pathlib.Path` of a file (or of a Parquet table with the columns `task` and `plan`), or as the lines.
        profile: `strict`, the task's rules as written in planspec, or `official`, the family's public evaluator.
        jobs: number of processes, or a Ray cluster.
        differences: whether to report where the profiles disagree; only for traces.
        details: whether to compute messages, margins and rows of violations, and results of each trace. Without them
            scoring is several times faster, and any number of traces needs little memory.
        setting: setting in which the answers were given. It decides whether an answer may claim that there is no plan.
            None for the default setting.
        given: values by name, which replace the givens of the tasks and their turns, in the form that `load` takes.
        reading: name of the suite's reading by which the answers are judged; None for the tasks as written.
        spool: receives the complete verdicts. The verdicts in the result then have no details, to save memory.

    Raises:
        NotFoundError: there is no such suite, task or reading, or a task has no such given.
        UnknownProfileError: the family has no such profile.
        UnsuitableAnswersError: no line is an answer, a line does not belong to exactly one task,
            `differences` is used for answers, or `given` for traces.
        DiagnosticError: the suite or a task has errors.
        TypeError: `suite` or `answers` has a wrong type.
        ValueError: `given` is used with a checked task, or the reading sets a given in `given`.
        OSError: the file of answers cannot be read.
    """
    from planspec.api.catalog import Catalog, suite_folder
    from planspec.api.loading import name_of
    from planspec.traces.metrics import trace_metrics

    request = _ScoreRequest(answers, profile, jobs, differences, details, setting, spool)
    catalog = Catalog()
    opened = None
    if not isinstance(suite, Task):
        name = name_of(suite)
        opened = catalog.suite(name)
        if (metrics := trace_metrics(opened.protocol or opened.family)) is not None:
            if given or reading is not None:
                raise UnsuitableAnswersError(f"the traces of `{opened.id}` are scored by the tasks as written")
            return _score_traces(opened.id, metrics, suite_folder(catalog.suite_path(name)), request)
    return _score_answers(SuiteTasks.of(suite, catalog, given=given, reading=reading, opened=opened), request)


@dataclass(frozen=True, slots=True)
class _ScoreRequest:
    """The arguments of `score` other than the suite."""

    answers: AnswersLike
    profile: str
    jobs: Jobs
    differences: bool
    details: bool
    setting: str | None
    spool: VerdictSpool | None


def _score_answers(suite: SuiteTasks, request: _ScoreRequest) -> Scores:
    from planspec.family.registry import family_of

    if request.differences:
        raise UnsuitableAnswersError(
            "for this family `planspec verify --explain-differences` explains one answer at a time"
        )
    suite.check_profile(request.profile)
    lines = assign_lines(request.answers, suite, lists=family_of(suite.family).format.load().lists)
    details: Details = "violated" if request.details else "none"
    work = (
        _Work(task, suite.sources[task], line, request.profile, details, request.setting, suite.variant)
        for task, line in lines.answers.items()
    )
    run = _judge_all(work, request.jobs, request.spool)
    document = json.loads(family_of(suite.protocol).metrics.load().over(run).model_dump_json())
    return Scores(suite.id, request.profile, document, verdicts_of(run), unread=tuple(lines.unread))


def _score_traces(suite: str, metrics: TraceMetrics, folder: Path, request: _ScoreRequest) -> Scores:
    from planspec.traces.metrics import TraceRequest

    required = (request.profile, *((OFFICIAL,) if request.differences else ()))
    check_profiles(suite, required, metrics.profiles(folder))
    with _answers_file(request.answers) as file:
        trace_request = TraceRequest(
            suite=suite,
            folder=folder,
            traces=file,
            profile=request.profile,
            differences=request.differences,
            details=request.details,
            jobs=request.jobs,
        )
        scores = metrics.over(trace_request)
    return Scores(suite, request.profile, scores.metrics, (), scores, "\n".join(metrics.lines(scores)))


@contextmanager
def _answers_file(answers: AnswersLike) -> Iterator[Path]:
    """Yield the path of a file with the answers: an existing file, or a temporary one."""
    if isinstance(answers, PathLike):
        yield Path(answers)
        return
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "standard-input"
        with copy.open("xb") as file:
            file.writelines(line.rstrip(b"\n") + b"\n" for _, line in answer_lines(answers))
        yield copy


@dataclass(slots=True)
class AssignedLines:
    """The lines of a file, assigned to tasks.

    Attributes:
        answers: line by task, in the order of the lines. Tasks without a line come last; their value is None.
        unread: messages about unreadable lines whose task is unknown.
    """

    answers: dict[str, bytes | None] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list)


def assign_lines(answers: AnswersLike, suite: SuiteTasks, *, lists: bool) -> AssignedLines:
    """Assign each answer to its task.

    Args:
        answers: lines `{"task": ..., "plan": ...}`. With `lists`, also records of the family's public tools. For a
            single task, also bare answers.
        suite: suite of the tasks.
        lists: whether answers to the family's tasks can be lists.

    Raises:
        UnsuitableAnswersError: no line is an answer, or a line does not belong to exactly one task.
    """
    assigned = AssignedLines()
    lines_of: dict[str, int] = {}
    for number, line in envelope_lines(answers):
        read = read_answer(line, lists=lists, opens_text=False)
        task = read.task or (task_of_record(read) if lists else None) or suite.only
        if task is None and isinstance(read, Undelivered):
            assigned.unread.append(f"line {number} is no answer: {read.reason}")
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
                f"line {number} answers `{task}` again, as line {lines_of[task]} did; `score --many` takes several answers to a task"
            )
        lines_of[task] = number
        assigned.answers[task] = line
    if assigned.unread and not lines_of:
        raise UnsuitableAnswersError(f"{assigned.unread[0]}; each line is one, with its task")
    assigned.answers |= {task: None for task in suite.sources if task not in lines_of}
    return assigned


def task_of_record(read: Answer | Undelivered) -> str | None:
    """Return the task id in a record of the public tools, such as `{"idx": 1, "query": ..., "plan": [...]}`.

    Return None for other answers.
    """
    record = getattr(read, "plan", None)
    if not isinstance(record, Mapping) or "plan" not in record:
        return None
    id_ = record.get("id", record.get("idx"))
    return str(id_) if isinstance(id_, str | int) and not isinstance(id_, bool) else None


# ------------------------------------------------------------------ one answer


@dataclass(frozen=True, slots=True)
class _Work:
    """A task and its answer, to be judged by a worker.

    Attributes:
        task: id of the task.
        source: file of the task, or the task itself.
        line: line of the answer; None if the task has no answer.
        profile: profile by which the answer is judged.
        details: which findings to include in the verdict.
        setting: setting in which the answer was given; None for the default setting.
        variant: how the task is loaded: with which expectation, values of givens, and reading.
        lost: reason why the answer could not be judged, if the judging process died; else None.
    """

    task: str
    source: Task | str
    line: bytes | None
    profile: str
    details: Details
    setting: str | None = None
    variant: Variant = field(default_factory=Variant)
    lost: str | None = None


def _judge_all(works: Iterable[_Work], jobs: Jobs, spool: VerdictSpool | None) -> list[Scored]:
    """Return the scored verdicts in order. An answer fails if the process that judged it died."""
    from planspec.errors import LostWorkerError
    from planspec.parallel import PerWorker, map_parallel

    lost: list[_Work] = []

    def failed(work: _Work, error: Exception) -> None:
        if not isinstance(error, LostWorkerError):
            raise error
        lost.append(replace(work, line=None, lost=str(error)))

    parts = SharedParts()

    def stored(at: int, scored: Scored) -> Scored:
        if spool is not None:
            spool.add(at, scored.verdict)
            scored = replace(scored, verdict=without_details(scored.verdict))
        return parts.scored(scored)

    judge: PerWorker[_Work, Scored | None] = PerWorker(_AnswerJudge)
    results = map_parallel(judge, works, jobs, light=True, failed=failed)
    judged = [None if scored is None else stored(at, scored) for at, scored in enumerate(results)]
    if lost:  # this process opens tasks only for lost answers
        places = [at for at, scored in enumerate(judged) if scored is None]
        for at, scored in zip(places, map_parallel(judge, lost, jobs, apart=True), strict=True):
            judged[at] = None if scored is None else stored(at, scored)
    return [scored for scored in judged if scored is not None]


class _AnswerJudge:
    """Judges answers to one task after another. Files that several tasks use are read once."""

    def __init__(self) -> None:
        from planspec.dsl.workspace.workspace import Workspace

        self._workspace = Workspace()

    def __call__(self, work: _Work) -> Scored:
        """Return the scored verdict on a task's answer."""
        return _judge_work(work, self._workspace)


def _judge_work(work: _Work, workspace: Workspace) -> Scored:
    from planspec.api.judging import Judge
    from planspec.scores.measuring import ROUTE_TABLES, mean_kept_share, plan_detour

    judge = Judge(work.variant.task(work.source, workspace), work.profile, setting=work.setting)
    if work.lost is not None:
        return judge.scored(judge.beside_best(judge.unjudged(f"not judged: {work.lost}")))
    if work.line is None:
        return judge.scored(judge.beside_best(judge.undelivered(NO_LINE)))
    read = judge.reading(work.line)
    verdict = verdict_on_turns(judge, read, work.details)
    if verdict is not None:
        return replace(judge.scored(judge.beside_best(verdict)), kept=mean_kept_share(judge, turn_answers(read) or ()))
    scored = judge.scored(judge.beside_best(judge.judge(read, details=work.details)))
    if not ROUTE_TABLES.is_in(judge.family):
        return scored
    plan = read.plan if isinstance(read, Answer) else None
    return replace(scored, detour=plan_detour(judge, plan), tool_calls=_tool_calls(read))


def verdict_on_turns(judge: Judge, read: Answer | Undelivered, details: Details) -> Verdict | None:
    """Judge an answer `{"task": ..., "turns": [plan of turn 1, plan of turn 2, ...]}`.

    Return None for answers of other forms.

    Args:
        judge: judge of the last turn.
        read: decoded answer.
        details: which findings to include in the verdict.
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
    """Return the answers to the turns of a conversation; None if the answer has no `turns`."""
    record = read.plan if isinstance(read, Answer) else None
    turns = record.get("turns") if isinstance(record, Mapping) and set(record) == {"turns"} else None
    return turns if isinstance(turns, list) else None


def _tool_calls(read: Answer | Undelivered) -> int | None:
    """Return `tool_calls` of a line such as `{"task": ..., "plan": ..., "tool_calls": 12}`; None if missing."""
    calls = read.beside.get("tool_calls")
    return calls if isinstance(calls, int) and not isinstance(calls, bool) and calls >= 0 else None
