"""JSON that the text can spell and no other file can hold or no reader can walk."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a character: JSON can spell it, and no UTF-8 can hold it."""


def has_half(text: str) -> bool:
    """The text has half of a surrogate pair in it."""
    return not text.isascii() and SURROGATE.search(text) is not None


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
