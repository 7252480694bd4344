"""Gates: literals that are functions of other literals, with the clauses that define them. Equal gates are shared.

Every gate is defined in both directions, so its inputs determine its output. A formula therefore has exactly one model
for each assignment of the decision variables that satisfies it (Tseitin 1968).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from planspec.solvers.backends.sat.formula import DEFINITION, Clause, Formula

Clauses: TypeAlias = Callable[[int], list[Clause]]
"""Function that takes a gate's output variable and returns the clauses that define it."""

TRUE = 1
"""Literal that always holds: the first variable of every formula."""
FALSE = -TRUE


class Gates:
    """Builder of logic gates (such as `and` and `or`) as clauses of a formula. Equal gates are built once.

    Args:
        formula: an empty formula, whose first variable becomes `TRUE`.
    """

    def __init__(self, formula: Formula) -> None:
        self._formula = formula
        self._cache: dict[tuple[object, ...], int] = {}
        assert formula.variable() == TRUE
        formula.add(TRUE)

    def all_of(self, literals: Iterable[int]) -> int:
        """Return the literal that is true if and only if all literals are true."""
        distinct = {literal for literal in literals if literal != TRUE}
        if FALSE in distinct or any(-literal in distinct for literal in distinct):
            return FALSE
        if len(distinct) < 2:
            return next(iter(distinct), TRUE)
        inputs = tuple(sorted(distinct))
        return self._cache.get(("and", inputs)) or self._define(
            ("and", inputs),
            lambda out: [(out, *(-each for each in inputs)), *((-out, each) for each in inputs)],
        )

    def any_of(self, literals: Iterable[int]) -> int:
        """Return the literal that is true if and only if at least one of the literals is true."""
        return -self.all_of(-literal for literal in literals)

    def differ(self, a: int, b: int) -> int:
        """Return the literal that is true if and only if exactly one of two literals is true (xor)."""
        for one, other in ((a, b), (b, a)):
            if abs(one) == TRUE:
                return -other if one == TRUE else other
        if abs(a) == abs(b):
            return FALSE if a == b else TRUE
        low, high = sorted((abs(a), abs(b)))
        out = self._cache.get(("xor", low, high)) or self._define(
            ("xor", low, high),
            lambda out: [(-out, low, high), (-out, -low, -high), (out, -low, high), (out, low, -high)],
        )
        return out if (a > 0) == (b > 0) else -out

    def choose(self, condition: int, then: int, otherwise: int) -> int:
        """Return the literal that equals `then` if the literal `condition` is true, else `otherwise`."""
        if condition < 0:
            condition, then, otherwise = -condition, otherwise, then
        if condition == TRUE or then == otherwise:
            return then
        if then == -otherwise:
            return self.differ(condition, otherwise)
        if then in (TRUE, condition):
            return self.any_of((condition, otherwise))
        if then in (FALSE, -condition):
            return self.all_of((-condition, otherwise))
        if otherwise in (FALSE, condition):
            return self.all_of((condition, then))
        if otherwise in (TRUE, -condition):
            return self.any_of((-condition, then))
        if then < 0:  # only one of two complementary gates is made
            return -self.choose(condition, -then, -otherwise)
        key = ("choose", condition, then, otherwise)
        return self._cache.get(key) or self._define(
            key,
            lambda out: [
                (-condition, -then, out),
                (-condition, then, -out),
                (condition, -otherwise, out),
                (condition, otherwise, -out),
                (-then, -otherwise, out),
                (then, otherwise, -out),
            ],
        )

    def full_adder(self, a: int, b: int, c: int) -> tuple[int, int]:
        """Return the literals of the low bit and of the carry of the sum of three bits, given as literals."""
        if any(abs(bit) == TRUE for bit in (a, b, c)) or len({abs(bit) for bit in (a, b, c)}) < 3:
            return self.differ(self.differ(a, b), c), self._two_of_three(a, b, c)
        inputs = tuple(sorted((a, b, c)))
        return self._sum_bit(*inputs), self._majority(*inputs)

    def _sum_bit(self, a: int, b: int, c: int) -> int:
        negative = sum(bit < 0 for bit in (a, b, c)) % 2
        x, y, z = sorted((abs(a), abs(b), abs(c)))
        out = self._cache.get(("odd", x, y, z)) or self._define(
            ("odd", x, y, z),
            lambda out: [
                (sx * x, sy * y, sz * z, (out if sx * sy * sz < 0 else -out))
                for sx in (1, -1)
                for sy in (1, -1)
                for sz in (1, -1)
            ],
        )
        return -out if negative else out

    def _majority(self, a: int, b: int, c: int) -> int:
        if sum(bit < 0 for bit in (a, b, c)) > 1:  # only one of two complementary gates is made
            return -self._majority(*sorted((-a, -b, -c)))
        return self._cache.get(("majority", a, b, c)) or self._define(
            ("majority", a, b, c),
            lambda out: [
                (-a, -b, out),
                (-a, -c, out),
                (-b, -c, out),
                (a, b, -out),
                (a, c, -out),
                (b, c, -out),
            ],
        )

    def _two_of_three(self, a: int, b: int, c: int) -> int:
        return self.any_of((self.all_of((a, b)), self.all_of((a, c)), self.all_of((b, c))))

    def _define(self, key: tuple[object, ...], clauses: Clauses) -> int:
        out = self._formula.variable()
        origin, self._formula.origin = self._formula.origin, DEFINITION
        for clause in clauses(out):
            self._formula.add(*clause)
        self._formula.origin = origin
        self._cache[key] = out
        return out
