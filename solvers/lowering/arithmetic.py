"""Lowering of arithmetic and of built-in functions of scalars."""

from __future__ import annotations

from fractions import Fraction
from math import gcd
from typing import Any

from planspec.dsl.model import tree as t
from planspec.dsl.model.types import ScalarType
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.ir.nodes import FALSE, TRUE
from planspec.solvers.lowering.context import SMALL, LoweringContext
from planspec.solvers.lowering.symbolic import (
    Cases,
    NotSupportedError,
    Num,
    Tab,
    TooManyCellsError,
    Value,
    combinations,
    joined_vars,
    leaves,
    lift,
    size_of,
)
from planspec.verifiers.meaning.interpret import arith, call


def minus(context: LoweringContext, left: Value, right: Value) -> Value:
    """Return the difference `left - right` of two numbers as a symbolic value."""
    return arithmetic(context, "-", left, right, None)


def arithmetic(context: LoweringContext, op: str, left: Value, right: Value, expr: t.Expr | None) -> Value:
    """Return `left op right` for `+ - * // %`; *none* if a side is *none* or the divisor is not positive.

    `expr` is the expression that an error names if the operation cannot be encoded.
    """
    if left is None or right is None:
        return None
    if isinstance(left, Cases) or isinstance(right, Cases):
        choices = context.algebra.combine_cases((left, right))
        if op not in ("+", "-") or len(choices) <= sum(len(x.cases) for x in (left, right) if isinstance(x, Cases)):
            return context.algebra.choice((guard, arithmetic(context, op, a, b, expr)) for guard, (a, b) in choices)
        # choices become linear expressions, because one case for each pair would be too many
        left, right = context.algebra.num(left), context.algebra.num(right)
    tabs = joined_vars((left, right))
    numbers = isinstance(left, Num) or isinstance(right, Num)
    if not numbers and (len(tabs) <= 1 or op in ("//", "%") or (op == "*" and size_of(tabs) <= SMALL)):
        return lift(lambda a, b: arith(op, a, b), (left, right))  # type: ignore[arg-type]
    model = context.model
    if op in ("//", "%"):
        return _divide(context, op, left, right, expr)
    a, b = context.algebra.num(left), context.algebra.num(right)
    defined = model.conj((a.defined, b.defined))
    if op == "*":
        return Num(model.product(a.linear, b.linear), defined, a.scale * b.scale)
    scale = a.scale * b.scale // gcd(a.scale, b.scale)
    first, second = model.scale(a.linear, scale // a.scale), model.scale(b.linear, scale // b.scale)
    return Num(model.plus(first, second) if op == "+" else model.minus(first, second), defined, scale)


def _divide(context: LoweringContext, op: str, left: Value, right: Value, expr: t.Expr | None) -> Value:
    if isinstance(right, Num):
        right = tabulated(right)
    if isinstance(right, Tab):
        options = {v for v in right.values.values() if v > 0}
        if len(options) > SMALL:
            raise TooManyCellsError(len(options))
        each = {v: context.model.in_table(right.vars, [c for c, x in right.values.items() if x == v]) for v in options}
        return context.algebra.choice((guard, _divide(context, op, left, v, expr)) for v, guard in each.items())
    if right <= 0:
        return None
    number = context.algebra.num(left)
    if number.scale != 1:
        assert expr is not None
        raise NotSupportedError("a division of a planned decimal", expr)
    quotient = context.model.quotient(number.linear, right)
    if op == "//":
        return Num(quotient, number.defined)
    return Num(context.model.minus(number.linear, context.model.scale(quotient, right)), number.defined)


def tabulated(value: Num) -> Tab:
    """Return a number as a table over its decision variables.

    Raises:
        TooManyCellsError: there are too many combinations.
    """
    variables = leaves(value.linear)
    leaves(value.defined, variables)
    vars_ = tuple(variables.values())
    cells: dict[tuple[int, ...], Any] = {}
    for codes in combinations(vars_):
        values = {var.id: code for var, code in zip(vars_, codes, strict=True)}
        if evaluate(value.defined, values):
            number = evaluate(value.linear, values)
            cells[codes] = number if value.scale == 1 else Fraction(number, value.scale)
    return Tab(vars_, cells)


def lower_call(context: LoweringContext, expr: t.Call, function: str, args: tuple[Value, ...]) -> Value:
    """Return the value of a call of a built-in function.

    If an argument is *none*, a Boolean function is false, and any other function is *none*.
    """
    if any(arg is None for arg in args):
        return FALSE if expr.type is ScalarType.BOOL else None
    if any(isinstance(arg, Cases) for arg in args):
        choices = [
            (guard, lower_call(context, expr, function, picked))
            for guard, picked in context.algebra.combine_cases(args)
        ]
        if expr.type is ScalarType.BOOL:
            return context.model.disj(context.model.conj((g, context.algebra.truth(v))) for g, v in choices)
        return context.algebra.choice(choices)
    if all(not isinstance(arg, Num) for arg in args) and (
        function == "contains" or size_of(joined_vars(args)) <= SMALL
    ):
        result = lift(lambda *xs: call(function, xs), args)
        return context.algebra.truth(result) if expr.type is ScalarType.BOOL else result
    match function:
        case "ceil_div":
            negative = arithmetic(context, "//", arithmetic(context, "*", args[0], -1, expr), args[1], expr)
            return arithmetic(context, "*", negative, -1, expr)
        case "day_of_week":
            since_monday = arithmetic(context, "%", arithmetic(context, "-", args[0], 1, expr), 7, expr)
            return arithmetic(context, "+", since_monday, 1, expr)
        case "abs":
            number = context.algebra.num(args[0])
            opposite = Num(context.model.scale(number.linear, -1), TRUE, number.scale)
            return _extreme(context, [number, opposite], greatest=True)
        case "min" | "max":
            return _extreme(context, [context.algebra.num(arg) for arg in args], greatest=function == "max")
        case _:
            raise AssertionError(f"no lowering of the builtin {function}")


def _extreme(context: LoweringContext, nums: list[Num], *, greatest: bool) -> Num:
    """Return the minimum or maximum of numbers; *none* if one of the numbers is *none*."""
    if len({n.scale for n in nums}) > 1:
        scale = 1
        for n in nums:
            scale = scale * n.scale // gcd(scale, n.scale)
        nums = [Num(context.model.scale(n.linear, scale // n.scale), n.defined, scale) for n in nums]
    linear = context.model.extreme(((TRUE, n.linear) for n in nums), greatest=greatest)
    return Num(linear, context.model.conj(n.defined for n in nums), nums[0].scale)
