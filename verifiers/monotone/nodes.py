"""Constructors of conditions that simplify constants, and helpers for analysing expressions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias, TypeGuard

from planspec.dsl.diagnostics.source import Span
from planspec.dsl.model import tree as t
from planspec.dsl.model.traversal import children
from planspec.dsl.model.types import ScalarType, SetType, Stage, Table, Type

Order: TypeAlias = Literal["<", "<="]


def truth(value: bool, span: Span) -> t.Expr:
    """Return a constant condition."""
    return t.Literal(ScalarType.BOOL, span, Stage.STATIC, False, value)


def is_truth(expr: t.Expr, value: bool) -> bool:
    """Return whether an expression is the constant `value`."""
    return isinstance(expr, t.Literal) and expr.value is value


def conj(parts: Iterable[t.Expr], span: Span) -> t.Expr:
    """Return the conjunction of the parts, without constants: true parts are left out, a false part gives false."""
    return _logic("and", parts, span)


def disj(parts: Iterable[t.Expr], span: Span) -> t.Expr:
    """Return the disjunction of the parts, without constants: false parts are left out, a true part gives true."""
    return _logic("or", parts, span)


def _logic(op: Any, parts: Iterable[t.Expr], span: Span) -> t.Expr:
    neutral = op == "and"
    operands: dict[t.Expr, None] = {}
    for part in parts:
        if is_truth(part, not neutral):
            return part
        inner = part.operands if isinstance(part, t.Logic) and part.op == op else (part,)
        operands.update(dict.fromkeys(x for x in inner if not is_truth(x, neutral)))
    if not operands:
        return truth(neutral, span)
    if len(operands) == 1:
        return next(iter(operands))
    return t.Logic(ScalarType.BOOL, span, Stage.PLANNED, False, op, tuple(operands))


def negated(part: t.Expr) -> t.Expr:
    """Return the negation of a condition, simplified if it is a constant, a negation or a test of *none*."""
    if isinstance(part, t.Literal):
        return truth(not part.value, part.span)
    if isinstance(part, t.Not):
        return part.operand
    if isinstance(part, t.IsNone):
        return t.IsNone(ScalarType.BOOL, part.span, part.stage, False, part.operand, not part.negated)
    return t.Not(ScalarType.BOOL, part.span, Stage.PLANNED, False, part)


def is_present(expr: t.Expr) -> t.Expr:
    """Return the condition that an expression is not *none*."""
    return t.IsNone(ScalarType.BOOL, expr.span, Stage.PLANNED, False, expr, negated=True)


def choose(condition: t.Expr, then: t.Expr, otherwise: t.Expr) -> t.Expr:
    """Return `then if condition else otherwise`."""
    if isinstance(condition, t.Literal):
        return then if condition.value else otherwise
    if isinstance(then, t.Literal) and isinstance(otherwise, t.Literal) and then.value == otherwise.value:
        return then
    partial = then.partial or otherwise.partial
    return t.Conditional(then.type, then.span, Stage.PLANNED, partial, condition, then, otherwise)


def constant(value: Any, type_: Type, span: Span) -> t.Expr:
    """Return a literal of a type."""
    return t.Literal(type_, span, Stage.STATIC, value is None, value)


def mentions(expr: t.Expr, targets: Iterable[t.Binding]) -> bool:
    """Return whether an expression reads one of the variables."""
    bindings = set(targets)
    stack = [expr]
    while stack:
        node = stack.pop()
        if isinstance(node, t.Var) and node.binding in bindings:
            return True
        stack.extend(children(node))
    return False


def is_all_rows(source: t.Expr) -> TypeGuard[t.AllRows]:
    """Return whether the collection of a `for` clause consists of all rows of a plan table."""
    return isinstance(source, t.AllRows) and source.table.plan


def operands_of(body: t.Expr) -> Sequence[t.Expr]:
    """Return the operands of `and`, including nested ones; a list of only the condition if it is not an `and`."""
    if isinstance(body, t.Logic) and body.op == "and":
        return [part for operand in body.operands for part in operands_of(operand)]
    return [body]


def terms(e: t.Expr) -> list[t.Expr]:
    """Return the operands of an arithmetic expression, including nested ones; a list of only `e` for other kinds."""
    if isinstance(e, t.Arith):
        return [*terms(e.left), *terms(e.right)]
    return [e]


def with_conjunct(condition: t.Expr | None, conjunct: t.Expr, place: t.Expr) -> t.Expr | None:
    """Return `condition and conjunct` at the position of `place`. None stands for true in argument and result."""
    result = conj((conjunct,) if condition is None else (condition, conjunct), place.span)
    return None if is_truth(result, True) else result


def split_chain(e: t.Compare) -> list[t.Compare]:
    """Split a chain such as `a < b <= c` into comparisons of two operands, which must all be true."""
    if len(e.ops) == 1:
        return [e]
    return [
        replace(e, operands=(a, b), ops=(op,)) for a, op, b in zip(e.operands[:-1], e.ops, e.operands[1:], strict=True)
    ]


def ordered_comparisons(op: str, a: t.Expr, b: t.Expr) -> list[tuple[Order, t.Expr, t.Expr]]:
    """Return a comparison of numbers as comparisons with `<` or `<=`, each as (operator, left, right).

    For example, `a == b` becomes `a <= b` and `b <= a`.
    """
    match op:
        case "<" | "<=":
            return [("<" if op == "<" else "<=", a, b)]
        case ">" | ">=":
            return [("<" if op == ">" else "<=", b, a)]
        case _:
            return [("<=", a, b), ("<=", b, a)]


def range_comparison(e: t.InSet, item: t.Expr, low: t.Expr, high: t.Expr) -> t.Compare:
    """Return the comparison `low <= item <= high` for `item in low..high`."""
    return t.Compare(ScalarType.BOOL, e.span, e.stage, e.partial, (low, item, high), ("<=", "<="))


def fixes_whole_key(lookup: t.Lookup) -> bool:
    """Return whether a lookup has values for all key columns of its table, and no key column is optional."""
    table = lookup.table
    return len(lookup.keys) == len(table.key) and not any(table.columns[name].optional for name in table.key)


def key_tests(clause: t.Clause, table: Table) -> tuple[dict[t.Expr, t.Expr], list[t.Expr]]:
    """Split a clause's condition into equalities that determine the key of a plan row, and the other tests.

    Returns:
        A mapping from each equality to the expression for the value of its key column, and a list of the other tests.
        Both are empty if the condition does not determine the key.
    """
    condition = clause.condition
    if condition is None or not table.key or any(table.columns[name].optional for name in table.key):
        return {}, []
    tests = list(operands_of(condition))
    keyed: dict[str, tuple[t.Expr, t.Expr]] = {}
    for test in tests:
        if isinstance(test, t.Compare) and test.ops == ("==",):
            for side, other in (test.operands, test.operands[::-1]):
                if (
                    isinstance(side, t.FieldOf)
                    and isinstance(side.row, t.Var)
                    and side.row.binding in clause.targets
                    and side.column.key
                    and not isinstance(side.type, SetType)
                    and not mentions(other, clause.targets)
                ):
                    keyed.setdefault(side.column.name, (test, other))
    if len(keyed) < len(table.key):
        return {}, []
    fixed = dict(keyed.values())
    return fixed, [test for test in tests if test not in fixed]


def allowed_keys_of_rule(plain: t.Expr) -> tuple[str, t.Expr] | None:
    """Return the table and the collection `days` of a condition `all(d.day in days for d in table)`.

    Return None for other conditions, or if `day` is not the only key column of the table.
    """
    match plain:
        case t.Aggregate(
            function="all",
            clauses=(t.Clause(targets=(target,), source=t.AllRows(table=table), condition=None),),
            body=t.InSet(
                item=t.FieldOf(row=t.Var(binding=binding), column=column),
                collection=collection,
                negated=False,
            ),
        ) if table.plan and table.key == (column.name,) and binding is target and not column.optional:
            return table.name, collection
        case _:
            return None


def within_size(expr: t.Expr, max_nodes: int) -> bool:
    """Return whether an expression has at most `max_nodes` nodes. A node counts each time it occurs."""
    count, stack = 0, [expr]
    while stack:
        count += 1
        if count > max_nodes:
            return False
        stack.extend(children(stack.pop()))
    return True
