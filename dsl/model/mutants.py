"""Mutants of a constraint: the same rule with one thing dropped or weakened, to see who would notice.

The operators are the usual ones of mutation analysis (DeMillo, Lipton, Sayward: Hints on test data selection, 1978), as far as
they make a rule accept more, with two that make it ask where it did not: a `when` and a filter that are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

from planspec.dsl.diagnostics.source import Span
from planspec.dsl.model import tree as t
from planspec.dsl.model.traversal import rebuild
from planspec.dsl.model.types import ORDERED, ScalarType, ScaledType, Special, Type

WEAKER = {"<": "<=", ">": ">="}
"""The comparisons that hold of equal sides, too."""
LOOSENED = {"<=": 1, ">=": -1}
"""The comparisons with a bound, and which way their right side is moved."""


@dataclass(frozen=True, slots=True, eq=False)
class Mutant:
    """A variant of a constraint.

    Attributes:
        change: what was changed, in words.
        span: where.
        constraint: the variant; None where the constraint is dropped.
    """

    change: str
    span: Span
    constraint: t.Constraint | None


E = TypeVar("E", bound=t.Typed)
_Variant: TypeAlias = tuple[t.Expr, str, Span]


def mutants(constraint: t.Constraint) -> Iterator[Mutant]:
    """The mutants of a constraint: it is dropped, each of its conditions is left out, each part is weakened.

    Bodies of definitions that it applies are weakened for it alone.
    """
    yield Mutant("dropped", constraint.span, None)
    if constraint.when is not None:
        yield Mutant("`when` left out", constraint.when.span, replace(constraint, when=None))
    for clauses, change, span in _unfiltered(constraint.clauses):
        yield Mutant(change, span, replace(constraint, clauses=clauses))
    for body, change, span in _weakened(constraint.body):
        yield Mutant(change, span, replace(constraint, body=body))


def _weakened(expr: t.Expr) -> Iterator[_Variant]:
    """The variants of a condition with one part weakened; parts under `not` and left of `implies` are left alone."""
    yield from _weaker(expr)
    for part in _asserted(expr):
        for made, change, span in _weakened(part):
            yield _with_child(expr, part, made), change, span
    if isinstance(expr, t.Apply) and expr.type is ScalarType.BOOL:
        for body, change, span in _weakened(expr.definition.body):
            yield replace(expr, definition=_with_body(expr.definition, body)), change, span


def _asserted(expr: t.Expr) -> tuple[t.Expr, ...]:
    """The parts of a condition that make it weaker when they are."""
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


def _weaker(expr: t.Expr) -> Iterator[_Variant]:
    """The variants of a condition in which it is weakened itself."""
    match expr:
        case t.Logic(op="and"):
            yield from _left_out(expr)
        case t.Aggregate(function="all" | "any", clauses=clauses):
            for kept, change, span in _unfiltered(clauses):
                yield replace(expr, clauses=kept), change, span
        case t.Compare():
            yield from _compared(expr)
        case t.InSet(collection=t.RangeOf(low=low, high=high, step=None) as bounds, negated=False):
            for end, by in ((low, -1), (high, 1)):
                moved = _moved(end, by)
                made = _with_child(bounds, end, moved)
                yield replace(expr, collection=made), _said(end, by), end.span


def _with_child(expr: E, child: t.Expr, made: t.Expr) -> E:
    """An expression with something else in the place of a child."""

    def replaced(other: t.Expr) -> t.Expr:
        return made if other is child else other

    return rebuild(expr, replaced)


def _with_body(definition: t.Definition, body: t.Expr) -> t.Definition:
    """A definition like this one with another body."""
    made = t.Definition(
        definition.name, definition.params, definition.span, kind=definition.kind, message=definition.message
    )
    made.body = body
    return made


def _left_out(expr: t.Logic) -> Iterator[_Variant]:
    for at, operand in enumerate(expr.operands):
        rest = (*expr.operands[:at], *expr.operands[at + 1 :])
        made = rest[0] if len(rest) == 1 else replace(expr, operands=rest)
        yield made, f"`{_flat(operand)}` left out", operand.span


def _unfiltered(clauses: tuple[t.Clause, ...]) -> Iterator[tuple[tuple[t.Clause, ...], str, Span]]:
    for at, clause in enumerate(clauses):
        if clause.condition is not None:
            kept = (*clauses[:at], replace(clause, condition=None), *clauses[at + 1 :])
            yield kept, f"`if {_flat(clause.condition)}` left out", clause.condition.span


def _compared(expr: t.Compare) -> Iterator[_Variant]:
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
            loosened = replace(expr, operands=(expr.operands[0], _moved(bound, by, expr.operands[0].type)))
            yield loosened, _said(bound, by), bound.span


def _with_op(expr: t.Compare, at: int, op: str) -> _Variant:
    ops = (*expr.ops[:at], op, *expr.ops[at + 1 :])
    return replace(expr, ops=ops), f"`{op}` for `{expr.ops[at]}`", expr.span  # type: ignore[arg-type]


def _is_ordered(expr: t.Expr) -> bool:
    return expr.type in ORDERED or isinstance(expr.type, ScaledType) or expr.type is Special.UNIT_ZERO


def _moved(bound: t.Expr, by: int, beside: Type | None = None) -> t.Expr:
    """A bound that lies one unit further: a minute, a day, a minor unit of money, a metre, 1.

    Args:
        bound: it.
        by: 1 or -1.
        beside: the type of what it is compared with, which is that of a bare `0`.
    """
    of = beside if bound.type is Special.UNIT_ZERO and beside is not None else bound.type
    step = t.Literal(_difference(of), bound.span, bound.stage, False, 1)
    return t.Arith(of, bound.span, bound.stage, bound.partial, "+" if by > 0 else "-", bound, step)


def _difference(of: Type) -> Type:
    """The type of the difference of two values of a type."""
    match of:
        case ScalarType.TIME | ScalarType.MOMENT:
            return ScalarType.DURATION
        case ScalarType.DATE:
            return ScalarType.INT
        case _:
            return of


def _said(bound: t.Expr, by: int) -> str:
    return f"`{_flat(bound)}` one unit {'more' if by > 0 else 'less'}"


def _flat(expr: t.Expr) -> str:
    return " ".join(expr.span.text.split())
