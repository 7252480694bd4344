"""The nodes of a problem that read each variable, and whether greater or smaller values of a node may help.

A value helps if it satisfies a condition of the problem or lowers an objective, which is minimised. For a condition
that must hold, only true can help; for a minimised expression, only a smaller value. The nodes below inherit this
direction through sums and connectives. MORE means that only a greater value of a node (true, for a condition) may help;
LESS means that only a smaller value may help. SAME means that either may help, so any change of the value may also
hurt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from planspec.dsl.resources.deadline import tick
from planspec.solvers.ir import nodes as ir
from planspec.solvers.ir.domain import Domain
from planspec.solvers.ir.problem import Problem, Rooted

MORE, LESS, SAME = 1, 2, 3
"""Polarity (sides) of a node: which of its values may help to satisfy conditions or improve objectives.

Greater values (MORE), smaller values (LESS), or either (SAME) may help. SAME is the bit set of MORE and LESS.
"""

Leaf: TypeAlias = ir.IntVar | ir.InDomain | ir.InTable | ir.Tabled
"""A node that directly reads variables."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A node that reads a variable, and whether greater or smaller values of the node may help.

    They help if they satisfy conditions of the problem or improve objectives.

    Attributes:
        leaf: the node.
        sides: MORE if only a greater value of the node (true, for a condition) may help, LESS if only a smaller value
            may help, SAME if either may help.
        live: values of the variable for which the node matters; None for all. In `x in {1, 2} and 3*x + y <= 9`, the
            sum matters only for x in {1, 2}, because the conjunction is false for any other x. The condition `x in {1,
            2}` is a separate reading of x.
    """

    leaf: Leaf
    sides: int
    live: Domain | None


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """A comparison `x == y` of two variables in a problem.

    Attributes:
        sides: MORE if only equal values may help to satisfy conditions or improve objectives, LESS if only different
            values may help, SAME if either may help.
        codes: values of the variables for which the comparison matters; None for all.
    """

    sides: int
    codes: Domain | None


@dataclass(slots=True)
class VariableReads:
    """The nodes that read each variable of a problem.

    Attributes:
        readings: nodes that read each variable, except comparisons of two variables.
        equalities: `equalities[x][y]` is the comparison of the variables x and y for equality.
    """

    readings: dict[ir.IntVar, list[Reading]]
    equalities: dict[ir.IntVar, dict[ir.IntVar, ComparedPair]]

    @classmethod
    def of(cls, problem: Problem) -> VariableReads:
        """Return the nodes that read each variable in the problem's conditions and objectives."""
        return SharedReads()(problem)


Reads: TypeAlias = Callable[[Problem], VariableReads]
"""A function that returns the nodes that read each variable of a problem."""


class SharedReads:
    """Callable that returns the nodes that read each variable of a problem.

    If a problem only adds hard conditions to the problem of the last call, only these conditions are visited.
    """

    def __init__(self) -> None:
        self._visitor = _Visitor()
        self._hard: list[Rooted] = []
        self._rest: object = None
        self._reads: VariableReads | None = None

    def __call__(self, problem: Problem) -> VariableReads:
        """Return the nodes that read each variable in the problem's conditions and objectives."""
        rest = problem.soft, problem.objectives
        count = len(self._hard)
        if self._reads is None or rest != self._rest or problem.hard[:count] != self._hard:
            self._visitor, self._hard, count = _Visitor(), [], 0
            self._visitor.rest(problem)
        elif len(problem.hard) == count:
            return self._reads
        self._visitor.hard(problem.hard[count:])
        self._hard, self._rest = list(problem.hard), rest
        by_variable: dict[ir.IntVar, list[Reading]] = {}
        for (leaf, var, live), sides in self._visitor.readings.items():
            by_variable.setdefault(var, []).append(Reading(leaf, sides, live))
        equalities = {var: dict(pairs) for var, pairs in self._visitor.equalities.items()}
        self._reads = VariableReads(by_variable, equalities)
        return self._reads


def variables(leaf: Leaf) -> tuple[ir.IntVar, ...]:
    """Return the variables that a leaf node, such as `x in {1, 2}`, reads."""
    match leaf:
        case ir.IntVar():
            return (leaf,)
        case ir.InDomain(var=var):
            return (var,)
        case _:
            return leaf.vars


