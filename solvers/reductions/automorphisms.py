"""Automorphisms of a problem: permutations of its variables that preserve all conditions and objectives.

Every node gets an identifying number. Nodes with the same number have the same value in every assignment. The number
of a node follows from the numbers of its children, which are sorted if their order does not matter. A negated condition
has the negative number. A permutation changes the numbers of variables, and then of the nodes above them. It is an
automorphism if the numbers of the hard conditions, of the soft conditions of each weight, and of each objective remain
the same. Nodes with different numbers may still be equivalent, so some automorphisms are not recognised.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from heapq import heappop, heappush
from typing import TypeAlias, assert_never

from planspec.dsl.resources.deadline import tick
from planspec.solvers.ir import nodes as ir
from planspec.solvers.ir.problem import Problem

Node: TypeAlias = ir.Bool | ir.Linear | ir.Atom
NEW = 0
"""Number of an expression that equals no node of the problem. The numbers of the problem's nodes differ from 0."""
Images: TypeAlias = Mapping[ir.IntVar, ir.IntVar]
"""A permutation of variables: the image of each variable that changes. A variable and its image have equal domains."""


class MeaningGraph:
    """The graph of a problem's nodes, numbered so that nodes with the same number are equal in every assignment.

    Args:
        problem: the problem, which may be reduced.
        most_nodes: maximum number of nodes.

    Attributes:
        visits: number of nodes visited so far.
        is_complete: whether the problem has at most `most_nodes` nodes. If not, the graph must not be used.
    """

    def __init__(self, problem: Problem, most_nodes: int) -> None:
        self.visits = 0
        self._nodes: list[Node] = []
        self._positions: dict[Node, int] = {}
        self._parents: list[list[tuple[int, int]]] = []  # positions of the parents, with factors in sums
        self._numbers: list[int] = []
        self._interned: dict[object, int] = {}
        self.is_complete = False
        translation = problem.translation
        hard = [part for root in problem.hard for part in ir.conjuncts(root.condition)]
        soft = [(root.condition, weight) for root, weight in problem.soft]
        objectives = [objective.linear for objective in problem.objectives]
        defined = [objective.defined for objective in problem.objectives]
        if translation is not None:
            soft = [(translation.condition(condition), weight) for condition, weight in soft]
            objectives = [translation.objective(linear) for linear in objectives]
            defined = [translation.condition(condition) for condition in defined]
        self.is_complete = self._add([*hard, *(each for each, _ in soft), *objectives, *defined], most_nodes)
        if self.is_complete:
            numbers = self._numbers
            self._hard = {self._positions[node] for node in hard}
            self._hard_numbers = {numbers[position] for position in self._hard}
            self._weights: dict[int, list[int]] = {}
            for condition, weight in soft:
                self._weights.setdefault(self._positions[condition], []).append(weight)
            self._fixed = {self._positions[node] for node in (*objectives, *defined)}

    def is_automorphism(self, images: Images) -> bool:
        """Return whether a permutation of variables provably preserves all conditions and objectives of the problem."""
        changed: dict[int, int] = {}
        waiting: list[int] = []
        changed_children: dict[int, list[tuple[int, int]]] = {}

        def change(position: int, number: int) -> None:
            changed[position] = number
            for parent, factor in self._parents[position]:
                if parent not in changed_children:
                    changed_children[parent] = []
                    heappush(waiting, parent)
                changed_children[parent].append((position, factor))

        for var in images:
            if var in self._positions:
                change(self._positions[var], self._number(var, {}, images))
        softened: Counter[tuple[int, int]] = Counter()
        while waiting:
            position = heappop(waiting)
            self.visits += 1
            tick()
            before = self._numbers[position]
            node = self._nodes[position]
            if isinstance(node, ir.And | ir.Or | ir.Linear) and self._same_children(
                changed_children[position], changed
            ):
                continue
            number = self._number(node, changed, images)
            if number == before:
                continue
            if number == NEW and not isinstance(node, ir.Linear):
                return False
            if position in self._fixed or (position in self._hard and number not in self._hard_numbers):
                return False
            for weight in self._weights.get(position, ()):
                softened[number, weight] += 1
                softened[before, weight] -= 1
            change(position, number)
        return not any(softened.values())

    def _same_children(self, changed_children: Iterable[tuple[int, int]], changed: Mapping[int, int]) -> bool:
        """Return whether a node's changed children have the same numbers as before, except for their order.

        Args:
            changed_children: position of each changed child, and its factor in a sum.
            changed: new numbers of nodes, by position.
        """
        balance: Counter[tuple[int, int]] = Counter()
        for child, factor in changed_children:
            balance[changed[child], factor] += 1
            balance[self._numbers[child], factor] -= 1
        return not any(balance.values())

    # -- nodes --------------------------------------------------------------------------------------

    def _add(self, roots: Iterable[Node], most_nodes: int) -> bool:
        """Add the roots and all nodes below them, children first. Return whether there are at most `most_nodes`."""
        waiting: list[tuple[Node, bool]] = [(root, False) for root in roots]
        waiting.reverse()
        while waiting:
            node, is_ready = waiting.pop()
            if node in self._positions:
                continue
            children = _children(node)
            if not is_ready:
                waiting.append((node, True))
                waiting.extend((child, False) for child, _ in children if child not in self._positions)
                continue
            if len(self._nodes) >= most_nodes:
                return False
            tick()
            position = self._positions[node] = len(self._nodes)
            self._nodes.append(node)
            self._parents.append([])
            for child, factor in children:
                self._parents[self._positions[child]].append((position, factor))
            self._numbers.append(self._number(node, {}, {}))
        return True

    # -- numbers ------------------------------------------------------------------------------------

    def _intern(self, *key: object) -> int:
        """Return the number of all nodes with a given key: a kind of node and, for example, its children's numbers.

        While the graph is being built, a key that occurs for the first time gets a new number. Afterwards, the number
        for a key that no node of the graph has is `NEW`.
        """
        if self.is_complete:
            return self._interned.get(key, NEW)
        return self._interned.setdefault(key, len(self._interned) + 1)

    def _number(self, node: Node, changed: Mapping[int, int], images: Images) -> int:  # noqa: C901 one case for each kind of node
        """Return the number that identifies a node after a permutation of variables. Equal nodes have equal numbers.

        Args:
            node: the node.
            changed: number of each child that the permutation changes, by the child's position in the graph.
            images: the permutation.
        """

        def number_of(child: Node) -> int:
            position = self._positions[child]
            return changed.get(position, self._numbers[position])

        match node:
            case ir.IntVar():
                return self._intern("variable", images.get(node, node).id)
            case ir.BooleanConstant(value=value):
                return self._intern("constant", value)
            case ir.InDomain(var=var, domain=domain):
                return self._intern("in", images.get(var, var).id, domain)
            case ir.InTable(vars=vars, rows=rows):
                order = _order(vars, images)
                ids = tuple(images.get(vars[i], vars[i]).id for i in order)
                return self._intern("rows", ids, frozenset(tuple(codes[i] for i in order) for codes in rows))
            case ir.Tabled(vars=vars, values=values, default=default):
                order = _order(vars, images)
                cells = frozenset((tuple(codes[i] for i in order), x) for codes, x in values.items())
                ids = tuple(images.get(vars[i], vars[i]).id for i in order)
                return self._intern("table", ids, cells, default)
            case ir.AtMostZero(linear=linear):
                constant, terms = _sum(linear, number_of)
                others = tuple((number, -factor) for number, factor in terms)
                if others < terms:
                    return -self._intern("at most", 1 - constant, others)
                return self._intern("at most", constant, terms)
            case ir.IsZero(linear=linear):
                constant, terms = _sum(linear, number_of)
                others = tuple((number, -factor) for number, factor in terms)
                return self._intern("zero", *min((constant, terms), (-constant, others)))
            case ir.And(items=items):
                return self._intern("and", tuple(sorted(map(number_of, items))))
            case ir.Or(items=items):
                return self._intern("or", tuple(sorted(map(number_of, items))))
            case ir.Negation(item=item):
                return -number_of(item)
            case ir.Linear():
                return self._intern("sum", *_sum(node, number_of))
            case ir.Indicator(condition=condition):
                return number_of(condition)
            case ir.Select(cases=cases):
                return self._intern(
                    "select", tuple(sorted((number_of(guard), number_of(value)) for guard, value in cases))
                )
            case ir.Extreme(greatest=greatest, cases=cases):
                pairs = tuple(sorted((number_of(guard), number_of(value)) for guard, value in cases))
                return self._intern("extreme", greatest, pairs)
            case ir.Quotient(dividend=dividend, divisor=divisor):
                return self._intern("quotient", number_of(dividend), divisor)
            case ir.Product(left=left, right=right):
                return self._intern("product", *sorted((number_of(left), number_of(right))))
            case _:
                assert_never(node)


