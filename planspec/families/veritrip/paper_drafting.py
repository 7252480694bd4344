"""Random queries for a large fact base, each with a picture.

They have as many preferences as the paper's prompt requests.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from datetime import timedelta
from random import Random
from typing import get_args

from planspec.families.veritrip.drafting import (
    BANDS,
    MOST_NAMES,
    PERSONAS,
    Showable,
    showable,
    visitable,
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
"""Weights of the numbers of preferences, within the bounds of the paper's Table 2.

Most queries have as many as its prompt (E.3) requests: two or three, three or four, more than four.
"""
SHOWN = 60
"""Percentage of the requested sights after the first that are shown in pictures; the first always is."""
TABLES, SHOWN_TABLES = 25, 60
"""Percentages of meal wishes that name a restaurant, and of these restaurants, shown in a picture instead."""
REAL = 75
"""Percentage of the requested sights that are among the first of the city, which are real places."""
FAMOUS = 24
NEIGHBOURS_KM = 300
"""Distance between cities up to which nobody requests a flight if there are trains."""
ROOMS = ("Double room", "Twin room", "Single room", "Family room")
"""Kinds of rooms named in the paper's prompt."""


def paper_drafts(
    base: FactBase, difficulty: Difficulty, target: str, seed: str, *, pictures: Showable = True
) -> Iterator[Query]:
    """Yield queries without end for trips to a city from the others, without ids and budgets.

    Args:
        base: fact base with services.
        difficulty: difficulty of the queries.
        target: destination.
        seed: seed of the queries.
        pictures: places that may be shown in pictures instead of being named, some in each query.
    """
    random = Random(f"{seed}/{difficulty}/{target}")
    sights = [a for a in base.attractions if a.city == target]
    tables = [r for r in base.restaurants if r.city == target and _open_for_a_meal(r)]
    offered = {room.kind for h in base.hotels if h.city == target for room in h.rooms}
    rooms = [kind for kind in ROOMS if kind in offered]
    trains = any(s.vehicle == "train" for s in base.services)
    starts = [city for city in base.cities if city != target]
    near = neighbours(base, target) if trains else frozenset()
    while True:
        yield _draft(
            random,
            difficulty,
            target,
            starts,
            sights,
            tables,
            rooms,
            base.currency,
            near,
            trains=trains,
            pictures=pictures,
        )


def neighbours(base: FactBase, city: str) -> frozenset[str]:
    """Return the other cities less than 300 km away, measured between the first places of each."""
    first = {poi.city: poi for poi in reversed(base.pois)}
    return frozenset(
        other
        for other, poi in first.items()
        if city in first and other != city and kilometres(first[city], poi) < NEIGHBOURS_KM
    )


def _open_for_a_meal(table: Restaurant) -> bool:
    return table.opens <= 12 * 60 and table.closes >= 19 * 60


def _draft(
    random: Random,
    difficulty: Difficulty,
    target: str,
    starts: Sequence[str],
    sights: Sequence[Attraction],
    tables: Sequence[Restaurant],
    rooms: Sequence[str],
    currency: str,
    near: Container[str],
    *,
    trains: bool,
    pictures: Showable,
) -> Query:
    band = BANDS[difficulty]
    days, people = random.randint(*band.days), random.randint(*band.people)
    first = FIRST_DAY + timedelta(days=random.randint(0, (LAST_DAY - FIRST_DAY).days - days + 1))
    last = first + timedelta(days=days - 1)
    weights = PREFERENCES[difficulty]
    count = random.choices(list(weights), list(weights.values()))[0]
    traffic: list[Traffic] = [word for word in get_args(Traffic) if trains or word == "Airplane"]
    single: dict[str, Sequence[str]] = {
        "p_accommodation": rooms if days > 1 else (),
        "p_interest": get_args(Interest),
        "p_intercity_traffic": traffic,
        "p_innercity_traffic": get_args(Ride),
    }
    most = {"p_attraction": min(MOST_NAMES, max(1, days - 1)), "p_meal": min(MOST_NAMES, days)}
    picks = [
        *(name for name, values in single.items() if values),
        *(n for n, limit in most.items() for _ in range(limit)),
    ]
    picks.remove("p_attraction")  # the first preference, since pictures stand for sights
    random.shuffle(picks)
    chosen = ["p_attraction", *picks][:count]
    wishes: dict[str, str] = {name: random.choice(single[name]) for name in chosen if name in single}
    open_ = [a for a in sights if visitable(a, (first, last))]
    named = _some_sights(open_, chosen.count("p_attraction"), random)
    wishes["p_attraction"] = "|".join(named)
    meals, houses = _some_meals(tables, chosen.count("p_meal"), random)
    if meals:
        wishes["p_meal"] = "|".join(meals)
    persona = random.choice([name for name, sizes in PERSONAS if people in sizes])
    start = random.choice(starts)
    if start in near and wishes.get("p_intercity_traffic") == "Airplane":
        wishes["p_intercity_traffic"] = "High-speed rail"
    query = Query(
        id="draft", start_city=start, target_city=target, start_date=first, end_date=last, people_number=people,
        persona=persona, have_pet=random.random() < 0.08, difficulty=difficulty, nature_language="",
        **wishes,  # type: ignore[arg-type]
    )  # fmt: skip
    shown: list[str] = []
    if pictures:
        shown = [name for n, name in enumerate(named) if n == 0 or random.randrange(100) < SHOWN]
        shown += [name for name in houses if random.randrange(100) < SHOWN_TABLES]
        shown = [name for name in shown if showable(pictures, target, name)]
    return query.model_copy(
        update={"nature_language": varied_wording(query, shown, currency, random), "shown": tuple(shown)}
    )


def _some_sights(sights: Sequence[Attraction], count: int, random: Random) -> list[str]:
    famous, others = [a.name for a in sights[:FAMOUS]], [a.name for a in sights[FAMOUS:]]
    chosen: dict[str, None] = {}
    while len(chosen) < min(count, len(sights)):
        group = famous if random.randrange(100) < REAL or not others else others
        chosen[random.choice(group)] = None
    return list(chosen)


def _some_meals(tables: Sequence[Restaurant], count: int, random: Random) -> tuple[list[str], list[str]]:
    """Draw meal preferences; return them and the restaurants among them."""
    dishes = sorted({dish for table in tables for dish in table.dishes})
    chosen: dict[str, None] = {}
    houses = []
    while len(chosen) < count:
        if random.randrange(100) < TABLES:
            name = random.choice(tables[: 2 * FAMOUS]).name
            if name not in chosen:
                houses.append(name)
        else:
            name = random.choice(dishes)
        chosen[name] = None
    return list(chosen), houses
