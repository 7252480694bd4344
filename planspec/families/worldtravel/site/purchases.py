"""Search for inputs to a booking form that book a visit at the cost in an itinerary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from typing import Any

from planspec.dsl.model.task import Task
from planspec.families.worldtravel.webscape.tables import Tables, WorldRow

GROWN_UP = 18
"""Age from which people count as adults for family tickets."""
CHILDREN_UNDER = 12
"""Age below which people eat from the children's menu."""
CHILD_MENU = "child_menu"
_FieldChoice = tuple[dict[str, str], Decimal]


@dataclass(frozen=True, slots=True)
class Purchase:
    """Inputs to a booking form that book a visit.

    Attributes:
        place: place to visit.
        offer: booked ticket or table.
        fields: values of the form fields, by name.
    """

    place: WorldRow
    offer: WorldRow
    fields: Mapping[str, str]


def find_purchase(tables: Tables, task: Task, day: str, item: Mapping[str, Any]) -> Purchase | None:
    """Find the form inputs that book a visit at the cost in the itinerary.

    If the item names a ticket, only that ticket is tried.

    Each traveller pays the cheapest fare that is open to them. Combinations with family tickets, requested
    passes and requested extras are tried.

    Args:
        tables: tables of the city.
        task: task with the travellers and their wishes.
        day: date such as `2026-07-01`.
        item: item of the kind `attraction` or `restaurant`.

    Returns:
        The purchase, or None if none has the cost of the item.
    """
    place = tables.row_where("place", name=item["destination"])
    if place is None:
        return None
    start, end = item["time"].split("-")
    people = list(task.facts["Traveller"].rows)
    basic = {"at": start, "minutes": str(_parse_clock(end) - _parse_clock(start)), "people": str(len(people))}
    for offer in tables.rows_where("offer", place=place["id"]):
        if item.get("ticket") not in (None, offer["name"]):
            continue
        entries = tables.rows_where("entry", offer=offer["id"], day=day)
        has_start = any(
            _parse_clock(entry["at"]) == _parse_clock(start) and int(entry["left"]) >= len(people) for entry in entries
        )
        if not has_start and (offer["booked"] == "true" or entries):
            continue
        for fields, cost in _field_choices(tables, task, place, offer, people):
            if cost == Decimal(str(item["cost"])):
                return Purchase(place, offer, basic | fields)
    return None


def _parse_clock(clock: str) -> int:
    hours, minutes = clock.split(":")
    return int(hours) * 60 + int(minutes)


def parse_price(text: str) -> Decimal:
    """Parse an amount such as `12.50 EUR` into a number without the currency."""
    return Decimal(text.split(maxsplit=1)[0])


def _quantity_by_name(names: Sequence[str]) -> dict[str, str]:
    """Return each distinct name with the number of its occurrences, as fields of a form."""
    return {name: str(names.count(name)) for name in dict.fromkeys(names)}


def _field_choices(
    tables: Tables, task: Task, place: WorldRow, offer: WorldRow, people: Sequence[Any]
) -> Iterator[_FieldChoice]:
    """Yield possible form fields for tickets, meals and extras, each with their total cost."""
    if place["kind"] == "restaurant":
        yield from _meal_choices(tables, place, people)
        return
    addons = {wish.addon.id for wish in task.facts["WishAddon"].rows}  # type: ignore[attr-defined]
    extras = [addon for addon in tables.rows_where("addon", place=place["id"]) if addon["id"] in addons]
    extra_fields = {f"addon:{addon['id']}": str(len(people)) for addon in extras}
    extras_cost = sum((parse_price(addon["price"]) for addon in extras), Decimal()) * len(people)
    passes = {pass_.id for pass_ in task.givens["passes"]}
    for covers in tables.rows_where("covers", place=place["id"]):
        bought = tables.row_where("city_pass", id=covers["pass"]) if covers["pass"] in passes else None
        if bought is not None:
            yield (
                {f"pass:{bought['id']}": str(len(people)), **extra_fields},
                parse_price(bought["price"]) * len(people) + extras_cost,
            )
            yield extra_fields, extras_cost
    for fields, cost in _ticket_choices(tables, offer, people):
        yield fields | extra_fields, cost + extras_cost


def _meal_choices(tables: Tables, place: WorldRow, people: Sequence[Any]) -> Iterator[_FieldChoice]:
    courses = {row["course"]: parse_price(row["price"]) for row in tables.rows_where("menu", place=place["id"])}
    for course in courses:
        meal_courses = [CHILD_MENU if p.age < CHILDREN_UNDER and CHILD_MENU in courses else course for p in people]
        yield (
            _quantity_by_name([f"course:{one}" for one in meal_courses]),
            sum((courses[one] for one in meal_courses), Decimal()),
        )


def _ticket_choices(tables: Tables, offer: WorldRow, people: Sequence[Any]) -> Iterator[_FieldChoice]:
    fares = [(f"fare:{offer['id']}:{n}", row) for n, row in enumerate(tables.rows_where("fare", offer=offer["id"]))]
    yield from _single_ticket_choice(fares, people)
    family = tables.row_where("family_ticket", offer=offer["id"])
    if family is None:
        return
    big = sorted((p for p in people if p.age >= GROWN_UP), key=lambda p: -p.age)
    small = sorted((p for p in people if p.age < GROWN_UP), key=lambda p: -p.age)
    adults, children = int(family["adults"]), int(family["children"])
    for first, second in product(range(len(big) - adults + 1), range(max(0, len(small) - children) + 1)):
        rest = [*big[:first], *big[first + adults :], *small[:second], *small[second + children :]]
        for fields, cost in _single_ticket_choice(fares, rest):
            yield {f"family:{offer['id']}": "1", **fields}, cost + parse_price(family["price"])


def _single_ticket_choice(fares: Sequence[tuple[str, WorldRow]], people: Sequence[Any]) -> Iterator[_FieldChoice]:
    """Yield the form fields for single tickets at the cheapest fares, and their cost.

    Yield nothing if a person has no fare.
    """
    chosen: list[str] = []
    cost = Decimal()
    for person in people:
        open_ = [
            (parse_price(fare["price"]), name)
            for name, fare in fares
            if int(fare["from_age"] or 0) <= person.age <= int(fare["to_age"] or 199)
            and (fare["eu"] != "true" or person.eu)
            and (fare["student"] != "true" or person.student)
        ]
        if not open_:
            return
        least, name = min(open_)
        cost += least
        chosen.append(name)
    yield _quantity_by_name(chosen), cost
