"""The shapes of the Language Server Protocol that answers have, as JSON."""

from __future__ import annotations

from typing import Any, NotRequired, TypeAlias, TypedDict

Json: TypeAlias = dict[str, Any]
"""A JSON object of the protocol whose shape its own documents say."""


class Position(TypedDict):
    """A place between two characters: lines from 0, characters in UTF-16 code units from 0."""

    line: int
    character: int


class Range(TypedDict):
    """What stands between two places."""

    start: Position
    end: Position


class Location(TypedDict):
    """A range of a document."""

    uri: str
    range: Range


class TextEdit(TypedDict):
    """A text that takes the place of a range."""

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
    """A text in Markdown."""
    return {"kind": "markdown", "value": text}
