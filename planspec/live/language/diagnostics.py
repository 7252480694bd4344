"""Diagnostics of `planspec check` in the JSON format of the Language Server Protocol."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from planspec.dsl.diagnostics.diagnostic import Diagnostic, Label, Severity
from planspec.dsl.diagnostics.rendering import reported_span
from planspec.live.language.editor import EditorState, OpenDocument
from planspec.live.language.positions import range_of
from planspec.live.language.shapes import Json

SOURCE = "planspec"
SEVERITIES = {Severity.ERROR: 1, Severity.WARNING: 2}
UNNECESSARY = ("PS210",)
"""Codes of diagnostics about superfluous text, which editors show dimmed."""
SUGGESTION = re.compile(r"did you mean `([^`]+)`\?")


def diagnostics_by_uri(editor: EditorState, document: OpenDocument) -> dict[str, list[Json]]:
    """Return the diagnostics of a document, by the URI of the file that contains them.

    The URI of the document itself is always a key.
    """
    by_uri: dict[str, list[Json]] = {document.uri: []}
    for diagnostic in editor.check(document):
        uri = editor.uri(reported_span(diagnostic).source.name)
        by_uri.setdefault(uri, []).append(diagnostic_json(editor, diagnostic))
    return by_uri


def diagnostic_json(editor: EditorState, diagnostic: Diagnostic) -> Json:
    """Return a diagnostic in the protocol's shape.

    The message has the headline, the primary label and the help. Other labels become related information.
    """
    item: Json = {
        "range": range_of(reported_span(diagnostic)),
        "severity": SEVERITIES[diagnostic.severity],
        "code": diagnostic.code,
        "source": SOURCE,
        "message": message_text(diagnostic),
        "data": {"suggestion": suggested_name(diagnostic.help), "slug": diagnostic.slug},
    }
    related = list(_related_information(editor, diagnostic.secondary))
    if related:
        item["relatedInformation"] = related
    if diagnostic.code in UNNECESSARY:
        item["tags"] = [1]
    return item


def message_text(diagnostic: Diagnostic) -> str:
    """Return the text of a diagnostic: headline, primary label, notes and help."""
    lines = [diagnostic.message]
    if diagnostic.primary.text:
        lines[0] += f": {diagnostic.primary.text}"
    unplaced = (label.text for label in diagnostic.secondary if not label.span.source.text and label.text)
    lines += (f"note: {text}" for text in unplaced)
    if diagnostic.help:
        lines.append(f"help: {diagnostic.help}")
    return "\n".join(lines)


def suggested_name(help: str | None) -> str | None:
    """Return the name that a help text suggests, or None if it suggests none."""
    match = SUGGESTION.search(help or "")
    return None if match is None else match[1]


def _related_information(editor: EditorState, labels: Iterable[Label]) -> Iterator[Json]:
    for label in labels:
        if label.text and label.span.source.text:
            yield {
                "location": {"uri": editor.uri(label.span.source.name), "range": range_of(label.span)},
                "message": label.text,
            }
