"""A greedy planner of trips in a city: it reads the guides of what is named, and always goes to the visit that is over soonest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from planspec.agents.desk import Desk
from planspec.agents.failures import Failed
from planspec.agents.requests import (
    children_of,
    clause_of,
    days_of,
    names_of,
    people_of,
    says_any,
    words_of,
)
from planspec.agents.tools import is_error
from planspec.agents.view import TaskView

OUT = 8 * 60
"""When the hotel is left, in minutes after midnight, if nothing else is said."""
HOME = 22 * 60
"""When the day is over."""
FAR = 30
"""Minutes that are walked at most, where there is another way."""
GUESS = 20
"""Minutes of a ride, as long as nobody asked."""
STYLES = {
    "brief": ("short visit", "quick look", "short time"), "deep": ("in depth",), "standard": ("ordinary pace",),
}  # fmt: skip
"""How people say how long they want to stay."""
STARS = {"three-star": 3, "three stars": 3, "four stars": 4, "four-star": 4, "five-star": 5, "five stars": 5}
_COMMON = frozenset({"the", "das", "der", "die", "zur", "hotel", "museum", "day"})
"""Words that tell no place from another, beside the city's name and short ones."""


@dataclass(frozen=True, slots=True)
class _Party:
    """Who travels.

    Attributes:
        kind: `adults`, `family` or `seniors`: whose figures of the guide hold.
    """

    adults: int
    children: int
    kind: str

    @property
    def size(self) -> int:
        return self.adults + self.children


@dataclass(frozen=True, slots=True)
class _Place:
    """A place that the request names, with its guide.

    Attributes:
        item: `attraction` or `restaurant`.
        minutes: that a visit takes at least.
        before: minutes that one has to be there before it begins.
        at: when the request says that the visit begins, in minutes after midnight.
        meal: what a meal costs for each; None of an attraction.
    """

    name: str
    item: str
    minutes: int
    before: int
    at: int | None
    meal: float | None


@dataclass(frozen=True, slots=True)
class _Visit:
    """A visit as it could be made next, with the ride to it."""

    place: _Place
    ride: Mapping[str, Any]
    start: int
    cost: float


@dataclass(slots=True)
class _Trip:
    """The trip so far: what is asked of the tools is asked once.

    Attributes:
        out: when the hotel is left, in minutes after midnight.
    """

    desk: Desk
    party: _Party
    out: int
    ways: dict[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)
    offers: dict[tuple[str, date], Mapping[str, Any]] = field(default_factory=dict)

    def way(self, start: str, end: str) -> Mapping[str, Any]:
        """On foot where it is not far, else the quickest way."""
        if (start, end) not in self.ways:
            told = self.desk.call("get_route_info", {"origin": start, "destination": end})
            self.ways[start, end] = _taken(told.get("ways", ()))
            self.ways[end, start] = _taken(told.get("ways_back", ()))
        return self.ways[start, end]

    def offer(self, place: _Place, day: date) -> Mapping[str, Any]:
        """What can be booked at a place on a day."""
        if (place.name, day) not in self.offers:
            tool, what = (
                ("get_attraction_ticket_availability", "attraction")
                if place.item == "attraction"
                else ("get_restaurant_reservation_availability", "restaurant")
            )
            told = self.desk.call(tool, {what: place.name, "date": day.isoformat()})
            self.offers[place.name, day] = told
        return self.offers[place.name, day]


