"""A greedy planner of trips from city to city: it searches for what the request names, and takes the cheapest each time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from planspec.agents.desk import Desk
from planspec.agents.failures import AttemptFailedError
from planspec.agents.requests import days_of, names_of, number, people_of, says_any
from planspec.agents.tools import is_error
from planspec.agents.view import TaskView

NOTHING = "-"
MEALS = ("breakfast", "lunch", "dinner")
CUISINES = ("Chinese", "American", "Italian", "Mexican", "Indian", "Mediterranean", "French")
RULES = {
    "No smoking": ("smok",), "No parties": ("part",), "No pets": ("pet", "dog", "cat "),
    "No children under 10": ("children",), "No visitors": ("visitor",),
}  # fmt: skip
"""By each house rule the words that say that somebody would break it."""
ROOMS = {
    "Entire home/apt": ("entire", "whole place"),
    "Private room": ("private room",),
    "Shared room": ("shared rooms are",),
}
"""By each type of rooms the words that ask for it."""
_ORIGIN = r"\b(?:from|leave|leaving|departing|depart|start in|out of|begins? in)\b[^.;]*?"


@dataclass(frozen=True, slots=True)
class _Request:
    """What is read in the conversation so far.

    Attributes:
        cities: how many are to be visited.
        candidates: the cities to choose them from, in order.
    """

    text: str
    days: tuple[date, ...]
    people: int
    origin: str
    cities: int
    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Ride:
    """A way between two cities, as an answer says it.

    Attributes:
        own: by one's own car.
        cost: for all travellers.
    """

    says: str
    own: bool
    cost: float


def plan(view: TaskView, desk: Desk) -> list[dict[str, Any]]:
    """The trip of a request; of a conversation the one that all that was said so far asks for.

    Raises:
        AttemptFailedError: there are no tools, or the request names no days or cities that they know; the text says which.
    """
    if "AttractionSearch" not in {tool.name for tool in view.tools}:
        raise AttemptFailedError(
            "adapter", f"the setting `{view.setting}` has no tools to look things up with"
        )
    asked = _read(view, desk)
    stops = _stops(asked)
    route = [asked.origin, *dict.fromkeys(stops), asked.origin]
    changes = [0, *(day for day in range(1, len(stops)) if stops[day] != stops[day - 1]), len(asked.days) - 1]
    own: bool | None = None
    rides: dict[int, tuple[str, str, str]] = {}
    for day, start, end in zip(changes, route, route[1:], strict=False):
        ride = _ride(asked, desk, start, end, asked.days[day], own)
        rides[day] = start, end, NOTHING if ride is None else ride.says
        own = own if ride is None else ride.own
    stays = {city: _stay(asked, desk, city, stops.count(city)) for city in dict.fromkeys(stops)}
    meals, sights = _Meals(asked, desk), _Sights(desk)
    made = []
    for place in range(len(asked.days)):
        here = stops[place] if place < len(stops) else stops[-1]
        there = rides.get(place)
        fed = dict.fromkeys(MEALS, NOTHING) if there else meals.of(here)
        made.append({
            "days": place + 1, "current_city": f"from {there[0]} to {there[1]}" if there else here,
            "transportation": there[2] if there else NOTHING, **fed,
            "attraction": NOTHING if there else sights.next(here),
            "accommodation": stays[here] if place < len(stops) else NOTHING,
        })  # fmt: skip
    return made


# ------------------------------------------------------------------ the request


def _read(view: TaskView, desk: Desk) -> _Request:
    """What the conversation asks for; whether a name is one of a city or of a state, the searches tell."""
    said = [query for query, _ in view.earlier] + [view.query]
    text = "\n".join(said)
    days = next((named for query in reversed(said) if (named := days_of(query))), ())
    if not days:
        raise AttemptFailedError("adapter", "the request names no days")
    cities: list[str] = []
    states: list[tuple[str, list[str]]] = []
    for name in names_of(text):
        if is_error(desk.call("AttractionSearch", {"city": name})):
            found = desk.call("CitySearch", {"state": name})
            if not is_error(found):
                states.append((name, found["cities"]))
        else:
            cities.append(name)
    origin = next((name for name in cities if re.search(_ORIGIN + re.escape(name), text)), None)
    origin = origin or (cities[0] if cities else None)
    if origin is None:
        raise AttemptFailedError("adapter", "the request names no city that the searches know")
    wanted = re.search(r"(\d+|two|three) (?:other |different )?cities", text)
    candidates = [name for name in cities if name != origin]
    candidates = candidates or [name for _, inside in states for name in inside if name != origin]
    if not candidates:
        raise AttemptFailedError("adapter", "the request names no place to go that the searches know")
    people = next((count for query in reversed(said) if (count := people_of(query)) > 1), 1)
    return _Request(text, days, people, origin, 1 if wanted is None else number(wanted[1]), tuple(candidates))


def _stops(asked: _Request) -> list[str]:
    """The city of each night."""
    nights = max(1, len(asked.days) - 1)
    cities = asked.candidates[: asked.cities]
    each = max(1, nights // len(cities))
    return [cities[min(night // each, len(cities) - 1)] for night in range(nights)]


# ------------------------------------------------------------------ rides


def _ride(asked: _Request, desk: Desk, start: str, end: str, day: date, own: bool | None) -> _Ride | None:
    """The cheapest ride, by one's own car or by none where `own` says so; None where no search finds one."""
    return min(
        (ride for ride in _rides(asked, desk, start, end, day) if own is None or ride.own is own),
        key=lambda ride: ride.cost,
        default=None,
    )


