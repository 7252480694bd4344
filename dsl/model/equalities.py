"""Conditions of generators that a hash index can answer."""

from __future__ import annotations

from dataclasses import dataclass, replace

from planspec.dsl.model import tree as t
from planspec.dsl.model.traversal import free_variables
from planspec.dsl.model.types import Column, ScalarType, SetType


@dataclass(frozen=True, slots=True)
class Equality:
    """The condition `target.column == key`, with a key that does not mention the target.

    Attributes:
        many: whether the condition is `target.column in key`, with a collection as the key.
    """

    column: Column
    key: t.Expr
    many: bool = False


def equality(condition: t.Expr, target: t.Binding) -> Equality | None:
    """Return the equality that a condition expresses, if an index on the target's rows can answer it.

    Return None for any other condition.
    """
    if not isinstance(condition, t.Compare) or condition.ops != ("==",):
        return None
    for one, key in (condition.operands, condition.operands[::-1]):
        match one:
            case t.FieldOf(row=t.Var(binding=binding), column=column) if binding is target:
                indexed = column.type is not ScalarType.BOOL and not isinstance(column.type, SetType)
                if indexed and target not in free_variables(key):
                    return Equality(column, key)
            case _:
                pass
    return None


def equalities(clause: t.Clause) -> tuple[Equality, ...]:
    """Return the equalities among a generator's conditions; empty unless it ranges over a static table."""
    source, target = clause.source, clause.targets[0]
    if not isinstance(source, t.AllRows) or source.table.plan:
        return ()
    indexed = (equality(part, target) or _membership(part, target) for part in _conditions(clause))
    return tuple({each.column: each for each in indexed if each is not None}.values())


def indexed_clauses(expr: t.Aggregate) -> tuple[t.Clause, ...] | None:
    """Return the clauses of an `any` with its body as a further condition.

    Return None if no index can answer the body.
    """
    *before, last = expr.clauses
    parts = _conditions(last) + _conjuncts(expr.body)
    whole = t.Logic(ScalarType.BOOL, expr.body.span, expr.body.stage, False, "and", parts)
    narrowed = replace(last, condition=whole)
    return (*before, narrowed) if len(equalities(narrowed)) > len(equalities(last)) else None


def remaining_conditions(clause: t.Clause) -> tuple[t.Expr, ...]:
    """Return the parts of a generator's condition that an index does not answer."""
    parts, indexed = _conditions(clause), equalities(clause)
    if any(each.many for each in indexed):  # with many values, the index may return all rows
        return parts
    return tuple(part for part in parts if equality(part, clause.targets[0]) not in indexed)


def _conditions(clause: t.Clause) -> tuple[t.Expr, ...]:
    return () if clause.condition is None else _conjuncts(clause.condition)


def _conjuncts(condition: t.Expr) -> tuple[t.Expr, ...]:
    match condition:
        case t.Logic(op="and", operands=operands):
            return tuple(operands)
        case _:
            return (condition,)


def _membership(condition: t.Expr, target: t.Binding) -> Equality | None:
    """Return `target.column in collection` as an equality, or None."""
    match condition:
        case t.InSet(item=t.FieldOf(row=t.Var(binding=binding), column=column), collection=among, negated=False) if (
            binding is target
        ):
            indexed = column.type is not ScalarType.BOOL and not isinstance(column.type, SetType)
            if indexed and not isinstance(among, t.RangeOf) and target not in free_variables(among):
                return Equality(column, among, many=True)
    return None