def plan(view: TaskView, desk: Desk) -> dict[str, Any]:
    """The trip of a request.

    Raises:
        Failed: the request names no days, or no city that the tools know; the text says which.
    """
    if "get_route_info" not in {tool.name for tool in view.tools}:
        raise Failed("adapter", f"the setting `{view.setting}` has no tools to look things up with")
    days = days_of(view.query)
    if not days:
        raise Failed("adapter", "the request names no days")
    people, children = people_of(view.query), children_of(view.query)
    old = says_any(view.query, ("over seventy", "seniors", "retired"))
    party = _Party(people - children, children, "family" if children else "seniors" if old else "adults")
    out = re.search(r"\bno earlier than (\d{1,2}:\d{2})\b", view.query)
    trip = _Trip(desk, party, OUT if out is None else _minute(out[1]))
    city, listed = _city(view, desk)
    named = list(_named(view, city, listed, "attraction"))
    eaten = desk.call("get_restaurant_list", {"city": city}).get("restaurants", [])
    named += _named(view, city, eaten, "restaurant")
    places = [place for item, name in named if (place := _place(view, trip, city, item, name)) is not None]
    hotel = _hotel(view, city, desk.call("get_hotel_list", {"city": city}).get("hotels", []))
    if hotel is None:
        raise Failed("adapter", f"no hotel of {city} is as it is asked for")
    rooms = -(-trip.party.size // int(hotel["room_sleeps"]))
    stay = rooms * float(hotel["price_per_room_and_night"]) * max(1, len(days) - 1)
    itinerary = []
    for number, day in enumerate(days):
        share = -(
            -len(places) // (len(days) - number)
        )  # as many as the days that are left leave for this one
        schedule, places = _day(trip, day, str(hotel["name"]), places, share, 0.0 if number else stay)
        itinerary.append({"date": f"{day.month}.{day.day}", "schedule": schedule})
    return {"itinerary": itinerary}


def _city(view: TaskView, desk: Desk) -> tuple[str, Sequence[Mapping[str, Any]]]:
    for name in names_of(view.query):
        listed = desk.call("get_attraction_list", {"city": name})
        if not is_error(listed):
            return name, listed["attractions"]
    raise Failed("adapter", "the request names no city that the tools know")


def _own(name: str, city: str) -> set[str]:
    """The words by which a name is known."""
    return {word for word in words_of(name) - words_of(city) - _COMMON if len(word) > 2}


def _named(
    view: TaskView, city: str, listed: Iterable[Mapping[str, Any]], item: str
) -> Iterator[tuple[str, str]]:
    """The places of a list of which the request says a word that is their own."""
    said = words_of(view.query)
    for place in listed:
        if said & _own(place["name"], city):
            yield item, place["name"]


def _place(view: TaskView, trip: _Trip, city: str, item: str, name: str) -> _Place | None:
    tool = "get_guide_details" if item == "attraction" else "get_restaurant_guide_detail"
    told = trip.desk.call(tool, {item: name})
    if is_error(told):
        return None
    clause = clause_of(view.query, _own(name, city))
    lengths = told["length_of_visit"]
    figures = lengths.get(_style(clause) or _style(view.query) or "standard") or next(iter(lengths.values()))
    least = (figures.get(trip.party.kind) or figures["adults"])["least_min"]
    own = "|".join(map(re.escape, sorted(_own(name, city))))
    at = re.search(rf"\b(?:{own})\b[^;.]{{0,50}}?\bat (\d{{1,2}}:\d{{2}})\b", view.query, re.IGNORECASE)
    meal: float | None = None
    if item == "restaurant":
        menu = told.get("menu_per_person", {})
        meal = menu.get("set_menu") if says_any(clause, ("set menu",)) else None
        meal = menu.get("a_la_carte", 0) if meal is None else meal
    return _Place(
        name, item, least, told["be_there_before_the_start_min"], None if at is None else _minute(at[1]), meal
    )


def _style(text: str) -> str | None:
    """How long one wants to stay, where it is said."""
    return next((style for style, phrases in STYLES.items() if says_any(text, phrases)), None)


def _hotel(view: TaskView, city: str, hotels: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The cheapest of those that are as the request says; of all where none is."""
    asked = next((stars for said, stars in STARS.items() if said in view.query.lower()), 0)
    fed = says_any(view.query, ("breakfast",))
    said = words_of(view.query)
    areas = {area for hotel in hotels if (area := hotel["area"].lower()) in said}
    fitting = [
        hotel
        for hotel in hotels
        if hotel["stars"] >= asked
        and (hotel["breakfast"] or not fed)
        and (not areas or hotel["area"].lower() in areas)
    ]
    named = [hotel for hotel in fitting if said & (_own(hotel["name"], city) - areas)]
    return min(
        named or fitting or hotels, key=lambda hotel: float(hotel["price_per_room_and_night"]), default=None
    )


def _day(
    trip: _Trip, day: date, hotel: str, places: Sequence[_Place], most: int, stay: float
) -> tuple[list[dict[str, Any]], list[_Place]]:
    """A day's items, and the places that are left; it always goes where it can be soonest."""
    now, here, left = trip.out, hotel, list(places)
    items = [_item("hotel", now, now, hotel, hotel, stay)]
    while left and len(places) - len(left) < most:
        taken = next(_visits(trip, day, here, now, left), None)
        if taken is None:
            break
        place = taken.place
        items.append(_ride(now, here, place.name, taken.ride, trip.party.size))
        now, here = taken.start + place.minutes, place.name
        items.append(_item(place.item, taken.start, now, here, here, taken.cost))
        left.remove(place)
    if here != hotel:
        way = trip.way(here, hotel)
        items.append(_ride(now, here, hotel, way, trip.party.size))
        now += _minutes(way)
    items.append(_item("hotel", now, now, hotel, hotel, 0.0))
    return items, left


def _visits(trip: _Trip, day: date, here: str, now: int, places: Iterable[_Place]) -> Iterator[_Visit]:
    """The next visits that are possible, those first that seem to be over first; the way is asked only of those that are."""
    guessed = [
        (start + place.minutes, number, place)
        for number, place in enumerate(places)
        if (start := _start(trip, day, place, now + GUESS)) is not None
    ]
    for _, _, place in sorted(guessed, key=lambda guess: guess[:2]):
        way = trip.way(here, place.name)
        start = _start(trip, day, place, now + _minutes(way))
        if start is not None:
            yield _Visit(place, way, start, _price(trip.offer(place, day), place, trip.party))


def _start(trip: _Trip, day: date, place: _Place, there: int) -> int | None:
    """The first start of a visit on a day by who is there at a time; None where there is none."""
    told = trip.offer(place, day)
    ready = max(there + place.before, place.at or 0)
    if told.get("booking") == "required":
        starts = (
            _minute(start["time"])
            for start in told.get("starts", ())
            if start["status"] == "available" and start["places_left"] >= trip.party.size
        )
        first = min((start for start in starts if start >= ready), default=None)
    else:
        hours = [tuple(map(_minute, span.split("-"))) for span in told.get("opening_hours", ())]
        first = min(
            (max(ready, opens) for opens, closes in hours if max(ready, opens) + place.minutes <= closes),
            default=None,
        )
    return None if first is None or first + place.minutes > HOME else first


def _price(told: Mapping[str, Any], place: _Place, party: _Party) -> float:
    if place.meal is not None:
        return place.meal * party.size
    prices = told.get("tickets") or {}
    adult = float(prices.get("adult") or 0)
    senior = prices.get("senior") if party.kind == "seniors" else None
    child = prices.get("child")
    single = party.adults * (adult if senior is None else float(senior))
    single += party.children * (adult if child is None else float(child))
    family = told.get("family_pass") or {}
    covers = family.get("adults", 0) >= party.adults and family.get("children", 0) >= party.children
    return min(single, float(family["price"])) if covers and "price" in family else single


def _taken(ways: Iterable[Mapping[str, Any]]) -> Mapping[str, Any]:
    """On foot where it is not far, else the quickest way; none where no way is told."""
    known = list(ways)
    near = [way for way in known if way["mode"] == "foot" and _minutes(way) <= FAR]
    return min(near or known, key=_minutes, default={})


def _minutes(way: Mapping[str, Any]) -> int:
    told = way.get("minutes")
    return 10 if told is None else int(told)


def _ride(now: int, here: str, there: str, way: Mapping[str, Any], people: int) -> dict[str, Any]:
    each = people if way.get("cost_is") == "for each person" else 1
    cost = float(way.get("cost") or 0) * each
    return _item("transportation", now, now + _minutes(way), here, there, cost, way.get("mode", "foot"))


def _item(
    item: str, start: int, end: int, here: str, there: str, cost: float, mode: str = "none"
) -> dict[str, Any]:
    return {
        "item": item, "time": f"{_clock(start)}-{_clock(end)}", "departure": here, "destination": there,
        "cost": round(cost, 2), "transportation": mode, "referenceImage": "tools",
    }  # fmt: skip


def _minute(clock: str) -> int:
    hours, _, minutes = clock.partition(":")
    return int(hours) * 60 + int(minutes)


def _clock(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"
