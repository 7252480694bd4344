"""planspec: planning tasks that are right. One source for a constraint; verifier, CP-SAT and Z3 agree on it."""

from planspec.api import Judge, check, load, solve, validate, verify
from planspec.errors import DiagnosticError, NotFound, UnknownProfile

__all__ = [
    "DiagnosticError",
    "Judge",
    "NotFound",
    "UnknownProfile",
    "check",
    "load",
    "solve",
    "validate",
    "verify",
]
