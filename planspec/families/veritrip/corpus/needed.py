"""Facts that a correct answer relies on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from planspec.families.veritrip.corpus.fact_values import Fact
from planspec.families.veritrip.format.reading import ACCOMMODATION, ITINERARY, TRANSPORTATION, unwrap

_SIGHT = ("ticket", "opens", "closes", "closed_on", "visit")
_SERVICE = ("depart", "arrive", "price")


def needed_facts(answer: Any, start: str, target: str) -> Iterator[Fact]:
    """Yield the facts that a correct answer depends on and documents can contradict.

    Args:
        answer: correct answer in the paper's three tables.
        start: city where the trip begins.
        target: destination.
    """
    tables: Mapping[str, Any] = unwrap(answer)
    for number, leg in enumerate(tables[TRANSPORTATION]):
        city = start if number == 0 else target
        yield from ((f"{leg['transportationID']} {leg['date']}", city, field) for field in _SERVICE)
    for stay in tables[ACCOMMODATION]:
        yield from ((stay["name"], stay["city"], f"{what}:{stay['room_type']}") for what in ("room", "breakfast"))
    for doing in tables[ITINERARY]:
        if doing["active_type"] == "attraction":
            yield from ((doing["name"], target, field) for field in _SIGHT)
