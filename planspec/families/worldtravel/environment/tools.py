"""WorldTravel's eight interfaces over the tables of a task, answered in words and figures instead of pictures of pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date
from functools import cached_property
from typing import Any

from pydantic import Field

from planspec.agents.tools import Arguments, JsonResult, ModelTool, Refused, Toolset
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import ScalarType
from planspec.dsl.model.value_text import show
from planspec.environments.arguments import Day, Name, the_one
from planspec.families.worldtravel.format.tables import WorldTravelTables
from planspec.verifiers.answers.amounts import write_cost
from planspec.verifiers.answers.names import NameIndex, folded

_WORLD = re.compile(r"\A(?:\s*(?:#.*)?\n)*planspec:\s*world/\d+\s*$", re.MULTILINE)
_ID = re.compile(r"^id:\s*[\"']?([^\"'#\n]+)", re.MULTILINE)
REQUIRED, NOT_TAKEN = "required", "not taken"
AVAILABLE, SOLD_OUT = "available", "sold out"


class _OfCity(Arguments):
    city: Name = Field(description="name of the city")


class _OfAttraction(Arguments):
    attraction: Name = Field(description="name of the attraction, as the list has it")


class _AttractionOn(_OfAttraction):
    date: Day = Field(description="the day of the visit, YYYY-MM-DD")


class _OfRestaurant(Arguments):
    restaurant: Name = Field(description="name of the restaurant, as the list has it")


class _RestaurantOn(_OfRestaurant):
    date: Day = Field(description="the day of the meal, YYYY-MM-DD")


class _Way(Arguments):
    origin: Name = Field(description="an attraction, a restaurant or a hotel, as the lists have it")
    destination: Name = Field(description="likewise")


class CityTables:
    """The city of a task's trip: the static tables of its library, and nothing of the request.

    Args:
        task: of the family `worldtravel`.

    Raises:
        UnfitTask: it has not the tables of the family.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self._tables = WorldTravelTables.of(task)
        self._currency = self._tables.currency
        self._places = {
            kind: NameIndex(row for row in self._rows("Place") if row.kind == kind)
            for kind in ("attraction", "restaurant")
        }
        self._anywhere = self._tables.anywhere

    def tools(self) -> Toolset:
        """The eight."""
        return Toolset(
            [
                ModelTool("get_attraction_list", "Lists the attractions of a city.", _OfCity,
                     lambda asked: self._listed(asked, "attraction")),
                ModelTool("get_guide_details",
                     "Tells of an attraction how long a visit takes, how early one has to be there, and when it is open.",
                     _OfAttraction, lambda asked: self.guide(self._place("attraction", asked.attraction))),
                ModelTool("get_attraction_ticket_availability",
                     "Tells of an attraction on a day the starts that can be booked, and the prices.",
                     _AttractionOn, lambda asked: self._tickets(self._place("attraction", asked.attraction), asked.date)),
                ModelTool("get_restaurant_list", "Lists the restaurants of a city.", _OfCity,
                     lambda asked: self._listed(asked, "restaurant")),
                ModelTool("get_restaurant_guide_detail",
                     "Tells of a restaurant its menu, how long a meal takes, how early one has to be there, and when it is open.",
                     _OfRestaurant, lambda asked: self._table_guide(self._place("restaurant", asked.restaurant))),
                ModelTool("get_restaurant_reservation_availability",
                     "Tells of a restaurant on a day the starts for which a table can be reserved.",
                     _RestaurantOn, lambda asked: self._reservation(self._place("restaurant", asked.restaurant), asked.date)),
                ModelTool("get_hotel_list", "Lists the hotels of a city with their prices.", _OfCity,
                     lambda asked: self._of_city(asked) | {"hotels": self.hotels()}),
                ModelTool("get_route_info",
                     "Tells how long it takes from one place to another, and back, and what it costs, by each mode of transport.",
                     _Way, self._route),
            ]
        )  # fmt: skip

    # ------------------------------------------------------------------ what is told

    def guide(self, place: Any) -> JsonResult:
        """The guide to a place: the length of a visit, how early one has to be there, and when it is open."""
        buffer = self._task.facts["Buffer"].by_key.get((place,))
        lead = getattr(buffer, "lead", None) or 0
        stays: dict[str, dict[str, dict[str, int]]] = {}
        for row in self._of(place, "Dwell"):
            stays.setdefault(row.style, {})[row.profile] = {"least_min": row.least, "most_min": row.most}
        return {
            "name": self._tables.name(place),
            "several_sessions_allowed": place.composite,
            "be_there_before_the_start_min": lead,
            "length_of_visit": stays,
            "opening_hours": {self._tables.day(day): self._hours(place, day) for day in self._days},
        }

    def prices(self, place: Any) -> JsonResult:
        """The prices of tickets, or of the menu."""
        if place.kind == "restaurant":
            menu = {row.course: self._money(row.price) for row in self._of(place, "Menu")}
            return {"currency": self._currency, "menu_per_person": menu}
        family: Any = self._task.facts["Pass"].by_key.get((place,))
        bundles = [
            {
                "name": bundle.name,
                "price_per_person": self._money(bundle.price),
                "covers": [self._tables.name(c.place) for c in self._rows("Covers") if c.bundle is bundle],
            }
            for bundle in self._rows("Bundle")
            if any(c.bundle is bundle and c.place is place for c in self._rows("Covers"))
        ]
        passes = (
            {"price": self._money(family.price), "adults": family.adults, "children": family.children}
            if family
            else None
        )
        return {
            "currency": self._currency,
            "tickets": {row.ticket: self._money(row.price) for row in self._of(place, "Fare")},
            "family_pass": passes,
            "package_tickets": bundles,
        }  # fmt: skip

    def starts(self, place: Any, day: int) -> JsonResult:
        """The starts that can be booked on a day, those among them that are sold out, and the opening hours."""
        booked = any(slot.day in self._tables.trip for slot in self._of(place, "Slot"))
        told: JsonResult = {
            "booking": REQUIRED if booked else NOT_TAKEN,
            "opening_hours": self._hours(place, day),
        }
        if booked:
            slots = sorted((s for s in self._of(place, "Slot") if s.day == day), key=lambda s: int(s.at))
            told["starts"] = [
                {
                    "time": self._clock(s.at),
                    "status": AVAILABLE if s.left > 0 else SOLD_OUT,
                    "places_left": max(0, s.left),
                }
                for s in slots
            ]
        return told

    def hotels(self) -> list[JsonResult]:
        """All of them."""
        return [
            {
                "name": row.name, "area": row.area, "stars": row.stars, "room_sleeps": 2,
                "price_per_room_and_night": self._money(row.rate), "currency": self._currency, "breakfast": row.breakfast,
            }
            for row in self._rows("Hotel")
        ]  # fmt: skip

    def ways(self, origin: Any, to: Any) -> list[JsonResult]:
        """The ways between two spots; what the map does not say is null."""
        found = [row for row in self._legs.get((origin, to), ()) if row.mode in self._tables.modes.values()]
        return [
            {
                "mode": row.mode,
                "minutes": row.time,
                "cost": None if row.cost is None else self._money(row.cost),
                "cost_is": "for each person" if row.mode == "bus" else "for all",
            }
            for row in found
        ]

    def parameters(self) -> JsonResult:
        """All of it at once, for the days of the trip."""
        names = self._tables.name
        spots = [*self._tables.spots.values()]
        days = [(self._tables.day(day), day) for day in self._tables.trip]
        return {
            "places": [
                {"kind": place.kind, **_without(self.guide(place), "opening_hours"), **self.prices(place),
                 "days": {shown: self.starts(place, day) for shown, day in days}}
                for place in self._rows("Place")
            ],
            "hotels": self.hotels(),
            "ways": {
                names(a): {
                    names(b): {way["mode"]: {"minutes": way["minutes"], "cost": way["cost"]} for way in self.ways(a, b)}
                    for b in spots if b is not a
                }
                for a in spots
            },
        }  # fmt: skip

    # ------------------------------------------------------------------ calls

    def _listed(self, asked: _OfCity, kind: str) -> JsonResult:
        found = [
            {"name": self._tables.name(row), "area": row._extra.get("area"), "several_sessions_allowed": row.composite}
            for row in self._rows("Place")
            if row.kind == kind
        ]  # fmt: skip
        return self._of_city(asked) | {f"{kind}s": found}

    def _of_city(self, asked: _OfCity) -> JsonResult:
        known, said = _cities(self._task), folded(asked.city)
        if known and not any(said and (said in folded(city) or folded(city) in said) for city in known):
            raise Refused("not-found", f"nothing is known of this city; there is {', '.join(known)}")
        return {"city": asked.city}

    def _tickets(self, place: Any, on: date) -> JsonResult:
        shown = {"attraction": self._tables.name(place), "date": on.isoformat()}
        return shown | self.starts(place, on.toordinal()) | self.prices(place)

    def _reservation(self, place: Any, on: date) -> JsonResult:
        shown = {"restaurant": self._tables.name(place), "date": on.isoformat()}
        return shown | self.starts(place, on.toordinal())

    def _table_guide(self, place: Any) -> JsonResult:
        return self.guide(place) | self.prices(place)

    def _route(self, asked: _Way) -> JsonResult:
        origin, to = (
            the_one(self._anywhere, name, "place or hotel") for name in (asked.origin, asked.destination)
        )
        if origin is to:
            raise Refused("invalid-arguments", "both ends are the same: no way is needed")
        spots = [self._tables.spots.get(row) for row in (origin, to)]
        return {
            "origin": self._tables.name(origin),
            "destination": self._tables.name(to),
            "currency": self._currency,
            "ways": self.ways(*spots),
            "ways_back": self.ways(*reversed(spots)),
        }

    # ------------------------------------------------------------------ rows and cells

    def _place(self, kind: str, name: str) -> Any:
        return the_one(self._places[kind], name, kind)

    def _rows(self, table: str) -> Iterable[Any]:
        return self._task.facts[table].rows

    def _of(self, place: Any, table: str) -> list[Any]:
        return self._by_place.get((table, place), [])

    @cached_property
    def _by_place(self) -> Mapping[tuple[str, Any], list[Any]]:
        made: dict[tuple[str, Any], list[Any]] = {}
        for table in ("Slot", "Window", "Dwell", "Fare", "Menu"):
            for row in self._rows(table):
                made.setdefault((table, row.place), []).append(row)
        return made

    @cached_property
    def _legs(self) -> Mapping[tuple[Any, Any], list[Any]]:
        made: dict[tuple[Any, Any], list[Any]] = {}
        for row in self._rows("Leg"):
            made.setdefault((row.origin, row.to), []).append(row)
        return made

    @cached_property
    def _days(self) -> tuple[int, ...]:
        """The days of which the tables speak."""
        told = {row.day for table in ("Slot", "Window") for row in self._rows(table)}
        return tuple(sorted(told | set(self._tables.trip)))

    def _hours(self, place: Any, day: int) -> list[str]:
        rows = sorted((w for w in self._of(place, "Window") if w.day == day), key=lambda w: int(w.open))
        return [f"{self._clock(w.open)}-{self._clock(w.close)}" for w in rows]

    def _clock(self, minutes: int) -> str:
        return show(minutes, ScalarType.TIME, None)

    def _money(self, minor: int) -> int | float | str:
        return write_cost(minor, self._currency)


def _without(told: JsonResult, name: str) -> JsonResult:
    return {key: value for key, value in told.items() if key != name}


def _cities(task: Task) -> list[str]:
    """The names of the worlds that a task uses, as an author wrote their ids; a blank for a dash."""
    texts = (source.text for source in task.sources if _WORLD.search(source.text[:2000]))
    found = (_ID.search(text) for text in texts)
    return [name[1].strip().replace("-", " ").replace("_", " ").title() for name in found if name]
