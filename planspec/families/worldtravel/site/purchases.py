"""Form fields with which a visit on a site costs as much as in a plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from typing import Any

from planspec.dsl.model.task import Task
from planspec.families.worldtravel.webscape.tables import Tables, WorldRow

GROWN_UP = 18
"""Age from which a family ticket counts somebody as an adult."""
CHILDREN_UNDER = 12
"""Age below which one has the children's menu."""
CHILD_MENU = "child_menu"
_Way = tuple[dict[str, str], Decimal]


@dataclass(frozen=True, slots=True)
class Purchase:
    """A visit as form fields.

    Attributes:
        place: place to visit.
        offer: ticket or table.
        fields: form fields by name.
    """

    place: WorldRow
    offer: WorldRow
    fields: Mapping[str, str]


def purchase(tables: Tables, task: Task, day: str, item: Mapping[str, Any]) -> Purchase | None:
    """Return the form fields for an item of an itinerary.

    Each traveller pays the cheapest fare open to the person. Family tickets, requested passes and requested
    extras are tried.

    Args:
        tables: tables of the world.
        task: task with the travellers and their wishes.
        day: date such as `2026-07-01`.
        item: item of the kind `attraction` or `restaurant`.

    Returns:
        None if no purchase costs that much.
    """
    place = tables.one("place", name=item["destination"])
    if place is None:
        return None
    start, end = item["time"].split("-")
    people = list(task.facts["Traveller"].rows)
    basic = {"at": start, "minutes": str(_minutes(end) - _minutes(start)), "people": str(len(people))}
    for offer in tables.of("offer", place=place["id"]):
        entries = tables.of("entry", offer=offer["id"], day=day)
        has_start = any(
            _minutes(entry["at"]) == _minutes(start) and int(entry["left"]) >= len(people)
            for entry in entries
        )
        if not has_start and (offer["booked"] == "true" or entries):
            continue
        for fields, cost in _ways(tables, task, place, offer, people):
            if cost == Decimal(str(item["cost"])):
                return Purchase(place, offer, basic | fields)
    return None


def _minutes(clock: str) -> int:
    hours, minutes = clock.split(":")
    return int(hours) * 60 + int(minutes)


def price(text: str) -> Decimal:
    """Return the number of an amount such as `12.50 EUR`."""
    return Decimal(text.split(maxsplit=1)[0])


def _counted(names: Sequence[str]) -> dict[str, str]:
    return {name: str(names.count(name)) for name in dict.fromkeys(names)}


def _ways(
    tables: Tables, task: Task, place: WorldRow, offer: WorldRow, people: Sequence[Any]
) -> Iterator[_Way]:
    """Yield the possible form fields besides time and people, each with its cost."""
    if place["kind"] == "restaurant":
        yield from _meals(tables, place, people)
        return
    addons = {wish.addon.id for wish in task.facts["WishAddon"].rows}  # type: ignore[attr-defined]
    extras = [addon for addon in tables.of("addon", place=place["id"]) if addon["id"] in addons]
    extra_fields = {f"addon:{addon['id']}": str(len(people)) for addon in extras}
    extras_cost = sum((price(addon["price"]) for addon in extras), Decimal()) * len(people)
    passes = {pass_.id for pass_ in task.givens["passes"]}
    for covers in tables.of("covers", place=place["id"]):
        bought = tables.one("city_pass", id=covers["pass"]) if covers["pass"] in passes else None
        if bought is not None:
            yield (
                {f"pass:{bought['id']}": str(len(people)), **extra_fields},
                price(bought["price"]) * len(people) + extras_cost,
            )
            yield extra_fields, extras_cost
    for fields, cost in _tickets(tables, offer, people):
        yield fields | extra_fields, cost + extras_cost


def _meals(tables: Tables, place: WorldRow, people: Sequence[Any]) -> Iterator[_Way]:
    courses = {row["course"]: price(row["price"]) for row in tables.of("menu", place=place["id"])}
    for course in courses:
        eaten = [CHILD_MENU if p.age < CHILDREN_UNDER and CHILD_MENU in courses else course for p in people]
        yield _counted([f"course:{one}" for one in eaten]), sum((courses[one] for one in eaten), Decimal())


def _tickets(tables: Tables, offer: WorldRow, people: Sequence[Any]) -> Iterator[_Way]:
    fares = [(f"fare:{offer['id']}:{n}", row) for n, row in enumerate(tables.of("fare", offer=offer["id"]))]
    yield from _alone(fares, people)
    family = tables.one("family_ticket", offer=offer["id"])
    if family is None:
        return
    big = sorted((p for p in people if p.age >= GROWN_UP), key=lambda p: -p.age)
    small = sorted((p for p in people if p.age < GROWN_UP), key=lambda p: -p.age)
    adults, children = int(family["adults"]), int(family["children"])
    for first, second in product(range(len(big) - adults + 1), range(max(0, len(small) - children) + 1)):
        rest = [*big[:first], *big[first + adults :], *small[:second], *small[second + children :]]
        for fields, cost in _alone(fares, rest):
            yield {f"family:{offer['id']}": "1", **fields}, cost + price(family["price"])


def _alone(fares: Sequence[tuple[str, WorldRow]], people: Sequence[Any]) -> Iterator[_Way]:
    """Yield the cheapest fare for each person, if all have one."""
    chosen: list[str] = []
    cost = Decimal()
    for person in people:
        open_ = [
            (price(fare["price"]), name) for name, fare in fares
            if int(fare["from_age"] or 0) <= person.age <= int(fare["to_age"] or 199)
            and (fare["eu"] != "true" or person.eu) and (fare["student"] != "true" or person.student)
        ]  # fmt: skip
        if not open_:
            return
        least, name = min(open_)
        cost += least
        chosen.append(name)
    yield _counted(chosen), cost
