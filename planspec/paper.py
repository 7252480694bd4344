"""Output media for text: a terminal with colours and a width, or plain text with neither."""

from __future__ import annotations

from typing import Any, Protocol


class Paper(Protocol):
    """A medium for lines of text."""

    def style(self, text: str, **style: Any) -> str:
        """Return the text in a style, such as `bold=True`."""

    def line(self, head: str, text: str, place: str) -> str:
        """Return a line with a head, a text and, at its end, a source location."""


class PlainPaper:
    """A medium without colours or width."""

    def style(self, text: str, **style: Any) -> str:  # noqa: ARG002
        return text

    def line(self, head: str, text: str, place: str) -> str:
        return "  ".join(part for part in (f"{head} {text}".rstrip(), place) if part)
