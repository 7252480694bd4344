"""Many answers: which is for which task, judging them in several processes, and their metrics as text."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from planspec.commands.console import CallError, read_bytes
from planspec.text_table import align
from planspec.verifiers.meaning.verdict import Verdict
from planspec.verifiers.metrics.scored import Scored

if TYPE_CHECKING:
    from planspec.api.verbs import Judge
    from planspec.dsl.documents.documents import Suite
    from planspec.dsl.workspace.workspace import Workspace
    from planspec.traces.scorers import TraceScores
    from planspec.verifiers.answers.envelope import Answer, Undelivered


NO_LINE = "no answer for this task"
"""The message for a task without a line."""


@dataclass(frozen=True, slots=True)
class Work:
    """One task of a run.

    Attributes:
        task: its id.
        path: its file.
        line: the answer, None where there is none.
        profile: by which it is judged.
    """

    task: str
    path: str
    line: bytes | None
    profile: str


def sorted_out(
    lines: Iterable[bytes], tasks: Collection[str], *, lists: bool
) -> tuple[dict[str, bytes | None], list[str]]:
    """Each answer by its task, in the order of the lines; tasks without a line come last, empty.

    Args:
        lines: envelopes, or where `lists` also the records of the family's public tools.
        tasks: the ids of the suite's tasks.
        lists: an answer of the family can be a list.

    Raises:
        CallError: a line is no answer, or is not for one of the tasks alone.
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
            raise CallError(f"line {number} is no answer: {read.reason}; each line is one, with its task")
        if task is None:
            raise CallError(
                f"line {number} does not say which task it answers; write "
                '`{"task": "its id", "plan": ...}` on one line'
            )
        if task not in tasks:
            raise CallError(f"line {number}: the suite has no task `{task}`")
        if task in lines_of:
            raise CallError(f"line {number} answers `{task}` again, as line {lines_of[task]} did")
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


