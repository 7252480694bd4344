"""The verbs that ask a solver more than a plan: why, repair, count, backbone, difficulty, lint, certify."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planspec.api.catalog import Catalog
from planspec.api.judging import AnswerLike, Judge, own_plan
from planspec.api.loading import TaskLike, load, name_of, task_of
from planspec.api.solving import limits_of
from planspec.dsl.diagnostics.diagnostic import Diagnostic
from planspec.errors import UnsuitableAnswersError
from planspec.solvers.backends.register import PROVERS
from planspec.verifiers.answers.envelope import Undelivered
from planspec.verifiers.meaning.ground import ground
from planspec.verifiers.meaning.plan_rows import Plan

if TYPE_CHECKING:
    from planspec.api.certificates import Certificate
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.questions.beyond_scope import Beyond
    from planspec.solvers.questions.conflicts import Conflict
    from planspec.solvers.questions.difficulty import Difficulty
    from planspec.solvers.questions.enumerate import Backbone, Count
    from planspec.solvers.questions.repair import Repair
    from planspec.solvers.questions.tighten import Tightening
    from planspec.solvers.tour import Tour


def why(
    task: TaskLike,
    *,
    all: bool = False,
    backend: str = "cpsat",
    limits: Limits | float | None = None,
    bounds: bool = True,
) -> Conflict:
    """Why a task has no plan: minimal conflicts among its rules and bounds, and the cheapest ways out.

    Args:
        task: the task, or its path or id.
        all: every minimal conflict, and not only one.
        backend: `cpsat`, `smt` or `brute`.
        limits: time for the whole question, workers, seed.
        bounds: the scope's bounds may be part of a conflict.

    Raises:
        DiagnosticError: the task has no encoding.
        InternalError: a conflict that was found is none, or not minimal.
    """
    from planspec.solvers.questions import conflicts as search

    return search.why(
        ground(task_of(task)), every=all, backend=backend, limits=limits_of(limits), bounds=bounds
    )


def repair(
    task: TaskLike,
    answer: AnswerLike,
    *,
    backend: str = "cpsat",
    limits: Limits | float | None = None,
) -> Repair:
    """The plan nearest to an answer that satisfies every hard constraint.

    Args:
        task: the task, or its path or id.
        answer: as `verify` takes it.
        backend: `cpsat`, `smt` or `brute`.
        limits: time for the whole search, workers, seed.

    Raises:
        UnsuitableAnswersError: the answer is no JSON object.
        DiagnosticError: the task has no encoding.
        InternalError: a plan does not pass the verifier.
    """
    from planspec.solvers.questions import repair as search

    judge = Judge(task)
    plan = (
        own_plan(judge.task, answer)
        if isinstance(answer, Plan)
        else judge.format.decode(judge.task, _data(judge, answer))[0]
    )
    return search.repair(judge.ground, plan, backend=backend, limits=limits_of(limits))


def count(
    task: TaskLike, *, most: int = 1000, backend: str = "cpsat", limits: Limits | float | None = None
) -> Count:
    """Count the plans of a task, told apart as uniqueness tells them; exact up to `most`.

    Raises:
        DiagnosticError: the task has no encoding.
        InternalError: a plan does not pass the verifier.
    """
    from planspec.solvers.lowering.problem import lower
    from planspec.solvers.questions import enumerate as search

    return search.count(lower(ground(task_of(task))), most=most, backend=backend, limits=limits_of(limits))


def backbone(
    task: TaskLike, *, backend: str = "cpsat", limits: Limits | float | None = None
) -> Backbone | None:
    """The open fields that are equal in every plan of a task; None without a plan.

    Raises:
        DiagnosticError: the task has no encoding.
        InternalError: a plan does not pass the verifier.
    """
    from planspec.solvers.lowering.problem import lower
    from planspec.solvers.questions import enumerate as search

    return search.backbone(lower(ground(task_of(task))), backend=backend, limits=limits_of(limits))


def difficulty(task: TaskLike, *, most: int = 100, limits: Limits | float | None = None) -> Difficulty:
    """Measure how hard a task is; its slack is the reference's, if there is one that passes.

    Raises:
        DiagnosticError: the task has no encoding.
        InternalError: a plan does not pass the verifier.
    """
    from planspec.solvers.questions import difficulty as measures

    judge = Judge(task)
    return measures.difficulty(
        judge.ground, reference=judge.reference_plan(), most=most, limits=limits_of(limits)
    )


def lint(task: TaskLike, *, limits: Limits | float | None = None) -> tuple[Diagnostic, ...]:
    """Warnings that only a solver can give: rules that do nothing or cannot hold, rows nobody can use.

    Within the limit; `planspec.solvers.questions.lint.sense` says whether that was enough.

    Raises:
        DiagnosticError: the task has no encoding.
    """
    from planspec.solvers.questions.lint import sense

    return sense(ground(task_of(task)), limits=limits_of(limits)).diagnostics


def beyond(
    task: TaskLike,
    *,
    best: bool = False,
    backends: Sequence[str] = PROVERS,
    limits: Limits | float | None = None,
) -> Beyond | None:
    """Check whether a claim within the scope, unique or infeasible, holds without the scope's bounds.

    Args:
        task: a checked task, its path or id.
        best: ask of the claim about plans that keep every soft constraint, too, which `unique_best` makes.
        backends: who proves; the first of them searches for the bounds.
        limits: time for each proof, workers, seed; or seconds.

    Returns:
        What each back end proved, and which bounds the claim leans on; None where there is no such claim.

    Raises:
        DiagnosticError: the task has no encoding.
        InternalError: a plan does not pass the verifier.
    """
    from planspec.solvers.questions import beyond_scope as search
    from planspec.solvers.questions import validation
    from planspec.solvers.questions.claims import among_best

    whole, chosen = ground(task_of(task)), limits_of(limits)
    made = among_best(whole) if best else whole
    if made is None:
        return None
    found = validation.validate(made, backends=backends, limits=chosen)
    return search.beyond(made, found, backends=backends, limits=chosen)


def certify(
    task: TaskLike, *, beyond_scope: bool = False, limits: Limits | float | None = None
) -> Certificate:
    """Prove a task with CP-SAT and Z3, as a certificate that can be written and checked.

    Args:
        task: a checked task.
        beyond_scope: prove, too, what holds without the scope's bounds.
        limits: time for each proof, workers, seed.

    Raises:
        DiagnosticError: the task has no encoding.
        InternalError: a plan does not pass the verifier.
    """
    from planspec.api import certificates
    from planspec.solvers.questions import claims

    judge, chosen = Judge(task), limits_of(limits)
    found = claims.validate_claims(judge.ground, limits=chosen)
    there, best = claims.beyond_claims(judge.ground, found, limits=chosen) if beyond_scope else (None, None)
    return certificates.certify(judge, found, chosen, there, best)


def tighten(
    path: str | PathLike[str],
    keep: AnswerLike,
    output: str | PathLike[str],
    *,
    remove: tuple[str, ...] = (),
    spare: tuple[str, ...] = (),
    limits: Limits | float | None = None,
) -> Tightening:
    """Leave out rows of facts until one plan is the only one, and write the task that does.

    Args:
        path: the task's file, or its id.
        keep: the answer to keep, as `verify` takes it.
        output: the new task's file; written only where the plan is the only one.
        remove: tables to take rows from, instead of those marked `removable:`.
        spare: rows that stay, such as `Slot[tv_tower]`.
        limits: time for the search, workers, seed.

    Raises:
        KeptPlanError: the plan to keep is no plan of the task.
        NothingToRemoveError: no row may go.
        UnremovableRowsError: the task's text has no place for rows that are left out.
        ValueError: the plan to keep cannot be read.
        DiagnosticError: the task has errors.
    """
    from planspec.api.tightening import TaskFile

    judge = Judge(load(path))
    data = judge.encode(own_plan(judge.task, keep)) if isinstance(keep, Plan) else _data(judge, keep)
    file = TaskFile(Catalog().task(name_of(path)), data)
    found = file.tighten(file.removable(remove, spare), limits=limits_of(limits))
    return file.settle(found, Path(output))


def tour(
    matrix: Sequence[Sequence[int]],
    *,
    closed: bool = True,
    start: int | None = None,
    end: int | None = None,
    windows: Sequence[tuple[int, int] | None] | None = None,
    service: Sequence[int] | None = None,
    limit_seconds: float = 60.0,
) -> Tour:
    """A shortest closed tour or open path, proved shortest where its status says optimal.

    Args:
        matrix: the length of every way, `matrix[a][b]` from a to b, in whole units.
        closed: come back to the first node.
        start: the first node, from 0.
        end: the last node of an open path.
        windows: the earliest and latest time at each node, in units of length; None for any time.
        service: how long to stay at each node.
        limit_seconds: wall-clock time; past it the tour has a bound and a gap.

    Raises:
        TourInputError: the input is no problem of this kind; a ValueError.
    """
    from planspec.solvers.tour import shortest

    return shortest(
        matrix,
        closed=closed,
        start=start,
        end=end,
        windows=windows,
        service=service,
        limit_seconds=limit_seconds,
    )


def _data(judge: Judge, answer: bytes | str | Mapping[str, Any] | list[Any] | PathLike[str]) -> Any:
    """An answer's JSON without its envelope.

    Raises:
        UnsuitableAnswersError: there is none.
    """
    read = judge.reading(answer)
    if isinstance(read, Undelivered):
        raise UnsuitableAnswersError(f"the answer cannot be read: {read.reason}")
    return read.plan
