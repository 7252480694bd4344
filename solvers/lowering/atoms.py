"""Lowering of comparisons and memberships to conditions that are true only if both operands are defined."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from planspec.dsl.model.facts import hashable
from planspec.dsl.model.rows import Row
from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.domain import Domain
from planspec.solvers.ir.nodes import BOOLS, FALSE, TRUE, Bool, IntVar, Linear
from planspec.solvers.lowering.decision_rows import ValueEncoding
from planspec.solvers.lowering.symbolic import (
    Algebra,
    Cases,
    Items,
    Num,
    RowVariables,
    Tab,
    Value,
    equality_table,
    joined_vars,
    lift,
    size_of,
)
from planspec.verifiers.meaning.interpret import compare

_NUMBERS = frozenset({int, Num})
TABLE = 1_000
"""Maximum number of combinations of codes for which two values given as tables are compared cell by cell."""


class Atoms:
    """Builder of conditions for comparisons (`a < b`) and memberships (`a in b`) in one model."""

    def __init__(self, model: NodeBuilder, algebra: Algebra, coding: ValueEncoding) -> None:
        self.model = model
        self.algebra = algebra
        self.coding = coding

    def equal(self, a: Value, b: Value, *, lists: bool = False) -> Bool:
        """Return the condition that both values are defined and equal.

        If `lists` is true, collections are compared as lists; otherwise they are compared as sets.
        """
        if isinstance(a, Cases) or isinstance(b, Cases):
            return self.model.disj(
                self.model.conj((guard, self.compare("==", x, y, lists=lists)))
                for guard, (x, y) in self.algebra.combine_cases((a, b))
            )
        return self.compare("==", a, b, lists=lists)

    def compare(self, op: str, a: Value, b: Value, *, lists: bool = False) -> Bool:
        """Return the condition that both sides are defined and `a op b` holds. Neither side may be a `Cases` value.

        Args:
            op: one of `== != < <= > >=`.
            a: value of the left side.
            b: value of the right side.
            lists: whether to compare collections as lists; otherwise they are compared as sets.
        """
        if a is None or b is None:
            return FALSE
        if type(a) in _NUMBERS and type(b) in _NUMBERS and not (type(a) is int and type(b) is int):
            return self._compare_numbers(op, self.algebra.num(a), self.algebra.num(b))
        if isinstance(a, RowVariables) or isinstance(b, RowVariables):
            are_equal = a is b
            return TRUE if are_equal == (op == "==") else FALSE
        if _is_condition(a) or _is_condition(b):
            return self._compare_conditions(op, self.algebra.truth(a), self.algebra.truth(b))
        if isinstance(a, Items) or isinstance(b, Items):
            return self._compare_sets(op, a, b)
        numbers = isinstance(a, Num) or isinstance(b, Num)
        if not numbers:
            plain = _identity if lists else hashable
            if not isinstance(a, Tab) and not isinstance(b, Tab):
                return TRUE if compare(op, plain(a), plain(b)) else FALSE  # type: ignore[arg-type]
            if (
                isinstance(a, Tab)
                and isinstance(b, Tab)
                and a.space is not None
                and a.space == b.space
                and op in ("==", "!=")
            ):
                return self._compare_codes(op, a, b)
            variables = joined_vars((a, b))
            if (
                op in ("==", "!=")
                and len(variables) > 1
                and size_of(variables) > TABLE
                and _are_static_rows(a)
                and _are_static_rows(b)
            ):
                return self._compare_rows(op, a, b)
            if len(variables) == 1 or size_of(variables) <= TABLE or not self._are_numbers(a, b):
                if op == "==" and isinstance(a, Tab) and isinstance(b, Tab) and len(variables) == len(a.vars + b.vars):
                    holds = equality_table(a, b, plain)
                else:
                    holds = lift(lambda x, y: True if compare(op, plain(x), plain(y)) else None, (a, b))  # type: ignore[arg-type]
                return self.algebra.truth(holds)
        return self._compare_numbers(op, self.algebra.num(a), self.algebra.num(b))

    def _are_numbers(self, a: Value, b: Value) -> bool:
        for value in (a, b):
            sample = next(iter(value.values.values()), 0) if isinstance(value, Tab) else value
            if isinstance(sample, bool) or not isinstance(sample, int | Fraction):
                return False
        return True

    def _compare_codes(self, op: str, a: Tab, b: Tab) -> Bool:
        model = self.model
        are_equal = model.is_zero(model.minus(model.of(a.vars[0]), model.of(b.vars[0])))
        return model.conj(
            (
                are_equal if op == "==" else model.negate(are_equal),
                self.algebra.defined(a),
                self.algebra.defined(b),
            )
        )

    def _compare_rows(self, op: str, a: Value, b: Value) -> Bool:
        """Return the condition that two rows of static tables are defined and equal (for `!=`: different).

        The integers that encode the rows are compared, because a table of all pairs of rows would be too large.
        """
        model = self.model
        are_equal = model.is_zero(model.minus(self._row_code(a), self._row_code(b)))
        return model.conj(
            (
                are_equal if op == "==" else model.negate(are_equal),
                self.algebra.defined(a),
                self.algebra.defined(b),
            )
        )

    def _row_code(self, value: Value) -> Linear:
        """Return the integer that encodes a row of a static table. If the row is *none*, the result is arbitrary."""
        if not isinstance(value, Tab):
            return self.model.constant(self.coding.row(value))
        if value.space is not None and len(value.vars) == 1:
            return self.model.of(value.vars[0])
        cells = {codes: self.coding.row(row) for codes, row in value.values.items()}
        return self.model.tabled(value.vars, cells)

    def _compare_numbers(self, op: str, a: Num, b: Num) -> Bool:
        model = self.model
        left, right = model.scale(a.linear, b.scale), model.scale(b.linear, a.scale)
        match op:
            case "==":
                holds = model.is_zero(model.minus(left, right))
            case "!=":
                holds = model.negate(model.is_zero(model.minus(left, right)))
            case "<=" | "<":
                holds = model.less(left, right, strictly=op == "<")
            case _:
                holds = model.less(right, left, strictly=op == ">")
        return model.conj((holds, a.defined, b.defined))

    def _compare_conditions(self, op: str, a: Bool, b: Bool) -> Bool:
        model = self.model
        are_equal = model.disj((model.conj((a, b)), model.conj((model.negate(a), model.negate(b)))))
        return are_equal if op == "==" else model.negate(are_equal)

    def _compare_sets(self, op: str, a: Value, b: Value) -> Bool:
        """Return the condition that two collections are defined and equal as sets (for `!=`: different)."""
        model = self.model
        for one, other in ((a, b), (b, a)):
            if isinstance(one, Tab):
                return model.disj(
                    model.conj((is_value, self._compare_sets(op, value, other)))
                    for is_value, value in self._cases_of_collections(one)
                )
        parts: list[Bool] = []
        for one, other in ((a, b), (b, a)):
            for guard, member in _members(one):
                for condition, option in self.algebra.combine_cases((member,)):
                    present = model.conj((guard, condition, self.algebra.defined(option[0])))
                    parts.append(model.disj((model.negate(present), self._contains_equal(option[0], other))))
        are_equal = model.conj(parts)
        defined = (self.algebra.defined(a), self.algebra.defined(b))
        return model.conj((are_equal if op == "==" else model.negate(are_equal), *defined))

    def _contains_equal(self, item: Value, collection: Value) -> Bool:
        """Return the condition that the item equals a member of the collection.

        The condition does not require that the collection is defined (not *none*).
        """
        if isinstance(collection, Items):
            return self.model.disj(
                self.model.conj((guard, self.equal(item, member))) for guard, member in collection.members
            )
        return self.member(item, collection)

    def member(self, item: Value, collection: Value, *, negated: bool = False) -> Bool:
        """Return the condition that both operands are defined and `item in collection` holds (if `negated`: does not).

        No operand may be a `Cases` value.
        """
        model = self.model
        if item is None or collection is None:
            return FALSE
        if isinstance(collection, Items):
            inside = self._contains_equal(item, collection)
            if negated:
                inside = model.conj((model.negate(inside), self.algebra.defined(item)))
            return model.conj((inside, collection.defined))
        if isinstance(collection, Tab) and (_is_condition(item) or isinstance(item, Num)):
            return model.disj(
                model.conj((is_value, self.member(item, value, negated=negated)))
                for is_value, value in self._cases_of_collections(collection)
            )
        if _is_condition(item):
            inside = model.disj(self._compare_conditions("==", item, TRUE if x else FALSE) for x in collection)
            return model.negate(inside) if negated else inside
        if isinstance(item, Num):
            return self._contains_number(item, collection, negated=negated)
        if isinstance(item, RowVariables):
            is_member = isinstance(collection, tuple) and item in collection
            return TRUE if is_member != negated else FALSE
        holds = lift(lambda x, xs: True if (x in xs) != negated else None, (item, collection))
        return self.algebra.truth(holds)

    def _contains_number(self, item: Num, collection: Value, *, negated: bool) -> Bool:
        model = self.model
        numbers = [x for x in collection if x is not None]
        if item.scale == 1 and len(item.linear.terms) == 1 and isinstance(item.linear.terms[0][0], IntVar):
            atom, factor = item.linear.terms[0]
            whole = [
                (x - item.linear.constant) // factor for x in numbers if _is_multiple(x, item.linear.constant, factor)
            ]
            inside = model.member(atom, Domain.of(int(x) for x in whole)) if isinstance(atom, IntVar) else FALSE
        else:
            inside = model.disj(
                self._compare_numbers("==", Num(item.linear, TRUE, item.scale), self.algebra.num(x)) for x in numbers
            )
        return model.conj((model.negate(inside) if negated else inside, item.defined))

    def _cases_of_collections(self, collections: Tab) -> Iterable[tuple[Bool, tuple[Any, ...]]]:
        """Yield each collection that a table can have as its value, with the condition that it has this value."""
        codes_by_value: dict[tuple[Any, ...], list[tuple[int, ...]]] = {}
        for codes, value in collections.values.items():
            codes_by_value.setdefault(tuple(value), []).append(codes)
        for value, rows in codes_by_value.items():
            yield self.model.in_table(collections.vars, rows), value


def _are_static_rows(value: Value) -> bool:
    """Return whether every value that a symbolic value can take is a row of a static table."""
    values = value.values.values() if isinstance(value, Tab) else (value,)
    return all(isinstance(row, Row) and not row._table.plan for row in values)


def _is_multiple(value: Any, constant: int, factor: int) -> bool:
    return bool((value - constant) % factor == 0)


def _is_condition(value: Value) -> bool:
    return isinstance(value, BOOLS)


def _members(value: Value) -> Iterable[tuple[Bool, Value]]:
    if isinstance(value, Items):
        return value.members
    return [(TRUE, x) for x in value] if isinstance(value, tuple) else []


def _identity(value: Any) -> Any:
    return value
