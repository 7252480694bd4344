"""A greedy planner of trips to a city and back.

It books the cheapest journeys and rooms. It fills the days with the requested places, then with the nearest
ones.
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
EARLIEST_RETURN = 15 * 60
"""Preferred earliest departure home, in minutes after midnight."""
RIDE_MIN = 20
"""Duration of a ride in the city, in minutes."""
TRANSFER_MIN = 60
"""Time between a journey and an activity in the city, in minutes."""
MEAL_MIN = 60
RIDE_PRICE = 5
VISITS_PER_DAY = 2
"""Maximal number of attractions per day."""
CHEAP_DIVISOR = 2
"""Divisor: with 2, only the cheaper half of the places that the request does not name is considered."""
REQUESTED = "wished"


@dataclass(frozen=True, slots=True)
class _TripRequest:
    """Values parsed from a request.

    Attributes:
        text: materials and query.
        days: days of the trip.
        people: number of travellers.
        origin: city where the trip begins.
        city: destination.
    """

    text: str
    days: tuple[date, ...]
    people: int
    origin: str
    city: str


@dataclass(slots=True)
class _Day:
    """A day that is being planned.

    Attributes:
        now: end of the activities so far, in minutes after midnight.
        until: latest end of an activity, in minutes after midnight.
        location: name of the current place, or `hotel` or `station`.
        position: degrees east and north; None at the station or hotel, whose position no tool returns.
        rows: rows of the itinerary.
    """

    day: date
    now: int
    until: int
    location: str
    position: tuple[float, float] | None = None
    rows: list[dict[str, Any]] = field(default_factory=list)

    def add(self, kind: str, name: str, start: int, end: int, price: Any, notes: str = "") -> None:
        """Append an activity to the day's rows."""
        self.rows.append(
            {
                "Date": self.day.isoformat(),
                "active_item_number": len(self.rows) + 1,
                "active_type": kind,
                "start_time": _format_clock(start),
                "end_time": _format_clock(end),
                "name": name,
                "price_per_person": price,
                "notes": notes,
            }
        )
        self.now = end

    def ride_to(self, destination: str) -> None:
        """Append a ride within the city to the day's rows."""
        self.add(
            "inner_city_transportation",
            f"{self.location} to {destination}",
            self.now,
            self.now + RIDE_MIN,
            RIDE_PRICE,
            "By public transportation.",
        )
        self.location = destination

    def start_of_stay(self, place: Mapping[str, Any], minutes: int) -> int | None:
        """Return the earliest start of `minutes` at the place after a ride there, or None if the day is too short."""
        if self.day.strftime("%A") in place.get("closed_on", ()):
            return None
        start = max(self.now + RIDE_MIN, _parse_clock(place["opens"]))
        return start if start + minutes <= min(_parse_clock(place["closes"]), self.until) else None


def plan(view: TaskView, desk: Desk) -> dict[str, Any]:
    """Plan the trip of a request.

    Raises:
        AttemptFailedError: The setting has no tools for facts, the request cannot be parsed, or there is no
            journey.
    """
    if "getTransportation" not in {tool.name for tool in view.tools}:
        raise AttemptFailedError(
            "adapter", f"the setting `{view.setting}` has no tools that return facts; the setting `facts` has"
        )
    request = _parse_request(view)
    out, home = _choose_journeys(request, desk)
    sights = desk.call("getAttractions", {"city": request.city}).get("attractions", [])
    eating = desk.call("getRestaurants", {"city": request.city}).get("restaurants", [])
    stay = _choose_stay(request, desk)
    nights = len(request.days) - 1
    rows: list[dict[str, Any]] = []
    left, restaurants = (
        _sort_by_request(request, sights, "ticket_price"),
        _sort_by_request(request, eating, "price_per_person"),
    )
    for number, day in enumerate(request.days):
        today = _Day(day, MORNING, EVENING, "hotel")
        if number == 0:
            _add_journey(today, out)
            today.now, today.location = today.now + TRANSFER_MIN, "station"
        if number == nights:
            today.until = _parse_clock(home["begin_time"]) - TRANSFER_MIN - RIDE_MIN
        _fill_day(today, left, restaurants, last=number == nights)
        if number == nights:
            _add_journey(today, home)
        rows += today.rows
    return {
        "Final Result": {
            "transportationTable": [
                _transportation_row(out, request.days[0]),
                _transportation_row(home, request.days[-1]),
            ],
            "accommodationTable": [] if stay is None or not nights else [_accommodation_row(request, stay)],
            "itineraryTable": rows,
        }
    }


