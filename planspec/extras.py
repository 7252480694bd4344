"""Errors about missing extras: packages that a plain installation leaves out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from types import MappingProxyType

EXTRA_OF = MappingProxyType({"ortools": "solve", "z3": "solve", "networkx": "solve", "numpy": "solve"})
"""Extra that provides a package, for packages used in many modules."""


@contextmanager
def needing(extra: str, feature: str) -> Iterator[None]:
    """Turn a failed import in a `with` block into an error that names the extra to install.

    Args:
        extra: name of the extra, as in `planspec[solve]`.
        feature: beginning of the message, such as "proofs need an extra".

    Raises:
        ModuleNotFoundError: a third-party package is missing. The message says what to install.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "planspec":
            raise
        raise ModuleNotFoundError(f"{feature}: {install_command(extra)}", name=error.name) from None


def require(module: str, extra: str, feature: str) -> None:
    """Check that a package is installed, without loading it.

    Args:
        module: name of the package.
        extra: name of the extra that provides it.
        feature: beginning of the message, such as "proofs need an extra".

    Raises:
        ModuleNotFoundError: the package is not installed. The message says what to install.
    """
    if find_spec(module) is None:
        raise ModuleNotFoundError(f"{feature}: {install_command(extra)}", name=module)


def install_command(extra: str) -> str:
    """Return the shell command that installs an extra."""
    return f"pip install 'planspec[{extra}]'"
