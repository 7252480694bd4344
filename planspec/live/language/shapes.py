"""JSON shapes of the Language Server Protocol."""

from __future__ import annotations

from typing import Any, NotRequired, TypeAlias, TypedDict

Json: TypeAlias = dict[str, Any]
"""JSON object of a shape that the protocol's specification defines."""


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
    """Edits of several documents, which may create files."""

    changes: NotRequired[dict[str, list[TextEdit]]]
    documentChanges: NotRequired[list[Json]]


class Markup(TypedDict):
    """A text in Markdown."""

    kind: str
    value: str


def markdown(text: str) -> Markup:
    """Return a text as Markdown markup."""
    return {"kind": "markdown", "value": text}
