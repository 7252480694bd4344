"""Cache of properties of a run's tasks and answers. Scores need them, and they are slow to compute.

The cache is the file `known.json` in the run's folder. It is tied to the hash of the suite at the start of the run, and
stays valid if a task is changed or deleted later. A run that was scored once can therefore be scored again without its
suite.
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
from planspec.family.descriptor import Part
from planspec.files import replace_text
from planspec.parallel import PerWorker, map_parallel, naming
from planspec.runs import Attempt, ChangedSuiteError, Run, RunFolder
from planspec.runs.suite_copy import SuiteCopy
from planspec.scores.estimates import ScoreModel
from planspec.scores.measuring import MEASURES, ROUTE_TABLES, Measures, mean_kept_share, plan_detour
from planspec.scores.record import LabelValue
from planspec.verifiers.meaning.objectives import ObjectiveValue
from planspec.verifiers.metrics.scored import Detour

if TYPE_CHECKING:
    from planspec.api.judging import Judge
    from planspec.dsl.model.expectation import Expectation
    from planspec.dsl.workspace.workspace import Workspace
    from planspec.verifiers.meaning.plan_identity import PlanIdentity

EVIDENCE: Part[tuple[str, ...]] = Part("evidence", ())
"""Names of the family's tables of evidence, such as contents of documents. No constraint depends on them.

