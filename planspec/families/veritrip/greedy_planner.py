"""A greedy planner of return trips to a city.

It takes the cheapest journeys and rooms, and fills the days with the requested places, then with the
nearest ones.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from math import cos, radians
from typing import Any

from planspec.agents.desk import Desk
from planspec.agents.failures import AttemptFailedError
from planspec.agents.requests import contains_any, days_of, names_of, people_of
from planspec.agents.tools import is_error
from planspec.agents.view import TaskView

MORNING, EVENING = 9 * 60, 21 * 60
LATE = 15 * 60
"""Earliest departure home that leaves time for the city, in minutes after midnight."""
RIDE = 20
"""Minutes of a ride in the city."""
AT_STATION = 60
"""Minutes between a journey and an activity in the city."""
A_MEAL = 60
RIDE_PRICE = 5
VISITS = 2
"""Maximal number of attractions per day."""
CHEAP = 2
"""Fraction of the places that were not requested: one in so many, the cheapest, is considered."""
WISHED = "wished"


@dataclass(frozen=True, slots=True)
class _TripRequest:
    """Values parsed from the request."""

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
        until: end of the last activity, in minutes after midnight.
        at: position in degrees east and north; None at the station or hotel, whose position no tool returns.
    """

    day: date
    now: int
    until: int
    here: str
    at: tuple[float, float] | None = None
    rows: list[dict[str, Any]] = field(default_factory=list)

    def add(self, kind: str, name: str, start: int, end: int, price: Any, notes: str = "") -> None:
        """Append an activity."""
        self.rows.append({
            "Date": self.day.isoformat(), "active_item_number": len(self.rows) + 1, "active_type": kind,
            "start_time": _clock(start), "end_time": _clock(end), "name": name, "price_per_person": price, "notes": notes,
        })  # fmt: skip
        self.now = end

    def go(self, destination: str) -> None:
        """Append a ride."""
        self.add(
            "inner_city_transportation", f"{self.here} to {destination}", self.now, self.now + RIDE, RIDE_PRICE,
            "By public transportation.",
        )  # fmt: skip
        self.here = destination

    def fits(self, place: Mapping[str, Any], minutes: int) -> int | None:
        """Return the start of a stay of some minutes after a ride; None if the place is closed by then."""
        if self.day.strftime("%A") in place.get("closed_on", ()):
            return None
        start = max(self.now + RIDE, _minute(place["opens"]))
        return start if start + minutes <= min(_minute(place["closes"]), self.until) else None


def plan(view: TaskView, desk: Desk) -> dict[str, Any]:
    """Plan the trip of a request.

    Raises:
        AttemptFailedError: The setting has no tools for facts, or the request is not understood or cannot
            be met.
    """
    if "getTransportation" not in {tool.name for tool in view.tools}:
        raise AttemptFailedError(
            "adapter", f"the setting `{view.setting}` has no tools that tell facts; `facts` has"
        )
    request = _read(view)
    out, home = _journeys(request, desk)
    sights = desk.call("getAttractions", {"city": request.city}).get("attractions", [])
    eating = desk.call("getRestaurants", {"city": request.city}).get("restaurants", [])
    stay = _stay(request, desk)
    nights = len(request.days) - 1
    rows: list[dict[str, Any]] = []
    left, tables = _by_wish(request, sights, "ticket_price"), _by_wish(request, eating, "price_per_person")
    for number, day in enumerate(request.days):
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
        "transportationTable": [_leg(out, request.days[0]), _leg(home, request.days[-1])],
        "accommodationTable": [] if stay is None or not nights else [_booked(request, stay)],
        "itineraryTable": rows,
    }}  # fmt: skip


def _read(view: TaskView) -> _TripRequest:
    text = "\n".join([*view.materials.values(), view.query])
    days = days_of(view.query)
    cities = re.search(r"[Ff]rom ([A-Z][\w' ]+?) to ([A-Z][\w' ]+?)[,.]? from\b", view.query) or re.search(
        r"[Ss]tart in ([A-Z][\w' ]+?) and want to see ([A-Z][\w' ]+?) from\b", view.query
    ) or re.search(r"from ([A-Z]\w+(?: [A-Z]\w+)*) to ([A-Z]\w+(?: [A-Z]\w+)*)", view.query)  # fmt: skip
    if not days or cities is None:
        raise AttemptFailedError("adapter", "the request names no days, or does not say from where to where")
    return _TripRequest(text, days, people_of(view.query), cities[1], cities[2])


# ------------------------------------------------------------------ journeys and rooms


