"""The draft of a request, as a drawing gives it."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import JsonValue

from planspec.families.mobilitybench.map import Point


class UndrawableRequestError(Exception):
    """The drawn request does not fit the map; the text says why, in words that are counted."""


@dataclass(frozen=True, slots=True)
class RequestDraft:
    """A user's request.

    Attributes:
        slots: what is said, by name.
        here: where the user is.
        travel_tool: the means of travel of the user's choice, where none is said.
        bites: the best way without the wishes is not the best with them; None where nothing is wished.
    """

    slots: dict[str, JsonValue]
    here: Point
    travel_tool: str | None = None
    bites: bool | None = None