Tasks that differ only in these tables count as the same request.
"""

FILE = "known.json"
UNCOUNTED: Literal["uncounted"] = "uncounted"


class RuleFacts(ScoreModel):
    """Number of instances of a constraint that apply to a task."""

    rule: str
    kind: str | None
    hard: bool
    n: int


class TaskFacts(ScoreModel):
    """Properties of a task that scores need.

    Attributes:
        sha256: hash of the documents that define the task.
        asked_sha256: hash of these documents without the tables of evidence; null in files of earlier releases.
        labels: labels of the task.
        rules: number of applicable instances of each constraint.
        anchors: number of temporal anchors (times that facts fix); null if they cannot be counted, `uncounted` before
            they are counted.
        objectives: the task's objectives with their values in the best known plan.
        infeasible: whether the task is expected to have no plan.
        asks: additional value to compute for each answer: `kept` (share of the previous turn's plan that is kept),
            `detour` (excess length of the route), or null.
        measures: properties for the family's published tables; null if they were not computed.
    """

    sha256: str
    asked_sha256: str | None = None
    labels: dict[str, LabelValue]
    rules: tuple[RuleFacts, ...]
    anchors: int | Literal["uncounted"] | None = UNCOUNTED
    objectives: tuple[ObjectiveValue, ...] = ()
    infeasible: bool = False
    asks: Literal["kept", "detour"] | None = None
    measures: dict[str, JsonValue] | None = None

    @property
    def hard(self) -> int:
        """Number of hard constraint instances that apply."""
        return sum(rule.n for rule in self.rules if rule.hard)

    @property
    def soft(self) -> int:
        """Number of soft constraint instances that apply."""
        return sum(rule.n for rule in self.rules if not rule.hard)

    def by_kind(self, *, hard: bool = True) -> dict[str | None, int]:
        """Return the number of constraint instances that apply, by kind."""
        counts: Counter[str | None] = Counter()
        for rule in self.rules:
            if rule.hard is hard:
                counts[rule.kind] += rule.n
        return dict(counts)


class AnswerFacts(ScoreModel):
    """Properties of an attempt's answers, besides the verdict, that are needed for scores.

    Attributes:
        kept: share of a turn's plan that the next turn's plan keeps, as a mean over turns; null if not
            computed.
        detour: excess length of the last plan's route; null if not computed.
        plan: digest of the last plan; null without a plan or in a run without repeats.
        measures: properties of the last answer for the family's published tables; null if they were not computed.
    """

    kept: Fraction | None = None
    detour: Detour | None = None
    plan: str | None = None
    measures: dict[str, JsonValue] | None = None


class RunFacts(ScoreModel):
    """Cached properties of a run's tasks and answers."""

    known: Literal["known/3"] = "known/3"
    suite_sha256: str
    protocol: str | None
    tasks: dict[str, TaskFacts]
    answers: dict[str, AnswerFacts] = Field(default_factory=dict)

    def of(self, attempt: Attempt) -> AnswerFacts:
        """Return the properties of an attempt's answers."""
        return self.answers.get(_answers_key(attempt), AnswerFacts())


@dataclass(frozen=True, slots=True)
class _FactsWork:
    """A request to compute properties of a task and of answers to it.

    Attributes:
        task: id of the task.
        path: file of the task.
        anchors: whether to count the temporal anchors.
        plans: whether to compute digests of plans.
        answers: answers of all turns, by the key of the attempt.
        expects: expectation of the suite for tasks without one of their own.
    """

    task: str
    path: str
    anchors: bool
    plans: bool
    answers: Mapping[str, Sequence[JsonValue]]
    expects: Expectation | None = None


def load_or_compute_facts(
    folder: RunFolder, attempts: Sequence[Attempt], *, anchors: bool, jobs: int = 1, suite: str | None = None
) -> RunFacts:
    """Return the properties of a run's tasks and answers.

    Missing ones are computed, and stored if the folder is writable.

    Args:
        folder: folder of the run.
        attempts: recorded attempts.
        anchors: whether to count temporal anchors.
        jobs: number of processes.
        suite: current file or id of the suite; None for the copy in the run's folder or, without a copy, its
            original path.

    Raises:
        ChangedSuiteError: the suite has changed since the run.
        NotFoundError: the suite no longer exists.
        DiagnosticError: the suite has errors.
    """
    run = folder.read_header()
    before = _read_facts(folder.path / FILE, run)
    missing = _missing_facts(run, before, attempts, anchors)
    if before is not None and not missing:
        return before
    copy = None if suite is not None else SuiteCopy.of(folder.path)
    protocol, expects, paths = (
        _find_suite(run, suite) if copy is None else (copy.index.protocol, copy.index.expects, copy.tasks)
    )
    plans = run.repeats > 1
    work = [_FactsWork(task, str(paths[task]), anchors, plans, answers, expects) for task, answers in missing.items()]
    tasks = dict(before.tasks) if before else {}
    answers = dict(before.answers) if before else {}
    for task, facts, found in _compute_facts(work, jobs, None if copy is None else copy.shipped):
        if task in tasks and tasks[task].sha256 != facts.sha256:
            raise ChangedSuiteError(f"the task `{task}` is not the one that the run was made with")
        if task not in tasks or anchors:
            tasks[task] = facts
        answers |= found
    facts_of_run = RunFacts(suite_sha256=run.suite_sha256, protocol=protocol, tasks=tasks, answers=answers)
    if before is None:
        _check_suite(run, facts_of_run)
    _write_facts(folder.path / FILE, facts_of_run)
    return facts_of_run


def _missing_facts(
    run: Run, run_facts: RunFacts | None, attempts: Iterable[Attempt], anchors: bool
) -> dict[str, dict[str, Sequence[JsonValue]]]:
    """Return the tasks whose properties are incomplete, each with the answers to examine, by key."""
    missing: dict[str, dict[str, Sequence[JsonValue]]] = {
        task: {} for task in run.tasks if run_facts is None or (anchors and run_facts.tasks[task].anchors == UNCOUNTED)
    }
    for attempt in attempts:
        if run_facts is not None and (
            (_needs_no_answer_facts(run_facts.tasks[attempt.task]) and run.repeats == 1)
            or _answers_key(attempt) in run_facts.answers
        ):
            continue
        answers = [turn.answer for turn in attempt.turns if turn.answer is not None]
        missing.setdefault(attempt.task, {})[_answers_key(attempt)] = answers
    return missing


def _needs_no_answer_facts(facts: TaskFacts) -> bool:
    """Return whether scores need no `AnswerFacts` (properties of answers besides the verdict) for a task."""
    return facts.asks is None and facts.measures is None


def _answers_key(attempt: Attempt) -> str:
    """Return the key for the stored properties of an attempt's answers."""
    retry = f".{attempt.retry}" if attempt.retry else ""
    return f"{attempt.repeat}{retry}/{attempt.task}"


def _read_facts(file: Path, run: Run) -> RunFacts | None:
    """Return the stored properties of a run's tasks and answers; None without any, or if the suite is another one."""
    try:
        stored = RunFacts.model_validate_json(read_bytes(file, RECORDS_BYTES))
    except (OSError, ValidationError):
        return None
    return stored if stored.suite_sha256 == run.suite_sha256 and set(stored.tasks) >= set(run.tasks) else None


def _write_facts(file: Path, run_facts: RunFacts) -> None:
    """Store the properties of a run's tasks and answers. Do nothing if the folder is not writable."""
    with suppress(OSError):
        replace_text(file, run_facts.model_dump_json() + "\n")


def _find_suite(run: Run, current: str | None) -> tuple[str | None, Expectation | None, Mapping[str, Path]]:
    """Return the protocol of a run's suite, the expectation for its tasks, and the tasks' files by id."""
    from planspec.api.catalog import Catalog

    catalog = Catalog()
    suite = catalog.suite(current or run.suite_path)
    if len(suite.tasks) < len(run.tasks):
        raise ChangedSuiteError(f"the suite `{run.suite}` has fewer tasks than the run was begun with")
    by_id = dict(catalog.ids(suite.tasks))
    in_order = zip(run.tasks, suite.tasks, strict=False)  # a task that is gone is replaced by the one at its position
    paths = {task: by_id.get(task, path) for task, path in in_order}
    return suite.protocol or suite.family, suite.expects, paths


def _check_suite(run: Run, run_facts: RunFacts) -> None:
    digest = hashlib.sha256(b"".join(bytes.fromhex(run_facts.tasks[task].sha256) for task in run.tasks))
    if digest.hexdigest() != run.suite_sha256:
        raise ChangedSuiteError(f"the suite `{run.suite}` is not the one that the run was made with")


TaskWorkResult = tuple[str, TaskFacts, dict[str, AnswerFacts]]


def _compute_facts(work: Sequence[_FactsWork], jobs: int, shipped: Path | None) -> Iterator[TaskWorkResult]:
    """Yield the properties of each task, read from its current file. Files used by several tasks are read once."""
    return map_parallel(
        PerWorker(partial(_FactFinder, shipped)),
        work,
        jobs,
        light=True,
        failed=naming(lambda w: f"the task `{w.task}`"),
    )


class _FactFinder:
    """Computes the properties of one task after another in one workspace.

    Args:
        shipped: folder with a copy of the documents that shipped with planspec at the time of the run; None
            to use the current ones.
    """

    def __init__(self, shipped: Path | None) -> None:
        from planspec.dsl.workspace.workspace import Workspace

        self._workspace = Workspace() if shipped is None else Workspace(shipped)

    def __call__(self, work: _FactsWork) -> TaskWorkResult:
        return _task_facts(work, self._workspace)


def _task_facts(work: _FactsWork, workspace: Workspace) -> TaskWorkResult:
    from planspec.api.judging import Judge
    from planspec.api.labels import labels_of
    from planspec.api.loading import load
    from planspec.runs.running import fingerprint, question_fingerprint

    judge = Judge(load(work.path, workspace=workspace).with_default(work.expects))
    task = judge.task
    if task.id.partition("@")[0] != work.task:
        raise ChangedSuiteError(f"the run had the task `{work.task}` in the place of `{task.id}`")
    measures = MEASURES.of(judge.family)
    rules: Counter[tuple[str, str | None, bool]] = Counter()
    for instance in judge.ground.instances:
        if instance.applicable:
            rule = instance.constraint
            rules[instance.id.partition("[")[0], rule.kind, rule.hard] += 1
    facts = TaskFacts(
        sha256=fingerprint(task).hex(),
        asked_sha256=question_fingerprint(task, EVIDENCE.of(judge.family)).hex(),
        labels=labels_of(task),
        rules=tuple(RuleFacts(rule=r, kind=k, hard=h, n=n) for (r, k, h), n in rules.items()),
        anchors=_count_anchors(judge) if work.anchors else UNCOUNTED,
        objectives=judge.beside_best(judge.undelivered("")).objectives,
        infeasible=task.expected == "infeasible",
        asks="kept" if (task.turns or 1) > 1 else "detour" if ROUTE_TABLES.is_in(judge.family) else None,
        measures=None if measures is None else measures.of_task(judge),
    )
    return (
        work.task,
        facts,
        _facts_by_answer(judge, facts, work, measures),
    )


def _count_anchors(judge: Judge) -> int:
    from planspec.verifiers.meaning.anchors import anchors

    return anchors(judge.ground)


def _facts_by_answer(
    judge: Judge, facts: TaskFacts, work: _FactsWork, measures: Measures | None
) -> dict[str, AnswerFacts]:
    from planspec.verifiers.meaning.plan_identity import PlanIdentity

    identity = PlanIdentity(judge.task) if work.plans else None
    if _needs_no_answer_facts(facts) and identity is None:
        return {}
    return {name: _answer_facts(judge, facts, answers, identity, measures) for name, answers in work.answers.items()}


def _answer_facts(
    judge: Judge,
    facts: TaskFacts,
    answers: Sequence[JsonValue],
    identity: PlanIdentity | None,
    measures: Measures | None,
) -> AnswerFacts:
    plan = judge.read(answers[-1]) if answers and identity is not None else None
    return AnswerFacts(
        kept=mean_kept_share(judge, answers) if facts.asks == "kept" else None,
        detour=plan_detour(judge, answers[-1]) if facts.asks == "detour" and answers else None,
        plan=identity.digest(plan).hex() if plan is not None and identity is not None else None,
        measures=measures.of_answer(judge, answers[-1]) if measures is not None and answers else None,
    )
