"""A test agent that plans trips to a city with the fact tools. It chooses the cheapest open places."""

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
    """Activities planned for a day so far."""

    day: date
    rows: list[JsonObject]

    def add(self, kind: str, start: int, end: int, name: str, price: float, notes: str = "") -> None:
        """Append an activity of this kind to the day. Times are in minutes after midnight."""
        self.rows.append(
            {
                "Date": self.day.isoformat(),
                "active_item_number": len(self.rows) + 1,
                "active_type": kind,
                "start_time": format_clock(start),
                "end_time": format_clock(end),
                "name": name,
                "price_per_person": price,
                "notes": notes,
            }
        )


class FactsAgent:
    """Agent that plans up to three activities and a ride per day."""

    def __init__(self, start: str, target: str, people: int) -> None:
        self.start, self.target, self.people = start, target, people

    def answer(self, view: TaskView, desk: Desk) -> JsonObject:
        dates = [date.fromisoformat(match) for match in _DATE.findall(view.query)]
        first, last = dates[0], dates[-1]
        self.sights = sorted(
            self.call_tool(desk, "getAttractions", city=self.target)["attractions"],
            key=lambda s: s["ticket_price"],
        )
        self.kitchens = sorted(
            self.call_tool(desk, "getRestaurants", city=self.target)["restaurants"],
            key=lambda r: r["price_per_person"],
        )
        pairs = (
            (out, home)
            for out in self.find_journeys(desk, self.start, self.target, first)
            if parse_clock(out["end_time"]) <= 13 * 60
            for home in self.find_journeys(desk, self.target, self.start, last)
            if parse_clock(home["begin_time"]) >= 17 * 60
            if home["departureStation"] == out["arriveStation"]
        )
        out, home = min(pairs, key=lambda pair: sum(leg["price_per_person"] for leg in pair))
        nights = (last - first).days
        days = [
            self.plan_day(first + timedelta(days=n), n == 0 and out, n == nights and home) for n in range(nights + 1)
        ]
        return {
            "Final Result": {
                "transportationTable": [
                    {name: cell for name, cell in leg.items() if name != "vehicle"} | {"date": day.isoformat()}
                    for day, leg in ((first, out), (last, home))
                ],
                "accommodationTable": [self.choose_stay(desk, first, last)] if nights else [],
                "itineraryTable": [row for day in days for row in day.rows],
            }
        }

    def call_tool(self, desk: Desk, tool: str, **arguments: str) -> JsonObject:
        """Call a tool, and return its result, which must not be an error."""
        result = desk.call(tool, arguments)
        assert "error" not in result, result
        return result

    def find_journeys(self, desk: Desk, origin: str, to: str, day: date) -> list[JsonObject]:
        """Return the trains and flights between two cities on a day."""
        arguments = {"startCity": origin, "targetCity": to, "date": day.isoformat()}
        legs: list[JsonObject] = self.call_tool(desk, "getTransportation", **arguments)["transportation"]
        return legs

    def choose_stay(self, desk: Desk, first: date, last: date) -> JsonObject:
        """Return the row for the cheapest rooms in the target city."""
        hotels = self.call_tool(desk, "getAccommodations", city=self.target)["accommodations"]
        _, hotel, room, rooms = min(
            (
                (-(-self.people // r["sleeps"]) * r["price_per_night"], h["name"], r, -(-self.people // r["sleeps"]))
                for h in hotels
                for r in h["rooms"]
            ),
            key=lambda one: one[:2],
        )
        return {
            "city": self.target,
            "name": hotel,
            "check_in": first.isoformat(),
            "check_out": last.isoformat(),
            "price_per_night": room["price_per_night"],
            "room_type": room["room_type"],
            "room_number": rooms,
            "breakfast_included": room["breakfast_included"],
        }

    def plan_day(self, day: date, out: JsonObject | bool, home: JsonObject | bool) -> Day:
        """Plan the visits and meals of a day, between the rides of the day, if any."""
        plan, now = Day(day, []), 9 * 60
        if isinstance(out, dict):
            plan.add(
                "inter_city_transportation",
                parse_clock(out["begin_time"]),
                parse_clock(out["end_time"]),
                "there",
                0,
            )
            now = max(now, parse_clock(out["end_time"]))
        plan.add("inner_city_transportation", now, now + 20, "to the first place", 2, "By public transportation.")
        now += 20
        until = parse_clock(home["begin_time"]) if isinstance(home, dict) else 22 * 60
        now = self.add_visit(plan, now, until)
        now = self.add_meal(plan, now, until)
        if not isinstance(home, dict):
            now = self.add_visit(plan, now, until)
        else:
            plan.add(
                "inter_city_transportation",
                parse_clock(home["begin_time"]),
                parse_clock(home["end_time"]),
                "home",
                0,
            )
        return plan

    def add_visit(self, plan: Day, now: int, until: int) -> int:
        """Add the first visit that fits before `until`. Return its end, or `now` if none fits."""
        for sight in self.sights:
            start, end = (
                max(now, parse_clock(sight["opens"])),
                max(now, parse_clock(sight["opens"])) + sight["visit_minutes"][0],
            )
            if (
                _WEEKDAYS[plan.day.weekday()] not in sight["closed_on"]
                and start <= now + 60
                and end <= min(until, parse_clock(sight["closes"]))
            ):
                plan.add("attraction", start, end, sight["name"], sight["ticket_price"])
                self.sights.remove(sight)
                return int(end)
        return now

    def add_meal(self, plan: Day, now: int, until: int) -> int:
        """Add the first meal that fits before `until`. Return its end, or `now` if none fits."""
        for kitchen in self.kitchens:
            start = max(now, parse_clock(kitchen["opens"]))
            if start <= now + 120 and start + 60 <= min(until, parse_clock(kitchen["closes"])):
                plan.add("meal", start, start + 60, kitchen["name"], kitchen["price_per_person"])
                self.kitchens.remove(kitchen)
                return start + 60
        return now


def parse_clock(text: str) -> int:
    """Convert a time such as `08:30` to minutes after midnight."""
    hours, _, rest = text.partition(":")
    return int(hours) * 60 + int(rest)


def format_clock(minute: int) -> str:
    """Convert minutes after midnight to a time such as `08:30`."""
    return f"{minute // 60:02}:{minute % 60:02}"
