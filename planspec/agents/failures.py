"""Boundaries at which an attempt can fail, such as `provider` or `timeout`. Failures are recorded with the attempt."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

Boundary: TypeAlias = Literal["provider", "decode", "timeout", "limit", "tool", "adapter"]
"""Boundary (place of a failure) in an attempt.

`provider`: the service behind the agent failed. `decode`: its output cannot be read as an answer. `timeout`: the time
was over. `limit`: another limit (steps, tool calls, tokens) was reached. `tool`: the code of a tool raised an
exception. `adapter`: the agent's own program, or the connection to it, failed.
"""
BOUNDARIES: tuple[Boundary, ...] = get_args(Boundary)
ERRORS: frozenset[Boundary] = frozenset({"provider", "tool", "adapter"})
"""Boundaries of infrastructure failures. At the other boundaries, the agent failed to do what the task requires."""


class AttemptFailedError(Exception):
    """The attempt ends without an answer.

    Args:
        boundary: where the attempt failed.
        message: what happened.
    """

    def __init__(self, boundary: Boundary, message: str) -> None:
        super().__init__(message)
        self.boundary: Boundary = boundary
        self.message = message

    def __reduce__(self) -> tuple[type[AttemptFailedError], tuple[Boundary, str]]:
        return AttemptFailedError, (self.boundary, self.message)
