"""Detection of variables that must all differ, and whose values form classes of interchangeable values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TypeAlias

from planspec.dsl.resources.deadline import tick
from planspec.solvers.ir import nodes as ir
from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.domain import Domain
from planspec.solvers.ir.problem import LinearObjective, NoOverlap, Problem, Rooted
from planspec.solvers.reductions.reads import LESS, SAME, Reads, VariableReads, compared, outcomes, root_domains

MIN_PICKS = 3
"""Minimum number of variables (picks) in a group. With two picks, an exemption could belong to either of them."""
MAX_VALUES = 5_000
"""Maximum number of values of the variables (picks) in a group."""
MAX_CLASS_SHARE = 0.75
"""Maximum number of classes of values, as a share of the number of values. Groups with more classes are ignored."""

Pair: TypeAlias = frozenset[ir.IntVar]
"""Two variables, in no order."""


@dataclass(frozen=True, slots=True, eq=False)
class PickGroup:
    """Variables (picks) that a conjunction requires to be pairwise different.

    Attributes:
        node: the conjunction.
        picks: the variables.
        clauses: conjuncts that each require two picks to differ.
        exemptions: for each pick, conditions under which it need not differ from the others.
    """

    node: ir.And
    picks: tuple[ir.IntVar, ...]
    clauses: frozenset[ir.Bool]
    exemptions: Mapping[ir.IntVar, tuple[ir.InDomain, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class ValueClass:
    """A class of interchangeable values of picks (variables). No condition distinguishes them, but prices may differ.

    The best value of the class has the lowest price, or the highest price if a higher price is better. In the reduced
    problem, the best value stands for the whole class: each pick that takes a value of the class takes this value.

    Attributes:
        codes: the values, best first.
        counter: variable for the number of picks that take a value of the class; `has_enough` requires that it is at
            least this number. None if no counter is needed: there are enough values with the best price for all picks,
            or all values have the best price.
        has_enough: condition that the number of picks that take a value of the class does not exceed the number of
            values or, if there is a counter, the counter. Picks that need not differ from the others do not count.
    """

    codes: tuple[int, ...]
    counter: ir.IntVar | None
    has_enough: ir.Bool


@dataclass(frozen=True, slots=True, eq=False)
class CountableGroup:
    """Variables (picks) that must all differ, and for which only the number of picks per class of values matters.

    Attributes:
        pick_group: the picks.
        representative_of: for each value, the best value of its class: the one with the lowest price if `side` is
            LESS, or with the highest price if `side` is MORE.
        classes: the classes of values, by their best values.
        prices: for each pick, the table of its price, as it occurs in sums.
        side: LESS if a lower price is better, MORE if a higher price is better.
        extra_cost: the total price of the picks minus what it would be if each pick had the best value of its class.
            This is a linear expression over the counters of the classes.
        can_differ: condition that each class has enough values for its picks to differ.
    """

    pick_group: PickGroup
    representative_of: Mapping[int, int]
    classes: Mapping[int, ValueClass]
    prices: frozenset[ir.Tabled]
    side: int
    extra_cost: ir.Linear
    can_differ: ir.Bool

    @property
    def representatives(self) -> Domain:
        """The best value of each class of interchangeable values, which stands for the class."""
        return Domain.of(self.classes)


def countable_groups(problem: Problem, reads_of: Reads = VariableReads.of) -> list[CountableGroup]:
    """Return the groups of all-different variables that have classes of interchangeable values.

    For the problem, it only matters how many variables of a group take a value of each class.

    Args:
        problem: the problem.
        reads_of: function that returns the nodes that read each variable of a problem. A `SharedReads` reuses results
            of earlier calls.

    Raises:
        BoundError: the extra cost of a group (`CountableGroup.extra_cost`) may exceed 2**53.
    """
    reads = reads_of(problem)
    if not _may_have_groups(reads):
        return []
    survey = _Survey(problem)
    facts = VariableReads.of(_derived_constraints(problem))
    fixed = facts.readings.keys() | facts.equalities.keys()
    groups = [
        group
        for node in survey.conjunctions
        for group in _groups(node)
        if survey.has_no_other_comparisons(group) and not fixed & set(group.picks)
    ]
    if not groups:
        return []
    domains = root_domains(problem)
    candidates = (_countable(problem.model, group, reads, survey, domains) for group in groups)
    return [each for each in candidates if each is not None]


def _may_have_groups(reads: VariableReads) -> bool:
    """Return whether some variables must all differ from one another, and are compared with no other variable.

    A problem without such variables has no group that `_countable` accepts, so its nodes need not be indexed.
    """
    rivals = {
        var: {var, *equalities}
        for var, equalities in reads.equalities.items()
        if len(equalities) >= MIN_PICKS - 1 and all(equality.sides == LESS for equality in equalities.values())
    }
    return any(all(rivals.get(other) == whole for other in whole) for whole in rivals.values())


def _derived_constraints(problem: Problem) -> Problem:
    """Return a problem that consists of the conditions and expressions in the problem's derived constraints.

    Derived constraints, such as routes, restate what other parts of the problem already require. The result is not
    solved, but only used to find the variables that derived constraints read.
    """
    arcs = [
        condition
        for routes in problem.routes
        for arc in routes.arcs
        for condition in (arc.condition, arc.implies)
        if condition is not None
    ]
    apart = [fact for routes in problem.routes for fact in routes.apart]
    arcs += [fact for fact in apart if not isinstance(fact, NoOverlap)]
    no_overlaps = [*problem.no_overlaps, *(fact for fact in apart if isinstance(fact, NoOverlap))]
    intervals = [interval for no_overlap in no_overlaps for interval in no_overlap.intervals]
    intervals += [interval for cumulative in problem.cumulatives for interval in cumulative.intervals]
    intervals += [interval for peak in problem.peaks for group, _ in peak.uses for interval in group]
    intervals += [interval for boxes in problem.boxes for interval in (*boxes.across, *boxes.along)]
    forms = [form for each in intervals for form in (each.start, each.length)]
    forms += [form for different in problem.different for form in different.forms]
    return replace(
        problem,
        hard=[Rooted(node, "") for node in (*arcs, *(interval.present for interval in intervals))],
        soft=[],
        objectives=[LinearObjective(form, ir.TRUE) for form in forms],
    )


class _Survey:
    """An index of a problem's nodes: sums, conjunctions and parents."""

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

    def has_no_other_comparisons(self, group: PickGroup) -> bool:
        """Return whether only the group's own clauses compare its variables with one another."""
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

    def always_summed_together(self, picks: Sequence[ir.IntVar], leaves: Mapping[ir.Tabled, ir.IntVar]) -> bool:
        """Return whether each pick has one price, and each sum has all prices with the same factor, or no price.

        `leaves` has the pick of each price.
        """
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
                if isinstance(node, ir.And) and len(items) >= MIN_PICKS:
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


