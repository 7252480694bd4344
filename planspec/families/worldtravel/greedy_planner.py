"""A greedy planner of trips in a city. It always adds the visit with the earliest end."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from planspec.agents.desk import Desk
from planspec.agents.failures import AttemptFailedError
from planspec.agents.requests import NUMBERS, contains_any, days_of, names_of, people_of, words_of
from planspec.agents.tools import is_error
from planspec.agents.view import TaskView

OUT = 8 * 60
"""Time of departure from the hotel, in minutes after midnight."""
HOME = 24 * 60
"""Latest return to the hotel if the request names none, in minutes after midnight."""
FAR = 20
"""Maximum duration of a walk in minutes if the request names none."""
GUESS = 20
"""Assumed duration of a ride, in minutes, until the route is looked up."""
STYLES = {
    "brief": ("short", "brief", "quick", "glance", "fleeting", "in passing", "highlights"),
    "deep": ("in depth", "thorough", "every label", "extensive", "great length", "lingering", "long ", "all the time"),
}
"""Phrases that request a shorter (`brief`) or longer (`deep`) visit than usual."""
COURSES = {"set_menu": ("set menu", "fixed menu", "set lunch"), "tasting": ("tasting", "small courses")}
MEALS = {"dinner": (17 * 60 + 30, 24 * 60), "lunch": (11 * 60, 15 * 60)}
"""Earliest and latest start of each meal, in minutes after midnight."""
EATEN = {"dinner": ("dinner", "supper", "evening"), "lunch": ("lunch", "midday", "middle of the day")}
STARS = {"three": 3, "four": 4, "five": 5}
FEATURES = {
    "breakfast": ("breakfast", "morning meal"),
    "spa": ("spa",),
    "pool": ("pool", "swim"),
    "parking": ("park", "car"),
    "quiet": ("quiet", "street noise", "still", "silent"),
    "rooftop": ("roof",),
}
_COMMON = frozenset({"the", "das", "der", "die", "zur", "hotel", "museum", "day", "casa", "palazzo", "galleria"})
"""Words that do not distinguish places, in addition to the city's name and short words."""
_UNITS = (*NUMBERS, *(f"{unit}teen" for unit in ("thir", "four", "fif", "six", "seven", "eigh", "nine")))
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_AGES = {
    **{word: age for age, word in enumerate(_UNITS, 1)},
    **{word: age for age, word in zip(range(20, 100, 10), _TENS, strict=True)},
    **{
        f"{ten}-{unit}": age + more
        for age, ten in zip(range(20, 100, 10), _TENS, strict=True)
        for more, unit in enumerate(_UNITS[:9], 1)
    },
}
_CHILD, _OLD = 12, 65
"""Age below which people eat from the children's menu, and age from which they are seniors."""
_SMALL = 7
"""Age below which children can climb only `_CLIMB` steps, like seniors."""
_CLIMB = 100
"""Maximum number of steps that small children and seniors can climb."""


@dataclass(frozen=True, slots=True)
class _Party:
    """Ages of the travellers, and whether one of them is a student."""

    ages: tuple[int, ...]
    has_student: bool

    @classmethod
    def from_request(cls, request: str) -> _Party:
        """Return the party of a request.

        Ages are read from the first two sentences of the request. If they contain no ages, the party consists of the
        number of adults in the request.
        """
        first = re.sub(r"\d{1,2} (?=[A-Z])|\b20\d\d\b|\b\d{1,2}:\d\d\b", " ", ". ".join(request.split(". ")[:2]))
        words = re.findall(
            r"(?:(party|family|group) of )?\b(\d{1,2}|[a-z]+(?:-[a-z]+)*)\b(?=( [a-z]+)?)", first.lower()
        )
        ages = [int(word) if word.isdecimal() else _AGES.get(word.removesuffix("-year-old"), 0) for _, word, _ in words]
        counted = [
            (group or (age <= 5 and not word.isdecimal() and after not in {"", " and", " years"}))
            for age, (group, word, after) in zip(ages, words, strict=True)
        ]
        ages_ = tuple(age for age, count in zip(ages, counted, strict=True) if age and not count)
        return cls(
            ages_ or (40,) * people_of(request),
            contains_any(first, ("student", "universit", "studie", "college")),
        )

    @property
    def size(self) -> int:
        return len(self.ages)

    @property
    def profile(self) -> str:
        """The group whose visit lengths apply: `adults`, `family` or `seniors`."""
        return "family" if min(self.ages) < _CHILD else "seniors" if min(self.ages) >= _OLD else "adults"

    def fare(self, ticket: Mapping[str, Any]) -> float:
        """Return the cost of a ticket for the party. Everyone pays the cheapest fare for their age.

        Family tickets are ignored.
        """
        return sum(
            min(
                (
                    float(fare["price"])
                    for fare in ticket.get("fares", ())
                    if _is_in_range(age, fare["ages"]) and (self.has_student or not fare.get("students_only"))
                ),
                default=0.0,
            )
            for age in self.ages
        )


