"""Detection of tasks that accept the same plans because their checked trees have the same structure."""

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
from planspec.dsl.model.traversal import clause_expressions, walk
from planspec.dsl.model.types import EnumType, RowType


def are_equivalent(one: Task, other: Task) -> bool:
    """Return whether two tasks are known to accept the same plans.

    They do if they have the same hard constraints over equal facts, givens and plan tables. Names of constraints and
    variables, messages, soft constraints, objectives and facts that no hard constraint reads are ignored. False proves
    nothing, because different texts may have the same meaning.
    """
    if _forms(one) != _forms(other):
        return False
    read, other_read = _tables_read(one), _tables_read(other)
    return read == other_read and all(
        _facts_form(one.facts[name]) == _facts_form(other.facts[name])
        for name in read
        if one.facts[name] is not other.facts[name]
    )


def _forms(task: Task) -> tuple[Form, ...]:
    """Return all data on which the accepted plans depend, except facts, as forms (hashable structures)."""
    roots = tuple(_roots(task))
    nodes = tuple(walk(*roots))
    return (
        task.currency,
        task.closed,
        frozenset(constraint_form(constraint) for constraint in task.constraints if constraint.hard),
        tuple(scope_form(row) for row in task.scope) if task.closed else (),
        frozenset(
            (node.given.name, cell_form(task.givens[node.given.name])) for node in nodes if isinstance(node, t.GivenRef)
        ),
        frozenset(
            (node.definition.name, definition_form(node.definition)) for node in nodes if isinstance(node, t.Apply)
        ),
        frozenset(
            (name, task.enums[name].members) for name in _type_names(nodes, task, EnumType) if name in task.enums
        ),
        tuple(schema_form(table) for table in task.plan_tables),
    )


def _roots(task: Task) -> Iterator[t.Expr]:
    """Yield the expressions that decide whether a plan is accepted."""
    for constraint in task.constraints:
        if constraint.hard:
            yield from clause_expressions(constraint.clauses)
            yield constraint.body
            if constraint.when is not None:
                yield constraint.when
    for row in task.scope if task.closed else ():
        yield from clause_expressions(row.clauses)
        yield from (field.domain for field in row.fields.values())


def _tables_read(task: Task) -> frozenset[str]:
    """Return the static tables that the root expressions read, and those whose rows appear in plans."""
    return frozenset(name for name in _type_names(walk(*_roots(task)), task, RowType) if not task.tables[name].plan)


def _type_names(nodes: Iterable[t.Expr], task: Task, kind: type[EnumType | RowType]) -> set[str]:
    """Return the names of the enums, or of the tables, in the types of expressions and of plan columns."""
    columns = (column.type for table in task.plan_tables for column in table.columns.values())
    types = {item_type(type_) for type_ in (*(node.type for node in nodes), *columns)}
    named = {str(type_) for type_ in types if isinstance(type_, kind)}
    while kind is RowType:  # keys and cells of those rows may be rows of other tables
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


def _facts_form(facts: Facts) -> tuple[Form, list[Form]]:
    """Return the structure of a table, and the cells of each row."""
    table = facts.table
    return schema_form(table), [tuple(cell_form(getattr(row, name)) for name in table.columns) for row in facts.rows]
