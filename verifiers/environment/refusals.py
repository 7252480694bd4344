"""Calls that have no result."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

Code: TypeAlias = Literal["invalid-arguments", "unknown-tool", "not-found", "upstream", "no-calls-left"]
"""The call is wrong; no tool has the name; the call is right and finds nothing; what answers the call failed; there have been
as many calls as may be."""

JsonResult: TypeAlias = dict[str, Any]  # JSON has no better type


class RefusedCallError(Exception):
    """A call that has no result."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    def result(self) -> JsonResult:
        """The error as the agent sees it."""
        return {"error": {"code": self.code, "message": self.message}}
