"""planspec: planning tasks that are right. One source for a constraint; verifier, CP-SAT and Z3 agree on it."""

from planspec.api import Judge, check, load, solve, validate, verify
from planspec.conversation import follow
from planspec.errors import DiagnosticError, NotFound, UnknownProfile
from planspec.proofs import backbone, certify, count, difficulty, lint, repair, tighten, tour, why
from planspec.solvers.outcome import Limits

__all__ = [
    "DiagnosticError",
    "Judge",
    "Limits",
    "NotFound",
    "UnknownProfile",
    "backbone",
    "certify",
    "check",
    "count",
    "difficulty",
    "follow",
    "lint",
    "load",
    "repair",
    "solve",
    "tighten",
    "tour",
    "validate",
    "verify",
    "why",
]
