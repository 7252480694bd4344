"""JSON read strictly: no more than JSON says, and nothing that no file can hold or no reader can walk."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from math import isfinite
from typing import Any

SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a character: JSON can spell it, and no UTF-8 can hold it."""


def has_half(text: str) -> bool:
    """The text has half of a surrogate pair in it."""
    return not text.isascii() and SURROGATE.search(text) is not None


class InvalidJsonError(ValueError):
    """A word or number that Python reads and JSON does not have; the message names it."""


class DuplicateNameError(ValueError):
    """An object says one name twice."""


def decoder(
    *,
    exact: bool,
    pairs: Callable[[list[tuple[str, Any]]], Any] | None = None,
    whole: Callable[[str], Any] | None = None,
) -> json.JSONDecoder:
    """A decoder that raises `InvalidJsonError` for NaN, infinity, and what a float cannot hold.

    Args:
        exact: numbers with a point are `Decimal`, else floats.
        pairs: makes an object of its names and values, such as `once`; a dict in which the last counts without it.
        whole: reads a whole number.
    """
    return json.JSONDecoder(
        object_pairs_hook=pairs,
        parse_float=Decimal if exact else _float,
        parse_int=whole,
        parse_constant=_refused,
    )


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose names stand once.

    Raises:
        DuplicateNameError: one stands twice.
    """
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        raise DuplicateNameError(f"`{next(name for name in names if names.count(name) > 1)}` is said twice")
    return made


def _refused(word: str) -> Any:
    raise InvalidJsonError(word)


def _float(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"{text[:40]} is too large")
    return number


def fault_of(value: Any, depth: int) -> str | None:
    """Why a value that JSON spelt is not taken: it nests too deep, or has half of a character; None if it is fit.

    Args:
        value: as `json.loads` gives it.
        depth: how many lists and objects may stand in each other.
    """
    level: list[Any] = [value]  # lists and objects, but for a value that is neither
    for _ in range(depth):
        parts = [part for whole in level for part in _parts(whole)]
        if any(isinstance(part, str) and has_half(part) for part in (*level, *parts)):
            return "half of a surrogate pair is no character"
        level = [part for part in parts if isinstance(part, Mapping | list | tuple)]
        if not level:
            return None
    return f"it nests deeper than {depth} levels"


def _parts(value: Any) -> Iterable[Any]:
    if isinstance(value, Mapping):
        return (*value.keys(), *value.values())
    return value if isinstance(value, list | tuple) else ()
