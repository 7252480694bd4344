"""Reading of cells in MobilityBench's public table: JSON, Python's literals, and the names of enumerations in them.

Many cells are what Python prints for a value. Some of them hold a member of an enumeration, `<ToolStatus.SUCCESS: 0>`,
which is no literal; as it says its value, it can be read without a guess.
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
"""The most characters of a spreadsheet's cell; longer ones are cut off there."""
BLANK = frozenset(
    ("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA",
     "NULL", "NaN", "None", "n/a", "nan", "null")
)  # fmt: skip
"""Texts that the toolkit's table reader takes for nothing."""
LEXEME = re.compile(
    r"""'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|<(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+): (?P<value>-?\d+)>""",
    re.DOTALL | re.ASCII,
)


class Form(StrEnum):
    """The notation of a cell."""

    BLANK = "blank"
    JSON = "json"
    LITERAL = "literal"
    MEMBERS = "members"
    """A literal in which members of enumerations stand for their values."""
    TRUNCATED = "truncated"
    """No value, as the cell is cut off."""
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class FilledCell:
    """A cell that holds a value.

    Attributes:
        value: None where there is none.
        form: how it is written, or why there is no value.
        members: the members of enumerations in it, `ToolStatus.SUCCESS`.
    """

    value: Any
    form: Form
    members: tuple[str, ...] = ()


def read_cell(text: str) -> FilledCell:
    """A cell whose text is a value; what cannot be read exactly has none."""
    if text in BLANK:
        return FilledCell(None, Form.BLANK)
    try:
        return FilledCell(json.loads(text), Form.JSON)
    except (ValueError, RecursionError):
        pass
    found, value = literal(text)
    if found:
        return FilledCell(value, Form.LITERAL)
    if len(text) >= LONGEST:
        return FilledCell(None, Form.TRUNCATED)
    plain, members = without_members(text)
    if members:
        found, value = literal(plain)
        if found:
            return FilledCell(value, Form.MEMBERS, members)
    return FilledCell(None, Form.UNREADABLE)


def toolkit_value(value: Any) -> Any:
    """The toolkit's value of a cell that may hold JSON: a text stays if it is neither JSON nor a literal."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        found, read = literal(value)
        return read if found else value


def literal(text: str) -> tuple[bool, Any]:
    """Whether a text is a literal of Python, and its value."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return True, ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False, None


def without_members(text: str) -> tuple[str, tuple[str, ...]]:
    """The text with the values of enumerations' members in place of their names, and the names; quoted text stays."""
    members: list[str] = []

    def written(found: re.Match[str]) -> str:
        if found["name"] is None:
            return found[0]
        members.append(found["name"])
        return found["value"]

    return LEXEME.sub(written, text), tuple(members)
