"""Generation of comparisons and membership: one test each, false where something is none."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from fractions import Fraction

from planspec.dsl.model.indexes import as_set
from planspec.dsl.model.tree import AllRows, Arith, Compare, Expr, InSet, RangeOf, SetLiteral
from planspec.dsl.model.types import RowType, Scalar, SetType
from planspec.verifiers.compiled import syntax as py
from planspec.verifiers.compiled.call import Calls
from planspec.verifiers.compiled.value import Guarded, Known, Nullable, Total, Value


class Comparisons(Calls):
    """Generation of tests."""

    def strict(self, operands: Sequence[Expr], build: Callable[[list[ast.expr]], ast.expr]) -> Value:
        """Code over operands none of which may be none."""
        guards: list[ast.expr] = []
        codes: list[ast.expr] = []
        for operand in operands:
            value = self.value(operand)
            if isinstance(value, Known) and value.value is None:
                return value
            more, code = self.parts(value)
            guards += more
            codes.append(code)
        return Guarded(tuple(guards), build(codes)) if guards else Total(build(codes))

    def compared(self, expr: Compare) -> ast.expr:
        values, factors = self._in_whole_numbers(expr)
        if any(isinstance(value, Known) and value.value is None for value in values):
            return py.FALSE
        ops = [self._operator(op, expr.operands[at], expr.operands[at + 1]) for at, op in enumerate(expr.ops)]
        types = [operand.type for operand in expr.operands]
        sets = [of for of in types if isinstance(of, SetType)]
        if expr.ops == ("==",) and not sets:
            left, right = values
            if (
                not (isinstance(left, Guarded) or isinstance(right, Guarded))
                and (not isinstance(left, Nullable) or not isinstance(right, Nullable))
                and factors is None
            ):
                return py.compare(
                    self.whole(left), ops[0], self.whole(right)
                )  # None is equal to nothing else
        guards: list[ast.expr] = []
        codes: list[ast.expr] = []
        for value, of in zip(values, types, strict=True):
            more, code = self.parts(value)
            guards += more
            codes.append(self.comparable(code, sets[0] if sets else of))  # a list against a set is a set
        if factors is not None:
            codes = [_times(code, factor) for code, factor in zip(codes, factors, strict=True)]
        return py.both([*guards, py.chain(codes, ops)])

    def _in_whole_numbers(self, expr: Compare) -> tuple[list[Value], tuple[int, int] | None]:
        """The operands; of `x <= 0.35 * y` these are x and y, with 20 and 7 as factors: fractions are slow."""
        if len(expr.operands) == 2:
            for at, operand in enumerate(expr.operands):
                found = self._factor(operand)
                if found is not None:
                    factor, of = found
                    factors = factor.numerator, factor.denominator
                    other = self.value(expr.operands[1 - at])
                    values = [self.value(of), other] if at == 0 else [other, self.value(of)]
                    return values, factors if at == 0 else (factors[1], factors[0])
        return [self.value(operand) for operand in expr.operands], None

    def _factor(self, expr: Expr) -> tuple[Fraction, Expr] | None:
        """A constant fraction that is multiplied with something that no constant is."""
        if isinstance(expr, Arith) and expr.op == "*" and self.known(expr) is None:
            for factor, of in ((expr.left, expr.right), (expr.right, expr.left)):
                if factor.type is Scalar.DECIMAL and (known := self.known(factor)) is not None:
                    first = known[0]
                    if isinstance(first, Fraction) and all(value == first for value in known):
                        return first, of
        return None

    def _operator(self, op: str, left: Expr, right: Expr) -> str:
        if isinstance(left.type, RowType) and isinstance(
            right.type, RowType
        ):  # rows are compared by identity
            return "is" if op == "==" else "is not" if op == "!=" else op
        return op

    def contained(self, expr: InSet) -> ast.expr:
        item = self.value(expr.item)
        if isinstance(item, Known) and item.value is None:
            return py.FALSE
        guards, code = self.parts(item)
        code = self.comparable(code, expr.item.type)
        if isinstance(expr.collection, RangeOf):
            more, test = self._in_range(code, expr.collection)
        else:
            more, test = self._among(code, expr)
        return py.both([*guards, *more, py.negation(test) if expr.negated else test])

    def _in_range(self, item: ast.expr, expr: RangeOf) -> tuple[Sequence[ast.expr], ast.expr]:
        ends = [expr.low, expr.high] if expr.step is None else [expr.low, expr.high, expr.step]
        parts = [self.parts(self.value(end)) for end in ends]
        guards = [guard for more, _ in parts for guard in more]
        low, high, *steps = [code for _, code in parts]
        if not steps:
            return guards, py.chain([low, item, high], ["<=", "<="])
        step = self.program.fresh("step")
        guards.append(py.compare(py.named(step, steps[0]), ">", py.ZERO))
        return guards, py.call(py.name("on_grid"), item, low, high, py.name(step))

    def _among(self, item: ast.expr, expr: InSet) -> tuple[Sequence[ast.expr], ast.expr]:
        of_sets = isinstance(expr.item.type, SetType)
        known = self.known(expr.collection)
        if known is not None:
            guards, _ = self.parts(self.slot([None if items is None else 0 for items in known]))
            members = [frozenset(map(as_set, items or ()) if of_sets else items or ()) for items in known]
            return guards, py.compare(item, "in", self.whole(self.slot(members)))
        if isinstance(expr.collection, AllRows):
            return (), py.compare(item, "in", self.rows_of(expr.collection.table.name))
        if isinstance(expr.collection, SetLiteral) and not of_sets:
            value = self.strict(expr.collection.items, py.group)
        else:
            value = self.value(expr.collection)
        guards, code = self.parts(value)
        if of_sets:
            code = py.call(py.name("map"), py.name("as_set"), code)
        return guards, py.compare(item, "in", code)


def _times(code: ast.expr, factor: int) -> ast.expr:
    return code if factor == 1 else py.arithmetic(code, "*", py.constant(factor))
