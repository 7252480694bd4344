"""Facts about a run's tasks and answers that scores need and that are slow to work out: kept beside the run.

The file `known.json` says of which suite it speaks, by the hash that the run was begun with. What it tells of a task stays
true when the task is changed or gone, so that a run once scored can be scored again anywhere.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import Field, JsonValue, ValidationError

from planspec.dsl.resources.limits import RECORDS_BYTES
from planspec.dsl.resources.reading import read_bytes
from planspec.files import replace_text
from planspec.parallel import map_workers, naming
from planspec.runs import Attempt, ChangedSuiteError, Run, RunFolder
from planspec.runs.suite_copy import SuiteCopy
from planspec.scores.measuring import detour_over, kept_over
from planspec.scores.record import LabelValue, ScoreModel
from planspec.verifiers.metrics.scored import Detour

if TYPE_CHECKING:
    from planspec.api.judging import Judge
    from planspec.dsl.workspace.workspace import Workspace
    from planspec.verifiers.meaning.plan_identity import PlanIdentity

FILE = "known.json"
UNCOUNTED: Literal["uncounted"] = "uncounted"


class RuleFacts(ScoreModel):
    """The number of instances of a constraint that apply to a task."""

    rule: str
    kind: str | None
    hard: bool
    n: int


class TaskFacts(ScoreModel):
    """The facts about a task that scores need.

    Attributes:
        sha256: of all documents that it stands in and uses.
        asked_sha256: the same without the tables that hold what documents say and decide no rule; None in what was kept before there was one.
        anchors: None where they cannot be counted, `uncounted` where nobody asked so far.
        asks: what has to be worked out of each answer.
    """

    sha256: str
    asked_sha256: str | None = None
    labels: dict[str, LabelValue]
    rules: tuple[RuleFacts, ...]
    anchors: int | Literal["uncounted"] | None = UNCOUNTED
    asks: Literal["kept", "detour"] | None = None

    @property
    def hard(self) -> int:
        """Hard instances that apply."""
        return sum(rule.n for rule in self.rules if rule.hard)

    @property
    def soft(self) -> int:
        """Soft instances that apply."""
        return sum(rule.n for rule in self.rules if not rule.hard)

    def by_kind(self, *, hard: bool = True) -> dict[str | None, int]:
        """The number of instances that apply, by kind."""
        found: Counter[str | None] = Counter()
        for rule in self.rules:
            if rule.hard is hard:
                found[rule.kind] += rule.n
        return dict(found)


class AnswerFacts(ScoreModel):
    """The facts about an attempt's answers that scores need beyond the verdict.

    Attributes:
        plan: what tells the last answer's plan from others, in a run with repeats; None where there is none.
    """

    kept: Fraction | None = None
    detour: Detour | None = None
    plan: str | None = None


class RunFacts(ScoreModel):
    """All of it of one run."""

    known: Literal["known/2"] = "known/2"
    suite_sha256: str
    protocol: str | None
    tasks: dict[str, TaskFacts]
    answers: dict[str, AnswerFacts] = Field(default_factory=dict)

    def of(self, attempt: Attempt) -> AnswerFacts:
        """The facts about an attempt's answers."""
        return self.answers.get(_name(attempt), AnswerFacts())


@dataclass(frozen=True, slots=True)
class _Work:
    """The facts of one task that have to be worked out.

    Attributes:
        plans: what tells the answers' plans apart is asked for, too.
        answers: answers of each turn, by attempt.
    """

    task: str
    path: str
    anchors: bool
    plans: bool
    answers: Mapping[str, Sequence[JsonValue]]


def know(
    folder: RunFolder, attempts: Sequence[Attempt], *, anchors: bool, jobs: int = 1, suite: str | None = None
) -> RunFacts:
    """The facts about a run; missing ones are worked out, and kept if the folder can be written.

    Args:
        folder: folder of the run.
        attempts: all that have a record.
        anchors: they are asked for.
        jobs: number of processes.
        suite: where it is now; if left out, the copy in the run's folder, or where it was when a run without one began.

    Raises:
        ChangedSuiteError: the suite is not the one of the run.
        NotFoundError: it is not there any more.
        DiagnosticError: it has errors.
    """
    run = folder.run()
    before = _read(folder.path / FILE, run)
    wanted = _wanted(run, before, attempts, anchors)
    if before is not None and not wanted:
        return before
    copy = None if suite is not None else SuiteCopy.of(folder.path)
    protocol, paths = _suite(run, suite) if copy is None else (copy.index.protocol, copy.tasks)
    plans = run.repeats > 1
    work = [_Work(task, str(paths[task]), anchors, plans, answers) for task, answers in wanted.items()]
    tasks = dict(before.tasks) if before else {}
    answers = dict(before.answers) if before else {}
    for task, facts, told in _done(work, jobs, None if copy is None else copy.shipped):
        if task in tasks and tasks[task].sha256 != facts.sha256:
            raise ChangedSuiteError(f"the task `{task}` is not the one that the run was made with")
        if task not in tasks or anchors:
            tasks[task] = facts
        answers |= told
    made = RunFacts(suite_sha256=run.suite_sha256, protocol=protocol, tasks=tasks, answers=answers)
    if before is None:
        _compare(run, made)
    _write(folder.path / FILE, made)
    return made