def _rides(asked: _Request, desk: Desk, start: str, end: str, day: date) -> Iterator[_Ride]:
    text, people = asked.text, asked.people
    if not says_any(text, ("not fly", "no flight", "n't fly")):
        told = desk.call(
            "FlightSearch", {"departure_city": start, "destination_city": end, "date": day.isoformat()}
        )
        for flight in told.get("flights", ()):
            yield _Ride(
                f"Flight Number: {flight['flight_number']}, from {start} to {end}, Departure Time: "
                f"{flight['departure_time']}, Arrival Time: {flight['arrival_time']}",
                False, people * float(flight["price_per_person"]),
            )  # fmt: skip
    cars = [("taxi", "Taxi")]
    if not says_any(
        text, ("not drive", "nobody of us drives", "no self-driving", "not self-driv", "n't drive")
    ):
        cars.append(("self-driving", "Self-driving"))
    for mode, says in cars:
        told = desk.call("GoogleDistanceMatrix", {"origin": start, "destination": end, "mode": mode})
        if not is_error(told) and told.get("cost_per_car") is not None:
            count = -(-people // int(told["people_per_car"]))
            yield _Ride(
                f"{says}, from {start} to {end}", mode == "self-driving", count * float(told["cost_per_car"])
            )


# ------------------------------------------------------------------ rooms, meals, sights


def _stay(asked: _Request, desk: Desk, city: str, nights: int) -> str:
    """The cheapest place to stay that is as it is asked for."""
    told = desk.call("AccommodationSearch", {"city": city})
    fitting = [room for room in told.get("accommodations", ()) if _fits(asked, room, nights)]
    best = min(fitting, key=lambda room: _rooms(asked, room) * float(room["price_per_night"]), default=None)
    return NOTHING if best is None else str(best["name"])


def _fits(asked: _Request, room: Mapping[str, Any], nights: int) -> bool:
    text = asked.text.lower()
    kinds = [kind for kind, words in ROOMS.items() if says_any(text, words)]
    if says_any(text, ("no shared room", "not shared")):
        kinds = [kind for kind in ROOMS if kind != "Shared room"]
    rules = [rule for rule, words in RULES.items() if says_any(text, words)]
    return (
        int(room["minimum_nights"]) <= nights
        and (not kinds or room["room_type"] in kinds)
        and not set(rules) & set(room["house_rules"])
    )


def _rooms(asked: _Request, room: Mapping[str, Any]) -> int:
    return -(-asked.people // int(room["maximum_occupancy"]))


class _Meals:
    """Restaurants, each once: those with a cuisine that is asked for and was not eaten first, the cheapest of them."""

    def __init__(self, asked: _Request, desk: Desk) -> None:
        self._desk = desk
        self._left: dict[str, list[Mapping[str, Any]]] = {}
        self._wanted = {cuisine for cuisine in CUISINES if re.search(rf"\b{cuisine}\b", asked.text)}

    def of(self, city: str) -> dict[str, str]:
        """The meals of a day in a city."""
        if city not in self._left:
            self._left[city] = list(
                self._desk.call("RestaurantSearch", {"city": city}).get("restaurants", ())
            )
        return {meal: self._next(self._left[city]) for meal in MEALS}

    def _next(self, left: list[Mapping[str, Any]]) -> str:
        if not left:
            return NOTHING
        best = min(
            left, key=lambda one: (not self._wanted & set(one["cuisines"]), float(one["price_per_person"]))
        )
        left.remove(best)
        self._wanted -= set(best["cuisines"])
        return str(best["name"])


class _Sights:
    """Attractions, each once, in the order in which they are found."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._left: dict[str, Iterator[str]] = {}

    def next(self, city: str) -> str:
        """One more of a city."""
        if city not in self._left:
            found: Sequence[Mapping[str, Any]] = self._desk.call("AttractionSearch", {"city": city}).get(
                "attractions", ()
            )
            self._left[city] = iter(_names(found))
        name = next(self._left[city], None)
        return NOTHING if name is None else f"{name};"


def _names(found: Iterable[Mapping[str, Any]]) -> list[str]:
    return [str(one["name"]) for one in found]
