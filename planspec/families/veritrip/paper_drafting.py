"""Random queries for a large fact base. Preferences and pictures follow the VeriTrip paper's prompt."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from datetime import timedelta
from random import Random
from typing import get_args

from planspec.families.veritrip.drafting import (
    MOST_NAMES,
    PERSONAS,
    QUERY_BOUNDS,
    ShowablePlaces,
    can_show,
    is_open_during,
)
from planspec.families.veritrip.facts import Attraction, FactBase, Restaurant
from planspec.families.veritrip.query import Difficulty, Interest, Query, Ride, Traffic
from planspec.families.veritrip.timetable import FIRST_DAY, LAST_DAY, kilometres
from planspec.families.veritrip.wording import varied_wording

PREFERENCES: Mapping[Difficulty, Mapping[int, int]] = {
    "Simple": {1: 8, 2: 42, 3: 42, 4: 8},
    "Medium": {2: 8, 3: 42, 4: 42, 5: 8},
    "Complex": {2: 3, 3: 4, 4: 5, 5: 34, 6: 28, 7: 16, 8: 10},
}
"""For each difficulty, weights of the possible numbers of preferences of a query.

The numbers are within the bounds of the paper's Table 2. Most queries have the number that the paper's prompt (E.3)
requests: two or three if simple, three or four if medium, more than four if complex.
"""
SHOWN_PERCENT = 60
"""Percentage of the requested sights that are shown in pictures.

The first sight of a query is always shown.
"""
RESTAURANT_PERCENT, SHOWN_RESTAURANT_PERCENT = 25, 60
"""Percentage of meal preferences that name a restaurant, and percentage of these restaurants shown in pictures."""
FAMOUS_PERCENT = 75
"""Percentage of the requested sights that are drawn from the first `FAMOUS_COUNT` sights of the city."""
FAMOUS_COUNT = 24
NEIGHBOURS_KM = 300
"""Maximum distance in kilometres between cities that count as neighbours.

If there are trains, no query requests a flight between neighbours.
"""
ROOM_KINDS = ("Double room", "Twin room", "Single room", "Family room")
"""Kinds of rooms named in the paper's prompt."""


def draft_paper_queries(
    base: FactBase, difficulty: Difficulty, target: str, seed: str, *, pictures: ShowablePlaces = True
) -> Iterator[Query]:
    """Yield an endless sequence of random queries for trips to a city from the other cities.

    The queries still lack ids and budgets.

    Args:
        base: fact base, including trains and flights.
        difficulty: difficulty of the queries.
        target: destination.
        seed: seed of the queries.
        pictures: places that may be shown in a picture instead of being named.
    """
    random = Random(f"{seed}/{difficulty}/{target}")
    sights = [a for a in base.attractions if a.city == target]
    restaurants = [r for r in base.restaurants if r.city == target and _is_open_for_meals(r)]
    offered = {room.kind for h in base.hotels if h.city == target for room in h.rooms}
    room_kinds = [kind for kind in ROOM_KINDS if kind in offered]
    has_trains = any(s.vehicle == "train" for s in base.services)
    start_cities = [city for city in base.cities if city != target]
    neighbour_cities = neighbours(base, target) if has_trains else frozenset()
    while True:
        yield _draft_query(
            random,
            difficulty,
            target,
            start_cities,
            sights,
            restaurants,
            room_kinds,
            base.currency,
            neighbour_cities,
            has_trains=has_trains,
            pictures=pictures,
        )


def neighbours(base: FactBase, city: str) -> frozenset[str]:
    """Return the other cities less than 300 km away.

    The distance of two cities is measured between their first places in `FactBase.pois`.
    """
    first = {poi.city: poi for poi in reversed(base.pois)}
    return frozenset(
        other
        for other, poi in first.items()
        if city in first and other != city and kilometres(first[city], poi) < NEIGHBOURS_KM
    )


def _is_open_for_meals(restaurant: Restaurant) -> bool:
    return restaurant.opens <= 12 * 60 and restaurant.closes >= 19 * 60


