"""Texts that others wrote, as a page can show them: whole characters, nothing invisible that turns the rest around, an end."""

from __future__ import annotations

import json
import re
from typing import Any

MOST = 8_000
"""The most characters of one text that are shown."""
_TURNING = range(0x202A, 0x202F), range(0x2066, 0x206A)
_SEEN: dict[int, str] = {
    code: f"\u27e8U+{code:04X}\u27e9"
    for codes in (range(9), range(11, 32), range(0x7F, 0xA0), *_TURNING)
    for code in codes
}
_LONE = re.compile("[\ud800-\udfff]")


def shown(text: object, most: int = MOST) -> str:
    """A text whose control characters can be seen, cut where it is long.

    Line feeds and tabs stay. Control characters, and those that turn the direction of what follows, are written out by their
    code; half characters are replaced.

    Args:
        text: anything; what is no text is written as Python does.
        most: characters of it that are kept.
    """
    said = str(text)
    more = len(said) - most
    kept = _LONE.sub("\ufffd", said[:most].replace("\r\n", "\n")).translate(_SEEN)
    return f"{kept}\u2026 ({more:,} more characters)" if more > 0 else kept


def line(text: object, most: int = 300) -> str:
    """The same on one line."""
    return " ".join(shown(text, most).split())


def written(value: Any, most: int = MOST) -> str:
    """JSON as people read it, a text as it stands."""
    if isinstance(value, str):
        return shown(value, most)
    return shown(json.dumps(value, ensure_ascii=False, indent=1, default=str), most)


def percent(share: float | None) -> str:
    """A share between 0 and 1: `75 %`, `0.4 %`; a dash where there is none."""
    if share is None:
        return "\u2013"
    value = 100 * share
    digits = 1 if (0 < abs(value) < 10 or 99 < value < 100) and round(value, 1) != round(value) else 0
    return f"{value:.{digits}f}\u00a0%"


def points(difference: float | None) -> str:
    """A difference of two shares: `−12 points`, `+0.4 points`, `0 points`; a dash where there is none."""
    if difference is None:
        return "\u2013"
    value = round(100 * difference, 1)
    said = f"{abs(value):.0f}" if value == round(value) else f"{abs(value):.1f}"
    sign = "" if value == 0 else "+" if value > 0 else "\u2212"
    return f"{sign}{said} {'point' if said == '1' else 'points'}"


def number(value: float | None) -> str:
    """A number with as many digits as tell something: `1,234`, `12.5`, `0.031`; a dash where there is none."""
    if value is None:
        return "\u2013"
    if value == round(value) or abs(value) >= 1000:
        return f"{round(value):,}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.3g}"
