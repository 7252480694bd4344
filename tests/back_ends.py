"""Names of the back ends over which tests run."""

from __future__ import annotations

from planspec.solvers.backends.register import BACKENDS

SOLVERS = tuple(name for name in BACKENDS if name != "brute")
"""All back ends except the slow one, which enumerates plans."""
