"""Edits of a task's text: removal of rows, and replacement of entries such as the id."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Source
from planspec.dsl.documents.readings import yaml_text
from planspec.dsl.yaml.reader import Mapping as Node
from planspec.dsl.yaml.reader import Scalar, compose
from planspec.errors import UnremovableRowsError

Cells = Sequence[tuple[str, Any]]
PLAIN = re.compile(r"[^\W\d]\w*|\d[\w:.-]*")
"""Names that need no quotes in YAML and in the planning language."""

VALUE = r"[^\n]*(?:\n+(?:[ \t]+|- )[^\n]*)*"
"""Text after a top-level key: the rest of its line, and following lines that are indented or list items."""


def without_rows(source: Source, rows: Mapping[str, Sequence[Cells]]) -> str:
    """Return the text of a task with rows of its tables left out.

    Args:
        source: text of the task.
        rows: rows to leave out, by table. Each row is given by its identifying cells as JSON.

    Raises:
        UnremovableRowsError: `tables:` or a table is written in braces, or a table is a list of rows without `rows:`.
    """
    lines = source.text.splitlines()
    root = compose(Source(source.name, source.text), Report())  # line numbers are relative to this text
    assert isinstance(root, Node), "a checked task is a mapping"
    tables = next(((key, node) for key, node in root.entries if key.text == "tables"), None)
    inserts: list[tuple[int, list[str]]] = []  # line number (from 1) after which to insert; new lines
    if tables is None:
        at = next((key.span.line - 1 for key, _ in root.entries if key.text == "scope"), len(lines))
        inserts.append((at, ["tables:", *(line for name in rows for line in _removal_lines(name, rows[name], 2))]))
    else:
        key, node = tables
        if not isinstance(node, Node) or node.flow:
            raise UnremovableRowsError("`tables:` is written in braces; write one table on each line")
        column = node.entries[0][0].span.source.position(node.entries[0][0].span.start)[1] - 1
        entries = {k.text: (k, v) for k, v in node.entries}
        for name in rows:
            if name in entries:
                inserts.append(_removal_in_entry(*entries[name], name, rows[name]))
            else:
                inserts.append((key.span.line, list(_removal_lines(name, rows[name], column))))
    for at, added in sorted(inserts, key=lambda insert: -insert[0]):
        lines[at:at] = added
    return "\n".join(lines) + "\n"


def _removal_lines(name: str, rows: Sequence[Cells], indent: int) -> list[str]:
    return [f"{' ' * indent}{name}:", f"{' ' * (indent + 2)}without:", *_item_lines(rows, indent + 4)]


def _removal_in_entry(key: Scalar, node: Any, name: str, rows: Sequence[Cells]) -> tuple[int, list[str]]:
    """Return where and what to insert under a table's `without:` to remove rows.

    The first value is the number of the line after which the lines in the second value follow.
    """
    if not isinstance(node, Node) or node.flow:
        raise UnremovableRowsError(f"`{name}` has its rows as a bare list or in braces; write them under `rows:`")
    first = node.entries[0][0].span
    indent = first.source.position(first.start)[1] - 1
    without = next(((k, v) for k, v in node.entries if k.text == "without"), None)
    if without is None:
        return key.span.line, [f"{' ' * indent}without:", *_item_lines(rows, indent + 2)]
    items = without[1].span
    return without[0].span.line, _item_lines(rows, items.source.position(items.start)[1] - 1)


def _item_lines(rows: Sequence[Cells], indent: int) -> list[str]:
    return [
        f"{' ' * indent}- {{{', '.join(f'{name}: {_cell_text(value)}' for name, value in cells)}}}" for cells in rows
    ]


def _cell_text(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_cell_text, value))}]"
    text = "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    return text if PLAIN.fullmatch(text) else '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def with_entry(text: str, key: str, value: str) -> str:
    """Return the text with a top-level entry `key: value`, which replaces an existing one or comes last."""
    line = f"{key}: {value}"
    pattern = re.compile(rf"^{re.escape(key)}:{VALUE}", re.MULTILINE)
    if pattern.search(text):
        return pattern.sub(lambda _: line, text, count=1)
    return text.rstrip("\n") + f"\n{line}\n"


def with_givens(text: str, values: Mapping[str, str]) -> str:
    """Return the text of a task with new values in its section `given:`, one per line.

    Args:
        text: text of the task. Its turns must not set givens.
        values: new values, as YAML on one line, by name.
    """
    root = compose(Source("task", text), Report())
    assert isinstance(root, Node), "a checked task is a mapping"
    own = next((node for key, node in root.entries if key.text == "given"), None)
    texts = {key.text: yaml_text(node) for key, node in own.entries} if isinstance(own, Node) else {}
    lines = "".join(f"\n  {name}: {value}" for name, value in {**texts, **values}.items())
    return with_entry(text, "given", lines).replace(f"given: {lines}", f"given:{lines}", 1)


def with_objective(text: str, key: str, expression: str) -> str:
    """Return the text with the objective `key: expression`, which replaces `minimize:` and `maximize:`."""
    bare = re.sub(rf"^(?:minimize|maximize):{VALUE}\n?", "", text, flags=re.MULTILINE)
    return with_entry(bare, key, " ".join(expression.split()))
