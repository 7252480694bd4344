"""Verdicts on many answers to a task: short records, made in this process or in several."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from os import urandom
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from planspec.dsl.model.task import Task
from planspec.scores.answers import recorded_task, verdict_on_turns
from planspec.scores.sample_metrics import REFUSAL
from planspec.scores.suite_tasks import SuiteTasks
from planspec.verifiers.answers.envelope import Answer, Undelivered, read_answer, task_in_head
from planspec.verifiers.meaning.plan_identity import PlanIdentity
from planspec.verifiers.meaning.verdict import Finding, Tally, Verdict

if TYPE_CHECKING:
    from planspec.api.judging import Judge
    from planspec.dsl.workspace.workspace import Workspace

Line: TypeAlias = tuple[int, bytes]
"""A line with its number."""
NOT_JUDGED = "not judged: "
"""How the reason begins for which an answer was lost with the process that judged it."""
MOST_JUDGES = 256
"""The most tasks that a process keeps ready to judge."""


@dataclass(frozen=True, slots=True)
class SampleVerdict:
    """The verdict on one of many answers.

    Attributes:
        place: the number of its line.
        task: the id of its task; None where a line that cannot be read does not say it.
        sample: its number among the answers to the task, where the line says it.
        plan: what tells its plan from others, None where nothing was delivered.
        violated: the hard and soft instances that the plan violates.
        unread: faults of the plan's shape, such as cells that cannot be read.
        reason: why nothing was delivered, or nobody could judge it.
        document: the whole verdict as JSON, where it is wanted.
    """

    place: int
    task: str | None
    sample: int | None
    status: Literal["pass", "fail", "undelivered"]
    hard: Tally
    soft: Tally
    plan: bytes | None
    violated: tuple[str, ...]
    unread: int
    reason: str | None
    document: Mapping[str, Any] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Comes from another process as plain values: a million of them do, and dataclasses are slow to send."""
        hard, soft = self.hard, self.soft
        return _sent_verdict, (
            self.place, self.task, self.sample, self.status, hard.satisfied, hard.total, soft.satisfied, soft.total,
            self.plan, self.violated, self.unread, self.reason, self.document,
        )  # fmt: skip


def _sent_verdict(
    place: int,
    task: str | None,
    sample: int | None,
    status: Any,
    hard: int,
    of_hard: int,
    soft: int,
    of_soft: int,
    *rest: Any,
) -> SampleVerdict:
    return SampleVerdict(
        place,
        task,
        sample,
        status,
        Tally(satisfied=hard, total=of_hard),
        Tally(satisfied=soft, total=of_soft),
        *rest,
    )


@dataclass(frozen=True, slots=True)
class Misfit:
    """A line that is not for the suite's tasks, or is none of many answers, and why."""

    place: int
    message: str


@dataclass(frozen=True, slots=True)
class SampleWork:
    """What a process has to know to judge lines.

    Attributes:
        token: of this call, so that nothing is taken for another one's.
        suite: by path, folder or id; or the task, which stays in the process that has it.
        profile: by which is judged.
        details: the whole verdict is wanted.
    """

    token: str
    suite: Task | str
    profile: str
    details: bool

    @classmethod
    def of(cls, suite: Task | str, profile: str, *, details: bool) -> SampleWork:
        """The work of one call."""
        return cls(urandom(8).hex(), suite, profile, details)


class JudgeShelf:
    """The judges of a suite's tasks: those that were asked for last are kept.

    Args:
        tasks: of the suite.
        profile: by which is judged.
    """

    def __init__(self, tasks: SuiteTasks, profile: str) -> None:
        from planspec.families.registry import family_of

        self.tasks = tasks
        self.lists = family_of(tasks.family).format.load().lists
        self._profile = profile
        self._kept: OrderedDict[str, tuple[Judge, PlanIdentity]] = OrderedDict()
        self._workspace: Workspace | None = None

    @cached_property
    def read(self) -> Callable[[bytes], Answer | Undelivered]:
        """Reads a line; for an only task as its judge does, which knows what its bare answers look like."""
        only = self.tasks.only
        return partial(read_answer, lists=self.lists) if only is None else self.judge(only)[0].reading

    def judge(self, task: str) -> tuple[Judge, PlanIdentity]:
        """A task's judge, and what tells its plans apart.

        Raises:
            DiagnosticError: the task has errors.
        """
        found = self._kept.get(task)
        if found is None:
            from planspec.api.judging import Judge
            from planspec.api.loading import load
            from planspec.dsl.workspace.workspace import Workspace

            self._workspace = self._workspace or Workspace()
            source = self.tasks.sources[task]
            loaded = source if isinstance(source, Task) else load(source, workspace=self._workspace)
            found = self._kept[task] = Judge(loaded, self._profile), PlanIdentity(loaded)
            if len(self._kept) > MOST_JUDGES:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(task)
        return found


_SHELVES: dict[str, JudgeShelf] = {}
"""The shelves of the calls that are going on."""


