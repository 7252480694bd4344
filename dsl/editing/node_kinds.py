"""The kind of each node of a document: an expression, a column, another text of the grammar, or data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from planspec.dsl.syntax.parser_table import Kind
from planspec.dsl.tables.sources import ENTRY_KEYS
from planspec.dsl.yaml.reader import Mapping, Node, Scalar, Sequence

Role: TypeAlias = Kind | Literal["enum"]
"""The grammar's symbol for a slice of a document; `enum` is `foot | bus | taxi`."""

CONSTRAINT_ROLES: dict[str, Role] = {
    "for": "binder",
    "when": "expression",
    "hard": "expression",
    "soft": "expression",
    "weight": "expression",
    "margin": "expression",
}


def roles(root: Node) -> dict[int, Role]:
    """The role of every node that the grammar reads, by the node's identity; the others are data.

    Args:
        root: a composed document, which must outlive the result.
    """
    found: dict[int, Role] = {}
    for node, role in _sections(root):
        # A block where a slice belongs is a mistake, and then its parts are data.
        if isinstance(node, Scalar) or node.flow:
            found[id(node)] = role
    return found


def _sections(root: Node) -> Iterator[tuple[Node, Role]]:
    kind = kind_of(root)
    for key, node in _entries(root) if kind else ():
        match key.text:
            case "types":
                yield from ((value, "enum") for _, value in _entries(node))
            case "tables":
                for _, entry in _entries(node):
                    yield from _schema(entry, kind)
            case "given" if kind == "library":
                yield from _columns(node)
            case "plan":
                for _, entry in _entries(node):
                    yield from _columns(entry)
            case "define":
                yield from _definitions(node)
            case "constraints":
                yield from _constraints(node)
            case "turns":
                for turn in node.items if isinstance(node, Sequence) else ():
                    for part, inner in _entries(turn):
                        yield from _constraints(inner) if part.text == "constraints" else ()
            case "scope":
                for _, entry in _entries(node):
                    yield from _scope_rows(entry)
            case "minimize" | "maximize":
                items = node.items if isinstance(node, Sequence) else (node,)
                yield from ((item, "expression") for item in items)


def kind_of(root: Node) -> str:
    """The kind of a document as its first key says it; empty if it does not."""
    entries = _entries(root)
    if not entries or entries[0][0].text != "planspec":
        return ""
    version = entries[0][1]
    return version.text.partition("/")[0] if isinstance(version, Scalar) else ""


def _entries(node: Node) -> tuple[tuple[Scalar, Node], ...]:
    return node.entries if isinstance(node, Mapping) else ()


def _schema(entry: Node, kind: str) -> Iterator[tuple[Node, Role]]:
    """The columns in a table's entry, wherever documents of that kind have them."""
    parts = {key.text: value for key, value in _entries(entry)}
    if kind == "library" or (kind == "task" and not parts.keys() & set(ENTRY_KEYS)):
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
        parts = _entries(entry)
        yield from (
            (value, CONSTRAINT_ROLES[key.text]) for key, value in parts if key.text in CONSTRAINT_ROLES
        )


def _scope_rows(entry: Node) -> Iterator[tuple[Node, Role]]:
    for row in entry.items if isinstance(entry, Sequence) else (entry,):
        for key, value in _entries(row):
            if key.text != "optional":
                yield value, "binder" if key.text == "for" else "domain"