def _is_in_range(age: int, ages: str) -> bool:
    least, most = map(int, ages.split(" to "))
    return least <= age <= most


@dataclass(frozen=True, slots=True)
class _Place:
    """A place in the request, with facts from the tools' guide to the place.

    Attributes:
        item: `attraction` or `restaurant`.
        text: the part of the request about the place.
        minutes: shortest visit, in minutes.
        start_range: earliest and latest start, in minutes after midnight.
        meal_cost: cost of the meal for the whole party; None for an attraction.
    """

    name: str
    item: str
    text: str
    minutes: int
    start_range: tuple[int, int]
    meal_cost: float | None


@dataclass(frozen=True, slots=True)
class _Visit:
    """A possible next visit.

    Attributes:
        ride: route to the place, as returned by the tools.
        start: minutes after midnight.
        minutes: length of the visit, in minutes.
        cost: cost for the whole party.
    """

    place: _Place
    ride: Mapping[str, Any]
    start: int
    minutes: int
    cost: float


@dataclass(slots=True)
class _TripState:
    """Limits of a trip, and cached answers of the tools.

    Attributes:
        longest_walk: longest walk in minutes.
        ride_mode: mode of transport for longer routes.
        latest_return: latest return to the hotel, in minutes after midnight.
        ways: routes by names of start and end, as returned by the tools.
        tickets: answers on tickets or restaurant tables, by place and day.
    """

    desk: Desk
    party: _Party
    longest_walk: int
    ride_mode: str
    latest_return: int
    ways: dict[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)
    tickets: dict[tuple[str, date], Mapping[str, Any]] = field(default_factory=dict)

    def way(self, start: str, end: str) -> Mapping[str, Any]:
        """Return the route between two places or hotels, as returned by the tools.

        Choose a walk if it is short enough, and otherwise a ride by the requested mode.
        """
        if (start, end) not in self.ways:
            routes = self.desk.call("get_route_info", {"origin": start, "destination": end})
            self.ways[start, end] = _choose_way(routes.get("ways", ()), self.longest_walk, self.ride_mode)
            self.ways[end, start] = _choose_way(routes.get("ways_back", ()), self.longest_walk, self.ride_mode)
        return self.ways[start, end]

    def tickets_on(self, place: _Place, day: date) -> Mapping[str, Any]:
        """Return the tool's answer on the tickets (or restaurant tables) of a place on a day."""
        if (place.name, day) not in self.tickets:
            tool, parameter = (
                ("get_attraction_ticket_availability", "attraction")
                if place.item == "attraction"
                else ("get_restaurant_reservation_availability", "restaurant")
            )
            self.tickets[place.name, day] = self.desk.call(tool, {parameter: place.name, "date": day.isoformat()})
        return self.tickets[place.name, day]


