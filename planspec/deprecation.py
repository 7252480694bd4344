"""Former names. They work for one release after a name has changed, with a warning."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C")


def former_names(module: str, renamed: Mapping[str, str]) -> Callable[[str], object]:
    """Return a `__getattr__` for a module that finds attributes by their former names and warns.

    Args:
        module: full name of the module.
        renamed: new names by former name; `module:name` for a name in another module.
    """

    def get(name: str) -> object:
        if name not in renamed:
            raise AttributeError(f"module `{module}` has no attribute `{name}`")
        place, _, present = renamed[name].rpartition(":")
        place = place or module
        warnings.warn(f"`{module}.{name}` is now `{place}.{present}`", DeprecationWarning, stacklevel=2)
        found: object = getattr(import_module(place), present)
        return found

    return get


def former_parameters(**renamed: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator for functions that also accept former names of keyword arguments, with a warning.

    Args:
        renamed: new names by former name.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
            for former in renamed.keys() & kwargs.keys():
                present = renamed[former]
                if present in kwargs:
                    raise TypeError(f"{function.__name__}() got both `{present}` and its former name `{former}`")
                warnings.warn(
                    f"the argument `{former}` of {function.__name__}() is now `{present}`",
                    DeprecationWarning,
                    stacklevel=2,
                )
                kwargs[present] = kwargs.pop(former)
            return function(*args, **kwargs)

        return wrapper

    return decorate


def former_fields(**renamed: str) -> Callable[[type[C]], type[C]]:
    """Return a decorator for classes that also accept former names of attributes and constructor arguments.

    Args:
        renamed: new names by former name.
    """

    def decorate(cls: type[C]) -> type[C]:
        cls.__init__ = former_parameters(**renamed)(cls.__init__)  # type: ignore[method-assign]
        for former, present in renamed.items():
            setattr(cls, former, _former_attribute(cls.__name__, former, present))
        return cls

    return decorate


def _former_attribute(owner: str, former: str, present: str) -> property:
    def get(self: object) -> object:
        warnings.warn(f"`{owner}.{former}` is now `{owner}.{present}`", DeprecationWarning, stacklevel=2)
        found: object = getattr(self, present)
        return found

    return property(get)
