"""Tracebacks of exceptions in agents' programs, for the records."""

from __future__ import annotations

import traceback
from pathlib import Path

from planspec.files import PACKAGE

MOST_CHARACTERS = 20_000
"""Maximum number of characters of a stored traceback. A longer one loses its beginning."""


def traceback_text(error: BaseException) -> str:
    """Return the traceback of an exception and its causes, without frames of planspec."""
    first = error.__traceback__
    while first is not None and first.tb_next is not None and _is_in_planspec(first.tb_frame.f_code.co_filename):
        first = first.tb_next
    text = "".join(traceback.format_exception(type(error), error, first)).encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= MOST_CHARACTERS else f"...{text[-MOST_CHARACTERS:]}"


def innermost_line(error: BaseException) -> str | None:
    """Return the innermost line of a traceback as `file:line`, if possible a line outside planspec."""
    frames = traceback.extract_tb(error.__traceback__)
    others = [frame for frame in frames if not _is_in_planspec(frame.filename)]
    innermost = (others or frames)[-1:]
    return f"{innermost[0].filename}:{innermost[0].lineno}" if innermost else None


def _is_in_planspec(file: str) -> bool:
    return Path(file).is_relative_to(PACKAGE)
