"""Integers as bits: sums, comparisons and choices as gates.

No bound that the IR states is relied on: each number is as wide as its own parts can make it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from operator import itemgetter

from planspec.dsl.resources.deadline import tick
from planspec.solvers.backends.sat.gates import FALSE, TRUE, Gates
from planspec.solvers.ir.domain import Domain


@dataclass(frozen=True, slots=True)
class Number:
    """The integer `low` plus the bits' value.

    Attributes:
        low: the least value.
        bits: literals, the least significant first.
    """

    low: int
    bits: tuple[int, ...] = ()

    @property
    def high(self) -> int:
        """The greatest value that the bits can say."""
        return self.low + (1 << len(self.bits)) - 1


class Arithmetic:
    """Operations on numbers over gates."""

    def __init__(self, gates: Gates) -> None:
        self._gates = gates

    def total(self, terms: Iterable[tuple[int, Number]], constant: int = 0) -> Number:
        """The sum of `factor * number` and a constant, by adders of three bits (Wallace 1964)."""
        columns: list[list[int]] = []
        low = constant
        for factor, number in terms:
            low += factor * number.low
            for place, bit in enumerate(number.bits):
                weight = factor << place
                if weight < 0:  # -w * bit is w * (not bit) - w
                    low, weight, bit = low + weight, -weight, -bit
                if bit == TRUE:
                    low += weight
                elif bit != FALSE:
                    _spread(columns, weight, bit)
        bits: list[int] = []
        for column in _growing(columns):
            while len(column) > 1:
                taken = (*column[:3], FALSE)[:3]
                del column[:3]
                bit, carry = self._gates.added(*taken)
                if bit != FALSE:
                    column.append(bit)
                if carry != FALSE:
                    _spread(columns, 1 << (len(bits) + 1), carry)
            bits.append(column[0] if column else FALSE)
        while bits and bits[-1] == FALSE:
            bits.pop()
        return Number(low, tuple(bits))

    def at_most(self, number: Number, bound: int) -> int:
        """The literal that holds if a number does not pass a bound."""
        limit = bound - number.low
        if limit < 0:
            return FALSE
        if limit >= (1 << len(number.bits)) - 1:
            return TRUE
        holds = TRUE
        for place, bit in enumerate(number.bits):
            above = limit >> place & 1
            holds = self._gates.any_of((-bit, holds)) if above else self._gates.all_of((-bit, holds))
        return holds

    def equal(self, number: Number, value: int) -> int:
        """The literal that holds if a number has a value."""
        code = value - number.low
        if not 0 <= code < 1 << len(number.bits):
            return FALSE
        return self._gates.all_of(bit if code >> place & 1 else -bit for place, bit in enumerate(number.bits))

    def less(self, a: Number, b: Number) -> int:
        """The literal that holds if `a < b`."""
        return self.at_most(self.total(((1, a), (-1, b))), -1)

    def inside(self, number: Number, domain: Domain) -> int:
        """The literal that holds if a number is in a domain."""
        return self._inside(number.bits, number.low, domain.intervals)

    def _inside(self, bits: Sequence[int], low: int, intervals: Sequence[tuple[int, int]]) -> int:
        high = low + (1 << len(bits)) - 1
        kept = [(a, b) for a, b in intervals if a <= high and b >= low]
        if not kept:
            return FALSE
        if kept[0][0] <= low and kept[0][1] >= high:
            return TRUE
        middle = low + (1 << len(bits) - 1)
        return self._gates.choose(
            bits[-1], self._inside(bits[:-1], middle, kept), self._inside(bits[:-1], low, kept)
        )

    def either(self, condition: int, then: Number, otherwise: Number) -> Number:
        """One of two numbers."""
        low = min(then.low, otherwise.low)
        pairs = zip_longest(self._above(then, low), self._above(otherwise, low), fillvalue=FALSE)
        return Number(low, tuple(self._gates.choose(condition, a, b) for a, b in pairs))

    def _above(self, number: Number, low: int) -> tuple[int, ...]:
        """The bits of a number less a smaller constant."""
        gap = number.low - low
        return number.bits if gap == 0 else self._sum_of_bits(number.bits, _bits(gap))

    def _sum_of_bits(self, a: Sequence[int], b: Sequence[int]) -> tuple[int, ...]:
        bits: list[int] = []
        carry = FALSE
        for one, other in zip_longest(a, b, fillvalue=FALSE):
            bit, carry = self._gates.added(one, other, carry)
            bits.append(bit)
        return (*bits, carry) if carry != FALSE else tuple(bits)

    def quotient(self, dividend: Number, divisor: int) -> Number:
        """Floor division by a positive constant, bit by bit."""
        low = dividend.low // divisor
        rest = self._above(dividend, low * divisor)
        bits: list[int] = []
        for place in reversed(range(max(0, len(rest) - divisor.bit_length() + 1))):
            part = divisor << place
            fits = -self.at_most(Number(0, rest), part - 1)
            less = self._sum_of_bits(rest, _bits((1 << len(rest)) - part))[
                : len(rest)
            ]  # where it fits: rest - part
            rest = tuple(self._gates.choose(fits, a, b) for a, b in zip(less, rest, strict=True))
            bits.append(fits)
        return Number(low, tuple(reversed(bits)))

    def product(self, a: Number, b: Number) -> Number:
        """A product, by the sum of the products of bits."""
        terms = [(b.low, Number(0, a.bits)), (a.low, Number(0, b.bits))]
        for i, one in enumerate(a.bits):
            for j, other in enumerate(b.bits):
                terms.append((1 << i + j, Number(0, (self._gates.all_of((one, other)),))))
        return self.total(terms, a.low * b.low)

    def tabled(
        self, numbers: Sequence[Number], values: Mapping[tuple[int, ...], int], default: int
    ) -> Number:
        """A function given by its table: a decision tree over the numbers' bits, equal parts shared (Bryant 1986)."""
        low = min((default, *values.values()))
        width = (max((default, *values.values())) - low).bit_length()

        def leaf(value: int) -> tuple[int, ...]:
            return _bits(value - low, width)

        return Number(low, self._decided(numbers, {row: leaf(v) for row, v in values.items()}, leaf(default)))

    def in_table(self, numbers: Sequence[Number], rows: Iterable[tuple[int, ...]]) -> int:
        """The literal that holds if the numbers are one of the rows."""
        return self._decided(numbers, dict.fromkeys(rows, (TRUE,)), (FALSE,))[0]

    def _decided(
        self,
        numbers: Sequence[Number],
        leaves: Mapping[tuple[int, ...], tuple[int, ...]],
        other: tuple[int, ...],
    ) -> tuple[int, ...]:
        """The literals of the row that the numbers are, `other` if they are none."""
        if not leaves:
            return other
        if not numbers:
            return leaves[()]
        tick()
        by_code: dict[int, dict[tuple[int, ...], tuple[int, ...]]] = {}
        for (code, *rest), leaf in leaves.items():
            by_code.setdefault(code, {})[tuple(rest)] = leaf
        first = numbers[0]
        results = [
            (code - first.low, self._decided(numbers[1:], by_code[code], other))
            for code in sorted(by_code)
            if first.low <= code <= first.high
        ]
        return self._descended(first.bits, 0, results, other)

    def _descended(
        self,
        bits: Sequence[int],
        low: int,
        results: Sequence[tuple[int, tuple[int, ...]]],
        other: tuple[int, ...],
    ) -> tuple[int, ...]:
        """The result of the code that the bits say, from `low` on; `other` where none is given."""
        if not results:
            return other
        if not bits:
            return results[0][1]
        middle = low + (1 << len(bits) - 1)
        parting = bisect_left(results, middle, key=itemgetter(0))
        then = self._descended(bits[:-1], middle, results[parting:], other)
        otherwise = self._descended(bits[:-1], low, results[:parting], other)
        return tuple(self._gates.choose(bits[-1], a, b) for a, b in zip(then, otherwise, strict=True))


def _bits(value: int, width: int = 0) -> tuple[int, ...]:
    """The bits of a constant that is not negative, as constant literals."""
    return tuple(TRUE if value >> place & 1 else FALSE for place in range(width or value.bit_length()))


def _spread(columns: list[list[int]], weight: int, bit: int) -> None:
    """Put a bit into the columns of the powers of two of which its weight consists."""
    place = 0
    while weight:
        while len(columns) <= place:
            columns.append([])
        if weight & 1:
            columns[place].append(bit)
        weight >>= 1
        place += 1


def _growing(columns: list[list[int]]) -> Iterable[list[int]]:
    """The columns in order, those too that are added meanwhile."""
    place = 0
    while place < len(columns):
        yield columns[place]
        place += 1
