"""Checking of operators: units, comparisons, `??`, conditionals."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from planspec.dsl.check.collections import check_range
from planspec.dsl.check.expected_types import check_together, needs_expected_type
from planspec.dsl.check.type_mismatches import arithmetic_help, report_disagreement, report_mismatch
from planspec.dsl.check.type_rules import (
    NUMBERS,
    are_comparable,
    arithmetic_type,
    common_type,
    is_open,
    mistake,
    stage_of,
    type_with_article,
    with_definite_type,
    with_type,
    without_factor,
)
from planspec.dsl.diagnostics.diagnostic import Label
from planspec.dsl.model import tree as t
from planspec.dsl.model.types import (
    ORDERED,
    ListType,
    RowType,
    ScalarType,
    ScaledType,
    SetType,
    Special,
    Stage,
    Type,
)
from planspec.dsl.syntax import nodes as s

if TYPE_CHECKING:
    from planspec.dsl.check.checker import Checker, TypeEnv

S = ScalarType
ORDER_OPS = frozenset({"==", "!=", "<", "<=", ">", ">="})


def check_unary(c: Checker, tree: s.Unary, env: TypeEnv, expected: Type | None) -> t.Expr:
    """Check `not x` and `-x`."""
    if tree.op == "not":
        inner = c.condition(tree.operand, env)
        return t.Not(S.BOOL, tree.span, inner.stage, False, inner)
    operand = c.expression(tree.operand, env, expected if expected is not None and expected in NUMBERS else None)
    if operand.type is Special.WRONG:
        return mistake(tree.span)
    if (
        operand.type not in NUMBERS
        and not isinstance(operand.type, ScaledType)
        and operand.type is not Special.UNIT_ZERO
    ):
        c.report.error(
            "PS302",
            f"{type_with_article(operand.type)} has no negative",
            tree.span,
            type_with_article(operand.type),
        )
        return mistake(tree.span)
    return t.Negate(operand.type, tree.span, operand.stage, operand.partial, operand)


def _type_of_zero(op: str, other: Type, *, left: bool) -> Type:
    """Return the type of a literal `0` whose other operand has type `other`."""
    if op in ("+", "-") and other in (S.TIME, S.MOMENT):
        return S.DURATION
    if (op in ("+", "-") or (op in ("//", "%") and left)) and without_factor(other) in NUMBERS:
        return without_factor(other)
    return S.INT


def check_binary(c: Checker, tree: s.Binary, env: TypeEnv, expected: Type | None) -> t.Expr:
    """Check arithmetic, `??` and `implies`."""
    if tree.op == "implies":
        operands = (c.condition(tree.left, env), c.condition(tree.right, env))
        return t.Logic(S.BOOL, tree.span, stage_of(operands), False, "implies", operands)
    if tree.op == "??":
        return _check_coalesce(c, tree, env, expected)
    left, right = c.expression(tree.left, env), c.expression(tree.right, env)
    if Special.WRONG in (left.type, right.type):
        return mistake(tree.span)
    if left.type is Special.UNIT_ZERO:
        left = with_type(left, _type_of_zero(tree.op, right.type, left=True))
    if right.type is Special.UNIT_ZERO:
        right = with_type(right, _type_of_zero(tree.op, left.type, left=False))
    type_ = None if is_open(left.type) or is_open(right.type) else arithmetic_type(tree.op, left.type, right.type)
    if type_ is None:
        c.report.error(
            "PS302",
            f"`{tree.op}` has no meaning for {type_with_article(left.type)} and {type_with_article(right.type)}",
            tree.op_span,
            "",
            secondary=[
                Label(left.span, type_with_article(left.type)),
                Label(right.span, type_with_article(right.type)),
            ],
            help=arithmetic_help(c, tree.op, left, right),
        )
        return mistake(tree.span)
    partial = left.partial or right.partial
    if tree.op in ("//", "%"):
        partial = partial or not (isinstance(right, t.Literal) and right.value > 0)
    return t.Arith(type_, tree.span, stage_of((left, right)), partial, tree.op, left, right)  # type: ignore[arg-type]


def _check_coalesce(c: Checker, tree: s.Binary, env: TypeEnv, expected: Type | None) -> t.Expr:
    """Check `left ?? right`. Both sides must have the same type. The value may be *none* only if both sides may."""
    left, right = check_together(c, (tree.left, tree.right), env, expected)
    if Special.WRONG in (left.type, right.type):
        return mistake(tree.span)
    both = common_type(left.type, right.type)
    if both is Special.NONE:
        c.report.error("PS315", "the type of this none cannot be determined", tree.span, "always none")
        return mistake(tree.span)
    if both is None:
        report_disagreement(c, tree.op_span, "the two sides of `??`", left, right)
        return mistake(tree.span)
    if left.type is S.BOOL:
        c.report.error(
            "PS305",
            "a condition is never none",
            left.span,
            "true or false",
            help="it is false if it meets none",
        )
        return mistake(tree.span)
    left, right = with_type(left, both), with_type(right, both)
    c.absent_rows.expect_missing(left)
    return t.Coalesce(both, tree.span, stage_of((left, right)), right.partial, left, right)


def check_ternary(c: Checker, tree: s.Ternary, env: TypeEnv, expected: Type | None) -> t.Expr:
    """Check `then if condition else otherwise`."""
    condition = c.condition(tree.condition, env)
    then, otherwise = check_together(c, (tree.then, tree.otherwise), env, expected)
    if Special.WRONG in (then.type, otherwise.type, condition.type):
        return mistake(tree.span)
    both = common_type(then.type, otherwise.type)
    if both is None or (both is S.BOOL and Special.NONE in (then.type, otherwise.type)):
        report_disagreement(c, tree.span, "the branches", then, otherwise)
        return mistake(tree.span)
    then, otherwise = with_type(then, both), with_type(otherwise, both)
    partial = both is not S.BOOL and (then.partial or otherwise.partial)
    return t.Conditional(both, tree.span, stage_of((condition, then, otherwise)), partial, condition, then, otherwise)


# -- comparisons ------------------------------------------------------------------------------------


def check_comparison(c: Checker, tree: s.ComparisonChain, env: TypeEnv) -> t.Expr:
    """Check a chain of comparisons. `in` and `is` split the chain into a conjunction of atoms."""
    if len(tree.ops) == 1 or all(op in ORDER_OPS for op in tree.ops):
        return _check_link(c, tree, env)
    atoms: list[t.Expr] = []
    for i, op in enumerate(tree.ops):
        span = tree.operands[i].span.to(tree.operands[i + 1].span)
        atoms.append(_check_link(c, s.ComparisonChain(span, tree.operands[i : i + 2], (op,), (tree.op_spans[i],)), env))
    return t.Logic(S.BOOL, tree.span, stage_of(atoms), False, "and", tuple(atoms))


def _check_link(c: Checker, tree: s.ComparisonChain, env: TypeEnv) -> t.Expr:
    match tree.ops[0]:
        case "is" | "is not":
            return _check_is(c, tree, env)
        case "in" | "not in":
            return _check_in(c, tree, env)
        case _:
            return _check_compare(c, tree, env)


def _check_compare(c: Checker, tree: s.ComparisonChain, env: TypeEnv) -> t.Expr:
    for (a, b), span in zip(zip(tree.operands, tree.operands[1:], strict=False), tree.op_spans, strict=True):
        if _is_none_literal(a) or _is_none_literal(b):
            c.report.error("PS305", "nothing equals none", span, "never true", help="write `is none` or `is not none`")
            return mistake(tree.span)
    operands = check_together(c, tree.operands, env, None)
    if any(x.type is Special.WRONG for x in operands):
        return mistake(tree.span)
    for i, op in enumerate(tree.ops):
        a_, b_ = operands[i], operands[i + 1]
        if not are_comparable(a_.type, b_.type):
            report_mismatch(c, tree.op_spans[i], a_, b_)
            return mistake(tree.span)
        unit = without_factor(b_.type if is_open(a_.type) else a_.type)
        if op not in ("==", "!=") and unit not in ORDERED and unit is not Special.UNIT_ZERO:
            c.report.error(
                "PS317",
                f"{type_with_article(unit)} has no order",
                tree.op_spans[i],
                "only == and != are possible",
                secondary=[Label(a_.span, type_with_article(a_.type)), Label(b_.span, type_with_article(b_.type))],
            )
            return mistake(tree.span)
    type_ = next((without_factor(x.type) for x in operands if not is_open(x.type)), None)
    if type_ is None:  # a `0` is an integer; the types of `none` and `{}` remain open
        type_ = next(
            (operand_.type for operand_ in map(with_definite_type, operands) if not is_open(operand_.type)),
            None,
        )
    if type_ is None:
        c.report.error(
            "PS315", "the type of these cannot be determined", tree.span, type_with_article(operands[0].type)
        )
        return mistake(tree.span)
    settled_ = tuple(with_type(x, type_) if is_open(x.type) else x for x in operands)
    for one, other in pairwise(settled_):
        c.absent_rows.record_equality(one, other)
        c.absent_rows.record_equality(other, one)
    return t.Compare(S.BOOL, tree.span, stage_of(settled_), False, settled_, tree.ops)  # type: ignore[arg-type]


def _is_none_literal(tree: s.Tree) -> bool:
    while isinstance(tree, s.Parens):
        tree = tree.inner
    return isinstance(tree, s.Nothing)


def _check_in(c: Checker, tree: s.ComparisonChain, env: TypeEnv) -> t.Expr:
    left, right = tree.operands
    inner = right.inner if isinstance(right, s.Parens) and isinstance(right.inner, s.RangeTree) else right
    if _is_none_literal(left):
        c.report.error("PS305", "nothing equals none", tree.op_spans[0], "none is in no set", help="write `is none`")
        return mistake(tree.span)
    if _is_none_literal(right):
        c.report.error("PS305", "none holds nothing", tree.op_spans[0], "never true", help="write `is none`")
        return mistake(tree.span)
    sides = _item_and_collection(c, left, inner, env)
    if sides is None:
        return mistake(tree.span)
    item, collection = sides
    if not isinstance(collection.type, SetType | ListType):
        help_text = f"for equality write `== {right.span.text}`" if are_comparable(item.type, collection.type) else None
        if collection.type is S.TEXT:
            help_text = f"for a part of a text write `contains({right.span.text}, {left.span.text})`"
        c.report.error(
            "PS306",
            "a set, a list, a table or a range is needed right of `in`",
            right.span,
            type_with_article(collection.type),
            help=help_text,
        )
        return mistake(tree.span)
    if not are_comparable(item.type, collection.type.item):
        report_mismatch(c, tree.op_spans[0], item, collection)
        return mistake(tree.span)
    item = with_definite_type(item, without_factor(collection.type.item))
    c.absent_rows.record_equality(item, collection)
    negated = tree.ops[0] == "not in"
    return t.InSet(S.BOOL, tree.span, stage_of((item, collection)), False, item, collection, negated)


def _item_and_collection(c: Checker, left: s.Tree, inner: s.Tree, env: TypeEnv) -> tuple[t.Expr, t.Expr] | None:
    """Return both checked sides of `in`, each of which may determine the other's type; None if there is a mistake."""

    def collection_of(unit: Type | None) -> t.Expr:
        if isinstance(inner, s.RangeTree):
            return check_range(c, inner, env, unit)
        return c.expression(inner, env, SetType(unit) if unit is not None else None)

    collection_needs = (
        _range_needs_type(c, inner, env) if isinstance(inner, s.RangeTree) else needs_expected_type(c, inner, env)
    )
    if needs_expected_type(c, left, env) and not collection_needs:
        collection = collection_of(None)
        if not isinstance(collection.type, SetType | ListType):
            return None if collection.type is Special.WRONG else (mistake(left.span), collection)
        item = c.expression(left, env, without_factor(collection.type.item))
    else:
        item = c.expression(left, env)
        if item.type is Special.WRONG and collection_needs:
            return None
        type_ = None if item.type is Special.WRONG or is_open(item.type) else without_factor(item.type)
        collection = collection_of(type_)
        if collection.type is Special.EMPTY:
            collection = with_type(collection, SetType(S.INT))
    return None if Special.WRONG in (item.type, collection.type) else (item, collection)


