"""Roles of a document's nodes: slices, which the grammar parses (such as expressions and columns), or plain data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias, assert_never

from planspec.dsl.structure import document_keys
from planspec.dsl.structure.document_keys import Holds
from planspec.dsl.syntax.parser_table import StartSymbol
from planspec.dsl.yaml.reader import Mapping, Node, Scalar, Sequence

Role: TypeAlias = StartSymbol | Literal["enum"]
"""The grammar's start symbol for a slice, such as `expression`; `enum` is for texts such as `foot | bus | taxi`."""

_ROLES: dict[Holds, Role] = {
    "binder": "binder",
    "expression": "expression",
    "weight": "expression",
    "type": "column",
}
"""The roles of slices by the kind of content that their key holds."""


def roles(root: Node) -> dict[int, Role]:
    """Return the role of every node that the grammar parses, keyed by the node's `id`. Other nodes are data.

    Args:
        root: a composed document. It must live as long as the result is used.
    """
    node_roles: dict[int, Role] = {}
    for node, role in _sections(root):
        # A block collection in place of a slice is a mistake; its parts count as data.
        if isinstance(node, Scalar) or node.flow:
            node_roles[id(node)] = role
    return node_roles


def _sections(root: Node) -> Iterator[tuple[Node, Role]]:
    kind = kind_of(root)
    keys = document_keys.DOCUMENT.get(kind, {})
    for word, node in _entries(root):
        key = keys.get(word.text)
        yield from () if key is None else _content_slices(key.holds, node)


def _content_slices(holds: Holds, node: Node) -> Iterator[tuple[Node, Role]]:  # noqa: C901 one case for each kind of content
    match holds:
        case "enums":
            yield from ((value, "enum") for _, value in _entries(node))
        case "table schemas":
            for _, entry in _entries(node):
                yield from _columns(entry)
        case "table rows" | "table rows or schemas":
            for _, entry in _entries(node):
                yield from _table(entry, bare=holds == "table rows or schemas")
        case "columns":
            yield from _columns(node)
        case "plan tables":
            for _, entry in _entries(node):
                yield from _columns(entry)
        case "definitions":
            yield from _definitions(node)
        case "constraints":
            yield from _constraints(node)
        case "turns":
            for turn in node.items if isinstance(node, Sequence) else ():
                for word, inner in _entries(turn):
                    key = document_keys.TURN.get(word.text)
                    yield from () if key is None else _content_slices(key.holds, inner)
        case "scope":
            for _, entry in _entries(node):
                yield from _scope_rows(entry)
        case "objectives":
            items = node.items if isinstance(node, Sequence) else (node,)
            for item in items:
                if isinstance(item, Mapping):
                    yield from ((value, "expression") for _, value in item.entries)
                else:
                    yield item, "expression"
        case "environment":
            yield from _parts(node, document_keys.ENVIRONMENT)
        case "shapes":
            for word, entry in _entries(node):
                yield word, "signature"
                yield from _tree(entry)
        case "shows":
            for _, entry in _entries(node):
                yield from _parts(entry, document_keys.SHOW)
        case "tools":
            for _, entry in _entries(node):
                yield from _parts(entry, document_keys.TOOL)
        case "parameters":
            for _, entry in _entries(node):
                if isinstance(entry, Scalar):
                    yield entry, "column"
                yield from _parts(entry, document_keys.PARAMETER)
        case "tree":
            yield from _tree(node)
        case "refusals":
            for entry in node.items if isinstance(node, Sequence) else (node,):
                yield from _parts(entry, document_keys.REFUSAL)
        case "refusal":
            yield from _parts(node, document_keys.REFUSAL)
        case "binders":
            yield from ((item, "binder") for item in (node.items if isinstance(node, Sequence) else (node,)))
        case "phrase groups":
            for _, entry in _entries(node):
                yield from _parts(entry, document_keys.PHRASE_GROUP)
        case (
            "version"
            | "id"
            | "currency"
            | "word"
            | "words"
            | "suite tasks"
            | "record source"
            | "record map"
            | "record field"
            | "record reference"
            | "answer form"
            | "record fields"
            | "record rows"
            | "task base"
            | "flag"
            | "text"
            | "data"
            | "answer"
            | "cells"
            | "cases"
            | "expectation"
            | "gaps"
            | "refusal mode"
            | "readings"
            | "expression"
            | "binder"
            | "weight"
            | "type"  # occurs only in nested mappings
            | "settings"
            | "count"
            | "shown names"
            | "quotations"
            | "expressions"  # the grammar has no symbol for a list of expressions
            | "one table's columns"
            | "one table's rows"
            | "sqlite query"
            | "column map"
            | "row patterns"
            | "word forms"
            | "phrases"
            | "phrases by name"
        ):
            return
        case _:
            assert_never(holds)


