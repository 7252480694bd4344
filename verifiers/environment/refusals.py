"""Errors that refused tool calls return to agents, with their codes."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

Code: TypeAlias = Literal["invalid-arguments", "unknown-tool", "not-found", "upstream", "no-calls-left"]
"""The reason why a call failed.

- `invalid-arguments`: the call is invalid.
- `unknown-tool`: no tool has this name.
- `not-found`: a valid call finds nothing.
- `upstream`: the tool failed.
- `no-calls-left`: the limit on calls was reached.
"""

JsonResult: TypeAlias = dict[str, Any]  # any JSON object


class RefusedCallError(Exception):
    """A tool call failed. The agent gets the error as its result."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    def result(self) -> JsonResult:
        """Return the error as JSON for the agent."""
        return {"error": {"code": self.code, "message": self.message}}
