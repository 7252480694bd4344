"""Forms: the structures of checked trees as hashable values, without the names of variables."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, TypeAlias

from planspec.dsl.model import tree as t
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import ScopeRow
from planspec.dsl.model.traversal import children, clause_expressions, clauses, shape
from planspec.dsl.model.types import ListType, SetType, Table, Type

Form: TypeAlias = Hashable
"""A structure as a hashable value. It does not depend on the names of variables and constraints."""


def constraint_form(constraint: t.Constraint) -> Form:
    """Return the structure of a constraint, without its name, level, weight and texts."""
    names: dict[t.Binding, Hashable] = {}
    head = clauses_form(constraint.clauses, names)
    when = None if constraint.when is None else form(constraint.when, names)
    return head, when, form(constraint.body, names)


def scope_form(row: ScopeRow) -> Form:
    """Return the structure of an entry of the scope."""
    names: dict[t.Binding, Hashable] = {}
    head = clauses_form(row.clauses, names)
    fields = tuple(
        (name, form(field.domain, names), field.many, field.or_none) for name, field in sorted(row.fields.items())
    )
    return row.table.name, row.optional, head, fields


def definition_form(definition: t.Definition) -> Form:
    """Return the structure of a definition, without its name and texts."""
    names: dict[t.Binding, Hashable] = {param: place for place, param in enumerate(definition.params)}
    params = tuple((str(param.type), param.optional) for param in definition.params)
    return params, form(definition.body, names)


def clauses_form(clauses_: tuple[t.Clause, ...], names: dict[t.Binding, Hashable]) -> Form:
    """Return the structure of clauses, and add numbers for their variables to `names`."""
    _number(clauses_, names)
    return tuple((len(c.targets), c.condition is None) for c in clauses_), tuple(
        form(part, names) for part in clause_expressions(clauses_)
    )


def form(expr: t.Expr, names: dict[t.Binding, Hashable]) -> Form:
    """Return the structure of an expression, with variables numbered in the order of their binding."""
    _number(clauses(expr), names)
    return shape(expr, names), str(expr.type), tuple(form(part, names) for part in children(expr))


def _number(clauses_: tuple[t.Clause, ...], names: dict[t.Binding, Hashable]) -> None:
    for clause in clauses_:
        for target in clause.targets:
            names[target] = len(names)


def schema_form(table: Table) -> Form:
    """Return the structure of a table: its columns and its key."""
    columns = tuple((c.name, str(c.type), c.optional) for c in table.columns.values())
    return table.name, columns, table.key, table.plan, table.one


def cell_form(value: Any) -> Form:
    """Return the value of a cell; a row is represented by its table and key."""
    match value:
        case Row():
            return value._table.name, tuple(map(cell_form, value._key)) if value._table.key else value._index
        case tuple():
            return tuple(map(cell_form, value))
        case Mapping():
            return tuple((name, cell_form(item)) for name, item in value.items())
    return type(value), value


def item_type(type_: Type) -> Type:
    """Return the innermost item type of a set or list, or any other type unchanged."""
    while isinstance(type_, SetType | ListType):
        type_ = type_.item
    return type_
