"""Constants, variables and conditions of definedness in CPMpy's expressions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from planspec.errors import PlanspecError


class InexpressibleModelError(PlanspecError, ValueError):
    """The model has a part that the language cannot express or that the import does not support."""


def integer(value: Any) -> int:
    """Return a number in a model as an int.

    Raises:
        InexpressibleModelError: the number is not an integer.
    """
    found = whole_number(value)
    if found is None:
        raise InexpressibleModelError(f"{value} is not a whole number")
    return found


def whole_number(value: Any) -> int | None:
    """Return the value of a constant; None for an expression.

    Raises:
        InexpressibleModelError: the constant is not an integer.
    """
    truth = truth_value(value)
    if truth is not None:
        return int(truth)
    if hasattr(value, "args") or is_variable(value):
        return None
    try:
        if int(value) == value:
            return int(value)
    except (TypeError, ValueError, OverflowError):
        pass
    raise InexpressibleModelError(f"{value} is not a whole number")


def truth_value(value: Any) -> bool | None:
    """Return the value of a Boolean constant; None for an expression."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    return bool(value.args[0]) if getattr(value, "name", None) == "boolval" else None


def is_condition(value: Any) -> bool:
    """Return whether a value is a Boolean constant or a Boolean expression."""
    return truth_value(value) is not None or (hasattr(value, "is_bool") and value.is_bool())


def is_variable(value: Any) -> bool:
    """Return whether a value is a decision variable, or the negation of one."""
    return hasattr(value, "lb") and hasattr(value, "ub") and hasattr(value, "name")


def definedness(expression: Any) -> list[Any]:
    """Return the conditions, as CPMpy expressions, under which the functions in an expression are defined.

    Functions within a nested condition are left out, because they concern that condition.
    """
    return list(_definedness(expression.args)) if hasattr(expression, "args") else []


def _definedness(args: Iterable[Any]) -> Iterator[Any]:
    for arg in args:
        if isinstance(arg, str):
            continue
        if hasattr(arg, "__iter__"):
            yield from _definedness(arg)
        elif hasattr(arg, "is_bool") and not arg.is_bool() and not is_variable(arg):
            yield from _definedness(arg.args)
            yield from _own_definedness(arg)


def _own_definedness(expression: Any) -> Iterator[Any]:
    from cpmpy.expressions.utils import get_bounds

    match expression.name:
        case "div" | "mod":
            low, high = get_bounds(expression.args[1])
            if low <= 0 <= high:
                yield expression.args[1] != 0
        case "element" | "nd_element":
            array, *indices = expression.args
            sizes = array.shape if expression.name == "nd_element" else (len(array),)
            for index, size in zip(indices, sizes, strict=True):
                low, high = get_bounds(index)
                if low < 0 or high >= size:
                    yield _in_range(index, size)


def _in_range(index: Any, size: int) -> Any:
    import cpmpy

    return cpmpy.InDomain(index, range(size))
