"""Handwritten sections of a task, `expects` and `cases`. They are preserved when the suite is written again."""

from __future__ import annotations

import re
from pathlib import Path

KEPT = re.compile(r"^(?:expects|cases):.*?(?=^[^\s#]|\Z)", re.MULTILINE | re.DOTALL)
"""Pattern of a section `expects` or `cases` in the text of a task, up to the next top-level key."""


def existing_sections(path: Path) -> str:
    """Return the sections `expects:` and `cases:` of an existing task file; an empty string if there are none."""
    text = path.read_text("utf-8", errors="replace") if path.is_file() else ""
    return "".join(match[0].rstrip() + "\n" for match in KEPT.finditer(text))
