"""Evaluation of IR nodes under a full assignment. It defines the meaning of the nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import assert_never, overload

from planspec.solvers.ir.nodes import (
    And,
    AtMostZero,
    Atom,
    Bool,
    BooleanConstant,
    Extreme,
    Indicator,
    InDomain,
    InTable,
    IntVar,
    IsZero,
    Linear,
    Negation,
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
    """Return the value of an expression or a condition under an assignment.

    Args:
        node: the expression or condition. A subnode that occurs several times is evaluated once.
        values: value of each decision variable in the node, by its id.

    Returns:
        The integer of a `Linear`, the truth value of a condition.
    """
    evaluation = _Evaluation(values)
    return evaluation.linear(node) if isinstance(node, Linear) else evaluation.truth(node)


def satisfying(
    condition: Bool, variables: tuple[IntVar, ...], rows: Sequence[tuple[int, ...]]
) -> list[tuple[int, ...]]:
    """Return those of the given combinations of values for which a condition holds.

    Args:
        condition: a condition that reads no other variables than `variables`.
        variables: the variables, in the order of their values in each combination.
        rows: combinations of values of these variables.
    """
    mask = _Masks(variables, rows).of(condition)
    return [row for i, row in enumerate(rows) if mask >> i & 1]


class _Masks:
    """Evaluator of a condition for many combinations of values at once.

    A result is an integer used as a bit set: bit i is set if the condition holds for combination i.
    """

    def __init__(self, variables: tuple[IntVar, ...], rows: Sequence[tuple[int, ...]]) -> None:
        self._variables = variables
        self._rows = rows
        self._all = (1 << len(rows)) - 1
        self._codes: dict[int, dict[int, int]] = {}
        self._cache: dict[Bool, int] = {}

    def of(self, node: Bool) -> int:
        mask = self._cache.get(node)
        if mask is None:
            mask = self._cache[node] = self._mask(node)
        return mask

    def _mask(self, node: Bool) -> int:
        match node:
            case BooleanConstant(value=value):
                return self._all if value else 0
            case InDomain(var=var, domain=domain):
                mask = 0
                for code, bits in self._of_codes(var).items():
                    if code in domain:
                        mask |= bits
                return mask
            case And(items=items):
                mask = self._all
                for item in items:
                    mask &= self.of(item)
                return mask
            case Or(items=items):
                mask = 0
                for item in items:
                    mask |= self.of(item)
                return mask
            case Negation(item=item):
                return self._all & ~self.of(item)
            case InTable() | AtMostZero() | IsZero():
                mask = 0
                for i, row in enumerate(self._rows):
                    if evaluate(node, {var.id: code for var, code in zip(self._variables, row, strict=True)}):
                        mask |= 1 << i
                return mask
            case _:
                assert_never(node)

    def _of_codes(self, var: IntVar) -> dict[int, int]:
        """Return, for each value of a variable, the bit set of the combinations in which the variable has it."""
        by_code = self._codes.get(var.id)
        if by_code is None:
            by_code = self._codes[var.id] = {}
            place = self._variables.index(var)
            for i, row in enumerate(self._rows):
                by_code[row[place]] = by_code.get(row[place], 0) | 1 << i
        return by_code


class _Evaluation:
    """Evaluator of nodes under one assignment, with a cache. Shared nodes would otherwise take exponential time."""

    def __init__(self, values: Mapping[int, int]) -> None:
        self._values = values
        self._atoms: dict[Atom, int] = {}
        self._truths: dict[Bool, bool] = {}

    def linear(self, linear: Linear) -> int:
        return linear.constant + sum(c * self._atom(atom) for atom, c in linear.terms)

    def truth(self, node: Bool) -> bool:
        cached = self._truths.get(node)
        if cached is None:
            cached = self._truths[node] = self._truth(node)
        return cached

    def _codes(self, variables: tuple[IntVar, ...]) -> tuple[int, ...]:
        return tuple(self._values[var.id] for var in variables)

    def _truth(self, node: Bool) -> bool:
        match node:
            case BooleanConstant(value=value):
                return value
            case InDomain(var=var, domain=domain):
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
            case Negation(item=item):
                return not self.truth(item)
            case _:
                assert_never(node)

    def _atom(self, atom: Atom) -> int:
        if isinstance(atom, IntVar):
            return self._values[atom.id]
        cached = self._atoms.get(atom)
        if cached is None:
            cached = self._atoms[atom] = self._derived(atom)
        return cached

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