def _difference(clause: ir.Bool) -> tuple[Pair, tuple[ir.InDomain, ...]] | None:
    """Return the variables x and y of a clause `x != y or ...`, and the clause's other conditions (exemptions).

    Return None if the clause has another form.
    """
    pairs, exemptions = list[Pair](), list[ir.InDomain]()
    for item in clause.items if isinstance(clause, ir.Or) else (clause,):
        if isinstance(item, ir.InDomain):
            exemptions.append(item)
        elif isinstance(item, ir.Negation) and (pair := compared(item.item)) is not None:
            pairs.append(frozenset(pair))
        else:
            return None
    return (pairs[0], tuple(exemptions)) if len(pairs) == 1 and len(pairs[0]) == 2 else None


def _groups(node: ir.And) -> list[PickGroup]:
    """Return the groups of variables that a conjunction requires to be pairwise different."""
    clauses: dict[Pair, ir.Bool] = {}
    exemptions: dict[Pair, tuple[ir.InDomain, ...]] = {}
    rivals: dict[ir.IntVar, set[ir.IntVar]] = {}
    for clause in node.items:
        difference = _difference(clause)
        if difference is not None:
            pair, exemptions[difference[0]] = difference
            clauses[pair] = clause
            for pick in pair:
                rivals.setdefault(pick, {pick}).update(pair)
    groups, seen = [], set[ir.IntVar]()
    for pick, whole in rivals.items():
        if pick in seen or len(whole) < MIN_PICKS or any(rivals[other] != whole for other in whole):
            continue
        seen |= whole
        picks = tuple(sorted(whole, key=lambda var: var.id))
        between = {pair: each for pair, each in exemptions.items() if pair <= whole}
        exempted = {one: _exemptions_of(one, between) for one in picks}
        if all(set(each) == {item for one in pair for item in exempted[one]} for pair, each in between.items()):
            groups.append(PickGroup(node, picks, frozenset(clauses[pair] for pair in between), exempted))
    return groups


