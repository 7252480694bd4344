"""Code generation for comparisons and memberships, which are false if an operand is *none*."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from fractions import Fraction

from planspec.dsl.model.facts import as_set
from planspec.dsl.model.tree import AllRows, Arith, Compare, Expr, InSet, RangeOf, SetLiteral
from planspec.dsl.model.types import RowType, ScalarType, SetType
from planspec.verifiers.compiled import syntax as py
from planspec.verifiers.compiled.frame import Frame
from planspec.verifiers.compiled.value import Guarded, Known, Nullable, Value, comparable


def generate_comparison(frame: Frame, expr: Compare) -> ast.expr:
    """Return code for a comparison. The code is false if an operand is *none*."""
    values, factors = _whole_number_operands(frame, expr)
    if any(isinstance(value, Known) and value.value is None for value in values):
        return py.FALSE
    ops = [_comparison_operator(op, expr.operands[at], expr.operands[at + 1]) for at, op in enumerate(expr.ops)]
    types = [operand.type for operand in expr.operands]
    sets = [type_ for type_ in types if isinstance(type_, SetType)]
    if expr.ops == ("==",) and not sets:
        left, right = values
        if (
            not (isinstance(left, Guarded) or isinstance(right, Guarded))
            and (not isinstance(left, Nullable) or not isinstance(right, Nullable))
            and factors is None
        ):
            return py.compare(
                frame.as_nullable(left), ops[0], frame.as_nullable(right)
            )  # only one side can be None, and then they are not equal
    guards: list[ast.expr] = []
    codes: list[ast.expr] = []
    for value, type_ in zip(values, types, strict=True):
        more, code = frame.parts(value)
        guards += more
        codes.append(comparable(code, sets[0] if sets else type_))  # a list equals a set with the same items
    if factors is not None:
        codes = [_scaled(code, factor) for code, factor in zip(codes, factors, strict=True)]
    return py.conjunction([*guards, py.chain(codes, ops)])


def _whole_number_operands(frame: Frame, expr: Compare) -> tuple[list[Value], tuple[int, int] | None]:
    """Return code for both operands, and integer factors by which to multiply them instead of using a fraction.

    For example, `x <= 0.35 * y` becomes `20 * x <= 7 * y`, because fractions are slow. The factors are None if no
    operand is multiplied by a constant fraction.
    """
    if len(expr.operands) == 2:
        for at, operand in enumerate(expr.operands):
            match = _constant_factor(frame, operand)
            if match is not None:
                factor, part = match
                factors = factor.numerator, factor.denominator
                other = frame.value(expr.operands[1 - at])
                values = [frame.value(part), other] if at == 0 else [other, frame.value(part)]
                return values, factors if at == 0 else (factors[1], factors[0])
    return [frame.value(operand) for operand in expr.operands], None


def _constant_factor(frame: Frame, expr: Expr) -> tuple[Fraction, Expr] | None:
    """Return a constant fraction and the expression that it multiplies; None for any other expression."""
    if isinstance(expr, Arith) and expr.op == "*" and frame.static_values(expr) is None:
        for factor, part in ((expr.left, expr.right), (expr.right, expr.left)):
            if factor.type is ScalarType.DECIMAL and (constants := frame.static_values(factor)) is not None:
                first = constants[0]
                if isinstance(first, Fraction) and all(value == first for value in constants):
                    return first, part
    return None


def _comparison_operator(op: str, left: Expr, right: Expr) -> str:
    if isinstance(left.type, RowType) and isinstance(right.type, RowType):  # rows are compared by identity
        return "is" if op == "==" else "is not" if op == "!=" else op
    return op


def generate_membership(frame: Frame, expr: InSet) -> ast.expr:
    """Return code for membership. The code is false if the item or the collection is *none*."""
    item = frame.value(expr.item)
    if isinstance(item, Known) and item.value is None:
        return py.FALSE
    guards, code = frame.parts(item)
    code = comparable(code, expr.item.type)
    if isinstance(expr.collection, RangeOf):
        more, test = _range_test(frame, code, expr.collection)
    else:
        more, test = _member_test(frame, code, expr)
    return py.conjunction([*guards, *more, py.negation(test) if expr.negated else test])


def _range_test(frame: Frame, item: ast.expr, expr: RangeOf) -> tuple[Sequence[ast.expr], ast.expr]:
    """Return code for the test whether an item is in a range: guards, and the test if all guards are true."""
    ends = [expr.low, expr.high] if expr.step is None else [expr.low, expr.high, expr.step]
    parts = [frame.parts(frame.value(end)) for end in ends]
    guards = [guard for more, _ in parts for guard in more]
    low, high, *steps = [code for _, code in parts]
    if not steps:
        return guards, py.chain([low, item, high], ["<=", "<="])
    step = frame.program.unique_name("step")
    guards.append(py.compare(py.named(step, steps[0]), ">", py.ZERO))
    return guards, py.call(py.name("on_grid"), item, low, high, py.name(step))


def _member_test(frame: Frame, item: ast.expr, expr: InSet) -> tuple[Sequence[ast.expr], ast.expr]:
    """Return code for the test whether an item is in a set: guards, and the test if all guards are true."""
    are_sets = isinstance(expr.item.type, SetType)
    collections = frame.static_values(expr.collection)
    if collections is not None:
        guards, _ = frame.parts(frame.value_before_plan([None if items is None else 0 for items in collections]))
        members = [frozenset(map(as_set, items or ()) if are_sets else items or ()) for items in collections]
        return guards, py.compare(item, "in", frame.as_nullable(frame.value_before_plan(members)))
    if isinstance(expr.collection, AllRows):
        return (), py.compare(item, "in", frame.rows_of(expr.collection.table))
    if isinstance(expr.collection, SetLiteral) and not are_sets:
        value = frame.strict(expr.collection.items, py.tuple_)
    else:
        value = frame.value(expr.collection)
    guards, code = frame.parts(value)
    if are_sets:
        code = py.call(py.name("map"), py.name("as_set"), code)
    return guards, py.compare(item, "in", code)


def _scaled(code: ast.expr, factor: int) -> ast.expr:
    return code if factor == 1 else py.arithmetic(code, "*", py.constant(factor))
