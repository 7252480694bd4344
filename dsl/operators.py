"""Checking of operators: units, comparisons, `??`, conditionals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec.dsl import syntax as s
from planspec.dsl import tree as t
from planspec.dsl.checker import ZEROED, article, assignable, joined, retyped, stage_of, wrong
from planspec.dsl.diagnostics import Label
from planspec.dsl.types import (
    NUMERIC_UNITS,
    ORDERED,
    ListType,
    RowType,
    Scalar,
    ScaledType,
    SetType,
    Special,
    Stage,
    Type,
)

if TYPE_CHECKING:
    from planspec.dsl.checker import Checker, Env

S = Scalar
NUMBERS = NUMERIC_UNITS | {S.DECIMAL}


def unary(c: Checker, tree: s.Unary, env: Env, want: Type | None) -> t.Expr:
    """`not x` and `-x`."""
    if tree.op == "not":
        inner = c.condition(tree.operand, env)
        return t.Not(S.BOOL, tree.span, inner.stage, False, inner)
    operand = c.expression(tree.operand, env, want if want in NUMBERS else None)
    if operand.type is Special.WRONG:
        return wrong(tree.span)
    if operand.type not in NUMBERS and not isinstance(operand.type, ScaledType) and operand.type is not Special.UNIT_ZERO:
        c.report.error("PS302", f"{article(operand.type)} has no negative", tree.span, article(operand.type))
        return wrong(tree.span)
    return t.Negate(operand.type, tree.span, operand.stage, operand.partial, operand)


def needs_want(c: Checker, tree: s.Tree, env: Env) -> bool:
    """The expression is a bare name that only an expected type can explain (or made of such)."""
    match tree:
        case s.Name():
            return not c.resolvable(tree.name, env)
        case s.Nothing():
            return True
        case s.Parens(inner=s.RangeTree() | s.Generator()):
            return False
        case s.Parens():
            return needs_want(c, tree.inner, env)
        case s.Braces():
            return not tree.items or any(needs_want(c, item, env) for item in tree.items)
        case s.Ternary():
            return needs_want(c, tree.then, env) and needs_want(c, tree.otherwise, env)
        case s.Number():
            return tree.kind == "int" and tree.value == 0
    return False


def pair(c: Checker, a: s.Tree, b: s.Tree, env: Env, want: Type | None) -> tuple[t.Expr, t.Expr]:
    """Two expressions that direct each other's names."""
    if needs_want(c, a, env) and not needs_want(c, b, env):
        right = c.expression(b, env, want)
        return c.expression(a, env, right.type if right.type is not Special.WRONG else want), right
    left = c.expression(a, env, want)
    known = left.type if left.type not in (Special.WRONG, Special.NONE, Special.UNIT_ZERO) else want
    return left, c.expression(b, env, known)


def arithmetic(op: str, a: Type, b: Type) -> Type | None:
    """The type of `a op b`, None if it has no meaning."""
    if a is Special.UNIT_ZERO and b is Special.UNIT_ZERO:
        return S.INT
    if a is Special.UNIT_ZERO:
        a = b.unit if isinstance(b, ScaledType) else b if b in NUMBERS else S.INT
    if b is Special.UNIT_ZERO:
        b = S.DURATION if a in (S.TIME, S.MOMENT) else a.unit if isinstance(a, ScaledType) else a if a in NUMBERS else S.INT
    match op:
        case "+" | "-":
            if a in NUMBERS or isinstance(a, ScaledType):
                both = joined(a, b)
                if both is not None and (both in NUMBERS or isinstance(both, ScaledType)):
                    return both
            if a in (S.TIME, S.MOMENT) and b is S.DURATION:
                return a
            if a is S.DATE and b is S.INT:
                return a
            if op == "+":
                if (a, b) == (S.DATE, S.TIME):
                    return S.MOMENT
                if a is S.DURATION and b in (S.TIME, S.MOMENT):
                    return b
                if (a, b) == (S.INT, S.DATE):
                    return S.DATE
            elif a is b and a in (S.TIME, S.MOMENT):
                return S.DURATION
            elif (a, b) == (S.DATE, S.DATE):
                return S.INT
        case "*":
            if S.INT in (a, b):
                other = b if a is S.INT else a
                return other if other in NUMBERS or isinstance(other, ScaledType) else None
            if a is S.DECIMAL and b is S.DECIMAL:
                return S.DECIMAL
            for unit, decimal in ((a, b), (b, a)):
                if decimal is S.DECIMAL and unit in NUMERIC_UNITS and isinstance(unit, Scalar):
                    return ScaledType(unit)
                if decimal is S.DECIMAL and isinstance(unit, ScaledType):
                    return unit
        case "//" | "%":
            if a in NUMERIC_UNITS and b is S.INT:
                return a
            if a in NUMERIC_UNITS and a is b:
                return S.INT if op == "//" else a
    return None


