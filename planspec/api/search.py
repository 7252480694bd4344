"""Limits, statuses, back ends and results of searches, importable without loading a solver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.backends.register import BACKENDS, PROVERS

if TYPE_CHECKING:
    from planspec.solvers.questions.beyond_scope import Beyond
    from planspec.solvers.questions.conflicts import Conflict
    from planspec.solvers.questions.prove import Level, Solution
    from planspec.solvers.questions.repair import Repair
    from planspec.solvers.questions.tighten import Tightening
    from planspec.solvers.questions.validation import Validation
    from planspec.solvers.tour.outcome import Tour

SUGGESTION_S = 20.0
"""Default time limit in seconds of the search for one suggested case."""
SUGGESTIONS_S = 300.0
"""Default total time limit in seconds of the searches for suggested cases."""


def require_prover() -> None:
    """Check that the solver that searches for proofs is installed.

    Raises:
        ModuleNotFoundError: the solver is not installed. The message names the extra.
    """
    from planspec.solvers.proofs import refutation

    refutation.require_prover()


__all__ = [
    "BACKENDS",
    "PROVERS",
    "SUGGESTIONS_S",
    "SUGGESTION_S",
    "Beyond",
    "Conflict",
    "Level",
    "Limits",
    "Repair",
    "Solution",
    "Status",
    "Tightening",
    "Tour",
    "Validation",
    "require_prover",
]
