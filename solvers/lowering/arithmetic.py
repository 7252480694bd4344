"""Arithmetic and scalar builtins on values of the search."""

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


def minus(low: LoweringContext, left: Value, right: Value) -> Value:
    """`left - right`."""
    return arithmetic(low, "-", left, right, None)


def arithmetic(low: LoweringContext, op: str, left: Value, right: Value, expr: t.Expr | None) -> Value:
    """`left op right` for `+ - * // %`; none where a side is, or where a divisor is not positive."""
    if left is None or right is None:
        return None
    if isinstance(left, Cases) or isinstance(right, Cases):
        ways = low.algebra.spread((left, right))
        if op not in ("+", "-") or len(ways) <= sum(
            len(x.cases) for x in (left, right) if isinstance(x, Cases)
        ):
            return low.algebra.choice((guard, arithmetic(low, op, a, b, expr)) for guard, (a, b) in ways)
        # choices that have nothing to do with one another: a sum of each, and not a case for each pair
        left, right = low.algebra.num(left), low.algebra.num(right)
    tabs = joined_vars((left, right))
    numbers = isinstance(left, Num) or isinstance(right, Num)
    if not numbers and (len(tabs) <= 1 or op in ("//", "%") or (op == "*" and size_of(tabs) <= SMALL)):
        return lift(lambda a, b: arith(op, a, b), (left, right))  # type: ignore[arg-type]
    model = low.model
    if op in ("//", "%"):
        return _divide(low, op, left, right, expr)
    a, b = low.algebra.num(left), low.algebra.num(right)
    defined = model.conj((a.defined, b.defined))
    if op == "*":
        return Num(model.product(a.linear, b.linear), defined, a.scale * b.scale)
    scale = a.scale * b.scale // gcd(a.scale, b.scale)
    first, second = model.scale(a.linear, scale // a.scale), model.scale(b.linear, scale // b.scale)
    return Num(model.plus(first, second) if op == "+" else model.minus(first, second), defined, scale)


def _divide(low: LoweringContext, op: str, left: Value, right: Value, expr: t.Expr | None) -> Value:
    if isinstance(right, Num):
        right = tabulated(right)
    if isinstance(right, Tab):
        options = {v for v in right.values.values() if v > 0}
        if len(options) > SMALL:
            raise TooManyCellsError(len(options))
        each = {
            v: low.model.in_table(right.vars, [c for c, x in right.values.items() if x == v]) for v in options
        }
        return low.algebra.choice((guard, _divide(low, op, left, v, expr)) for v, guard in each.items())
    if right <= 0:
        return None
    number = low.algebra.num(left)
    if number.scale != 1:
        assert expr is not None
        raise NotSupportedError("a division of a planned decimal", expr)
    quotient = low.model.quotient(number.linear, right)
    if op == "//":
        return Num(quotient, number.defined)
    return Num(low.model.minus(number.linear, low.model.scale(quotient, right)), number.defined)


def tabulated(value: Num) -> Tab:
    """A number as a table over its variables.

    Raises:
        TooManyCellsError: there are too many combinations.
    """
    found = leaves(value.linear)
    leaves(value.defined, found)
    over = tuple(found.values())
    cells: dict[tuple[int, ...], Any] = {}
    for codes in combinations(over):
        values = {var.id: code for var, code in zip(over, codes, strict=True)}
        if evaluate(value.defined, values):
            number = evaluate(value.linear, values)
            cells[codes] = number if value.scale == 1 else Fraction(number, value.scale)
    return Tab(over, cells)


def call_of(low: LoweringContext, expr: t.Call, function: str, args: tuple[Value, ...]) -> Value:
    """A scalar builtin; none (or false) where an argument is."""
    if any(arg is None for arg in args):
        return FALSE if expr.type is ScalarType.BOOL else None
    if any(isinstance(arg, Cases) for arg in args):
        ways = [(guard, call_of(low, expr, function, picked)) for guard, picked in low.algebra.spread(args)]
        if expr.type is ScalarType.BOOL:
            return low.model.disj(low.model.conj((g, low.algebra.truth(v))) for g, v in ways)
        return low.algebra.choice(ways)
    if all(not isinstance(arg, Num) for arg in args) and (
        function == "contains" or size_of(joined_vars(args)) <= SMALL
    ):
        made = lift(lambda *xs: call(function, xs), args)
        return low.algebra.truth(made) if expr.type is ScalarType.BOOL else made
    match function:
        case "ceil_div":
            negative = arithmetic(low, "//", arithmetic(low, "*", args[0], -1, expr), args[1], expr)
            return arithmetic(low, "*", negative, -1, expr)
        case "day_of_week":
            since_monday = arithmetic(low, "%", arithmetic(low, "-", args[0], 1, expr), 7, expr)
            return arithmetic(low, "+", since_monday, 1, expr)
        case "abs":
            number = low.algebra.num(args[0])
            opposite = Num(low.model.scale(number.linear, -1), TRUE, number.scale)
            return _extreme(low, [number, opposite], greatest=True)
        case "min" | "max":
            return _extreme(low, [low.algebra.num(arg) for arg in args], greatest=function == "max")
        case _:
            raise AssertionError(f"no lowering of the builtin {function}")


def _extreme(low: LoweringContext, nums: list[Num], *, greatest: bool) -> Num:
    """The least or the greatest of numbers; none where one of them is."""
    if len({n.scale for n in nums}) > 1:
        scale = 1
        for n in nums:
            scale = scale * n.scale // gcd(scale, n.scale)
        nums = [Num(low.model.scale(n.linear, scale // n.scale), n.defined, scale) for n in nums]
    linear = low.model.extreme(((TRUE, n.linear) for n in nums), greatest=greatest)
    return Num(linear, low.model.conj(n.defined for n in nums), nums[0].scale)
