"""Draft of a request."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import JsonValue

from planspec.families.mobilitybench.map import Point


class UndrawableRequestError(Exception):
    """The drawn request does not fit the map; the message is the reason, in words that are counted."""


@dataclass(frozen=True, slots=True)
class RequestDraft:
    """A user's request.

    Attributes:
        slots: values by name, in the user's words.
        here: location of the user.
        travel_tool: travel mode that the user prefers, if the query names none.
        bites: whether the wishes change the best way; None if there are none.
    """

    slots: dict[str, JsonValue]
    here: Point
    travel_tool: str | None = None
    bites: bool | None = None
