"""The parts of a constraint that can be violated one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from planspec.dsl.model import tree as t

MOST_PARTS = 6
"""Largest number of parts of a constraint; one with more counts as a single part."""


def parts_of(constraint: t.Constraint) -> tuple[t.Constraint, ...]:
    """Return constraints of which all hold if and only if a constraint holds, one for each part of its body.

    The parts are those of a conjunction, of a chain of comparisons and of a range, also inside `all`. A
    constraint without parts is its only part.
    """
    bodies = list(_parts(constraint.body))
    if not 1 < len(bodies) <= MOST_PARTS:
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
