"""Output media for text: a terminal has colours and a width, plain text has neither."""

from __future__ import annotations

from typing import Any, Protocol


class Paper(Protocol):
    """A medium for lines of text."""

    def style(self, text: str, **style: Any) -> str:
        """Return the text in a style, such as `bold=True`."""

    def line(self, head: str, text: str, place: str) -> str:
        """Return a line: its head, its text, and a source location at the end."""


class Plain:
    """A medium without colours or width."""

    def style(self, text: str, **style: Any) -> str:  # noqa: ARG002
        return text

    def line(self, head: str, text: str, place: str) -> str:
        return "  ".join(part for part in (f"{head} {text}".rstrip(), place) if part)
