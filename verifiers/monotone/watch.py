"""The parts of a task's rules that can only get worse while a plan grows; `monotone_claims` says what that means."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from planspec.dsl.model import tree as t
from planspec.verifiers.meaning.ground import Ground
from planspec.verifiers.monotone.bounds import Bounds
from planspec.verifiers.monotone.claims import Claims
from planspec.verifiers.monotone.inline import MOST_NODES, ExpressionTooLargeError, Inliner
from planspec.verifiers.monotone.nodes import is_truth, key_limit, operands_of, within_size


@dataclass(frozen=True, slots=True, eq=False)
class Watch:
    """A part of a hard constraint that, once it fails, fails for good.

    Attributes:
        constraint: the rule.
        part: the part of its body, as the author wrote it: all of it, or an operand of its outermost `and`.
        plain: the same with definitions written out.
        condition: false only where the part fails on every plan that grows out of the one at hand.
        reasons: why, in words, one for each way in which the condition looks at the plan.
    """

    constraint: t.Constraint
    part: t.Expr
    plain: t.Expr
    condition: t.Expr
    reasons: tuple[str, ...]


def watches(ground: Ground) -> tuple[Watch, ...]:
    """The parts of a task's hard constraints that can only get worse, in order; those that never apply are left out."""
    bounds = Bounds(ground.interpreter)
    limits = key_limits(ground)
    made = []
    for constraint, part, plain in _plain_parts(ground):
        claims = Claims(ground.interpreter, bounds, limits)
        try:
            condition = claims.possible(plain)
        except RecursionError:
            continue
        if not is_truth(condition, True) and within_size(condition, MOST_NODES):
            made.append(Watch(constraint, part, plain, condition, tuple(claims.reasons)))
    return tuple(made)


def key_limits(ground: Ground) -> dict[str, t.Expr]:
    """The values that the only key column of a plan table can have, by the table's name: from rules such as `all(d.day in trip for d in days)`."""
    bounds = Bounds(ground.interpreter)
    found = (key_limit(plain) for constraint, _, plain in _plain_parts(ground) if not constraint.clauses)
    return {limit[0]: limit[1] for limit in found if limit is not None and bounds.fixed(limit[1])}


def _plain_parts(ground: Ground) -> Iterator[tuple[t.Constraint, t.Expr, t.Expr]]:
    """The parts of the hard constraints that apply, as written and with definitions written out."""
    applicable = {each.constraint for each in ground.instances if each.applicable}
    for constraint in ground.task.constraints:
        if constraint.hard and constraint in applicable:
            for part in operands_of(constraint.body):
                try:
                    yield constraint, part, Inliner(ground.task.tables).written_out(part)
                except (ExpressionTooLargeError, RecursionError):
                    continue
