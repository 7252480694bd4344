"""JSON as texts hold it: read strictly, with what is lost in reading told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any

from planspec.dsl.resources.limits import DEPTH
from planspec.dsl.yaml.json_text import SURROGATE, InvalidJsonError, decoder, has_half, once

_ANY = decoder(exact=False)
_ONCE = decoder(exact=False, pairs=once)


def finite(value: Any) -> Any:
    """The value itself.

    Raises:
        ValueError: there is a number in it that JSON cannot write.
    """
    if isinstance(value, float):
        if not isfinite(value):
            raise ValueError(f"{value} is no number of JSON")
    elif isinstance(value, Mapping):
        for part in value.values():
            finite(part)
    elif isinstance(value, list | tuple):
        for part in value:
            finite(part)
    return value


def load(text: str, *, twice: bool = True) -> Any:
    """A text of JSON as a value.

    Args:
        text: what is read.
        twice: an object may say one name twice; the last counts.

    Raises:
        ValueError: it is no JSON; NaN and infinity are none, and neither is what is nested deeper than `DEPTH`.
    """
    try:
        value = (_ANY if twice else _ONCE).decode(text)
    except InvalidJsonError as error:
        raise ValueError(f"{error} is no JSON") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if depth_over(value, DEPTH):
        raise ValueError("it is nested too deeply")
    return value


def depth_over(value: Any, most: int) -> bool:
    """The value is nested deeper than that."""
    level: list[Any] = [value]
    for _ in range(most + 1):
        level = [part for whole in level for part in _parts(whole)]
        if not level:
            return False
    return True


def whole_characters(value: Any) -> tuple[Any, bool]:
    """The value with halves of characters replaced by U+FFFD, and whether there were any."""
    return (_mended(value), True) if _halves(value) else (value, False)


def _halves(value: Any) -> bool:
    if isinstance(value, str):
        return has_half(value)
    if isinstance(value, Mapping):
        return any(_halves(name) or _halves(part) for name, part in value.items())
    return isinstance(value, list | tuple) and any(map(_halves, value))


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return SURROGATE.sub("\ufffd", value)
    if isinstance(value, Mapping):
        return {_mended(name): _mended(part) for name, part in value.items()}
    return list(map(_mended, value)) if isinstance(value, list | tuple) else value


def _parts(value: Any) -> Iterable[Any]:
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list | tuple) else ()
