"""JSON shapes of answers in the Language Server Protocol."""

from __future__ import annotations

from typing import Any, NotRequired, TypeAlias, TypedDict

Json: TypeAlias = dict[str, Any]
"""A JSON object of the protocol, whose shape is defined in the protocol's specification."""


class Position(TypedDict):
    """A position between two characters: lines from 0, characters in UTF-16 code units from 0."""

    line: int
    character: int


class Range(TypedDict):
    """The text between two positions."""

    start: Position
    end: Position


class Location(TypedDict):
    """A range of a document."""

    uri: str
    range: Range


class TextEdit(TypedDict):
    """A text that replaces a range."""

    range: Range
    newText: str


class WorkspaceEdit(TypedDict):
    """Edits of several documents, and new files."""

    changes: NotRequired[dict[str, list[TextEdit]]]
    documentChanges: NotRequired[list[Json]]


class Markup(TypedDict):
    """A text in Markdown."""

    kind: str
    value: str


def markdown(text: str) -> Markup:
    """Return a text as Markdown markup."""
    return {"kind": "markdown", "value": text}
