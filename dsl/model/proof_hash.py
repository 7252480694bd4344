"""The hash of all data on which proofs about a task depend. A certificate is valid while this hash is unchanged.

It leaves out messages, titles, the query, what agents see, cases, the reference and facts that no
condition reads, as well as formatting, comments and names of variables. It includes the names of
constraints, since proofs refer to constraints by name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import Enum
from fractions import Fraction
from functools import cache
from typing import TypeAlias

from planspec.dsl.model import tree as t
from planspec.dsl.model.facts import Facts
from planspec.dsl.model.forms import (
    Form,
    cell_form,
    clauses_form,
    definition_form,
    form,
    item_type,
    schema_form,
    scope_form,
)
from planspec.dsl.model.memory import Kind
from planspec.dsl.model.task import Objective, ScopeRow, Task
from planspec.dsl.model.traversal import children, clause_expressions
from planspec.dsl.model.types import Column, EnumType, RowType, Table

VERSION = "planspec proof hash 1"
"""A part of each hash. The number must change whenever different data are hashed."""

Part: TypeAlias = t.Constraint | Objective | ScopeRow | t.Definition


@dataclass(frozen=True, slots=True)
class _PartReading:
    """The digest of the structure of a constraint, objective, definition or scope row, and the data that it reads.

    Attributes:
        types: enums and row types of its expressions.
    """

    digest: bytes
    definitions: frozenset[t.Definition]
    givens: frozenset[str]
    columns: frozenset[Column]
    tables: frozenset[str]
    types: frozenset[EnumType | RowType]


PARTS: Kind[Part, _PartReading] = Kind("readings of the parts of a task")
SIMPLE = frozenset((type(None), bool, int, str, Fraction))
"""Python types of cells that can be hashed as they are."""
DIGESTS: Kind[tuple[Facts, tuple[str, ...]], bytes] = Kind("digests of facts, by the columns that count")


def proof_hash(task: Task) -> str:
    """Return the SHA-256 of all data on which a proof about the task's plans depends.

    Two tasks with the same hash have the same plans, within the scope and beyond it, with the same soft weights
    and objectives, compared in the same fields. Digests of the parts that tasks have
    in common, such as the constraints of a library, are cached.
    """
    own: tuple[Part, ...] = (*task.constraints, *task.objectives, *task.scope)
    parts = [_reading(task, part) for part in own]
    definitions = _definitions_applied(task, parts)
    everything = [*parts, *definitions.values()]
    read = _columns_read(task, everything)
    digest = hashlib.sha256(VERSION.encode())
    for form_ in (*_forms(task, everything, read), *_facts_forms(task, read)):
        digest.update(_canonical(form_))
    for part in parts:
        digest.update(part.digest)
    for name in sorted(definitions):
        digest.update(_canonical(name))
        digest.update(definitions[name].digest)
    return digest.hexdigest()


# -- parts ------------------------------------------------------------------------------------------


def _reading(task: Task, part: Part) -> _PartReading:
    cache = task.shared.of(PARTS)
    reading = cache.get(part)
    if reading is None:
        nodes = tuple(_nodes(_roots(part)))
        values = [value for node in nodes for value in _values(node)]
        types = (item_type(node.type) for node in nodes)
        reading = cache[part] = _PartReading(
            hashlib.sha256(_canonical(_form_of(part))).digest(),
            frozenset(node.definition for node in nodes if isinstance(node, t.Apply)),
            frozenset(node.given.name for node in nodes if isinstance(node, t.GivenRef)),
            frozenset(value for value in values if isinstance(value, Column)),
            frozenset(value.name for value in values if isinstance(value, Table)),
            frozenset(type_ for type_ in types if isinstance(type_, EnumType | RowType)),
        )
    return reading


def _roots(part: Part) -> Iterator[t.Expr]:
    match part:
        case t.Constraint():
            yield from clause_expressions(part.clauses)
            yield from (root for root in (part.when, part.weight, part.body) if root is not None)
        case Objective():
            yield part.expression
        case ScopeRow():
            yield from clause_expressions(part.clauses)
            yield from (field.domain for field in part.fields.values())
        case t.Definition():
            yield part.body


def _nodes(roots: Iterable[t.Expr]) -> Iterator[t.Expr]:
    stack = list(roots)
    while stack:
        node = stack.pop()
        yield node
        stack.extend(children(node))


def _values(node: t.Expr) -> Iterator[object]:
    kind: type = type(node)
    return (getattr(node, name) for name in _field_names(kind))


@cache
def _field_names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def _form_of(part: Part) -> Form:
    match part:
        case t.Constraint():
            names: dict[t.Binding, Hashable] = {}
            head = clauses_form(part.clauses, names)
            roots = (part.when, part.weight, part.body)
            return (
                part.id,
                part.hard,
                head,
                tuple(None if root is None else form(root, names) for root in roots),
            )
        case Objective():
            return part.maximize, form(part.expression, {})
        case ScopeRow():
            return scope_form(part)
        case t.Definition():
            return definition_form(part)


def _definitions_applied(task: Task, parts: Iterable[_PartReading]) -> dict[str, _PartReading]:
    """Return the definitions that the parts use, directly or through other definitions, by name."""
    readings: dict[str, _PartReading] = {}
    todo = {definition for part in parts for definition in part.definitions}
    while todo:
        definition = todo.pop()
        if definition.name not in readings:
            readings[definition.name] = reading = _reading(task, definition)
            todo |= reading.definitions
    return readings


# -- everything else --------------------------------------------------------------------------------


def _forms(task: Task, parts: Iterable[_PartReading], read: Mapping[str, tuple[str, ...]]) -> Iterator[Form]:
    """Yield the forms (structures as hashable values) of everything except the parts and the facts.

    Args:
        task: the task.
        parts: all parts of the task.
        read: names of the columns that expressions read, by static table.
    """
    yield "currency", task.currency
    yield "closed", task.closed
    for name, columns in (("unique", task.unique), ("unique_best", task.unique_best)):
        yield name, None if columns is None else tuple(sorted(columns))
    yield "plan", tuple(_plan_table(table) for table in task.plan_tables)
    givens = {given for part in parts for given in part.givens}
    yield "givens", tuple((name, cell_form(task.givens[name])) for name in sorted(givens))
    types = {type_ for part in parts for type_ in part.types} | _column_types(_plan_columns(task))
    for table, names in read.items():
        types |= _column_types(task.tables[table].columns[name] for name in names)
    enums = {str(type_) for type_ in types if isinstance(type_, EnumType)}
    yield "enums", tuple((name, task.enums[name].members) for name in sorted(enums) if name in task.enums)


def _plan_table(table: Table) -> Form:
    defaults = tuple((c.name, cell_form(c.default)) for c in table.columns.values() if c.has_default)
    return schema_form(table), defaults


def _plan_columns(task: Task) -> Iterator[Column]:
    return (column for table in task.plan_tables for column in table.columns.values())


def _column_types(columns: Iterable[Column]) -> set[EnumType | RowType]:
    types = (item_type(column.type) for column in columns)
    return {type_ for type_ in types if isinstance(type_, EnumType | RowType)}


def _columns_read(task: Task, parts: Sequence[_PartReading]) -> dict[str, tuple[str, ...]]:
    """Return, for each static table that is read, its key columns and the columns that expressions read."""
    columns = {column for part in parts for column in part.columns}
    types = {type_ for part in parts for type_ in part.types} | _column_types(_plan_columns(task))
    todo = {name for part in parts for name in part.tables}
    todo |= {str(type_) for type_ in types if isinstance(type_, RowType)}
    read_columns: dict[str, tuple[str, ...]] = {}
    while todo:
        name = todo.pop()
        table = task.tables[name]
        if table.plan or name in read_columns:
            continue
        read_columns[name] = tuple(
            each for each, column in table.columns.items() if each in table.key or column in columns
        )
        column_types = _column_types(table.columns[each] for each in read_columns[name])
        todo |= {str(type_) for type_ in column_types if isinstance(type_, RowType)}
    return read_columns


def _facts_forms(task: Task, read: Mapping[str, tuple[str, ...]]) -> Iterator[Form]:
    """Yield the name, the columns that expressions read, and a digest of their cells, for each static table."""
    digests = task.shared.of(DIGESTS)
    for name, columns in sorted(read.items()):
        facts = task.facts[name]
        digest = digests.get((facts, columns))
        if digest is None:
            digest = digests[facts, columns] = _digest(facts, columns)
        yield name, columns, digest


def _digest(facts: Facts, columns: tuple[str, ...]) -> bytes:
    table = facts.table
    types = tuple((name, str(table.columns[name].type), table.columns[name].optional) for name in columns)
    digest = hashlib.sha256(_canonical((types, table.key, table.one, len(facts.rows))))
    for values in ([getattr(row, name) for row in facts.rows] for name in columns):
        if not SIMPLE.issuperset(map(type, values)):
            values = [cell_form(value) for value in values]
        # `ascii` is fast, and does not depend on the version of Unicode
        digest.update(ascii(values).encode())
    return digest.digest()


def _canonical(value: object) -> bytes:
    """Return a value as bytes that are the same in every process. Each kind of value has its own prefix.

    Raises:
        TypeError: values of this kind do not occur in forms.
    """
    match value:
        case str():
            text = value.encode("utf-8", "surrogatepass")
            return b"s%d:%b" % (len(text), text)
        case tuple():
            return b"(" + b"".join(map(_canonical, value)) + b")"
        case Enum():
            return b"e" + _canonical(type(value).__name__) + _canonical(value.name)
        case None | bool() | int():
            return f"{type(value).__name__[0]}{value};".encode()
        case type():
            return b"t" + _canonical(value.__name__)
        case bytes():
            return b"b%d:%b" % (len(value), value)
        case Fraction():
            return f"q{value.numerator}/{value.denominator};".encode()
        case frozenset():
            return b"{" + b"".join(sorted(map(_canonical, value))) + b"}"
    raise TypeError(f"no form has a {type(value).__name__}: {value!r}")