def binary(c: Checker, tree: s.Binary, env: Env, want: Type | None) -> t.Expr:
    """Arithmetic, `??` and `implies`."""
    if tree.op == "implies":
        operands = (c.condition(tree.left, env), c.condition(tree.right, env))
        return t.Logic(S.BOOL, tree.span, stage_of(operands), False, "implies", operands)
    if tree.op == "??":
        return coalesce(c, tree, env, want)
    left = c.expression(tree.left, env, None)
    right = c.expression(tree.right, env, None)
    if Special.WRONG in (left.type, right.type):
        return wrong(tree.span)
    made = arithmetic(tree.op, left.type, right.type)
    if made is None:
        help_text = None
        if tree.op == "+" and left.type is right.type is S.TIME:
            help_text = "the time between two times is `b - a`; a later time is `a + 30min`"
        elif S.INT in (left.type, right.type) and S.DURATION in (left.type, right.type):
            help_text = "write the number with its unit: `30min`"
        c.report.error(
            "PS302", f"`{tree.op}` has no meaning for {article(left.type)} and {article(right.type)}", tree.op_span,
            "", secondary=[Label(left.span, article(left.type)), Label(right.span, article(right.type))],
            help=help_text,
        )  # fmt: skip
        return wrong(tree.span)
    partial = left.partial or right.partial
    if tree.op in ("//", "%"):
        partial = partial or not (isinstance(right, t.Literal) and right.value > 0)
    return t.Arith(made, tree.span, stage_of((left, right)), partial, tree.op, left, right)  # type: ignore[arg-type]


def coalesce(c: Checker, tree: s.Binary, env: Env, want: Type | None) -> t.Expr:
    """`left ?? right`: of one type, none only if both may be."""
    left, right = pair(c, tree.left, tree.right, env, want)
    if Special.WRONG in (left.type, right.type):
        return wrong(tree.span)
    both = joined(left.type, right.type)
    if both is None or both is Special.NONE:
        _disagree(c, tree.op_span, "the two sides of `??`", left, right)
        return wrong(tree.span)
    if left.type is S.BOOL:
        c.report.error(
            "PS305", "a condition is never none", left.span, "true or false", help="where it meets none it is false",
        )  # fmt: skip
        return wrong(tree.span)
    return t.Coalesce(both, tree.span, stage_of((left, right)), right.partial, left, right)


def ternary(c: Checker, tree: s.Ternary, env: Env, want: Type | None) -> t.Expr:
    """`then if condition else otherwise`."""
    condition = c.condition(tree.condition, env)
    then, otherwise = pair(c, tree.then, tree.otherwise, env, want)
    if Special.WRONG in (then.type, otherwise.type, condition.type):
        return wrong(tree.span)
    both = joined(then.type, otherwise.type)
    if both is None:
        _disagree(c, tree.span, "the branches", then, otherwise)
        return wrong(tree.span)
    stage = stage_of((condition, then, otherwise))
    partial = both is not S.BOOL and (then.partial or otherwise.partial)
    return t.Conditional(both, tree.span, stage, partial, condition, then, otherwise)


def comparison(c: Checker, tree: s.Comparison, env: Env) -> t.Expr:
    """A chain; links of `in` and `is` split it into a conjunction of atoms."""
    if len(tree.ops) == 1 or all(op in ORDER_OPS for op in tree.ops):
        return _link(c, tree, env)
    atoms: list[t.Expr] = []
    for i, op in enumerate(tree.ops):
        part = s.Comparison(
            tree.operands[i].span.to(tree.operands[i + 1].span), tree.operands[i : i + 2], (op,), (tree.op_spans[i],)
        )
        atoms.append(_link(c, part, env))
    return t.Logic(S.BOOL, tree.span, stage_of(atoms), False, "and", tuple(atoms))