def _wanted(
    run: Run, known: RunFacts | None, attempts: Iterable[Attempt], anchors: bool
) -> dict[str, dict[str, Sequence[JsonValue]]]:
    """The tasks of which something is missing, with the answers of which something is."""
    wanted: dict[str, dict[str, Sequence[JsonValue]]] = {
        task: {}
        for task in run.tasks
        if known is None or (anchors and known.tasks[task].anchors == UNCOUNTED)
    }
    for attempt in attempts:
        if known is not None and (
            (known.tasks[attempt.task].asks is None and run.repeats == 1) or _name(attempt) in known.answers
        ):
            continue
        told = [turn.answer for turn in attempt.turns if turn.answer is not None]
        wanted.setdefault(attempt.task, {})[_name(attempt)] = told
    return wanted


def _name(attempt: Attempt) -> str:
    """By which an attempt's answers are kept: those of one that was made again are others."""
    again = f".{attempt.retry}" if attempt.retry else ""
    return f"{attempt.repeat}{again}/{attempt.task}"


def _read(file: Path, run: Run) -> RunFacts | None:
    """The facts that were kept; None if there are none, or none that fit."""
    try:
        found = RunFacts.model_validate_json(read_bytes(file, RECORDS_BYTES))
    except (OSError, ValidationError):
        return None
    return found if found.suite_sha256 == run.suite_sha256 and set(found.tasks) >= set(run.tasks) else None


def _write(file: Path, known: RunFacts) -> None:
    """Keep it; a folder that cannot be written costs only time."""
    with suppress(OSError):
        replace_text(file, known.model_dump_json() + "\n")


def _suite(run: Run, place: str | None) -> tuple[str | None, dict[str, Path]]:
    """The protocol of a run's suite, and the files of its tasks."""
    from planspec.api.catalog import Catalog

    catalog = Catalog()
    found = catalog.suite(place or run.suite_path)
    if len(found.tasks) < len(run.tasks):
        raise ChangedSuiteError(f"the suite `{run.suite}` has fewer tasks than the run was begun with")
    by_id = dict(catalog.ids(found.tasks))
    in_order = zip(run.tasks, found.tasks, strict=False)  # what stands where one was says why it is gone
    return found.protocol or found.family, {task: by_id.get(task, path) for task, path in in_order}


def _compare(run: Run, known: RunFacts) -> None:
    digest = hashlib.sha256(b"".join(bytes.fromhex(known.tasks[task].sha256) for task in run.tasks))
    if digest.hexdigest() != run.suite_sha256:
        raise ChangedSuiteError(f"the suite `{run.suite}` is not the one that the run was made with")


TaskWorkResult = tuple[str, TaskFacts, dict[str, AnswerFacts]]


def _done(work: Sequence[_Work], jobs: int, shipped: Path | None) -> Iterator[TaskWorkResult]:
    """The results of each task; what tasks share is read once, and as it is now."""
    return map_workers(
        partial(_Finding, shipped), work, jobs, light=True, failed=naming(lambda w: f"the task `{w.task}`")
    )


class _Finding:
    """Finds the facts of task after task, with one workspace.

    Args:
        shipped: the copy of what shipped with planspec when the run was made; None for what ships now.
    """

    def __init__(self, shipped: Path | None) -> None:
        from planspec.dsl.workspace.workspace import Workspace

        self._workspace = Workspace() if shipped is None else Workspace(shipped)

    def __call__(self, work: _Work) -> TaskWorkResult:
        return _do(work, self._workspace)


def _do(work: _Work, workspace: Workspace) -> TaskWorkResult:
    from planspec.api.judging import Judge
    from planspec.api.loading import load
    from planspec.runs.running import fingerprint, question_fingerprint
    from planspec.verifiers.metrics.scored import labels_of

    judge = Judge(load(work.path, workspace=workspace))
    task = judge.task
    if task.id.partition("@")[0] != work.task:
        raise ChangedSuiteError(f"where the run had the task `{work.task}` there is `{task.id}` now")
    rules: Counter[tuple[str, str | None, bool]] = Counter()
    for instance in judge.ground.instances:
        if instance.applicable:
            rule = instance.constraint
            rules[instance.id.partition("[")[0], rule.kind, rule.hard] += 1
    facts = TaskFacts(
        sha256=fingerprint(task).hex(),
        asked_sha256=question_fingerprint(task, judge.family.evidence).hex(),
        labels=labels_of(task),
        rules=tuple(RuleFacts(rule=r, kind=k, hard=h, n=n) for (r, k, h), n in rules.items()),
        anchors=_anchors(judge) if work.anchors else UNCOUNTED,
        asks="kept" if (task.turns or 1) > 1 else "detour" if judge.family.visits else None,
    )
    return (
        work.task,
        facts,
        _answers(judge, facts, work),
    )


def _anchors(judge: Judge) -> int:
    from planspec.verifiers.meaning.anchors import anchors

    return anchors(judge.ground)


def _answers(judge: Judge, facts: TaskFacts, work: _Work) -> dict[str, AnswerFacts]:
    from planspec.verifiers.meaning.plan_identity import PlanIdentity

    identity = PlanIdentity(judge.task) if work.plans else None
    if facts.asks is None and identity is None:
        return {}
    return {name: _answer(judge, facts, told, identity) for name, told in work.answers.items()}


def _answer(
    judge: Judge, facts: TaskFacts, told: Sequence[JsonValue], identity: PlanIdentity | None
) -> AnswerFacts:
    plan = judge.read(told[-1]) if told and identity is not None else None
    return AnswerFacts(
        kept=kept_over(judge, told) if facts.asks == "kept" else None,
        detour=detour_over(judge, told[-1]) if facts.asks == "detour" and told else None,
        plan=identity.digest(plan).hex() if plan is not None and identity is not None else None,
    )
