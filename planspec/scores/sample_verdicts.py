"""Compact verdicts on many answers to a task, computed in one or several processes."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from os import urandom
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from planspec.dsl.model.task import Task
from planspec.scores.answers import task_of_record, verdict_on_turns
from planspec.scores.sample_metrics import REFUSAL
from planspec.scores.suite_tasks import SuiteTasks
from planspec.verifiers.answers.envelope import Answer, Undelivered, read_answer, task_in_head
from planspec.verifiers.meaning.plan_identity import PlanIdentity
from planspec.verifiers.meaning.verdict import Finding, Tally, Verdict

if TYPE_CHECKING:
    from planspec.api.judging import Judge
    from planspec.dsl.workspace.workspace import Workspace

Line: TypeAlias = tuple[int, bytes]
"""The number and the bytes of a line."""
NOT_JUDGED = "not judged: "
"""Prefix of the reason for an answer whose judging process died."""
MOST_JUDGES = 256
"""Maximum number of judges in a process's cache."""


@dataclass(frozen=True, slots=True)
class SampleVerdict:
    """The verdict on one of many answers.

    Attributes:
        line_number: number of the line, counted from 1.
        task: id of the task; None if the line is unreadable and does not name it.
        sample: number of the answer among the answers to its task; None if the line has no number.
        status: status of the verdict.
        hard: tally of hard constraint instances.
        soft: tally of soft constraint instances.
        plan: hash of the plan, by which equal plans are recognized; None if the answer contains none.
        violated: ids of the hard and soft constraint instances that the plan violates.
        unread: number of shape faults in the plan, such as unreadable cells.
        reason: reason why the answer contains no plan or could not be judged; None otherwise.
        document: complete verdict as JSON, if requested.
    """

    line_number: int
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
        """Pickle the fields as a plain tuple. Dataclasses are slow to pickle, and there may be millions of verdicts."""
        hard, soft = self.hard, self.soft
        return _unpickle_verdict, (
            self.line_number,
            self.task,
            self.sample,
            self.status,
            hard.satisfied,
            hard.total,
            soft.satisfied,
            soft.total,
            self.plan,
            self.violated,
            self.unread,
            self.reason,
            self.document,
        )


def _unpickle_verdict(
    line_number: int,
    task: str | None,
    sample: int | None,
    status: Any,
    hard: int,
    hard_total: int,
    soft: int,
    soft_total: int,
    *rest: Any,
) -> SampleVerdict:
    return SampleVerdict(
        line_number,
        task,
        sample,
        status,
        Tally(satisfied=hard, total=hard_total),
        Tally(satisfied=soft, total=soft_total),
        *rest,
    )


@dataclass(frozen=True, slots=True)
class MisplacedLine:
    """A line that belongs to no task of the suite or has an invalid sample number, with an error message."""

    line_number: int
    message: str


@dataclass(frozen=True, slots=True)
class SampleWork:
    """The data that a process needs to judge lines for one call of `score_many`.

    Attributes:
        token: random id of the call. Processes cache judges under it.
        suite: path, folder or id of the suite; or a checked task, which is not sent to other processes.
        profile: profile by which answers are judged.
        details: whether complete verdicts are requested.
        setting: setting in which the answers were given; None for the default setting.
        given: new values of givens as YAML text, by the name of the given.
        reading: name of the suite's reading; None for the tasks as written.
    """

    token: str
    suite: Task | str
    profile: str
    details: bool
    setting: str | None = None
    given: Mapping[str, str] = field(default_factory=dict)
    reading: str | None = None

    @classmethod
    def of(
        cls,
        suite: Task | str,
        profile: str,
        *,
        details: bool,
        setting: str | None = None,
        given: Mapping[str, str] | None = None,
        reading: str | None = None,
    ) -> SampleWork:
        """Return the data for a new call of `score_many`, with a new token. The arguments are the attributes."""
        return cls(urandom(8).hex(), suite, profile, details, setting, given or {}, reading)

    def tasks(self) -> SuiteTasks:
        """Return the tasks of the suite. Raises the errors of `SuiteTasks.of`."""
        return SuiteTasks.of(self.suite, given=self.given, reading=self.reading)


class JudgeCache:
    """The most recently used judges of a suite's tasks.

    Args:
        tasks: tasks of the suite.
        profile: profile by which answers are judged.
        setting: setting in which they were given; None for the default setting.
    """

    def __init__(self, tasks: SuiteTasks, profile: str, setting: str | None = None) -> None:
        from planspec.family.registry import family_of

        self.tasks = tasks
        self.lists = family_of(tasks.family).format.load().lists
        self._profile, self._setting = profile, setting
        self._judges: OrderedDict[str, tuple[Judge, PlanIdentity]] = OrderedDict()
        self._workspace: Workspace | None = None

    @cached_property
    def read(self) -> Callable[[bytes], Answer | Undelivered]:
        """Function that decodes a line with an answer.

        If the suite has a single task, the function is the `reading` of its judge and also accepts bare answers.
        """
        only = self.tasks.only
        if only is None:
            return partial(read_answer, lists=self.lists, opens_text=False)
        return self.judge(only)[0].reading

    def judge(self, task: str) -> tuple[Judge, PlanIdentity]:
        """Return the judge of a task, and the object that recognizes equal plans of the task.

        Raises:
            DiagnosticError: the task has errors.
        """
        entry = self._judges.get(task)
        if entry is None:
            from planspec.api.judging import Judge
            from planspec.dsl.workspace.workspace import Workspace

            self._workspace = self._workspace or Workspace()
            loaded = self.tasks.variant.task(self.tasks.sources[task], self._workspace)
            entry = self._judges[task] = Judge(loaded, self._profile, setting=self._setting), PlanIdentity(loaded)
            if len(self._judges) > MOST_JUDGES:
                self._judges.popitem(last=False)
        else:
            self._judges.move_to_end(task)
        return entry