def _journeys(request: _TripRequest, desk: Desk) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Return the cheapest journey there, and the cheapest one home in the afternoon.

    The journey home starts at the station of arrival if there is one from there.
    """
    out = min(_legs(request, desk, request.origin, request.city, request.days[0]), key=_price, default=None)
    if out is None:
        raise AttemptFailedError(
            "adapter", f"nothing goes from {request.origin} to {request.city} on {request.days[0]}"
        )
    legs = _legs(request, desk, request.city, request.origin, request.days[-1])
    back = [leg for leg in legs if leg["departureStation"] == out["arriveStation"]] or legs
    late = [leg for leg in back if _minute(leg["begin_time"]) >= LATE]
    home = min(late or back, key=_price, default=None)
    if home is None:
        raise AttemptFailedError(
            "adapter", f"nothing goes from {request.city} to {request.origin} on {request.days[-1]}"
        )
    return out, home


def _legs(request: _TripRequest, desk: Desk, start: str, end: str, day: date) -> list[Mapping[str, Any]]:
    result = desk.call("getTransportation", {"startCity": start, "targetCity": end, "date": day.isoformat()})
    legs = [leg for leg in result.get("transportation", ()) if leg["begin_time"] < leg["end_time"]]
    vehicle = "airplane" if contains_any(request.text, ("prefer to fly",)) else None
    vehicle = (
        "train"
        if contains_any(request.text, ("prefer high-speed rail", "prefer the train", "prefer trains"))
        else vehicle
    )
    return [leg for leg in legs if leg["vehicle"] == vehicle] or legs


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
    """Append the journey to the activities of its day."""
    name = f"{leg['transportationID']} from {leg['departureStation']} to {leg['arriveStation']}"
    today.add("inter_city_transportation", name, _minute(leg["begin_time"]), _minute(leg["end_time"]), 0)


@dataclass(frozen=True, slots=True)
class _Stay:
    """Rooms of one kind in a hotel, for all travellers."""

    hotel: str
    room: Mapping[str, Any]
    number: int

    @property
    def cost(self) -> float:
        return self.number * float(self.room["price_per_night"])


def _stay(request: _TripRequest, desk: Desk) -> _Stay | None:
    """Return the cheapest rooms, of the requested kind if it exists."""
    result = desk.call("getAccommodations", {"city": request.city})
    if is_error(result):
        return None
    stays = [
        _Stay(hotel["name"], room, -(-request.people // int(room["sleeps"])))
        for hotel in result["accommodations"]
        for room in hotel["rooms"]
    ]
    requested = [stay for stay in stays if stay.room["room_type"].lower() in request.text.lower()]
    return min(requested or stays, key=lambda stay: stay.cost, default=None)


def _booked(request: _TripRequest, stay: _Stay) -> dict[str, Any]:
    return {
        "city": request.city, "name": stay.hotel, "check_in": request.days[0].isoformat(), "check_out": request.days[-1].isoformat(),
        "price_per_night": stay.room["price_per_night"], "room_type": stay.room["room_type"], "room_number": stay.number,
        "breakfast_included": stay.room["breakfast_included"],
    }  # fmt: skip


# ------------------------------------------------------------------ days


def _by_wish(
    request: _TripRequest, places: Sequence[Mapping[str, Any]], price: str
) -> list[Mapping[str, Any]]:
    """Sort the places by request, then by price, and mark the requested ones."""
    names = set(names_of(request.text))

    def is_requested(place: Mapping[str, Any]) -> bool:
        return place["name"] in request.text or any(
            dish in names or f" {dish}" in request.text for dish in place.get("serves", ())
        )

    marked = [{**place, WISHED: is_requested(place)} for place in places]
    return sorted(marked, key=lambda place: (not place[WISHED], float(place[price])))


def _fill(
    today: _Day, sights: list[Mapping[str, Any]], tables: list[Mapping[str, Any]], *, last: bool
) -> None:
    """Add a visit, a meal and a visit of places that are open then.

    A requested place comes first, then the nearest of the cheaper ones.
    """
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
    """Sort the places: requested ones, then the cheaper ones by distance, then the others."""
    requested = [place for place in places if place[WISHED]]
    others = [place for place in places if not place[WISHED]]
    cheap = others[: -(-len(others) // CHEAP)]
    if today.at is not None:
        position = today.at
        cheap = sorted(cheap, key=lambda place: _apart(position, _where(place)))
    return [*requested, *cheap, *others[len(cheap) :]]


def _where(place: Mapping[str, Any]) -> tuple[float, float]:
    east, _, north = str(place["location"]).partition(",")
    return float(east), float(north)


def _apart(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Return the squared distance of two places of a city, up to a factor."""
    return ((one[0] - other[0]) * cos(radians(one[1]))) ** 2 + (one[1] - other[1]) ** 2


def _minute(clock: str) -> int:
    hours, _, minutes = clock.partition(":")
    return int(hours) * 60 + int(minutes)


def _clock(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"
