"""Everything that an agent can fail at: one of six boundaries, recorded with the attempt and never dropped."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

Boundary: TypeAlias = Literal["provider", "decode", "timeout", "limit", "tool", "adapter"]
"""The service behind the agent failed; what came back is no answer that can be read; the time was over; another limit
(steps, tool calls, tokens) was reached; the code of a tool broke; the agent's own program, or what connects it, failed."""
BOUNDARIES: tuple[Boundary, ...] = get_args(Boundary)
ERRORS: frozenset[Boundary] = frozenset({"provider", "tool", "adapter"})
"""The boundaries at which something is broken; at the others an agent did not do what it was asked to."""


class AttemptFailedError(Exception):
    """An attempt that ends without an answer.

    Args:
        boundary: at which.
        message: what happened, for people.
    """

    def __init__(self, boundary: Boundary, message: str) -> None:
        super().__init__(message)
        self.boundary: Boundary = boundary
        self.message = message

    def __reduce__(self) -> tuple[type[AttemptFailedError], tuple[Boundary, str]]:
        return AttemptFailedError, (self.boundary, self.message)
