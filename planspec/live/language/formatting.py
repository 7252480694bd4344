"""A document in its canonical form, as `planspec fmt` writes it, as edits of the lines that differ."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from planspec.dsl.editing.formatter import format_text
from planspec.dsl.workspace.shards import is_shard
from planspec.errors import DiagnosticError
from planspec.live.language.desk import Desk, OpenDocument
from planspec.live.language.positions import units
from planspec.live.language.shapes import Position, TextEdit

LINE = re.compile(r"[^\n]*\n|[^\n]+")


def formatting(_: Desk, document: OpenDocument) -> list[TextEdit]:
    """The edits that lay a document out; none where YAML cannot read it, or where nothing is to be changed."""
    if not document.is_ours or is_shard(document.path):
        return []
    try:
        made = format_text(document.source.text, document.path.name)
    except DiagnosticError:
        return []
    return line_edits(document.source.text, made)


def line_edits(before: str, after: str) -> list[TextEdit]:
    """Edits of whole lines that make one text of another, so that cursors and folds elsewhere stay."""
    old, new = LINE.findall(before), LINE.findall(after)
    made: list[TextEdit] = []
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            text = "".join(new[c:d])
            made.append({"range": {"start": _line(old, a), "end": _line(old, b)}, "newText": text})
    return made


def _line(lines: list[str], number: int) -> Position:
    """The place at which a line begins; behind the last one the end of the text."""
    if number == len(lines) and lines and not lines[-1].endswith("\n"):
        return {"line": number - 1, "character": units(lines[-1])}
    return {"line": number, "character": 0}
