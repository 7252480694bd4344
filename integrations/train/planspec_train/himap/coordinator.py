"""The coordinator's part of a conversation: it reads the request, looks up cities, and splits the trip into days."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from planspec_train.himap.decisions import Conversation, Decider
from planspec_train.himap.reading import Mention, Reading, read_request

ENUMERATIONS: Mapping[str, Sequence[str]] = {
    "house_requirement": ("-", "smoking", "parties", "children", "visitors", "pets"),
    "room_requirement": ("-", "entire room", "private room", "shared room", "not shared room"),
    "transportation_requirement": ("-", "no flight", "no self-driving"),
}
UNREAD = {
    "origin": Mention("-", ()),
    "destination": Mention("-", ()),
    "start_date": Mention("2022-03-01", ()),
    "days": Mention(3, ()),
}
"""Values for fields of a request if its text has no candidates, such as no date for `start_date`."""
MODES = ("car", "public", None)
MOST_SEARCHES = 2


def coordinate(decider: Decider, query: str) -> Conversation:
    """Play the coordinator: yield the tool calls of each reply, and receive their results through `send`."""
    reading = read_request(query)
    request = _extract(decider, reading)
    yield [("information_extractor", request)]
    names = [str(mention.value) for mention in reading.names]
    found_cities: list[str] = []
    searched: list[str] = []
    while len(searched) < MOST_SEARCHES:
        options = [name for name in names if name not in searched]
        chosen = decider.choose(
            "search cities",
            [*(_name_features(name, request, ()) for name in options), (("write", bool(found_cities)),)],
        )
        if chosen == len(options):
            break
        searched.append(options[chosen])
        (result,) = yield [("CitySearch", {"state": options[chosen]})]
        found_cities += result.get("cities", ())
    cities = list(dict.fromkeys([*names, *found_cities]))
    rounds = 0
    while True:
        split = split_trip(decider, request, cities, found_cities, rounds)
        (result,) = yield [("distribute_task", {"days": split})]
        if "error" in result:
            request = _extract(decider, reading)
            yield [("information_extractor", request)]
        rounds += "error" not in result


def _extract(decider: Decider, reading: Reading) -> dict[str, Any]:
    request: dict[str, Any] = {}
    slots: tuple[tuple[str, Sequence[Mention]], ...] = (
        ("origin", reading.names),
        ("destination", reading.names),
        ("start_date", reading.dates),
        ("days", [each for each in reading.numbers if each.value != 1]),
        ("visiting_city_number", reading.numbers),
        ("people_number", reading.numbers),
        ("budget", reading.amounts),
    )
    for slot, mentions in slots:
        options = list(mentions) or [UNREAD[slot]]
        if slot == "visiting_city_number":  # each city needs at least one night
            options = [each for each in options if each.value < request["days"]]
        origin = request.get("origin")
        features = [(*each.contexts, ("as origin", each.value == origin)) for each in options]
        request[slot] = options[decider.choose(slot, features)].value
    for slot, values in ENUMERATIONS.items():
        features = [(value, *((value, word) for word in reading.words)) for value in values]
        request[slot] = values[decider.choose(slot, features)]
    return request


def split_trip(
    decider: Decider, request: Mapping[str, Any], cities: Sequence[str], found_cities: Sequence[str], rounds: int
) -> list[dict[str, Any]]:
    """Choose cities and nights until all nights of the trip are assigned. Return the tasks of all days."""
    nights = request["days"] - 1
    stays: list[tuple[str, int]] = []
    while nights:
        left_city = stays[-1][0] if stays else None  # the next stay must be in another city
        options = [city for city in cities if city != left_city] or cities
        place = decider.choose(
            "city", [_name_features(city, request, [c for c, _ in stays], found_cities) for city in options]
        )
        counts = range(1, nights + 1)
        left = request["visiting_city_number"] - len(stays)
        chosen = decider.choose(
            "nights",
            [
                (("last stay", left <= 1, count == nights), ("leaves enough", nights - count >= left - 1))
                for count in counts
            ],
        )
        stays.append((options[place], counts[chosen]))
        nights -= counts[chosen]
    wish = request["transportation_requirement"]
    mode = MODES[decider.choose("mode", [(mode, (mode, wish), (mode, "again", rounds > 0)) for mode in MODES])]
    return days_of(request["origin"], request["start_date"], stays, mode)


def days_of(origin: str, start: str, stays: Sequence[tuple[str, int]], mode: str | None) -> list[dict[str, Any]]:
    """Return the executors' tasks, one for each day of a round trip.

    Args:
        origin: city where the trip begins and ends.
        start: first day, as YYYY-MM-DD.
        stays: cities and numbers of nights.
        mode: mode of transport of the whole trip; None for no restriction.
    """
    first = date.fromisoformat(start)
    days: list[dict[str, Any]] = []
    last = origin
    for city, nights in stays:
        role = "transit" if days else "departure"
        days.append({"role": role, "origin": last, "city": city, "nights": nights})
        days += [{"role": "stay", "city": city} for _ in range(nights - 1)]
        last = city
    days.append({"role": "return", "origin": last, "city": origin})
    return [{"date": str(first + timedelta(place)), "mode": mode, **day} for place, day in enumerate(days)]


def _name_features(
    name: str, request: Mapping[str, Any], visited: Sequence[str], found_cities: Sequence[str] = ()
) -> tuple[object, ...]:
    return (
        ("origin", name == request["origin"]),
        ("destination", name == request["destination"]),
        ("visited", name in visited),
        ("found", name in found_cities),
    )
