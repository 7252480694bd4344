"""The parts of a constraint that can be violated one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from planspec.dsl.model import tree as t

MAX_PARTS = 6
"""Maximum number of parts of a constraint. A constraint with more parts is not split."""


def parts_of(constraint: t.Constraint) -> tuple[t.Constraint, ...]:
    """Split a constraint into constraints whose conjunction is equivalent to it.

    Conjunctions, chained comparisons (`a < b < c`) and ranges are split, also inside `all`. Other constraints are
    returned unchanged.
    """
    bodies = list(_parts(constraint.body))
    if not 1 < len(bodies) <= MAX_PARTS:
        return (constraint,)
    return tuple(replace(constraint, body=body) for body in bodies)


def _parts(expr: t.Expr) -> Iterator[t.Expr]:
    match expr:
        case t.Logic(op="and", operands=operands):
            for operand in operands:
                yield from _parts(operand)
        case t.Aggregate(function="all", body=body):
            for part in _parts(body):
                yield replace(expr, body=part)
        case t.Compare(operands=operands, ops=ops) if len(ops) > 1:
            for op, left, right in zip(ops, operands, operands[1:], strict=False):
                yield replace(expr, operands=(left, right), ops=(op,))
        case t.InSet(item=item, collection=t.RangeOf(low=low, high=high, step=None), negated=False):
            for left, right in ((low, item), (item, high)):
                yield t.Compare(expr.type, expr.span, expr.stage, expr.partial, (left, right), ("<=",))
        case _:
            yield expr