def _draft_query(
    random: Random,
    difficulty: Difficulty,
    target: str,
    start_cities: Sequence[str],
    sights: Sequence[Attraction],
    restaurants: Sequence[Restaurant],
    room_kinds: Sequence[str],
    currency: str,
    neighbour_cities: Container[str],
    *,
    has_trains: bool,
    pictures: ShowablePlaces,
) -> Query:
    """Draw a query for a trip.

    Args:
        random: source of all choices.
        difficulty: difficulty of the query.
        target: destination.
        start_cities: cities where the trip may begin.
        sights: attractions of the destination.
        restaurants: restaurants of the destination that are open for lunch and dinner.
        room_kinds: kinds of rooms that hotels of the destination offer.
        currency: currency of the prices.
        neighbour_cities: cities from which no query requests a flight.
        has_trains: whether queries may request a train.
        pictures: places that may be shown in a picture instead of being named.
    """
    bounds = QUERY_BOUNDS[difficulty]
    days, people = random.randint(*bounds.days), random.randint(*bounds.people)
    first = FIRST_DAY + timedelta(days=random.randint(0, (LAST_DAY - FIRST_DAY).days - days + 1))
    last = first + timedelta(days=days - 1)
    weights = PREFERENCES[difficulty]
    count = random.choices(list(weights), list(weights.values()))[0]
    traffic: list[Traffic] = [word for word in get_args(Traffic) if has_trains or word == "Airplane"]
    single: dict[str, Sequence[str]] = {
        "p_accommodation": room_kinds if days > 1 else (),
        "p_interest": get_args(Interest),
        "p_intercity_traffic": traffic,
        "p_innercity_traffic": get_args(Ride),
    }
    most = {"p_attraction": min(MOST_NAMES, max(1, days - 1)), "p_meal": min(MOST_NAMES, days)}
    picks = [
        *(name for name, values in single.items() if values),
        *(n for n, limit in most.items() for _ in range(limit)),
    ]
    picks.remove("p_attraction")  # always comes first, since pictures show sights
    random.shuffle(picks)
    chosen = ["p_attraction", *picks][:count]
    wishes: dict[str, str] = {name: random.choice(single[name]) for name in chosen if name in single}
    open_ = [a for a in sights if is_open_during(a, (first, last))]
    named = _draw_sights(open_, chosen.count("p_attraction"), random)
    wishes["p_attraction"] = "|".join(named)
    meals, restaurant_names = _draw_meals(restaurants, chosen.count("p_meal"), random)
    if meals:
        wishes["p_meal"] = "|".join(meals)
    persona = random.choice([name for name, sizes in PERSONAS if people in sizes])
    start = random.choice(start_cities)
    if start in neighbour_cities and wishes.get("p_intercity_traffic") == "Airplane":
        wishes["p_intercity_traffic"] = "High-speed rail"
    query = Query(
        id="draft",
        start_city=start,
        target_city=target,
        start_date=first,
        end_date=last,
        people_number=people,
        persona=persona,
        have_pet=random.random() < 0.08,
        difficulty=difficulty,
        nature_language="",
        **wishes,  # type: ignore[arg-type]
    )
    shown: list[str] = []
    if pictures:
        shown = [name for n, name in enumerate(named) if n == 0 or random.randrange(100) < SHOWN_PERCENT]
        shown += [name for name in restaurant_names if random.randrange(100) < SHOWN_RESTAURANT_PERCENT]
        shown = [name for name in shown if can_show(pictures, target, name)]
    return query.model_copy(
        update={"nature_language": varied_wording(query, shown, currency, random), "shown": tuple(shown)}
    )


def _draw_sights(sights: Sequence[Attraction], count: int, random: Random) -> list[str]:
    famous, others = [a.name for a in sights[:FAMOUS_COUNT]], [a.name for a in sights[FAMOUS_COUNT:]]
    chosen: dict[str, None] = {}
    while len(chosen) < min(count, len(sights)):
        group = famous if random.randrange(100) < FAMOUS_PERCENT or not others else others
        chosen[random.choice(group)] = None
    return list(chosen)


def _draw_meals(restaurants: Sequence[Restaurant], count: int, random: Random) -> tuple[list[str], list[str]]:
    """Draw the names in a meal preference. Return all of them, and separately the names of restaurants."""
    dishes = sorted({dish for restaurant in restaurants for dish in restaurant.dishes})
    chosen: dict[str, None] = {}
    restaurant_names = []
    while len(chosen) < count:
        if random.randrange(100) < RESTAURANT_PERCENT:
            name = random.choice(restaurants[: 2 * FAMOUS_COUNT]).name
            if name not in chosen:
                restaurant_names.append(name)
        else:
            name = random.choice(dishes)
        chosen[name] = None
    return list(chosen), restaurant_names
