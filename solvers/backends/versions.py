"""The versions of the solvers, which are known without loading them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version

BRUTE = "2"
"""Counts changes of the enumeration."""

PARAMETERS: Mapping[str, Mapping[str, int]] = {"cpsat": {"presolve_inclusion_work_limit": 0}}
"""For each back end the parameters without which its solver is known to be wrong, as certificates record them."""


def version_of(backend: str) -> str | None:
    """The version of what solves for a back end, as it stands in claims; None where it is not installed, or unknown.

    Args:
        backend: its name in the register.
    """
    try:
        match backend:
            case "cpsat":
                return version("ortools")
            case "smt":  # the package counts its own builds behind Z3's three numbers
                return ".".join(version("z3-solver").split(".")[:3])
            case "sat":
                return f"cadical 1.9.5, python-sat {version('python-sat')}"
            case "brute":
                return BRUTE
            case _:
                return None
    except PackageNotFoundError:
        return None
