"""The reduction "counts": one value stands for a class of interchangeable values, and a variable counts its uses.

Picks are variables that must be pairwise different (`all_different`). Two values belong to one class if no condition or
objective distinguishes them for any pick, except by a price. A price is a function that each sum contains either for
all picks, with the same factor, or for no pick. It then does not matter which values of a class are taken, or by which
picks. The best values of a class are those with the lowest price, or with the highest price if a higher price is
better. Picks that must differ take different values of the class, the best ones. All other picks take the best value.
Therefore

- each pick chooses among the best values of the classes, one for each class;
- "all differ" is replaced by one condition for each class: the number of picks that take the class does not
  exceed its number of values. A variable (the counter) is at least this number of picks. It has no other lower
  bound, so it may be 0 if "all differ" is not required;
- each sum is increased by the extra cost of the class, as a function of the counter n: the total price of the n best
  values, minus n times the price of the best value.

The reduced problem has the picks and the counters as variables. To translate an assignment of the whole problem into an
assignment of the reduced problem, each value is replaced by the best value of its class. Each counter is the number of
picks if all picks differ, else 0. Satisfied conditions remain satisfied, because no other values of a class have better
prices. An assignment of the reduced problem is translated back: if the classes have enough values, they are distributed
over the picks. So the same subsets of conditions are satisfiable, and minimised expressions have the same minimum.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from planspec.dsl.resources.deadline import tick
from planspec.solvers.ir import nodes as ir
from planspec.solvers.ir.builder import BoundError, NodeBuilder
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.ir.problem import Problem, Rooted
from planspec.solvers.reductions.countable import CountableGroup, countable_groups
from planspec.solvers.reductions.reads import LESS, MORE, SAME, Reads, VariableReads, opposite, root_domains

NAME = "counts"


def count_classes(problem: Problem, reads: Reads = VariableReads.of) -> Problem:
    """Let one value stand for each class of interchangeable values, and count how many variables take it.

    This concerns variables that must all differ. The counts replace the conditions that the variables differ. Return
    the same problem if the reduction does not apply. The new problem has additional variables in the same model.
    Its `translation` must be applied to further conditions and objectives.
    """
    if problem.translation is not None:
        return problem
    try:
        groups = countable_groups(problem, reads)
        if not groups:
            return problem
        counts = CountTranslation(problem.model, groups)
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
        Rooted(problem.model.member(pick, domains[pick] & group.representatives), f"reduction:{NAME}")
        for group in groups
        for pick in group.pick_group.picks
    )
    return replace(problem, hard=hard, translation=counts, reductions=(*problem.reductions, NAME))


class CountTranslation:
    """Translation from the original problem, with interchangeable values, into the reduced problem, and back.

    In the reduced problem, one value stands for each class of interchangeable values. Conditions that variables differ
    become conditions on the number of variables that take this value. Assignments are translated back: the variables
    get different values of the class.
    """

    def __init__(self, model: NodeBuilder, groups: Sequence[CountableGroup]) -> None:
        self._model = model
        self._groups = groups
        self._by_node: dict[ir.And, list[CountableGroup]] = {}
        self._by_price: dict[ir.Tabled, CountableGroup] = {}
        for group in groups:
            self._by_node.setdefault(group.pick_group.node, []).append(group)
            self._by_price.update(dict.fromkeys(group.prices, group))
        self._translated: dict[tuple[ir.Bool | ir.Linear, int], ir.Bool | ir.Linear] = {}

    def condition(self, node: ir.Bool) -> ir.Bool:
        """Translate a condition that must hold into a condition of the reduced problem."""
        return self._bool(node, MORE)

    def objective(self, linear: ir.Linear) -> ir.Linear:
        """Translate an expression that is to be minimised into an expression of the reduced problem."""
        return self._linear(linear, LESS)

    def assignment(self, values: Mapping[int, int]) -> dict[int, int]:
        """Translate an assignment back: variables (picks) that must differ get different values of their classes.

        `values` has the value of each variable of the reduced problem, by id.
        """
        dealt = dict(values)
        for group in self._groups:
            if not evaluate(group.can_differ, values):
                continue
            last_taken: dict[int, int] = {}
            for pick in group.pick_group.picks:
                if any(evaluate(exemption, values) for exemption in group.pick_group.exemptions[pick]):
                    continue
                code = values[pick.id]
                index = last_taken[code] = last_taken.get(code, -1) + 1
                dealt[pick.id] = group.classes[code].codes[index]
        return dealt

    def hint(self, values: Mapping[int, int]) -> dict[int, int]:
        """Translate a hint, values of variables by id, into a hint for the reduced problem.

        The value of each variable that must differ from others becomes the best value of its class. The hint also gets
        values for the counters, the variables of the reduced problem that count how often each class is taken.
        """
        hint = dict(values)
        for group in self._groups:
            taken: dict[int, int] = {}
            for pick in group.pick_group.picks:
                if pick.id not in values:
                    continue
                code = hint[pick.id] = group.representative_of.get(values[pick.id], values[pick.id])
                if not any(evaluate(exemption, values) for exemption in group.pick_group.exemptions[pick]):
                    taken[code] = taken.get(code, 0) + 1
            for code, class_ in group.classes.items():
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
                groups = self._by_node.get(node, ())
                if groups and sides != MORE:
                    raise RuntimeError("a condition that values differ is read both ways")
                replaced = {clause for group in groups for clause in group.pick_group.clauses}
                translated = [self._bool(item, sides) for item in items if item not in replaced]
                if not groups and all(map(_is_same_node, translated, items)):
                    return node
                return model.conj((*translated, *(group.can_differ for group in groups)))
            case ir.Or(items=items):
                translated = [self._bool(item, sides) for item in items]
                return node if all(map(_is_same_node, translated, items)) else model.disj(translated)
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
        factors: dict[CountableGroup, int] = {}
        is_unchanged = True
        for atom, c in linear.terms:
            side = sides if c > 0 else opposite(sides)
            if isinstance(atom, ir.Tabled) and (group := self._by_price.get(atom)) is not None:
                if side != group.side:
                    raise RuntimeError("the price of values is read both ways")
                factors[group] = c
            part = self._atom(atom, side)
            is_unchanged = is_unchanged and part is None
            parts.append(model.scale(model.of(atom) if part is None else part, c))
        if is_unchanged and not factors:
            return linear
        parts += (model.scale(group.extra_cost, c) for group, c in factors.items())
        return model.plus(model.sum(parts), model.constant(linear.constant))

    def _atom(self, atom: ir.Atom, sides: int) -> ir.Linear | None:
        """Return the translation of an atom; None if it is unchanged.

        `sides` is the atom's polarity, that is, which of its values may help to satisfy conditions or improve
        objectives: greater values (MORE), smaller values (LESS), or either (SAME).
        """
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
                return None if translated_dividend is dividend else model.quotient(translated_dividend, divisor)
            case ir.Product(left=left, right=right):
                a, b = self._linear(left, SAME), self._linear(right, SAME)
                return None if a is left and b is right else model.product(a, b)
            case _:
                return None


def _is_same_node(one: ir.Bool, other: ir.Bool) -> bool:
    return one is other
