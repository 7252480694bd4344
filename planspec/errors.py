"""The exceptions of planspec.

PlanspecError
DiagnosticError   an author's text is wrong; carries diagnostics with positions
NotFound          no task or suite of that path or id
UnknownProfile    the family has no such profile
InternalError     planspec itself is wrong; please report it
"""  # fmt: skip

from planspec.api.catalog import NotFound
from planspec.dsl.diagnostics.diagnostic import DiagnosticError


class UnknownProfile(LookupError):
    """The family has no such profile."""


__all__ = ["DiagnosticError", "NotFound", "UnknownProfile"]
