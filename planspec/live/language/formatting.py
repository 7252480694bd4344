"""Text edits that format a document like `planspec fmt`."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.editing.formatter import format_text
from planspec.dsl.workspace.shards import is_shard
from planspec.live.language.editor import EditorState, OpenDocument
from planspec.live.language.positions import utf16_length
from planspec.live.language.shapes import Position, TextEdit

LINE = re.compile(r"[^\n]*\n|[^\n]+")


def formatting(_: EditorState, document: OpenDocument) -> list[TextEdit]:
    """Return the edits that format a document; none if it is not valid YAML."""
    if not document.is_planspec or is_shard(document.path):
        return []
    try:
        formatted = format_text(document.source.text, document.path.name)
    except DiagnosticError:
        return []
    return line_edits(document.source.text, formatted)


def line_edits(before: str, after: str) -> list[TextEdit]:
    """Return edits that turn one text into another, by whole lines, without unchanged lines."""
    old, new = LINE.findall(before), LINE.findall(after)
    edits: list[TextEdit] = []
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            text = "".join(new[c:d])
            edits.append({"range": {"start": _line_start(old, a), "end": _line_start(old, b)}, "newText": text})
    return edits


def _line_start(lines: list[str], number: int) -> Position:
    """Return the position at the start of a line, or the end of the text if the line is after the last one."""
    if number == len(lines) and lines and not lines[-1].endswith("\n"):
        return {"line": number - 1, "character": utf16_length(lines[-1])}
    return {"line": number, "character": 0}
