"""A greedy planner of trips in a city: it reads the guides of what it takes to be meant, and always goes to the visit that is over soonest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from planspec.agents.desk import Desk
from planspec.agents.failures import AttemptFailedError
from planspec.agents.requests import NUMBERS, days_of, names_of, people_of, says_any, words_of
from planspec.agents.tools import is_error
from planspec.agents.view import TaskView

OUT = 8 * 60
"""When the hotel is left, in minutes after midnight."""
HOME = 24 * 60
"""When the day is over, if nothing else is said."""
FAR = 20
"""Minutes that are walked at most, if nothing else is said."""
GUESS = 20
"""Minutes of a ride, as long as nobody asked."""
STYLES = {
    "brief": ("short", "brief", "quick", "glance", "fleeting", "in passing", "highlights"),
    "deep": ("in depth", "thorough", "every label", "extensive", "great length", "lingering", "long ", "all the time"),
}  # fmt: skip
"""How people say that they want to stay for less or more than is usual."""
COURSES = {"set_menu": ("set menu", "fixed menu", "set lunch"), "tasting": ("tasting", "small courses")}
MEALS = {"dinner": (17 * 60 + 30, 24 * 60), "lunch": (11 * 60, 15 * 60)}
"""Between which minutes after midnight a meal begins."""
EATEN = {"dinner": ("dinner", "supper", "evening"), "lunch": ("lunch", "midday", "middle of the day")}
STARS = {"three": 3, "four": 4, "five": 5}
FEATURES = {
    "breakfast": ("breakfast", "morning meal"), "spa": ("spa",), "pool": ("pool", "swim"), "parking": ("park", "car"),
    "quiet": ("quiet", "street noise", "still", "silent"), "rooftop": ("roof",),
}  # fmt: skip
_COMMON = frozenset(
    {"the", "das", "der", "die", "zur", "hotel", "museum", "day", "casa", "palazzo", "galleria"}
)
"""Words that tell no place from another, beside the city's name and short ones."""
_UNITS = (*NUMBERS, *(f"{unit}teen" for unit in ("thir", "four", "fif", "six", "seven", "eigh", "nine")))
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_AGES = {
    **{word: age for age, word in enumerate(_UNITS, 1)},
    **{word: age for age, word in zip(range(20, 100, 10), _TENS, strict=True)},
    **{f"{ten}-{unit}": age + more for age, ten in zip(range(20, 100, 10), _TENS, strict=True)
       for more, unit in enumerate(_UNITS[:9], 1)},
}  # fmt: skip
_CHILD, _OLD = 12, 65
"""Who is younger eats from the children's menu; who is so old is a senior."""
_SMALL = 7
"""Who is younger does not climb far, nor do seniors."""
_CLIMB = 100
"""Steps that small children and old people climb at most."""


@dataclass(frozen=True, slots=True)
class _Party:
    """Who travels, by age."""

    ages: tuple[int, ...]
    studies: bool

    @classmethod
    def of(cls, request: str) -> _Party:
        """The party of a request: the ages in its first sentences, which name who travels, else as many grown-ups as it says."""
        first = re.sub(
            r"\d{1,2} (?=[A-Z])|\b20\d\d\b|\b\d{1,2}:\d\d\b", " ", ". ".join(request.split(". ")[:2])
        )
        said = re.findall(
            r"(?:(party|family|group) of )?\b(\d{1,2}|[a-z]+(?:-[a-z]+)*)\b(?=( [a-z]+)?)", first.lower()
        )
        ages = [
            int(word) if word.isdecimal() else _AGES.get(word.removesuffix("-year-old"), 0)
            for _, word, _ in said
        ]
        counted = [
            (group or (age <= 5 and not word.isdecimal() and after not in {"", " and", " years"}))
            for age, (group, word, after) in zip(ages, said, strict=True)
        ]
        known = tuple(age for age, count in zip(ages, counted, strict=True) if age and not count)
        return cls(
            known or (40,) * people_of(request),
            says_any(first, ("student", "universit", "studie", "college")),
        )

    @property
    def size(self) -> int:
        return len(self.ages)

    @property
    def profile(self) -> str:
        """Whose figures of the guide hold: `adults`, `family` or `seniors`."""
        return "family" if min(self.ages) < _CHILD else "seniors" if min(self.ages) >= _OLD else "adults"

    def fare(self, ticket: Mapping[str, Any]) -> float:
        """What a ticket costs all of them: each pays the least that his age allows, and family tickets are not thought of."""
        return sum(
            min(
                (
                    float(fare["price"])
                    for fare in ticket.get("fares", ())
                    if _within(age, fare["ages"]) and (self.studies or not fare.get("students_only"))
                ),
                default=0.0,
            )
            for age in self.ages
        )


