"""Queries of a public file: JSON lines or one JSON list, each read as a model and checked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from planspec.dsl.resources.limits import RECORDS_BYTES
from planspec.dsl.resources.reading import read_bytes
from planspec.families.suite_writing.folder import LeftOut

MOST_ID = 100
MOST_REASON = 400
Read = TypeVar("Read", bound=BaseModel)


def read_lines(
    path: Path, model: type[Read], fault: Callable[[Read], str | None]
) -> Iterator[Read | LeftOut]:
    """The queries of a file, and of the other lines why they are none.

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
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            reason = f"{place + ': ' if place else ''}{first['msg'].removeprefix('Value error, ')}"
        except (ValueError, RecursionError) as error:
            reason = f"no JSON, of which each line is an object: {error}"
        if reason or query is None:
            yield LeftOut(path.name, number, " ".join((reason or "").split())[:MOST_REASON])
        else:
            yield query


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