def _parse_request(view: TaskView) -> _TripRequest:
    text = "\n".join([*view.materials.values(), view.query])
    days = days_of(view.query)
    cities = (
        re.search(r"[Ff]rom ([A-Z][\w' ]+?) to ([A-Z][\w' ]+?)[,.]? from\b", view.query)
        or re.search(r"[Ss]tart in ([A-Z][\w' ]+?) and want to see ([A-Z][\w' ]+?) from\b", view.query)
        or re.search(r"from ([A-Z]\w+(?: [A-Z]\w+)*) to ([A-Z]\w+(?: [A-Z]\w+)*)", view.query)
    )
    if not days or cities is None:
        raise AttemptFailedError("adapter", "the request lacks days, or the start or end of the trip")
    return _TripRequest(text, days, people_of(view.query), cities[1], cities[2])


# ------------------------------------------------------------------ journeys and rooms


def _choose_journeys(request: _TripRequest, desk: Desk) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Return the cheapest journey to the city, and the cheapest one home in the afternoon.

    The journey home starts at the station of arrival if possible.
    """
    out = min(_find_legs(request, desk, request.origin, request.city, request.days[0]), key=_leg_price, default=None)
    if out is None:
        raise AttemptFailedError(
            "adapter", f"nothing goes from {request.origin} to {request.city} on {request.days[0]}"
        )
    legs = _find_legs(request, desk, request.city, request.origin, request.days[-1])
    back = [leg for leg in legs if leg["departureStation"] == out["arriveStation"]] or legs
    late = [leg for leg in back if _parse_clock(leg["begin_time"]) >= EARLIEST_RETURN]
    home = min(late or back, key=_leg_price, default=None)
    if home is None:
        raise AttemptFailedError(
            "adapter", f"nothing goes from {request.city} to {request.origin} on {request.days[-1]}"
        )
    return out, home


def _find_legs(request: _TripRequest, desk: Desk, start: str, end: str, day: date) -> list[Mapping[str, Any]]:
    result = desk.call("getTransportation", {"startCity": start, "targetCity": end, "date": day.isoformat()})
    legs = [leg for leg in result.get("transportation", ()) if leg["begin_time"] < leg["end_time"]]
    vehicle = "airplane" if contains_any(request.text, ("prefer to fly",)) else None
    vehicle = (
        "train"
        if contains_any(request.text, ("prefer high-speed rail", "prefer the train", "prefer trains"))
        else vehicle
    )
    return [leg for leg in legs if leg["vehicle"] == vehicle] or legs


def _leg_price(leg: Mapping[str, Any]) -> float:
    return float(leg["price_per_person"])


def _transportation_row(leg: Mapping[str, Any], day: date) -> dict[str, Any]:
    keys = (
        "transportationID",
        "departureStation",
        "arriveStation",
        "begin_time",
        "end_time",
        "price_per_person",
    )
    return {**{key: leg[key] for key in keys}, "date": day.isoformat()}


def _add_journey(today: _Day, leg: Mapping[str, Any]) -> None:
    """Append a journey between cities to the day's rows."""
    name = f"{leg['transportationID']} from {leg['departureStation']} to {leg['arriveStation']}"
    today.add("inter_city_transportation", name, _parse_clock(leg["begin_time"]), _parse_clock(leg["end_time"]), 0)


