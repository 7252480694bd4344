"""Reasons for a claim: the constraints and the scope's bounds that its proof uses.

The claim is that a task has only one plan, or none. A bound limits the values of a column, or the rows, of plans.

A constraint is a reason if the proof uses one of its clauses. A bound may have an effect without clauses, because it
narrows an encoding or decides a comparison before clauses are built. Bounds are therefore tested by removal: the claim
is proved again with fewer bounds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.errors import LimitReachedError
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.backends.sat.encoder import DOMAIN
from planspec.solvers.proofs.obligation import NoOtherPlan, Obligation, obligation
from planspec.solvers.proofs.refutation import Refutation, refute
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.relaxed_scope import widen_beyond
from planspec.verifiers.meaning.ground import Ground


def reasons_of(ground: Ground, claimed: Obligation, refutation: Refutation, limits: Limits) -> tuple[str, ...]:
    """Return the ids of a claim's reasons: constraint instances in the order of the task, then bounds of the scope.

    The reasons suffice to prove the claim, but they need not be a minimal set. An id of a bound is, for example,
    `scope:visits.end`. The keys and the number of a plan's rows and the types of fields are always assumed. A field
    without its bound may have the values that `widen_beyond` allows.

    Args:
        ground: the task.
        claimed: proof obligation of a `NoOtherPlan` claim.
        refutation: refutation of the obligation's formula.
        limits: limits on the search for a smaller set. If they are reached, the result may have unnecessary bounds.
    """
    claim = claimed.claim
    assert isinstance(claim, NoOtherPlan), "only claims of uniqueness depend on bounds"
    used = refutation.origins(claimed.formula)
    if claim.bounds is not None:
        return (*_instances(claimed, used), *claim.bounds)
    wider = widen_beyond(ground)
    bounds = (*(bound.id for bound in wider.bounds), *(rows.id for rows in wider.rows))
    needed = {bound for origin in used if (bound := _bound(origin)) in bounds}
    clock = TimeBudget(limits)
    best = _prove_with(ground, claim, needed, clock)
    if best is None:
        best = _instances(claimed, used)
        needed = set(bounds)
        for bound in bounds:
            less = None if bound in _bounds_with_clauses(used) else _prove_with(ground, claim, needed - {bound}, clock)
            if less is not None:
                best = less
                needed.remove(bound)
    return (*best, *(bound for bound in bounds if bound in needed), *wider.unremovable)


def _prove_with(
    ground: Ground, claim: NoOtherPlan, bounds: Collection[str], clock: TimeBudget
) -> tuple[str, ...] | None:
    """Prove the claim with only the given bounds of the scope; return the ids of constraint instances in the proof.

    Return None if the claim was not proved.
    """
    try:
        with clock:
            claimed = obligation(ground, replace(claim, bounds=tuple(bounds)))
        result = None if claimed is None else refute(claimed.formula, clock.rest)
    except (LimitReachedError, DiagnosticError):  # the task with fewer bounds may have no encoding
        return None
    if claimed is None or not isinstance(result, Refutation):
        return None
    return _instances(claimed, result.origins(claimed.formula))


def _instances(claimed: Obligation, origins: Iterable[str]) -> tuple[str, ...]:
    ids = {instance.id for instance in claimed.lowered.ground.instances}
    return tuple(origin for origin in origins if origin in ids)


def _bounds_with_clauses(origins: Iterable[str]) -> set[str]:
    """Return the ids of the scope bounds, such as `scope:visits.end`, from which clauses with these origins come."""
    return {_bound(origin) for origin in origins if origin.startswith(DOMAIN)}


def _bound(origin: str) -> str:
    """Return the id of the bound for an origin of clauses: `scope:visits.end` for `domain:visits[2].end`."""
    table, dot, column = origin.removeprefix(DOMAIN).partition(".")
    return f"scope:{table.partition('[')[0]}{dot}{column}"
