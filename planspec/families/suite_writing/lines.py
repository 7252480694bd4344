"""Queries of a public file: JSON lines or one JSON list, each read as a model and checked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from planspec.dsl.resources.limits import RECORDS_BYTES
from planspec.dsl.resources.reading import read_bytes
from planspec.families.suite_writing.folder import LeftOut

MOST_ID = 100
MOST_REASON = 400
MOST_SHOWN = 60
"""Characters of a wrong value."""
Read = TypeVar("Read", bound=BaseModel)


_OBJECT, _LIST, _WHOLE, _NUMBER, _DAY = (
    "it must be an object", "it must be a list", "it must be a whole number", "it must be a number",
    "it must be a day such as 2026-07-01",
)  # fmt: skip
_WORDS = {
    "missing": "it is missing", "extra_forbidden": "there is no such key", "literal_error": "it must be {expected}",
    "string_type": "it must be text", "string_too_short": "it must not be empty", "too_short": "it must not be empty",
    "model_type": _OBJECT, "model_attributes_type": _OBJECT, "dict_type": _OBJECT, "list_type": _LIST, "tuple_type": _LIST,
    "int_type": _WHOLE, "int_parsing": _WHOLE, "int_from_float": _WHOLE, "int_parsing_size": _WHOLE,
    "float_type": _NUMBER, "float_parsing": _NUMBER, "decimal_type": _NUMBER, "decimal_parsing": _NUMBER,
    "finite_number": _NUMBER, "greater_than_equal": "it must be at least {ge}", "less_than_equal": "it must be at most {le}",
    "decimal_max_places": "it must have at most {decimal_places} digits behind the point",
    "date_type": _DAY, "date_parsing": _DAY, "date_from_datetime_parsing": _DAY, "string_unicode": "it has half of a character",
    "value_error": "{error}",
}  # fmt: skip
"""What must be, by pydantic's kinds of mistake; its own words stand for all others."""


def read_lines(
    path: Path, model: type[Read], fault: Callable[[Read], str | None]
) -> Iterator[Read | LeftOut]:
    """The queries of a file, and of the other lines why they are none: `numbered_lines` without the numbers."""
    return (found for _, found in numbered_lines(path, model, fault))


def numbered_lines(
    path: Path, model: type[Read], fault: Callable[[Read], str | None]
) -> Iterator[tuple[int, Read | LeftOut]]:
    """The queries of a file, and of the other lines why they are none, each with its number.

    Args:
        path: JSON lines, or one JSON list, whose records are counted as lines are.
        model: what a line is read as.
        fault: why a query cannot be a task, if so.

    Raises:
        OSError: the file cannot be read.
    """
    for number, record in _records(read_bytes(path, RECORDS_BYTES)):
        query: Read | None = None
        try:
            query = model.model_validate(json.loads(record) if isinstance(record, bytes) else record)
            reason = fault(query)
        except ValidationError as error:
            reason = mistake(error.errors()[0])
        except (ValueError, RecursionError) as error:
            reason = f"no JSON, of which each line is an object: {error}"
        if reason or query is None:
            yield number, LeftOut(path.name, number, " ".join((reason or "").split())[:MOST_REASON])
        else:
            yield number, query


def way(keys: Iterable[str | int]) -> str:
    """The keys that lead to a part of a document, such as `stays[2].near`; entries of lists are counted from 1."""
    return "".join(f"[{key + 1}]" if isinstance(key, int) else f".{key}" for key in keys).lstrip(".")


def mistake(found: ErrorDetails) -> str:
    """A mistake that pydantic found: where it is, what must be, and what is there instead."""
    place = way(found["loc"])
    words = _WORDS.get(found["type"])
    told = found["msg"] if words is None else words.format(**found.get("ctx", {}))
    there = found["input"]
    if found["type"] not in ("missing", "value_error") and (
        there is None or isinstance(there, str | int | float)
    ):
        told += f", and is {json.dumps(there)[:MOST_SHOWN]}"
    return f"{place}: {told}" if place else told


def _records(text: bytes) -> Iterator[tuple[int, Any]]:
    """The lines that are not blank, unread, or the objects of a list, with their numbers."""
    if text.lstrip()[:1] == b"[":
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, list) and all(isinstance(record, dict) for record in found):
            yield from enumerate(found, 1)
            return
    yield from ((number, line) for number, line in enumerate(text.split(b"\n"), 1) if line.strip())


def unfit_id(name: str) -> str | None:
    """Why a task's file cannot be called so, if so."""
    if not name.isascii() or not name.replace("-", "a").replace("_", "a").replace(".", "a").isalnum():
        return f"its id `{name[:40]}` is more than letters, digits, `-`, `_` and `.`"
    if not name[0].isalnum() or len(name) > MOST_ID:
        return f"its id `{name[:40]}` does not begin with a letter or digit, or is longer than {MOST_ID}"
    return None
