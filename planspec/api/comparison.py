"""Comparison of two versions of a suite by meaning: for each task, whether both accept the same plans."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from planspec.api.catalog import Catalog, TaskReference
from planspec.api.claim_outputs import ContradictoryAnswer
from planspec.api.comparison_report import How, Pairing, SuiteComparison, TaskComparison, TaskPair
from planspec.api.judging import Judge
from planspec.api.loading import given_texts, name_of
from planspec.api.solving import limits_of
from planspec.dsl.documents.documents import task_from_path
from planspec.dsl.documents.search_scope import no_scope_message
from planspec.dsl.model.equivalence import are_equivalent
from planspec.dsl.model.task import Task
from planspec.parallel import PerWorker, map_parallel
from planspec.solvers.backends.register import PROVERS
from planspec.verifiers.answers.envelope import Undelivered
from planspec.verifiers.answers.format import TABLES, plain_json
from planspec.verifiers.meaning.counterparts import form_differences
from planspec.verifiers.meaning.verdict import Finding, Verdict

if TYPE_CHECKING:
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.questions.disagreement import Version
    from planspec.solvers.questions.second_look import Opinion

SuiteLike: TypeAlias = Task | str | PathLike[str]
"""A suite or a task, by path, folder or id; or a checked task."""


def compare(
    first: SuiteLike,
    second: SuiteLike,
    *,
    backends: Sequence[str] = PROVERS,
    limits: Limits | float | None = None,
    jobs: int = 1,
    given: Mapping[str, object] | None = None,
) -> SuiteComparison:
    """Compare two versions of a suite or a task by the plans that they accept.

    A plan is accepted if it satisfies every hard constraint. Soft constraints and objectives are not compared. Tasks of
    suites are paired by id. Two single tasks are paired whatever their ids.

    Args:
        first: first version: a suite or a task, by path, folder or id; or a checked task.
        second: second version, in the same forms.
        backends: back ends that must prove that no plan distinguishes the versions.
        limits: limits per task; a number is seconds of wall-clock time.
        jobs: number of processes.
        given: values by name, which replace the tasks' givens in both versions, in the form that `load` takes.

    Raises:
        NotFoundError: there is no such suite or task, or a task has no such given.
        DiagnosticError: a suite or a task has errors.
        InternalError: the verifier rejects a back end's claim about a plan.
        TypeError: an argument is neither a suite nor a task.
        ValueError: `given` is used with a checked task.
    """
    pairing = pair_tasks(first, second)
    texts = given_texts(given)
    work = [ComparisonRequest(pair, tuple(backends), limits_of(limits), texts) for pair in pairing.pairs]
    comparisons = tuple(map_parallel(PerWorker(Comparer), work, jobs))
    return SuiteComparison(pairing.first, pairing.second, comparisons, pairing.only_first, pairing.only_second)


# -- which tasks are compared -----------------------------------------------------------------------


def pair_tasks(first: SuiteLike, second: SuiteLike) -> Pairing:
    """Pair the tasks of two suites by id and turn. Two single tasks form a pair.

    Raises:
        NotFoundError: there is no such suite or task.
        DiagnosticError: a suite has errors.
        TypeError: an argument is neither a suite nor a task.
    """
    catalog = Catalog()
    (one, ours, alone), (other, theirs, also_alone) = (_tasks_by_id(suite, catalog) for suite in (first, second))
    if alone and also_alone:  # two single tasks are paired by turn, whatever their ids
        names = dict(zip(theirs, ours, strict=False))
        theirs = {names.get(name, name): task for name, task in theirs.items()}
    pairs = tuple(TaskPair(name, ours[name], theirs[name]) for name in ours if name in theirs)
    return Pairing(
        one,
        other,
        pairs,
        tuple(n for n in ours if n not in theirs),
        tuple(n for n in theirs if n not in ours),
    )


def _tasks_by_id(suite: SuiteLike, catalog: Catalog) -> tuple[str, dict[str, TaskReference | Task], bool]:
    """Return a suite's id, its tasks by id and turn, and whether it is a single task."""
    if isinstance(suite, Task):
        return suite.id, {suite.id: suite}, True
    name = name_of(suite)
    if not catalog.means_several(name) and not Path(name).is_dir():
        named = catalog.named(name)
        turns = dict(_turns_of_tasks(((task, named) for task, _ in catalog.ids([named.path])), catalog))
        return next(iter(turns)).partition("@")[0] if turns else name, turns, True
    opened = catalog.suite(name)
    in_order = ((task, TaskReference(path)) for task, path in catalog.ids(opened.tasks))
    return opened.id, dict(_turns_of_tasks(in_order, catalog)), False


def _turns_of_tasks(
    tasks: Iterable[tuple[str, TaskReference]], catalog: Catalog
) -> Iterator[tuple[str, TaskReference | Task]]:
    for name, task in tasks:
        if task.turn is not None:
            yield f"{name}@{task.turn}", task
            continue
        count = catalog.turns(task.path)
        if not count:
            yield name, task
        for turn in range(1, count + 1):
            yield f"{name}@{turn}", TaskReference(task.path, turn)


# -- one task ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ComparisonRequest:
    """A request to compare a pair of tasks, with back ends and limits.

    `given` has values, as YAML text by name, that replace the givens in both versions.
    """

    pair: TaskPair
    backends: tuple[str, ...]
    limits: Limits
    given: Mapping[str, str] = field(default_factory=dict)


