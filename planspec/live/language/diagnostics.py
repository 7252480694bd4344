"""What `planspec check` says, in the protocol's shape."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from planspec.dsl.diagnostics.diagnostic import Diagnostic, Label, Severity
from planspec.dsl.diagnostics.rendering import place
from planspec.live.language.desk import Desk, OpenDocument
from planspec.live.language.positions import range_of
from planspec.live.language.shapes import Json

SOURCE = "planspec"
SEVERITIES = {Severity.ERROR: 1, Severity.WARNING: 2}
UNNECESSARY = ("PS210",)
"""Codes of what may as well be left out, which editors show faded."""
SUGGESTED = re.compile(r"did you mean `([^`]+)`\?")


def diagnostics(desk: Desk, document: OpenDocument) -> list[Json]:
    """What is wrong in a document itself."""
    return by_document(desk, document).get(document.uri, [])


def by_document(desk: Desk, document: OpenDocument) -> dict[str, list[Json]]:
    """What checking a document finds, by the address of the file in which it stands; of the document itself always."""
    made: dict[str, list[Json]] = {document.uri: []}
    for diagnostic in desk.check(document):
        uri = desk.uri(place(diagnostic).source.name)
        made.setdefault(uri, []).append(diagnostic_json(desk, diagnostic))
    return made


def diagnostic_json(desk: Desk, diagnostic: Diagnostic) -> Json:
    """A diagnostic: its headline, the remark under its place and its help as one text, other remarks as related places."""
    made: Json = {
        "range": range_of(place(diagnostic)),
        "severity": SEVERITIES[diagnostic.severity],
        "code": diagnostic.code,
        "source": SOURCE,
        "message": message(diagnostic),
        "data": {"suggestion": suggestion_in(diagnostic.help), "slug": diagnostic.slug},
    }
    related = list(_related(desk, diagnostic.secondary))
    if related:
        made["relatedInformation"] = related
    if diagnostic.code in UNNECESSARY:
        made["tags"] = [1]
    return made


def message(diagnostic: Diagnostic) -> str:
    """The text of a diagnostic: headline, the remark under its place, help."""
    lines = [diagnostic.message]
    if diagnostic.primary.text:
        lines[0] += f": {diagnostic.primary.text}"
    unplaced = (label.text for label in diagnostic.secondary if not label.span.source.text and label.text)
    lines += (f"note: {text}" for text in unplaced)
    if diagnostic.help:
        lines.append(f"help: {diagnostic.help}")
    return "\n".join(lines)


def suggestion_in(help: str | None) -> str | None:
    """The name that a help says is meant."""
    found = SUGGESTED.search(help or "")
    return None if found is None else found[1]


def _related(desk: Desk, labels: Iterable[Label]) -> Iterator[Json]:
    for label in labels:
        if label.text and label.span.source.text:
            yield {
                "location": {"uri": desk.uri(label.span.source.name), "range": range_of(label.span)},
                "message": label.text,
            }
