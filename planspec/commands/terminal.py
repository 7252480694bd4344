"""Colours, controlled by the environment and `--color`, and lines that fit the terminal."""

from __future__ import annotations

import os
import re
import shutil
import sys
from enum import StrEnum
from textwrap import wrap
from typing import Any, TextIO

import typer

from planspec.text import PlainFormatter


class Color(StrEnum):
    """Values of the option `--color`."""

    auto = "auto"
    always = "always"
    never = "never"


NO_COLOR = "NO_COLOR"
FORCE_COLOR_VARIABLES = ("FORCE_COLOR", "CLICOLOR_FORCE")
"""Environment variables that turn colours on."""
STYLE = re.compile(r"\x1b\[[0-9;]*m")
"""Escape sequences that change the style of text in a terminal."""
INDENT = 4
"""Indentation of continuation lines, in characters."""
MIN_COLUMNS = 40
"""Minimum width, in characters, of a terminal to which lines are fitted."""


def apply_color(color: Color | None) -> None:
    """Apply `--color` through environment variables, so that Rich and worker processes see it as well."""
    if color is None:
        return
    for name in (NO_COLOR, *FORCE_COLOR_VARIABLES):
        os.environ.pop(name, None)
    if color is Color.always:
        os.environ[FORCE_COLOR_VARIABLES[0]] = "1"
    elif color is Color.never:
        os.environ[NO_COLOR] = "1"


def is_colored(stream: TextIO) -> bool:
    """Return whether output to a stream has colours.

    The variable NO_COLOR turns colours off; otherwise FORCE_COLOR or CLICOLOR_FORCE turns them on. Without these
    variables, output has colours on every terminal that is not dumb.
    """
    if os.environ.get(NO_COLOR):
        return False
    if any(os.environ.get(name, "0") not in ("", "0") for name in FORCE_COLOR_VARIABLES):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def style_text(text: str, **style: Any) -> str:
    """Return a string with escape sequences for a style, or unchanged if standard output has no colours."""
    return typer.style(text, **style) if is_colored(sys.stdout) else text


def fit_line(head: str, text: str, place: str = "") -> str:
    """Return a line of three parts. If it is too long for the terminal, the text is wrapped below the head.

    Args:
        head: beginning of the line.
        text: middle of the line.
        place: end of the line, in dim style.
    """
    place = style_text(place, dim=True)
    line = PlainFormatter().line(head, text, place)
    if not sys.stdout.isatty():
        return line
    columns = max(shutil.get_terminal_size().columns, MIN_COLUMNS)
    if len(_strip_styles(line)) <= columns:
        return line
    room = columns - INDENT
    lines = wrap(_strip_styles(text), room, break_long_words=False, break_on_hyphens=False)
    if place and lines and len(lines[-1]) + 2 + len(_strip_styles(place)) <= room:
        lines[-1] += f"  {place}"
    elif place:
        lines.append(place)
    return "\n".join([head.rstrip(), *(" " * INDENT + line for line in lines)])


def _strip_styles(text: str) -> str:
    return STYLE.sub("", text)


class Terminal:
    """Style and layout of verdicts printed on standard output."""

    def style(self, text: str, **style: Any) -> str:
        return style_text(text, **style)

    def line(self, head: str, text: str, place: str) -> str:
        return fit_line(head, text, place)
