"""planspec: planning tasks that are right. One source for a constraint; verifier, CP-SAT and Z3 agree on it."""

from typing import TYPE_CHECKING

from planspec.api import Judge, check, load, solve, validate, verify
from planspec.conversation import follow
from planspec.errors import DiagnosticError, NotFound, UnknownProfile
from planspec.proofs import backbone, certify, count, difficulty, lint, repair, tighten, tour, why
from planspec.solvers.outcome import Limits

if TYPE_CHECKING:
    from planspec import monitor as monitor
    from planspec import rewards as rewards

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


def __getattr__(name: str) -> object:
    if name in ("monitor", "rewards"):  # not loaded by those who only judge
        from importlib import import_module

        return import_module(f"planspec.{name}")
    raise AttributeError(f"module `planspec` has no attribute `{name}`")
