"""Greedy planner of trips between cities. It always takes the cheapest option."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from planspec.agents.desk import Desk
from planspec.agents.failures import AttemptFailedError
from planspec.agents.requests import contains_any, days_of, names_of, parse_number, people_of
from planspec.agents.tools import is_error
from planspec.agents.view import TaskView

NOTHING = "-"
MEALS = ("breakfast", "lunch", "dinner")
CUISINES = ("Chinese", "American", "Italian", "Mexican", "Indian", "Mediterranean", "French")
RULES = {
    "No smoking": ("smok",),
    "No parties": ("part",),
    "No pets": ("pet", "dog", "cat "),
    "No children under 10": ("children",),
    "No visitors": ("visitor",),
}
"""House rules, each with words of a request that conflict with the rule."""
ROOMS = {
    "Entire home/apt": ("entire", "whole place"),
    "Private room": ("private room",),
    "Shared room": ("shared rooms are",),
}
"""Room types, each with words by which a request names the type."""
_ORIGIN = r"\b(?:from|leave|leaving|departing|depart|start in|out of|begins? in)\b[^.;]*?"


@dataclass(frozen=True, slots=True)
class _Request:
    """Facts about the requested trip, read from the conversation so far.

    Attributes:
        text: all queries of the user, joined.
        days: dates of the trip.
        people: number of travellers.
        origin: city of departure.
        city_count: number of cities to visit.
        candidates: cities to choose from, in order of preference.
    """

    text: str
    days: tuple[date, ...]
    people: int
    origin: str
    city_count: int
    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _RideOption:
    """A ride between two cities.

    Attributes:
        text: text of the ride in an answer.
        is_own_car: whether the travellers drive their own car.
        cost: cost for all travellers, in dollars.
    """

    text: str
    is_own_car: bool
    cost: float


def plan(view: TaskView, desk: Desk) -> list[dict[str, Any]]:
    """Plan the requested trip. In a conversation, all queries so far are taken into account.

    Raises:
        AttemptFailedError: the setting has no tools, or the request has no dates or no cities that the tools find. The
            message gives the reason.
    """
    if "AttractionSearch" not in {tool.name for tool in view.tools}:
        raise AttemptFailedError("adapter", f"the setting `{view.setting}` has no tools to look things up with")
    request = _read_request(view, desk)
    stops = _city_of_each_night(request)
    route = [request.origin, *dict.fromkeys(stops), request.origin]
    changes = [
        0,
        *(day for day in range(1, len(stops)) if stops[day] != stops[day - 1]),
        len(request.days) - 1,
    ]
    own_car: bool | None = None
    rides: dict[int, tuple[str, str, str]] = {}
    for day, start, end in zip(changes, route, route[1:], strict=False):
        ride = _cheapest_ride(request, desk, start, end, request.days[day], own_car)
        rides[day] = start, end, NOTHING if ride is None else ride.text
        own_car = own_car if ride is None else ride.is_own_car
    stays = {stop: _cheapest_stay(request, desk, stop, stops.count(stop)) for stop in dict.fromkeys(stops)}
    meals, sights = _MealChooser(request, desk), _SightChooser(desk)
    days = []
    for index in range(len(request.days)):
        city = stops[index] if index < len(stops) else stops[-1]
        ride_ends = rides.get(index)
        meals_of_day = dict.fromkeys(MEALS, NOTHING) if ride_ends else meals.for_day(city)
        days.append(
            {
                "days": index + 1,
                "current_city": f"from {ride_ends[0]} to {ride_ends[1]}" if ride_ends else city,
                "transportation": ride_ends[2] if ride_ends else NOTHING,
                **meals_of_day,
                "attraction": NOTHING if ride_ends else sights.next_sight(city),
                "accommodation": stays[city] if index < len(stops) else NOTHING,
            }
        )
    return days


# ------------------------------------------------------------------ the request


def _read_request(view: TaskView, desk: Desk) -> _Request:
    """Read the request from the conversation. Search results decide whether a name is a city or a state."""
    queries = [query for query, _ in view.earlier] + [view.query]
    text = "\n".join(queries)
    days = next((named for query in reversed(queries) if (named := days_of(query))), ())
    if not days:
        raise AttemptFailedError("adapter", "the request names no days")
    cities: list[str] = []
    states: list[tuple[str, list[str]]] = []
    for name in names_of(text):
        if is_error(desk.call("AttractionSearch", {"city": name})):
            answer = desk.call("CitySearch", {"state": name})
            if not is_error(answer):
                states.append((name, answer["cities"]))
        else:
            cities.append(name)
    origin = next((name for name in cities if re.search(_ORIGIN + re.escape(name), text)), None)
    origin = origin or (cities[0] if cities else None)
    if origin is None:
        raise AttemptFailedError("adapter", "the request names no city that the searches know")
    city_count = re.search(r"(\d+|two|three) (?:other |different )?cities", text)
    candidates = [name for name in cities if name != origin]
    candidates = candidates or [name for _, inside in states for name in inside if name != origin]
    if not candidates:
        raise AttemptFailedError("adapter", "the request names no place to go that the searches know")
    people = next((count for query in reversed(queries) if (count := people_of(query)) > 1), 1)
    return _Request(
        text,
        days,
        people,
        origin,
        1 if city_count is None else parse_number(city_count[1]),
        tuple(candidates),
    )


def _city_of_each_night(request: _Request) -> list[str]:
    """Return the city in which each night is spent. Nights are divided evenly among the preferred cities."""
    nights = max(1, len(request.days) - 1)
    cities = request.candidates[: request.city_count]
    each = max(1, nights // len(cities))
    return [cities[min(night // each, len(cities) - 1)] for night in range(nights)]


# ------------------------------------------------------------------ rides


def _cheapest_ride(
    request: _Request, desk: Desk, start: str, end: str, day: date, own_car: bool | None
) -> _RideOption | None:
    """Return the cheapest ride, or None if there is none.

    `own_car` is True to require the travellers' own car, False to exclude it, and None to allow both.
    """
    return min(
        (
            ride
            for ride in _ride_options(request, desk, start, end, day)
            if own_car is None or ride.is_own_car is own_car
        ),
        key=lambda ride: ride.cost,
        default=None,
    )


def _ride_options(request: _Request, desk: Desk, start: str, end: str, day: date) -> Iterator[_RideOption]:
    text, people = request.text, request.people
    if not contains_any(text, ("not fly", "no flight", "n't fly")):
        result = desk.call("FlightSearch", {"departure_city": start, "destination_city": end, "date": day.isoformat()})
        for flight in result.get("flights", ()):
            yield _RideOption(
                f"Flight Number: {flight['flight_number']}, from {start} to {end}, Departure Time: "
                f"{flight['departure_time']}, Arrival Time: {flight['arrival_time']}",
                False,
                people * float(flight["price_per_person"]),
            )
    cars = [("taxi", "Taxi")]
    if not contains_any(text, ("not drive", "nobody of us drives", "no self-driving", "not self-driv", "n't drive")):
        cars.append(("self-driving", "Self-driving"))
    for mode, label in cars:
        result = desk.call("GoogleDistanceMatrix", {"origin": start, "destination": end, "mode": mode})
        if not is_error(result) and result.get("cost_per_car") is not None:
            count = -(-people // int(result["people_per_car"]))
            yield _RideOption(
                f"{label}, from {start} to {end}",
                mode == "self-driving",
                count * float(result["cost_per_car"]),
            )


# ------------------------------------------------------------------ rooms, meals, sights


def _cheapest_stay(request: _Request, desk: Desk, city: str, nights: int) -> str:
    """Return the name of the cheapest accommodation that meets the request, or a dash."""
    result = desk.call("AccommodationSearch", {"city": city})
    fitting = [room for room in result.get("accommodations", ()) if _meets_request(request, room, nights)]
    best = min(fitting, key=lambda room: _room_count(request, room) * float(room["price_per_night"]), default=None)
    return NOTHING if best is None else str(best["name"])


def _meets_request(request: _Request, room: Mapping[str, Any], nights: int) -> bool:
    text = request.text.lower()
    kinds = [kind for kind, words in ROOMS.items() if contains_any(text, words)]
    if contains_any(text, ("no shared room", "not shared")):
        kinds = [kind for kind in ROOMS if kind != "Shared room"]
    rules = [rule for rule, words in RULES.items() if contains_any(text, words)]
    return (
        int(room["minimum_nights"]) <= nights
        and (not kinds or room["room_type"] in kinds)
        and not set(rules) & set(room["house_rules"])
    )


def _room_count(request: _Request, room: Mapping[str, Any]) -> int:
    return -(-request.people // int(room["maximum_occupancy"]))


class _MealChooser:
    """Chooser of restaurants, each used once. It prefers requested cuisines not yet eaten, then low prices."""

    def __init__(self, request: _Request, desk: Desk) -> None:
        self._desk = desk
        self._left: dict[str, list[Mapping[str, Any]]] = {}
        self._cuisines_left = {cuisine for cuisine in CUISINES if re.search(rf"\b{cuisine}\b", request.text)}

    def for_day(self, city: str) -> dict[str, str]:
        """Return a restaurant in a city for each meal of a day, or a dash if none is left."""
        if city not in self._left:
            self._left[city] = list(self._desk.call("RestaurantSearch", {"city": city}).get("restaurants", ()))
        return {meal: self._next_restaurant(self._left[city]) for meal in MEALS}

    def _next_restaurant(self, left: list[Mapping[str, Any]]) -> str:
        if not left:
            return NOTHING
        best = min(
            left,
            key=lambda one: (not self._cuisines_left & set(one["cuisines"]), float(one["price_per_person"])),
        )
        left.remove(best)
        self._cuisines_left -= set(best["cuisines"])
        return str(best["name"])


class _SightChooser:
    """Chooser of attractions, each used once, in the order of the search results."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._left: dict[str, Iterator[str]] = {}

    def next_sight(self, city: str) -> str:
        """Return the next attraction of a city, or a dash if none is left."""
        if city not in self._left:
            attractions: Sequence[Mapping[str, Any]] = self._desk.call("AttractionSearch", {"city": city}).get(
                "attractions", ()
            )
            self._left[city] = iter(_names(attractions))
        name = next(self._left[city], None)
        return NOTHING if name is None else f"{name};"


def _names(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    return [str(one["name"]) for one in rows]