_CACHES: dict[str, JudgeCache] = {}
"""Caches of the `score_many` calls in progress, by token."""


def judge_cache_of(work: SampleWork, tasks: SuiteTasks | None = None) -> JudgeCache:
    """Return this process's cache of judges for one call of `score_many`.

    Args:
        work: work that the call sent to its workers.
        tasks: tasks of the suite, if they are already loaded; else None.
    """
    if work.token not in _CACHES:
        _CACHES[work.token] = JudgeCache(tasks or work.tasks(), work.profile, work.setting)
    return _CACHES[work.token]


def drop_judges(work: SampleWork) -> None:
    """Drop this process's cache of judges for one call of `score_many`."""
    _CACHES.pop(work.token, None)


def judge_lines(work: SampleWork, lines: Sequence[Line]) -> list[SampleVerdict | MisplacedLine]:
    """Judge lines, and return the verdicts in the order of the lines.

    Lines of one task are judged together.
    """
    cache = judge_cache_of(work)
    verdicts: list[SampleVerdict | MisplacedLine | None] = [None] * len(lines)
    for at in sorted(range(len(lines)), key=lambda at: task_in_head(lines[at][1])):
        line_number, line = lines[at]
        read = _read_line(cache, line_number, line)
        if isinstance(read, _AssignedAnswer):
            judge, identity = cache.judge(read.task)
            verdicts[at] = _judge_answer(work, judge, identity, read)
        else:
            verdicts[at] = read
    return [verdict for verdict in verdicts if verdict is not None]


def unjudged_line(work: SampleWork, line: Line, *, reason: str) -> SampleVerdict | MisplacedLine:
    """Return a failing verdict on a line that could not be judged; a `MisplacedLine` if it belongs to no task."""
    cache = judge_cache_of(work)
    read = _read_line(cache, *line)
    if not isinstance(read, _AssignedAnswer):
        return read
    verdict = cache.judge(read.task)[0].unjudged(reason)
    return _compact_verdict(read, verdict, None, details=work.details)


def unread_line(line_number: int, reason: str) -> SampleVerdict:
    """Return the verdict on an unreadable line that does not name its task."""
    nothing = Tally(satisfied=0, total=0)
    return SampleVerdict(line_number, None, None, "undelivered", nothing, nothing, None, (), 0, reason)


def has_soft(work: SampleWork, task: str) -> bool:
    """Return whether soft constraints apply to a task."""
    return judge_cache_of(work).judge(task)[0].undelivered("no answer").soft.total > 0


@dataclass(frozen=True, slots=True)
class _AssignedAnswer:
    """A decoded line with the id of its task.

    Attributes:
        is_final: whether the task's judge decoded the line.
    """

    line_number: int
    task: str
    sample: int | None
    answer: Answer | Undelivered
    line: bytes
    is_final: bool


def _read_line(cache: JudgeCache, line_number: int, line: bytes) -> _AssignedAnswer | SampleVerdict | MisplacedLine:
    read = cache.read(line)
    task = read.task or (task_of_record(read) if cache.lists else None) or cache.tasks.only
    sample = read.beside.get("sample")
    if sample is not None and (not isinstance(sample, int) or isinstance(sample, bool) or sample < 0):
        return MisplacedLine(line_number, "its `sample` is no whole number from 0")
    if task is None and isinstance(read, Undelivered):
        return replace(unread_line(line_number, read.reason), sample=sample)
    if task is None:
        return MisplacedLine(
            line_number,
            'does not say which task it answers; write `{"task": "its id", "sample": 0, "plan": ...}`',
        )
    if task not in cache.tasks.sources:
        return MisplacedLine(line_number, f"the suite has no task `{task}`")
    return _AssignedAnswer(line_number, task, sample, read, line, is_final=cache.tasks.only is not None)


def _judge_answer(work: SampleWork, judge: Judge, identity: PlanIdentity, assigned: _AssignedAnswer) -> SampleVerdict:
    details: Literal["all", "none"] = "all" if work.details else "none"
    read = assigned.answer
    if not assigned.is_final and (isinstance(read, Undelivered) or not read.alone):
        # the task decides which of several JSON objects in the line is the answer
        read = judge.reading(assigned.line)
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
    return _compact_verdict(assigned, verdict, plan, details=work.details)


def _compact_verdict(
    assigned: _AssignedAnswer, verdict: Verdict, plan: bytes | None, *, details: bool
) -> SampleVerdict:
    undelivered = verdict.status == "undelivered"
    broken = [] if undelivered else [f for f in verdict.findings if f.status == "violated"]
    return SampleVerdict(
        line_number=assigned.line_number,
        task=assigned.task,
        sample=assigned.sample,
        status=verdict.status,
        hard=verdict.hard,
        soft=verdict.soft,
        plan=plan,
        violated=tuple(f.constraint for f in broken if f.level != "shape"),
        unread=sum(f.level == "shape" for f in broken),
        reason=verdict.findings[0].message if undelivered else _why_unjudged(broken),
        document=json.loads(json.dumps(asdict(verdict), default=str)) if details else None,
    )


def _why_unjudged(broken: Sequence[Finding]) -> str | None:
    """Return why a plan could not be judged; None if it was judged."""
    return next((finding.message for finding in broken if finding.kind == "not-judged"), None)
