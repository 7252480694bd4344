"""Messages of commands on standard error. A command prints each diagnostic only once."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

MOST_CODES = 5
"""Maximum number of diagnostic codes listed besides the first."""


@dataclass(frozen=True, slots=True)
class DiagnosticText:
    """A diagnostic, rendered as text with its source lines."""

    code: str
    text: str


Message: TypeAlias = str | tuple[DiagnosticText, ...]
"""A message: a text, or the diagnostics of one error."""


class MessageBuffer(io.TextIOBase):
    """A replacement of standard error that records messages, for worker processes, which must not print them.

    Attributes:
        messages: recorded messages, in order.
    """

    def __init__(self) -> None:
        self.messages: list[Message] = []

    def write(self, text: str, /) -> int:
        """Record a string as a message, and return its length."""
        self.messages.append(text)
        return len(text)


_PRINTED: set[DiagnosticText] = set()


def print_message(message: Message) -> None:
    """Print a message on standard error, without diagnostics that were already printed.

    A mistake in a library is thus not printed for every task that uses the library.
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
            sys.stderr.write(f"{text}{explain_hint(diagnostic.code for diagnostic in new)}\n")


def forget_printed_diagnostics() -> None:
    """Forget which diagnostics were printed. A command calls this at its start."""
    _PRINTED.clear()


def explain_hint(codes: Iterable[str]) -> str:
    """Return a line that recommends `planspec explain` for diagnostic codes."""
    first, *others = dict.fromkeys(codes)
    also = f" (also {', '.join(others[:MOST_CODES])}{', ...' * (len(others) > MOST_CODES)})" if others else ""
    return f"for more about it: planspec explain {first}{also}"
