"""From which constraints and bounds of the scope a claim follows, as its proof shows.

A constraint stands in the formula in clauses of its own, and those that a proof uses are named. A bound need not: it may only make a
number narrow, or a comparison true before there are clauses. So bounds are tried: those whose clauses no proof uses are taken off, and
what is named is what was refuted with all others off.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from planspec.errors import DiagnosticError, LimitReachedError
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.backends.sat.encoder import DOMAIN
from planspec.solvers.proofs.obligation import NoOtherPlan, Obligation, obligation
from planspec.solvers.proofs.refutation import Refutation, refute
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.relaxed_scope import widen_beyond
from planspec.verifiers.meaning.ground import Ground


def reasons_of(ground: Ground, made: Obligation, found: Refutation, limits: Limits) -> tuple[str, ...]:
    """Ids of instances, in the order of the task, and of bounds such as `scope:visits.end`: with them alone the claim is proved.

    They are enough, and not the least. What a plan's tables are, and that what is in a field is of its type, is understood; without
    its bound a field may have any value of its type, within reason (`widen_beyond`).

    Args:
        ground: the task.
        made: the formula of a claim that there is no other plan, or none.
        found: its refutation.
        limits: of the search for a smaller set; where they are reached, more bounds are named than it takes.
    """
    claim = made.claim
    assert isinstance(claim, NoOtherPlan), "what makes a plan the best is not told by bounds"
    used = found.origins(made.formula)
    if claim.bounds is not None:
        return (*_instances(made, used), *claim.bounds)
    wider = widen_beyond(ground)
    every = (*(bound.id for bound in wider.bounds), *(rows.id for rows in wider.rows))
    named = {bound for origin in used if (bound := _bound(origin)) in every}
    clock = TimeBudget(limits)
    best = _with(ground, claim, named, clock)
    if best is None:
        best = _instances(made, used)
        named = set(every)
        for bound in every:
            less = None if bound in _clausal(used) else _with(ground, claim, named - {bound}, clock)
            if less is not None:
                best = less
                named.remove(bound)
    return (*best, *(bound for bound in every if bound in named), *wider.kept)


def _with(
    ground: Ground, claim: NoOtherPlan, bounds: Collection[str], clock: TimeBudget
) -> tuple[str, ...] | None:
    """The instances that a claim needs with some bounds alone; None where it was not proved with them."""
    try:
        with clock:
            made = obligation(ground, replace(claim, bounds=tuple(bounds)))
        found = None if made is None else refute(made.formula, clock.rest)
    except (LimitReachedError, DiagnosticError):  # a wider scope may have no encoding
        return None
    if made is None or not isinstance(found, Refutation):
        return None
    return _instances(made, found.origins(made.formula))


def _instances(made: Obligation, origins: Iterable[str]) -> tuple[str, ...]:
    known = {instance.id for instance in made.lowered.ground.instances}
    return tuple(origin for origin in origins if origin in known)


def _clausal(origins: Iterable[str]) -> set[str]:
    """The bounds that have clauses among them."""
    return {_bound(origin) for origin in origins if origin.startswith(DOMAIN)}


def _bound(origin: str) -> str:
    """`scope:visits.end`, of `domain:visits[2].end`."""
    table, dot, column = origin.removeprefix(DOMAIN).partition(".")
    return f"scope:{table.partition('[')[0]}{dot}{column}"
