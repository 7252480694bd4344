"""Signature help: the parameters of the call at the cursor."""

from __future__ import annotations

from collections.abc import Iterator

from planspec.dsl.check.builtins import BUILTINS
from planspec.live.language.analysis import Analysis
from planspec.live.language.editor import EditorState, OpenDocument
from planspec.live.language.hover import comment_of, type_text
from planspec.live.language.lexemes import lexemes
from planspec.live.language.positions import offset_of
from planspec.live.language.shapes import Json, Position, markdown
from planspec.live.language.symbols import Symbol

MAX_CALL_LENGTH = 4000
"""Maximum number of characters from the beginning of a call to the cursor."""


def signature(editor: EditorState, document: OpenDocument, position: Position) -> Json | None:
    """Return the signature of the call around a position, with the active parameter marked, or None."""
    offset = offset_of(document.source, position)
    analysis = editor.analysis(document, position) or document.last_valid_analysis
    call = _call_at(document.source.text, offset)
    if call is None or analysis is None:
        return None
    name, index, keyword = call
    signatures = list(_signatures(editor, analysis, name))
    if not signatures:
        return None
    active = _active_parameter(signatures[0], index, keyword)
    return {"signatures": signatures, "activeSignature": 0, "activeParameter": active}


def _call_at(text: str, offset: int) -> tuple[str, int, str] | None:
    """Return the call around an offset: name of the function, index of the argument, and its keyword or `""`."""
    stack: list[tuple[str, int, int]] = []
    name, keyword = "", ""
    start = max(0, offset - MAX_CALL_LENGTH)
    for lexeme in lexemes(text, start, offset):
        if lexeme.kind == "punctuation" and lexeme.text in "([{":
            called = name if lexeme.text == "(" and text[: lexeme.start].endswith(name) else ""
            stack.append((called, 0, lexeme.start))
        elif lexeme.kind == "punctuation" and lexeme.text in ")]}":
            if stack:
                stack.pop()
        elif lexeme.text == "," and stack:
            called, index, at = stack[-1]
            stack[-1] = (called, index + 1, at)
            keyword = ""
        elif lexeme.text == "=":
            keyword = name
        name = lexeme.text if lexeme.kind == "name" else ""
    while stack:
        called, index, at = stack.pop()
        if called:
            return (called, index, keyword) if "\n\n" not in text[at:offset] else None
    return None


def _signatures(editor: EditorState, analysis: Analysis, name: str) -> Iterator[Json]:
    row = BUILTINS.get(name)
    if row is not None:
        for alternative in row.signature.split("), "):
            label = alternative if ")" in alternative else f"{alternative})"
            yield {
                "label": label,
                "documentation": markdown(f"{row.doc}\n\nnone when: {row.none_when}"),
                "parameters": list(_parameter_labels(label)),
            }
        return
    pending = analysis.names.definitions.get(name)
    if pending is None or pending.signature.params is None:
        return
    params = [f"{p.name} {type_text(p.type, optional=p.optional)}" for p in pending.definition.params]
    result = (
        f" -> {type_text(pending.definition.body.type, optional=pending.definition.body.partial)}"
        if pending.checked
        else ""
    )
    signature_: Json = {
        "label": f"{name}({', '.join(params)}){result}",
        "parameters": [{"label": param} for param in params],
    }
    declared = editor.declaration(Symbol("name", name), analysis)
    comment = "" if declared is None else comment_of(declared)
    if comment:
        signature_["documentation"] = markdown(comment)
    yield signature_


def _parameter_labels(label: str) -> Iterator[Json]:
    inside = label.partition("(")[2].partition(")")[0]
    yield from ({"label": part.strip()} for part in inside.split(",") if part.strip())


def _active_parameter(signature_: Json, index: int, keyword: str) -> int:
    labels = [part["label"] for part in signature_["parameters"]]
    if keyword:
        return next((at for at, label in enumerate(labels) if label.startswith(f"{keyword}=")), index)
    return min(index, max(len(labels) - 1, 0))
