"""Tasks that accept the same plans because they say the same, whatever they call it: seen from their checked trees."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from planspec.dsl.model import tree as t
from planspec.dsl.model.facts import Facts
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import ScopeRow, Task
from planspec.dsl.model.traversal import children, clauses, of_clauses, shape, walk
from planspec.dsl.model.types import EnumType, ListType, RowType, SetType, Table, Type

Form: TypeAlias = Hashable
"""The structure of something: equal for two of one structure, whatever their variables and constraints are called."""


def say_the_same(one: Task, other: Task) -> bool:
    """Whether the hard constraints of two tasks are the same conditions over equal facts, givens and plan tables.

    Then they accept the same plans, within any scope and beyond. Names of constraints and variables, messages, soft
    constraints, objectives and facts that no hard constraint reads do not count. That they differ proves nothing: two
    texts may mean one thing.
    """
    if _forms(one) != _forms(other):
        return False
    read, also = _read(one), _read(other)
    return read == also and all(
        _facts(one.facts[name]) == _facts(other.facts[name])
        for name in read
        if one.facts[name] is not other.facts[name]
    )


def _forms(task: Task) -> tuple[Form, ...]:
    """Everything but facts that says which plans a task accepts."""
    roots = tuple(_roots(task))
    nodes = tuple(walk(*roots))
    return (
        task.currency,
        task.closed,
        frozenset(_constraint(constraint) for constraint in task.constraints if constraint.hard),
        tuple(_scope_row(row) for row in task.scope) if task.closed else (),
        frozenset(
            (node.given.name, _cell(task.givens[node.given.name]))
            for node in nodes
            if isinstance(node, t.GivenRef)
        ),
        frozenset(
            (node.definition.name, _definition(node.definition))
            for node in nodes
            if isinstance(node, t.Apply)
        ),
        frozenset(
            (name, task.enums[name].members) for name in _named(nodes, task, EnumType) if name in task.enums
        ),
        tuple(_schema(table) for table in task.plan_tables),
    )


def _roots(task: Task) -> Iterator[t.Expr]:
    """The expressions that decide whether a plan is accepted."""
    for constraint in task.constraints:
        if constraint.hard:
            yield from of_clauses(constraint.clauses)
            yield constraint.body
            if constraint.when is not None:
                yield constraint.when
    for row in task.scope if task.closed else ():
        yield from of_clauses(row.clauses)
        yield from (field.domain for field in row.fields.values())


def _read(task: Task) -> frozenset[str]:
    """The static tables that these expressions read, and those whose rows a plan names."""
    return frozenset(
        name for name in _named(walk(*_roots(task)), task, RowType) if not task.tables[name].plan
    )


def _named(nodes: Iterable[t.Expr], task: Task, kind: type[EnumType | RowType]) -> set[str]:
    """The names of the enums, or of the tables, that occur in the types of expressions and of plan columns."""
    columns = (column.type for table in task.plan_tables for column in table.columns.values())
    found = {_item(type_) for type_ in (*(node.type for node in nodes), *columns)}
    named = {str(type_) for type_ in found if isinstance(type_, kind)}
    while kind is RowType:  # keys and cells of those rows are rows of others
        inside = {
            str(item)
            for name in named
            for column in task.tables[name].columns.values()
            if isinstance(item := _item(column.type), RowType)
        }
        if inside <= named:
            break
        named |= inside
    return named


def _item(of: Type) -> Type:
    while isinstance(of, SetType | ListType):
        of = of.item
    return of


# -- structures -----------------------------------------------------------------------------------


def _constraint(constraint: t.Constraint) -> Form:
    names: dict[t.Binding, Hashable] = {}
    head = _clauses(constraint.clauses, names)
    when = None if constraint.when is None else _form(constraint.when, names)
    return head, when, _form(constraint.body, names)


def _scope_row(row: ScopeRow) -> Form:
    names: dict[t.Binding, Hashable] = {}
    head = _clauses(row.clauses, names)
    fields = tuple(
        (name, _form(field.domain, names), field.many, field.or_none)
        for name, field in sorted(row.fields.items())
    )
    return row.table.name, row.optional, head, fields


def _definition(definition: t.Definition) -> Form:
    names: dict[t.Binding, Hashable] = {param: place for place, param in enumerate(definition.params)}
    params = tuple((str(param.type), param.optional) for param in definition.params)
    return params, _form(definition.body, names)


def _clauses(found: tuple[t.Clause, ...], names: dict[t.Binding, Hashable]) -> Form:
    """The structure of clauses, whose variables are numbered in passing."""
    _number(found, names)
    return tuple((len(c.targets), c.condition is None) for c in found), tuple(
        _form(part, names) for part in of_clauses(found)
    )


def _form(expr: t.Expr, names: dict[t.Binding, Hashable]) -> Form:
    """The structure of an expression, its variables numbered in the order in which they are bound."""
    _number(clauses(expr), names)
    return shape(expr, names), str(expr.type), tuple(_form(part, names) for part in children(expr))


def _number(found: tuple[t.Clause, ...], names: dict[t.Binding, Hashable]) -> None:
    for clause in found:
        for target in clause.targets:
            names[target] = len(names)


# -- facts ----------------------------------------------------------------------------------------


def _schema(table: Table) -> Form:
    columns = tuple((c.name, str(c.type), c.optional) for c in table.columns.values())
    return table.name, columns, table.key, table.plan, table.one


def _facts(facts: Facts) -> tuple[Form, list[Form]]:
    table = facts.table
    return _schema(table), [tuple(_cell(getattr(row, name)) for name in table.columns) for row in facts.rows]


def _cell(value: Any) -> Form:
    match value:
        case Row():
            return value._table.name, tuple(map(_cell, value._key)) if value._table.key else value._index
        case tuple():
            return tuple(map(_cell, value))
        case Mapping():
            return tuple((name, _cell(item)) for name, item in value.items())
    return type(value), value