def _within(age: int, ages: str) -> bool:
    least, most = map(int, ages.split(" to "))
    return least <= age <= most


@dataclass(frozen=True, slots=True)
class _Place:
    """A place that the request means, with its guide.

    Attributes:
        item: `attraction` or `restaurant`.
        said: of it in the request.
        minutes: that a visit takes at least.
        begins: between which minutes after midnight it may begin.
        meal: what the meal costs all; None of an attraction.
    """

    name: str
    item: str
    said: str
    minutes: int
    begins: tuple[int, int]
    meal: float | None


@dataclass(frozen=True, slots=True)
class _Visit:
    """A visit as it could be made next, with the ride to it."""

    place: _Place
    ride: Mapping[str, Any]
    start: int
    minutes: int
    cost: float


@dataclass(slots=True)
class _Trip:
    """The trip so far: what is asked of the tools is asked once.

    Attributes:
        far: minutes that are walked at most, and the mode of what is farther.
        home: the latest return, in minutes after midnight.
    """

    desk: Desk
    party: _Party
    far: tuple[int, str]
    home: int
    ways: dict[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)
    tickets: dict[tuple[str, date], Mapping[str, Any]] = field(default_factory=dict)

    def way(self, start: str, end: str) -> Mapping[str, Any]:
        """On foot where it is not far, else as the request says."""
        if (start, end) not in self.ways:
            told = self.desk.call("get_route_info", {"origin": start, "destination": end})
            self.ways[start, end] = _taken(told.get("ways", ()), *self.far)
            self.ways[end, start] = _taken(told.get("ways_back", ()), *self.far)
        return self.ways[start, end]

    def offered(self, place: _Place, day: date) -> Mapping[str, Any]:
        """What a place offers on a day."""
        if (place.name, day) not in self.tickets:
            tool, what = (
                ("get_attraction_ticket_availability", "attraction")
                if place.item == "attraction"
                else ("get_restaurant_reservation_availability", "restaurant")
            )
            self.tickets[place.name, day] = self.desk.call(tool, {what: place.name, "date": day.isoformat()})
        return self.tickets[place.name, day]


