"""Families as tasks of Inspect (the extra `inspect`): `inspect eval planspec/FAMILY --model ...`.

Raises:
    ModuleNotFoundError: on import, if the extra is not installed.
"""

from collections.abc import Callable

from planspec.extras import needing

with needing("inspect", "tasks of Inspect need an extra"):
    import inspect_ai  # noqa: F401

from inspect_ai import Task

from planspec.inspecting.scoring import shares, verdict
from planspec.inspecting.solving import give_tools, take_turns
from planspec.inspecting.tasks import TASKS, suite

__all__ = ["give_tools", "shares", "suite", "take_turns", "verdict"]


def __getattr__(name: str) -> Callable[..., Task]:
    """Return the Inspect task of the family with this name."""
    if name not in TASKS:
        raise AttributeError(f"module `{__name__}` has no attribute `{name}`")
    return TASKS[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *TASKS})