def root_domains(problem: Problem) -> dict[ir.IntVar, Domain]:
    """Return the domain of each variable, narrowed by the hard conditions on single variables."""
    domains = {var: var.domain for var in problem.model.vars}
    for root in problem.hard:
        condition = root.condition
        for part in condition.items if isinstance(condition, ir.And) else (condition,):
            if isinstance(part, ir.InDomain):
                domains[part.var] = domains[part.var] & part.domain
    return domains


def outcomes(leaf: Leaf, var: ir.IntVar, codes: Sequence[int]) -> tuple[int, ...]:
    """Return, for each code of a variable, a number that identifies the outcome of a node.

    Two codes have the same number if and only if the node is the same function of its other variables for both.
    """
    match leaf:
        case ir.IntVar():
            return tuple(codes)
        case ir.InDomain(domain=domain):
            return domain.indicators(codes)
        case ir.Tabled(vars=(_,), values=values, default=default):
            return tuple(values.get((code,), default) for code in codes)
    if leaf.vars.count(var) > 1:
        return tuple(codes)
    place = leaf.vars.index(var)
    rows_by_code: dict[int, set[tuple[int, ...]]] = {}
    if isinstance(leaf, ir.InTable):
        for row in leaf.rows:
            rows_by_code.setdefault(row[place], set()).add((*row[:place], *row[place + 1 :]))
    else:
        for row, value in leaf.values.items():
            if value != leaf.default:
                rows_by_code.setdefault(row[place], set()).add((*row[:place], *row[place + 1 :], value))
    numbers: dict[frozenset[tuple[int, ...]], int] = {}
    return tuple(numbers.setdefault(frozenset(rows_by_code.get(code, ())), len(numbers)) for code in codes)


def opposite(sides: int) -> int:
    """Return the polarity of a negated or subtracted operand, given that of the whole expression.

    MORE and LESS are exchanged; SAME does not change.
    """
    return (sides & MORE) << 1 | (sides & LESS) >> 1


@dataclass(frozen=True, slots=True, eq=False)
class _Context:
    """A restriction of variables to the values for which certain nodes matter, and the nodes visited under it.

    Attributes:
        live: for each restricted variable, the values for which the nodes matter. For example, if x > 2 is a
            conjunct, the other conjuncts matter only for x > 2: for smaller x, the conjunction is false anyway.
        visited: for each visited node, which of its values may help to satisfy conditions or improve objectives,
            according to the visits so far: greater values (MORE), smaller values (LESS), or either (SAME).
    """

    live: Mapping[ir.IntVar, Domain] = field(default_factory=dict)
    visited: dict[ir.Bool | ir.Atom, int] = field(default_factory=dict)

    def new_sides(self, node: ir.Bool | ir.Atom, sides: int) -> int:
        """Record which values of a node may help to satisfy conditions or improve objectives.

        `sides` is MORE for greater values, LESS for smaller values, or SAME (the bit set of both) for either. Return
        the part of `sides` that was not recorded before; 0 if all of it was.
        """
        before = self.visited.get(node, 0)
        new = sides & ~before
        if new:
            self.visited[node] = before | sides
        return new


