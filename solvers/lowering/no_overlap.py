"""Lowering of rules that the rows of a group, such as the jobs of one machine, follow one another without overlap.

Authors write `all(END(a) <= START(b) for a, b in steps(x for x in R, by=START(x), per=GROUP(x)))`, where `END` reads
only the earlier row. Such a rule is equivalent to `END(a) <= START(b)` for all pairs of rows of a group in which a
starts no later than b, even if other rows lie between them:

- Every step is such a pair, because rows with equal starts are steps in both directions.
- If a starts before b, a has a step to a row c that starts next and no later than b, so
  `END(a) <= START(c) <= START(b)`.

Conditions on all pairs therefore replace the conditions on neighbours, which depend on the rows in between. If each row
ends after its start, one clause per pair suffices: one of the two rows ends before the other starts.

Back ends also get a no-overlap constraint. It follows from the rule if no row ends before its start. The constraint is
weaker than the rule, which also forbids a row of length 0 at the start of another row.

Authors also write a clause for each pair of rows, `END(a) <= START(b) or END(b) <= START(a)`. Such clauses yield the
same constraint.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from planspec.dsl.model import tree as t
from planspec.dsl.model.traversal import free_variables
from planspec.dsl.model.types import INTEGRAL, ScalarType
from planspec.dsl.resources.deadline import tick
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.nodes import FALSE, TRUE, And, AtMostZero, Bool, IntVar, Linear, Negation, Or, conjuncts
from planspec.solvers.ir.problem import Interval, NoOverlap, Rooted
from planspec.solvers.lowering.atoms import Atoms
from planspec.solvers.lowering.context import LoweringContext, SymbolicEnv
from planspec.solvers.lowering.relations import (
    UNLISTED,
    Element,
    EncounteredRelations,
    PeakRule,
    PeakValue,
    SuccessionRule,
    binding_key,
    possible_groups,
    required,
)
from planspec.solvers.lowering.symbolic import Num

LEAST_INTERVALS = 3
"""Minimum number of intervals in a no-overlap constraint. For two intervals, one clause suffices."""

_DIRECTIONS = {"<=": 1, "<": 1, ">=": -1, ">": -1}


@dataclass(frozen=True, slots=True)
class _Comparison:
    """The comparison in `all(END(a) <= START(b) for a, b in steps(...))`, for two sums END and START.

    Attributes:
        source: the expression `steps(...)`.
        by: expression by which `steps` orders the rows (`by=`).
        earlier: variable of the earlier row.
        later: variable of the later row.
        end: terms of END, each with its factor. None of them reads the later row.
        start: terms of START, each with its factor. Each of them reads the later row and not the earlier one.
        is_strict: whether END must be less than START.
    """

    source: t.Steps
    by: t.Expr
    earlier: t.Binding
    later: t.Binding
    end: tuple[tuple[int, t.Expr], ...]
    start: tuple[tuple[int, t.Expr], ...]
    is_strict: bool


def condition(
    context: LoweringContext, expr: t.Aggregate, env: SymbolicEnv, bindings: Iterable[tuple[Bool, SymbolicEnv]]
) -> Bool | None:
    """Lower `all(END(a) <= START(b) for a, b in steps(...))` to conditions on pairs.

    Args:
        context: the current lowering.
        expr: the aggregate `all`.
        env: values of the variables outside it.
        bindings: every binding of the generator of `steps` (an element), with the condition that it exists.

    Returns:
        The condition; None if `expr` is of another form.
    """
    comparison = _comparison(expr)
    if comparison is None:
        return None
    model, algebra = context.model, context.algebra
    elements: list[Element] = []
    ends: list[tuple[Bool, Linear]] = []
    starts: list[Linear] = []
    for guard, inner in bindings:
        rank = context.value(comparison.by, inner)
        per = comparison.source.per
        group = None if per is None else context.value(per, inner)
        present = model.conj((guard, algebra.defined(rank), TRUE if per is None else algebra.defined(group)))
        if present is FALSE:
            continue
        row = context.value(comparison.source.body, inner)
        start = _sum(context, comparison.start, {**env, comparison.later: row})
        end = _sum(context, comparison.end, {**env, comparison.earlier: row})
        number = algebra.num(rank)
        if start is None or end is None or not _is_rank(start, number):
            return None
        elements.append(Element(binding_key(comparison.source.clauses, inner), present, rank, group))
        starts.append(number.linear)
        ends.append((end[0], model.plus(end[1], model.constant(1)) if comparison.is_strict else end[1]))
    intervals = [(defined, start, model.minus(end, start)) for start, (defined, end) in zip(starts, ends, strict=True)]
    one_clause = have_positive_lengths(intervals)
    result = context.fold(model.conj(pairs(context, elements, starts, ends, one_clause=one_clause)))
    context.encountered.successions.append(SuccessionRule(elements, intervals, one_clause, result))
    return result


def _comparison(expr: t.Aggregate) -> _Comparison | None:
    """Return the comparison in `all(END(a) <= START(b) ...)`; None if the aggregate has another form."""
    match expr:
        case t.Aggregate(
            function="all",
            clauses=(t.Clause(targets=(earlier, later), source=t.Steps(by=t.Typed() as by) as source, condition=None),),
            body=t.Compare(operands=(left, right), ops=(op,)),
        ) if op in _DIRECTIONS and left.type in INTEGRAL and by.type in INTEGRAL:
            direction = _DIRECTIONS[op]
            end: list[tuple[int, t.Expr]] = []
            start: list[tuple[int, t.Expr]] = []
            for factor, term in (*_terms(left, direction), *_terms(right, -direction)):
                read = free_variables(term)
                if later not in read:
                    end.append((factor, term))
                elif earlier not in read:
                    start.append((-factor, term))
                else:
                    return None
            return _Comparison(source, by, earlier, later, tuple(end), tuple(start), op in "<>")
    return None


def _terms(expr: t.Expr, factor: int) -> Iterator[tuple[int, t.Expr]]:
    """Yield the terms of `factor * expr` as pairs (factor, term). A sum or difference `expr` has several terms."""
    match expr:
        case t.Arith(op="+" | "-" as op, left=left, right=right):
            for term, sign in ((left, 1), (right, 1 if op == "+" else -1)):
                is_day = op == "+" and expr.type is ScalarType.MOMENT and term.type is ScalarType.DATE
                yield from _terms(term, factor * sign * (MINUTES_A_DAY if is_day else 1))
        case t.Negate(operand=operand):
            yield from _terms(operand, -factor)
        case _:
            yield factor, expr


def _sum(context: LoweringContext, terms: Sequence[tuple[int, t.Expr]], env: SymbolicEnv) -> tuple[Bool, Linear] | None:
    """Return the condition that a sum of pairs (factor, term) is defined, and the sum.

    Return None if a term is not a whole number. `env` has the values of the terms' variables.
    """
    numbers = [(factor, context.algebra.num(context.value(term, env))) for factor, term in terms]
    if any(number.scale != 1 for _, number in numbers):
        return None
    model = context.model
    total = model.sum(model.scale(number.linear, factor) for factor, number in numbers)
    return model.conj(number.defined for _, number in numbers), total


def _is_rank(start: tuple[Bool, Linear], rank: Num) -> bool:
    """Return whether a row's start equals its rank (value of `by=`), and is defined whenever the rank is defined.

    `start` is the condition that the start is defined, and the start.
    """
    defined, linear = start
    return rank.scale == 1 and linear is rank.linear and (defined is TRUE or defined is rank.defined)


def have_positive_lengths(intervals: Sequence[tuple[Bool, Linear, Linear]]) -> bool:
    """Return whether each interval (condition, start, length) has a length of at least 1."""
    return all(length.low >= 1 for _, _, length in intervals)


def _is_interval(length: Linear) -> bool:
    """Return whether a length is never negative, as an interval requires."""
    return length.low >= 0


def pairs(
    context: LoweringContext,
    elements: Sequence[Element],
    starts: Sequence[Linear],
    ends: Sequence[tuple[Bool, Linear]],
    *,
    one_clause: bool,
) -> Iterator[Bool]:
    """Yield conditions on pairs of elements. Together they require that the elements of a group do not overlap.

    Args:
        context: the current lowering.
        elements: the elements (rows with an interval), each with its group and the condition that it exists.
        starts: start of each element.
        ends: for each element, the condition that its end is defined, and its end.
        one_clause: whether to yield only one clause for each pair. Each element must then end after its start.
    """
    model = context.model

    def precedes(i: int, j: int) -> Bool:
        defined, end = ends[i]
        return model.conj((defined, model.at_most_zero(model.minus(end, starts[j]))))

    for i, one in enumerate(elements):
        tick()
        for j in range(i + 1, len(elements)):
            other = elements[j]
            same = TRUE if one.group is other.group else context.atoms.equal(one.group, other.group)
            apart = model.negate(model.conj((one.present, other.present, same)))
            if apart is TRUE:
                continue
            if one_clause:
                yield model.disj((apart, precedes(i, j), precedes(j, i)))
                continue
            for a, b in ((i, j), (j, i)):
                is_later = model.negate(model.at_most_zero(model.minus(starts[a], starts[b])))
                yield model.disj((apart, is_later, precedes(a, b)))


def no_overlaps(
    encountered: EncounteredRelations, hard: Sequence[Rooted], model: NodeBuilder, atoms: Atoms
) -> list[NoOverlap]:
    """Return the no-overlap constraints that hard conditions imply: uses of `no_overlap` or `steps`, and clauses.

    Such a clause is `END(a) <= START(b) or END(b) <= START(a)`.
    """
    rules = required(encountered.successions, (root.condition for root in hard))
    covered = {id(part) for rule in rules for part in conjuncts(rule.condition)}
    result = list(_written_pairs(hard, covered, model))
    for rule in rules:
        groups = intervals_by_group(rule, model, atoms)
        result += (NoOverlap(tuple(group.values())) for group, _ in groups if len(group) >= LEAST_INTERVALS)
    return result


def intervals_by_group(
    rule: SuccessionRule | PeakRule | PeakValue, model: NodeBuilder, atoms: Atoms
) -> Iterator[tuple[dict[int, Interval], dict[int, Bool]]]:
    """Yield, for each group of a rule's elements (rows), the intervals of the elements, and conditions of membership.

    Both mappings are keyed by the index of an element that may be in the group. The condition of membership holds if
    the element is in the group. Elements with a length that may be negative have no interval.
    """
    groups = dict.fromkeys(group for element in rule.elements for group in possible_groups(element.group))
    for group in groups:
        if group is UNLISTED:
            continue
        intervals: dict[int, Interval] = {}
        members: dict[int, Bool] = {}
        for index, (element, (defined, start, length)) in enumerate(zip(rule.elements, rule.intervals, strict=True)):
            inside = TRUE if element.group is None else atoms.equal(element.group, group)
            if inside is not FALSE:
                members[index] = inside
            present = model.conj((element.present, defined, inside))
            if present is not FALSE and _is_interval(length):
                intervals[index] = Interval(present, start, length)
        yield intervals, members


# -- clauses for pairs of rows, written in the task -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Edge:
    """A clause that orders two variables: one of them, plus a length, is at most the other.

    Attributes:
        pair: ids of the two variables.
        lengths: length of each variable that may be the earlier one, by its id.
        guards: the other items of the clause, by their ids. The variables need not be ordered if one of them holds.
    """

    pair: frozenset[int]
    lengths: Mapping[int, int]
    guards: Mapping[int, Bool]


def _written_pairs(hard: Sequence[Rooted], covered: Container[int], model: NodeBuilder) -> Iterator[NoOverlap]:
    """Yield the no-overlap constraints that follow from clauses on pairs of variables, the starts of two rows.

    An example is `not here(a) or not here(b) or END(a) <= START(b) or END(b) <= START(a)`. The guards of a clause are
    its conditions other than comparisons, such as `not here(a)`. They are divided between the two rows: a guard that
    occurs in all clauses with a row's start is a condition under which this row is absent.

    If the domains rule out one order of the rows, the clause has only one comparison. If the domains ensure that one
    row ends before the other starts, there is no clause.

    Args:
        hard: the hard conditions.
        covered: ids of clauses to ignore, because their intervals have been found already.
        model: builder of the nodes.
    """
    variables: dict[int, IntVar] = {}
    for clauses in _clauses_by_constraint(hard):
        edges: dict[frozenset[int], _Edge | None] = {}
        for clause in clauses:
            edge = None if id(clause) in covered else _edge(clause, variables, model)
            if edge is not None:
                edges[edge.pair] = edge if edge.pair not in edges else None
        valid = {pair: edge for pair, edge in edges.items() if edge is not None}
        absent: dict[int, Mapping[int, Bool]] = {}
        lengths: dict[int, int] = {}
        for pair, edge in valid.items():
            for var, length in edge.lengths.items():
                lengths[var] = min(length, lengths.get(var, length))
            for var in pair:
                shared = absent.get(var, edge.guards)
                absent[var] = {key: guard for key, guard in shared.items() if key in edge.guards}
        neighbours: dict[int, set[int]] = {}
        for pair, edge in valid.items():
            a, b = pair
            if _is_union(edge.guards, absent[a], absent[b]):
                neighbours.setdefault(a, set()).add(b)
                neighbours.setdefault(b, set()).add(a)
        for a, b in combinations(lengths, 2):
            if frozenset((a, b)) not in edges and _are_ordered(variables[a], variables[b], lengths):
                neighbours.setdefault(a, set()).add(b)
                neighbours.setdefault(b, set()).add(a)
        for clique in cliques({a: others & lengths.keys() for a, others in neighbours.items() if a in lengths}):
            yield NoOverlap(
                tuple(
                    Interval(
                        model.conj(model.negate(guard) for guard in absent[a].values()),
                        model.of(variables[a]),
                        model.constant(lengths[a]),
                    )
                    for a in clique
                )
            )


def _are_ordered(one: IntVar, other: IntVar, lengths: Mapping[int, int]) -> bool:
    """Return whether the domains of the starts of two rows ensure that one of the rows ends before the other starts.

    Either row may be the earlier one. `lengths` has the length of each row, by the id of the row's start variable.
    """
    return any(
        earlier.domain.high + lengths[earlier.id] <= later.domain.low for earlier, later in ((one, other), (other, one))
    )


def _is_union(guards: Mapping[int, Bool], one: Mapping[int, Bool], other: Mapping[int, Bool]) -> bool:
    """Return whether the guards of a clause are exactly the union of the guards of two rows, `one` and `other`."""
    return guards.keys() == one.keys() | other.keys()


def _clauses_by_constraint(hard: Sequence[Rooted]) -> Iterator[Iterable[Or]]:
    """Yield groups of clauses with a common origin among the hard conditions.

    The clauses of one hard condition form a group if there are several. Single clauses are grouped by constraint.
    """
    single: dict[str, dict[int, Or]] = {}
    for root in hard:
        clauses = {id(part): part for part in conjuncts(root.condition) if isinstance(part, Or)}
        if len(clauses) > 1:
            yield clauses.values()
        else:
            single.setdefault(root.origin.partition("[")[0], {}).update(clauses)
    yield from (clauses.values() for clauses in single.values())


def _edge(clause: Or, variables: dict[int, IntVar], model: NodeBuilder) -> _Edge | None:
    """Return a clause with one comparison or two opposite comparisons as an edge; None for other clauses.

    The compared variables are added to `variables`, by id.
    """
    lengths: dict[int, int] = {}
    ends: list[tuple[int, int]] = []
    guards: dict[int, Bool] = {}
    for item in clause.items:
        link = precedence(item)
        if link is None:
            match item:
                case Negation(item=And(items=parts)):
                    guards.update((id(guard), guard) for guard in map(model.negate, parts))
                case _:
                    guards[id(item)] = item
            continue
        earlier, later, length = link
        variables[earlier.id], variables[later.id] = earlier, later
        lengths[earlier.id] = length
        ends.append((earlier.id, later.id))
    is_edge = len(ends) == 1 or (len(ends) == 2 and ends[0] == ends[1][::-1])
    if is_edge and min(lengths.values()) >= 0:
        return _Edge(frozenset(ends[0]), lengths, guards)
    return None


def precedence(item: Bool) -> tuple[IntVar, IntVar, int] | None:
    """Return x, y and d of a condition `x + d <= y`; None for other conditions."""
    match item:
        case AtMostZero(linear=Linear(terms=terms, constant=constant)):
            sign = 1
        case Negation(item=AtMostZero(linear=Linear(terms=terms, constant=constant))):
            sign, constant = -1, 1 - constant
        case _:
            return None
    match sorted(terms, key=lambda term: -sign * term[1]):
        case [(IntVar() as earlier, a), (IntVar() as later, b)] if (a, b) == (sign, -sign):
            return earlier, later, constant
    return None


def cliques(neighbours: Mapping[int, set[int]]) -> Iterator[list[int]]:
    """Yield disjoint cliques of at least `LEAST_INTERVALS` nodes of a graph, given by the neighbours of each node."""
    left = dict(neighbours)
    while left:
        node = max(left, key=lambda each: len(left[each]))
        clique = [node]
        candidates = left[node]
        while candidates:
            other = max(candidates, key=lambda each: len(left[each] & candidates))
            clique.append(other)
            candidates = candidates & left[other]
        if len(clique) >= LEAST_INTERVALS:
            yield clique
        for each in clique:
            del left[each]
        left = {key: others & left.keys() for key, others in left.items()}
