"""The operation `test`.

`test` judges the cases of tasks, and finds constraints and mutants that no case covers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from planspec.api.cases.answers import PreparedCase, prepare_cases
from planspec.api.cases.coverage import ConstraintCoverage, constraint_coverage
from planspec.api.cases.expectations import differences
from planspec.api.cases.mutation import JudgedCase, MutantKey, MutantResult, mutant_results
from planspec.api.cases.report import CaseReport, CaseResult, TaskTest
from planspec.api.cases.suggestions import OnSearch, suggest_cases
from planspec.api.catalog import Catalog, TaskReference
from planspec.api.judging import Judge
from planspec.api.loading import TaskLike, given_texts, name_of
from planspec.api.search import SUGGESTIONS_S
from planspec.api.solving import limits_of
from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.documents.cases import turns_with_cases
from planspec.dsl.documents.documents import task_from_path
from planspec.dsl.documents.turns import turn_count
from planspec.dsl.model.task import Task
from planspec.dsl.structure.document import Document
from planspec.dsl.workspace.shards import split_task_path
from planspec.dsl.workspace.workspace import Workspace
from planspec.errors import NotFoundError
from planspec.parallel import PerWorker, map_parallel
from planspec.verifiers.meaning.verdict import SourcePlace, Verdict

if TYPE_CHECKING:
    from planspec.solvers.backends.outcome import Limits


@dataclass(frozen=True, slots=True)
class CaseOptions:
    """Further checks of the tasks whose cases are judged.

    Attributes:
        coverage: whether to count which constraints the cases violate and satisfy.
        mutate: whether to make mutants, which drop or weaken one constraint, and to test whether a case detects each.
        given: values in YAML, by name, that replace the givens of the tasks and their turns.
    """

    coverage: bool = False
    mutate: bool = False
    given: Mapping[str, str] = field(default_factory=dict)


def test(
    paths: TaskLike | Iterable[TaskLike] = ".",
    *,
    coverage: bool = False,
    mutate: bool = False,
    suggest: bool = False,
    limits: Limits | float | None = None,
    total_s: float | None = SUGGESTIONS_S,
    jobs: int = 1,
    given: Mapping[str, object] | None = None,
) -> CaseReport:
    """Judge the cases (test answers) of tasks, and compare each verdict with the expected one.

    Args:
        paths: tasks, suites or folders, by path or id, or checked tasks; or a single one.
        coverage: whether to count which constraints the cases violate and satisfy.
        mutate: whether to make mutants, which drop or weaken one constraint, and to test whether a case detects each.
        suggest: whether to search for new cases that detect undetected mutants. Implies `mutate`.
        limits: limits on the search for each suggested case; a number is seconds, by default 20.
        total_s: time limit of all these searches together, in seconds; None for no limit.
        jobs: number of processes that judge cases.
        given: values by name, which replace the givens of the tasks and their turns, in the form that `load` takes.

    Raises:
        NotFoundError: a name refers to nothing, or a task has no such given.
        DiagnosticError: a task or a case has errors.
        InternalError: the verifier and the solver disagree on a suggested answer.
        TypeError: an argument is neither a task, a path nor an id.
        ValueError: `given` is used with a checked task, or with `suggest`, which needs the tasks as written.
    """
    options = CaseOptions(coverage, mutate or suggest, given_texts(given))
    named = [paths] if isinstance(paths, str | PathLike | Task) else list(paths)
    tester = CaseTester(options)
    loaded = [task for task in named if isinstance(task, Task)]
    if options.given and (loaded or suggest):
        raise ValueError("suggested cases are of the task as written" if suggest else "a checked task keeps its values")
    results = [None if task.cases is None else tester.task(task) for task in loaded]
    tasks = references(name for name in named if not isinstance(name, Task))
    results += map_parallel(PerWorker(partial(CaseTester, options)), tasks, jobs)
    report = case_report(results, options)
    if not suggest:
        return report
    sources: list[TaskReference | Task] = [*loaded, *tasks]
    tested = list(zip(sources, results, strict=True))
    return add_suggestions(report, tested, limits=None if limits is None else limits_of(limits), total_s=total_s)


def references(names: Iterable[str | PathLike[str]]) -> list[TaskReference]:
    """Return the tasks to which names refer, without duplicates. Unreadable files in folders are included.

    Raises:
        NotFoundError: a name refers to nothing.
        DiagnosticError: a suite has errors.
        TypeError: a name is neither a path nor an id.
    """
    catalog = Catalog()
    tasks = [task for name in names for task in _references_by_name(catalog, name_of(name))]
    return list({(task.path.absolute(), task.turn): task for task in tasks}.values())


def _references_by_name(catalog: Catalog, name: str) -> list[TaskReference]:
    path = Path(name)
    inside = catalog.documents([path]) if path.is_dir() else ()
    files = (file for file in inside if split_task_path(file) is None)  # errors in a shard are reported with its tasks
    unreadable = [TaskReference(file) for file in files if catalog.workspace.open(file, Report()) is None]
    try:
        return catalog.expand(name) + unreadable
    except NotFoundError:
        if not unreadable:
            raise
        return unreadable


class CaseTester:
    """Judge of the cases of one task after another. Files that tasks share are read once.

    Args:
        options: further checks.
        workspace: opens the tasks.
    """

    def __init__(self, options: CaseOptions, workspace: Workspace | None = None) -> None:
        self._options = options
        self.workspace = workspace or Workspace()

    def __call__(self, reference: TaskReference) -> TaskTest | None:
        """Judge the cases of a task. Return None if it has none.

        Raises:
            DiagnosticError: the task or one of its cases has errors.
            NotFoundError: the task has no given with the name of one of the values.
        """
        turns = self.turns(reference)
        given = self._options.given
        if not turns:
            if given:
                task_from_path(reference.path, self.workspace, given=given)
            return None
        judged = [self.task(task_from_path(reference.path, self.workspace, turn=turn, given=given)) for turn in turns]
        report = merge_results(judged, self._options)
        return TaskTest(
            task=judged[0].task.partition("@")[0] if len(judged) > 1 else judged[0].task,
            cases=report.cases,
            coverage=report.coverage or (),
            mutants=report.mutants or (),
        )

    def open_document(self, path: Path) -> Document | None:
        """Parse the file of a task without checking it. Return None if it is unreadable."""
        return self.workspace.open(path, Report())

    def turns(self, reference: TaskReference) -> Sequence[int | None]:
        """Return the turns of a task that have cases, without checking the task.

        The result is `[None]` for a task without turns.
        """
        report = Report()
        document = self.workspace.open(reference.path, report)
        report.stop_if_failed()
        assert document is not None
        turns = turns_with_cases(document)
        return turns if reference.turn is None else [turn for turn in turns if turn == reference.turn]

    def judges(self, task: TaskReference | Task, *, with_cases: bool) -> Iterator[Judge]:
        """Yield a judge for each turn of a task. If `with_cases` is true, turns without cases are left out.

        Raises:
            DiagnosticError: the task has errors.
        """
        if isinstance(task, Task):
            yield Judge(task)
            return
        turns = self.turns(task)
        if not with_cases:
            document = self.open_document(task.path)
            count = 0 if document is None or task.turn is not None else turn_count(document)
            turns = range(1, count + 1) if count else (task.turn,)
        for turn in turns:
            yield Judge(task_from_path(task.path, self.workspace, turn=turn))

    def task(self, task: Task) -> TaskTest:
        """Judge the cases of a checked task.

        Raises:
            DiagnosticError: a case has errors.
        """
        judge = Judge(task)
        judged = [_judge_case(case, judge) for case in self.prepare(judge)]
        verdicts = [verdict for _, verdict, _ in judged]
        as_expected = [case for _, _, case in judged if case is not None]
        return TaskTest(
            task=task.id,
            cases=tuple(result for result, _, _ in judged),
            coverage=tuple(constraint_coverage(task, verdicts)) if self._options.coverage else (),
            mutants=tuple(mutant_results(judge.ground, as_expected)) if self._options.mutate else (),
        )

    def prepare(self, judge: Judge) -> tuple[PreparedCase, ...]:
        """Prepare the cases of a judge's task for judging.

        Raises:
            DiagnosticError: a case has errors.
        """
        report = Report()
        cases = prepare_cases(judge, report)
        report.stop_if_failed()
        return cases


def _judge_case(prepared: PreparedCase, judge: Judge) -> tuple[CaseResult, Verdict, JudgedCase | None]:
    """Judge a case. Return its result, its verdict, and the judged case for mutation testing.

    The last is None if the verdict is not as expected.
    """
    judged = prepared.judge(judge)
    differing = tuple(differences(prepared.case, judged.verdict))
    result = CaseResult(
        task=judge.task.id,
        name=prepared.case.name.text,
        source=SourcePlace.of(prepared.case.name.span),
        status=judged.verdict.status,
        differences=differing,
    )
    as_expected = None
    if not differing and judged.plan is not None:
        as_expected = JudgedCase(prepared.case, judged.verdict, judged.plan)
    return result, judged.verdict, as_expected


def case_report(results: Iterable[TaskTest | None], options: CaseOptions, unjudged: int = 0) -> CaseReport:
    """Return the report on tested tasks. A result of None stands for a task without cases."""
    tested = list(results)
    report = merge_results([task for task in tested if task is not None], options, tested.count(None))
    return replace(report, unjudged=unjudged)


def merge_results(tasks: Sequence[TaskTest], options: CaseOptions, without: int = 0) -> CaseReport:
    """Merge the results of tasks into a report.

    Constraints and mutants that are equal in several tasks count once.
    """
    constraints: dict[tuple[str, SourcePlace], ConstraintCoverage] = {}
    for each in (each for task in tasks for each in task.coverage):
        total = constraints.setdefault((each.constraint, each.source), replace(each, violated=0, satisfied=0))
        constraints[each.constraint, each.source] = replace(
            total, violated=total.violated + each.violated, satisfied=total.satisfied + each.satisfied
        )
    mutants: dict[MutantKey, MutantResult] = {}
    for mutant in (mutant for task in tasks for mutant in task.mutants):
        earlier = mutants.setdefault(mutant.key, mutant)
        if earlier.noticed is not True and (mutant.noticed or mutant.noticed is None):
            mutants[mutant.key] = mutant
    return CaseReport(
        tuple(tasks),
        without,
        tuple(constraints.values()) if options.coverage else None,
        tuple(mutants.values()) if options.mutate else None,
    )


def add_suggestions(
    report: CaseReport,
    tested: Sequence[tuple[TaskReference | Task, TaskTest | None]],
    *,
    limits: Limits | None = None,
    total_s: float | None = SUGGESTIONS_S,
    on_search: OnSearch = lambda _: None,
) -> CaseReport:
    """Return a report with suggested cases for the mutants that no case detects.

    If no task has cases, cases are suggested for all mutants.

    Args:
        report: report on the tasks, with their mutants.
        tested: tasks with their results; None for a task without cases.
        limits: limits on the search for each case.
        total_s: time limit of all searches together, in seconds; None for no limit.
        on_search: called before each search.

    Raises:
        InternalError: the verifier and the solver disagree on a suggested answer.
    """
    tester = CaseTester(CaseOptions(mutate=True))
    with_cases = any(result is not None for _, result in tested)
    if not with_cases:
        results = [
            TaskTest(task=judge.task.id, cases=(), mutants=tuple(mutant_results(judge.ground, ())))
            for task, _ in tested
            for judge in tester.judges(task, with_cases=False)
        ]
        report = replace(report, mutants=merge_results(results, CaseOptions(mutate=True)).mutants)
    missed = [mutant for mutant in report.mutants or () if mutant.noticed is False]
    keys = {mutant.key for mutant in missed}
    judges = (
        judge
        for task, result in tested
        if not with_cases or (result is not None and any(mutant.key in keys for mutant in result.mutants))
        for judge in tester.judges(task, with_cases=with_cases)
    )
    suggestions = suggest_cases(judges, missed, limits=limits, total_s=total_s, on_search=on_search)
    return replace(report, suggestions=suggestions)
