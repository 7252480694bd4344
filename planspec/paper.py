"""What lines for people are written on: a terminal has colours and a width, plain text has neither."""

from __future__ import annotations

from typing import Any, Protocol


class Paper(Protocol):
    """What lines are written on."""

    def style(self, text: str, **style: Any) -> str:
        """A text in a style, such as `bold=True`."""

    def line(self, head: str, said: str, place: str) -> str:
        """A line of what it begins with, the text behind it, and what stands last."""


class Plain:
    """Paper without colours and edges."""

    def style(self, text: str, **style: Any) -> str:  # noqa: ARG002
        return text

    def line(self, head: str, said: str, place: str) -> str:
        return "  ".join(part for part in (f"{head} {said}".rstrip(), place) if part)
