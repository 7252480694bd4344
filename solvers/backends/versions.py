"""Versions of the solvers, read without loading them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version

BRUTE = "2"
"""Version of the back end `brute`, which enumerates assignments. It is increased by hand."""

PARAMETERS: Mapping[str, Mapping[str, int]] = {"cpsat": {"presolve_inclusion_work_limit": 0}}
"""Solver parameters that avoid known bugs, by the name of the back end that sets them. Certificates record them."""


def version_of(backend: str) -> str | None:
    """Return the version of a back end's solver, such as `9.15.6755`.

    Return None if the solver is not installed, or there is no such back end.

    Args:
        backend: name of the back end, such as `cpsat`.
    """
    try:
        match backend:
            case "cpsat":
                return version("ortools")
            case "smt":  # the package appends a build number to Z3's three numbers
                return ".".join(version("z3-solver").split(".")[:3])
            case "sat":
                return f"cadical 1.9.5, python-sat {version('python-sat')}"
            case "brute":
                return BRUTE
            case _:
                return None
    except PackageNotFoundError:
        return None