def plan(view: TaskView, desk: Desk) -> dict[str, Any]:
    """Plan the trip of a request.

    Raises:
        AttemptFailedError: the setting has no tools, the request names no days or no known city, or the city
            has no hotel. The message says which.
    """
    if "get_route_info" not in {tool.name for tool in view.tools}:
        raise AttemptFailedError("adapter", f"the setting `{view.setting}` has no tools to look things up with")
    days = days_of(view.query)
    if not days:
        raise AttemptFailedError("adapter", "the request names no days")
    trip = _TripState(desk, _Party.from_request(view.query), *_walk_and_mode(view.query), _latest_return(view.query))
    city, listed = _find_city(view, desk)
    named = [("attraction", place) for place in listed]
    restaurants = desk.call("get_restaurant_list", {"city": city}).get("restaurants", [])
    named += [("restaurant", place) for place in restaurants]
    places = [
        place
        for item, name, text in _matching_places(view.query, city, named)
        if (place := _look_up_place(trip, item, name, text)) is not None
    ]
    hotel = _choose_hotel(view, desk.call("get_hotel_list", {"city": city}).get("hotels", []))
    if hotel is None:
        raise AttemptFailedError("adapter", f"no hotel of {city} is known")
    rooms = -(-trip.party.size // int(hotel["room_sleeps"]))
    stay = rooms * float(hotel["price_per_room_and_night"]) * len(days)
    itinerary = []
    for number, day in enumerate(days):
        # Spread the remaining places evenly over the remaining days.
        share = -(-len(places) // (len(days) - number))
        schedule, places = _plan_day(trip, day, str(hotel["name"]), places, share, 0.0 if number else stay)
        itinerary.append({"date": f"{day.month}.{day.day}", "schedule": schedule})
    return {"itinerary": itinerary}


def _walk_and_mode(request: str) -> tuple[int, str]:
    """Return the longest walk in minutes, and the mode of transport for longer routes."""
    lengths = (_AGES.get(word, 0) for word in re.findall(r"([a-z]+(?:-[a-z]+)?) minutes", request.lower()))
    minutes = max(lengths, default=0) or FAR
    if contains_any(request, ("taxi",)) and not contains_any(request, ("no taxi",)):
        return minutes, "taxi"
    if contains_any(request, ("bus",)) and not contains_any(request, ("no bus",)):
        return minutes, "bus"
    return HOME, "foot"


def _latest_return(request: str) -> int:
    match = re.search(r"\b(\d{1,2}:\d{2})\b", request)
    return HOME if match is None else _parse_clock(match[1])


def _find_city(view: TaskView, desk: Desk) -> tuple[str, Sequence[Mapping[str, Any]]]:
    for name in names_of(view.query):
        listed = desk.call("get_attraction_list", {"city": name})
        if not is_error(listed):
            return name, listed["attractions"]
    raise AttemptFailedError("adapter", "the request names no city that the tools know")


def _matching_places(
    request: str, city: str, places: Sequence[tuple[str, Mapping[str, Any]]]
) -> Iterator[tuple[str, str, str]]:
    """Yield the kind, the name and the part of the request for each place in the request.

    A part mentions a place if it has a word of the place's name, or two words that occur only in this place's
    description.

    Args:
        request: text of the request.
        city: name of the city.
        places: kind and record of each place of the city, as returned by the tools.
    """
    descriptions = {place["name"]: _distinctive_words(place["about"], city) for _, place in places}
    names = {place["name"]: _distinctive_words(place["name"], city) for _, place in places}
    for item, place in places:
        name = place["name"]
        others = set[str]().union(*(words for other, words in descriptions.items() if other != name))
        others |= set[str]().union(*(words for other, words in names.items() if other != name))
        own = names[name] | {word for word in descriptions[name] - others if len(word) > _LONG}
        for part in re.split(r"[;.](?!\d)|, (?=and |the )| and the ", request):
            if names[name] & words_of(part) or len(own & words_of(part)) > 1:
                yield item, name, part
                break


_LONG = 4
"""Maximum number of letters of a word that is too short to be distinctive."""


def _distinctive_words(text: str, city: str) -> set[str]:
    """Return the words of a text that can identify a place: long enough, and not common or in the city's name."""
    return {word for word in words_of(text) - words_of(city) - _COMMON if len(word) > 2}


def _look_up_place(trip: _TripState, item: str, name: str, text: str) -> _Place | None:
    tool = "get_guide_details" if item == "attraction" else "get_restaurant_guide_detail"
    guide = trip.desk.call(tool, {item: name})
    if is_error(guide):
        return None
    meal_cost = None
    start_range = (0, 24 * 60)
    if item == "restaurant":
        menu = guide.get("menu_per_person", {})
        course = next((course for course, phrases in COURSES.items() if contains_any(text, phrases)), "a_la_carte")
        each = menu.get(course, menu.get("a_la_carte", 0))
        meal_cost = float(sum(menu.get("child_menu", each) if age < _CHILD else each for age in trip.party.ages))
        start_range = next(
            (MEALS[eaten] for eaten, phrases in EATEN.items() if contains_any(text, phrases)), start_range
        )
    return _Place(name, item, text, _shortest_visit_min(guide, trip.party, text), start_range, meal_cost)


def _shortest_visit_min(guide: Mapping[str, Any], party: _Party, text: str) -> int:
    """Return the length of the shortest visit, in minutes.

    It is the sum of the times for the parts that the whole party can reach. If the guide lists no such parts, the
    length depends on the requested style of visit.
    """
    weak = min(party.ages) < _SMALL or max(party.ages) >= _OLD
    parts = [
        int(part["least_min"])
        for part in guide.get("parts", ())
        if part.get("least_min") and not (weak and part["steps_to_climb"] > _CLIMB)
    ]
    if parts:
        return sum(parts)
    lengths = guide["length_of_visit"]
    style = next((style for style, phrases in STYLES.items() if contains_any(text, phrases)), "standard")
    figures: Mapping[str, Any] = lengths.get(style) or next(iter(lengths.values()), {})
    return int((figures.get(party.profile) or figures.get("adults") or {"least_min": 60})["least_min"])


def _choose_hotel(view: TaskView, hotels: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """Return the cheapest hotel that meets the request. If none does, return the cheapest hotel of all."""
    stars = re.search(r"\b(three|four|five)[- ]stars?\b|\bstars?: (three|four|five)\b", view.query.lower())
    required_stars = STARS[stars[1] or stars[2]] if stars else None
    features = {feature for feature, phrases in FEATURES.items() if contains_any(view.query, phrases)}
    fitting = [
        hotel for hotel in hotels if required_stars in {None, hotel["stars"]} and features <= set(hotel["features"])
    ]
    return min(fitting or hotels, key=lambda hotel: float(hotel["price_per_room_and_night"]), default=None)


def _plan_day(
    trip: _TripState, day: date, hotel: str, places: Sequence[_Place], max_visits: int, stay: float
) -> tuple[list[dict[str, Any]], list[_Place]]:
    """Return the itinerary items of a day, and the places that were not visited.

    Args:
        trip: limits of the trip, and cached answers of the tools.
        day: the day.
        hotel: name of the hotel.
        places: places that may be visited.
        max_visits: maximum number of visits.
        stay: cost to report for the hotel in the day's first item.
    """
    now, position, left = OUT, hotel, list(places)
    items = [_itinerary_item("hotel", now, now, hotel, hotel, stay)]
    while left and len(places) - len(left) < max_visits:
        visit = next(_possible_visits(trip, day, position, now, left), None)
        if visit is None:
            break
        place = visit.place
        items.append(_ride_item(now, position, place.name, visit.ride, trip.party.size))
        now, position = visit.start + visit.minutes, place.name
        items.append(_itinerary_item(place.item, visit.start, now, position, position, visit.cost))
        left.remove(place)
    if position != hotel:
        way = trip.way(position, hotel)
        items.append(_ride_item(now, position, hotel, way, trip.party.size))
        now += _duration_min(way)
    items.append(_itinerary_item("hotel", now, now, hotel, hotel, 0.0))
    return items, left


def _possible_visits(
    trip: _TripState, day: date, position: str, now: int, places: Iterable[_Place]
) -> Iterator[_Visit]:
    """Yield the possible next visits in the order of their estimated ends.

    The route to a place is looked up only when its visit comes next, so a caller that stops early makes fewer tool
    calls.
    """
    guessed = [
        (visit.start + visit.minutes, number, place)
        for number, place in enumerate(places)
        if (visit := _earliest_visit(trip, day, place, now + GUESS, {})) is not None
    ]
    for _, _, place in sorted(guessed, key=lambda guess: guess[:2]):
        way = trip.way(position, place.name)
        visit = _earliest_visit(trip, day, place, now + _duration_min(way), way)
        if visit is not None:
            yield visit


def _earliest_visit(trip: _TripState, day: date, place: _Place, arrival: int, way: Mapping[str, Any]) -> _Visit | None:
    """Return the earliest visit of a place on a day after an arrival time, or None if there is none."""
    offers = trip.tickets_on(place, day)
    ticket = _cheapest_ticket(trip.party, place, offers.get("tickets") or offers.get("tables") or ())
    if ticket is None:
        return None
    first, last = place.start_range
    ready = max(arrival + int(ticket["be_there_before_the_start_min"]), first)
    length = int(ticket.get("length_min") or place.minutes)
    starts = [
        _parse_clock(start["time"])
        for start in ticket.get("starts", ())
        if start.get("status", "available") == "available"
        and start.get("places_left", trip.party.size) >= trip.party.size
    ]
    if ticket["booking"] != "required" and not ticket.get("starts"):
        hours = [tuple(map(_parse_clock, span.split("-"))) for span in offers.get("opening_hours", ())]
        starts = [max(ready, opens) for opens, closes in hours if max(ready, opens) + length <= closes]
    start = min((start for start in starts if ready <= start <= last), default=None)
    if start is None or start + length > trip.latest_return:
        return None
    return _Visit(place, way, start, length, trip.party.fare(ticket) if place.meal_cost is None else place.meal_cost)


def _cheapest_ticket(party: _Party, place: _Place, tickets: Iterable[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """Return the cheapest ticket of the requested kind (guided or not). If there is none, ignore the kind."""
    tour = contains_any(place.text, ("guide", "tour", "led round"))
    fitting = [ticket for ticket in tickets if ticket.get("guided_tour", False) == tour]
    return min(fitting or tickets, key=party.fare, default=None)


def _choose_way(ways: Iterable[Mapping[str, Any]], longest_walk: int, mode: str) -> Mapping[str, Any]:
    """Return a walk that is not too long. If there is none, return a route by the mode, or else the quickest one.

    The result is empty if there are no routes.
    """
    options = list(ways)
    near = [way for way in options if way["mode"] == "foot" and _duration_min(way) <= longest_walk]
    by_mode = [way for way in options if way["mode"] == mode]
    return min(near or by_mode or options, key=_duration_min, default={})


def _duration_min(way: Mapping[str, Any]) -> int:
    minutes = way.get("minutes")
    return 10 if minutes is None else int(minutes)


def _ride_item(now: int, origin: str, destination: str, way: Mapping[str, Any], people: int) -> dict[str, Any]:
    each = people if way.get("cost_is") == "for each person" else 1
    cost = float(way.get("cost") or 0) * each
    return _itinerary_item(
        "transportation", now, now + _duration_min(way), origin, destination, cost, way.get("mode", "foot")
    )


def _itinerary_item(
    item: str, start: int, end: int, origin: str, destination: str, cost: float, mode: str = "none"
) -> dict[str, Any]:
    return {
        "item": item,
        "time": f"{_format_clock(start)}-{_format_clock(end)}",
        "departure": origin,
        "destination": destination,
        "cost": round(cost, 2),
        "transportation": mode,
        "referenceImage": "tools",
    }


def _parse_clock(clock: str) -> int:
    hours, _, minutes = clock.partition(":")
    return int(hours) * 60 + int(minutes)


def _format_clock(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"
