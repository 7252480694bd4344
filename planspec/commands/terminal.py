"""Colours, as the environment and `--color` request them, and lines that fit the terminal."""

from __future__ import annotations

import os
import re
import shutil
import sys
from enum import StrEnum
from textwrap import wrap
from typing import Any, TextIO

import typer

from planspec.paper import PlainPaper


class Color(StrEnum):
    """Condition for coloured output."""

    auto = "auto"
    always = "always"
    never = "never"


NO_COLOR = "NO_COLOR"
FORCED = ("FORCE_COLOR", "CLICOLOR_FORCE")
STYLE = re.compile(r"\x1b\[[0-9;]*m")
"""Codes that switch a terminal's style."""
INDENT = 4
"""Indentation of continuation lines, in columns."""
NARROWEST = 40
"""Smallest width to which lines are fitted, in columns."""


def choose_color(when: Color | None) -> None:
    """Apply `--color` through the environment, so that Rich and worker processes see it too."""
    if when is None:
        return
    for name in (NO_COLOR, *FORCED):
        os.environ.pop(name, None)
    if when is Color.always:
        os.environ[FORCED[0]] = "1"
    elif when is Color.never:
        os.environ[NO_COLOR] = "1"


def colored(stream: TextIO) -> bool:
    """Return whether output to a stream is coloured.

    NO_COLOR forbids it; otherwise FORCE_COLOR or CLICOLOR_FORCE turns it on; otherwise only terminals that
    are not dumb have it.
    """
    if os.environ.get(NO_COLOR):
        return False
    if any(os.environ.get(name, "0") not in ("", "0") for name in FORCED):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def styled(text: str, **style: Any) -> str:
    """Return a text with style, or plain if standard output is not coloured."""
    return typer.style(text, **style) if colored(sys.stdout) else text


def fitted(head: str, text: str, place: str = "") -> str:
    """Return a line of several parts; on a narrow terminal, the text is wrapped and goes below the head.

    Args:
        head: beginning of the line.
        text: text after it.
        place: end of the line, shown dim.
    """
    place = styled(place, dim=True)
    line = PlainPaper().line(head, text, place)
    if not sys.stdout.isatty():
        return line
    columns = max(shutil.get_terminal_size().columns, NARROWEST)
    if len(_plain(line)) <= columns:
        return line
    room = columns - INDENT
    lines = wrap(_plain(text), room, break_long_words=False, break_on_hyphens=False)
    if place and lines and len(lines[-1]) + 2 + len(_plain(place)) <= room:
        lines[-1] += f"  {place}"
    elif place:
        lines.append(place)
    return "\n".join([head.rstrip(), *(" " * INDENT + line for line in lines)])


def _plain(text: str) -> str:
    return STYLE.sub("", text)


class Terminal:
    """Standard output, as the lines of a verdict are written to it."""

    def style(self, text: str, **style: Any) -> str:
        return styled(text, **style)

    def line(self, head: str, text: str, place: str) -> str:
        return fitted(head, text, place)
