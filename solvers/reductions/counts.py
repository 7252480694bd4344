"""Counts: one value represents all that are read alike, and the number of them that are taken is counted.

Variables that must differ from one another (`all_different`) are picks from one store. Two values belong to
one class if each pick reads them alike, except for a price: a function that each sum has for all picks, with
the same factor, or for none. Then it does not matter which values of a class are picked, nor by which pick:
those picks that must differ take its first values in the order of price, each another one, and all others
take the very first. Therefore

- each pick chooses among the first values of the classes;
- "all differ" is replaced, for each class, by the condition that no more picks take it than it has values. A
  variable is at least the number that do, and has no other lower bound: it is 0 if "all differ" is not
  required;
- each sum is increased by the amount by which that many values cost more than the first one as often, through
  that variable.

The resulting problem is stated in the picks and those variables. Each assignment of the whole problem becomes
one of the reduced problem: each value is replaced by the first of its class, and each count is exact if all
differ, else 0. No condition that held fails, as the first values of a class cost no more than any others.
Each assignment of the reduced problem becomes one of the whole problem: where the counts are respected, the
values of each class are dealt out. So the same subsets of conditions hold together, and minimised forms have
the same least values.
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


def count_classes(problem: Problem) -> Problem:
    """Return the problem with counts instead of values, or the problem itself if nothing can be counted.

    It has further variables in the same model. Its conditions on the counted variables are only to be read
    through its `translation`.
    """
    if problem.translation is not None:
        return problem
    try:
        counted_stores = stores(problem)
        if not counted_stores:
            return problem
        counts = Counts(problem.model, counted_stores)
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
        for store in counted_stores
        for pick in store.group.picks
    )
    return replace(problem, hard=hard, translation=counts, reductions=(*problem.reductions, NAME))


class Counts:
    """Translates conditions on the whole problem into counts, and deals out values."""

    def __init__(self, model: NodeBuilder, stores: Sequence[Store]) -> None:
        self._model = model
        self._stores = stores
        self._by_node: dict[ir.And, list[Store]] = {}
        self._by_price: dict[ir.Tabled, Store] = {}
        for store in stores:
            self._by_node.setdefault(store.group.node, []).append(store)
            self._by_price.update(dict.fromkeys(store.prices, store))
        self._translated: dict[tuple[ir.Bool | ir.Linear, int], ir.Bool | ir.Linear] = {}

    def condition(self, node: ir.Bool) -> ir.Bool:
        """Implement `Translation.condition`."""
        return self._bool(node, MORE)

    def objective(self, linear: ir.Linear) -> ir.Linear:
        """Implement `Translation.objective`."""
        return self._linear(linear, LESS)

    def assignment(self, values: Mapping[int, int]) -> dict[int, int]:
        """Implement `Translation.assignment`."""
        dealt = dict(values)
        for store in self._stores:
            if not evaluate(store.differ, values):
                continue
            places_taken: dict[int, int] = {}
            for pick in store.group.picks:
                if any(evaluate(excuse, values) for excuse in store.group.excuses[pick]):
                    continue
                code = values[pick.id]
                place = places_taken[code] = places_taken.get(code, -1) + 1
                dealt[pick.id] = store.classes[code].codes[place]
        return dealt

    def hint(self, values: Mapping[int, int]) -> dict[int, int]:
        """Implement `Translation.hint`."""
        hint = dict(values)
        for store in self._stores:
            taken: dict[int, int] = {}
            for pick in store.group.picks:
                if pick.id not in values:
                    continue
                code = hint[pick.id] = store.first.get(values[pick.id], values[pick.id])
                if not any(evaluate(excuse, values) for excuse in store.group.excuses[pick]):
                    taken[code] = taken.get(code, 0) + 1
            for code, class_ in store.classes.items():
                if class_.counter is not None:
                    hint[class_.counter.id] = min(taken.get(code, 0), class_.counter.domain.high)
        return hint

    def _bool(self, node: ir.Bool, sides: int) -> ir.Bool:
        translated = self._translated.get((node, sides))
        if translated is None:
            tick()
            translated = self._translated[node, sides] = self._translate(node, sides)
        assert not isinstance(translated, ir.Linear)
        return translated

    def _translate(self, node: ir.Bool, sides: int) -> ir.Bool:
        model = self._model
        match node:
            case ir.Negation(item=item):
                inner = self._bool(item, opposite(sides))
                return node if inner is item else model.negate(inner)
            case ir.And(items=items):
                stores = self._by_node.get(node, ())
                if stores and sides != MORE:
                    raise RuntimeError("a condition that values differ is read both ways")
                replaced = {clause for store in stores for clause in store.group.clauses}
                translated = [self._bool(item, sides) for item in items if item not in replaced]
                if not stores and all(map(_is, translated, items)):
                    return node
                return model.conj((*translated, *(store.differ for store in stores)))
            case ir.Or(items=items):
                translated = [self._bool(item, sides) for item in items]
                return node if all(map(_is, translated, items)) else model.disj(translated)
            case ir.AtMostZero(linear=linear):
                translated_sum = self._linear(linear, opposite(sides))
                return node if translated_sum is linear else model.at_most_zero(translated_sum)
            case ir.IsZero(linear=linear):
                translated_sum = self._linear(linear, SAME)
                return node if translated_sum is linear else model.is_zero(translated_sum)
            case _:
                return node

    def _linear(self, linear: ir.Linear, sides: int) -> ir.Linear:
        translated = self._translated.get((linear, sides))
        if translated is None:
            translated = self._translated[linear, sides] = self._translate_linear(linear, sides)
        assert isinstance(translated, ir.Linear)
        return translated

    def _translate_linear(self, linear: ir.Linear, sides: int) -> ir.Linear:
        model = self._model
        parts: list[ir.Linear] = []
        extra_cost: dict[Store, int] = {}
        same = True
        for atom, c in linear.terms:
            side = sides if c > 0 else opposite(sides)
            if isinstance(atom, ir.Tabled) and (store := self._by_price.get(atom)) is not None:
                if side != store.side:
                    raise RuntimeError("the price of values is read both ways")
                extra_cost[store] = c
            part = self._atom(atom, side)
            same = same and part is None
            parts.append(model.scale(model.of(atom) if part is None else part, c))
        if same and not extra_cost:
            return linear
        parts += (model.scale(store.dearer, c) for store, c in extra_cost.items())
        return model.plus(model.sum(parts), model.constant(linear.constant))

    def _atom(self, atom: ir.Atom, sides: int) -> ir.Linear | None:
        """Return the translated atom; None if it stays."""
        model = self._model
        match atom:
            case ir.Indicator(condition=condition):
                inner = self._bool(condition, sides)
                return None if inner is condition else model.indicator(inner)
            case ir.Select(cases=cases) | ir.Extreme(cases=cases):
                translated = tuple((self._bool(g, SAME), self._linear(x, sides)) for g, x in cases)
                if all(g is a and x is b for (g, x), (a, b) in zip(translated, cases, strict=True)):
                    return None
                if isinstance(atom, ir.Select):
                    return model.select(translated)
                return model.extreme(translated, greatest=atom.greatest)
            case ir.Quotient(dividend=dividend, divisor=divisor):
                translated_dividend = self._linear(dividend, sides)
                return (
                    None if translated_dividend is dividend else model.quotient(translated_dividend, divisor)
                )
            case ir.Product(left=left, right=right):
                a, b = self._linear(left, SAME), self._linear(right, SAME)
                return None if a is left and b is right else model.product(a, b)
            case _:
                return None


def _is(one: ir.Bool, other: ir.Bool) -> bool:
    return one is other
