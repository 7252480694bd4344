"""What commands say on standard error: sentences, and diagnostics, of which each is said once in a call."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

MOST_CODES = 5
"""The most codes of diagnostics that are listed beside the first."""


@dataclass(frozen=True, slots=True)
class DiagnosticText:
    """A diagnostic as it is printed, with its lines."""

    code: str
    text: str


Utterance: TypeAlias = str | tuple[DiagnosticText, ...]
"""A piece of text, or the diagnostics of one error."""


class Utterances(io.TextIOBase):
    """Stands for standard error where nothing is printed, and keeps what is said, to be said elsewhere.

    Attributes:
        said: in order.
    """

    def __init__(self) -> None:
        self.said: list[Utterance] = []

    def write(self, text: str, /) -> int:
        """Keep a text."""
        self.said.append(text)
        return len(text)


_SAID: set[DiagnosticText] = set()


def say(utterance: Utterance) -> None:
    """Print an utterance on standard error, without the diagnostics that were printed before in this call.

    A mistake in a library is one in every task that uses it.
    """
    if isinstance(utterance, str):
        sys.stderr.write(utterance)
    elif isinstance(sys.stderr, Utterances):
        sys.stderr.said.append(utterance)
    else:
        new = [diagnostic for diagnostic in utterance if diagnostic not in _SAID]
        _SAID.update(new)
        if new:
            text = "\n".join(diagnostic.text for diagnostic in new)
            sys.stderr.write(f"{text}{more_about(diagnostic.code for diagnostic in new)}\n")


def forget() -> None:
    """Begin another call, which says everything anew."""
    _SAID.clear()


def more_about(codes: Iterable[str]) -> str:
    """A hint at `planspec explain` for diagnostics that are shown."""
    first, *others = dict.fromkeys(codes)
    also = (
        f" (likewise {', '.join(others[:MOST_CODES])}{', ...' * (len(others) > MOST_CODES)})"
        if others
        else ""
    )
    return f"for more about it: planspec explain {first}{also}"
