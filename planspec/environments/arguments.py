"""The arguments of tools over a task's tables: names of rows and days, and the rows that they mean."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Any

from pydantic import BeforeValidator, StringConstraints, WithJsonSchema

from planspec.agents.tools import RefusedCallError
from planspec.verifiers.answers.names import NameIndex

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)


def _day(said: object) -> date:
    if not isinstance(said, str) or _DAY.fullmatch(said.strip()) is None:
        raise ValueError("a day is YYYY-MM-DD, such as 2026-02-28")
    try:
        return date.fromisoformat(said.strip())
    except ValueError:
        raise ValueError("there is no such day") from None


Name = Annotated[str, StringConstraints(strict=True, strip_whitespace=True, min_length=1, max_length=200)]
Day = Annotated[date, BeforeValidator(_day), WithJsonSchema({"type": "string", "format": "date"})]


def the_one(index: NameIndex, said: str, what: str) -> Any:
    """The row that a name means; its columns the checker knows, and Python does not.

    Args:
        index: of what can be meant.
        said: the name, as an agent writes it.
        what: is looked for, such as `hotel`.

    Raises:
        RefusedCallError: it means none, or several.
    """
    found = index.find(said)
    if len(found) == 1:
        return found[0]
    if found:
        raise RefusedCallError("not-found", f"the name can mean more than one {what}; write it in full")
    near = index.nearest(said)
    hint = f"; did you mean `{near}`?" if near else ""
    raise RefusedCallError("not-found", f"there is no {what} of this name{hint}")
