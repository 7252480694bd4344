"""Operations of solvers beyond finding a plan, such as `why`, `repair`, `count` and `certify`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planspec.api.catalog import Catalog
from planspec.api.judging import AnswerLike, Judge, own_plan
from planspec.api.loading import TaskLike, given_texts, load, name_of, task_of
from planspec.api.solving import limits_of
from planspec.dsl.diagnostics.diagnostic import Diagnostic
from planspec.errors import UnsuitableAnswersError
from planspec.solvers.backends.register import PROVERS
from planspec.verifiers.answers.envelope import Undelivered
from planspec.verifiers.meaning.ground import Ground, ground
from planspec.verifiers.meaning.plan_rows import Plan

if TYPE_CHECKING:
    from planspec.api.certificates import Certificate
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.lowering.problem import Lowered
    from planspec.solvers.proofs.conflict_proofs import ConflictProof
    from planspec.solvers.questions.beyond_scope import Beyond
    from planspec.solvers.questions.conflicts import Conflict, Member
    from planspec.solvers.questions.difficulty import Difficulty
    from planspec.solvers.questions.enumerate import Backbone, Count
    from planspec.solvers.questions.lint import LintReport
    from planspec.solvers.questions.repair import Repair
    from planspec.solvers.questions.tighten import Tightening
    from planspec.solvers.questions.validation import Validation
    from planspec.solvers.tour import Tour


def why(
    task: TaskLike,
    *,
    all: bool = False,
    backend: str = "cpsat",
    limits: Limits | float | None = None,
    bounds: bool = True,
    second: bool = False,
    on_progress: Callable[[Conflict], None] | None = None,
) -> Conflict:
    """Explain why a task has no plan: minimal conflicts of constraints and bounds, and cheapest ways out.

    Args:
        task: the task, or its path or id.
        all: whether to find every minimal conflict instead of one.
        backend: name of a solver back end, a key of `planspec.solvers.backends.register.BACKENDS`.
        limits: limits on the whole question; a number is seconds of wall-clock time.
        bounds: whether the scope's bounds may be part of a conflict.
        second: whether a second back end may use the remaining time to confirm the result.
        on_progress: called with the conflicts found so far.

    Raises:
        DiagnosticError: the task cannot be encoded for solvers.
        InternalError: a conflict fails its check, or is not minimal.
    """
    from planspec.solvers.questions import conflicts as search

    return search.why(
        ground(task_of(task)),
        every=all,
        backend=backend,
        limits=limits_of(limits),
        bounds=bounds,
        on_progress=on_progress or (lambda _: None),
        second=second,
    )


def prove_conflicts(
    task: TaskLike,
    conflicts: Sequence[Sequence[Member]],
    *,
    bounds: bool = True,
    limits: Limits | float | None = None,
) -> Iterator[ConflictProof]:
    """Yield a checked proof of each conflict of a task.

    Args:
        task: the task, or its path or id.
        conflicts: conflicts that `why` found.
        bounds: whether the scope's bounds may be part of a conflict.
        limits: limits on each proof; a number is seconds of wall-clock time.

    Raises:
        LimitReachedError: a proof was not found in time.
    """
    from planspec.solvers.proofs import conflict_proofs as search

    yield from search.prove_conflicts(ground(task_of(task)), conflicts, bounds=bounds, limits=limits_of(limits))


def repair(
    task: TaskLike,
    answer: AnswerLike,
    *,
    backend: str = "cpsat",
    limits: Limits | float | None = None,
    second: bool = False,
    on_progress: Callable[[Repair], None] | None = None,
) -> Repair:
    """Find the plan that satisfies every hard constraint and is nearest to an answer.

    Args:
        task: the task, or its path or id.
        answer: answer in any form that `verify` takes.
        backend: name of a solver back end, a key of `planspec.solvers.backends.register.BACKENDS`.
        limits: limits on the whole search; a number is seconds of wall-clock time.
        second: whether a second back end may use the remaining time to confirm the result.
        on_progress: called with each better repair.

    Raises:
        UnsuitableAnswersError: the answer is not a JSON object.
        DiagnosticError: the task cannot be encoded for solvers.
        InternalError: a plan does not pass the verifier.
    """
    judge = Judge(task)
    plan = (
        own_plan(judge.task, answer)
        if isinstance(answer, Plan)
        else judge.format.decode(judge.task, _answer_data(judge, answer))[0]
    )
    return repair_plan(judge, plan, backend=backend, limits=limits, second=second, on_progress=on_progress)


def repair_plan(
    judge: Judge,
    plan: Plan,
    *,
    backend: str = "cpsat",
    limits: Limits | float | None = None,
    second: bool = False,
    on_progress: Callable[[Repair], None] | None = None,
) -> Repair:
    """Find the plan that satisfies every hard constraint and is nearest to a given plan; see `repair`."""
    from planspec.solvers.questions import repair as search

    return search.repair(
        judge.ground,
        plan,
        backend=backend,
        limits=limits_of(limits),
        on_progress=on_progress or (lambda _: None),
        second=second,
    )


def count(task: TaskLike, *, most: int = 1000, backend: str = "cpsat", limits: Limits | float | None = None) -> Count:
    """Count the plans of a task, up to `most`. Plans are compared in the fields relevant for uniqueness.

    Raises:
        DiagnosticError: the task cannot be encoded for solvers.
        InternalError: a plan does not pass the verifier.
    """
    from planspec.solvers.lowering.problem import lower
    from planspec.solvers.questions import enumerate as search

    return search.count(lower(ground(task_of(task))), most=most, backend=backend, limits=limits_of(limits))


def backbone(task: TaskLike, *, backend: str = "cpsat", limits: Limits | float | None = None) -> Backbone | None:
    """Return the open fields (which plans fill) with the same value in every plan; None if there is no plan.

    Raises:
        DiagnosticError: the task cannot be encoded for solvers.
        InternalError: a plan does not pass the verifier.
    """
    from planspec.solvers.lowering.problem import lower
    from planspec.solvers.questions import enumerate as search

    return search.backbone(lower(ground(task_of(task))), backend=backend, limits=limits_of(limits))


def difficulty(
    task: TaskLike, *, most: int = 100, limits: Limits | float | None = None, second: bool = False
) -> Difficulty:
    """Measure how hard a task is. If the reference passes, its slack (smallest margins) is measured as well.

    Args:
        task: the task, or its path or id.
        most: maximum number of plans to count.
        limits: limits on all questions together; a number is seconds of wall-clock time.
        second: whether a second back end may use the remaining time to confirm the results.

    Raises:
        DiagnosticError: the task cannot be encoded for solvers.
        InternalError: a plan does not pass the verifier.
    """
    from planspec.solvers.questions import difficulty as measures

    judge = Judge(task)
    return measures.difficulty(
        judge.ground, reference=judge.reference_plan(), most=most, limits=limits_of(limits), second=second
    )


def lint(task: TaskLike, *, limits: Limits | float | None = None) -> tuple[Diagnostic, ...]:
    """Return warnings that only a solver can find, such as vacuous constraints and rows that no plan can use.

    The search is limited; `lint_report` also reports whether it finished.

    Raises:
        DiagnosticError: the task cannot be encoded for solvers.
    """
    return lint_report(ground(task_of(task)), limits_of(limits)).diagnostics


def lint_report(
    grounded: Ground,
    limits: Limits,
    validation: Validation | None = None,
    *,
    every_untold: bool = True,
    lowering: Callable[[Ground], Lowered] | None = None,
) -> LintReport:
    """Return the warnings that a solver finds in a task, and whether the search finished; see `lint`.

    Args:
        grounded: the task.
        limits: limits on the search.
        validation: claims about the task, if they are already proved.
        every_untold: whether to report every fact that is missing from the query, or only the first. It matters if
            agents see only the query.
        lowering: function that translates the task for the solvers. Pass one to share the translation with other
            questions; by default the task is translated anew.
    """
    from planspec.solvers.questions.lint import lint_task

    return lint_task(grounded, limits=limits, validation=validation, every_untold=every_untold, lowering=lowering)


def beyond(
    task: TaskLike,
    *,
    best: bool = False,
    backends: Sequence[str] = PROVERS,
    limits: Limits | float | None = None,
) -> Beyond | None:
    """Check whether a claim within the scope, unique or infeasible, holds without the scope's bounds.

    Args:
        task: a checked task, or its path or id.
        best: whether to check the claim of `unique_best`. It is about the best of the plans that also satisfy
            every soft constraint.
        backends: back ends that prove the claim. The first also searches for the bounds.
        limits: limits on each proof; a number is seconds of wall-clock time.

    Returns:
        The result of each back end, and the bounds on which the claim depends; None if there is no such claim.

    Raises:
        DiagnosticError: the task cannot be encoded for solvers.
        InternalError: a plan does not pass the verifier.
    """
    from planspec.solvers.questions import beyond_scope as search
    from planspec.solvers.questions.claims import validate_claims, variant_for_best
    from planspec.solvers.questions.validation import validate

    whole, chosen = ground(task_of(task)), limits_of(limits)
    if not best:
        return search.beyond(whole, validate(whole, backends=backends, limits=chosen), backends=backends, limits=chosen)
    validated = validate_claims(whole, backends=backends, limits=chosen).best
    claimed = None if validated is None else variant_for_best(whole, validated.witness)
    if claimed is None or validated is None:
        return None
    return search.beyond(claimed, validated, backends=backends, limits=chosen)


def beyond_claims(
    judge: Judge,
    validation: Validation,
    *,
    backends: Sequence[str] = PROVERS,
    limits: Limits | float | None = None,
) -> tuple[Beyond | None, Beyond | None]:
    """Check which claims of a task hold without the scope's bounds.

    Return two results: for the claim about all plans, and for the claim about plans that also satisfy every soft
    constraint. Each is None if there is no such claim.

    Args:
        judge: judge of the task.
        validation: claims within the scope.
        backends: back ends that prove.
        limits: limits on each proof; a number is seconds of wall-clock time.
    """
    from planspec.solvers.questions import claims

    return claims.beyond_claims(judge.ground, validation, backends=backends, limits=limits_of(limits))


def certify(task: TaskLike, *, beyond_scope: bool = False, limits: Limits | float | None = None) -> Certificate:
    """Prove the claims of a task with CP-SAT and Z3, and return a certificate that can be written and checked.

    Args:
        task: a checked task, or its path or id.
        beyond_scope: whether to also prove claims without the scope's bounds.
        limits: limits on each proof; a number is seconds of wall-clock time.

    Raises:
        DiagnosticError: the task cannot be encoded for solvers.
        InternalError: a plan does not pass the verifier.
    """
    from planspec.api import certificates
    from planspec.solvers.questions import claims

    judge, chosen = Judge(task), limits_of(limits)
    validation = claims.validate_claims(judge.ground, limits=chosen)
    outside, best = beyond_claims(judge, validation, limits=chosen) if beyond_scope else (None, None)
    return certificates.certify(judge, validation, chosen, outside, best)


def tighten(
    path: str | PathLike[str],
    keep: AnswerLike,
    output: str | PathLike[str],
    *,
    remove: tuple[str, ...] = (),
    spare: tuple[str, ...] = (),
    limits: Limits | float | None = None,
    given: Mapping[str, object] | None = None,
) -> Tightening:
    """Remove rows of facts until a given plan is the only one, and write the resulting task.

    Args:
        path: file or id of the task.
        keep: answer whose plan is to be the only one, in any form that `verify` takes.
        output: file of the new task, written only if the plan is the only one.
        remove: tables from which to remove rows, in place of those marked `removable:`.
        spare: rows to keep, such as `Slot[tv_tower]`.
        limits: limits on the search; a number is seconds of wall-clock time.
        given: values by name, which replace the task's givens, in the form that `load` takes; the new task has them.

    Raises:
        NotFoundError: there is no such task, or it has no such given.
        UnsuitableTaskError: `given` is used, and the task has turns.
        KeptPlanError: the plan to keep is not a plan of the task.
        NothingToRemoveError: no row may be removed.
        UnremovableRowsError: removed rows cannot be written in the task's text.
        ValueError: the answer to keep cannot be read.
        DiagnosticError: the task has errors.
    """
    from planspec.api.tightening import TightenableTask

    judge = Judge(load(path, given=given))
    data = judge.encode(own_plan(judge.task, keep)) if isinstance(keep, Plan) else _answer_data(judge, keep)
    file = TightenableTask(Catalog().task(name_of(path)), data, given=given_texts(given))
    tightening = file.tighten(file.removable(remove, spare), limits=limits_of(limits))
    return file.settle(tightening, Path(output))


def tour(
    matrix: Sequence[Sequence[int]],
    *,
    closed: bool = True,
    start: int | None = None,
    end: int | None = None,
    windows: Sequence[tuple[int, int] | None] | None = None,
    service: Sequence[int] | None = None,
    limit_seconds: float | None = 60.0,
    effort: float | None = None,
) -> Tour:
    """Find a shortest closed tour or open path. It is proved shortest if its status is optimal.

    Args:
        matrix: travel lengths in whole units; `matrix[a][b]` is the length from a to b.
        closed: whether to return to the first node.
        start: first node, counted from 0; None for any.
        end: last node of an open path; None for any.
        windows: earliest and latest time at each node, in units of length; None for any time.
        service: time spent at each node, in units of length.
        limit_seconds: limit on wall-clock time; None for no limit. A tour found by then has a bound and a gap.
        effort: limit on deterministic work, in units of about a second; None for no limit.

    Raises:
        TourInputError: the input is not a tour problem. The error is also a ValueError.
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
        effort=effort,
    )


def _answer_data(judge: Judge, answer: bytes | str | Mapping[str, Any] | list[Any] | PathLike[str]) -> Any:
    """Parse an answer, and return its JSON without envelope.

    Raises:
        UnsuitableAnswersError: the answer cannot be parsed.
    """
    read = judge.reading(answer)
    if isinstance(read, Undelivered):
        raise UnsuitableAnswersError(f"the answer cannot be read: {read.reason}")
    return read.plan
