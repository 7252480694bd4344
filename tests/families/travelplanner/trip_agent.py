"""A test agent that plans trips of three days in one city. It reads the request and the results by patterns."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from typing import Any, Protocol

from planspec.agents.desk import Desk
from planspec.agents.view import TaskView

Facts = dict[str, Any]
_ENDS = re.compile(r"from (\w+) to (\w+), from (\w+ \d+) to \w+ \d+, (\d{4})")
_PEOPLE = re.compile(r"(?:for|We are) (one person|\d+ people)")
_BUDGET = re.compile(r"(?:budget is|no more than) \$([\d,]+)")
_ALLOWED = re.compile(r"(\w[\w ]*) must be allowed")


class Source(Protocol):
    """A source of facts for an agent."""

    def hotels(self, city: str) -> list[Facts]: ...
    def restaurants(self, city: str) -> list[Facts]: ...
    def attractions(self, city: str) -> list[Facts]: ...
    def drive(self, origin: str, to: str) -> Facts: ...


class ToolSource:
    """Facts from calls of tools."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def call(self, tool: str, **arguments: str) -> Facts:
        """Call a tool, and return its result, which must not be an error."""
        result = self.desk.call(tool, arguments)
        assert "error" not in result, result
        return result

    def hotels(self, city: str) -> list[Facts]:
        return list(self.call("AccommodationSearch", city=city)["accommodations"])

    def restaurants(self, city: str) -> list[Facts]:
        return list(self.call("RestaurantSearch", city=city)["restaurants"])

    def attractions(self, city: str) -> list[Facts]:
        return list(self.call("AttractionSearch", city=city)["attractions"])

    def drive(self, origin: str, to: str) -> Facts:
        return self.call("GoogleDistanceMatrix", origin=origin, destination=to, mode="self-driving")


class MaterialSource:
    """Facts from the tables in the view's materials."""

    def __init__(self, materials: Mapping[str, str]) -> None:
        self.materials = materials

    def rows(self, title: str) -> list[Facts]:
        """Return the rows of the CSV table with this title in the materials."""
        return list(csv.DictReader(io.StringIO(self.materials[title])))

    def hotels(self, city: str) -> list[Facts]:
        return [row | {"house_rules": row["house_rules"].split("; ")} for row in self.rows(f"Accommodations in {city}")]

    def restaurants(self, city: str) -> list[Facts]:
        return self.rows(f"Restaurants in {city}")

    def attractions(self, city: str) -> list[Facts]:
        return self.rows(f"Attractions in {city}")

    def drive(self, origin: str, to: str) -> Facts:
        return next(row for row in self.rows("Self-driving") if (row["from"], row["to"]) == (origin, to))


class TripAgent:
    """An agent that drives by car and takes the cheapest allowed options."""

    def answer(self, view: TaskView, desk: Desk) -> list[Facts] | Facts:
        source: Source = ToolSource(desk) if view.tools.tools() else MaterialSource(view.materials)
        text = " ".join([*(request for request, _ in view.earlier), view.query])
        ends = _ENDS.search(text)
        assert ends is not None, text
        home, city = ends[1], ends[2]
        people = [1 if result == "one person" else int(result.split()[0]) for result in _PEOPLE.findall(text)][-1]
        wishes = [f"No {wish}" for wish in _ALLOWED.findall(text)]
        hotel = min(
            (
                h
                for h in source.hotels(city)
                if not set(wishes) & set(h["house_rules"]) and int(h["minimum_nights"]) <= 2
            ),
            key=lambda h: float(h["price_per_night"]) * -(-people // int(h["maximum_occupancy"])),
        )
        meals = sorted(source.restaurants(city), key=lambda r: float(r["price_per_person"]))[:3]
        ways = [source.drive(home, city), source.drive(city, home)]
        cost: float = sum(int(way["cost_per_car"]) * -(-people // int(way["people_per_car"])) for way in ways)
        cost += sum(float(meal["price_per_person"]) for meal in meals) * people
        cost += 2 * float(hotel["price_per_night"]) * -(-people // int(hotel["maximum_occupancy"]))
        for budget in _BUDGET.findall(text):
            assert cost <= float(budget.replace(",", "")), "too dear"
        sight = source.attractions(city)[0]["name"]
        days: list[Facts] = [
            {
                "current_city": f"from {home} to {city}",
                "transportation": f"Self-driving, from {home} to {city}",
                "accommodation": hotel["name"],
            },
            {
                "current_city": city,
                "breakfast": meals[0]["name"],
                "lunch": meals[1]["name"],
                "dinner": meals[2]["name"],
                "attraction": f"{sight};",
                "accommodation": hotel["name"],
            },
            {"current_city": f"from {city} to {home}", "transportation": f"Self-driving, from {city} to {home}"},
        ]
        blank = dict.fromkeys(("transportation", "breakfast", "attraction", "lunch", "dinner", "accommodation"), "-")
        return [{"days": number} | blank | entry for number, entry in enumerate(days, 1)]
