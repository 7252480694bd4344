"""Extras: what needs a package that a plain installation leaves out says which extra has it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from types import MappingProxyType

EXTRA_OF = MappingProxyType({"ortools": "solve", "z3": "solve", "networkx": "solve", "numpy": "solve"})
"""Packages that many modules use, by the extra that has them: CP-SAT, Z3, graphs and arrays."""


@contextmanager
def needing(extra: str, what: str) -> Iterator[None]:
    """Imports within need an extra.

    Args:
        extra: its name, as in `planspec[solve]`.
        what: needs it, as the beginning of a sentence: "proofs need an extra".

    Raises:
        ModuleNotFoundError: a package of others is missing; the message says what to install.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "planspec":
            raise
        raise ModuleNotFoundError(f"{what}: {install(extra)}", name=error.name) from None


def require(module: str, extra: str, what: str) -> None:
    """Refuse, without loading it, to begin what a package of an extra is needed for in the end.

    Raises:
        ModuleNotFoundError: it is not installed; the message says what to install.
    """
    if find_spec(module) is None:
        raise ModuleNotFoundError(f"{what}: {install(extra)}", name=module)


def install(extra: str) -> str:
    """The command that installs an extra."""
    return f"pip install 'planspec[{extra}]'"
