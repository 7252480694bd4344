"""Errors of tool calls, with their codes."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

Code: TypeAlias = Literal["invalid-arguments", "unknown-tool", "not-found", "upstream", "no-calls-left"]
"""The reason why a call failed.

In order: the call is invalid; no tool has the name; a valid call finds nothing; the tool failed; no calls are
left.
"""

JsonResult: TypeAlias = dict[str, Any]  # JSON has no better type


class RefusedCallError(Exception):
    """A tool call failed. The agent gets the error as the result."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    def result(self) -> JsonResult:
        """Return the error as the agent sees it."""
        return {"error": {"code": self.code, "message": self.message}}
