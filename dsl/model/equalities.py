"""Conditions of generators, such as `v.place == p`, for which a hash index can find the matching rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

from planspec.dsl.model import tree as t
from planspec.dsl.model.traversal import free_variables
from planspec.dsl.model.types import Column, ScalarType, SetType, Stage


@dataclass(frozen=True, slots=True)
class Equality:
    """The condition `target.column == key`, in which `key` does not depend on the target (a generator's variable).

    Attributes:
        many: whether the condition is `target.column in key`, with a collection as the key.
    """

    column: Column
    key: t.Expr
    many: bool = False


Alternative: TypeAlias = Equality | t.Expr
"""Rows to which a generator's variable may refer: all with a given value in a column, or the row of an expression."""


def equality(condition: t.Expr, target: t.Binding) -> Equality | None:
    """Return a condition such as `v.place == p` as an equality; None if a hash index on the rows cannot answer it."""
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


def index_equality(condition: t.Expr, target: t.Binding) -> Equality | None:
    """Return a condition such as `v.place == p` or `v.place in ps` as an equality; None for any other condition."""
    return equality(condition, target) or _membership(condition, target)


def equalities(clause: t.Clause) -> tuple[Equality, ...]:
    """Return the equalities among a generator's conditions; empty unless it ranges over a static table."""
    source, target = clause.source, clause.targets[0]
    if not isinstance(source, t.AllRows) or source.table.plan:
        return ()
    indexed = (index_equality(part, target) for part in conditions_of(clause))
    return tuple({each.column: each for each in indexed if each is not None}.values())


def alternatives(clause: t.Clause) -> tuple[Alternative, ...]:
    """Return index look-ups that together find all rows of a generator.

    There is one for each operand of an `or` in the condition, such as `p == here or p.area == "north"`, if no operand
    depends on the plan. The result is empty without such an `or`, or unless the source is a static table with a key.
    """
    source, target = clause.source, clause.targets[0]
    if not isinstance(source, t.AllRows) or source.table.plan or not source.table.key:
        return ()
    for condition in conditions_of(clause):
        if isinstance(condition, t.Logic) and condition.op == "or":
            found = [_alternative(part, target) for part in condition.operands]
            named = tuple(each for each in found if each is not None)
            if len(named) == len(found):
                return named
    return ()


def _alternative(condition: t.Expr, target: t.Binding) -> Alternative | None:
    """Return the index look-up for one operand of an `or`; None if the operand does not compare with a static key."""
    for part in _conjuncts(condition):
        indexed = index_equality(part, target)
        if indexed is not None and indexed.key.stage is Stage.STATIC:
            return indexed
        match part:
            case t.Compare(ops=("==",), operands=(t.Var(binding=binding), key)) if binding is target:
                if key.stage is Stage.STATIC and target not in free_variables(key):
                    return key
            case _:
                pass
    return None


def indexed_clauses(expr: t.Aggregate) -> tuple[t.Clause, ...] | None:
    """Return the clauses of `any(body for ...)` with the body as a further condition of the last clause.

    Return None if no index can answer any part of the body.
    """
    *before, last = expr.clauses
    parts = conditions_of(last) + _conjuncts(expr.body)
    whole = t.Logic(ScalarType.BOOL, expr.body.span, expr.body.stage, False, "and", parts)
    narrowed = replace(last, condition=whole)
    return (*before, narrowed) if len(equalities(narrowed)) > len(equalities(last)) else None


def remaining_conditions(clause: t.Clause) -> tuple[t.Expr, ...]:
    """Return the parts of a generator's condition that must still be tested on the rows from an index."""
    parts, indexed = conditions_of(clause), equalities(clause)
    if any(each.many for each in indexed):  # with many values, the index may return all rows
        return parts
    return tuple(part for part in parts if equality(part, clause.targets[0]) not in indexed)


def conditions_of(clause: t.Clause) -> tuple[t.Expr, ...]:
    """Return the operands of a generator's condition `a and b and ...`; empty without a condition."""
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