ORDER_OPS = frozenset({"==", "!=", "<", "<=", ">", ">="})


def _link(c: Checker, tree: s.Comparison, env: Env) -> t.Expr:
    op = tree.ops[0]
    if op in ("is", "is not"):
        return _is(c, tree, env)
    if op in ("in", "not in"):
        return _in(c, tree, env)
    return _compare(c, tree, env)


def _compare(c: Checker, tree: s.Comparison, env: Env) -> t.Expr:
    for operand, span in zip(tree.operands[1:], tree.op_spans, strict=True):
        if isinstance(operand, s.Nothing) or isinstance(tree.operands[0], s.Nothing):
            c.report.error("PS305", "nothing equals none", span, "a comparison with none is never true", help="write `is none`")
            return wrong(tree.span)
    made: list[t.Expr | None] = [
        None if needs_want(c, operand, env) else c.expression(operand, env) for operand in tree.operands
    ]
    want = next((x.type for x in made if x is not None and x.type is not Special.WRONG), None)
    want = want.unit if isinstance(want, ScaledType) else want
    if want is None and any(x is not None for x in made):
        want = Special.WRONG
    operands = tuple(
        x if x is not None else _directed(c, operand, env, want) for x, operand in zip(made, tree.operands, strict=True)
    )
    if any(x.type is Special.WRONG for x in operands):
        return wrong(tree.span)
    for i, op in enumerate(tree.ops):
        a, b = operands[i], operands[i + 1]
        if not comparable(a.type, b.type):
            _mismatch(c, tree.op_spans[i], a, b)
            return wrong(tree.span)
        unit = a.type.unit if isinstance(a.type, ScaledType) else a.type
        unit = b.type if unit is Special.UNIT_ZERO else unit
        if op not in ("==", "!=") and unit not in ORDERED and unit is not Special.UNIT_ZERO and not isinstance(unit, ScaledType):
            c.report.error(
                "PS317", f"{article(a.type)} has no order", tree.op_spans[i], "only == and != are possible",
                secondary=[Label(a.span, article(a.type))],
            )  # fmt: skip
            return wrong(tree.span)
    return t.Compare(S.BOOL, tree.span, stage_of(operands), False, operands, tree.ops)  # type: ignore[arg-type]


def _directed(c: Checker, tree: s.Tree, env: Env, want: Type | None) -> t.Expr:
    """A bare name checked under the other side's type; quiet if that side has a mistake already."""
    return wrong(tree.span) if want is Special.WRONG else c.expression(tree, env, want)


def comparable(a: Type, b: Type) -> bool:
    """Values of the two types can be equal."""
    if joined(a, b) is not None:
        return True
    numbers = (S.INT, S.DECIMAL, Special.UNIT_ZERO)
    if isinstance(a, ScaledType) or isinstance(b, ScaledType):
        first = a.unit if isinstance(a, ScaledType) else a
        second = b.unit if isinstance(b, ScaledType) else b
        return first == second or Special.UNIT_ZERO in (first, second) or first in numbers and second in numbers
    return False


