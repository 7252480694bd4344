"""A planner of trips to one city with the fact tools: it takes the cheapest open places."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from planspec.agents.desk import Desk
from planspec.agents.view import TaskView

JsonObject = dict[str, Any]
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass
class Day:
    """Activities of a day so far."""

    day: date
    rows: list[JsonObject]

    def add(self, kind: str, start: int, end: int, name: str, price: float, notes: str = "") -> None:
        self.rows.append(
            {
                "Date": self.day.isoformat(), "active_item_number": len(self.rows) + 1, "active_type": kind, "start_time": clock(start),
                "end_time": clock(end), "name": name, "price_per_person": price, "notes": notes,
            }
        )  # fmt: skip


class Tripper:
    """Agent that reads cities, days and people, and plans three activities and a ride per day."""

    def __init__(self, start: str, target: str, people: int) -> None:
        self.start, self.target, self.people = start, target, people

    def answer(self, view: TaskView, desk: Desk) -> JsonObject:
        dates = [date.fromisoformat(match) for match in _DATE.findall(view.query)]
        first, last = dates[0], dates[-1]
        self.sights = sorted(
            self.ask(desk, "getAttractions", city=self.target)["attractions"], key=lambda s: s["ticket_price"]
        )
        self.kitchens = sorted(
            self.ask(desk, "getRestaurants", city=self.target)["restaurants"],
            key=lambda r: r["price_per_person"],
        )
        pairs = (
            (out, home)
            for out in self.journeys(desk, self.start, self.target, first) if minutes(out["end_time"]) <= 13 * 60
            for home in self.journeys(desk, self.target, self.start, last) if minutes(home["begin_time"]) >= 17 * 60
            if home["departureStation"] == out["arriveStation"]
        )  # fmt: skip
        out, home = min(pairs, key=lambda pair: sum(leg["price_per_person"] for leg in pair))
        nights = (last - first).days
        days = [
            self.day(first + timedelta(days=n), n == 0 and out, n == nights and home)
            for n in range(nights + 1)
        ]
        return {
            "Final Result": {
                "transportationTable": [
                    {name: cell for name, cell in leg.items() if name != "vehicle"} | {"date": day.isoformat()}
                    for day, leg in ((first, out), (last, home))
                ],
                "accommodationTable": [self.stay(desk, first, last)] if nights else [],
                "itineraryTable": [row for day in days for row in day.rows],
            }
        }  # fmt: skip

    def ask(self, desk: Desk, tool: str, **arguments: str) -> JsonObject:
        result = desk.call(tool, arguments)
        assert "error" not in result, result
        return result

    def journeys(self, desk: Desk, origin: str, to: str, day: date) -> list[JsonObject]:
        arguments = {"startCity": origin, "targetCity": to, "date": day.isoformat()}
        legs: list[JsonObject] = self.ask(desk, "getTransportation", **arguments)["transportation"]
        return legs

    def stay(self, desk: Desk, first: date, last: date) -> JsonObject:
        hotels = self.ask(desk, "getAccommodations", city=self.target)["accommodations"]
        _, hotel, room, rooms = min(
            ((-(-self.people // r["sleeps"]) * r["price_per_night"], h["name"], r, -(-self.people // r["sleeps"])) for h in hotels for r in h["rooms"]),
            key=lambda one: one[:2],
        )  # fmt: skip
        return {
            "city": self.target, "name": hotel, "check_in": first.isoformat(), "check_out": last.isoformat(),
            "price_per_night": room["price_per_night"], "room_type": room["room_type"], "room_number": rooms,
            "breakfast_included": room["breakfast_included"],
        }  # fmt: skip

    def day(self, day: date, out: JsonObject | bool, home: JsonObject | bool) -> Day:
        plan, now = Day(day, []), 9 * 60
        if isinstance(out, dict):
            plan.add(
                "inter_city_transportation", minutes(out["begin_time"]), minutes(out["end_time"]), "there", 0
            )
            now = max(now, minutes(out["end_time"]))
        plan.add(
            "inner_city_transportation", now, now + 20, "to the first place", 2, "By public transportation."
        )
        now += 20
        until = minutes(home["begin_time"]) if isinstance(home, dict) else 22 * 60
        now = self.see(plan, now, until)
        now = self.eat(plan, now, until)
        if not isinstance(home, dict):
            now = self.see(plan, now, until)
        else:
            plan.add(
                "inter_city_transportation", minutes(home["begin_time"]), minutes(home["end_time"]), "home", 0
            )
        return plan

    def see(self, plan: Day, now: int, until: int) -> int:
        for sight in self.sights:
            start, end = (
                max(now, minutes(sight["opens"])),
                max(now, minutes(sight["opens"])) + sight["visit_minutes"][0],
            )
            if (
                _WEEKDAYS[plan.day.weekday()] not in sight["closed_on"]
                and start <= now + 60
                and end <= min(until, minutes(sight["closes"]))
            ):
                plan.add("attraction", start, end, sight["name"], sight["ticket_price"])
                self.sights.remove(sight)
                return int(end)
        return now

    def eat(self, plan: Day, now: int, until: int) -> int:
        for kitchen in self.kitchens:
            start = max(now, minutes(kitchen["opens"]))
            if start <= now + 120 and start + 60 <= min(until, minutes(kitchen["closes"])):
                plan.add("meal", start, start + 60, kitchen["name"], kitchen["price_per_person"])
                self.kitchens.remove(kitchen)
                return start + 60
        return now


def minutes(text: str) -> int:
    hours, _, rest = text.partition(":")
    return int(hours) * 60 + int(rest)


def clock(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"
