"""Routes that the hard constraints imply: if steps take time, the rows of a group form one path.

`steps(..., by=t, per=g)` yields the pairs of neighbours, including rows with equal times. If a hard
constraint requires `t` to grow along each step, no two rows of a group are equal, so each row has one
predecessor or is the first of its group, and one successor or is the last. With a depot before each first and
after each last row the steps are routes through all rows. The routes follow from the constraints, and a back
end that can state them finds bounds that it cannot find otherwise: without them ten customers and three vans
had the bound 0 after a minute, with them the best plan is proved in a second (CP-SAT's `AddMultipleCircuit`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.nodes import FALSE, TRUE, And, AtMostZero, Bool, InDomain, Linear, Negation, Or, conjuncts
from planspec.solvers.ir.problem import Rooted, Routes
from planspec.solvers.lowering.atoms import Atoms
from planspec.solvers.lowering.relations import (
    UNLISTED,
    Element,
    EncounteredRelations,
    Ranking,
    Relation,
    are_same_values,
    possible_groups,
    required,
)
from planspec.solvers.lowering.symbolic import Num, Value


def routes(encountered: EncounteredRelations, hard: Sequence[Rooted], model: NodeBuilder, atoms: Atoms) -> list[Routes]:
    """Return the routes that follow from the hard conditions."""
    by_steps = {tuple(map(id, relation.steps.values())): relation for relation in encountered.relations}
    relations = [relation for relation in by_steps.values() if _has_numeric_ranks(relation)]
    negated_steps = {
        id(model.negate(step)): (relation, pair) for relation in relations for pair, step in relation.steps.items()
    }
    growing_pairs: dict[int, set[tuple[int, int]]] = {id(relation): set() for relation in relations}
    for clause in (part for root in hard for part in conjuncts(root.condition)):
        items = clause.items if isinstance(clause, Or) else (clause,)
        for item in items:
            if id(item) in negated_steps:
                relation, pair = negated_steps[id(item)]
                others = [other for other in items if other is not item]
                if all(_implies_growth(other, relation, pair, model) for other in others):
                    growing_pairs[id(relation)].add(pair)
    rules = [
        rule
        for rule in required(encountered.successions, (root.condition for root in hard))
        if rule.has_positive_lengths
    ]
    return [
        Routes(tuple(_arcs(relation, encountered.rankings, model, atoms)))
        for relation in relations
        if any(_are_same_elements(rule.elements, relation.elements) for rule in rules)
        or all({(i, j), (j, i)} & growing_pairs[id(relation)] for i, j in relation.steps if (j, i) in relation.steps)
    ]


def _are_same_elements(some: Sequence[Element], others: Sequence[Element]) -> bool:
    return len(some) == len(others) and all(
        (one.key, one.present) == (other.key, other.present)
        and are_same_values(one.rank, other.rank)
        and are_same_values(one.group, other.group)
        for one, other in zip(some, others, strict=True)
    )


def _has_numeric_ranks(relation: Relation) -> bool:
    """Return whether a relation has at least three elements, and all their ranks are whole numbers."""
    return len(relation.elements) > 2 and all(_numeric_rank(e.rank) is not None for e in relation.elements)


def _numeric_rank(rank: Value) -> Num | int | None:
    if isinstance(rank, Num):
        return rank if rank.scale == 1 else None
    return rank if isinstance(rank, int) and not isinstance(rank, bool) else None


def _implies_growth(item: Bool, relation: Relation, pair: tuple[int, int], model: NodeBuilder) -> bool:
    """Return whether a condition implies that the second element of a pair has the greater rank."""
    before, after = (_rank_form(relation.elements[i], model) for i in pair)
    gap = model.minus(after, before)
    match item:
        case And(items=items):
            return any(_implies_growth(part, relation, pair, model) for part in items)
        case AtMostZero(linear=linear):
            return model.plus(linear, gap).low >= 1  # linear <= 0, and gap >= 1 - linear
        case Negation(item=AtMostZero(linear=linear)):
            return model.minus(gap, linear).low >= 0  # linear >= 1
        case InDomain(var=var, domain=domain) if [atom for atom, _ in gap.terms] == [var]:
            ((_, factor),) = gap.terms
            return factor * (domain.low if factor > 0 else domain.high) + gap.constant >= 1
        case _:
            return False


def _rank_form(element: Element, model: NodeBuilder) -> Linear:
    time = _numeric_rank(element.rank)
    assert time is not None
    return time.linear if isinstance(time, Num) else model.constant(time)


def _arcs(
    relation: Relation, rankings: Sequence[Ranking], model: NodeBuilder, atoms: Atoms
) -> Iterator[tuple[int, int, Bool | None]]:
    """Yield the arcs of all steps, arcs from absent rows to themselves, and arcs from and to the depot.

    Arcs from and to the depot have conditions only if rankings determine the first or last row of every
    group.
    """
    for i, element in enumerate(relation.elements, 1):
        if element.present is not TRUE:
            yield i, i, model.negate(element.present)
    for (i, j), step in relation.steps.items():
        yield i + 1, j + 1, step
    for first in (True, False):
        chosen_by_value = _chosen_by_group(relation, [r for r in rankings if r.first is first], model, atoms)
        for i, element in enumerate(relation.elements):
            chosen = [picks[i] for picks in chosen_by_value.values() if i in picks]
            is_complete = all(value in chosen_by_value for value in possible_groups(element.group))
            for condition in (*chosen, *(() if is_complete else (None,))):
                yield (0, i + 1, condition) if first else (i + 1, 0, condition)


def _chosen_by_group(
    relation: Relation, rankings: Sequence[Ranking], model: NodeBuilder, atoms: Atoms
) -> dict[Any, dict[int, Bool]]:
    """Return, keyed by group and element, the condition that the element is the first (or last) of the group.

    Groups without a ranking are left out.
    """
    by_group: dict[Any, dict[int, Bool]] = {}
    values = dict.fromkeys(value for element in relation.elements for value in possible_groups(element.group))
    for value in values:
        if value is UNLISTED:
            continue
        inside = [
            e.present if value is None else model.conj((e.present, atoms.equal(e.group, value)))
            for e in relation.elements
        ]
        for ranking in rankings:
            index_in_ranking = _indices_in_ranking(relation, inside, ranking)
            if index_in_ranking is not None:
                by_group[value] = {i: ranking.chosen[index] for i, index in index_in_ranking.items()}
                break
    return by_group


def _indices_in_ranking(relation: Relation, inside: Sequence[Bool], ranking: Ranking) -> dict[int, int] | None:
    """Return the index in a ranking of each element of a group.

    Return None if the ranking is not one of exactly these elements.
    """
    unmatched = {element.key: index for index, element in enumerate(ranking.elements)}
    index_in_ranking: dict[int, int] = {}
    for i, (element, present) in enumerate(zip(relation.elements, inside, strict=True)):
        index = unmatched.pop(element.key, None)
        if index is not None:
            other = ranking.elements[index]
            if present is not other.present or not are_same_values(element.rank, other.rank):
                return None
            index_in_ranking[i] = index
        elif present is not FALSE:
            return None
    return None if unmatched or len(index_in_ranking) < len(ranking.elements) else index_in_ranking
