"""Inlay hints that show inferred types."""

from __future__ import annotations

from collections.abc import Iterator

from planspec.dsl.diagnostics.source import Span
from planspec.dsl.model.types import Special, Stage
from planspec.live.language.analysis import Analysis
from planspec.live.language.editor import EditorState, OpenDocument
from planspec.live.language.hover import type_text, value_text
from planspec.live.language.positions import position_of, span_of
from planspec.live.language.shapes import Json, Range

MAX_VALUE_LENGTH = 24
"""Maximum length of a value in a hint, in characters. Longer values are left out."""


def hints(editor: EditorState, document: OpenDocument, range_: Range) -> list[Json]:
    """Return the hints in a range: types of definitions, of a task's own givens, and of `for` variables."""
    analysis = editor.analysis(document)
    if analysis is None:
        return []
    within = span_of(analysis.source, range_)
    return [
        {"position": position_of(at.source, at.end), "label": text, "kind": 1, "paddingLeft": False}
        for at, text in _all_hints(analysis)
        if within.start <= at.end <= within.end
    ]


def _all_hints(analysis: Analysis) -> Iterator[tuple[Span, str]]:
    for pending in analysis.names.definitions.values():
        definition = pending.definition
        if definition.span.source is not analysis.source or not pending.checked:
            continue
        body = definition.body
        if body.type is not Special.WRONG:
            value = value_text(analysis, body) if not definition.params and body.stage is Stage.STATIC else None
            shown = f" = {value}" if value is not None and len(value) <= MAX_VALUE_LENGTH else ""
            yield definition.span, f": {type_text(body.type, optional=body.partial)}{shown}"
    for given in analysis.names.givens.values():
        if given.span.source is analysis.source and analysis.document.kind == "task":
            yield given.span, f": {type_text(given.type, optional=given.optional)}"
    yield from (
        (target.span, f": {type_text(target.type)}") for target in analysis.bindings if target.type is not Special.WRONG
    )
