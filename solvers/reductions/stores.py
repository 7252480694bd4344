"""What can be counted: variables that must differ from one another, and the classes of their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TypeAlias

from planspec.dsl.resources.deadline import tick
from planspec.solvers.ir import nodes as ir
from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.domain import Domain
from planspec.solvers.ir.problem import Problem, Rooted
from planspec.solvers.reductions.reads import LESS, SAME, Reads, compared, outcomes, root_domains

FEWEST = 3
"""Picks: of two it does not show which of them an excuse belongs to."""
MOST_VALUES = 5_000
"""Picks from more values are left alone."""
GAIN = 0.75
"""Classes are counted where they are no more than this part of the values."""

Pair: TypeAlias = frozenset[ir.IntVar]


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Variables that differ from one another.

    Attributes:
        node: the conjunction that says so.
        picks: the variables.
        clauses: those parts of the conjunction, for two picks each.
        excuses: of each pick, memberships of which each excuses it from being different.
    """

    node: ir.And
    picks: tuple[ir.IntVar, ...]
    clauses: frozenset[ir.Bool]
    excuses: Mapping[ir.IntVar, tuple[ir.InDomain, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Class:
    """Values that are read alike.

    Attributes:
        codes: the values, the cheapest first.
        counter: no less than how many are taken where all differ; None where there are always enough, at one price.
        kept: no more are taken than that, or than there are.
    """

    codes: tuple[int, ...]
    counter: ir.IntVar | None
    kept: ir.Bool


@dataclass(frozen=True, slots=True, eq=False)
class Store:
    """A group whose values are counted.

    Attributes:
        group: the picks.
        first: of each value the first of its class.
        classes: by their first values.
        prices: what sums have of each pick.
        side: whether less of that is better, or more.
        dearer: what all picks together cost more than the first values of their classes, by the counters.
        differ: all that differ can be dealt another value each.
    """

    group: Group
    first: Mapping[int, int]
    classes: Mapping[int, Class]
    prices: frozenset[ir.Tabled]
    side: int
    dearer: ir.Linear
    differ: ir.Bool

    @property
    def firsts(self) -> Domain:
        """The first values of all classes."""
        return Domain.of(self.classes)


def stores(problem: Problem) -> list[Store]:
    """What can be counted in a problem.

    Raises:
        BoundError: what the counts cost comes to more than a back end can add.
    """
    survey = _Survey(problem)
    arcs = [arc for routes in problem.routes for _, _, arc in routes.arcs if arc is not None]
    routed = Reads.of(replace(problem, hard=[Rooted(arc, "") for arc in arcs], soft=[], objectives=()))
    fixed = routed.readings.keys() | routed.equalities.keys()
    groups = [
        group
        for node in survey.conjunctions
        for group in _groups(node)
        if survey.only_there(group) and not fixed & set(group.picks)
    ]
    if not groups:
        return []
    reads, domains = Reads.of(problem), root_domains(problem)
    found = (_store(problem.model, group, reads, survey, domains) for group in groups)
    return [store for store in found if store is not None]


class _Survey:
    """Every node of a problem, with what is looked for in them."""

    def __init__(self, problem: Problem) -> None:
        self.sums: list[ir.Linear] = []
        self.conjunctions: dict[ir.And, None] = {}
        self._parents: dict[ir.Bool, set[ir.Bool | None]] = {}
        self._seen: set[ir.Bool | ir.Linear | ir.Atom] = set()
        for root in (*problem.hard, *(soft for soft, _ in problem.soft)):
            self._condition(root.condition, None)
        for objective in problem.objectives:
            self._linear(objective.linear)
            self._condition(objective.defined, None)

    def only_there(self, group: Group) -> bool:
        """The group's variables are compared with one another nowhere else."""
        for clause in group.clauses:
            if self._parents[clause] != {group.node}:
                return False
            for item in clause.items if isinstance(clause, ir.Or) else (clause,):
                if isinstance(item, ir.Negation) and compared(item.item) is not None:
                    if item is not clause and self._parents[item] != {clause}:
                        return False
                    if self._parents[item.item] != {item}:
                        return False
        return True

    def sums_all(self, picks: Sequence[ir.IntVar], leaves: Mapping[ir.Tabled, ir.IntVar]) -> bool:
        """Each sum that has one of the leaves, one for each pick, has all of them with the same factor."""
        if sorted(pick.id for pick in leaves.values()) != [pick.id for pick in picks]:
            return False
        for linear in self.sums:
            factors = [c for atom, c in linear.terms if atom in leaves]
            if factors and (len(factors) != len(picks) or len(set(factors)) != 1):
                return False
        return True

    def _condition(self, node: ir.Bool, parent: ir.Bool | None) -> None:
        self._parents.setdefault(node, set()).add(parent)
        if node in self._seen:
            return
        tick()
        self._seen.add(node)
        match node:
            case ir.And(items=items) | ir.Or(items=items):
                if isinstance(node, ir.And) and len(items) >= FEWEST:
                    self.conjunctions[node] = None
                for item in items:
                    self._condition(item, node)
            case ir.Negation(item=item):
                self._condition(item, node)
            case ir.AtMostZero(linear=linear) | ir.IsZero(linear=linear):
                self._linear(linear)
            case _:
                pass

    def _linear(self, linear: ir.Linear) -> None:
        if linear in self._seen:
            return
        self._seen.add(linear)
        self.sums.append(linear)
        for atom, _ in linear.terms:
            if atom in self._seen:
                continue
            self._seen.add(atom)
            match atom:
                case ir.Indicator(condition=condition):
                    self._condition(condition, None)
                case ir.Select(cases=cases) | ir.Extreme(cases=cases):
                    for guard, value in cases:
                        self._condition(guard, None)
                        self._linear(value)
                case ir.Quotient(dividend=dividend):
                    self._linear(dividend)
                case ir.Product(left=left, right=right):
                    self._linear(left)
                    self._linear(right)
                case _:
                    pass


def _apart(clause: ir.Bool) -> tuple[Pair, tuple[ir.InDomain, ...]] | None:
    """The two variables that a clause lets differ, and what excuses them; None if it is not such a clause."""
    pairs, excuses = list[Pair](), list[ir.InDomain]()
    for item in clause.items if isinstance(clause, ir.Or) else (clause,):
        if isinstance(item, ir.InDomain):
            excuses.append(item)
        elif isinstance(item, ir.Negation) and (pair := compared(item.item)) is not None:
            pairs.append(frozenset(pair))
        else:
            return None
    return (pairs[0], tuple(excuses)) if len(pairs) == 1 and len(pairs[0]) == 2 else None


def _groups(node: ir.And) -> list[Group]:
    """The groups of variables of which a conjunction says that all differ."""
    clauses: dict[Pair, ir.Bool] = {}
    excuses: dict[Pair, tuple[ir.InDomain, ...]] = {}
    rivals: dict[ir.IntVar, set[ir.IntVar]] = {}
    for clause in node.items:
        found = _apart(clause)
        if found is not None:
            pair, excuses[found[0]] = found
            clauses[pair] = clause
            for pick in pair:
                rivals.setdefault(pick, {pick}).update(pair)
    groups, met = [], set[ir.IntVar]()
    for pick, whole in rivals.items():
        if pick in met or len(whole) < FEWEST or any(rivals[other] != whole for other in whole):
            continue
        met |= whole
        picks = tuple(sorted(whole, key=lambda var: var.id))
        between = {pair: each for pair, each in excuses.items() if pair <= whole}
        excused = {one: _of_one(one, between) for one in picks}
        if all(
            set(each) == {item for one in pair for item in excused[one]} for pair, each in between.items()
        ):
            groups.append(Group(node, picks, frozenset(clauses[pair] for pair in between), excused))
    return groups


def _of_one(pick: ir.IntVar, between: Mapping[Pair, tuple[ir.InDomain, ...]]) -> tuple[ir.InDomain, ...]:
    """What excuses a pick from being different from any other."""
    first, *others = (each for pair, each in between.items() if pick in pair)
    return tuple(item for item in first if all(item in other for other in others))


def _store(
    model: NodeBuilder,
    group: Group,
    reads: Reads,
    survey: _Survey,
    domains: Mapping[ir.IntVar, Domain],
) -> Store | None:
    """The group's values by classes; None where that would not make it smaller."""
    picks = group.picks
    for pick in picks:
        equalities = reads.equalities[pick]
        if equalities.keys() != set(picks) - {pick} or any(e.sides != LESS for e in equalities.values()):
            return None
    whole = Domain(())
    for pick in picks:
        whole = whole | domains[pick]
    if not 1 < whole.size <= MOST_VALUES:
        return None
    codes = tuple(whole)
    columns: dict[tuple[int, ...], None] = {}
    tables: dict[tuple[int, tuple[int, ...]], dict[ir.Tabled, ir.IntVar]] = {}
    for pick in picks:
        if domains[pick].size != whole.size:
            columns[domains[pick].indicators(codes)] = None
        sides: dict[ir.Tabled, int] = {}
        for reading in reads.readings.get(pick, ()):
            leaf = reading.leaf
            if isinstance(leaf, ir.Tabled) and leaf.vars == (pick,):
                sides[leaf] = sides.get(leaf, 0) | reading.sides
            else:
                columns[outcomes(leaf, pick, codes)] = None
        for leaf, side in sides.items():
            tables.setdefault((side, outcomes(leaf, pick, codes)), {})[leaf] = pick
    price: tuple[int, ...] | None = None
    prices: frozenset[ir.Tabled] = frozenset()
    side = LESS
    for (sides_of, column), leaves in tables.items():
        if price is None and len(set(column)) > 1 and sides_of != SAME and survey.sums_all(picks, leaves):
            price, prices, side = column, frozenset(leaves), sides_of
        else:
            columns[column] = None
    rows = zip(*columns, strict=True) if columns else ((),) * len(codes)
    alike: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    sign = 1 if side == LESS else -1
    for code, row, cost in zip(codes, rows, price or (0,) * len(codes), strict=True):
        alike.setdefault(tuple(row), []).append((sign * cost, code))
    if len(alike) > GAIN * len(codes):
        return None
    first: dict[int, int] = {}
    classes: dict[int, Class] = {}
    dearer: list[ir.Linear] = []
    for members in alike.values():
        members.sort()
        of, more = _class(model, group, members, domains, sign)
        classes[of.codes[0]] = of
        dearer.append(more)
        first.update(dict.fromkeys(of.codes, of.codes[0]))
    differ = model.conj(of.kept for of in classes.values())
    return Store(group, first, classes, prices, side, model.sum(dearer), differ)


def _class(
    model: NodeBuilder,
    group: Group,
    members: Sequence[tuple[int, int]],
    domains: Mapping[ir.IntVar, Domain],
    sign: int,
) -> tuple[Class, ir.Linear]:
    """A class of values, given as (price, value) from the best on, and what its picks cost more than its first value."""
    tick()
    codes = tuple(code for _, code in members)
    taking = [
        model.conj((model.member(pick, Domain.of(codes[:1])), *map(model.negate, group.excuses[pick])))
        for pick in group.picks
        if codes[0] in domains[pick]
    ]
    taking = [condition for condition in taking if condition is not ir.FALSE]
    taken = model.sum(map(model.indicator, taking))
    least = members[0][0]
    more = tuple(accumulate(price - least for price, _ in members[: len(taking)]))
    if not any(more):
        kept = model.at_most_zero(model.minus(taken, model.constant(len(codes))))
        return Class(codes, None, kept), model.constant(0)
    counter = model.var(f"count of {group.picks[0].name} {codes[0]}", Domain.interval(0, len(more)))
    dearer = model.tabled((counter,), {(0,): 0, **{(i,): sign * x for i, x in enumerate(more, 1)}})
    kept = model.at_most_zero(model.minus(taken, model.of(counter)))
    return Class(codes, counter, kept), dearer
