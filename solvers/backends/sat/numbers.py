"""Arithmetic on integers encoded as bits: sums, comparisons and choices as gates.

The number of bits follows from the operands. The bounds of IR nodes are not used.
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
class BitNumber:
    """A binary encoding of an integer: the sum of `low` and the unsigned number that the bits represent.

    Attributes:
        low: minimum of the integer. The integer has this value if all bits are 0.
        bits: literals, from the least to the most significant bit.
    """

    low: int
    bits: tuple[int, ...] = ()

    @property
    def high(self) -> int:
        """The maximum of the integer. The integer has this value if all bits are 1."""
        return self.low + (1 << len(self.bits)) - 1


class Arithmetic:
    """Operations on integers in binary encoding, built from logic gates."""

    def __init__(self, gates: Gates) -> None:
        self._gates = gates

    def total(self, terms: Iterable[tuple[int, BitNumber]], constant: int = 0) -> BitNumber:
        """Return the sum of `factor * number` over `terms`, plus a constant, by full adders (Wallace 1964)."""
        columns: list[list[int]] = []
        low = constant
        for factor, number in terms:
            low += factor * number.low
            for power, bit in enumerate(number.bits):
                weight = factor << power
                if weight < 0:  # -w * bit is w * (not bit) - w
                    low, weight, bit = low + weight, -weight, -bit
                if bit == TRUE:
                    low += weight
                elif bit != FALSE:
                    _add_weighted(columns, weight, bit)
        bits: list[int] = []
        for column in _columns_in_order(columns):
            while len(column) > 1:
                inputs = (*column[:3], FALSE)[:3]
                del column[:3]
                bit, carry = self._gates.full_adder(*inputs)
                if bit != FALSE:
                    column.append(bit)
                if carry != FALSE:
                    _add_weighted(columns, 1 << (len(bits) + 1), carry)
            bits.append(column[0] if column else FALSE)
        while bits and bits[-1] == FALSE:
            bits.pop()
        return BitNumber(low, tuple(bits))

    def at_most(self, number: BitNumber, bound: int) -> int:
        """Return the literal that is true if and only if a number does not exceed a bound."""
        limit = bound - number.low
        if limit < 0:
            return FALSE
        if limit >= (1 << len(number.bits)) - 1:
            return TRUE
        holds = TRUE
        for power, bit in enumerate(number.bits):
            is_set = limit >> power & 1
            holds = self._gates.any_of((-bit, holds)) if is_set else self._gates.all_of((-bit, holds))
        return holds

    def equal(self, number: BitNumber, value: int) -> int:
        """Return the literal that is true if and only if a number equals a value."""
        code = value - number.low
        if not 0 <= code < 1 << len(number.bits):
            return FALSE
        return self._gates.all_of(bit if code >> power & 1 else -bit for power, bit in enumerate(number.bits))

    def less(self, a: BitNumber, b: BitNumber) -> int:
        """Return the literal that is true if and only if `a < b`."""
        return self.at_most(self.total(((1, a), (-1, b))), -1)

    def inside(self, number: BitNumber, domain: Domain) -> int:
        """Return the literal that is true if and only if a number is in a domain."""
        return self._is_in_intervals(number.bits, number.low, domain.intervals)

    def _is_in_intervals(self, bits: Sequence[int], low: int, intervals: Sequence[tuple[int, int]]) -> int:
        high = low + (1 << len(bits)) - 1
        overlapping = [(a, b) for a, b in intervals if a <= high and b >= low]
        if not overlapping:
            return FALSE
        if overlapping[0][0] <= low and overlapping[0][1] >= high:
            return TRUE
        middle = low + (1 << len(bits) - 1)
        return self._gates.choose(
            bits[-1],
            self._is_in_intervals(bits[:-1], middle, overlapping),
            self._is_in_intervals(bits[:-1], low, overlapping),
        )

    def either(self, condition: int, then: BitNumber, otherwise: BitNumber) -> BitNumber:
        """Return the number that equals `then` if the literal `condition` is true, else `otherwise`."""
        low = min(then.low, otherwise.low)
        pairs = zip_longest(self._offset_bits(then, low), self._offset_bits(otherwise, low), fillvalue=FALSE)
        return BitNumber(low, tuple(self._gates.choose(condition, a, b) for a, b in pairs))

    def _offset_bits(self, number: BitNumber, low: int) -> tuple[int, ...]:
        """Return the bits of the non-negative `number - low`, where `low` is at most the number's minimum."""
        gap = number.low - low
        return number.bits if gap == 0 else self._sum_of_bits(number.bits, _bits(gap))

    def _sum_of_bits(self, a: Sequence[int], b: Sequence[int]) -> tuple[int, ...]:
        bits: list[int] = []
        carry = FALSE
        for one, other in zip_longest(a, b, fillvalue=FALSE):
            bit, carry = self._gates.full_adder(one, other, carry)
            bits.append(bit)
        return (*bits, carry) if carry != FALSE else tuple(bits)

    def quotient(self, dividend: BitNumber, divisor: int) -> BitNumber:
        """Return a number divided by a positive constant, rounded down, by long division over its bits."""
        low = dividend.low // divisor
        remainder = self._offset_bits(dividend, low * divisor)
        bits: list[int] = []
        for power in reversed(range(max(0, len(remainder) - divisor.bit_length() + 1))):
            multiple = divisor << power
            fits = -self.at_most(BitNumber(0, remainder), multiple - 1)
            difference = self._sum_of_bits(remainder, _bits((1 << len(remainder)) - multiple))[
                : len(remainder)
            ]  # subtract the multiple if it is at most the remainder
            remainder = tuple(self._gates.choose(fits, a, b) for a, b in zip(difference, remainder, strict=True))
            bits.append(fits)
        return BitNumber(low, tuple(reversed(bits)))

    def product(self, a: BitNumber, b: BitNumber) -> BitNumber:
        """Return the product of two numbers, as a sum of products of single bits."""
        terms = [(b.low, BitNumber(0, a.bits)), (a.low, BitNumber(0, b.bits))]
        for i, one in enumerate(a.bits):
            for j, other in enumerate(b.bits):
                terms.append((1 << i + j, BitNumber(0, (self._gates.all_of((one, other)),))))
        return self.total(terms, a.low * b.low)

    def tabled(self, numbers: Sequence[BitNumber], values: Mapping[tuple[int, ...], int], default: int) -> BitNumber:
        """Return the number that is the value of a function, given as a table, for numbers as arguments.

        It is encoded as a decision tree over the bits of the numbers, with equal parts shared (Bryant 1986).

        Args:
            numbers: the arguments.
            values: value of the function for each tuple of arguments.
            default: value for all other arguments.
        """
        low = min((default, *values.values()))
        width = (max((default, *values.values())) - low).bit_length()

        def leaf(value: int) -> tuple[int, ...]:
            return _bits(value - low, width)

        return BitNumber(low, self._lookup(numbers, {row: leaf(v) for row, v in values.items()}, leaf(default)))

    def in_table(self, numbers: Sequence[BitNumber], rows: Iterable[tuple[int, ...]]) -> int:
        """Return the literal that is true if and only if the numbers, in order, form one of the tuples in `rows`."""
        return self._lookup(numbers, dict.fromkeys(rows, (TRUE,)), (FALSE,))[0]

    def _lookup(
        self,
        numbers: Sequence[BitNumber],
        leaves: Mapping[tuple[int, ...], tuple[int, ...]],
        other: tuple[int, ...],
    ) -> tuple[int, ...]:
        """Return the bits that a table assigns to the values of the numbers.

        Args:
            numbers: the numbers to look up.
            leaves: the table: bits of the result for each tuple of values.
            other: bits of the result for all other tuples.
        """
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
            (code - first.low, self._lookup(numbers[1:], by_code[code], other))
            for code in sorted(by_code)
            if first.low <= code <= first.high
        ]
        return self._lookup_code(first.bits, 0, results, other)

    def _lookup_code(
        self,
        bits: Sequence[int],
        low: int,
        results: Sequence[tuple[int, tuple[int, ...]]],
        other: tuple[int, ...],
    ) -> tuple[int, ...]:
        """Return the bits that a table assigns to one integer, or `other` if the table does not have the integer.

        The integer is `low` plus the value of `bits`.

        Args:
            bits: bits of the integer.
            low: the integer for which all bits are 0.
            results: the table: pairs of an integer and the bits of its result, by increasing integer.
            other: bits of the result for all other integers.
        """
        if not results:
            return other
        if not bits:
            return results[0][1]
        middle = low + (1 << len(bits) - 1)
        split = bisect_left(results, middle, key=itemgetter(0))
        then = self._lookup_code(bits[:-1], middle, results[split:], other)
        otherwise = self._lookup_code(bits[:-1], low, results[:split], other)
        return tuple(self._gates.choose(bits[-1], a, b) for a, b in zip(then, otherwise, strict=True))


def _bits(value: int, width: int = 0) -> tuple[int, ...]:
    """Return the bits of a non-negative constant as literals (`TRUE` or its negation), least significant first."""
    return tuple(TRUE if value >> power & 1 else FALSE for power in range(width or value.bit_length()))


def _add_weighted(columns: list[list[int]], weight: int, bit: int) -> None:
    """Add `weight * bit` to a sum of bits: add the bit to column i if the weight contains 2^i.

    Column i of a sum has the bits of weight 2^i.
    """
    power = 0
    while weight:
        while len(columns) <= power:
            columns.append([])
        if weight & 1:
            columns[power].append(bit)
        weight >>= 1
        power += 1


def _columns_in_order(columns: list[list[int]]) -> Iterable[list[int]]:
    """Yield the columns of a sum of bits by increasing weight, including columns that are added meanwhile."""
    power = 0
    while power < len(columns):
        yield columns[power]
        power += 1
