"""Tasks that accept the same plans because they say the same, whatever they call it: seen from their checked trees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from planspec.dsl.model import tree as t
from planspec.dsl.model.facts import Facts
from planspec.dsl.model.forms import (
    Form,
    cell_form,
    constraint_form,
    definition_form,
    item_type,
    schema_form,
    scope_form,
)
from planspec.dsl.model.task import Task
from planspec.dsl.model.traversal import of_clauses, walk
from planspec.dsl.model.types import EnumType, RowType


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
        frozenset(constraint_form(constraint) for constraint in task.constraints if constraint.hard),
        tuple(scope_form(row) for row in task.scope) if task.closed else (),
        frozenset(
            (node.given.name, cell_form(task.givens[node.given.name]))
            for node in nodes
            if isinstance(node, t.GivenRef)
        ),
        frozenset(
            (node.definition.name, definition_form(node.definition))
            for node in nodes
            if isinstance(node, t.Apply)
        ),
        frozenset(
            (name, task.enums[name].members) for name in _named(nodes, task, EnumType) if name in task.enums
        ),
        tuple(schema_form(table) for table in task.plan_tables),
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
    found = {item_type(type_) for type_ in (*(node.type for node in nodes), *columns)}
    named = {str(type_) for type_ in found if isinstance(type_, kind)}
    while kind is RowType:  # keys and cells of those rows are rows of others
        inside = {
            str(item)
            for name in named
            for column in task.tables[name].columns.values()
            if isinstance(item := item_type(column.type), RowType)
        }
        if inside <= named:
            break
        named |= inside
    return named


def _facts(facts: Facts) -> tuple[Form, list[Form]]:
    table = facts.table
    return schema_form(table), [
        tuple(cell_form(getattr(row, name)) for name in table.columns) for row in facts.rows
    ]
