"""More tasks of a shipped kind, to learn on and to hold out: towns for errands, and parts of schedules."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import yaml

import planspec

ERRANDS = ("parcel", "keys", "cake")
SHOPS = (
    "arcade bazaar boutique chandler clocktower copper corner counter crossing depot dispensary emporium exchange "
    "foundry gallery garage grocer harbour junction lantern market mews mill nook outlet parade pavilion quay "
    "rotunda saddler station stall tannery terrace tower vault warehouse yard"
).split()


def errands_tasks(count: int, seed: int, name: str) -> Iterator[dict[str, Any]]:
    """Yield errands in invented towns, with one, two or three of them in turn.

    Args:
        count: number of tasks.
        seed: seed of the towns.
        name: prefix of the ids.
    """
    random = Random(seed)
    for number in range(count):
        yield _errands_task(f"{name}-{number + 1:03}", (1, 1, 2, 1, 2, 3)[number % 6], random)


def _errands_task(id_: str, size: int, random: Random) -> dict[str, Any]:
    shops = sorted(random.sample(SHOPS, random.randint(4, 6)))
    offers = []
    for errand in ERRANDS:
        for shop in random.sample(shops, random.randint(2, 3)):
            offers.append(
                {"shop": shop, "errand": errand, "takes": f"{random.randrange(5, 25, 5)}min", "price": _money(random.randint(5, 30))}
            )
    ways = [{"origin": a, "to": b, "time": f"{random.randrange(5, 30, 5)}min"} for a, b in combinations(shops, 2)]
    wanted = sorted(random.sample(ERRANDS, size))
    leave = random.randrange(9 * 60, 16 * 60, 5)
    back_by = leave + 35 * size + random.randrange(0, 30, 5)
    dearest = sum(max(_euros(offer) for offer in offers if offer["errand"] == errand) for errand in wanted)
    budget = max(5, dearest - random.randint(0, 8))
    hours = {
        shop: (leave + random.randrange(-180, 20, 5), back_by + random.randrange(-10, 180, 5)) for shop in shops
    }
    return {
        "id": id_,
        "title": f"{size} errands",
        "currency": "EUR",
        "uses": ["errands"],
        "query": f"I leave at {_clock(leave)}. Please plan these errands: {', '.join(wanted)}. I must be done by "
        f"{_clock(back_by)}, and it may cost {budget} EUR.",
        "given": {"wanted": wanted, "leave": _clock(leave), "back_by": _clock(back_by), "budget": _money(budget)},
        "tables": {
            "Shop": {
                "rows": [
                    {"id": shop, "name": f"the {shop}", "opens": _clock(opens), "closes": _clock(closes)}
                    for shop, (opens, closes) in hours.items()
                ]
            },
            "Offer": {"rows": offers},
            "Way": {"rows": ways},
        },
        "scope": {
            "visits": [
                {
                    "for": "e in wanted",
                    "errand": "e",
                    "shop": "(o.shop for o in Offer if o.errand == e)",
                    "start": f"{_clock(leave)}..{_clock(back_by)} step 5min",
                }
            ]
        },
    }


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"


def _money(euros: int) -> str:
    return f"{euros}.00 EUR"


def _euros(offer: Mapping[str, str]) -> int:
    return int(offer["price"].partition(".")[0])
