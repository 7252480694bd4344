"""The hash of what proofs about a task read: a certificate holds as long as that does not change.

Messages, titles, the query, what agents see, cases, the reference and facts that no condition reads are left out, as are formatting,
comments and names of variables. Names of constraints are in it, since the maps of proofs name them.
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
from planspec.dsl.model.traversal import children, of_clauses
from planspec.dsl.model.types import Column, EnumType, RowType, Table

VERSION = "planspec proof hash 1"
"""Goes into each hash; counts changes of what is hashed."""

Part: TypeAlias = t.Constraint | Objective | ScopeRow | t.Definition


@dataclass(frozen=True, slots=True)
class _PartReading:
    """A part of a task: the digest of its structure, and what its own expressions name.

    Attributes:
        types: names of the enums and tables in the types of its expressions.
    """

    digest: bytes
    definitions: frozenset[t.Definition]
    givens: frozenset[str]
    columns: frozenset[Column]
    tables: frozenset[str]
    types: frozenset[EnumType | RowType]


PARTS: Kind[Part, _PartReading] = Kind("what parts of a task read")
SIMPLE = frozenset((type(None), bool, int, str, Fraction))
"""Types of cells whose values say all of themselves."""
DIGESTS: Kind[tuple[Facts, tuple[str, ...]], bytes] = Kind("digests of facts, by the columns that count")


def proof_hash(task: Task) -> str:
    """Return SHA-256 of everything that a proof about the task's plans reads.

    Two tasks with one hash have the same plans, within the scope and beyond it, of the same soft weight and objectives, told
    apart by the same fields. What tasks of a library and a world have in common is worked out once.
    """
    own: tuple[Part, ...] = (*task.constraints, *task.objectives, *task.scope)
    parts = [_reading(task, part) for part in own]
    definitions = _applied(task, parts)
    everything = [*parts, *definitions.values()]
    read = _read(task, everything)
    digest = hashlib.sha256(VERSION.encode())
    for form_ in (*_forms(task, everything, read), *_facts(task, read)):
        digest.update(_canonical(form_))
    for part in parts:
        digest.update(part.digest)
    for name in sorted(definitions):
        digest.update(_canonical(name))
        digest.update(definitions[name].digest)
    return digest.hexdigest()


# -- parts ------------------------------------------------------------------------------------------


def _reading(task: Task, part: Part) -> _PartReading:
    known = task.shared.of(PARTS)
    made = known.get(part)
    if made is None:
        nodes = tuple(_nodes(_roots(part)))
        values = [value for node in nodes for value in _values(node)]
        types = (item_type(node.type) for node in nodes)
        made = known[part] = _PartReading(
            hashlib.sha256(_canonical(_form_of(part))).digest(),
            frozenset(node.definition for node in nodes if isinstance(node, t.Apply)),
            frozenset(node.given.name for node in nodes if isinstance(node, t.GivenRef)),
            frozenset(value for value in values if isinstance(value, Column)),
            frozenset(value.name for value in values if isinstance(value, Table)),
            frozenset(type_ for type_ in types if isinstance(type_, EnumType | RowType)),
        )
    return made


def _roots(part: Part) -> Iterator[t.Expr]:
    match part:
        case t.Constraint():
            yield from of_clauses(part.clauses)
            yield from (root for root in (part.when, part.weight, part.body) if root is not None)
        case Objective():
            yield part.expression
        case ScopeRow():
            yield from of_clauses(part.clauses)
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
                part.id, part.hard, head, tuple(None if root is None else form(root, names) for root in roots),
            )  # fmt: skip
        case Objective():
            return part.maximize, form(part.expression, {})
        case ScopeRow():
            return scope_form(part)
        case t.Definition():
            return definition_form(part)


def _applied(task: Task, parts: Iterable[_PartReading]) -> dict[str, _PartReading]:
    """The definitions that some parts apply, those that these apply included, by name."""
    made: dict[str, _PartReading] = {}
    todo = {definition for part in parts for definition in part.definitions}
    while todo:
        definition = todo.pop()
        if definition.name not in made:
            made[definition.name] = reading = _reading(task, definition)
            todo |= reading.definitions
    return made


# -- everything else --------------------------------------------------------------------------------


def _forms(task: Task, parts: Iterable[_PartReading], read: Mapping[str, tuple[str, ...]]) -> Iterator[Form]:
    """Everything but the parts and the facts.

    Args:
        task: the task.
        parts: all of them.
        read: the columns of static tables that are read.
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


def _read(task: Task, parts: Sequence[_PartReading]) -> dict[str, tuple[str, ...]]:
    """For each static table that is read, its key and the columns that are read, in the order of their declaration."""
    columns = {column for part in parts for column in part.columns}
    types = {type_ for part in parts for type_ in part.types} | _column_types(_plan_columns(task))
    todo = {name for part in parts for name in part.tables}
    todo |= {str(type_) for type_ in types if isinstance(type_, RowType)}
    made: dict[str, tuple[str, ...]] = {}
    while todo:
        name = todo.pop()
        table = task.tables[name]
        if table.plan or name in made:
            continue
        made[name] = tuple(
            each for each, column in table.columns.items() if each in table.key or column in columns
        )
        found = _column_types(table.columns[each] for each in made[name])
        todo |= {str(type_) for type_ in found if isinstance(type_, RowType)}
    return made


def _facts(task: Task, read: Mapping[str, tuple[str, ...]]) -> Iterator[Form]:
    """The rows of the static tables that are read, in the columns that are."""
    digests = task.shared.of(DIGESTS)
    for name, columns in sorted(read.items()):
        facts = task.facts[name]
        made = digests.get((facts, columns))
        if made is None:
            made = digests[facts, columns] = _digest(facts, columns)
        yield name, columns, made


def _digest(facts: Facts, columns: tuple[str, ...]) -> bytes:
    table = facts.table
    types = tuple((name, str(table.columns[name].type), table.columns[name].optional) for name in columns)
    digest = hashlib.sha256(_canonical((types, table.key, table.one, len(facts.rows))))
    for values in ([getattr(row, name) for row in facts.rows] for name in columns):
        if not SIMPLE.issuperset(map(type, values)):
            values = [cell_form(value) for value in values]
        # as fast as Python goes; `ascii` is the same for every version of Unicode
        digest.update(ascii(values).encode())
    return digest.digest()


def _canonical(value: object) -> bytes:
    """The value as bytes, the same in every process: each kind of value is written with its own mark.

    Raises:
        TypeError: it has a kind of value that no form has.
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
