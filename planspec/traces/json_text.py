"""Strict decoding of JSON, which reports lost information, and conversion of values to text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any

from planspec.dsl.resources.limits import DEPTH
from planspec.dsl.yaml.json_text import (
    SURROGATE,
    InvalidJsonError,
    decoder,
    has_lone_surrogate,
    object_with_unique_names,
)
from planspec.verifiers.answers.format import plain_json

_ANY = decoder(exact=False)
_ONCE = decoder(exact=False, pairs=object_with_unique_names)


def require_finite(value: Any) -> Any:
    """Return the value itself, after a check of its numbers.

    Raises:
        ValueError: the value contains a number that JSON cannot express.
    """
    if isinstance(value, float):
        if not isfinite(value):
            raise ValueError(f"{value} is no number of JSON")
    elif isinstance(value, Mapping):
        for part in value.values():
            require_finite(part)
    elif isinstance(value, list | tuple):
        for part in value:
            require_finite(part)
    return value


def load(text: str, *, twice: bool = True) -> Any:
    """Decode a string of JSON.

    Args:
        text: string of JSON.
        twice: whether an object may repeat a name. The last value then counts.

    Raises:
        ValueError: the string is not JSON, contains NaN or infinity, or is nested deeper than `DEPTH`.
    """
    try:
        value = (_ANY if twice else _ONCE).decode(text)
    except InvalidJsonError as error:
        raise ValueError(f"{error} is no JSON") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if is_deeper_than(value, DEPTH):
        raise ValueError("it is nested too deeply")
    return value


def text_of(value: Any) -> str:
    """Return a string unchanged, and any other value as JSON. Decimals become JSON numbers."""
    return value if isinstance(value, str) else json.dumps(plain_json(value), ensure_ascii=False)


def is_deeper_than(value: Any, max_depth: int) -> bool:
    """Return whether a JSON value has more than `max_depth` levels of nesting."""
    level: list[Any] = [value]
    for _ in range(max_depth + 1):
        level = [part for whole in level for part in _children(whole)]
        if not level:
            return False
    return True


def replace_surrogates(value: Any) -> tuple[Any, bool]:
    """Return a JSON value with lone surrogates replaced by U+FFFD, and whether there were any."""
    return (_replace_surrogates(value), True) if _has_surrogates(value) else (value, False)


def _has_surrogates(value: Any) -> bool:
    if isinstance(value, str):
        return has_lone_surrogate(value)
    if isinstance(value, Mapping):
        return any(_has_surrogates(name) or _has_surrogates(part) for name, part in value.items())
    return isinstance(value, list | tuple) and any(map(_has_surrogates, value))


def _replace_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return SURROGATE.sub("\ufffd", value)
    if isinstance(value, Mapping):
        return {_replace_surrogates(name): _replace_surrogates(part) for name, part in value.items()}
    return list(map(_replace_surrogates, value)) if isinstance(value, list | tuple) else value


def _children(value: Any) -> Iterable[Any]:
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list | tuple) else ()
