"""Detection of sums that the hard conditions require to be different, with the range of each sum."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from planspec.dsl.resources.deadline import tick
from planspec.solvers.ir.nodes import IntVar, Linear, conjuncts
from planspec.solvers.ir.problem import Different, Rooted
from planspec.solvers.lowering.no_overlap import precedence
from planspec.solvers.lowering.relations import EncounteredRelations, required

MAX_VARIABLES = 60
"""Maximum number of variables for which minimum distances are computed. The computation takes cubic time."""

Distances = Mapping[tuple[IntVar, IntVar], int]
"""Lower bounds of `second - first` for pairs of variables."""


def differences(encountered: EncounteredRelations, hard: Sequence[Rooted]) -> list[Different]:
    """Return sets of linear sums, such as `x + y` and `z + 2`, that hard conditions require to be pairwise different.

    Sets in which each sum has at most one variable are left out, because back ends detect them.
    """
    found = [
        rule
        for rule in required(encountered.differences, (root.condition for root in hard))
        if any(len(form.terms) > 1 for form in rule.forms)
    ]
    if not found:
        return []
    variables = {atom for rule in found for form in rule.forms for atom, _ in form.terms if isinstance(atom, IntVar)}
    distances = least_distances(variables, hard)
    return [
        Different(
            rule.forms,
            tuple(_range(form, distances) for form in rule.forms),
            frozenset(map(id, conjuncts(rule.condition)) if rule.is_complete else ()),
        )
        for rule in found
    ]


def least_distances(variables: Iterable[IntVar], hard: Sequence[Rooted]) -> Distances:
    """Return the minimum distances `y - x` between variables that hard conditions `x + d <= y` imply.

    Distances add up along chains of the given variables.
    """
    chosen = set(variables)
    if len(chosen) > MAX_VARIABLES:
        return {}
    distances: dict[tuple[IntVar, IntVar], int] = {}
    for root in hard:
        for part in conjuncts(root.condition):
            link = precedence(part)
            if link is not None and link[0] in chosen and link[1] in chosen:
                distances[link[:2]] = max(link[2], distances.get(link[:2], link[2]))
    for middle in chosen:
        tick()
        before = [(one, length) for (one, other), length in distances.items() if other is middle]
        after = [(other, length) for (one, other), length in distances.items() if one is middle]
        for one, first in before:
            for other, second in after:
                if one is not other:
                    distances[one, other] = max(first + second, distances.get((one, other), first + second))
    return distances


def _range(form: Linear, distances: Distances) -> tuple[int, int]:
    """Return the minimum and the maximum of a sum.

    A difference of two variables is also limited by their minimum distances, except if these contradict each other.
    """
    low, high = form.low, form.high
    match sorted(form.terms, key=lambda term: term[1]):
        case [(IntVar() as one, -1), (IntVar() as other, 1)]:
            if (one, other) in distances:
                low = max(low, distances[one, other] + form.constant)
            if (other, one) in distances:
                high = min(high, form.constant - distances[other, one])
    return (low, high) if low <= high else (form.low, form.high)
