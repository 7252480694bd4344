"""Detection of routes that the hard constraints imply: if times grow along steps, the rows of a group form a path.

Rows of the plan may be visits, and a group the visits of one van. `steps(..., by=t, per=g)` yields pairs of neighbours,
in both directions if their times are equal. If a hard constraint requires that `t` grows along each step, no two rows
of a group have equal times. Each row then has one predecessor or is the first of its group, and has one successor or is
the last. With a depot before each first and after each last row, the steps are routes through all rows. A back end with
a circuit constraint finds better bounds with routes. For ten customers and three vans, CP-SAT had the bound 0 after a
minute without routes. With them (`AddMultipleCircuit`), it proved the best plan in a second.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.nodes import (
    FALSE,
    TRUE,
    And,
    AtMostZero,
    Bool,
    InDomain,
    IntVar,
    IsZero,
    Negation,
    Or,
    Tabled,
    add_parts,
    conjuncts,
)
from planspec.solvers.ir.problem import Arc, Rooted, Routes
from planspec.solvers.lowering.atoms import Atoms
from planspec.solvers.lowering.loads import loads
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
from planspec.solvers.lowering.setups import numeric_rank, pairs_apart, rank_form

MAX_CLAUSES = 20
"""Maximum number of groups (such as vans) for which "two rows are in one group" is encoded as a clause per group."""


def routes(encountered: EncounteredRelations, hard: Sequence[Rooted], model: NodeBuilder, atoms: Atoms) -> list[Routes]:
    """Return routes through rows of the plan, one `Routes` for each suitable use of `steps`.

    A use is suitable if it has at least three rows, their ranks (values of `by=`, such as times) are whole numbers, and
    the hard conditions imply that the rank grows at each step, that is, from each row to the next.

    Args:
        encountered: the uses of `steps`, `first`, `last` and `no_overlap` in the task.
        hard: hard conditions.
        model: builder of the nodes.
        atoms: builder of comparisons.
    """
    by_steps = {tuple(map(id, relation.steps.values())): relation for relation in encountered.relations}
    relations = [relation for relation in by_steps.values() if _has_numeric_ranks(relation)]
    negated_steps = {
        id(model.negate(step)): (relation, pair) for relation in relations for pair, step in relation.steps.items()
    }
    growing_pairs: dict[int, dict[tuple[int, int], bool]] = {id(relation): {} for relation in relations}
    clauses: dict[int, dict[tuple[int, int], Or]] = {id(relation): {} for relation in relations}
    parts = [part for root in hard for part in conjuncts(root.condition)]
    for clause in parts:
        items = clause.items if isinstance(clause, Or) else (clause,)
        for item in items:
            if id(item) in negated_steps:
                relation, pair = negated_steps[id(item)]
                others = [other for other in items if other is not item]
                if all(_implies_growth(other, relation, pair, model) for other in others):
                    growing_pairs[id(relation)][pair] = all(map(_compares_variables, others))
                    if len(others) == 1 and isinstance(clause, Or):
                        clauses[id(relation)][pair] = clause
    rules = [
        rule
        for rule in required(encountered.successions, (root.condition for root in hard))
        if rule.has_positive_lengths
    ]
    chosen = [
        relation
        for relation in relations
        if any(_are_same_elements(rule.elements, relation.elements) for rule in rules)
        or all(
            {(i, j), (j, i)} & growing_pairs[id(relation)].keys() for i, j in relation.steps if (j, i) in relation.steps
        )
    ]
    found = [_arcs(each, growing_pairs[id(each)], encountered.rankings, model, atoms) for each in chosen]
    used = _used_by_arcs(arcs for arcs, _ in found)
    return [
        replace(
            _routes(arcs, exclusive, used),
            apart=apart,
            implies=implies,
            loads=() if exclusive is None else loads(relation, parts, model, atoms),
        )
        for relation, (arcs, exclusive) in zip(chosen, found, strict=True)
        for apart, implies in [pairs_apart(relation, clauses[id(relation)], model, atoms)]
    ]


def _are_same_elements(first: Sequence[Element], second: Sequence[Element]) -> bool:
    return len(first) == len(second) and all(
        (one.key, one.present) == (other.key, other.present)
        and are_same_values(one.rank, other.rank)
        and are_same_values(one.group, other.group)
        for one, other in zip(first, second, strict=True)
    )


def _has_numeric_ranks(relation: Relation) -> bool:
    """Return whether a use of `steps` has at least three elements, and all their ranks (`by=`) are whole numbers."""
    return len(relation.elements) > 2 and all(numeric_rank(e.rank) is not None for e in relation.elements)


def _implies_growth(item: Bool, relation: Relation, pair: tuple[int, int], model: NodeBuilder) -> bool:
    """Return whether a condition implies that the second element of a pair has a greater rank than the first.

    A rank is the value of `by=` in `steps(..., by=...)`; `pair` has the indices of the elements.
    """
    before, after = (rank_form(relation.elements[i], model) for i in pair)
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


def _compares_variables(condition: Bool) -> bool:
    """Return whether a condition compares only decision variables, without indicators of other conditions."""
    match condition:
        case InDomain():
            return True
        case AtMostZero(linear=linear) | Negation(item=AtMostZero(linear=linear)):
            return all(isinstance(atom, IntVar | Tabled) for atom, _ in linear.terms)
    return False


def _arcs(
    relation: Relation,
    growing_pairs: Mapping[tuple[int, int], bool],
    rankings: Sequence[Ranking],
    model: NodeBuilder,
    atoms: Atoms,
) -> tuple[list[Arc], list[tuple[Arc, ...]] | None]:
    """Return arcs between neighbouring rows, from absent rows to themselves, and from and to the depot (node 0).

    Arcs from and to the depot have conditions only if `first` or `last` is used for the group.

    Args:
        relation: the use of `steps`.
        growing_pairs: pairs of indices of elements for which a hard clause says "the pair is not a step, or its rank
            grows". The value is True if this clause, apart from the step, compares only decision variables. If it is
            False or missing, the arc between the two elements itself implies that the rank (value of `by=`) grows.
        rankings: the uses of `first` and `last` in the task.
        model: builder of the nodes.
        atoms: builder of comparisons.

    Returns:
        The arcs, and for each group the set of its arcs from the depot. At most one arc of each set is used, because
        each group has one first row. The sets are None if the groups cannot be listed or the order of the rows is
        fixed; back ends then keep the conditions of the arcs (`Routes.defines` is empty). If the order is fixed, these
        conditions are short, and keeping them is faster: 54 trains took 4 s with these conditions, and had no proof
        after 19 s with new variables in their place.
    """
    elements = relation.elements
    arcs = [Arc(i, i, model.negate(each.present)) for i, each in enumerate(elements, 1) if each.present is not TRUE]
    for (i, j), step in relation.steps.items():
        one, other = elements[i], elements[j]
        implied = [_same_group(one, other, model, atoms)]
        if not growing_pairs.get((i, j)):
            implied.append(_grows(one, other, model))
        arcs.append(Arc(i + 1, j + 1, step, model.conj(implied)))
    groups = [possible_groups(element.group) for element in elements]
    is_open = any(UNLISTED in each for each in groups) or all(rank_form(e, model).is_constant for e in elements)
    firsts: dict[Any, list[Arc]] = {}
    for first in (True, False):
        chosen_by_group = _chosen_by_group(relation, [r for r in rankings if r.first is first], model, atoms)
        for i, element in enumerate(elements):
            for group in groups[i]:
                chosen = chosen_by_group[group].get(i, FALSE) if group in chosen_by_group else None
                if chosen is None and is_open:
                    continue
                inside = TRUE if group is None or is_open else atoms.equal(element.group, group)
                arcs.append(Arc(0, i + 1, chosen, inside) if first else Arc(i + 1, 0, chosen, inside))
                if first:
                    firsts.setdefault(group, []).append(arcs[-1])
            if is_open and not chosen_by_group.keys() >= set(groups[i]):
                arcs.append(Arc(0, i + 1, None) if first else Arc(i + 1, 0, None))
    return arcs, None if is_open else _first_rows(firsts)


def _first_rows(firsts: Mapping[Any, list[Arc]]) -> list[tuple[Arc, ...]]:
    """Return the arcs from the depot to the possible first rows of each group. At most one arc per group is used."""
    return [tuple(group) for group in firsts.values()]


def _grows(one: Element, other: Element, model: NodeBuilder) -> Bool:
    """Return the condition that the second of two elements has a greater rank (value of `by=`) than the first."""
    gap = model.minus(rank_form(one, model), rank_form(other, model))
    return model.at_most_zero(model.plus(gap, model.constant(1)))


def _same_group(one: Element, other: Element, model: NodeBuilder, atoms: Atoms) -> Bool:
    """Return the condition that two elements (rows) are in one group, as a clause per group if there are few groups."""
    if one.group is None:
        return TRUE
    groups = possible_groups(one.group)
    if UNLISTED in groups or len(groups) > MAX_CLAUSES:
        return atoms.equal(one.group, other.group)
    return model.conj(
        model.disj((model.negate(atoms.equal(one.group, group)), atoms.equal(other.group, group))) for group in groups
    )


def _routes(arcs: Sequence[Arc], exclusive: Sequence[tuple[Arc, ...]] | None, used: Container[int]) -> Routes:
    """Return routes with the ids of the conditions that they determine (`Routes.defines`).

    A back end may replace these conditions with new Boolean variables, for the following reason. Arcs of a group lead
    from a row to a later row of the group, and the group has one first row. Therefore the used arcs form one path
    through the group's rows in order. The path determines which pairs of rows are steps, and which rows are first and
    last. This reasoning relies on the conditions that rows are present and on the conditions that arcs imply, so these
    conditions must not be replaced.

    Args:
        arcs: the arcs.
        exclusive: sets of mutually exclusive arcs; None if they are unknown.
        used: ids of the conditions that must not be replaced.
    """
    if exclusive is None:
        return Routes(tuple(arcs))
    conditions = (arc.condition for arc in arcs if arc.start != arc.end and arc.condition is not None)
    inner = (each.item if isinstance(each, Negation) else each for each in conditions)
    defined = frozenset(id(each) for each in inner if isinstance(each, And | Or | AtMostZero | IsZero))
    return Routes(tuple(arcs), tuple(exclusive), frozenset(each for each in defined if each not in used))


def _used_by_arcs(all_arcs: Iterable[Sequence[Arc]]) -> set[int]:
    """Return the ids of the conditions that must not be replaced by arcs, because the arcs themselves rely on them.

    These are all nodes in `Arc.implies` and in the conditions that rows are absent (loops at a node).
    """
    used: set[int] = set()
    for arcs in all_arcs:
        for arc in arcs:
            add_parts(arc.implies, used)
            if arc.start == arc.end and arc.condition is not None:
                add_parts(arc.condition, used)
    return used


def _chosen_by_group(
    relation: Relation, rankings: Sequence[Ranking], model: NodeBuilder, atoms: Atoms
) -> dict[Any, dict[int, Bool]]:
    """Return, by group and index of an element, the condition that the element is the first (or last) of the group.

    The conditions are taken from `rankings`, the uses of `first` (or of `last`). Groups without such a use are left
    out.
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
    """Map the index of each element of a group to its index in a ranking, that is, in a use of `first` or `last`.

    Return None if the ranking is not over exactly these elements. `inside` has, for each element of the relation, the
    condition that it is in the group.
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
