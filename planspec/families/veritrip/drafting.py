"""Random queries in the proportions of the VeriTrip paper. Some are infeasible; `proving` selects those with a plan."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import permutations
from random import Random
from typing import TypeAlias, get_args

from planspec.families.veritrip.facts import Attraction, FactBase
from planspec.families.veritrip.query import Difficulty, Interest, Persona, Query, Ride, Traffic
from planspec.families.veritrip.timetable import FIRST_DAY, LAST_DAY
from planspec.families.veritrip.wording import replace_name_by_picture, wording

PROPORTIONS: dict[Difficulty, int] = {"Simple": 78, "Medium": 76, "Complex": 74}
"""Number of queries of each difficulty in the paper (Table 2)."""


@dataclass(frozen=True, slots=True)
class _QueryBounds:
    """Bounds on a query's numbers of days, people and preferences, from the paper's Table 2.

    Each attribute is a pair (min, max).
    """

    days: tuple[int, int]
    people: tuple[int, int]
    preferences: tuple[int, int]


QUERY_BOUNDS: dict[Difficulty, _QueryBounds] = {
    "Simple": _QueryBounds((2, 5), (1, 2), (1, 4)),
    "Medium": _QueryBounds((1, 6), (2, 5), (2, 5)),
    "Complex": _QueryBounds((3, 7), (2, 8), (2, 8)),
}
PERSONAS: tuple[tuple[Persona, range], ...] = (
    ("Solo traveler", range(1, 2)),
    ("Couple", range(2, 3)),
    ("Friends", range(2, 7)),
    ("Family (with elderly)", range(2, 7)),
    ("Family (with children)", range(3, 7)),
    ("Family (with elderly and children)", range(4, 9)),
    ("Two families", range(5, 9)),
)
"""Personas, with the possible numbers of travellers."""
MOST_NAMES = 3
"""Maximal number of names in one preference (the paper's prompt, E.3)."""

ShowablePlaces: TypeAlias = bool | Container[tuple[str, str]]
"""Places that queries may show in pictures: pairs of city and name, True for all, or False for none."""


def can_show(pictures: ShowablePlaces, city: str, name: str) -> bool:
    """Return whether a query may show the place in a picture."""
    return pictures if isinstance(pictures, bool) else (city, name) in pictures


def query_counts(total: int) -> dict[Difficulty, int]:
    """Split a number of queries by difficulty, in the paper's proportions (largest remainders)."""
    whole = sum(PROPORTIONS.values())
    counts = {name: total * part // whole for name, part in PROPORTIONS.items()}
    by_rest = sorted(
        PROPORTIONS, key=lambda name: (-(total * PROPORTIONS[name] % whole), list(PROPORTIONS).index(name))
    )
    for name in by_rest[: total - sum(counts.values())]:
        counts[name] += 1
    return counts


def draft_queries(
    base: FactBase, difficulty: Difficulty, seed: str, *, pictures: ShowablePlaces = True
) -> Iterator[Query]:
    """Yield an endless sequence of random queries. Pairs of cities take turns.

    The queries still lack ids and budgets.

    Args:
        base: fact base, including trains and flights.
        difficulty: difficulty of the queries.
        seed: seed of the queries.
        pictures: attractions that may be shown in a picture instead of being named.
    """
    pairs = list(permutations(base.cities, 2))
    random = Random(f"{seed}/{difficulty}")
    random.shuffle(pairs)
    turn = 0
    while True:
        start, target = pairs[turn % len(pairs)]
        turn += 1
        yield _draft_query(base, difficulty, start, target, random, pictures=pictures)


def _draft_query(
    base: FactBase,
    difficulty: Difficulty,
    start: str,
    target: str,
    random: Random,
    *,
    pictures: ShowablePlaces,
) -> Query:
    bounds = QUERY_BOUNDS[difficulty]
    days = random.randint(*bounds.days)
    people = random.randint(*bounds.people)
    first = FIRST_DAY + timedelta(days=random.randint(0, (LAST_DAY - FIRST_DAY).days - days + 1))
    last = first + timedelta(days=days - 1)
    count = random.randint(*bounds.preferences)
    persona = random.choice([name for name, sizes in PERSONAS if people in sizes])
    wishes = _draw_preferences(base, target, (first, last), people, count, random)
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
    # two thirds of the attractions, and at least one, are shown in pictures
    shown = tuple(name for name in query.attractions if random.random() < 0.67 and can_show(pictures, target, name))
    if not query.attractions:
        query, shown = _with_shown_sight(query, base, pictures)
    text = wording(query, shown, base.currency, random)
    showable = next((name for name in query.attractions if can_show(pictures, target, name)), None)
    if not shown and showable is not None:
        shown, text = (showable,), replace_name_by_picture(text, query, showable)
    return query.model_copy(update={"nature_language": text, "shown": shown})


def _with_shown_sight(query: Query, base: FactBase, pictures: ShowablePlaces) -> tuple[Query, tuple[str, ...]]:
    """Add a sight to a query without one. Return the new query, and the sights that its pictures show.

    If the query has as many preferences as its difficulty allows, the sight replaces its interest or a dish. The
    choice depends only on the query, so that other drafts do not change.

    Args:
        query: query without an attraction.
        base: fact base with the attractions of the destination.
        pictures: attractions that may be shown. If no attraction of the destination can be shown, the query is
            unchanged.
    """
    dates = query.start_date, query.end_date
    sights = [a.name for a in base.attractions if a.city == query.target_city and is_open_during(a, dates)]
    showable = [name for name in sights if can_show(pictures, query.target_city, name)]
    if not showable:
        return query, ()
    seed = f"{query.start_city}/{query.target_city}/{query.end_date}/{query.people_number}"
    sight = Random(seed).choice(showable)
    wishes: dict[str, str | None] = {"p_attraction": sight}
    if query.difficulty is not None and query.preferences >= QUERY_BOUNDS[query.difficulty].preferences[1]:
        wishes |= (
            {"p_interest": None} if query.p_interest is not None else {"p_meal": "|".join(query.meals[1:]) or None}
        )
    return query.model_copy(update=wishes), (sight,)


def _draw_preferences(
    base: FactBase, target: str, dates: tuple[date, date], people: int, count: int, random: Random
) -> dict[str, str]:
    """Draw `count` preferences, by field of the query. Each name of an attraction or a dish counts as one."""
    days = (dates[1] - dates[0]).days + 1
    sights = _shuffle([a.name for a in base.attractions if a.city == target and is_open_during(a, dates)], random)
    dishes = _shuffle(sorted({dish for r in base.restaurants if r.city == target for dish in r.dishes}), random)
    rooms = sorted(
        {room.kind for h in base.hotels if h.city == target for room in h.rooms if room.sleeps <= people + 1}
    )
    trains = any(s.vehicle == "train" for s in base.services)
    traffic: list[Traffic] = [word for word in get_args(Traffic) if trains or word == "Airplane"]
    single = {
        "p_accommodation": rooms if days > 1 else [],
        "p_interest": list(get_args(Interest)),
        "p_intercity_traffic": traffic,
        "p_innercity_traffic": list(get_args(Ride)),
    }
    open_ = {
        "p_attraction": min(MOST_NAMES, max(1, days - 1), len(sights)),
        "p_meal": min(MOST_NAMES, days, len(dishes)),
    }
    picks = _shuffle(
        [
            *(name for name, values in single.items() if values),
            *(name for name, n in open_.items() for _ in range(n)),
        ],
        random,
    )
    # most queries name a sight, since pictures show sights
    chosen = (["p_attraction", *picks] if random.random() < 0.8 and "p_attraction" not in picks[:count] else picks)[
        :count
    ]
    wishes: dict[str, str] = {name: random.choice(single[name]) for name in chosen if name in single}
    for name, names in (("p_attraction", sights), ("p_meal", dishes)):
        name_count = min(chosen.count(name), open_[name])
        if name_count:
            wishes[name] = "|".join(names[:name_count])
    return wishes


def is_open_during(sight: Attraction, dates: tuple[date, date]) -> bool:
    """Return whether the sight is open on at least one day of a trip.

    Args:
        sight: attraction.
        dates: first and last day of the trip.
    """
    days = (dates[1] - dates[0]).days + 1
    return any((dates[0] + timedelta(days=n)).weekday() not in sight.closed_on for n in range(days))


def _shuffle(items: list[str], random: Random) -> list[str]:
    random.shuffle(items)
    return items
