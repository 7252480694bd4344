"""The terminal's abilities: colours, as the environment and `--color` ask for them, and lines that fit."""

from __future__ import annotations

import os
import re
import shutil
import sys
from enum import StrEnum
from textwrap import wrap
from typing import Any, TextIO

import typer

from planspec.paper import Plain


class Color(StrEnum):
    """When output is coloured."""

    auto = "auto"
    always = "always"
    never = "never"


NO_COLOR = "NO_COLOR"
FORCED = ("FORCE_COLOR", "CLICOLOR_FORCE")
STYLE = re.compile(r"\x1b\[[0-9;]*m")
"""The codes that switch a terminal's style."""
INDENT = 4
"""Columns before a line that continues the one above it."""
NARROWEST = 40
"""Columns that lines are fitted to at least."""


def choose_color(when: Color | None) -> None:
    """Obey `--color`: said in the environment, so that Rich and worker processes obey it too."""
    if when is None:
        return
    for name in (NO_COLOR, *FORCED):
        os.environ.pop(name, None)
    if when is Color.always:
        os.environ[FORCED[0]] = "1"
    elif when is Color.never:
        os.environ[NO_COLOR] = "1"


def colored(stream: TextIO) -> bool:
    """The stream is to be coloured.

    NO_COLOR forbids it, else FORCE_COLOR and CLICOLOR_FORCE ask for it, else it takes a terminal that is not dumb.
    """
    if os.environ.get(NO_COLOR):
        return False
    if any(os.environ.get(name, "0") not in ("", "0") for name in FORCED):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def styled(text: str, **style: Any) -> str:
    """A text as standard output shows it, in colour or plain."""
    return typer.style(text, **style) if colored(sys.stdout) else text


def fitted(head: str, said: str, place: str = "") -> str:
    """A line of a few parts: on a terminal that is too narrow for them, what is said goes below, cut between words.

    Args:
        head: what the line begins with.
        said: the text behind it.
        place: what stands last, dim.
    """
    place = styled(place, dim=True)
    line = Plain().line(head, said, place)
    if not sys.stdout.isatty():
        return line
    columns = max(shutil.get_terminal_size().columns, NARROWEST)
    if len(_plain(line)) <= columns:
        return line
    room = columns - INDENT
    lines = wrap(_plain(said), room, break_long_words=False, break_on_hyphens=False)
    if place and lines and len(lines[-1]) + 2 + len(_plain(place)) <= room:
        lines[-1] += f"  {place}"
    elif place:
        lines.append(place)
    return "\n".join([head.rstrip(), *(" " * INDENT + line for line in lines)])


def _plain(text: str) -> str:
    return STYLE.sub("", text)


class Terminal:
    """Standard output as what a verdict's lines are written on."""

    def style(self, text: str, **style: Any) -> str:
        return styled(text, **style)

    def line(self, head: str, text: str, place: str) -> str:
        return fitted(head, text, place)
