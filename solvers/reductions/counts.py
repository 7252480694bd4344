"""Counts: of values that are read alike one stands for all, and how many of them are taken is counted.

Variables that must differ from one another (`all_different`) are picks from one store. Two values are of one class if
each pick reads them alike, but for what every sum that has it of one pick has of all of them with the same factor, as a
price. Then it does not matter which values of a class are picked, nor by whom: those picks that must differ take the
first of them in the order of their price, each another one, and all others take the very first. So

- each pick chooses among the first values of the classes;
- in the place of "all differ" stands, for each class, that no more picks take it than it has values. A variable is no
  less than how many do, and nothing else holds it up: it is 0 where "all differ" is not asked for;
- to each sum is added what that many values are dearer than the first one so many times, by that variable.

The problem that is made so is stated in the picks and those variables. An assignment of the whole problem becomes one of
it: each value by the first of its class, each count as it is if all differ, else 0. No condition fails that held, as
the first values of a class cost no more than any others. And an assignment of it becomes one of the whole problem: where the
counts are kept, the values of each class are dealt out. So the same subsets of conditions hold together, and the least
values of what is minimised are the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from planspec.dsl.resources.deadline import tick
from planspec.solvers.ir import nodes as ir
from planspec.solvers.ir.builder import BoundError, NodeBuilder
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.ir.problem import Problem, Rooted
from planspec.solvers.reductions.reads import LESS, MORE, SAME, opposite, root_domains
from planspec.solvers.reductions.stores import Store, stores

NAME = "counts"


def counted(problem: Problem) -> Problem:
    """The problem with counts in the place of values; the problem itself where there is nothing to count.

    It has further variables in the same model. What it says of the variables that are counted is only to be read
    through its `translation`.
    """
    if problem.translation is not None:
        return problem
    try:
        found = stores(problem)
        if not found:
            return problem
        counts = Counts(problem.model, found)
        hard = [Rooted(counts.condition(root.condition), root.origin) for root in problem.hard]
        for soft, _ in problem.soft:
            counts.condition(soft.condition)
        for objective in problem.objectives:
            counts.objective(objective.linear)
            counts.condition(objective.defined)
    except BoundError:
        return problem
    domains = root_domains(problem)
    hard += (
        Rooted(problem.model.member(pick, domains[pick] & store.firsts), f"reduction:{NAME}")
        for store in found
        for pick in store.group.picks
    )
    return replace(problem, hard=hard, translation=counts, reductions=(*problem.reductions, NAME))


class Counts:
    """States conditions on the whole problem in counts, and deals out values."""

    def __init__(self, model: NodeBuilder, stores: Sequence[Store]) -> None:
        self._model = model
        self._stores = stores
        self._by_node: dict[ir.And, list[Store]] = {}
        self._by_price: dict[ir.Tabled, Store] = {}
        for store in stores:
            self._by_node.setdefault(store.group.node, []).append(store)
            self._by_price.update(dict.fromkeys(store.prices, store))
        self._stated: dict[tuple[ir.Bool | ir.Linear, int], ir.Bool | ir.Linear] = {}

    def condition(self, node: ir.Bool) -> ir.Bool:
        """See `Translation.condition`."""
        return self._bool(node, MORE)

    def objective(self, linear: ir.Linear) -> ir.Linear:
        """See `Translation.objective`."""
        return self._linear(linear, LESS)

    def assignment(self, values: Mapping[int, int]) -> dict[int, int]:
        """See `Translation.assignment`."""
        dealt = dict(values)
        for store in self._stores:
            if not evaluate(store.differ, values):
                continue
            given: dict[int, int] = {}
            for pick in store.group.picks:
                if any(evaluate(excuse, values) for excuse in store.group.excuses[pick]):
                    continue
                code = values[pick.id]
                place = given[code] = given.get(code, -1) + 1
                dealt[pick.id] = store.classes[code].codes[place]
        return dealt

    def hint(self, values: Mapping[int, int]) -> dict[int, int]:
        """See `Translation.hint`."""
        hint = dict(values)
        for store in self._stores:
            taken: dict[int, int] = {}
            for pick in store.group.picks:
                if pick.id not in values:
                    continue
                code = hint[pick.id] = store.first.get(values[pick.id], values[pick.id])
                if not any(evaluate(excuse, values) for excuse in store.group.excuses[pick]):
                    taken[code] = taken.get(code, 0) + 1
            for code, of in store.classes.items():
                if of.counter is not None:
                    hint[of.counter.id] = min(taken.get(code, 0), of.counter.domain.high)
        return hint

    def _bool(self, node: ir.Bool, sides: int) -> ir.Bool:
        made = self._stated.get((node, sides))
        if made is None:
            tick()
            made = self._stated[node, sides] = self._restated(node, sides)
        assert not isinstance(made, ir.Linear)
        return made

    def _restated(self, node: ir.Bool, sides: int) -> ir.Bool:
        model = self._model
        match node:
            case ir.Negation(item=item):
                inner = self._bool(item, opposite(sides))
                return node if inner is item else model.negate(inner)
            case ir.And(items=items):
                stores = self._by_node.get(node, ())
                if stores and sides != MORE:
                    raise RuntimeError("that values differ is asked for both ways")
                gone = {clause for store in stores for clause in store.group.clauses}
                stated = [self._bool(item, sides) for item in items if item not in gone]
                if not stores and all(map(_same, stated, items)):
                    return node
                return model.conj((*stated, *(store.differ for store in stores)))
            case ir.Or(items=items):
                stated = [self._bool(item, sides) for item in items]
                return node if all(map(_same, stated, items)) else model.disj(stated)
            case ir.AtMostZero(linear=linear):
                stated_sum = self._linear(linear, opposite(sides))
                return node if stated_sum is linear else model.at_most_zero(stated_sum)
            case ir.IsZero(linear=linear):
                stated_sum = self._linear(linear, SAME)
                return node if stated_sum is linear else model.is_zero(stated_sum)
            case _:
                return node

    def _linear(self, linear: ir.Linear, sides: int) -> ir.Linear:
        made = self._stated.get((linear, sides))
        if made is None:
            made = self._stated[linear, sides] = self._restated_linear(linear, sides)
        assert isinstance(made, ir.Linear)
        return made

    def _restated_linear(self, linear: ir.Linear, sides: int) -> ir.Linear:
        model = self._model
        parts: list[ir.Linear] = []
        dearer: dict[Store, int] = {}
        same = True
        for atom, c in linear.terms:
            side = sides if c > 0 else opposite(sides)
            if isinstance(atom, ir.Tabled) and (store := self._by_price.get(atom)) is not None:
                if side != store.side:
                    raise RuntimeError("what values cost is asked for both ways")
                dearer[store] = c
            part = self._atom(atom, side)
            same = same and part is None
            parts.append(model.scale(model.of(atom) if part is None else part, c))
        if same and not dearer:
            return linear
        parts += (model.scale(store.dearer, c) for store, c in dearer.items())
        return model.plus(model.sum(parts), model.constant(linear.constant))

    def _atom(self, atom: ir.Atom, sides: int) -> ir.Linear | None:
        """The atom restated; None where it stays."""
        model = self._model
        match atom:
            case ir.Indicator(condition=condition):
                inner = self._bool(condition, sides)
                return None if inner is condition else model.indicator(inner)
            case ir.Select(cases=cases) | ir.Extreme(cases=cases):
                stated = tuple((self._bool(g, SAME), self._linear(x, sides)) for g, x in cases)
                if all(g is a and x is b for (g, x), (a, b) in zip(stated, cases, strict=True)):
                    return None
                if isinstance(atom, ir.Select):
                    return model.select(stated)
                return model.extreme(stated, greatest=atom.greatest)
            case ir.Quotient(dividend=dividend, divisor=divisor):
                over = self._linear(dividend, sides)
                return None if over is dividend else model.quotient(over, divisor)
            case ir.Product(left=left, right=right):
                a, b = self._linear(left, SAME), self._linear(right, SAME)
                return None if a is left and b is right else model.product(a, b)
            case _:
                return None


def _same(one: ir.Bool, other: ir.Bool) -> bool:
    return one is other
