"""Rules on set-up or travel times between neighbours, as conditions on all pairs of rows.

`all(END(a) + SETUP(a, b) <= b.start for a, b in steps(..., by=START))` requires that the start grows by at least g(a,
b), the length of a plus SETUP(a, b), at each step. If no detour is shorter, that is, g(a, b) <= g(a, c) + g(c, b), the
start grows by at least g(a, b) between any two rows of a group, even if other rows lie between them. Conversely, the
condition on all pairs implies the rule for neighbours. Only rules with constant g of at least 1 are replaced, so no two
rows of a group start at the same time.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations, permutations

from planspec.dsl.resources.deadline import tick
from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.nodes import TRUE, AtMostZero, Bool, Linear, Negation, Or
from planspec.solvers.ir.problem import NoOverlap
from planspec.solvers.lowering.atoms import Atoms
from planspec.solvers.lowering.no_overlap import intervals_by_group
from planspec.solvers.lowering.relations import Element, Relation, SuccessionRule
from planspec.solvers.lowering.symbolic import Num, Value

MAX_ROWS = 60
"""Maximum number of rows for which set-up times are tested for the triangle inequality, which takes cubic time."""


def pairs_apart(
    relation: Relation, clauses: Mapping[tuple[int, int], Or], model: NodeBuilder, atoms: Atoms
) -> tuple[tuple[Bool | NoOverlap, ...], frozenset[int]]:
    """Return disjunctive constraints on all pairs of rows that replace hard conditions on neighbours (steps).

    Args:
        relation: the use of `steps`, with the rows as elements.
        clauses: hard conditions of the form "(i, j) is not a step, or `end + setup <= start` holds", by the pair (i, j)
            of indices of elements.
        model: builder of the nodes.
        atoms: builder of comparisons.

    Returns:
        The constraints on pairs, such as "a is at least 30 before b, or b at least 20 before a", and the ids of the
        clauses that they replace. Both are empty if a pair has no clause with a constant gap, if the gaps violate the
        triangle inequality, or if there are more than `MAX_ROWS` elements.
    """
    elements = relation.elements
    gaps = {pair: gap for pair, clause in clauses.items() if (gap := _gap(clause, relation, pair, model)) is not None}
    if len(elements) > MAX_ROWS or gaps.keys() != set(permutations(range(len(elements)), 2)):
        return (), frozenset()
    if not satisfy_triangle_inequality(gaps, len(elements)):
        return (), frozenset()
    forms = [rank_form(element, model) for element in elements]
    apart: list[Bool | NoOverlap] = []
    for i, j in combinations(range(len(elements)), 2):
        tick()
        one, other = elements[i], elements[j]
        same = TRUE if one.group is None else atoms.equal(one.group, other.group)
        orders = (
            model.at_most_zero(model.plus(model.minus(forms[a], forms[b]), model.constant(gaps[a, b])))
            for a, b in ((i, j), (j, i))
        )
        apart.append(model.disj((model.negate(model.conj((one.present, other.present, same))), *orders)))
    least = [min(gap for (a, _), gap in gaps.items() if a == i) for i in range(len(elements))]
    intervals = [(TRUE, form, model.constant(gap)) for form, gap in zip(forms, least, strict=True)]
    rule = SuccessionRule(elements, intervals, True, TRUE)
    apart += (NoOverlap(tuple(group.values())) for group, _ in intervals_by_group(rule, model, atoms) if len(group) > 2)
    return tuple(apart), frozenset(id(clauses[pair]) for pair in gaps)


def satisfy_triangle_inequality(gaps: Mapping[tuple[int, int], int], count: int) -> bool:
    """Return whether minimum gaps, by pairs of indices from 0 to `count - 1`, satisfy the triangle inequality."""
    return all(gaps[a, b] <= gaps[a, c] + gaps[c, b] for a, b, c in permutations(range(count), 3))


def _gap(clause: Or, relation: Relation, pair: tuple[int, int], model: NodeBuilder) -> int | None:
    """Return the minimum growth of the rank (value of `by=`), such as a start, that a clause requires at a step.

    Return None if this minimum is not a constant of at least 1.

    Args:
        clause: condition of the form "the pair is not a step, or the rank of the second row is greater than that of the
            first by at least the minimum".
        relation: the use of `steps`, which yields the steps (pairs of neighbouring rows).
        pair: indices of the two rows among the elements of `relation`.
        model: builder of the nodes.
    """
    before, after = (rank_form(relation.elements[i], model) for i in pair)
    step = model.negate(relation.steps[pair])
    for item in clause.items:
        if item is step:
            continue
        match item:
            case AtMostZero(linear=linear):
                total = model.plus(linear, model.minus(after, before))
            case Negation(item=AtMostZero(linear=linear)):
                total = model.minus(model.plus(model.constant(1), model.minus(after, before)), linear)
            case _:
                return None
        return total.constant if total.is_constant and total.constant >= 1 else None
    return None


def numeric_rank(rank: Value) -> Num | int | None:
    """Return a rank, the value by which `steps` orders a row, if it is a whole number; None for other ranks."""
    if isinstance(rank, Num):
        return rank if rank.scale == 1 else None
    return rank if isinstance(rank, int) and not isinstance(rank, bool) else None


def rank_form(element: Element, model: NodeBuilder) -> Linear:
    """Return an element's rank as a linear expression. The rank must have whole values."""
    time = numeric_rank(element.rank)
    assert time is not None
    return time.linear if isinstance(time, Num) else model.constant(time)
