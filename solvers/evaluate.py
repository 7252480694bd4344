"""The meaning of the nodes: their value under a full assignment, by plain recursion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never, overload

from planspec.solvers.ir import (
    And,
    AtMostZero,
    Atom,
    Bool,
    Constant,
    Extreme,
    Indicator,
    InTable,
    IntVar,
    IsZero,
    Linear,
    Member,
    Not,
    Or,
    Product,
    Quotient,
    Select,
    Tabled,
)


@overload
def evaluate(node: Linear, values: Mapping[int, int]) -> int: ...
@overload
def evaluate(node: Bool, values: Mapping[int, int]) -> bool: ...
def evaluate(node: Linear | Bool, values: Mapping[int, int]) -> int | bool:
    """The value of a node.

    Args:
        node: what to evaluate; a node that occurs in many places is evaluated once.
        values: each decision variable's value by its id, at least of those in `node`.

    Returns:
        The integer of a `Linear`, the truth of a condition.
    """
    evaluation = _Evaluation(values)
    return evaluation.linear(node) if isinstance(node, Linear) else evaluation.truth(node)


class _Evaluation:
    """One call's memo: nodes are shared, so a tree walk could take exponential time."""

    def __init__(self, values: Mapping[int, int]) -> None:
        self._values = values
        self._atoms: dict[Atom, int] = {}
        self._truths: dict[Bool, bool] = {}

    def linear(self, linear: Linear) -> int:
        return linear.constant + sum(c * self._atom(atom) for atom, c in linear.terms)

    def truth(self, node: Bool) -> bool:
        known = self._truths.get(node)
        if known is None:
            known = self._truths[node] = self._truth(node)
        return known

    def _codes(self, of: tuple[IntVar, ...]) -> tuple[int, ...]:
        return tuple(self._values[var.id] for var in of)

    def _truth(self, node: Bool) -> bool:
        match node:
            case Constant(value=value):
                return value
            case Member(var=var, domain=domain):
                return self._values[var.id] in domain
            case InTable(vars=vars, rows=rows):
                return self._codes(vars) in rows
            case AtMostZero(linear=linear):
                return self.linear(linear) <= 0
            case IsZero(linear=linear):
                return self.linear(linear) == 0
            case And(items=items):
                return all(self.truth(item) for item in items)
            case Or(items=items):
                return any(self.truth(item) for item in items)
            case Not(item=item):
                return not self.truth(item)
            case _:
                assert_never(node)

    def _atom(self, atom: Atom) -> int:
        if isinstance(atom, IntVar):
            return self._values[atom.id]
        known = self._atoms.get(atom)
        if known is None:
            known = self._atoms[atom] = self._derived(atom)
        return known

    def _derived(self, atom: Tabled | Indicator | Select | Extreme | Quotient | Product) -> int:
        match atom:
            case Tabled(vars=vars, values=values, default=default):
                return values.get(self._codes(vars), default)
            case Indicator(condition=condition):
                return int(self.truth(condition))
            case Select(cases=cases):
                return next((self.linear(value) for guard, value in cases if self.truth(guard)), 0)
            case Extreme(greatest=greatest, cases=cases):
                reached = [self.linear(value) for guard, value in cases if self.truth(guard)]
                return (max if greatest else min)(reached, default=0)
            case Quotient(dividend=dividend, divisor=divisor):
                return self.linear(dividend) // divisor
            case Product(left=left, right=right):
                return self.linear(left) * self.linear(right)
            case _:
                assert_never(atom)
