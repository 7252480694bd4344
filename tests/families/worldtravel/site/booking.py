"""Booking without a browser: the requests of the booking forms are sent directly."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from planspec.dsl.model.task import Task
from planspec.families.worldtravel.site.purchases import find_purchase, parse_price
from planspec.families.worldtravel.webscape.tables import Tables


def reference(task: Task) -> Any:
    """Return the days of a task's reference."""
    path = Path(task.span.source.name).parent / "answers" / f"{task.id}.reference.json"
    return json.loads(path.read_text("utf-8"))["itinerary"]


def forms(tables: Tables, task: Task) -> list[tuple[str, dict[str, str]]]:
    """Return the paths and fields of the forms that book a task's reference."""
    people = len(task.facts["Traveller"].rows)
    spots = {}
    for row in tables.rows("spot"):
        named = tables.row_where("place", id=row["place"]) or tables.row_where("hotel", id=row["hotel"])
        assert named is not None
        spots[named["name"]] = row["id"]
    result: list[tuple[str, dict[str, str]]] = []
    for day in reference(task):
        month, number = day["date"].split(".")
        written = f"2026-{int(month):02}-{int(number):02}"
        for item in day["schedule"]:
            if item["item"] == "hotel" and item["cost"]:
                hotel = tables.row_where("hotel", name=item["destination"])
                assert hotel is not None
                rooms = -(-people // 2)
                nights = int(Decimal(str(item["cost"])) / rooms / parse_price(hotel["rate"]))
                result.append(("trip/stay", {"hotel": hotel["id"], "rooms": str(rooms), "nights": str(nights)}))
            elif item["item"] == "transportation":
                ride = {
                    "mode": item["transportation"],
                    "origin": spots[item["departure"]],
                    "to": spots[item["destination"]],
                    "day": written,
                    "at": item["time"].split("-")[0],
                    "people": str(people),
                }
                result.append(("trip/ride", ride))
            elif item["item"] != "hotel":
                expected = find_purchase(tables, task, written, item)
                assert expected is not None, (task.id, item)
                fields = {"place": expected.place["id"], "ticket": expected.offer["id"], "day": written}
                result.append(("trip/visit", {**fields, **expected.fields}))
    return result


def send(url: str, path: str, fields: dict[str, str]) -> str:
    """Send a form, and return the page with which the site responds."""
    with urlopen(Request(url + path, data=urlencode(fields).encode())) as answer:
        return str(answer.read().decode())
