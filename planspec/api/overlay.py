"""A task's text with rows of its tables left out, and with another id: an overlay of the world, not a copy."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Source
from planspec.dsl.yaml.reader import Mapping as Node
from planspec.dsl.yaml.reader import Scalar, compose
from planspec.errors import UnremovableRowsError

Cells = Sequence[tuple[str, Any]]
PLAIN = re.compile(r"[^\W\d]\w*|\d[\w:.-]*")
"""Texts that YAML and the language read alike without quotes."""

VALUE = r"[^\n]*(?:\n+(?:[ \t]+|- )[^\n]*)*"
"""The text behind a key at the top level: its line, and further lines that are indented or items of a list."""


def without_rows(source: Source, rows: Mapping[str, Sequence[Cells]]) -> str:
    """The text of a task in which rows are left out.

    Args:
        source: the task's text.
        rows: by table, each row as the cells that tell it from others, as JSON.

    Raises:
        UnremovableRowsError: the task's `tables:` stand in braces, or one of the tables has its rows as a bare list.
    """
    lines = source.text.splitlines()
    root = compose(
        Source(source.name, source.text), Report()
    )  # lines are counted from the text's own beginning
    assert isinstance(root, Node), "a checked task is a mapping"
    tables = next(((key, node) for key, node in root.entries if key.text == "tables"), None)
    inserts: list[tuple[int, list[str]]] = []  # after which line, counted from 1
    if tables is None:
        at = next((key.span.line - 1 for key, _ in root.entries if key.text == "scope"), len(lines))
        inserts.append((at, ["tables:", *(line for name in rows for line in _entry(name, rows[name], 2))]))
    else:
        key, node = tables
        if not isinstance(node, Node) or node.flow:
            raise UnremovableRowsError("`tables:` stands in braces; write one table on each line")
        column = node.entries[0][0].span.source.position(node.entries[0][0].span.start)[1] - 1
        entries = {k.text: (k, v) for k, v in node.entries}
        for name in rows:
            if name in entries:
                inserts.append(_within(*entries[name], name, rows[name]))
            else:
                inserts.append((key.span.line, list(_entry(name, rows[name], column))))
    for at, added in sorted(inserts, key=lambda insert: -insert[0]):
        lines[at:at] = added
    return "\n".join(lines) + "\n"


def _entry(name: str, rows: Sequence[Cells], indent: int) -> list[str]:
    return [f"{' ' * indent}{name}:", f"{' ' * (indent + 2)}without:", *_items(rows, indent + 4)]


def _within(key: Scalar, node: Any, name: str, rows: Sequence[Cells]) -> tuple[int, list[str]]:
    """The place of new rows in a table's own entry, and their lines."""
    if not isinstance(node, Node) or node.flow:
        raise UnremovableRowsError(
            f"`{name}` has its rows as a bare list or in braces; write them under `rows:`"
        )
    first = node.entries[0][0].span
    indent = first.source.position(first.start)[1] - 1
    there = next(((k, v) for k, v in node.entries if k.text == "without"), None)
    if there is None:
        return key.span.line, [f"{' ' * indent}without:", *_items(rows, indent + 2)]
    items = there[1].span
    return there[0].span.line, _items(rows, items.source.position(items.start)[1] - 1)


def _items(rows: Sequence[Cells], indent: int) -> list[str]:
    return [
        f"{' ' * indent}- {{{', '.join(f'{name}: {_cell(value)}' for name, value in cells)}}}"
        for cells in rows
    ]


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_cell, value))}]"
    text = "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    return text if PLAIN.fullmatch(text) else '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def with_entry(text: str, key: str, value: str) -> str:
    """The text with `key: value` at its top level, in the place of such a line or at the end."""
    line = f"{key}: {value}"
    pattern = re.compile(rf"^{re.escape(key)}:{VALUE}", re.MULTILINE)
    if pattern.search(text):
        return pattern.sub(lambda _: line, text, count=1)
    return text.rstrip("\n") + f"\n{line}\n"


def with_objective(text: str, key: str, expression: str) -> str:
    """The text with `minimize:` or `maximize:` in place of either; the expression stands on one line."""
    bare = re.sub(rf"^(?:minimize|maximize):{VALUE}\n?", "", text, flags=re.MULTILINE)
    return with_entry(bare, key, " ".join(expression.split()))
