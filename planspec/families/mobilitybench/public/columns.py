"""The columns of MobilityBench's public table: their contents, and the reading of their cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from typing import Any

from planspec.families.mobilitybench.official.cells import BLANK, LONGEST, CellNotation, read_cell


class Holds(StrEnum):
    """Content of a column's cells."""

    TEXT = "text"
    PAIR = "longitude and latitude"
    INDEX = "a whole number"
    VALUE = "JSON or a literal of Python"


COLUMNS: Mapping[str, Holds] = {
    **dict.fromkeys(
        ("query", "task_scenario", "intent_family", "query_start_poi", "query_transit_poi", "query_end_poi", "city",
         "road", "formatted_address", "llm_ner_ans", "query_poi", "near_poi_info", "time", "weather_description",
         "duration"),
        Holds.TEXT,
    ),
    **dict.fromkeys(("user_loc", "centre_loc", "ans_loc"), Holds.PAIR),
    "matched_transit_index": Holds.INDEX,
    **dict.fromkeys(
        ("context", "strategy_list", "std_start", "std_transit", "std_end", "tool_list", "route_ans", "ans",
         "key_info", "location_ans", "bus_lines_list", "poi_result", "near_poi_ans", "weather"),
        Holds.VALUE,
    ),
}  # fmt: skip
"""The 33 columns."""
NEEDED = ("query", "task_scenario")
"""Columns without which there is no episode."""
PAIR = re.compile(r"-?\d{1,3}(?:\.\d+)?,-?\d{1,2}(?:\.\d+)?", re.ASCII)
LISTED = re.compile(r"\[\s*(-?\d{1,3}(?:\.\d+)?)\s*,\s*(-?\d{1,2}(?:\.\d+)?)\s*\]", re.ASCII)
"""A pair as a list, as in JSON."""
INDEX = re.compile(r"(-?\d{1,9})(?:\.0+)?", re.ASCII)
MEMBERS = "members of enumerations read as the values they name"
UNEXPECTED = "text that is no coordinates"


@dataclass(frozen=True, slots=True)
class ReadCell:
    """A cell as the import reads it.

    Attributes:
        value: JSON value; None if there is none.
        lost: reason why a cell that is not blank has no value.
        note: peculiarity of a cell with a value.
        message: details for people.
    """

    value: Any = None
    lost: CellNotation | None = None
    note: str | None = None
    message: str = ""


def read(column: str, text: str) -> ReadCell:
    """Read a cell of a column; an unknown column holds text."""
    holds = COLUMNS.get(column, Holds.TEXT)
    if not text.strip() or (holds is not Holds.TEXT and text in BLANK):
        return ReadCell()
    if any("\ud800" <= character <= "\udfff" for character in text):
        return ReadCell(lost=CellNotation.UNREADABLE, message="it has half of a surrogate pair")
    if holds is Holds.VALUE:
        return _value(text)
    if len(text) >= LONGEST:
        return ReadCell(lost=CellNotation.TRUNCATED, message=_cut(text))
    if holds is Holds.PAIR:
        if PAIR.fullmatch(text):
            return ReadCell(text)
        listed = LISTED.fullmatch(text)
        if listed:
            return ReadCell(f"{listed[1]},{listed[2]}")
        return ReadCell(lost=CellNotation.UNREADABLE, message=f"{UNEXPECTED}: `{text[:40]}`")
    if holds is Holds.INDEX:
        index = INDEX.fullmatch(text)
        if index:
            return ReadCell(int(index[1]))
        return ReadCell(lost=CellNotation.UNREADABLE, message=f"it is no whole number: `{text[:40]}`")
    return ReadCell(text)


def _value(text: str) -> ReadCell:
    cell = read_cell(text)
    if cell.form is CellNotation.TRUNCATED:
        return ReadCell(lost=CellNotation.TRUNCATED, message=_cut(text))
    if cell.form is CellNotation.UNREADABLE:
        return ReadCell(
            lost=CellNotation.UNREADABLE, message=f"it is neither JSON nor a literal of Python: `{text[:40]}`"
        )
    try:
        value = _json(cell.value)
    except (ValueError, RecursionError) as error:
        return ReadCell(lost=CellNotation.UNREADABLE, message=f"JSON cannot hold it: {error}")
    if cell.form is CellNotation.MEMBERS:
        names = ", ".join(f"`{name}`" for name in dict.fromkeys(cell.members))
        return ReadCell(value, note=MEMBERS, message=f"{names} read as the value it names")
    return ReadCell(value)


def _cut(text: str) -> str:
    return f"it is cut off after {len(text):,} characters"


def _json(value: Any) -> Any:
    """Return a literal as JSON, with tuples as lists.

    Raises:
        ValueError: JSON has no such value.
    """
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        if any("\ud800" <= character <= "\udfff" for character in value):
            raise ValueError("half of a surrogate pair")
        return value
    if isinstance(value, float):
        if not isfinite(value):
            raise ValueError(f"the number {value}")
        return value
    if isinstance(value, list | tuple):
        return [_json(part) for part in value]
    if isinstance(value, dict):
        return dict(_named(value.items()))
    raise ValueError(f"a {type(value).__name__}")


def _named(pairs: Iterable[tuple[Any, Any]]) -> Iterable[tuple[str, Any]]:
    for name, value in pairs:
        if not isinstance(name, str):
            raise ValueError(f"a name that is no text but {type(name).__name__}")
        yield _json(name), _json(value)
