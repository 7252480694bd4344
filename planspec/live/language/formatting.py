"""Formatting of documents as line edits, as `planspec fmt` writes them."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.editing.formatter import format_text
from planspec.dsl.workspace.shards import is_shard
from planspec.live.language.desk import EditorDesk, OpenDocument
from planspec.live.language.positions import units
from planspec.live.language.shapes import Position, TextEdit

LINE = re.compile(r"[^\n]*\n|[^\n]+")


def formatting(_: EditorDesk, document: OpenDocument) -> list[TextEdit]:
    """Return the edits that format a document; none if it is not valid YAML or already formatted."""
    if not document.is_ours or is_shard(document.path):
        return []
    try:
        formatted = format_text(document.source.text, document.path.name)
    except DiagnosticError:
        return []
    return line_edits(document.source.text, formatted)


def line_edits(before: str, after: str) -> list[TextEdit]:
    """Return whole-line edits that turn one text into another, so that cursors and folds elsewhere stay."""
    old, new = LINE.findall(before), LINE.findall(after)
    edits: list[TextEdit] = []
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            text = "".join(new[c:d])
            edits.append({"range": {"start": _line(old, a), "end": _line(old, b)}, "newText": text})
    return edits


def _line(lines: list[str], number: int) -> Position:
    """Return the start of a line; after the last line, the end of the text."""
    if number == len(lines) and lines and not lines[-1].endswith("\n"):
        return {"line": number - 1, "character": units(lines[-1])}
    return {"line": number, "character": 0}
