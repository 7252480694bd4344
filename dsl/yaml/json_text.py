"""Strict decoding of JSON, without Python's extensions, and checks that values can be stored and traversed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal, InvalidOperation
from math import isfinite
from typing import Any

SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a surrogate pair: JSON can express it, but UTF-8 cannot."""


def has_lone_surrogate(text: str) -> bool:
    """Return whether the text contains a lone surrogate."""
    return not text.isascii() and SURROGATE.search(text) is not None


class InvalidJsonError(ValueError):
    """The text has a word or number that Python accepts but JSON does not allow; the message names it."""


class DuplicateNameError(ValueError):
    """The same name occurs twice in a JSON object."""


def decoder(
    *,
    exact: bool,
    pairs: Callable[[list[tuple[str, Any]]], Any] | None = None,
    whole: Callable[[str], Any] | None = None,
) -> json.JSONDecoder:
    """Return a decoder that refuses NaN, infinity, and numbers beyond the range of floats.

    Its errors are `InvalidJsonError` or another ValueError.

    Args:
        exact: whether numbers with a decimal point or an exponent become `Decimal` instead of floats.
        pairs: builds an object from its names and values, such as `object_with_unique_names`; by default a
            dict with the last value of each name.
        whole: parses an integer; by default as an int.
    """
    return json.JSONDecoder(
        object_pairs_hook=pairs,
        parse_float=_decimal if exact else _float,
        parse_int=whole,
        parse_constant=_refuse_constant,
    )


def object_with_unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Convert the pairs of a name and a value in a JSON object to a dict.

    Raises:
        DuplicateNameError: a name occurs twice.
    """
    object_ = dict(pairs)
    if len(object_) < len(pairs):
        names = [name for name, _ in pairs]
        raise DuplicateNameError(f"`{next(name for name in names if names.count(name) > 1)}` is said twice")
    return object_


def _refuse_constant(word: str) -> Any:
    raise InvalidJsonError(word)


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:  # an exponent of many digits
        raise ValueError(f"{text[:40]} is too large") from None


def _float(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"{text[:40]} is too large")
    return number


def reason_to_refuse(value: Any, depth: int) -> str | None:
    """Return the reason to refuse a decoded JSON value, such as its depth; None if there is none.

    Args:
        value: a value as `json.loads` returns it.
        depth: maximum depth of nested lists and objects.
    """
    level: list[Any] = [value]  # lists and objects of one depth; at depth 0, the value itself
    for _ in range(depth):
        parts = [part for whole in level for part in _parts(whole)]
        if any(isinstance(part, str) and has_lone_surrogate(part) for part in (*level, *parts)):
            return "half of a surrogate pair is not a character"
        level = [part for part in parts if isinstance(part, Mapping | list | tuple)]
        if not level:
            return None
    return f"it nests deeper than {depth} levels"


def _parts(value: Any) -> Iterable[Any]:
    if isinstance(value, Mapping):
        return (*value.keys(), *value.values())
    return value if isinstance(value, list | tuple) else ()