def _sum(linear: ir.Linear, number_of: Callable[[Node], int]) -> tuple[int, tuple[tuple[int, int], ...]]:
    """Return a sum's constant, and the number and factor of each atom. An indicator has the number of its condition."""
    constant, factors = linear.constant, dict[int, int]()
    for atom, factor in linear.terms:
        number = number_of(atom)
        if number < 0:  # the indicator is 1 minus that of the opposite condition
            constant += factor
            number, factor = -number, -factor
        factors[number] = factors.get(number, 0) + factor
    return constant, tuple(sorted((number, factor) for number, factor in factors.items() if factor or number == NEW))


def _order(vars: tuple[ir.IntVar, ...], images: Images) -> list[int]:
    """Return the indices of the variables, sorted by the ids of the variables' images in a permutation."""
    return sorted(range(len(vars)), key=lambda i: images.get(vars[i], vars[i]).id)


def _children(node: Node) -> list[tuple[Node, int]]:
    """Return the children of a node, each with its factor in a sum."""
    match node:
        case ir.IntVar() | ir.BooleanConstant():
            return []
        case ir.InDomain(var=var):
            return [(var, 1)]
        case ir.InTable(vars=vars) | ir.Tabled(vars=vars):
            return [(var, 1) for var in vars]
        case ir.AtMostZero(linear=linear) | ir.IsZero(linear=linear):
            return [(linear, 1)]
        case ir.And(items=items) | ir.Or(items=items):
            return [(item, 1) for item in items]
        case ir.Negation(item=item):
            return [(item, 1)]
        case ir.Linear(terms=terms):
            return list(terms)
        case ir.Indicator(condition=condition):
            return [(condition, 1)]
        case ir.Select(cases=cases) | ir.Extreme(cases=cases):
            return [(part, 1) for case in cases for part in case]
        case ir.Quotient(dividend=dividend):
            return [(dividend, 1)]
        case ir.Product(left=left, right=right):
            return [(left, 1), (right, 1)]
        case _:
            assert_never(node)
