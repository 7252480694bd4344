"""A greedy planner of trips to a city and home: the cheapest journeys and rooms; days of what is asked for, then of what is nearest."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from math import cos, radians
from typing import Any

from planspec.agents.desk import Desk
from planspec.agents.failures import AttemptFailedError
from planspec.agents.requests import days_of, names_of, people_of, says_any
from planspec.agents.tools import is_error
from planspec.agents.view import TaskView

MORNING, EVENING = 9 * 60, 21 * 60
LATE = 15 * 60
"""From when on the way home leaves time for the city."""
RIDE = 20
"""Minutes of a ride in the city."""
AT_STATION = 60
"""Minutes between a journey and what is done in the city."""
A_MEAL = 60
RIDE_PRICE = 5
VISITS = 2
"""Attractions of a day at most."""
CHEAP = 2
"""Of places that nobody asked for, one looks at the cheaper ones alone: one of so many."""
WISHED = "wished"


@dataclass(frozen=True, slots=True)
class _Request:
    """What is read in the request."""

    text: str
    days: tuple[date, ...]
    people: int
    origin: str
    city: str


@dataclass(slots=True)
class _Day:
    """The activities of a day.

    Attributes:
        now: minutes after midnight.
        until: when the last of them is to be over.
        at: where one is, in degrees east and north; None at the station or hotel, whose places no tool tells.
    """

    day: date
    now: int
    until: int
    here: str
    at: tuple[float, float] | None = None
    rows: list[dict[str, Any]] = field(default_factory=list)

    def add(self, kind: str, name: str, start: int, end: int, price: Any, notes: str = "") -> None:
        """An activity."""
        self.rows.append({
            "Date": self.day.isoformat(), "active_item_number": len(self.rows) + 1, "active_type": kind,
            "start_time": _clock(start), "end_time": _clock(end), "name": name, "price_per_person": price, "notes": notes,
        })  # fmt: skip
        self.now = end

    def go(self, there: str) -> None:
        """A ride."""
        self.add(
            "inner_city_transportation", f"{self.here} to {there}", self.now, self.now + RIDE, RIDE_PRICE,
            "By public transportation.",
        )  # fmt: skip
        self.here = there

    def fits(self, place: Mapping[str, Any], minutes: int) -> int | None:
        """When one can be at a place for so many minutes, after a ride; None where it is closed by then."""
        if self.day.strftime("%A") in place.get("closed_on", ()):
            return None
        start = max(self.now + RIDE, _minute(place["opens"]))
        return start if start + minutes <= min(_minute(place["closes"]), self.until) else None


def plan(view: TaskView, desk: Desk) -> dict[str, Any]:
    """The trip of a request.

    Raises:
        AttemptFailedError: the setting has no tools that know facts, or what is asked for is not understood or not there; the text says which.
    """
    if "getTransportation" not in {tool.name for tool in view.tools}:
        raise AttemptFailedError(
            "adapter", f"the setting `{view.setting}` has no tools that tell facts; `facts` has"
        )
    asked = _read(view)
    out, home = _journeys(asked, desk)
    sights = desk.call("getAttractions", {"city": asked.city}).get("attractions", [])
    eating = desk.call("getRestaurants", {"city": asked.city}).get("restaurants", [])
    stay = _stay(asked, desk)
    nights = len(asked.days) - 1
    rows: list[dict[str, Any]] = []
    left, tables = _by_wish(asked, sights, "ticket_price"), _by_wish(asked, eating, "price_per_person")
    for number, day in enumerate(asked.days):
        today = _Day(day, MORNING, EVENING, "hotel")
        if number == 0:
            _travel(today, out)
            today.now, today.here = today.now + AT_STATION, "station"
        if number == nights:
            today.until = _minute(home["begin_time"]) - AT_STATION - RIDE
        _fill(today, left, tables, last=number == nights)
        if number == nights:
            _travel(today, home)
        rows += today.rows
    return {"Final Result": {
        "transportationTable": [_leg(out, asked.days[0]), _leg(home, asked.days[-1])],
        "accommodationTable": [] if stay is None or not nights else [_booked(asked, stay)],
        "itineraryTable": rows,
    }}  # fmt: skip


def _read(view: TaskView) -> _Request:
    text = "\n".join([*view.materials.values(), view.query])
    days = days_of(view.query)
    cities = re.search(r"[Ff]rom ([A-Z][\w' ]+?) to ([A-Z][\w' ]+?)[,.]? from\b", view.query) or re.search(
        r"[Ss]tart in ([A-Z][\w' ]+?) and want to see ([A-Z][\w' ]+?) from\b", view.query
    ) or re.search(r"from ([A-Z]\w+(?: [A-Z]\w+)*) to ([A-Z]\w+(?: [A-Z]\w+)*)", view.query)  # fmt: skip
    if not days or cities is None:
        raise AttemptFailedError("adapter", "the request names no days, or does not say from where to where")
    return _Request(text, days, people_of(view.query), cities[1], cities[2])


# ------------------------------------------------------------------ journeys and rooms


def _journeys(asked: _Request, desk: Desk) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The cheapest way there, and the cheapest way home in the afternoon, from where the first one ended if one goes from there."""
    out = min(_legs(asked, desk, asked.origin, asked.city, asked.days[0]), key=_price, default=None)
    if out is None:
        raise AttemptFailedError(
            "adapter", f"nothing goes from {asked.origin} to {asked.city} on {asked.days[0]}"
        )
    legs = _legs(asked, desk, asked.city, asked.origin, asked.days[-1])
    back = [leg for leg in legs if leg["departureStation"] == out["arriveStation"]] or legs
    late = [leg for leg in back if _minute(leg["begin_time"]) >= LATE]
    home = min(late or back, key=_price, default=None)
    if home is None:
        raise AttemptFailedError(
            "adapter", f"nothing goes from {asked.city} to {asked.origin} on {asked.days[-1]}"
        )
    return out, home


