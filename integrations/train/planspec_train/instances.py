"""Generated tasks of shipped kinds, for each split: errands in invented towns, and parts of shipped schedules."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import planspec
from planspec_train.splits import Split

ERRANDS = ("parcel", "keys", "cake")
SHOPS = (
    "arcade bazaar boutique chandler clocktower copper corner counter crossing depot dispensary emporium exchange "
    "foundry gallery garage grocer harbour junction lantern market mews mill nook outlet parade pavilion quay "
    "rotunda saddler station stall tannery terrace tower vault warehouse yard"
)


def errands_tasks(count: int, seed: int, name: str) -> Iterator[dict[str, Any]]:
    """Yield tasks with one, two or three errands in invented towns.

    Args:
        count: number of tasks.
        seed: seed of the towns.
        name: prefix of the ids.
    """
    random = Random(seed)
    for number in range(count):
        yield _errands_task(f"{name}-{number + 1:03}", (1, 1, 2, 1, 2, 3)[number % 6], random)


def _errands_task(id_: str, size: int, random: Random) -> dict[str, Any]:
    shops = sorted(random.sample(SHOPS.split(), random.randint(4, 6)))
    offers = [
        {
            "shop": shop,
            "errand": errand,
            "takes": f"{random.randrange(5, 25, 5)}min",
            "price": _money(random.randint(5, 30)),
        }
        for errand in ERRANDS
        for shop in random.sample(shops, random.randint(2, 3))
    ]
    ways = [{"origin": a, "to": b, "time": f"{random.randrange(5, 30, 5)}min"} for a, b in combinations(shops, 2)]
    errands = sorted(random.sample(ERRANDS, size))
    leave = random.randrange(9 * 60, 16 * 60, 5)
    back_by = leave + 35 * size + random.randrange(0, 30, 5)
    dearest = sum(max(_euros(offer) for offer in offers if offer["errand"] == errand) for errand in errands)
    budget = max(5, dearest - random.randint(0, 8))
    hours = {shop: (leave + random.randrange(-180, 20, 5), back_by + random.randrange(-10, 180, 5)) for shop in shops}
    return {
        "id": id_,
        "title": f"{size} errands",
        "currency": "EUR",
        "uses": ["errands"],
        "query": f"I leave at {_time_text(leave)}. Please plan these errands: {', '.join(errands)}. I must be done by "
        f"{_time_text(back_by)}, and it may cost {budget} EUR.",
        "given": {
            "wanted": errands,
            "leave": _time_text(leave),
            "back_by": _time_text(back_by),
            "budget": _money(budget),
        },
        "tables": {
            "Shop": {
                "rows": [
                    {"id": shop, "name": f"the {shop}", "opens": _time_text(opens), "closes": _time_text(closes)}
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
                    "start": f"{_time_text(leave)}..{_time_text(back_by)} step 5min",
                }
            ]
        },
    }


def _time_text(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"


def _money(euros: int) -> str:
    return f"{euros}.00 EUR"


def _euros(offer: Mapping[str, str]) -> int:
    return int(offer["price"].partition(".")[0])


@dataclass(frozen=True, slots=True)
class ShippedSchedule:
    """A shipped scheduling task from which smaller tasks are made by choosing rows.

    Attributes:
        task: id of the shipped task.
        table: table whose rows are chosen.
        sizes: numbers of rows of the smaller tasks, used in turn.
        window: rows are chosen among `window` more neighbouring rows than the smaller task gets.
    """

    task: str
    table: str
    sizes: Sequence[int]
    window: int


SCHEDULES = (
    ShippedSchedule("ovens", "Bake", (1, 2, 3, 5, 8), 2),
    ShippedSchedule("shop-floor", "Order", (1, 1, 2, 3), 4),
)
"""The tasks of `scheduling` that a policy can solve row by row without violating a rule."""
TENTHS: Mapping[Split, tuple[int, int]] = {"held-out": (0, 3), "train": (3, 7), "validation": (7, 10)}
"""Range of a schedule's rows for the tasks of each split, in tenths from the first row."""


def schedule_parts(count: int, seed: int, split: Split) -> Iterator[tuple[str, str]]:
    """Yield ids and documents of tasks that are parts of shipped schedules. Parts in different splits share no row.

    Args:
        count: number of draws from each schedule. A part that was drawn before is left out.
        seed: seed of the choices.
        split: the split; its name is also the prefix of the ids.
    """
    for schedule in SCHEDULES:
        text = Path(planspec.load(schedule.task).span.source.name).read_text("utf-8")
        shown = planspec.environment(schedule.task).observation.materials[schedule.table]
        keys = [row["id"] for row in csv.DictReader(io.StringIO(shown))]
        random = Random(f"{seed} {schedule.task}")
        first_tenth, end_tenth = TENTHS[split]
        pool = keys[len(keys) * first_tenth // 10 : len(keys) * end_tenth // 10]
        seen: set[frozenset[str]] = set()
        for number in range(count):
            size = schedule.sizes[number % len(schedule.sizes)]
            near = min(len(pool), size + schedule.window)
            first = random.randint(0, len(pool) - near)
            part = frozenset(random.sample(pool[first : first + near], size))
            if part not in seen:
                seen.add(part)
                id_ = f"{split}-{schedule.task}-{len(seen):03}"
                yield id_, part_of(text, id_, [key for key in keys if key in part], set(keys) - part)


def part_of(text: str, id_: str, part: Sequence[str], dropped: AbstractSet[str]) -> str:
    """Return the document of a task without the table rows that contain one of the keys in `dropped`.

    Reference, cases and objective are left out because they refer to the whole task.
    """
    lines: list[str] = []
    section = ""
    for line in text.splitlines():
        if match := re.match(r"[a-z]+(?=:)", line):
            if section == "query":
                lines.append(f"  Only these are left: {', '.join(part)}.")
            section = match[0]
        if section in ("reference", "cases", "minimize") or (
            section == "tables" and not dropped.isdisjoint(re.findall(r"[\w-]+", line))
        ):
            continue
        lines.append(f"id: {id_}" if section == "id" else line)
    return "\n".join(lines) + "\n"
