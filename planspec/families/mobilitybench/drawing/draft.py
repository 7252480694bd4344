"""A drawn request, before it is put into words."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import JsonValue

from planspec.families.mobilitybench.map import Point


class UndrawableRequestError(Exception):
    """Error if a drawn request does not fit the map. The message is the reason; discarded draws are counted by it."""


@dataclass(frozen=True, slots=True)
class RequestDraft:
    """A drawn request of a user, before it is put into words.

    Attributes:
        slots: values of the request by slot, in the user's words.
        user_location: location of the user.
        travel_tool: travel mode that the user usually prefers, if the query names none.
        wishes_are_binding: whether the wishes change the best route; None if there are no wishes.
    """

    slots: dict[str, JsonValue]
    user_location: Point
    travel_tool: str | None = None
    wishes_are_binding: bool | None = None
