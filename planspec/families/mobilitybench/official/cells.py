"""Reader of cells in MobilityBench's public table: JSON, Python literals, and members of enumerations.

Many cells are Python's `repr` of a value. Some hold a member of an enumeration, `<ToolStatus.SUCCESS: 0>`,
which is not a literal but states its value, so that it can be read without a guess.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

LONGEST = 32_767
"""Most characters of a spreadsheet's cell; longer ones are truncated."""
BLANK = frozenset(
    ("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA",
     "NULL", "NaN", "None", "n/a", "nan", "null")
)  # fmt: skip
"""Texts that the toolkit's table reader treats as missing."""
LEXEME = re.compile(
    r"""'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|<(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+): (?P<value>-?\d+)>""",
    re.DOTALL | re.ASCII,
)


class Form(StrEnum):
    """Notation of a cell."""

    BLANK = "blank"
    JSON = "json"
    LITERAL = "literal"
    MEMBERS = "members"
    """A literal in which members of enumerations stand for their values."""
    TRUNCATED = "truncated"
    """No value, since the cell is cut off."""
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class FilledCell:
    """A cell with its value.

    Attributes:
        value: the value; None if there is none.
        form: notation of the cell, or the reason why there is no value.
        members: members of enumerations in it, `ToolStatus.SUCCESS`.
    """

    value: Any
    form: Form
    members: tuple[str, ...] = ()


def read_cell(text: str) -> FilledCell:
    """Read a cell whose text is a value; a cell that cannot be read exactly has none."""
    if text in BLANK:
        return FilledCell(None, Form.BLANK)
    try:
        return FilledCell(json.loads(text), Form.JSON)
    except (ValueError, RecursionError):
        pass
    is_literal, value = literal(text)
    if is_literal:
        return FilledCell(value, Form.LITERAL)
    if len(text) >= LONGEST:
        return FilledCell(None, Form.TRUNCATED)
    plain, members = without_members(text)
    if members:
        is_literal, value = literal(plain)
        if is_literal:
            return FilledCell(value, Form.MEMBERS, members)
    return FilledCell(None, Form.UNREADABLE)


def toolkit_value(value: Any) -> Any:
    """Return the toolkit's value of a cell that may hold JSON: other texts stay, unless they are literals."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        is_literal, parsed = literal(value)
        return parsed if is_literal else value


def literal(text: str) -> tuple[bool, Any]:
    """Return whether a text is a Python literal, and its value."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return True, ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False, None


def without_members(text: str) -> tuple[str, tuple[str, ...]]:
    """Replace members of enumerations by their values, except in quotes, and return their names too."""
    members: list[str] = []

    def written(match: re.Match[str]) -> str:
        if match["name"] is None:
            return match[0]
        members.append(match["name"])
        return match["value"]

    return LEXEME.sub(written, text), tuple(members)
