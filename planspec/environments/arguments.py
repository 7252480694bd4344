"""Argument types of tools that query a task's tables, such as row names and days, and lookup of rows by name."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Any

from pydantic import BeforeValidator, StringConstraints, WithJsonSchema

from planspec.agents.tools import RefusedCallError
from planspec.verifiers.answers.names import NameIndex

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)


def _parse_day(value: object) -> date:
    if not isinstance(value, str) or _DAY.fullmatch(value.strip()) is None:
        raise ValueError("a day is YYYY-MM-DD, such as 2026-02-28")
    try:
        return date.fromisoformat(value.strip())
    except ValueError:
        raise ValueError("there is no such day") from None


Name = Annotated[str, StringConstraints(strict=True, strip_whitespace=True, min_length=1, max_length=200)]
Day = Annotated[date, BeforeValidator(_parse_day), WithJsonSchema({"type": "string", "format": "date"})]


def find_named(index: NameIndex, name: str, noun: str) -> Any:
    """Return the row to which a name refers.

    Args:
        index: index of the rows by name.
        name: name as written by the agent.
        noun: noun for the rows in messages, such as `hotel`.

    Raises:
        RefusedCallError: no row matches, or several do.
    """
    matches = index.find(name)
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise RefusedCallError("not-found", f"the name can mean more than one {noun}; write it in full")
    near = index.nearest(name)
    hint = f"; did you mean `{near}`?" if near else ""
    raise RefusedCallError("not-found", f"there is no {noun} of this name{hint}")
