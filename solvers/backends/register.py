"""Register of back ends by name. A solver is loaded when its back end is requested."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from planspec.extras import needing

if TYPE_CHECKING:
    from planspec.solvers.backends.protocol import Backend

BackendName: TypeAlias = Literal["cpsat", "smt", "sat", "brute"]
BACKENDS: tuple[BackendName, ...] = get_args(BackendName)
"""Names that `backend` accepts, from the fastest back end to the slowest."""
PROVERS: tuple[BackendName, ...] = ("cpsat", "smt")
"""Back ends that prove claims about tasks (such as "has exactly one plan") by default. They share no solver code."""


def backend(name: str) -> Backend:
    """Return a new back end (adapter of a solver) by its name, and import its solver.

    Args:
        name: one of `BACKENDS`.

    Raises:
        ValueError: there is no such back end.
        ModuleNotFoundError: the back end needs an extra that is not installed. The message names the extra.
    """
    match name:
        case "cpsat":
            with needing("solve", "the back end `cpsat` needs an extra"):
                from planspec.solvers.backends.cpsat.backend import CpSat

            return CpSat()
        case "smt":
            with needing("solve", "the back end `smt` needs an extra"):
                from planspec.solvers.backends.smt import Smt

            return Smt()
        case "sat":
            from planspec.solvers.backends.sat.backend import Sat

            return Sat()
        case "brute":
            from planspec.solvers.backends.brute import Brute

            return Brute()
        case _:
            raise ValueError(f"no back end is called {name!r}; there are {', '.join(BACKENDS)}")
