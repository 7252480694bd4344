"""Columns of MobilityBench's public table: the kind of content of each column, and a reader of cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from typing import Any

from planspec.families.mobilitybench.official.cells import BLANK, LONGEST, CellNotation, read_cell


class ColumnContent(StrEnum):
    """Kind of content of a column, which determines how its cells are read."""

    TEXT = "text"
    PAIR = "longitude and latitude"
    INDEX = "a whole number"
    VALUE = "JSON or a literal of Python"


COLUMNS: Mapping[str, ColumnContent] = {
    **dict.fromkeys(
        (
            "query",
            "task_scenario",
            "intent_family",
            "query_start_poi",
            "query_transit_poi",
            "query_end_poi",
            "city",
            "road",
            "formatted_address",
            "llm_ner_ans",
            "query_poi",
            "near_poi_info",
            "time",
            "weather_description",
            "duration",
        ),
        ColumnContent.TEXT,
    ),
    **dict.fromkeys(("user_loc", "centre_loc", "ans_loc"), ColumnContent.PAIR),
    "matched_transit_index": ColumnContent.INDEX,
    **dict.fromkeys(
        (
            "context",
            "strategy_list",
            "std_start",
            "std_transit",
            "std_end",
            "tool_list",
            "route_ans",
            "ans",
            "key_info",
            "location_ans",
            "bus_lines_list",
            "poi_result",
            "near_poi_ans",
            "weather",
        ),
        ColumnContent.VALUE,
    ),
}
"""The 33 columns, with the kind of content of each."""
REQUIRED_COLUMNS = ("query", "task_scenario")
"""Columns that every table must have."""
PAIR = re.compile(r"-?\d{1,3}(?:\.\d+)?,-?\d{1,2}(?:\.\d+)?", re.ASCII)
PAIR_LIST = re.compile(r"\[\s*(-?\d{1,3}(?:\.\d+)?)\s*,\s*(-?\d{1,2}(?:\.\d+)?)\s*\]", re.ASCII)
"""Pattern of a pair of coordinates written as a JSON list, for example `[116.4, 39.9]`."""
INDEX = re.compile(r"(-?\d{1,9})(?:\.0+)?", re.ASCII)
MEMBERS = "members of enumerations read as the values they name"
UNEXPECTED = "text that is no coordinates"


@dataclass(frozen=True, slots=True)
class ReadCell:
    """Result of reading a cell: a value, or the reason why it could not be read. A blank cell has neither.

    Attributes:
        value: JSON value; None if the cell is blank or unreadable.
        why_missing: why the cell could not be read; None if it could, or if it is blank.
        note: kind of irregularity of a readable cell, for counting; None if the cell is regular.
        message: details for people; may be empty.
    """

    value: Any = None
    why_missing: CellNotation | None = None
    note: str | None = None
    message: str = ""


def read_column_cell(column: str, text: str) -> ReadCell:
    """Read a cell according to the content of its column. Columns outside `COLUMNS` contain text."""
    content = COLUMNS.get(column, ColumnContent.TEXT)
    if not text.strip() or (content is not ColumnContent.TEXT and text in BLANK):
        return ReadCell()
    if any("\ud800" <= character <= "\udfff" for character in text):
        return ReadCell(why_missing=CellNotation.UNREADABLE, message="it has half of a surrogate pair")
    if content is ColumnContent.VALUE:
        return _read_value(text)
    if len(text) >= LONGEST:
        return ReadCell(why_missing=CellNotation.TRUNCATED, message=_truncation_message(text))
    if content is ColumnContent.PAIR:
        if PAIR.fullmatch(text):
            return ReadCell(text)
        listed = PAIR_LIST.fullmatch(text)
        if listed:
            return ReadCell(f"{listed[1]},{listed[2]}")
        return ReadCell(why_missing=CellNotation.UNREADABLE, message=f"{UNEXPECTED}: `{text[:40]}`")
    if content is ColumnContent.INDEX:
        index = INDEX.fullmatch(text)
        if index:
            return ReadCell(int(index[1]))
        return ReadCell(why_missing=CellNotation.UNREADABLE, message=f"it is no whole number: `{text[:40]}`")
    return ReadCell(text)


def _read_value(text: str) -> ReadCell:
    cell = read_cell(text)
    if cell.form is CellNotation.TRUNCATED:
        return ReadCell(why_missing=CellNotation.TRUNCATED, message=_truncation_message(text))
    if cell.form is CellNotation.UNREADABLE:
        return ReadCell(
            why_missing=CellNotation.UNREADABLE,
            message=f"it is neither JSON nor a literal of Python: `{text[:40]}`",
        )
    try:
        value = _to_json(cell.value)
    except (ValueError, RecursionError) as error:
        return ReadCell(why_missing=CellNotation.UNREADABLE, message=f"JSON cannot hold it: {error}")
    if cell.form is CellNotation.MEMBERS:
        names = ", ".join(f"`{name}`" for name in dict.fromkeys(cell.members))
        return ReadCell(value, note=MEMBERS, message=f"{names} read as the value it names")
    return ReadCell(value)


def _truncation_message(text: str) -> str:
    return f"it is cut off after {len(text):,} characters"


def _to_json(value: Any) -> Any:
    """Convert the value of a Python literal to JSON, with tuples as lists.

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
        return [_to_json(part) for part in value]
    if isinstance(value, dict):
        return dict(_json_members(value.items()))
    raise ValueError(f"a {type(value).__name__}")


def _json_members(pairs: Iterable[tuple[Any, Any]]) -> Iterable[tuple[str, Any]]:
    for name, value in pairs:
        if not isinstance(name, str):
            raise ValueError(f"a name is a {type(name).__name__} and not a string")
        yield _to_json(name), _to_json(value)
