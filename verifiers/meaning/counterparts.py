"""Translation of plan cells and scopes between two versions of a task. Values correspond by name or key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from planspec.dsl.model.facts import Facts
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import Column, EnumType, ListType, RowType, SetType, Table, Type
from planspec.verifiers.meaning.ground import FieldDomain, Ground, GroundRow

Scope = Mapping[str, tuple[GroundRow, ...]]
"""For each plan table, its rows in scope: the candidate rows of a search, each with domains."""


class NoCounterpartError(LookupError):
    """The other version of a task has no row or enum member that corresponds to a value."""


def counterpart(value: Any, type_: Type, task: Task) -> Any:
    """Return the counterpart of a plan's cell in another version of the task.

    Args:
        value: a run-time value, or None for *none*.
        type_: type of the cell's column, which is the same in both versions.
        task: the other version.

    Returns:
        The enum member of the same name, or the row with the same key (in a table without a key: at the same
        position). Other values are returned unchanged.

    Raises:
        NoCounterpartError: the other version has no corresponding value.
    """
    if value is None:
        return None
    match type_:
        case EnumType(name):
            if value not in task.enums[name].members:
                raise NoCounterpartError(f"{name} {value}")
        case RowType(name):
            return _row(value, task.facts[name], task)
        case SetType(item) | ListType(item):
            return tuple(counterpart(part, item, task) for part in value)
    return value


def _row(row: Row, facts: Facts, task: Task) -> Row:
    table = facts.table
    if not table.key:
        if row._index < len(facts.rows):
            return facts.rows[row._index]
    else:
        key = tuple(
            counterpart(part, table.columns[name].type, task) for name, part in zip(table.key, row._key, strict=True)
        )
        match = facts.by_key.get(key)
        if match is not None:
            return match
    raise NoCounterpartError(repr(row))


def counterpart_scope(rows: Scope, task: Task) -> Scope | None:
    """Translate the scope of one version of a task to the tables of another version.

    Values that the other version lacks are left out.

    Args:
        rows: the scope, as in a `Ground`.
        task: the other version. Its plan tables must have the same structure.

    Returns:
        The translated scope. None if a field of a required row has no value left, so that the other version accepts
        no plan in this scope.
    """
    domains: dict[tuple[int, Type], FieldDomain | None] = {}
    scope: dict[str, tuple[GroundRow, ...]] = {}
    for name, offered in rows.items():
        taken = [_counterpart_row(row, task, domains) for row in offered]
        if any(translated is None and not row.optional for translated, row in zip(taken, offered, strict=True)):
            return None
        scope[name] = tuple(row for row in taken if row is not None)
    return scope


def _counterpart_row(
    row: GroundRow, task: Task, domains: dict[tuple[int, Type], FieldDomain | None]
) -> GroundRow | None:
    table = task.tables[row.table.name]
    fields: dict[str, FieldDomain] = {}
    for name, domain in row.fields.items():
        type_ = table.columns[name].type
        if (id(domain), type_) not in domains:  # rows from one scope entry share domain objects
            domains[id(domain), type_] = _counterpart_domain(domain, type_, task)
        translated = domains[id(domain), type_]
        if translated is None:
            return None
        fields[name] = translated
    return replace(row, table=table, fields=fields)


def _counterpart_domain(domain: FieldDomain, type_: Type, task: Task) -> FieldDomain | None:
    if domain.values is None:
        return domain
    values = []
    for value in domain.values:
        try:
            values.append(counterpart(value, type_, task))
        except NoCounterpartError:
            continue
    choices = len(values) + domain.or_none
    return FieldDomain(tuple(values), None, or_none=domain.or_none, open=choices > 1) if choices else None


def have_same_scope(first: Ground, second: Ground) -> bool:
    """Return whether two versions of a task have the same scope. Their plan tables must have the same structure."""
    return _has_scope_of(first, second) and _has_scope_of(second, first)


def _has_scope_of(first: Ground, second: Ground) -> bool:
    """Return whether the scope of `second`, translated to the tables of `first`, equals the scope of `first`."""
    translated = counterpart_scope(second.rows, first.task)
    return translated is not None and all(_same_rows(rows, translated[name]) for name, rows in first.rows.items())


def _same_rows(one: Sequence[GroundRow], other: Sequence[GroundRow]) -> bool:
    return len(one) == len(other) and all(
        a.optional == b.optional and a.fields == b.fields for a, b in zip(one, other, strict=True)
    )


def form_differences(first: Task, second: Task) -> Iterator[str]:
    """Yield the differences that prevent two versions of a task from reading the same answers.

    A difference is a text without a full stop. It concerns the family, the currency, or the plan's tables with their
    columns, types and keys.
    """
    if first.family != second.family:
        yield f"answers are {_family_text(first)} in the first and {_family_text(second)} in the second"
    if first.currency != second.currency:
        yield f"amounts are in {first.currency or 'no currency'} in the first and in {second.currency or 'none'} in the second"
    ours = {table.name: table for table in first.plan_tables}
    theirs = {table.name: table for table in second.plan_tables}
    for name in dict.fromkeys((*ours, *theirs)):
        if name not in ours or name not in theirs:
            yield f"the plan's table `{name}` is only in the {'second' if name not in ours else 'first'} task"
        else:
            yield from _table_differences(ours[name], theirs[name])


def _table_differences(first: Table, second: Table) -> Iterator[str]:
    if first.one != second.one:
        yield f"`{first.name}` has exactly one row only in the {'first' if first.one else 'second'} task"
    if first.key != second.key:
        keys = [" and ".join(f"`{name}`" for name in table.key) or "none" for table in (first, second)]
        yield f"the key of `{first.name}` is {keys[0]} in the first and {keys[1]} in the second"
    for name in dict.fromkeys((*first.columns, *second.columns)):
        if name not in first.columns or name not in second.columns:
            yield f"the column `{first.name}.{name}` is only in the {'second' if name not in first.columns else 'first'} task"
            continue
        ours, theirs = _column_text(first.columns[name]), _column_text(second.columns[name])
        if ours != theirs:
            yield f"`{first.name}.{name}` is `{ours}` in the first and `{theirs}` in the second"


def _column_text(column: Column) -> str:
    return f"{column.type}{'?' if column.optional else ''}"


def _family_text(task: Task) -> str:
    return f"of the family `{task.family}`" if task.family else "of no family"
