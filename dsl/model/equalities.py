"""The conditions of generators that a hash index answers."""

from __future__ import annotations

from dataclasses import dataclass, replace

from planspec.dsl.model import tree as t
from planspec.dsl.model.traversal import free_variables
from planspec.dsl.model.types import Column, ScalarType, SetType


@dataclass(frozen=True, slots=True)
class Equality:
    """The condition `target.column == key`, where the key does not mention the target.

    Attributes:
        many: the condition is `target.column in key`.
    """

    column: Column
    key: t.Expr
    many: bool = False


def equality(condition: t.Expr, target: t.Binding) -> Equality | None:
    """The part of a condition about the target's row, if it is an equality that an index answers."""
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
    """The equalities among a generator's conditions, if it runs through a static table."""
    source, target = clause.source, clause.targets[0]
    if not isinstance(source, t.AllRows) or source.table.plan:
        return ()
    found = (equality(part, target) or _membership(part, target) for part in _parts(clause))
    return tuple({each.column: each for each in found if each is not None}.values())


def sought(expr: t.Aggregate) -> tuple[t.Clause, ...] | None:
    """The clauses of an `any` where its body, made a condition, lets an index find rows; None where it does not."""
    *before, last = expr.clauses
    parts = _parts(last) + _conjuncts(expr.body)
    whole = t.Logic(ScalarType.BOOL, expr.body.span, expr.body.stage, False, "and", parts)
    narrowed = replace(last, condition=whole)
    return (*before, narrowed) if len(equalities(narrowed)) > len(equalities(last)) else None


def unanswered(clause: t.Clause) -> tuple[t.Expr, ...]:
    """The parts of a generator's condition that rows which an index has for its equalities may not meet."""
    parts, known = _parts(clause), equalities(clause)
    if any(each.many for each in known):  # of many values the index may give all rows
        return parts
    return tuple(part for part in parts if equality(part, clause.targets[0]) not in known)


def _parts(clause: t.Clause) -> tuple[t.Expr, ...]:
    return () if clause.condition is None else _conjuncts(clause.condition)


def _conjuncts(condition: t.Expr) -> tuple[t.Expr, ...]:
    match condition:
        case t.Logic(op="and", operands=operands):
            return tuple(operands)
        case _:
            return (condition,)


def _membership(condition: t.Expr, target: t.Binding) -> Equality | None:
    """The same of `target.column in collection`."""
    match condition:
        case t.InSet(
            item=t.FieldOf(row=t.Var(binding=binding), column=column), collection=among, negated=False
        ) if binding is target:
            indexed = column.type is not ScalarType.BOOL and not isinstance(column.type, SetType)
            if indexed and not isinstance(among, t.RangeOf) and target not in free_variables(among):
                return Equality(column, among, many=True)
    return None
