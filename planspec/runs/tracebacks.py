"""Tracebacks of what an agent's program raised, as the records keep them."""

from __future__ import annotations

import traceback
from pathlib import Path

import planspec

MOST_CHARACTERS = 20_000
"""The characters of a traceback that are kept; the last ones, where it has more."""
_OWN = Path(planspec.__file__).parent


def traceback_text(error: BaseException) -> str:
    """The traceback of an exception with its causes, without planspec's frames above those of the program."""
    first = error.__traceback__
    while first is not None and first.tb_next is not None and _own(first.tb_frame.f_code.co_filename):
        first = first.tb_next
    text = (
        "".join(traceback.format_exception(type(error), error, first))
        .encode("utf-8", "backslashreplace")
        .decode()
    )
    return text if len(text) <= MOST_CHARACTERS else f"...{text[-MOST_CHARACTERS:]}"


def place_of(error: BaseException) -> str | None:
    """The innermost line outside of planspec that an exception went through, as `file:line`; else the innermost one."""
    frames = traceback.extract_tb(error.__traceback__)
    others = [frame for frame in frames if not _own(frame.filename)]
    found = (others or frames)[-1:]
    return f"{found[0].filename}:{found[0].lineno}" if found else None


def _own(file: str) -> bool:
    return Path(file).is_relative_to(_OWN)
