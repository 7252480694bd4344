"""Tools that read VeriTrip's fact base instead of documents."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

from pydantic import Field

from planspec.agents.tools import Arguments, JsonResult, ModelTool, RefusedCallError, Toolset
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import ScalarType
from planspec.dsl.model.value_text import show
from planspec.dsl.resources.english_words import WEEKDAYS
from planspec.environments.arguments import Day, Name, find_named
from planspec.families.veritrip.format.reading import BOARDS
from planspec.families.veritrip.format.tables import bare_name
from planspec.verifiers.answers.amounts import write_cost
from planspec.verifiers.answers.names import NameIndex


class _JourneyRequest(Arguments):
    start_city: Name = Field(alias="startCity", description="name of the city")
    target_city: Name = Field(alias="targetCity", description="name of the city")
    date: Day = Field(description="YYYY-MM-DD")


class _CityRequest(Arguments):
    city: Name = Field(description="name of the city")


class TaskFactBase:
    """The fact base of a task, with the tools that read it.

    Args:
        task: task of the family `veritrip`.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self._currency = task.currency or ""

    def tools(self) -> Toolset:
        """Return the four tools: for journeys, attractions, hotels and restaurants."""
        return Toolset(
            [
                ModelTool(
                    "getTransportation",
                    "Lists the trains and flights from one city to another on a day.",
                    _JourneyRequest,
                    self._find_journeys,
                ),
                ModelTool(
                    "getAttractions",
                    "Lists the attractions of a city with tickets, opening hours and how long a visit should take.",
                    _CityRequest,
                    lambda request: self._list_places(request, "attractions", "Attraction", self._describe_attraction),
                ),
                ModelTool(
                    "getAccommodations",
                    "Lists the hotels of a city with their rooms and prices.",
                    _CityRequest,
                    lambda request: self._list_places(request, "accommodations", "Hotel", self._describe_hotel),
                ),
                ModelTool(
                    "getRestaurants",
                    "Lists the restaurants of a city with what they serve, prices and opening hours.",
                    _CityRequest,
                    lambda request: self._list_places(request, "restaurants", "Restaurant", self._describe_restaurant),
                ),
            ]
        )

    def _find_journeys(self, request: _JourneyRequest) -> JsonResult:
        origin, to = self._find_city(request.start_city), self._find_city(request.target_city)
        day = request.date.toordinal()
        rows = [s for s in self._rows("Service") if s.day == day and s.origin.city is origin and s.to.city is to]
        if not rows:
            raise RefusedCallError("not-found", "no train and no flight goes between these cities on this day")
        return {
            "date": request.date.isoformat(),
            "currency": self._currency,
            "transportation": [
                {
                    "transportationID": row.number,
                    "vehicle": row.vehicle,
                    "departureStation": bare_name(row.origin),
                    "arriveStation": bare_name(row.to),
                    "begin_time": self._format_time(row.depart),
                    "end_time": self._format_time(row.arrive),
                    "price_per_person": self._format_price(row.price),
                }
                for row in sorted(rows, key=lambda s: (s.depart, s.number))
            ],
        }

    def _describe_attraction(self, row: Any) -> JsonResult:
        return {
            "name": bare_name(row),
            "ticket_price": self._format_price(row.ticket),
            "opens": self._format_time(row.opens),
            "closes": self._format_time(row.closes),
            "closed_on": [WEEKDAYS[day] for day in sorted(row.closed)],
            "visit_minutes": [row.least, row.most],
            "location": self._format_location(row),
        }

    def _describe_hotel(self, row: Any) -> JsonResult:
        return {
            "name": bare_name(row),
            "location": self._format_location(row),
            "rooms": [self._describe_offer(o) for o in self._offers_by_hotel.get(row, ())],
        }

    def _describe_offer(self, row: Any) -> JsonResult:
        return {
            "room_type": bare_name(row.room),
            "sleeps": row.room.sleeps if row.sleeps is None else row.sleeps,
            "price_per_night": self._format_price(row.price),
            "breakfast_included": row.board == BOARDS[True],
        }

    def _describe_restaurant(self, row: Any) -> JsonResult:
        return {
            "name": bare_name(row),
            "serves": sorted(tag for tag in row.tags if tag != bare_name(row)),
            "price_per_person": self._format_price(row.price),
            "opens": self._format_time(row.opens),
            "closes": self._format_time(row.closes),
            "location": self._format_location(row),
        }

    def _list_places(self, request: _CityRequest, name: str, table: str, describe: Any) -> JsonResult:
        city = self._find_city(request.city)
        entries = [describe(row) for row in self._rows(table) if row.city is city]
        if not entries:
            raise RefusedCallError("not-found", f"no {name} are known in this city")
        return {"city": bare_name(city), "currency": self._currency, name: entries}

    # ------------------------------------------------------------------ rows and cells

    @cached_property
    def _city_index(self) -> NameIndex:
        return NameIndex(self._rows("City"))

    @cached_property
    def _offers_by_hotel(self) -> dict[Any, list[Any]]:
        offers: dict[Any, list[Any]] = {}
        for row in self._rows("Offer"):
            offers.setdefault(row.hotel, []).append(row)
        return offers

    def _find_city(self, name: str) -> Any:
        return find_named(self._city_index, name, "city")

    def _rows(self, table: str) -> Iterable[Any]:
        return self._task.facts[table].rows

    def _format_location(self, row: Any) -> str:
        return ",".join(
            show(getattr(row, name), self._degrees_type(row, name), None) for name in ("longitude", "latitude")
        )

    def _degrees_type(self, row: Any, name: str) -> Any:
        return self._task.tables[row._table.name].columns[name].type

    def _format_time(self, minutes: int) -> str:
        return show(minutes, ScalarType.TIME, None)

    def _format_price(self, minor: int) -> int | float | str:
        return write_cost(minor, self._currency)