def _legs(asked: _Request, desk: Desk, start: str, end: str, day: date) -> list[Mapping[str, Any]]:
    told = desk.call("getTransportation", {"startCity": start, "targetCity": end, "date": day.isoformat()})
    legs = [leg for leg in told.get("transportation", ()) if leg["begin_time"] < leg["end_time"]]
    wish = "airplane" if says_any(asked.text, ("prefer to fly",)) else None
    wish = (
        "train"
        if says_any(asked.text, ("prefer high-speed rail", "prefer the train", "prefer trains"))
        else wish
    )
    return [leg for leg in legs if leg["vehicle"] == wish] or legs


def _price(leg: Mapping[str, Any]) -> float:
    return float(leg["price_per_person"])


def _leg(leg: Mapping[str, Any], day: date) -> dict[str, Any]:
    keys = (
        "transportationID",
        "departureStation",
        "arriveStation",
        "begin_time",
        "end_time",
        "price_per_person",
    )
    return {**{key: leg[key] for key in keys}, "date": day.isoformat()}


def _travel(today: _Day, leg: Mapping[str, Any]) -> None:
    """The journey among the activities of its day."""
    name = f"{leg['transportationID']} from {leg['departureStation']} to {leg['arriveStation']}"
    today.add("inter_city_transportation", name, _minute(leg["begin_time"]), _minute(leg["end_time"]), 0)


@dataclass(frozen=True, slots=True)
class _Stay:
    """Rooms of a kind in a hotel, for all travellers."""

    hotel: str
    room: Mapping[str, Any]
    number: int

    @property
    def cost(self) -> float:
        return self.number * float(self.room["price_per_night"])


def _stay(asked: _Request, desk: Desk) -> _Stay | None:
    """The cheapest rooms, of the kind that is asked for where there is one."""
    told = desk.call("getAccommodations", {"city": asked.city})
    if is_error(told):
        return None
    found = [
        _Stay(hotel["name"], room, -(-asked.people // int(room["sleeps"])))
        for hotel in told["accommodations"]
        for room in hotel["rooms"]
    ]
    wished = [stay for stay in found if stay.room["room_type"].lower() in asked.text.lower()]
    return min(wished or found, key=lambda stay: stay.cost, default=None)


def _booked(asked: _Request, stay: _Stay) -> dict[str, Any]:
    return {
        "city": asked.city, "name": stay.hotel, "check_in": asked.days[0].isoformat(), "check_out": asked.days[-1].isoformat(),
        "price_per_night": stay.room["price_per_night"], "room_type": stay.room["room_type"], "room_number": stay.number,
        "breakfast_included": stay.room["breakfast_included"],
    }  # fmt: skip


# ------------------------------------------------------------------ days


def _by_wish(asked: _Request, found: Sequence[Mapping[str, Any]], price: str) -> list[Mapping[str, Any]]:
    """What the request names first, then what costs least; each says whether it is wished for."""
    names = set(names_of(asked.text))

    def wished(place: Mapping[str, Any]) -> bool:
        return place["name"] in asked.text or any(
            dish in names or f" {dish}" in asked.text for dish in place.get("serves", ())
        )

    marked = [{**place, WISHED: wished(place)} for place in found]
    return sorted(marked, key=lambda place: (not place[WISHED], float(place[price])))


def _fill(
    today: _Day, sights: list[Mapping[str, Any]], tables: list[Mapping[str, Any]], *, last: bool
) -> None:
    """A visit, a meal and a visit, each of a place that is open then: one that is wished for, else the nearest of the cheaper ones."""
    for visit in range(VISITS):
        _first(today, sights, "attraction", "ticket_price")
        if visit == 0:
            _first(today, tables, "meal", "price_per_person")
    if today.here not in ("hotel", "station"):
        today.go("station" if last else "hotel")


def _first(today: _Day, places: list[Mapping[str, Any]], kind: str, price: str) -> None:
    for place in _in_line(today, places):
        minutes = A_MEAL if kind == "meal" else int(place["visit_minutes"][0])
        start = today.fits(place, minutes)
        if start is not None:
            today.go(place["name"])
            today.add(kind, place["name"], start, start + minutes, place[price])
            today.here, today.at = place["name"], _where(place)
            places.remove(place)
            return


def _in_line(today: _Day, places: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Those that are wished for, then the cheaper ones from the nearest on, then the others."""
    wished = [place for place in places if place[WISHED]]
    others = [place for place in places if not place[WISHED]]
    cheap = others[: -(-len(others) // CHEAP)]
    if today.at is not None:
        here = today.at
        cheap = sorted(cheap, key=lambda place: _apart(here, _where(place)))
    return [*wished, *cheap, *others[len(cheap) :]]


def _where(place: Mapping[str, Any]) -> tuple[float, float]:
    east, _, north = str(place["location"]).partition(",")
    return float(east), float(north)


def _apart(one: tuple[float, float], other: tuple[float, float]) -> float:
    """The square of how far two places of a city are apart, up to a factor."""
    return ((one[0] - other[0]) * cos(radians(one[1]))) ** 2 + (one[1] - other[1]) ** 2


def _minute(clock: str) -> int:
    hours, _, minutes = clock.partition(":")
    return int(hours) * 60 + int(minutes)


def _clock(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"
