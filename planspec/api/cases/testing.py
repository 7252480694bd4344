"""`test`: runs the cases of tasks, and says which constraints and mutants of them no case speaks of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Literal, TypeAlias

from planspec.api.cases.answers import PreparedCase, prepared_cases
from planspec.api.cases.coverage import ConstraintCoverage, constraint_coverage
from planspec.api.cases.expectations import CaseDifference, differences
from planspec.api.cases.mutation import JudgedCase, MutantResult, mutant_results
from planspec.api.cases.testing_text import case_lines, gap_lines, summary
from planspec.api.catalog import Catalog, TaskReference
from planspec.api.judging import Judge
from planspec.api.loading import TaskLike, name_of
from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.documents.cases import turns_with_cases
from planspec.dsl.documents.documents import task_from_path
from planspec.dsl.model.task import Task
from planspec.dsl.workspace.document import Document
from planspec.dsl.workspace.shards import shard_of
from planspec.dsl.workspace.workspace import Workspace
from planspec.errors import NotFoundError
from planspec.paper import Plain
from planspec.parallel import map_workers
from planspec.verifiers.meaning.verdict import SourcePlace, Verdict

VerdictStatus: TypeAlias = Literal["pass", "fail", "undelivered"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """A case, judged.

    Attributes:
        task: the id of the task, with its turn if it has any.
        name: of the case.
        source: where the case stands.
        status: of the verdict on its answer.
        differences: between what the case says and what came out.
    """

    task: str
    name: str
    source: SourcePlace
    status: VerdictStatus
    differences: tuple[CaseDifference, ...]

    @property
    def as_expected(self) -> bool | None:
        """The verdict is the one that the case says; None where the answer takes too long to judge."""
        if any(difference.aspect == "time" for difference in self.differences):
            return None
        return not self.differences

    def __repr__(self) -> str:
        word = {True: "as expected", False: "differs", None: "unknown"}[self.as_expected]
        return f"<CaseResult {self.name} of {self.task}: {word}>"

    def __str__(self) -> str:
        """The text that `planspec test` prints."""
        return "\n".join(case_lines(self, Plain()))


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskTest:
    """The cases of a task, or of all its turns, judged.

    Attributes:
        task: its id.
        cases: in the order of the text, turn by turn.
        coverage: of each constraint; empty unless it was asked for.
        mutants: of each constraint; empty unless they were asked for.
    """

    task: str
    cases: tuple[CaseResult, ...]
    coverage: tuple[ConstraintCoverage, ...] = ()
    mutants: tuple[MutantResult, ...] = ()

    def __repr__(self) -> str:
        return f"<TaskTest of {self.task}: {len(self.cases)} cases>"


@dataclass(frozen=True, slots=True)
class CaseReport:
    """The cases of some tasks, judged.

    Attributes:
        tasks: those that have cases, in order.
        without: the number of tasks that have none.
        unjudged: the number of tasks that could not be judged, as they have errors.
        coverage: of each constraint over all tasks, or None if it was not asked for. Constraints that stand in one place
            are one.
        mutants: likewise; a mutant is noticed if a case of any task notices it.
    """

    tasks: tuple[TaskTest, ...]
    without: int = 0
    coverage: tuple[ConstraintCoverage, ...] | None = None
    mutants: tuple[MutantResult, ...] | None = None
    unjudged: int = 0

    @property
    def cases(self) -> tuple[CaseResult, ...]:
        """All cases in order."""
        return tuple(case for task in self.tasks for case in task.cases)

    @property
    def as_expected(self) -> bool | None:
        """Each verdict is the one that its case says; None where that was not decided of one, and no other differs."""
        found = {case.as_expected for case in self.cases}
        return False if False in found else None if None in found else True

    def __repr__(self) -> str:
        return f"<CaseReport: {summary(self)}>"

    def __str__(self) -> str:
        """The text that `planspec test` prints."""
        cases = (str(case) for case in self.cases)
        return "\n".join((*cases, *gap_lines(self), summary(self)))


@dataclass(frozen=True, slots=True)
class CaseQuestions:
    """What else to ask of the tasks whose cases are judged."""

    coverage: bool = False
    mutate: bool = False


def test(
    paths: TaskLike | Iterable[TaskLike] = ".",
    *,
    coverage: bool = False,
    mutate: bool = False,
    jobs: int = 1,
) -> CaseReport:
    """Judge the answers of cases, and compare each verdict with the one that the case says.

    Args:
        paths: tasks, suites or folders, by path or id, or checked tasks; or one of these.
        coverage: also count which constraints the cases violate and satisfy.
        mutate: also drop and weaken each constraint, and look whether a case notices.
        jobs: processes.

    Raises:
        NotFoundError: a name means nothing.
        DiagnosticError: a task or a case has errors.
        TypeError: something is no task.
    """
    questions = CaseQuestions(coverage, mutate)
    named = [paths] if isinstance(paths, str | PathLike | Task) else list(paths)
    tester = CaseTester(questions)
    made = [None if task.cases is None else tester.task(task) for task in named if isinstance(task, Task)]
    found = references(name for name in named if not isinstance(name, Task))
    return case_report([*made, *map_workers(partial(CaseTester, questions), found, jobs)], questions)


def references(names: Iterable[str | PathLike[str]]) -> list[TaskReference]:
    """The tasks that names of tasks, suites and folders mean, each once; of folders what cannot be read, too.

    Raises:
        NotFoundError: a name means nothing.
        DiagnosticError: a suite has errors.
        TypeError: something is no name.
    """
    catalog = Catalog()
    found = [task for name in names for task in _named(catalog, name_of(name))]
    return list({(task.path.absolute(), task.turn): task for task in found}.values())


def _named(catalog: Catalog, name: str) -> list[TaskReference]:
    path = Path(name)
    inside = catalog.documents([path]) if path.is_dir() else ()
    files = (one for one in inside if shard_of(one) is None)  # what is wrong in a shard is told with its task
    unreadable = [TaskReference(one) for one in files if catalog.workspace.open(one, Report()) is None]
    try:
        return catalog.expand(name) + unreadable
    except NotFoundError:
        if not unreadable:
            raise
        return unreadable


class CaseTester:
    """Judges the cases of task after task, and reads what they share once.

    Args:
        questions: what else to ask.
        workspace: opens the tasks.
    """

    def __init__(self, questions: CaseQuestions, workspace: Workspace | None = None) -> None:
        self._questions = questions
        self.workspace = workspace or Workspace()

    def __call__(self, reference: TaskReference) -> TaskTest | None:
        """The cases of a task, judged; None of one without.

        Raises:
            DiagnosticError: the task, or one of its cases, has errors.
        """
        turns = self.turns(reference)
        if not turns:
            return None
        judged = [self.task(task_from_path(reference.path, self.workspace, turn=turn)) for turn in turns]
        report = merged(judged, self._questions)
        return TaskTest(
            task=judged[0].task.partition("@")[0] if len(judged) > 1 else judged[0].task,
            cases=report.cases, coverage=report.coverage or (), mutants=report.mutants or (),
        )  # fmt: skip

    def opened(self, path: Path) -> Document | None:
        """The document of a task's file, not checked; None if it is none."""
        return self.workspace.open(path, Report())

    def turns(self, reference: TaskReference) -> Sequence[int | None]:
        """The turns of a task's file that have cases, without checking it; None stands for a task without turns."""
        report = Report()
        found = self.workspace.open(reference.path, report)
        report.stop_if_failed()
        assert found is not None
        turns = turns_with_cases(found)
        return turns if reference.turn is None else [turn for turn in turns if turn == reference.turn]

    def task(self, task: Task) -> TaskTest:
        """The cases of a checked task, judged.

        Raises:
            DiagnosticError: one of them has errors.
        """
        judge = Judge(task)
        judged = [_judged(case, judge) for case in self.prepared(judge)]
        verdicts = [verdict for _, verdict, _ in judged]
        as_expected = [known for _, _, known in judged if known is not None]
        return TaskTest(
            task=task.id,
            cases=tuple(result for result, _, _ in judged),
            coverage=tuple(constraint_coverage(task, verdicts)) if self._questions.coverage else (),
            mutants=tuple(mutant_results(judge.ground, as_expected)) if self._questions.mutate else (),
        )

    def prepared(self, judge: Judge) -> tuple[PreparedCase, ...]:
        """The cases of a judge's task.

        Raises:
            DiagnosticError: one of them has errors.
        """
        report = Report()
        made = prepared_cases(judge, report)
        report.stop_if_failed()
        return made


