"""Messages of commands on standard error: sentences, and diagnostics, each printed once per call."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

MOST_CODES = 5
"""Largest number of diagnostic codes listed besides the first."""


@dataclass(frozen=True, slots=True)
class DiagnosticText:
    """A diagnostic as it is printed, with its source lines."""

    code: str
    text: str


Message: TypeAlias = str | tuple[DiagnosticText, ...]
"""A piece of text, or the diagnostics of one error."""


class MessageBuffer(io.TextIOBase):
    """Stand-in for standard error in a process that prints nothing; records messages to be printed elsewhere.

    Attributes:
        messages: recorded messages, in order.
    """

    def __init__(self) -> None:
        self.messages: list[Message] = []

    def write(self, text: str, /) -> int:
        """Record a text."""
        self.messages.append(text)
        return len(text)


_PRINTED: set[DiagnosticText] = set()


def print_message(message: Message) -> None:
    """Print a message on standard error, without the diagnostics printed before in this call.

    A mistake in a library would otherwise be printed for every task that uses it.
    """
    if isinstance(message, str):
        sys.stderr.write(message)
    elif isinstance(sys.stderr, MessageBuffer):
        sys.stderr.messages.append(message)
    else:
        new = [diagnostic for diagnostic in message if diagnostic not in _PRINTED]
        _PRINTED.update(new)
        if new:
            text = "\n".join(diagnostic.text for diagnostic in new)
            sys.stderr.write(f"{text}{more_about(diagnostic.code for diagnostic in new)}\n")


def forget() -> None:
    """Forget printed diagnostics, at the beginning of a call."""
    _PRINTED.clear()


def more_about(codes: Iterable[str]) -> str:
    """Return a hint at `planspec explain` for printed diagnostics."""
    first, *others = dict.fromkeys(codes)
    also = f" (also {', '.join(others[:MOST_CODES])}{', ...' * (len(others) > MOST_CODES)})" if others else ""
    return f"for more about it: planspec explain {first}{also}"
