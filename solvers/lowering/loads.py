"""Detection of loads along routes: capacities of groups of rows that the hard constraints imply.

A route visits the rows of one group, such as the customers of one van. Hard constraints may limit a sum over the rows
of each group, such as `sum(x.load for x in rows if x.van == v) <= 9`. Then no route exceeds the largest limit, and the
rows need at least a certain number of routes. Back ends with a circuit constraint derive better bounds from loads that
grow along the route: 24 customers of six vans were proved optimal in 1.3 s with loads, and in 6.9 s without.

Any condition `linear <= 0` is a sum with a limit. Each term contributes at least its minimum, so the terms of the rows
in a group exceed their minima by at most `-linear.low` in total. The amount of a row is the smallest of its amounts in
the groups to which it may belong.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from planspec.dsl.resources.deadline import tick
from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.nodes import FALSE, TRUE, AtMostZero, Atom, Bool, Negation
from planspec.solvers.ir.problem import Load
from planspec.solvers.lowering.atoms import Atoms
from planspec.solvers.lowering.relations import UNLISTED, Element, Relation, possible_groups


@dataclass(frozen=True, slots=True)
class _Member:
    """An element and a group for which a term of a linear sum (an atom) shows whether the element is in the group.

    Attributes:
        element: index of the element (a row) in its relation.
        group: value that identifies the group.
        sign: 1 if the atom is at its maximum exactly when the element is in the group; -1 if it is then at its minimum.
    """

    element: int
    group: Any
    sign: int


@dataclass(frozen=True, slots=True)
class _Limit:
    """A limit on the sum of the amounts of the elements (rows) in a group.

    Attributes:
        amounts: positive amounts of elements, by index. Other elements have the amount 0.
        capacity: maximum sum of the amounts of the elements in the group.
    """

    amounts: Mapping[int, int]
    capacity: int


def loads(relation: Relation, hard: Iterable[Bool], model: NodeBuilder, atoms: Atoms) -> tuple[Load, ...]:
    """Return the loads, such as demands of customers, that hard conditions limit along the routes of a relation.

    Loads that may fit into a single route are left out.

    Args:
        relation: a use of `steps`. The steps (pairs of neighbours) of each group (`per=`) form one route, and each row
            is in at most one route.
        hard: hard conditions.
        model: builder of the nodes.
        atoms: builder of comparisons.
    """
    inside = _inside(relation, model, atoms)
    names = list(dict.fromkeys(name for each in inside for name in each))
    if UNLISTED in names:
        return ()
    limits = _limits(_members(inside, model), hard)
    found: dict[tuple[tuple[int, ...], int], Load] = {}
    # each limit of one group (that with the largest amounts) yields a load, together with similar limits of the other
    # groups; other combinations of limits are not tried
    for limit in max(limits.values(), key=_total_amounts, default=()):
        chosen = {name: _similar_limit(limits.get(name, ()), _amounts_in(name, limit, inside)) for name in names}
        load = _load(relation, inside, chosen)
        if load.fewest > 1:
            found.setdefault((load.amounts, load.capacity), load)
    return tuple(found.values())


def _inside(relation: Relation, model: NodeBuilder, atoms: Atoms) -> list[dict[Any, Bool]]:
    """Return, for each element (row), its possible groups with the condition that it is present and in the group.

    If the groups cannot be listed, the only group is the marker `UNLISTED`, with the condition `FALSE`.
    """
    found: list[dict[Any, Bool]] = []
    for element in relation.elements:
        tick()
        conditions = {
            name: FALSE if name is UNLISTED else model.conj((element.present, atoms.equal(element.group, name)))
            for name in possible_groups(element.group)
        }
        found.append({name: each for name, each in conditions.items() if each is not FALSE or name is UNLISTED})
    return found


def _members(inside: Sequence[Mapping[Any, Bool]], model: NodeBuilder) -> dict[Atom, list[_Member]]:
    """Return the atoms (terms of sums) that show whether an element is in a group, with the element and the group.

    An atom may show this for several groups. An atom for several elements is left out, because its coefficient in a sum
    would be mistaken for an amount of each of these elements.

    `inside` has, for each element, the condition that it is present and in a group, by group (see `_inside`).
    """
    members: defaultdict[Atom, list[_Member]] = defaultdict(list)
    for i, conditions in enumerate(inside):
        for name, condition in conditions.items():
            terms = model.indicator(condition).terms
            if len(terms) == 1:
                ((atom, sign),) = terms
                members[atom].append(_Member(i, name, sign))
    return {atom: each for atom, each in members.items() if _of_one_element(each)}


def _of_one_element(members: Iterable[_Member]) -> bool:
    return len({member.element for member in members}) == 1


def _limits(members: Mapping[Atom, Sequence[_Member]], hard: Iterable[Bool]) -> dict[Any, list[_Limit]]:
    """Return, by group, the limits that hard conditions imply on the sum of the amounts of the group's elements.

    `members` has the result of `_members`: atoms that show whether an element is in a group, with the element and the
    group.
    """
    limits: defaultdict[Any, list[_Limit]] = defaultdict(list)
    for condition in hard:
        match condition:
            case AtMostZero(linear=linear):
                factor, capacity = 1, -linear.low
            case Negation(item=AtMostZero(linear=linear)):  # 1 - linear <= 0
                factor, capacity = -1, linear.high - 1
            case _:
                continue
        amounts: defaultdict[Any, dict[int, int]] = defaultdict(dict)
        for atom, coefficient in linear.terms:
            for member in members.get(atom, ()):
                amount = factor * coefficient * member.sign
                if amount > 0:
                    amounts[member.group][member.element] = amount
        for group, each in amounts.items():
            limits[group].append(_Limit(each, capacity))
    return limits


def _amounts_in(name: Any, limit: _Limit, inside: Sequence[Mapping[Any, Bool]]) -> dict[int, int]:
    """Return the amounts of a limit, by index of the element, for the elements that may be in the group `name`.

    An amount is what an element, such as a customer, adds to the limited sum. `inside` has, for each element, its
    possible groups (see `_inside`).
    """
    return {i: amount for i, amount in limit.amounts.items() if name in inside[i]}


def _total_amounts(limits: Iterable[_Limit]) -> int:
    return sum(sum(limit.amounts.values()) for limit in limits)


def _similar_limit(limits: Sequence[_Limit], amounts: Mapping[int, int]) -> _Limit:
    """Return the limit with the most similar amounts to `amounts`; if several are, the one of least capacity.

    Args:
        limits: limits of the group. If there are none, a limit that all `amounts` together satisfy is returned.
        amounts: amounts of elements (rows), by index.
    """
    if not limits:
        return _Limit(amounts, sum(amounts.values()))
    return max(
        limits,
        key=lambda limit: (sum(min(each, limit.amounts.get(i, 0)) for i, each in amounts.items()), -limit.capacity),
    )


def _load(relation: Relation, inside: Sequence[Mapping[Any, Bool]], chosen: Mapping[Any, _Limit]) -> Load:
    """Return the load along routes that follows from one limit of each group.

    `inside` has, for each element, its possible groups (see `_inside`); `chosen` has the limit of each group.
    """
    amounts = tuple(_least_amount([chosen[name].amounts.get(i, 0) for name in each]) for i, each in enumerate(inside))
    capacities = _largest_first(limit.capacity for limit in chosen.values())
    sure = sum(amount for amount, each in zip(amounts, relation.elements, strict=True) if _is_sure(each))
    return Load(amounts, capacities[0], _fewest(sure, capacities))


def _is_sure(element: Element) -> bool:
    return element.present is TRUE


def _largest_first(capacities: Iterable[int]) -> list[int]:
    return sorted(capacities, reverse=True)


def _least_amount(amounts: Sequence[int]) -> int:
    """Return the smallest of an element's amounts in its groups; 0 if it has no group."""
    return min(amounts, default=0)


def _fewest(total: int, capacities: Sequence[int]) -> int:
    """Return the minimum number of routes: how many capacities, largest first, have a sum of at least `total`.

    Return the number of all capacities if their sum is less.
    """
    sums = [0, *accumulate(capacities)]
    return next((count for count, each in enumerate(sums) if each >= total), len(capacities))
