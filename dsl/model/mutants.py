"""Mutants of a constraint: variants with one part removed or weakened, to test whether cases detect the change.

The mutation operators are those of DeMillo, Lipton and Sayward (Hints on test data selection, 1978) that make a
constraint accept more plans. Two further operators, which leave out a `when` or a filter, make a
constraint apply to more rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

from planspec.dsl.diagnostics.source import Span
from planspec.dsl.model import tree as t
from planspec.dsl.model.traversal import rebuild
from planspec.dsl.model.types import ORDERED, ScalarType, ScaledType, Special, Stage, Type

WEAKER = {"<": "<=", ">": ">="}
"""Strict comparisons and their non-strict forms."""
LOOSENED = {"<=": 1, ">=": -1}
"""For each non-strict comparison, whether a greater (1) or a smaller (-1) right side weakens it."""


@dataclass(frozen=True, slots=True, eq=False)
class Mutant:
    """A variant of a constraint.

    Attributes:
        change: description of the change.
        span: location of the change.
        constraint: the variant; `None` if the whole constraint is removed.
    """

    change: str
    span: Span
    constraint: t.Constraint | None


E = TypeVar("E", bound=t.Typed)
_Variant: TypeAlias = tuple[t.Expr, str, Span]


def mutants(constraint: t.Constraint) -> Iterator[Mutant]:
    """Yield the mutants of a constraint: the constraint dropped, a condition left out, or a part weakened.

    If a mutant weakens a definition, other uses of the definition are unchanged.
    """
    yield Mutant("dropped", constraint.span, None)
    if constraint.when is not None:
        yield Mutant("`when` left out", constraint.when.span, replace(constraint, when=None))
    for clauses, change, span in _variants_without_condition(constraint.clauses):
        yield Mutant(change, span, replace(constraint, clauses=clauses))
    for body, change, span in _weakened_variants(constraint.body):
        yield Mutant(change, span, replace(constraint, body=body))


def _weakened_variants(expr: t.Expr) -> Iterator[_Variant]:
    """Yield variants of a condition with one part weakened; parts under `not` or left of `implies` stay unchanged."""
    yield from _variants_of_whole(expr)
    for part in _monotone_parts(expr):
        for variant, change, span in _weakened_variants(part):
            yield _with_child(expr, part, variant), change, span
    if isinstance(expr, t.Apply) and expr.type is ScalarType.BOOL:
        for body, change, span in _weakened_variants(expr.definition.body):
            yield replace(expr, definition=_with_body(expr.definition, body)), change, span


def _monotone_parts(expr: t.Expr) -> tuple[t.Expr, ...]:
    """Return the parts of a condition that weaken it if they are weakened, such as the operands of `and`."""
    match expr:
        case t.Logic(op="implies", operands=(_, conclusion)):
            return (conclusion,)
        case t.Logic(operands=operands):
            return operands
        case t.Aggregate(function="all" | "any", body=body):
            return (body,)
        case t.Conditional(then=then, otherwise=otherwise):
            return then, otherwise
        case _:
            return ()


def _variants_of_whole(expr: t.Expr) -> Iterator[_Variant]:
    """Yield variants of a condition with `<=` for an outermost `<`, without one operand of an `and`, and so on."""
    match expr:
        case t.Logic(op="and"):
            yield from _variants_without_operand(expr)
        case t.Aggregate(function="all" | "any", clauses=clauses):
            for unfiltered, change, span in _variants_without_condition(clauses):
                yield replace(expr, clauses=unfiltered), change, span
        case t.Intervals(function="no_overlap"):
            yield from _variants_of_no_overlap(expr)
        case t.Compare():
            yield from _variants_of_comparison(expr)
        case t.InSet(collection=t.RangeOf(low=low, high=high, step=None) as bounds, negated=False):
            for end, by in ((low, -1), (high, 1)):
                moved = _moved_bound(end, by)
                range_ = _with_child(bounds, end, moved)
                yield replace(expr, collection=range_), _move_text(end, by), end.span


def _with_child(expr: E, child: t.Expr, replacement: t.Expr) -> E:
    """Return an expression with one child replaced."""

    def replaced(other: t.Expr) -> t.Expr:
        return replacement if other is child else other

    return rebuild(expr, replaced)


def _with_body(definition: t.Definition, body: t.Expr) -> t.Definition:
    """Return a copy of a definition with another body."""
    copy = t.Definition(
        definition.name, definition.params, definition.span, kind=definition.kind, message=definition.message
    )
    copy.body = body
    return copy


def _variants_without_operand(expr: t.Logic) -> Iterator[_Variant]:
    for at, operand in enumerate(expr.operands):
        rest = (*expr.operands[:at], *expr.operands[at + 1 :])
        remaining = rest[0] if len(rest) == 1 else replace(expr, operands=rest)
        yield remaining, f"`{_one_line(operand)}` left out", operand.span


def _variants_without_condition(
    clauses: tuple[t.Clause, ...],
) -> Iterator[tuple[tuple[t.Clause, ...], str, Span]]:
    """Yield clauses without one condition, with a description and the location of the change."""
    for at, clause in enumerate(clauses):
        if clause.condition is not None:
            unfiltered = (*clauses[:at], replace(clause, condition=None), *clauses[at + 1 :])
            yield unfiltered, f"`if {_one_line(clause.condition)}` left out", clause.condition.span


def _variants_of_comparison(expr: t.Compare) -> Iterator[_Variant]:
    last = len(expr.ops) - 1
    for at, op in enumerate(expr.ops):
        if op in WEAKER:
            yield _with_op(expr, at, WEAKER[op])
        elif op == "==" and _is_ordered(expr.operands[at]) and _is_ordered(expr.operands[at + 1]):
            yield _with_op(expr, at, "<=")
            yield _with_op(expr, at, ">=")
        elif op in LOOSENED and last == 0:
            bound = expr.operands[1]
            by = LOOSENED[op]
            loosened = replace(expr, operands=(expr.operands[0], _moved_bound(bound, by, expr.operands[0].type)))
            yield loosened, _move_text(bound, by), bound.span


def _variants_of_no_overlap(expr: t.Intervals) -> Iterator[_Variant]:
    for unfiltered, change, span in _variants_without_condition(expr.clauses):
        yield replace(expr, clauses=unfiltered), change, span
    yield replace(expr, end=_moved_bound(expr.end, -1)), _move_text(expr.end, -1), expr.end.span
    if expr.gap is not None:
        yield replace(expr, gap=None), f"`gap={_one_line(expr.gap)}` left out", expr.gap.span


def _with_op(expr: t.Compare, at: int, op: str) -> _Variant:
    ops = (*expr.ops[:at], op, *expr.ops[at + 1 :])
    return replace(expr, ops=ops), f"`{op}` for `{expr.ops[at]}`", expr.span  # type: ignore[arg-type]


def _is_ordered(expr: t.Expr) -> bool:
    return expr.type in ORDERED or isinstance(expr.type, ScaledType) or expr.type is Special.UNIT_ZERO


def _moved_bound(bound: t.Expr, by: int, other: Type | None = None) -> t.Expr:
    """Return a bound moved by one unit: a minute, a day, a minor unit of money, a metre, or 1.

    Args:
        bound: the bound.
        by: 1 or -1.
        other: type of the other side of the comparison, which determines the type of a literal `0`.
    """
    type_ = other if bound.type is Special.UNIT_ZERO and other is not None else bound.type
    step = t.Literal(_difference(type_), bound.span, Stage.STATIC, False, 1)
    return t.Arith(type_, bound.span, bound.stage, bound.partial, "+" if by > 0 else "-", bound, step)


def _difference(type_: Type) -> Type:
    """Return the type of the difference of two values of a type."""
    match type_:
        case ScalarType.TIME | ScalarType.MOMENT:
            return ScalarType.DURATION
        case ScalarType.DATE:
            return ScalarType.INT
        case _:
            return type_


def _move_text(bound: t.Expr, by: int) -> str:
    return f"`{_one_line(bound)}` one unit {'more' if by > 0 else 'less'}"


def _one_line(expr: t.Expr) -> str:
    return " ".join(expr.span.text.split())
