"""`steps`: pairs of neighbours, with a quadratic number of conditions.

A pair (a, b) is a step where both take part, a is not later than b, and none lies strictly between. Instead
of a condition for every triple, ranks are counted: none lies strictly between a and b exactly if the
elements strictly before b are no more than those not later than a.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from planspec.dsl.model import tree as t
from planspec.solvers.ir.nodes import FALSE, TRUE, Bool
from planspec.solvers.lowering.context import LoweringContext, SymbolicEnv
from planspec.solvers.lowering.routes import Element, Relation, bound
from planspec.solvers.lowering.symbolic import Value


def pairs(
    low: LoweringContext, expr: t.Steps, bindings: Iterable[tuple[Bool, SymbolicEnv]]
) -> Iterator[tuple[Bool, Value, Value]]:
    """The condition under which each ordered pair is a step, with the two elements.

    Args:
        low: the lowering in hand.
        expr: the relation.
        bindings: the elements: every binding of its generator, with the condition under which it is.
    """
    model = low.model
    elements: list[tuple[Bool, Value, Value, Value]] = []
    keys: list[tuple[int, ...]] = []
    for place, (guard, inner) in enumerate(bindings):
        rank = place if expr.by is None else low.value(expr.by, inner)
        per = True if expr.per is None else low.value(expr.per, inner)
        here = model.conj((guard, low.algebra.defined(rank), low.algebra.defined(per)))
        if here is not FALSE:
            elements.append((here, rank, per, low.value(expr.body, inner)))
            keys.append(bound(expr.clauses, inner))
    n = len(elements)
    together = [[_together(low, elements[i], elements[j], i == j) for j in range(n)] for i in range(n)]
    before = [
        [FALSE if i == j else low.ordered("<", elements[i][1], elements[j][1]) for j in range(n)]
        for i in range(n)
    ]
    steps: dict[tuple[int, int], Bool] = {}
    for i in range(n):
        for j in range(n):
            if i == j or together[i][j] is FALSE:
                continue
            not_later = model.negate(before[j][i])
            here = model.conj((elements[i][0], elements[j][0], together[i][j], not_later))
            if here is FALSE:
                continue
            step = model.conj((here, _adjacent(low, elements, together, before, i, j)))
            if step is not FALSE:
                steps[i, j] = step
                yield step, elements[i][3], elements[j][3]
    parts = [
        Element(key, here, rank, None if expr.per is None else per)
        for key, (here, rank, per, _) in zip(keys, elements, strict=True)
    ]
    low.met.relations.append(Relation(parts, steps))


def _adjacent(
    low: LoweringContext,
    elements: list[tuple[Bool, Value, Value, Value]],
    together: list[list[Bool]],
    before: list[list[Bool]],
    i: int,
    j: int,
) -> Bool:
    """None of the group lies strictly between i and j, given that i is not later than j."""
    model = low.model
    others = [k for k in range(len(elements)) if k not in (i, j) and together[i][k] is not FALSE]
    if len(others) <= 1:
        between = [model.conj((elements[k][0], together[i][k], before[i][k], before[k][j])) for k in others]
        return model.negate(model.disj(between))
    earlier, reached = [], []
    for k in (*others, i):
        here = TRUE if k == i else model.conj((elements[k][0], together[i][k]))
        earlier.append(model.indicator(model.conj((here, before[k][j]))))
        reached.append(model.indicator(here if k == i else model.conj((here, model.negate(before[i][k])))))
    reached.append(model.indicator(model.negate(before[i][j])))
    return model.at_most_zero(model.minus(model.sum(earlier), model.sum(reached)))


def _together(
    low: LoweringContext, a: tuple[Bool, Value, Value, Value], b: tuple[Bool, Value, Value, Value], same: bool
) -> Bool:
    return TRUE if same or (a[2] is True and b[2] is True) else low.atoms.equal(a[2], b[2])