def _parts(node: Node, keys: document_keys.Keys) -> Iterator[tuple[Node, Role]]:
    """Yield each slice (text for the grammar, such as an expression) under known keys of a mapping, with its role."""
    for word, inner in _entries(node):
        key = keys.get(word.text)
        if key is not None and key.holds in _ROLES:
            yield inner, _ROLES[key.holds]
        elif key is not None:
            yield from _content_slices(key.holds, inner)


def _tree(node: Node) -> Iterator[tuple[Node, Role]]:
    """Yield the slices in a result tree with their roles: under keywords such as `each`, in leaves and in shape calls."""
    entries = _entries(node)
    words = {word.text for word, _ in entries}
    if not words.isdisjoint({"each", "text", "make"}):
        yield from _parts(node, document_keys.RESULT)
    elif words == {"fields"}:
        for _, inner in _entries(entries[0][1]):
            yield from _tree(inner)
    elif entries:
        for word, inner in entries:
            if word.text != "+":
                yield from _tree(inner)
    elif isinstance(node, Scalar):
        yield node, "expression"


def kind_of(root: Node) -> str:
    """Return the kind of a document in its first key; empty if it has none."""
    entries = _entries(root)
    if not entries or entries[0][0].text != "planspec":
        return ""
    version = entries[0][1]
    return version.text.partition("/")[0] if isinstance(version, Scalar) else ""


def _entries(node: Node) -> tuple[tuple[Scalar, Node], ...]:
    return node.entries if isinstance(node, Mapping) else ()


def _table(entry: Node, *, bare: bool) -> Iterator[tuple[Node, Role]]:
    """Yield the columns in a table's entry, each with its role. If `bare`, the entry may consist of columns only."""
    parts = {key.text: value for key, value in _entries(entry)}
    if bare and not parts.keys() & document_keys.TABLE_MARKS:
        yield from _columns(entry)
    elif "columns" in parts:
        yield from _columns(parts["columns"])


def _columns(node: Node) -> Iterator[tuple[Node, Role]]:
    for key, value in _entries(node):
        if key.text != "one" or not isinstance(value, Scalar) or value.text not in {"true", "false"}:
            yield value, "column"


def _definitions(node: Node) -> Iterator[tuple[Node, Role]]:
    for key, value in _entries(node):
        yield key, "signature"
        parts = {part.text: inner for part, inner in _entries(value)}
        yield parts.get("is", value), "expression"


def _constraints(node: Node) -> Iterator[tuple[Node, Role]]:
    for _, entry in _entries(node):
        for word, value in _entries(entry):
            key = document_keys.CONSTRAINT.get(word.text)
            if key is not None and key.holds in _ROLES:
                yield value, _ROLES[key.holds]


def _scope_rows(entry: Node) -> Iterator[tuple[Node, Role]]:
    for row in entry.items if isinstance(entry, Sequence) else (entry,):
        for key, value in _entries(row):
            own = document_keys.SCOPE_ROW.get(key.text)
            if own is None:
                yield value, "domain"
            elif own.holds in _ROLES:
                yield value, _ROLES[own.holds]