class Comparer:
    """Compares versions of tasks in one workspace. Files that tasks share are read once."""

    def __init__(self) -> None:
        self._catalog = Catalog()

    def __call__(self, request: ComparisonRequest) -> TaskComparison:
        """Compare two versions of a task by text, meaning and references, then by a search.

        Raises:
            DiagnosticError: a task has errors.
            NotFoundError: `request.given` has a value for a parameter that a task does not have.
            InternalError: the verifier rejects a back end's claim about a plan.
            ValueError: `given` is used with a checked task.
        """
        name = request.pair.task
        first, second = (self._task(task, request.given) for task in (request.pair.first, request.pair.second))
        if first.hash == second.hash and first.turn == second.turn:
            return TaskComparison(name, True, "text")
        reasons = tuple(form_differences(first, second))
        if reasons:
            return TaskComparison(name, False, "form", reasons=reasons)
        if are_equivalent(first, second):
            return TaskComparison(name, True, "meaning")
        judges: dict[Version, Judge] = {"first": Judge(first), "second": Judge(second)}
        return _compare_by_reference(name, judges) or _compare_by_search(name, judges, request)

    def _task(self, task: TaskReference | Task, given: Mapping[str, str]) -> Task:
        if isinstance(task, Task):
            if given:
                raise ValueError("a checked task keeps its values: `load` takes others")
            return task
        return task_from_path(task.path, self._catalog.workspace, turn=task.turn, given=given)


def _compare_by_reference(name: str, judges: Mapping[Version, Judge]) -> TaskComparison | None:
    """Compare two versions by the author's answer in each. Return None if they agree on these answers."""
    for judge in judges.values():
        if judge.task.reference is None:
            continue
        comparison = _compare_by_answer(name, "reference", judges, dict.fromkeys(judges, judge.task.reference))
        if comparison is not None:
            return comparison
    return None


def _compare_by_answer(
    name: str, how: How, judges: Mapping[Version, Judge], answers: Mapping[Version, Any]
) -> TaskComparison | None:
    """Compare two versions by one answer. Return None if they agree on it.

    Args:
        name: name of the task.
        how: source of the answer.
        judges: judges of the versions.
        answers: the answer for each version, as JSON or as the rows of a plan.
    """
    verdicts = {version: judge.answer(answers[version], details="violated") for version, judge in judges.items()}
    passing = [version for version, verdict in verdicts.items() if verdict.status == "pass"]
    if len(passing) != 1:
        return None
    accepting = passing[0]
    judge, answer = judges[accepting], answers[accepting]
    read = judge.reading(answer)
    plan = None if isinstance(read, Undelivered) else judge.read(read.plan)
    refusing = next(verdict for version, verdict in verdicts.items() if version != accepting)
    return TaskComparison(
        name,
        False,
        how,
        accepted_by=accepting,
        answer=plain_json(answer),
        rows=None if plan is None else plain_json(TABLES.encode(judge.task, plan)),
        refused=violated_findings(refusing),
    )


def _compare_by_search(name: str, judges: Mapping[Version, Judge], request: ComparisonRequest) -> TaskComparison:
    from planspec.solvers.questions.disagreement import OTHER, disagreement

    first, second = judges["first"], judges["second"]
    missing = [no_scope_message(judge.task) for judge in (first, second)]
    if all(missing):
        reasons = ("there is no scope to search, and no reference tells the versions apart",)
        return TaskComparison(name, None, "none", reasons=reasons)
    result = disagreement(first.ground, second.ground, backends=request.backends, limits=request.limits)
    if result.contested is None:
        same = True if result.status == "same" else None
        return TaskComparison(
            name,
            same,
            "solvers" if same else "none",
            scope=result.scope,
            backends=result.backends,
            reasons=() if result.reason is None else (result.reason,),
            disagreement=_contradictory_answers(result.opinions, judges),
        )
    accepting, plan = result.contested.accepted_by, result.contested.plan
    judge, other = judges[accepting], judges[OTHER[accepting]]
    rows = TABLES.encode(judge.task, plan)
    answer = judge.passing_answer(plan)
    comparison = None if answer is None else _compare_by_answer(name, "witness", judges, dict.fromkeys(judges, answer))
    if (
        comparison is None or comparison.accepted_by != accepting
    ):  # no answer can express the plan, or the other version decodes it differently
        read, wrong = TABLES.decode(other.task, rows)
        verdict = other.plan(read, [finding.as_finding() for finding in wrong], details="violated")
        comparison = TaskComparison(name, False, "witness", accepted_by=accepting, refused=violated_findings(verdict))
    return replace(comparison, rows=plain_json(rows), scope=result.scope, backends=result.backends)


def _contradictory_answers(
    opinions: Sequence[Opinion], judges: Mapping[Version, Judge]
) -> tuple[ContradictoryAnswer, ...]:
    """Return contradictory answers of back ends, with plans as rows."""
    task = judges["first"].task
    return tuple(
        ContradictoryAnswer(
            each.by, each.status, None if each.plan is None else plain_json(TABLES.encode(task, each.plan))
        )
        for each in opinions
    )


def violated_findings(verdict: Verdict) -> tuple[Finding, ...]:
    """Return the findings that make a plan fail."""
    return tuple(f for f in verdict.findings if f.status == "violated" and f.level != "soft")
