"""An agent that books a plan by clicking: it searches, chooses days, fills forms in, and finishes; nothing goes past the pages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any

from planspec.dsl.model.task import Task
from planspec.families.worldtravel.webscape.tables import Row, Tables


@dataclass(frozen=True)
class Purchase:
    """A visit as a form wants it: fields by name."""

    place: Row
    offer: Row
    fields: Mapping[str, str]


def reference(task: Task) -> Any:
    """The author's itinerary, which the oracle knows."""
    path = Path(task.span.source.name).parent / "answers" / f"{task.id}.reference.json"
    return json.loads(path.read_text("utf-8"))["itinerary"]


def purchase(tables: Tables, task: Task, day: str, item: Mapping[str, Any]) -> Purchase | None:
    """What has to be filled in so that a visit costs what the plan says; None where it takes a pass or an extra."""
    place = tables.one("place", name=item["destination"])
    assert place is not None
    start, end = item["time"].split("-")
    people = list(task.facts["Traveller"].rows)
    basic = {"at": start, "minutes": str(_minutes(end) - _minutes(start)), "people": str(len(people))}
    for offer in tables.of("offer", place=place["id"]):
        entries = tables.of("entry", offer=offer["id"], day=day)
        if not any(entry["at"] == start and int(entry["left"]) >= len(people) for entry in entries) and (
            offer["booked"] == "true" or entries
        ):
            continue
        if place["kind"] == "restaurant":
            ways = _meals(tables, place, people)
        else:
            ways = _tickets(tables, offer, people)
        for fields, cost in ways:
            if cost == Decimal(str(item["cost"])):
                return Purchase(place, offer, basic | fields)
    return None


def _minutes(clock: str) -> int:
    hours, minutes = clock.split(":")
    return int(hours) * 60 + int(minutes)


def _price(text: str) -> Decimal:
    return Decimal(text.split(maxsplit=1)[0])


def _counted(names: list[str]) -> dict[str, str]:
    return {name: str(names.count(name)) for name in dict.fromkeys(names)}


def _meals(tables: Tables, place: Row, people: list[Any]) -> Iterator[tuple[dict[str, str], Decimal]]:
    courses = {row["course"]: _price(row["price"]) for row in tables.of("menu", place=place["id"])}
    for course in courses:
        eaten = ["children" if p.age < 12 and "children" in courses else course for p in people]
        yield _counted([f"course:{one}" for one in eaten]), sum((courses[one] for one in eaten), Decimal())


def _tickets(tables: Tables, offer: Row, people: list[Any]) -> Iterator[tuple[dict[str, str], Decimal]]:
    fares = [(f"fare:{offer['id']}:{n}", row) for n, row in enumerate(tables.of("fare", offer=offer["id"]))]
    family = tables.one("family_ticket", offer=offer["id"])
    yield from _alone(fares, people, {}, Decimal())
    if family is None:
        return
    big = sorted((p for p in people if p.age >= 18), key=lambda p: -p.age)
    small = sorted((p for p in people if p.age < 18), key=lambda p: -p.age)
    adults, children = int(family["adults"]), int(family["children"])
    for first, second in product(range(len(big) - adults + 1), range(max(0, len(small) - children) + 1)):
        rest = [*big[:first], *big[first + adults :], *small[:second], *small[second + children :]]
        yield from _alone(fares, rest, {f"family:{offer['id']}": "1"}, _price(family["price"]))


def _alone(
    fares: list[tuple[str, Row]], people: list[Any], more: dict[str, str], cost: Decimal
) -> Iterator[tuple[dict[str, str], Decimal]]:
    """Each pays the least that is open to him."""
    chosen: list[str] = []
    for person in people:
        open_ = [
            (_price(fare["price"]), name) for name, fare in fares
            if int(fare["from_age"] or 0) <= person.age <= int(fare["to_age"] or 199)
            and (fare["eu"] != "true" or person.eu) and (fare["student"] != "true" or person.student)
        ]  # fmt: skip
        if not open_:
            return
        price, name = min(open_)
        cost += price
        chosen.append(name)
    yield more | _counted(chosen), cost


def click(page: Any, url: str, tables: Tables, task: Task) -> Any:
    """Book the author's plan of a task on a site, and return the answer that the site makes of it.

    Args:
        page: Playwright's, in a session of its own.
        url: of the site.
        tables: of its world.
        task: of which every visit has a purchase.
    """
    page.goto(f"{url}/requests/{task.id}")
    assert task.query.split()[0] in page.inner_text("body")
    year = task.givens["trip"][0].isoformat()[:4] if hasattr(task.givens["trip"][0], "isoformat") else "2026"
    days = reference(task)
    people = str(len(task.facts["Traveller"].rows))
    for day in days:
        month, number = day["date"].split(".")
        date = f"{year}-{int(month):02}-{int(number):02}"
        for item in day["schedule"]:
            if item["item"] == "hotel" and item["cost"]:
                _stay(page, tables, item, len(task.facts["Traveller"].rows))
            elif item["item"] == "transportation":
                _ride(page, item, date, people)
            elif item["item"] != "hotel":
                wanted = purchase(tables, task, date, item)
                assert wanted is not None
                _visit(page, wanted, date)
    page.get_by_role("link", name="Your trip").first.click()
    page.get_by_role("button", name="Finish").click()
    assert "finished" in page.inner_text("body")
    return page.context.request.get(f"{url}/answer.json").json()


def _booked(page: Any) -> None:
    assert page.url.endswith("/trip"), page.inner_text("body")[:400]


def _stay(page: Any, tables: Tables, item: Mapping[str, Any], people: int) -> None:
    page.get_by_role("link", name="Hotels").first.click()
    hotel = tables.one("hotel", name=item["destination"])
    assert hotel is not None
    rooms = -(-people // 2)
    form = page.locator(".pl-stay")
    form.locator("select").select_option(label=hotel["name"])
    form.locator("[name=rooms]").fill(str(rooms))
    form.locator("[name=nights]").fill(str(int(Decimal(str(item["cost"])) / rooms / _price(hotel["rate"]))))
    form.get_by_role("button").click()
    _booked(page)


def _ride(page: Any, item: Mapping[str, Any], date: str, people: str) -> None:
    page.get_by_role("link", name="Getting around").first.click()
    if item["transportation"] != "foot":
        page.get_by_role("link", name=f"By {item['transportation']}").first.click()
    form = page.locator(".pl-ride")
    form.locator("[name=origin]").select_option(label=item["departure"])
    form.locator("[name=to]").select_option(label=item["destination"])
    form.locator("[name=day]").fill(date)
    form.locator("[name=at]").fill(item["time"].split("-")[0])
    form.locator("[name=people]").fill(people)
    form.get_by_role("button").click()
    _booked(page)


def _visit(page: Any, wanted: Purchase, date: str) -> None:
    page.get_by_role("link", name="Sights").first.click()
    search = page.locator(".pl-search")
    search.locator("[name=q]").fill(wanted.place["name"])
    search.get_by_role("button").click()
    page.locator("article").get_by_role("link", name=wanted.place["name"], exact=True).first.click()
    chooser = page.locator(".pl-day")
    chooser.locator("[name=day]").fill(date)
    chooser.get_by_role("button").click()
    form = page.locator(".pl-visit")
    if wanted.place["kind"] == "restaurant":
        form.locator("[name=day]").select_option(date)
    else:
        form.locator("[name=ticket]").select_option(wanted.offer["id"])
    for name, said in wanted.fields.items():
        form.locator(f'[name="{name}"]').fill(said)
    form.get_by_role("button").click()
    _booked(page)
