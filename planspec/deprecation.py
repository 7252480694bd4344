"""Former names, kept for one release after something was renamed."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def former_name(module: str, name: str, renamed: Mapping[str, str]) -> object:
    """Return an attribute of a module by its former name; for the module's `__getattr__`.

    Args:
        module: full name of the module.
        name: requested attribute.
        renamed: current names by former name.

    Raises:
        AttributeError: the module never had such an attribute.
    """
    if name not in renamed:
        raise AttributeError(f"module `{module}` has no attribute `{name}`")
    present = renamed[name]
    warnings.warn(f"`{module}.{name}` is now `{module}.{present}`", DeprecationWarning, stacklevel=3)
    value: object = getattr(import_module(module), present)
    return value


def former_parameters(**renamed: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a function so that it also takes keyword arguments by their former names.

    Args:
        renamed: current names by former name.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
            for former in renamed.keys() & kwargs.keys():
                present = renamed[former]
                if present in kwargs:
                    raise TypeError(
                        f"{function.__name__}() got both `{present}` and its former name `{former}`"
                    )
                warnings.warn(
                    f"the argument `{former}` of {function.__name__}() is now `{present}`",
                    DeprecationWarning,
                    stacklevel=2,
                )
                kwargs[present] = kwargs.pop(former)
            return function(*args, **kwargs)

        return wrapper

    return decorate
