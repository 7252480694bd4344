"""Handwritten cases of a task, which survive a rewrite of its suite."""

from __future__ import annotations

import re
from pathlib import Path

CASES = re.compile(r"^cases:.*?(?=^[^\s#]|\Z)", re.MULTILINE | re.DOTALL)
"""Matches the section `cases:` of a task's text, up to the next top-level key."""


def existing_cases(path: Path) -> str:
    """Return the section `cases:` of an existing task file, or an empty text if there is none."""
    match = CASES.search(path.read_text("utf-8", errors="replace")) if path.is_file() else None
    return "" if match is None else match[0].rstrip() + "\n"