def _judged(prepared: PreparedCase, judge: Judge) -> tuple[CaseResult, Verdict, JudgedCase | None]:
    """A case's result and verdict; and what mutants ask of it, if it is as expected."""
    made = prepared.judge(judge)
    found = tuple(differences(prepared.case, made.verdict))
    result = CaseResult(
        task=judge.task.id, name=prepared.case.name.text, source=SourcePlace.of(prepared.case.name.span),
        status=made.verdict.status, differences=found,
    )  # fmt: skip
    known = None
    if not found and made.plan is not None:
        known = JudgedCase(prepared.case, made.verdict, made.plan)
    return result, made.verdict, known


def case_report(made: Iterable[TaskTest | None], questions: CaseQuestions, unjudged: int = 0) -> CaseReport:
    """The report on tasks; None stands for a task without cases."""
    tested = list(made)
    report = merged([task for task in tested if task is not None], questions, tested.count(None))
    return replace(report, unjudged=unjudged)


def merged(tasks: Sequence[TaskTest], questions: CaseQuestions, without: int = 0) -> CaseReport:
    """The report on tasks with cases: what is known of one constraint, or of one mutant, of several tasks is united."""
    constraints: dict[tuple[str, SourcePlace], ConstraintCoverage] = {}
    for one in (one for task in tasks for one in task.coverage):
        known = constraints.setdefault((one.constraint, one.source), replace(one, violated=0, satisfied=0))
        constraints[one.constraint, one.source] = replace(
            known, violated=known.violated + one.violated, satisfied=known.satisfied + one.satisfied
        )
    mutants: dict[tuple[str, str, SourcePlace], MutantResult] = {}
    for mutant in (mutant for task in tasks for mutant in task.mutants):
        key = (mutant.constraint, mutant.change, mutant.source)
        earlier = mutants.setdefault(key, mutant)
        if earlier.noticed is not True and (mutant.noticed or mutant.noticed is None):
            mutants[key] = mutant
    return CaseReport(
        tuple(tasks), without,
        tuple(constraints.values()) if questions.coverage else None,
        tuple(mutants.values()) if questions.mutate else None,
    )  # fmt: skip
