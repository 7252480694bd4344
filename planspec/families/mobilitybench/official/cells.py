"""Reader of cells in MobilityBench's public table: JSON, Python literals, and members of enumerations.

Many cells are Python's `repr` of a value. Some contain a member of an enumeration, such as `<ToolStatus.SUCCESS: 0>`.
Such a member is not a Python literal, but its text includes its value, which replaces it.
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
"""Maximum length of a spreadsheet's cell in characters. Longer strings are truncated."""
BLANK = frozenset(
    (
        "",
        "#N/A",
        "#N/A N/A",
        "#NA",
        "-1.#IND",
        "-1.#QNAN",
        "-NaN",
        "-nan",
        "1.#IND",
        "1.#QNAN",
        "<NA>",
        "N/A",
        "NA",
        "NULL",
        "NaN",
        "None",
        "n/a",
        "nan",
        "null",
    )
)
"""Strings that the toolkit's table reader treats as missing."""
LEXEME = re.compile(
    r"""'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|<(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+): (?P<value>-?\d+)>""",
    re.DOTALL | re.ASCII,
)


class CellNotation(StrEnum):
    """Notation of a cell's value, or the reason why the cell has no value."""

    BLANK = "blank"
    JSON = "json"
    LITERAL = "literal"
    MEMBERS = "members"
    """The cell is a Python literal with enumeration members, such as `<ToolStatus.SUCCESS: 0>`, instead of values."""
    TRUNCATED = "truncated"
    """The cell is truncated and therefore has no value."""
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class FilledCell:
    """Value of a cell that is not blank.

    Attributes:
        value: the value; None if it cannot be read.
        form: notation of the value, or the reason why it cannot be read.
        members: names of the enumeration members in the cell, such as `ToolStatus.SUCCESS`.
    """

    value: Any
    form: CellNotation
    members: tuple[str, ...] = ()


def read_cell(text: str) -> FilledCell:
    """Read the value of a cell. The value is None, and `form` gives the reason, if it cannot be read exactly."""
    if text in BLANK:
        return FilledCell(None, CellNotation.BLANK)
    try:
        return FilledCell(json.loads(text), CellNotation.JSON)
    except (ValueError, RecursionError):
        pass
    is_literal, value = read_literal(text)
    if is_literal:
        return FilledCell(value, CellNotation.LITERAL)
    if len(text) >= LONGEST:
        return FilledCell(None, CellNotation.TRUNCATED)
    plain, members = replace_members(text)
    if members:
        is_literal, value = read_literal(plain)
        if is_literal:
            return FilledCell(value, CellNotation.MEMBERS, members)
    return FilledCell(None, CellNotation.UNREADABLE)


def toolkit_value(value: Any) -> Any:
    """Return a cell's value as the toolkit reads it: JSON, else a Python literal, else the text itself."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        is_literal, parsed = read_literal(value)
        return parsed if is_literal else value


def read_literal(text: str) -> tuple[bool, Any]:
    """Return whether a text is a Python literal, and the literal's value (None if it is not)."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return True, ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False, None


def replace_members(text: str) -> tuple[str, tuple[str, ...]]:
    """Replace members of enumerations outside quotes by their values; return the text and the members' names."""
    members: list[str] = []

    def replace_member(match: re.Match[str]) -> str:
        if match["name"] is None:
            return match[0]
        members.append(match["name"])
        return match["value"]

    return LEXEME.sub(replace_member, text), tuple(members)