def _in(c: Checker, tree: s.Comparison, env: Env) -> t.Expr:
    from planspec.dsl.collections import range_of

    left, right = tree.operands
    negated = tree.ops[0] == "not in"
    inner = right.inner if isinstance(right, s.Parens) and isinstance(right.inner, s.RangeTree) else right
    if isinstance(left, s.Nothing):
        c.report.error("PS305", "nothing equals none", tree.op_spans[0], "none is in no set", help="write `is none`")
        return wrong(tree.span)
    item: t.Expr | None
    collection: t.Expr
    if needs_want(c, left, env) and not needs_want(c, inner, env):
        collection = range_of(c, inner, env, None) if isinstance(inner, s.RangeTree) else c.expression(inner, env)
        want = collection.type.item if isinstance(collection.type, SetType | ListType) else Special.WRONG
        item = _directed(c, left, env, want)
    else:
        item = c.expression(left, env)
        known = item.type if item.type not in (Special.WRONG, Special.UNIT_ZERO) else None
        if item.type is Special.WRONG and needs_want(c, inner, env):
            return wrong(tree.span)
        unit = known.unit if isinstance(known, ScaledType) else known
        if isinstance(inner, s.RangeTree):
            collection = range_of(c, inner, env, unit)
        else:
            collection = c.expression(inner, env, SetType(unit) if unit is not None else None)
    if Special.WRONG in (item.type, collection.type):
        return wrong(tree.span)
    if collection.type is Special.EMPTY:
        collection = retyped(collection, SetType(item.type))
    if not isinstance(collection.type, SetType | ListType):
        help_text = f"for equality write `== {right.span.text}`" if comparable(item.type, collection.type) else None
        c.report.error("PS306", "a set, a list, a table or a range is needed right of `in`", right.span, article(collection.type), help=help_text)
        return wrong(tree.span)
    if not comparable(item.type, collection.type.item):
        _mismatch(c, tree.op_spans[0], item, collection)
        return wrong(tree.span)
    return t.InSet(S.BOOL, tree.span, stage_of((item, collection)), False, item, collection, negated)


def _is(c: Checker, tree: s.Comparison, env: Env) -> t.Expr:
    negated = tree.ops[0] == "is not"
    operand = c.expression(tree.operands[0], env)
    if operand.type is Special.WRONG:
        return wrong(tree.span)
    if isinstance(tree.operands[1], s.Unknown):
        table = c.table_of(operand.row.type) if isinstance(operand, t.FieldOf) else None
        if isinstance(operand, t.FieldOf) and table is not None and table.plan and isinstance(operand.type, RowType):
            return t.IsUnknown(S.BOOL, tree.span, Stage.PLANNED, False, operand.row, operand.column, negated)
        c.report.error(
            "PS316", "`is unknown` asks about a column of a plan's row that names a row", operand.span,
            "not such a column",
        )  # fmt: skip
        return wrong(tree.span)
    if operand.type is S.BOOL:
        c.report.error("PS305", "a condition is never none", operand.span, "true or false", help="where it meets none it is false")
        return wrong(tree.span)
    if operand.type is Special.NONE:
        c.report.error("PS315", "nothing says what this none is", operand.span, "always none")
        return wrong(tree.span)
    return t.IsNone(S.BOOL, tree.span, operand.stage, False, operand, negated)


def _mismatch(c: Checker, at: object, a: t.Expr, b: t.Expr) -> None:
    from planspec.dsl.source import Span

    assert isinstance(at, Span)
    help_text = None
    if a.type in (S.TIME, S.DURATION) and b.type in (S.TIME, S.DURATION):
        help_text = "for the length of something write `x.end - x.start`"
    elif {a.type, b.type} == {S.INT, S.DURATION}:
        help_text = "write the number with its unit: `30min`"
    elif {a.type, b.type} == {S.MOMENT, S.TIME} or {a.type, b.type} == {S.MOMENT, S.DATE}:
        help_text = "a date and a time make a moment: `x.day + x.start`"
    elif isinstance(a.type, SetType) and assignable(b.type, a.type.item):
        help_text = "is the value in the set? write `in`"
    elif S.MONEY in (a.type, b.type) and S.INT in (a.type, b.type) and c.names.currency:
        help_text = f"an amount is written `12 {c.names.currency}`"
    c.report.error(
        "PS301", f"cannot compare {article(a.type)} with {article(b.type)}", at, "",
        secondary=[Label(a.span, article(a.type)), Label(b.span, article(b.type))], help=help_text,
    )  # fmt: skip


def _disagree(c: Checker, at: object, what: str, a: t.Expr, b: t.Expr) -> None:
    from planspec.dsl.source import Span

    assert isinstance(at, Span)
    c.report.error(
        "PS307", f"{what} are of different types", at, "",
        secondary=[Label(a.span, article(a.type)), Label(b.span, article(b.type))],
    )  # fmt: skip


__all__ = ["ZEROED", "arithmetic", "binary", "coalesce", "comparable", "comparison", "needs_want", "pair", "ternary", "unary"]
