"""JSON types of the Language Server Protocol."""

from __future__ import annotations

from typing import Any, NotRequired, TypeAlias, TypedDict

Json: TypeAlias = dict[str, Any]
"""JSON object as specified by the protocol."""


class Position(TypedDict):
    """A position between two characters: line and offset in UTF-16 code units, both counted from 0."""

    line: int
    character: int


class Range(TypedDict):
    """The text from a position up to a second one, which is excluded."""

    start: Position
    end: Position


class Location(TypedDict):
    """A range in a document."""

    uri: str
    range: Range


class TextEdit(TypedDict):
    """A new text for a range."""

    range: Range
    newText: str


class WorkspaceEdit(TypedDict):
    """Edits of several documents. They may create files."""

    changes: NotRequired[dict[str, list[TextEdit]]]
    documentChanges: NotRequired[list[Json]]


class Markup(TypedDict):
    """A string of Markdown."""

    kind: str
    value: str


def markdown(text: str) -> Markup:
    """Return a string of Markdown as markup."""
    return {"kind": "markdown", "value": text}