def _range_needs_type(c: Checker, tree: s.RangeTree, env: TypeEnv) -> bool:
    return needs_expected_type(c, tree.low, env) and needs_expected_type(c, tree.high, env)


def _check_is(c: Checker, tree: s.ComparisonChain, env: TypeEnv) -> t.Expr:
    negated = tree.ops[0] == "is not"
    operand = c.expression(tree.operands[0], env)
    if operand.type is Special.WRONG:
        return mistake(tree.span)
    if isinstance(tree.operands[1], s.Unknown):
        if isinstance(operand, t.FieldOf) and c.is_planned(operand.row.type) and isinstance(operand.type, RowType):
            return t.IsUnknown(S.BOOL, tree.span, Stage.PLANNED, False, operand.row, operand.column, negated)
        c.report.error(
            "PS316",
            "`is unknown` asks about a column of a plan's row that names a row",
            operand.span,
            "not such a column",
        )
        return mistake(tree.span)
    if operand.type is S.BOOL and not (isinstance(operand, t.Var) and operand.partial):
        c.report.error(
            "PS305",
            "a condition is never none",
            operand.span,
            "true or false",
            help="it is false if it meets none",
        )
        return mistake(tree.span)
    if operand.type is Special.NONE:
        c.report.error("PS315", "the type of this none cannot be determined", operand.span, "always none")
        return mistake(tree.span)
    c.absent_rows.expect_missing(operand)
    return t.IsNone(S.BOOL, tree.span, operand.stage, False, with_definite_type(operand), negated)
