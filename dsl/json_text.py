"""What JSON can spell and no other file can hold or no reader can walk."""

from __future__ import annotations

import re
from collections.abc import Mapping
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
    level: list[Any] = [value]
    for _ in range(depth + 1):
        inner: list[Any] = []
        for part in level:
            match part:
                case str():
                    if has_half(part):
                        return "half of a surrogate pair is no character"
                case Mapping():
                    inner += part.keys()
                    inner += part.values()
                case list() | tuple():
                    inner += part
                case _:
                    pass
        if not inner:
            return None
        level = inner
    return f"it nests deeper than {depth} levels"