def plan(view: TaskView, desk: Desk) -> dict[str, Any]:
    """The trip of a request.

    Raises:
        AttemptFailedError: the request names no days, or no city that the tools know; the text says which.
    """
    if "get_route_info" not in {tool.name for tool in view.tools}:
        raise AttemptFailedError(
            "adapter", f"the setting `{view.setting}` has no tools to look things up with"
        )
    days = days_of(view.query)
    if not days:
        raise AttemptFailedError("adapter", "the request names no days")
    trip = _Trip(desk, _Party.of(view.query), _far(view.query), _home(view.query))
    city, listed = _city(view, desk)
    named = [("attraction", place) for place in listed]
    eaten = desk.call("get_restaurant_list", {"city": city}).get("restaurants", [])
    named += [("restaurant", place) for place in eaten]
    places = [
        place for item, name, said in _meant(view.query, city, named)
        if (place := _place(trip, item, name, said)) is not None
    ]  # fmt: skip
    hotel = _hotel(view, desk.call("get_hotel_list", {"city": city}).get("hotels", []))
    if hotel is None:
        raise AttemptFailedError("adapter", f"no hotel of {city} is known")
    rooms = -(-trip.party.size // int(hotel["room_sleeps"]))
    stay = rooms * float(hotel["price_per_room_and_night"]) * len(days)
    itinerary = []
    for number, day in enumerate(days):
        # as many as the days that are left leave for this one
        share = -(-len(places) // (len(days) - number))
        schedule, places = _day(trip, day, str(hotel["name"]), places, share, 0.0 if number else stay)
        itinerary.append({"date": f"{day.month}.{day.day}", "schedule": schedule})
    return {"itinerary": itinerary}


def _far(request: str) -> tuple[int, str]:
    """How many minutes are walked at most, and how what is farther is done."""
    said = (_AGES.get(word, 0) for word in re.findall(r"([a-z]+(?:-[a-z]+)?) minutes", request.lower()))
    minutes = max(said, default=0) or FAR
    if says_any(request, ("taxi",)) and not says_any(request, ("no taxi",)):
        return minutes, "taxi"
    if says_any(request, ("bus",)) and not says_any(request, ("no bus",)):
        return minutes, "bus"
    return HOME, "foot"


def _home(request: str) -> int:
    said = re.search(r"\b(\d{1,2}:\d{2})\b", request)
    return HOME if said is None else _minute(said[1])


def _city(view: TaskView, desk: Desk) -> tuple[str, Sequence[Mapping[str, Any]]]:
    for name in names_of(view.query):
        listed = desk.call("get_attraction_list", {"city": name})
        if not is_error(listed):
            return name, listed["attractions"]
    raise AttemptFailedError("adapter", "the request names no city that the tools know")


def _meant(
    request: str, city: str, listed: Sequence[tuple[str, Mapping[str, Any]]]
) -> Iterator[tuple[str, str, str]]:
    """The places that a part of the request means, by a word of their name or else of what is told of them alone."""
    told = {place["name"]: _own(place["about"], city) for _, place in listed}
    names = {place["name"]: _own(place["name"], city) for _, place in listed}
    for item, place in listed:
        name = place["name"]
        others = set[str]().union(*(words for other, words in told.items() if other != name))
        others |= set[str]().union(*(words for other, words in names.items() if other != name))
        own = names[name] | {word for word in told[name] - others if len(word) > _LONG}
        for said in re.split(r"[;.](?!\d)|, (?=and |the )| and the ", request):
            if names[name] & words_of(said) or len(own & words_of(said)) > 1:
                yield item, name, said
                break


_LONG = 4
"""Letters that a word has at most which tells nothing."""


def _own(text: str, city: str) -> set[str]:
    """The words of a text that tell something."""
    return {word for word in words_of(text) - words_of(city) - _COMMON if len(word) > 2}


def _place(trip: _Trip, item: str, name: str, said: str) -> _Place | None:
    tool = "get_guide_details" if item == "attraction" else "get_restaurant_guide_detail"
    told = trip.desk.call(tool, {item: name})
    if is_error(told):
        return None
    meal = None
    begins = (0, 24 * 60)
    if item == "restaurant":
        menu = told.get("menu_per_person", {})
        course = next(
            (course for course, phrases in COURSES.items() if says_any(said, phrases)), "a_la_carte"
        )
        each = menu.get(course, menu.get("a_la_carte", 0))
        meal = float(sum(menu.get("child_menu", each) if age < _CHILD else each for age in trip.party.ages))
        begins = next((MEALS[eaten] for eaten, phrases in EATEN.items() if says_any(said, phrases)), begins)
    return _Place(name, item, said, _least(told, trip.party, said), begins, meal)


def _least(told: Mapping[str, Any], party: _Party, said: str) -> int:
    """The minutes that a visit takes at least: of all parts that everybody climbs to, else by how long one wants to stay."""
    weak = min(party.ages) < _SMALL or max(party.ages) >= _OLD
    parts = [
        int(part["least_min"])
        for part in told.get("parts", ())
        if part.get("least_min") and not (weak and part["steps_to_climb"] > _CLIMB)
    ]
    if parts:
        return sum(parts)
    lengths = told["length_of_visit"]
    style = next((style for style, phrases in STYLES.items() if says_any(said, phrases)), "standard")
    figures: Mapping[str, Any] = lengths.get(style) or next(iter(lengths.values()), {})
    return int((figures.get(party.profile) or figures.get("adults") or {"least_min": 60})["least_min"])


def _hotel(view: TaskView, hotels: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The cheapest of those that have what the request says; of all where none has."""
    stars = re.search(r"\b(three|four|five)[- ]stars?\b|\bstars?: (three|four|five)\b", view.query.lower())
    asked = STARS[stars[1] or stars[2]] if stars else None
    wanted = {feature for feature, phrases in FEATURES.items() if says_any(view.query, phrases)}
    fitting = [
        hotel for hotel in hotels if asked in {None, hotel["stars"]} and wanted <= set(hotel["features"])
    ]
    return min(fitting or hotels, key=lambda hotel: float(hotel["price_per_room_and_night"]), default=None)


def _day(
    trip: _Trip, day: date, hotel: str, places: Sequence[_Place], most: int, stay: float
) -> tuple[list[dict[str, Any]], list[_Place]]:
    """A day's items, and the places that are left; it always goes where it can be soonest."""
    now, here, left = OUT, hotel, list(places)
    items = [_item("hotel", now, now, hotel, hotel, stay)]
    while left and len(places) - len(left) < most:
        taken = next(_visits(trip, day, here, now, left), None)
        if taken is None:
            break
        place = taken.place
        items.append(_ride(now, here, place.name, taken.ride, trip.party.size))
        now, here = taken.start + taken.minutes, place.name
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
        (found.start + found.minutes, number, place)
        for number, place in enumerate(places)
        if (found := _visit(trip, day, place, now + GUESS, {})) is not None
    ]
    for _, _, place in sorted(guessed, key=lambda guess: guess[:2]):
        way = trip.way(here, place.name)
        found = _visit(trip, day, place, now + _minutes(way), way)
        if found is not None:
            yield found


def _visit(trip: _Trip, day: date, place: _Place, there: int, way: Mapping[str, Any]) -> _Visit | None:
    """The first visit on a day of who is there at a time; None where there is none."""
    told = trip.offered(place, day)
    ticket = _ticket(trip.party, place, told.get("tickets") or told.get("tables") or ())
    if ticket is None:
        return None
    first, last = place.begins
    ready = max(there + int(ticket["be_there_before_the_start_min"]), first)
    length = int(ticket.get("length_min") or place.minutes)
    starts = [
        _minute(start["time"])
        for start in ticket.get("starts", ())
        if start.get("status", "available") == "available"
        and start.get("places_left", trip.party.size) >= trip.party.size
    ]
    if ticket["booking"] != "required" and not ticket.get("starts"):
        hours = [tuple(map(_minute, span.split("-"))) for span in told.get("opening_hours", ())]
        starts = [max(ready, opens) for opens, closes in hours if max(ready, opens) + length <= closes]
    start = min((start for start in starts if ready <= start <= last), default=None)
    if start is None or start + length > trip.home:
        return None
    return _Visit(place, way, start, length, trip.party.fare(ticket) if place.meal is None else place.meal)


def _ticket(party: _Party, place: _Place, tickets: Iterable[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The cheapest that is a tour where one is asked for, and else none."""
    tour = says_any(place.said, ("guide", "tour", "led round"))
    fitting = [ticket for ticket in tickets if ticket.get("guided_tour", False) == tour]
    return min(fitting or tickets, key=party.fare, default=None)


def _taken(ways: Iterable[Mapping[str, Any]], most: int, mode: str) -> Mapping[str, Any]:
    """On foot where it is not far, else by a mode, else the quickest way; none where no way is told."""
    known = list(ways)
    near = [way for way in known if way["mode"] == "foot" and _minutes(way) <= most]
    asked = [way for way in known if way["mode"] == mode]
    return min(near or asked or known, key=_minutes, default={})


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
