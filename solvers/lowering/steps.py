"""Lowering of `steps` (pairs of neighbours) with a quadratic number of conditions.

A pair (a, b) is a step if both elements exist, a is not later than b, and no element lies strictly between them.
Instead of a condition for every triple, elements are counted: those strictly before b, and those not later than a. No
element lies strictly between a and b if and only if the first number is at most the second.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from planspec.dsl.model import tree as t
from planspec.solvers.ir.nodes import FALSE, TRUE, Bool, Linear
from planspec.solvers.lowering.context import LoweringContext, SymbolicEnv
from planspec.solvers.lowering.relations import Element, Relation, binding_key
from planspec.solvers.lowering.symbolic import Value


def pairs(
    context: LoweringContext, expr: t.Steps, bindings: Iterable[tuple[Bool, SymbolicEnv]]
) -> Iterator[tuple[Bool, Value, Value]]:
    """Yield, for each ordered pair of elements (rows), the condition that they are neighbours, and the two elements.

    Args:
        context: the current lowering.
        expr: the expression `steps(...)`.
        bindings: every binding of the generator (an element), with the condition that it exists.
    """
    model = context.model
    elements: list[tuple[Bool, Value, Value, Value]] = []
    keys: list[tuple[int, ...]] = []
    for index, (guard, inner) in enumerate(bindings):
        rank = index if expr.by is None else context.value(expr.by, inner)
        per = True if expr.per is None else context.value(expr.per, inner)
        present = model.conj((guard, context.algebra.defined(rank), context.algebra.defined(per)))
        if present is not FALSE:
            elements.append((present, rank, per, context.value(expr.body, inner)))
            keys.append(binding_key(expr.clauses, inner))
    n = len(elements)
    same_group = [[_same_group(context, elements[i], elements[j], i == j) for j in range(n)] for i in range(n)]
    before = [
        [FALSE if i == j else context.compare_order("<", elements[i][1], elements[j][1]) for j in range(n)]
        for i in range(n)
    ]
    order = _Order(context, elements, same_group, before)
    steps: dict[tuple[int, int], Bool] = {}
    for i in range(n):
        for j in range(n):
            if i == j or same_group[i][j] is FALSE:
                continue
            not_later = model.negate(before[j][i])
            present = model.conj((elements[i][0], elements[j][0], same_group[i][j], not_later))
            if present is FALSE:
                continue
            step = model.conj((present, _adjacent(order, i, j)))
            if step is not FALSE:
                steps[i, j] = step
                yield step, elements[i][3], elements[j][3]
    parts = [
        Element(key, present, rank, None if expr.per is None else per)
        for key, (present, rank, per, _) in zip(keys, elements, strict=True)
    ]
    context.encountered.relations.append(Relation(parts, steps))


class _Order:
    """The order of the elements (possible rows) of one use of `steps`.

    The class caches the 0/1 expressions that are added up to count elements.

    Args:
        context: the current lowering.
        elements: for each element, the condition that it exists, its rank (`by=`), its group (`per=`), and its value.
        same_group: conditions that two elements are in one group, by their indices.
        before: conditions that one element lies strictly before another one, by their indices.
    """

    def __init__(
        self,
        context: LoweringContext,
        elements: list[tuple[Bool, Value, Value, Value]],
        same_group: list[list[Bool]],
        before: list[list[Bool]],
    ) -> None:
        self.model, self.elements, self.same_group, self.before = context.model, elements, same_group, before
        self._indicators: dict[tuple[Bool, Bool], Linear] = {}

    def both(self, one: Bool, other: Bool) -> Linear:
        """Return the linear expression that is 1 if both conditions hold, else 0."""
        indicator = self._indicators.get((one, other))
        if indicator is None:
            indicator = self._indicators[one, other] = self.model.indicator(self.model.conj((one, other)))
        return indicator


def _adjacent(order: _Order, i: int, j: int) -> Bool:
    """Return the condition that no element of the group of i lies strictly between the elements i and j.

    i and j are indices. Call this only for an element i that is not later than j.
    """
    model, elements, group, before = order.model, order.elements, order.same_group[i], order.before
    others = [k for k in range(len(elements)) if k not in (i, j) and group[k] is not FALSE]
    if len(others) <= 1:
        between = [model.conj((elements[k][0], group[k], before[i][k], before[k][j])) for k in others]
        return model.negate(model.disj(between))
    earlier, reached = [], []
    for k in others:
        condition = model.conj((elements[k][0], group[k]))
        earlier.append(order.both(condition, before[k][j]))
        reached.append(order.both(condition, model.negate(before[i][k])))
    earlier.append(model.indicator(before[i][j]))
    reached += [model.indicator(TRUE), model.indicator(model.negate(before[i][j]))]
    return model.at_most_zero(model.difference(earlier, reached))


def _same_group(
    context: LoweringContext,
    a: tuple[Bool, Value, Value, Value],
    b: tuple[Bool, Value, Value, Value],
    same: bool,
) -> Bool:
    """Return the condition that two elements are in one group, that is, have equal values of `per=`.

    Args:
        context: the current lowering.
        a: one element: the condition that it exists, its rank, its group and its value.
        b: the other element, in the same form.
        same: whether both are the same element.
    """
    return TRUE if same or (a[2] is True and b[2] is True) else context.atoms.equal(a[2], b[2])
