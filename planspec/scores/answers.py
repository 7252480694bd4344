"""Many answers: which is for which task, the verdict on each, and the family's metrics over all."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeAlias

from planspec.dsl.model.task import Task
from planspec.dsl.resources.limits import RECORDS_BYTES
from planspec.dsl.resources.reading import read_bytes
from planspec.errors import UnfitAnswers, UnknownProfile
from planspec.scores.score_text import NO_LINE, score_lines
from planspec.verifiers.meaning.verdict import Verdict
from planspec.verifiers.metrics.scored import Scored, verdicts_of
from planspec.verifiers.official.protocol import OFFICIAL, STRICT

if TYPE_CHECKING:
    from planspec.api.judging import Judge
    from planspec.dsl.workspace.workspace import Workspace
    from planspec.traces.metrics import TraceMetrics, TraceScores
    from planspec.verifiers.answers.envelope import Answer, Undelivered

AnswersLike: TypeAlias = PathLike[str] | Iterable[bytes | str | Mapping[str, Any]]
"""The path of a file of JSON lines, or the lines themselves, as text or decoded."""
CHUNKS = 8
"""Chunks of tasks for each process: what the tasks of a chunk share is read once."""


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of many answers.

    Attributes:
        suite: its id, or that of the task.
        profile: by which they were judged.
        metrics: the family's document.
        verdicts: of each answer in order, then of the tasks without one; empty where whole traces are scored.
        traces: the metrics of each trace; None in families whose metrics look at answers alone.
        traces_text: the same for people.
    """

    suite: str
    profile: str
    metrics: Mapping[str, Any] = field(repr=False)
    verdicts: tuple[Verdict, ...] = field(repr=False)
    traces: TraceScores | None = field(default=None, repr=False)
    traces_text: str = field(default="", repr=False)

    @property
    def passed(self) -> bool:
        """Whether every task has an answer that passes."""
        if self.traces is not None:
            return self.traces.passed
        return all(verdict.status == "pass" for verdict in self.verdicts)

    def __str__(self) -> str:
        """The text that `planspec score` prints."""
        if self.traces is not None:
            return self.traces_text
        return "\n".join(score_lines(self.metrics, self.verdicts))

    def __repr__(self) -> str:
        counts = Counter(verdict.status for verdict in self.verdicts)
        told = ", ".join(f"{n} {status}" for status, n in sorted(counts.items()))
        return f"<Scores of {self.suite}: {told or ('all pass' if self.passed else 'not all pass')}>"


def score(
    suite: Task | str | PathLike[str],
    answers: AnswersLike,
    *,
    profile: str = STRICT,
    jobs: int = 1,
    differences: bool = False,
    details: bool = True,
) -> Scores:
    """The verdicts on many answers, and the family's metrics over them; tasks without an answer count as undelivered.

    Args:
        suite: a suite or a task, by path, folder or id; or a checked task.
        answers: JSON lines, `{"task": ..., "plan": ...}` each, or a record of the family's public tools; in families
            whose metrics look at tool calls and tokens, traces. The `pathlib.Path` of a file with them, or the lines.
        profile: `strict`, the library's meaning, or `official`, what the family's public evaluator says.
        jobs: processes to judge with.
        differences: tell where the profiles part; only where traces are scored.
        details: keep what is said of each trace; without it a file of any length needs little memory.

    Raises:
        NotFound: there is no such suite or task.
        UnknownProfile: the family has no such profile.
        UnfitAnswers: a line is no answer, or is not for one of the tasks alone; or differences are asked of answers.
        DiagnosticError: the suite or a task has errors.
        TypeError: something is no suite, or no answers.
        OSError: the answers are the path of a file that cannot be read.
    """
    from planspec.api.catalog import Catalog, suite_folder
    from planspec.api.loading import name_of
    from planspec.traces.metrics import trace_metrics

    call = _Call(answers, profile, jobs, differences, details)
    if isinstance(suite, Task):
        return _of_answers(suite.id, suite.family, suite.family, {suite.id: suite}, call)
    catalog, name = Catalog(), name_of(suite)
    found = catalog.suite(name)
    metrics = found.protocol or found.family
    if (of_traces := trace_metrics(metrics)) is not None:
        return _of_traces(found.id, of_traces, suite_folder(catalog.suite_path(name)), call)
    tasks = {entry.id: str(entry.path) for entry in catalog.tasks(found.tasks)}
    return _of_answers(found.id, metrics, found.family, tasks, call)