def shelf_of(work: SampleWork, tasks: SuiteTasks | None = None) -> JudgeShelf:
    """The judges of this process for a call.

    Args:
        work: of the call.
        tasks: its suite's, where they are known already.
    """
    if work.token not in _SHELVES:
        _SHELVES[work.token] = JudgeShelf(tasks or SuiteTasks.of(work.suite), work.profile)
    return _SHELVES[work.token]


def let_go(work: SampleWork) -> None:
    """Drop a call's judges."""
    _SHELVES.pop(work.token, None)


def judge_lines(work: SampleWork, lines: Sequence[Line]) -> list[SampleVerdict | Misfit]:
    """The verdicts on some lines, in their order; those on one task are made one after the other."""
    shelf = shelf_of(work)
    made: list[SampleVerdict | Misfit | None] = [None] * len(lines)
    for at in sorted(range(len(lines)), key=lambda at: task_in_head(lines[at][1])):
        place, line = lines[at]
        read = _read(shelf, place, line)
        if isinstance(read, _Addressed):
            judge, identity = shelf.judge(read.task)
            made[at] = _judged(work, judge, identity, read)
        else:
            made[at] = read
    return [one for one in made if one is not None]


def unjudged_line(work: SampleWork, line: Line, *, reason: str) -> SampleVerdict | Misfit:
    """The verdict on a line that nobody can judge: it fails."""
    shelf = shelf_of(work)
    read = _read(shelf, *line)
    if not isinstance(read, _Addressed):
        return read
    verdict = shelf.judge(read.task)[0].unjudged(reason)
    return _short(read, verdict, None, details=work.details)


def unread_line(place: int, reason: str) -> SampleVerdict:
    """The verdict on a line that does not say its task, and cannot be read."""
    nothing = Tally(satisfied=0, total=0)
    return SampleVerdict(place, None, None, "undelivered", nothing, nothing, None, (), 0, reason)


def asks_soft(work: SampleWork, task: str) -> bool:
    """Soft constraints apply to a task, whether it has an answer or not."""
    return shelf_of(work).judge(task)[0].undelivered("no answer").soft.total > 0


@dataclass(frozen=True, slots=True)
class _Addressed:
    """An answer of which it is known which it is."""

    place: int
    task: str
    sample: int | None
    answer: Answer | Undelivered
    line: bytes


def _read(shelf: JudgeShelf, place: int, line: bytes) -> _Addressed | SampleVerdict | Misfit:
    read = shelf.read(line)
    task = read.task or (recorded_task(read) if shelf.lists else None) or shelf.tasks.only
    sample = read.beside.get("sample")
    if sample is not None and (not isinstance(sample, int) or isinstance(sample, bool) or sample < 0):
        return Misfit(place, "its `sample` is no whole number from 0")
    if task is None and isinstance(read, Undelivered):
        return replace(unread_line(place, read.reason), sample=sample)
    if task is None:
        return Misfit(
            place, 'does not say which task it answers; write `{"task": "its id", "sample": 0, "plan": ...}`'
        )
    if task not in shelf.tasks.sources:
        return Misfit(place, f"the suite has no task `{task}`")
    return _Addressed(place, task, sample, read, line)


def _judged(work: SampleWork, judge: Judge, identity: PlanIdentity, one: _Addressed) -> SampleVerdict:
    details: Literal["all", "none"] = "all" if work.details else "none"
    read = one.answer
    if (
        isinstance(read, Undelivered) or not read.alone
    ):  # the task says which of several objects is the answer
        read = judge.reading(one.line)
    verdict = verdict_on_turns(judge, read, details)
    plan = None
    if verdict is None:
        judged = judge.judge_with_plan(read, details=details)
        verdict = judged.verdict
        if judged.plan is not None and verdict.status != "undelivered":
            plan = identity.digest(judged.plan)
    elif verdict.status != "undelivered":
        last = judge.read(read.plan["turns"][-1]) if isinstance(read, Answer) else None
        plan = None if last is None else identity.digest(last)
    if plan is None and verdict.status == "pass":
        plan = REFUSAL
    return _short(one, verdict, plan, details=work.details)


def _short(one: _Addressed, verdict: Verdict, plan: bytes | None, *, details: bool) -> SampleVerdict:
    undelivered = verdict.status == "undelivered"
    broken = [] if undelivered else [f for f in verdict.findings if f.status == "violated"]
    return SampleVerdict(
        place=one.place, task=one.task, sample=one.sample, status=verdict.status, hard=verdict.hard,
        soft=verdict.soft, plan=plan, violated=tuple(f.constraint for f in broken if f.level != "shape"),
        unread=sum(f.level == "shape" for f in broken),
        reason=verdict.findings[0].message if undelivered else _not_judged(broken),
        document=json.loads(json.dumps(asdict(verdict), default=str)) if details else None,
    )  # fmt: skip


def _not_judged(broken: Sequence[Finding]) -> str | None:
    """Why nobody could judge a plan, if nobody could."""
    return next((finding.message for finding in broken if finding.kind == "not-judged"), None)
