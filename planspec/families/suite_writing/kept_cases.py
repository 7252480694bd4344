"""The cases that somebody wrote into a task: they stay when its suite is written again."""

from __future__ import annotations

import re
from pathlib import Path

CASES = re.compile(r"^cases:.*?(?=^[^\s#]|\Z)", re.MULTILINE | re.DOTALL)
"""The section in a task's text, up to the next key of the document."""


def kept_cases(path: Path) -> str:
    """The section `cases:` of a task that was written before; empty if there is no task, or it has none."""
    found = CASES.search(path.read_text("utf-8", errors="replace")) if path.is_file() else None
    return "" if found is None else found[0].rstrip() + "\n"