@dataclass(frozen=True, slots=True)
class _Call:
    """The call of `score`, beside the suite."""

    answers: AnswersLike
    profile: str
    jobs: int
    differences: bool
    details: bool


def _of_answers(
    suite: str, metrics: str | None, family: str | None, tasks: Mapping[str, Task | str], call: _Call
) -> Scores:
    from planspec.api.judging import profiles
    from planspec.families.registry import family_of
    from planspec.parallel import map_parallel

    if call.differences:
        raise UnfitAnswers(
            "for this family `planspec verify --explain-differences` explains one answer at a time"
        )
    _check_profiles(suite, (call.profile,), profiles(family))
    lines, order = _sorted_out(_lines(call.answers), tasks, lists=family_of(family).format.load().lists)
    work = [_Work(task, tasks[task], line, call.profile) for task, line in lines.items()]
    size = max(1, len(work) if call.jobs == 1 else len(work) // (CHUNKS * call.jobs))
    chunks = [work[at : at + size] for at in range(0, len(work), size)]
    judged = dict(chain.from_iterable(map_parallel(_judge_all, chunks, call.jobs)))
    run = [judged[task] for task in order]
    document = json.loads(family_of(metrics).metrics.load().over(run).model_dump_json())
    return Scores(suite, call.profile, document, verdicts_of(run))


def _of_traces(suite: str, metrics: TraceMetrics, folder: Path, call: _Call) -> Scores:
    from planspec.traces.metrics import TraceRequest

    wanted = (call.profile, *((OFFICIAL,) if call.differences else ()))
    _check_profiles(suite, wanted, metrics.profiles(folder))
    with _as_file(call.answers) as file:
        request = TraceRequest(
            suite=suite, folder=folder, traces=file, profile=call.profile, differences=call.differences,
            details=call.details, jobs=call.jobs,
        )  # fmt: skip
        scores = metrics.over(request)
    return Scores(suite, call.profile, scores.metrics, (), scores, "\n".join(metrics.lines(scores)))


def _check_profiles(suite: str, wanted: Sequence[str], known: Sequence[str]) -> None:
    for profile in wanted:
        if profile not in known:
            raise UnknownProfile(
                f"the suite `{suite}` has no profile `{profile}`; there is {' and '.join(known)}"
            )


def _lines(answers: AnswersLike) -> Iterator[bytes]:
    """The lines of the answers, those that are decoded written again."""
    match answers:
        case PathLike():
            yield from read_bytes(answers, RECORDS_BYTES).splitlines()
            return
        case str() | bytes() | Mapping():
            raise TypeError(
                "answers are JSON lines: the pathlib.Path of a file with them, or the lines, not one text"
            )
    for line in answers:
        match line:
            case bytes():
                yield line
            case str():
                yield line.encode("utf-8", "surrogatepass")
            case Mapping():
                yield json.dumps(line, ensure_ascii=False).encode("utf-8", "surrogatepass")
            case _:
                raise TypeError(f"an answer is a line of JSON, as text or decoded, not {type(line).__name__}")


@contextmanager
def _as_file(answers: AnswersLike) -> Iterator[Path]:
    """A file with the answers; one that is given is not read whole."""
    if isinstance(answers, PathLike):
        yield Path(answers)
        return
    with TemporaryDirectory() as folder:
        kept = Path(folder) / "standard-input"
        with kept.open("xb") as opened:
            opened.writelines(line.rstrip(b"\n") + b"\n" for line in _lines(answers))
        yield kept


def _sorted_out(
    lines: Iterable[bytes], tasks: Collection[str], *, lists: bool
) -> tuple[dict[str, bytes | None], list[str]]:
    """Each answer by its task, in the order of the lines; tasks without a line come last, empty.

    Args:
        lines: envelopes, or where `lists` also the records of the family's public tools.
        tasks: the ids of the suite's tasks.
        lists: an answer of the family can be a list.

    Raises:
        UnfitAnswers: a line is no answer, or is not for one of the tasks alone.
    """
    from planspec.verifiers.answers.envelope import Undelivered, read_answer

    answers: dict[str, bytes | None] = {}
    lines_of: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        read = read_answer(line, lists=lists)
        task = read.task or (_recorded(read) if lists else None)
        if task is None and isinstance(read, Undelivered):
            raise UnfitAnswers(f"line {number} is no answer: {read.reason}; each line is one, with its task")
        if task is None:
            raise UnfitAnswers(
                f"line {number} does not say which task it answers with which plan; write "
                '`{"task": "its id", "plan": ...}` on one line'
            )
        if task not in tasks:
            raise UnfitAnswers(f"line {number}: the suite has no task `{task}`")
        if task in lines_of:
            raise UnfitAnswers(f"line {number} answers `{task}` again, as line {lines_of[task]} did")
        lines_of[task] = number
        answers[task] = line
    order = list(answers)
    for task in tasks:
        if task not in answers:
            answers[task] = None
            order.append(task)
    return answers, order


def _recorded(read: Answer | Undelivered) -> str | None:
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
    """

    task: str
    source: Task | str
    line: bytes | None
    profile: str


def _judge_all(chunk: Sequence[_Work]) -> list[tuple[str, Scored]]:
    """Tasks with one workspace: what they share is read once, and as it is now."""
    from planspec.dsl.workspace.workspace import Workspace

    workspace = Workspace()
    return [(work.task, _judge(work, workspace)) for work in chunk]


def _judge(work: _Work, workspace: Workspace) -> Scored:
    from planspec.api.judging import Judge
    from planspec.api.loading import load
    from planspec.scores.measuring import detour_over, kept_over

    source = work.source
    judge = Judge(source if isinstance(source, Task) else load(source, workspace=workspace), work.profile)
    if work.line is None:
        return judge.scored(judge.undelivered(NO_LINE))
    plans = _turns(work.line)
    if plans is not None:
        return replace(judge.scored(_verdict_on_turns(judge, plans)), kept=kept_over(judge, plans))
    scored = judge.scored(judge.answer(work.line, details="violated"))
    if judge.family.visits is None:
        return scored
    return replace(scored, detour=detour_over(judge, work.line), tool_calls=_tool_calls(work.line))


def _verdict_on_turns(judge: Judge, plans: Sequence[Any]) -> Verdict:
    turns = judge.task.turns or 1
    if len(plans) != turns:
        return judge.undelivered(f"there are answers to {len(plans)} turns, and the task has {turns}")
    if not plans[-1]:
        return judge.undelivered("the last turn has no answer")
    return judge.answer(plans[-1], details="violated")


def _tool_calls(line: bytes) -> int | None:
    """The tool calls that a line `{"task": ..., "plan": ..., "tool_calls": 12}` tells."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    calls = record.get("tool_calls") if isinstance(record, dict) else None
    return calls if isinstance(calls, int) and not isinstance(calls, bool) and calls >= 0 else None


def _turns(line: bytes) -> list[Any] | None:
    """The plans of a line `{"task": ..., "turns": [plan of turn 1, plan of turn 2, ...]}`; None of others."""
    from planspec.verifiers.answers.envelope import Answer, read_answer

    read = read_answer(line)
    record = read.plan if isinstance(read, Answer) else None
    turns = record.get("turns") if isinstance(record, Mapping) and set(record) == {"turns"} else None
    return turns if isinstance(turns, list) else None