def _exemptions_of(pick: ir.IntVar, between: Mapping[Pair, tuple[ir.InDomain, ...]]) -> tuple[ir.InDomain, ...]:
    """Return the conditions under which a variable x need not differ from any other variable of its group.

    These are the conditions that occur in every clause `x != y or ...` of the variable.

    Args:
        pick: the variable x.
        between: for each pair of variables x and y, the items of the clause `x != y or ...` other than `x != y`.
    """
    first, *others = (each for pair, each in between.items() if pick in pair)
    return tuple(item for item in first if all(item in other for other in others))


def _countable(
    model: NodeBuilder,
    group: PickGroup,
    reads: VariableReads,
    survey: _Survey,
    domains: Mapping[ir.IntVar, Domain],
) -> CountableGroup | None:
    """Return a group of all-different variables with its classes of interchangeable values.

    Return None if counting the variables per class is not valid or makes the problem no smaller.
    """
    picks = group.picks
    for pick in picks:
        equalities = reads.equalities[pick]
        if equalities.keys() != set(picks) - {pick} or any(e.sides != LESS for e in equalities.values()):
            return None
    whole = Domain(())
    for pick in picks:
        whole = whole | domains[pick]
    if not 1 < whole.size <= MAX_VALUES:
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
    for (table_sides, column), leaves in tables.items():
        if (
            price is None
            and len(set(column)) > 1
            and table_sides != SAME
            and survey.always_summed_together(picks, leaves)
        ):
            price, prices, side = column, frozenset(leaves), table_sides
        else:
            columns[column] = None
    rows = zip(*columns, strict=True) if columns else ((),) * len(codes)
    members_by_row: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    sign = 1 if side == LESS else -1
    for code, row, cost in zip(codes, rows, price or (0,) * len(codes), strict=True):
        members_by_row.setdefault(tuple(row), []).append((sign * cost, code))
    if len(members_by_row) > MAX_CLASS_SHARE * len(codes):
        return None
    representative_of: dict[int, int] = {}
    classes: dict[int, ValueClass] = {}
    extra_costs: list[ir.Linear] = []
    for members in members_by_row.values():
        members.sort()
        class_, extra_cost = _value_class(model, group, members, domains, sign)
        classes[class_.codes[0]] = class_
        extra_costs.append(extra_cost)
        representative_of.update(dict.fromkeys(class_.codes, class_.codes[0]))
    can_differ = model.conj(class_.has_enough for class_ in classes.values())
    return CountableGroup(group, representative_of, classes, prices, side, model.sum(extra_costs), can_differ)


def _value_class(
    model: NodeBuilder,
    group: PickGroup,
    members: Sequence[tuple[int, int]],
    domains: Mapping[ir.IntVar, Domain],
    sign: int,
) -> tuple[ValueClass, ir.Linear]:
    """Return a class of interchangeable values, and the extra cost of picking several of them.

    The extra cost of n picks is the total price of the n best values, minus n times the price of the best value. It is
    a function of n, the value of `ValueClass.counter`.

    Args:
        model: builder of the nodes.
        group: variables that must pick different values.
        members: the values of the class as pairs (price, value), best first.
        domains: domain of each variable.
        sign: 1 if prices are minimised, -1 if they are maximised.
    """
    tick()
    codes = tuple(code for _, code in members)
    taking = [
        model.conj((model.member(pick, Domain.of(codes[:1])), *map(model.negate, group.exemptions[pick])))
        for pick in group.picks
        if codes[0] in domains[pick]
    ]
    taking = [condition for condition in taking if condition is not ir.FALSE]
    taken = model.sum(map(model.indicator, taking))
    least = members[0][0]
    extra_costs = tuple(accumulate(price - least for price, _ in members[: len(taking)]))
    if not any(extra_costs):
        has_enough = model.at_most_zero(model.minus(taken, model.constant(len(codes))))
        return ValueClass(codes, None, has_enough), model.constant(0)
    counter = model.var(f"count of {group.picks[0].name} {codes[0]}", Domain.interval(0, len(extra_costs)))
    extra_cost = model.tabled((counter,), {(0,): 0, **{(i,): sign * x for i, x in enumerate(extra_costs, 1)}})
    has_enough = model.at_most_zero(model.minus(taken, model.of(counter)))
    return ValueClass(codes, counter, has_enough), extra_cost
