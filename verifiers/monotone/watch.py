"""Parts of a task's hard constraints that can fail for good: no addition to the plan then repairs the failure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from planspec.dsl.model import tree as t
from planspec.verifiers.meaning.ground import Ground
from planspec.verifiers.monotone.bounds import BoundEstimator
from planspec.verifiers.monotone.claims import MonotoneClaims
from planspec.verifiers.monotone.inline import MAX_NODES, ExpressionTooLargeError, Inliner
from planspec.verifiers.monotone.nodes import allowed_keys_of_rule, is_truth, operands_of, within_size


@dataclass(frozen=True, slots=True, eq=False)
class MonotonePart:
    """A part of a hard constraint, with a condition that tells when the part can no longer hold.

    Attributes:
        constraint: the constraint.
        part: the body of the constraint, or an operand of its outermost `and`.
        plain: `part` with calls of definitions inlined.
        condition: condition on an incomplete plan. It is false only if `part` fails in all plans into which the plan
            can grow.
        reasons: explanations of why the condition is sound, one for each way in which it reads the plan.
    """

    constraint: t.Constraint
    part: t.Expr
    plain: t.Expr
    condition: t.Expr
    reasons: tuple[str, ...]


def monotone_parts(ground: Ground) -> tuple[MonotonePart, ...]:
    """Return the parts of the applicable hard constraints that can fail for good on an incomplete plan, in order.

    A part is left out if its condition (`MonotonePart.condition`) would always be true, so that it would never show a
    failure, or if the condition would be too large.
    """
    bounds = BoundEstimator(ground.interpreter)
    limits = allowed_keys(ground)
    parts = []
    for constraint, part, plain in _plain_parts(ground):
        claims = MonotoneClaims(ground.interpreter, bounds, limits)
        try:
            condition = claims.possible(plain)
        except RecursionError:
            continue
        if not is_truth(condition, True) and within_size(condition, MAX_NODES):
            parts.append(MonotonePart(constraint, part, plain, condition, tuple(claims.reasons)))
    return tuple(parts)


def allowed_keys(ground: Ground) -> dict[str, t.Expr]:
    """Return for plan tables with one key column the collection of keys that constraints allow, by table."""
    bounds = BoundEstimator(ground.interpreter)
    pairs = (allowed_keys_of_rule(plain) for constraint, _, plain in _plain_parts(ground) if not constraint.clauses)
    return {limit[0]: limit[1] for limit in pairs if limit is not None and bounds.is_fixed(limit[1])}


def _plain_parts(ground: Ground) -> Iterator[tuple[t.Constraint, t.Expr, t.Expr]]:
    """Yield parts of the applicable hard constraints: the constraint, the part, and the part with calls inlined."""
    applicable = {each.constraint for each in ground.instances if each.applicable}
    for constraint in ground.task.constraints:
        if constraint.hard and constraint in applicable:
            for part in operands_of(constraint.body):
                try:
                    yield constraint, part, Inliner(ground.task.tables).inlined(part)
                except (ExpressionTooLargeError, RecursionError):
                    continue