@dataclass(frozen=True, slots=True)
class _Stay:
    """Rooms of one kind in a hotel, enough for all travellers. `number` is the number of rooms."""

    hotel: str
    room: Mapping[str, Any]
    number: int

    @property
    def cost(self) -> float:
        return self.number * float(self.room["price_per_night"])


def _choose_stay(request: _TripRequest, desk: Desk) -> _Stay | None:
    """Return the cheapest rooms of the requested kind, or of any kind if none is requested or offered.

    Return None if the tool returns an error.
    """
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


def _accommodation_row(request: _TripRequest, stay: _Stay) -> dict[str, Any]:
    return {
        "city": request.city,
        "name": stay.hotel,
        "check_in": request.days[0].isoformat(),
        "check_out": request.days[-1].isoformat(),
        "price_per_night": stay.room["price_per_night"],
        "room_type": stay.room["room_type"],
        "room_number": stay.number,
        "breakfast_included": stay.room["breakfast_included"],
    }


# ------------------------------------------------------------------ days


def _sort_by_request(request: _TripRequest, places: Sequence[Mapping[str, Any]], price: str) -> list[Mapping[str, Any]]:
    """Mark the requested places. Return all places, requested ones first, then by ascending price.

    `price` is the key of the price in a place's record.
    """
    names = set(names_of(request.text))

    def is_requested(place: Mapping[str, Any]) -> bool:
        return place["name"] in request.text or any(
            dish in names or f" {dish}" in request.text for dish in place.get("serves", ())
        )

    marked = [{**place, REQUESTED: is_requested(place)} for place in places]
    return sorted(marked, key=lambda place: (not place[REQUESTED], float(place[price])))


def _fill_day(
    today: _Day, sights: list[Mapping[str, Any]], restaurants: list[Mapping[str, Any]], *, last: bool
) -> None:
    """Add a visit, a meal and another visit, as far as they fit. Then add a ride: on the last day to the station.

    On other days, the ride leads to the hotel.

    Requested places come first, then the nearest of the cheaper ones.
    """
    for visit in range(VISITS_PER_DAY):
        _add_first_fitting(today, sights, "attraction", "ticket_price")
        if visit == 0:
            _add_first_fitting(today, restaurants, "meal", "price_per_person")
    if today.location not in ("hotel", "station"):
        today.ride_to("station" if last else "hotel")


def _add_first_fitting(today: _Day, places: list[Mapping[str, Any]], kind: str, price: str) -> None:
    for place in _order_candidates(today, places):
        minutes = MEAL_MIN if kind == "meal" else int(place["visit_minutes"][0])
        start = today.start_of_stay(place, minutes)
        if start is not None:
            today.ride_to(place["name"])
            today.add(kind, place["name"], start, start + minutes, place[price])
            today.location, today.position = place["name"], _position(place)
            places.remove(place)
            return


def _order_candidates(today: _Day, places: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Sort places: requested ones first, then the cheaper ones by distance, then the others."""
    requested = [place for place in places if place[REQUESTED]]
    others = [place for place in places if not place[REQUESTED]]
    cheap = others[: -(-len(others) // CHEAP_DIVISOR)]
    if today.position is not None:
        position = today.position
        cheap = sorted(cheap, key=lambda place: _squared_distance(position, _position(place)))
    return [*requested, *cheap, *others[len(cheap) :]]


def _position(place: Mapping[str, Any]) -> tuple[float, float]:
    east, _, north = str(place["location"]).partition(",")
    return float(east), float(north)


def _squared_distance(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Return the squared distance of two places of a city, up to a constant factor."""
    return ((one[0] - other[0]) * cos(radians(one[1]))) ** 2 + (one[1] - other[1]) ** 2


def _parse_clock(clock: str) -> int:
    hours, _, minutes = clock.partition(":")
    return int(hours) * 60 + int(minutes)


def _format_clock(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"
