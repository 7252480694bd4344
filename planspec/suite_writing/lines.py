"""Reading of queries from a public file of JSON lines or one JSON list, validated by a Pydantic model."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from planspec.dsl.resources.limits import RECORDS_BYTES
from planspec.dsl.resources.reading import read_bytes
from planspec.suite_writing.folder import SkippedLine

MOST_ID = 100
MOST_REASON = 400
MOST_SHOWN = 60
"""Maximum number of characters of a wrong value in a message."""
_Query = TypeVar("_Query", bound=BaseModel)


_OBJECT, _LIST, _WHOLE, _NUMBER, _DAY = (
    "it must be an object",
    "it must be a list",
    "it must be a whole number",
    "it must be a number",
    "it must be a day such as 2026-07-01",
)
_MESSAGES = {
    "missing": "it is missing",
    "extra_forbidden": "there is no such key",
    "literal_error": "it must be {expected}",
    "string_type": "it must be text",
    "string_too_short": "it must not be empty",
    "too_short": "it must not be empty",
    "model_type": _OBJECT,
    "model_attributes_type": _OBJECT,
    "dict_type": _OBJECT,
    "list_type": _LIST,
    "tuple_type": _LIST,
    "int_type": _WHOLE,
    "int_parsing": _WHOLE,
    "int_from_float": _WHOLE,
    "int_parsing_size": _WHOLE,
    "float_type": _NUMBER,
    "float_parsing": _NUMBER,
    "decimal_type": _NUMBER,
    "decimal_parsing": _NUMBER,
    "finite_number": _NUMBER,
    "greater_than_equal": "it must be at least {ge}",
    "less_than_equal": "it must be at most {le}",
    "decimal_max_places": "it must have at most {decimal_places} digits behind the point",
    "date_type": _DAY,
    "date_parsing": _DAY,
    "date_from_datetime_parsing": _DAY,
    "string_unicode": "it has half of a character",
    "value_error": "{error}",
}
"""Messages by type of Pydantic error. For other types, Pydantic's own message is used."""


def read_lines(
    path: Path, model: type[_Query], why_unusable: Callable[[_Query], str | None]
) -> Iterator[_Query | SkippedLine]:
    """Yield the query on each line of a file, or a `SkippedLine` for an unusable line.

    The arguments are those of `numbered_lines`.
    """
    return (query for _, query in numbered_lines(path, model, why_unusable))


def numbered_lines(
    path: Path, model: type[_Query], why_unusable: Callable[[_Query], str | None]
) -> Iterator[tuple[int, _Query | SkippedLine]]:
    """Yield the number and query of each line of a file, or a `SkippedLine` for an unusable line.

    Args:
        path: JSON Lines file, or file with one JSON list. The records of a list are numbered from 1.
        model: Pydantic model that validates a query.
        why_unusable: function that returns the reason why a query cannot be used, or None.

    Raises:
        OSError: the file cannot be read.
    """
    for number, record in _records(read_bytes(path, RECORDS_BYTES)):
        query: _Query | None = None
        try:
            query = model.model_validate(json.loads(record) if isinstance(record, bytes) else record)
            reason = why_unusable(query)
        except ValidationError as error:
            reason = error_text(error.errors()[0])
        except (ValueError, RecursionError) as error:
            reason = f"no JSON, of which each line is an object: {error}"
        if reason or query is None:
            yield number, SkippedLine(path.name, number, " ".join((reason or "").split())[:MOST_REASON])
        else:
            yield number, query


def key_path(keys: Iterable[str | int]) -> str:
    """Format the path to a part of a document, such as `stays[2].near`. List entries are counted from 1."""
    return "".join(f"[{key + 1}]" if isinstance(key, int) else f".{key}" for key in keys).lstrip(".")


def error_text(error: ErrorDetails) -> str:
    """Return a message for a Pydantic error, with position, expected value and actual value."""
    place = key_path(error["loc"])
    template = _MESSAGES.get(error["type"])
    message = error["msg"] if template is None else template.format(**error.get("ctx", {}))
    value = error["input"]
    if error["type"] not in ("missing", "value_error") and (value is None or isinstance(value, str | int | float)):
        message += f", and is {json.dumps(value)[:MOST_SHOWN]}"
    return f"{place}: {message}" if place else message


def _records(text: bytes) -> Iterator[tuple[int, Any]]:
    """Yield number and content of each record: an object in a JSON list, or an unparsed line."""
    if text.lstrip()[:1] == b"[":
        try:
            records = json.loads(text)
        except (ValueError, RecursionError):
            records = None
        if isinstance(records, list) and all(isinstance(record, dict) for record in records):
            yield from enumerate(records, 1)
            return
    yield from ((number, line) for number, line in enumerate(text.split(b"\n"), 1) if line.strip())


def why_unfit_id(name: str) -> str | None:
    """Return the reason why an id cannot be the file name of a task; None if it can."""
    if not name.isascii() or not name.replace("-", "a").replace("_", "a").replace(".", "a").isalnum():
        return f"its id `{name[:40]}` is more than letters, digits, `-`, `_` and `.`"
    if not name[0].isalnum() or len(name) > MOST_ID:
        return f"its id `{name[:40]}` does not begin with a letter or digit, or is longer than {MOST_ID}"
    return None