class _Visitor:
    """Visitor of all nodes below conditions and sums, which collects the nodes that read each variable.

    It visits a node once for each polarity (MORE or LESS: greater or smaller values may help) and each context (values
    of variables for which the node matters).
    """

    def __init__(self) -> None:
        self.readings: dict[tuple[Leaf, ir.IntVar, Domain | None], int] = {}
        self.equalities: dict[ir.IntVar, dict[ir.IntVar, ComparedPair]] = {}
        self._anywhere = _Context()
        self._contexts: dict[frozenset[tuple[ir.IntVar, Domain]], _Context] = {frozenset(): self._anywhere}

    def hard(self, roots: Iterable[Rooted]) -> None:
        """Visit hard conditions. They must be true, so only greater values of them can help (MORE)."""
        for root in roots:
            self._condition(root.condition, MORE, self._anywhere)

    def rest(self, problem: Problem) -> None:
        """Visit soft conditions, which should be true (MORE), and objectives, which are minimised (LESS)."""
        for root, _ in problem.soft:
            self._condition(root.condition, MORE, self._anywhere)
        for objective in problem.objectives:
            self._linear(objective.linear, LESS, self._anywhere)
            self._condition(objective.defined, MORE, self._anywhere)

    def _condition(self, node: ir.Bool, sides: int, context: _Context) -> None:
        """Visit a condition.

        `sides` says which truth value may help to satisfy conditions or improve objectives: true (MORE), false (LESS),
        or either (SAME).
        """
        sides = context.new_sides(node, sides)
        if not sides:
            return
        match node:
            case ir.InDomain() | ir.InTable():
                self._leaf(node, sides, context)
            case ir.Negation(item=item):
                self._condition(item, opposite(sides), context)
            case ir.And(items=items) | ir.Or(items=items):
                tick()
                inner = self._inner_context(node, context)
                for item in items:
                    self._condition(item, sides, context if isinstance(item, ir.InDomain) else inner)
            case ir.AtMostZero(linear=linear):
                self._linear(linear, opposite(sides), context)
            case ir.IsZero(linear=linear):
                pair = compared(node)
                if pair is None:
                    self._linear(linear, SAME, context)
                else:
                    self._equality(pair, sides, context)
            case ir.BooleanConstant():
                pass

    def _linear(self, linear: ir.Linear, sides: int, context: _Context) -> None:
        """Visit a linear expression.

        `sides` says which values may help to satisfy conditions or improve objectives: greater values (MORE), smaller
        values (LESS), or either (SAME).
        """
        for atom, c in linear.terms:
            self._atom(atom, sides if c > 0 else opposite(sides), context)

    def _atom(self, atom: ir.Atom, sides: int, context: _Context) -> None:
        sides = context.new_sides(atom, sides)
        if not sides:
            return
        match atom:
            case ir.IntVar() | ir.Tabled():
                self._leaf(atom, sides, context)
            case ir.Indicator(condition=condition):
                self._condition(condition, sides, context)
            case ir.Select(cases=cases) | ir.Extreme(cases=cases):
                tick()
                for guard, value in cases:
                    self._condition(guard, SAME, context)
                    self._linear(value, sides, context)
            case ir.Quotient(dividend=dividend):
                self._linear(dividend, sides, context)
            case ir.Product(left=left, right=right):
                self._linear(left, SAME, context)
                self._linear(right, SAME, context)

    def _leaf(self, leaf: Leaf, sides: int, context: _Context) -> None:
        for var in dict.fromkeys(variables(leaf)):
            key = leaf, var, context.live.get(var)
            self.readings[key] = self.readings.get(key, 0) | sides

    def _equality(self, pair: tuple[ir.IntVar, ir.IntVar], sides: int, context: _Context) -> None:
        """Record a comparison of two variables for equality. `sides` has the same meaning as in `ComparedPair`."""
        codes: Domain | None = None  # common values for which the comparison matters; None for all
        for live in (context.live[var] for var in pair if var in context.live):
            codes = live if codes is None else codes & live
        for one, other in (pair, pair[::-1]):
            pairs = self.equalities.setdefault(one, {})
            before = pairs.get(other)
            if before is not None:
                codes = None if codes is None or before.codes is None else codes | before.codes
                sides |= before.sides
            pairs[other] = ComparedPair(sides, codes)

    def _inner_context(self, node: ir.And | ir.Or, context: _Context) -> _Context:
        """Return the context of the items of a conjunction or disjunction.

        It leaves out values for which a single item decides the result, because the other items do not matter for them.
        Only items `x in DOMAIN` are considered. For example, `x in {1, 2}` in a disjunction restricts its other items
        to the values of x except 1 and 2.
        """
        members = [item for item in node.items if isinstance(item, ir.InDomain)]
        if not members:
            return context
        inner = dict(context.live)
        for item in members:
            live = item.domain if isinstance(node, ir.And) else item.var.domain - item.domain
            inner[item.var] = inner.get(item.var, item.var.domain) & live
        key = frozenset(inner.items())
        found = self._contexts.get(key)
        if found is None:
            found = self._contexts[key] = _Context(inner)
        return found


def compared(node: ir.Bool) -> tuple[ir.IntVar, ir.IntVar] | None:
    """Return both variables of a condition `x == y`; None for any other condition."""
    if isinstance(node, ir.IsZero) and not node.linear.constant:
        match node.linear.terms:
            case ((ir.IntVar() as one, 1), (ir.IntVar() as other, -1)):
                return one, other
    return None