def judged(work: Sequence[Work], jobs: int) -> dict[str, Scored]:
    """The verdict for each task, by as many processes as asked."""
    if jobs == 1 or len(work) < 2:
        return dict(map(_judge_task, work))
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(jobs) as pool:
        return dict(pool.map(_judge_task, work, chunksize=max(1, len(work) // (8 * jobs))))


@cache
def _workspace() -> Workspace:
    """One for each process: what tasks share is read once in each."""
    from planspec.dsl.workspace.workspace import Workspace

    return Workspace()


def _judge_task(work: Work) -> tuple[str, Scored]:
    from planspec.api.verbs import Judge, load

    judge = Judge(load(work.path, workspace=_workspace()), work.profile)
    if work.line is None:
        return work.task, judge.scored(judge.undelivered(NO_LINE))
    plans = _turns(work.line)
    if plans is None:
        scored = judge.scored(judge.answer(work.line, details="violated"))
        return work.task, _measured(judge, work.line, scored) if judge.family.visits else scored
    turns = judge.task.turns or 1
    if len(plans) != turns:
        verdict = judge.undelivered(f"there are answers to {len(plans)} turns, and the task has {turns}")
    elif not plans[-1]:
        verdict = judge.undelivered("the last turn has no answer")
    else:
        verdict = judge.answer(plans[-1], details="violated")
    from planspec.scores.measuring import kept_over

    return work.task, replace(judge.scored(verdict), kept=kept_over(judge, plans))


def _measured(judge: Judge, line: bytes, scored: Scored) -> Scored:
    """With the way of the plan, and the tool calls that the line `{"task": ..., "plan": ..., "tool_calls": 12}` tells."""
    from planspec.scores.measuring import detour_over

    return replace(scored, detour=detour_over(judge, line), tool_calls=_tool_calls(line))


def _tool_calls(line: bytes) -> int | None:
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


def score_traces(
    suite: Suite, folder: Path, traces: str, *, profile: str, differences: bool, details: bool, jobs: int
) -> tuple[TraceScores, Sequence[str]]:
    """The scores of a file of traces, and the same for people.

    Args:
        suite: of a family whose metrics look at traces.
        folder: in which it lies.
        traces: the file; `-` for standard input.
        profile: `strict` or `official`.
        differences: tell where the profiles part.
        details: keep what is said of each episode.
        jobs: processes to score with.

    Raises:
        UnknownProfile: the suite has no such profile.
        CallError: the suite's files or the traces are not what they should be.
    """
    from planspec.errors import UnknownProfile
    from planspec.traces.scorers import Asked, UnfitRun, trace_scorer
    from planspec.verifiers.official.protocol import OFFICIAL

    name = suite.protocol or suite.family
    assert name is not None
    scorer = trace_scorer(name)
    known = scorer.profiles(folder)
    for wanted in (profile, *((OFFICIAL,) if differences else ())):
        if wanted not in known:
            raise UnknownProfile(
                f"the suite `{suite.id}` has no profile `{wanted}`; there is {' and '.join(known)}"
            )
    with _as_file(traces) as file:
        try:
            asked = Asked(
                suite=suite.id, folder=folder, traces=file, profile=profile, differences=differences, details=details,
                jobs=jobs,
            )  # fmt: skip
            scores = scorer.score(asked)
        except UnfitRun as error:
            raise CallError(str(error)) from None
    return scores, scorer.lines(scores)


@contextmanager
def _as_file(name: str) -> Iterator[Path]:
    """A file that is named, or standard input as one; large files are not read whole."""
    if name != "-":
        if not Path(name).is_file():
            raise CallError(f"the traces: there is no file `{name}`")
        yield Path(name)
        return
    with TemporaryDirectory() as folder:
        kept = Path(folder) / "standard-input"
        with kept.open("xb") as opened:
            opened.write(read_bytes(name, "the traces"))
        yield kept


def print_metrics(metrics: Mapping[str, Any]) -> None:
    """The metrics of a run, for people."""
    numbers = [
        (name, _shown(value))
        for name, value in metrics.items()
        if not isinstance(value, Mapping) or _is_interval(value)
    ]
    sys.stdout.writelines(f"{line}\n" for line in align(numbers, least=(23,)))
    for name, value in metrics.items():
        if isinstance(value, Mapping) and value and not _is_interval(value):
            _print_group(name, value)


def print_score(metrics: Mapping[str, Any], verdicts: Sequence[Verdict]) -> None:
    """Metrics, then what failed, for people."""
    print_metrics(metrics)
    counts = Counter(v.status for v in verdicts)
    sys.stdout.write(", ".join(f"{n} {status}" for status, n in sorted(counts.items())) + "\n")
    missing = [v.task for v in verdicts if v.findings and v.findings[0].message == NO_LINE]
    for verdict in verdicts:
        broken = [f for f in verdict.findings if f.status == "violated" and f.level != "soft"]
        if verdict.status == "undelivered" and verdict.task not in missing:
            sys.stdout.write(f"  undelivered  {verdict.task}: {broken[0].message}\n")
        elif verdict.status == "fail":
            unread = sum(f.level == "shape" for f in broken)
            told = [f.constraint for f in broken if f.level == "hard"]
            told += [f"{unread} cells that cannot be read or name nothing"] if unread else []
            sys.stdout.write(f"  fail  {verdict.task}: {', '.join(told)}\n")
    if missing:
        shown = ", ".join(missing[:20]) + (", ..." if len(missing) > 20 else "")
        sys.stdout.write(f"  no line for {len(missing)} of the tasks: {shown}\n")


def _print_group(name: str, group: Mapping[str, Any]) -> None:
    """Counts on a line each; groups of metrics as a table with a row for each."""
    first = next(iter(group.values()))
    columns = sorted(first, key=lambda column: column != "n") if isinstance(first, Mapping) else []
    rows = [(name, *columns)]
    for part, value in group.items():
        cells = [_shown(value[column]) for column in columns] if columns else [_shown(value)]
        rows.append((f"  {part}", *cells))
    right = range(1, len(columns) + 1)
    sys.stdout.writelines(f"{line}\n" for line in align(rows, least=(23,), right=right))


def _is_interval(value: Mapping[str, Any]) -> bool:
    return value.keys() == {"least", "most"}


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        least, most = _shown(value["least"]), _shown(value["most"])
        return least if least == most else f"{least}..{most}"
    return "-" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value)
