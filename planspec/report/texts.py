"""Functions that make untrusted text safe to show on a page, without control characters and of limited length."""

from __future__ import annotations

import json
import re
from typing import Any

MOST = 8_000
"""Maximum number of characters shown of one text."""
_TURNING = range(0x202A, 0x202F), range(0x2066, 0x206A)
_SEEN: dict[int, str] = {
    code: f"\u27e8U+{code:04X}\u27e9"
    for codes in (range(9), range(11, 32), range(0x7F, 0xA0), *_TURNING)
    for code in codes
}
_LONE = re.compile("[\ud800-\udfff]")


def visible_text(text: object, max_length: int = MOST) -> str:
    """Return a text that is safe to show: with visible control characters, and of limited length.

    Line feeds and tabs stay. Other control characters and direction marks become their codes. Lone surrogates are
    replaced.

    Args:
        text: a string, or any other value, which is converted by `str`.
        max_length: number of characters after which the string is cut. A note states how many characters follow.
    """
    string = str(text)
    more = len(string) - max_length
    safe = _LONE.sub("\ufffd", string[:max_length].replace("\r\n", "\n")).translate(_SEEN)
    return f"{safe}\u2026 ({more:,} more characters)" if more > 0 else safe


def line(text: object, max_length: int = 300) -> str:
    """Return a text as one safe line, like `visible_text`."""
    return " ".join(visible_text(text, max_length).split())


def json_text(value: Any, max_length: int = MOST) -> str:
    """Return a value as indented JSON, or a string unchanged, made safe like `visible_text`."""
    if isinstance(value, str):
        return visible_text(value, max_length)
    return visible_text(json.dumps(value, ensure_ascii=False, indent=1, default=str), max_length)


def percent(share: float | None) -> str:
    """Format a share from 0 to 1 in per cent, such as `75 %` or `0.4 %`; None as a dash."""
    if share is None:
        return "\u2013"
    value = 100 * share
    digits = 1 if (0 < abs(value) < 10 or 99 < value < 100) and round(value, 1) != round(value) else 0
    return f"{value:.{digits}f}\u00a0%"


def points(difference: float | None) -> str:
    """Format a difference of two shares in percentage points, such as `−12 points` or `+0.4 points`; None as a dash."""
    if difference is None:
        return "\u2013"
    value = round(100 * difference, 1)
    digits = f"{abs(value):.0f}" if value == round(value) else f"{abs(value):.1f}"
    sign = "" if value == 0 else "+" if value > 0 else "\u2212"
    return f"{sign}{digits} {'point' if digits == '1' else 'points'}"


def number(value: float | None) -> str:
    """Format a number with at least two significant digits, such as `1,234`, `12.5` or `0.031`; None as a dash."""
    if value is None:
        return "\u2013"
    if value == round(value) or abs(value) >= 1000:
        return f"{round(value):,}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.3g}"


def format_cell(value: str | float | None, kind: str) -> str:
    """Format a cell of a family's table: shares in per cent, other numbers like `number`, None as a dash."""
    if isinstance(value, str):
        return line(value)
    return percent(value) if kind == "share" else number(value)
