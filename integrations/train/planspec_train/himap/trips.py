"""Generator of queries for trips in the small shipped world."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from random import Random
from typing import Any

from planspec_train.splits import Split

DESTINATIONS: Mapping[Split, Sequence[str]] = {
    "train": ("Brindle", "Corvane", "Brindleton", "Orla"),
    "validation": ("Tamsin", "Wexcombe"),
    "held-out": ("Quillport",),
}
"""Destinations by split. No two splits share a hotel, a restaurant or an attraction."""
ORIGINS: Mapping[Split, Sequence[str]] = {
    "train": ("Marrowby", "Dunlow"),
    "validation": ("Marrowby", "Dunlow"),
    "held-out": ("Marrowby", "Dunlow"),
}
"""Cities where trips begin. No transport goes from Dunlow to Orla."""
FIRST_DAYS = (3, 5, 7, 8, 10, 12, 14, 15, 20, 22)
"""Days of March 2022 on which trips begin; on most of them there are flights."""
PEOPLE = {1: ("one person", "1 person", "a single traveller"), 2: ("two people", "2 people", "a party of two")}
TRANSPORT = {"no self-driving": "We will not drive ourselves.", "no flight": "We do not want to fly."}
ROOMS = {"private room": "We need private rooms.", "entire room": "We want an entire home."}
RULES = {"pets": "Our pets come along.", "smoking": "We smoke."}
TEMPLATES = (
    "Please plan a trip from {org} to {dest}, {first} to {last}, for {people} with a budget of ${budget}.{wishes}",
    (
        "We set out from {org} and want to see {dest} from {first} to {last}. This is for {people}, and ${budget} is the "
        "limit.{wishes}"
    ),
    (
        "Could you plan {days} days in {dest} for {people}? We leave {org} on {first}, come back on {last}, and can spend "
        "${budget}.{wishes}"
    ),
    (
        "With ${budget} for {people}, plan {days} days: from {org} to {dest}, beginning on {first} and ending on "
        "{last}.{wishes}"
    ),
)
DAYS = 3
WORDS = {3: "three"}


def trip_queries(count: int, seed: int, split: Split) -> Iterator[dict[str, Any]]:
    """Yield queries in TravelPlanner's format, each for three days in one city.

    Args:
        count: number of queries.
        seed: seed of the choices.
        split: the split. Splits have no common destinations.
    """
    random = Random(seed)
    for number in range(count):
        yield _query(number + 1, random, split)


def _query(number: int, random: Random, split: Split) -> dict[str, Any]:
    origin, destination = random.choice(ORIGINS[split]), random.choice(DESTINATIONS[split])
    people = random.choice((1, 1, 2))
    first = date(2022, 3, random.choice(FIRST_DAYS))
    dates = [first + timedelta(day) for day in range(DAYS)]
    transport = random.choice((*[None] * 6, *TRANSPORT))
    room = random.choice((*[None] * 6, *ROOMS))
    rule = random.choice((*[None] * 6, *RULES))
    budget = 10 * random.randint(30 + 20 * people, 60 + 60 * people)
    wishes = [
        text
        for texts, wish in ((TRANSPORT, transport), (ROOMS, room), (RULES, rule))
        for text in ([texts[wish]] if wish else [])
    ]
    random.shuffle(wishes)
    text = random.choice(TEMPLATES).format(
        org=origin,
        dest=destination,
        days=WORDS[DAYS],
        first=_date_text(dates[0]),
        last=_date_text(dates[-1]),
        people=random.choice(PEOPLE[people]),
        budget=budget,
        wishes="".join(f" {wish}" for wish in wishes),
    )
    return {
        "idx": number,
        "org": origin,
        "dest": destination,
        "days": DAYS,
        "visiting_city_number": 1,
        "date": [str(each) for each in dates],
        "people_number": people,
        "local_constraint": {"house rule": rule, "cuisine": None, "room type": room, "transportation": transport},
        "budget": budget,
        "query": text,
        "level": "medium" if wishes else "easy",
    }


def _date_text(day: date) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10 if day.day not in (11, 12, 13) else 0, "th")
    return f"{day:%B} {day.day}{ending}, {day.year}"
