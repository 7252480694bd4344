"""TravelPlanner's six searches over the tables of a task, under the names of the public toolkit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, Literal

from pydantic import Field

from planspec.agents.tools import Arguments, JsonResult, ModelTool, Refused, Toolset
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import ScalarType
from planspec.dsl.model.value_text import show
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.environments.arguments import Day, Name, the_one
from planspec.verifiers.answers.amounts import write_cost
from planspec.verifiers.answers.names import NameIndex

ROOMS = {"entire_home": "Entire home/apt", "private_room": "Private room", "shared_room": "Shared room"}
RULES = {
    "smoking": "No smoking", "parties": "No parties", "children": "No children under 10", "visitors": "No visitors",
    "pets": "No pets",
}  # fmt: skip
PER_CAR = {"self-driving": (20_000, 5), "taxi": (1_000, 4)}
"""The metres per dollar of each car, and the number of people that one car takes."""


class _Flight(Arguments):
    departure_city: Name = Field(description="name of the city")
    destination_city: Name = Field(description="name of the city")
    date: Day = Field(description="YYYY-MM-DD")


class _Distance(Arguments):
    origin: Name = Field(description="name of the city")
    destination: Name = Field(description="name of the city")
    mode: Literal["self-driving", "taxi"] = Field(description="by one's own car or by taxi")


class _InCity(Arguments):
    city: Name = Field(description="name of the city")


class _InState(Arguments):
    state: Name = Field(description="name of the state")


class Database:
    """The data behind the benchmark's tools: listings and restaurants that they list, sights, flights, ways and cities.

    Args:
        task: of the family `travelplanner`.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self._currency = task.currency or "USD"

    def tools(self) -> Toolset:
        """The six."""
        return Toolset(
            [
                ModelTool("FlightSearch", "Finds the flights from one city to another on a day.", _Flight, self._flight_search),
                ModelTool("GoogleDistanceMatrix", "Tells how far it is from one city to another, how long it takes and what it costs.",
                     _Distance, self._distance),
                ModelTool("AccommodationSearch", "Lists the places to stay in a city.", _InCity,
                     lambda asked: self._in_city(asked, "accommodations", self.hotels)),
                ModelTool("RestaurantSearch", "Lists the restaurants of a city.", _InCity,
                     lambda asked: self._in_city(asked, "restaurants", self.restaurants)),
                ModelTool("AttractionSearch", "Lists the attractions of a city.", _InCity,
                     lambda asked: self._in_city(asked, "attractions", self.attractions)),
                ModelTool("CitySearch", "Lists the cities of a state.", _InState, self._city_search),
            ]
        )  # fmt: skip

    # ------------------------------------------------------------------ what is told

    def flights(self, origin: Any, to: Any, day: int) -> list[JsonResult]:
        """From a city to another on a day, in the order of their departure."""
        rows = [f for f in self._rows("Flight") if f.origin is origin and f.to is to and f.day == day]
        return [
            {
                "flight_number": row._key[0], "departure_time": self._clock(row.depart), "arrival_time": self._clock(row.arrive),
                "price_per_person": self._money(row.price),
            }
            for row in sorted(rows, key=lambda f: (f.depart, f._key))
        ]  # fmt: skip

    def way(self, origin: Any, to: Any, mode: str) -> JsonResult | None:
        """From a city to another on the road; None where no road of less than a day is known."""
        road: Any = self._task.facts["Road"].by_key.get((origin, to))
        if road is None or road.length is None or road.time is None or road.time >= MINUTES_A_DAY:
            return None
        metres, people = PER_CAR[mode]
        return {
            "distance": show(road.length, ScalarType.DISTANCE, None),
            "duration": show(road.time, ScalarType.DURATION, None),
            "cost_per_car": road.length // metres,
            "people_per_car": people,
        }

    def hotels(self, city: Any) -> list[JsonResult]:
        """To stay in."""
        return [
            {
                "name": row._key[0], "room_type": ROOMS[row.room], "price_per_night": self._money(row.price),
                "minimum_nights": row.least, "maximum_occupancy": row.sleeps,
                "house_rules": [text for rule, text in RULES.items() if rule in row.bans],
            }
            for row in self._rows("Hotel")
            if row.city is city and row.plain
        ]  # fmt: skip

    def restaurants(self, city: Any) -> list[JsonResult]:
        """To eat in."""
        return [
            {
                "name": row._key[0],
                "cuisines": sorted(str(cuisine._key[0]) for cuisine in row.cuisines),
                "price_per_person": self._money(row.price),
            }
            for row in self._rows("Restaurant")
            if row.city is city and row.plain
        ]

    def attractions(self, city: Any) -> list[JsonResult]:
        """To see."""
        return [{"name": row._key[0]} for row in self._rows("Attraction") if row.city is city]

    def cities(self, state: Any) -> list[str]:
        """The cities of a state."""
        return [str(row._key[0]) for row in self._rows("City") if row.state is state]

    def reference(self) -> Iterator[tuple[str, list[JsonResult]]]:
        """Everything that can be found out for the request of the task, by title: of its cities, days and ways."""
        given = self._task.givens
        start, town, state = given.get("org"), given.get("town"), given.get("dest")
        there = [
            c for c in self._rows("City")
            if c is not start and ((town is not None and c is town) or (state is not None and c.state is state))
        ]  # fmt: skip
        ends = [start, *there]
        for city in there:
            name = city._key[0]
            yield f"Attractions in {name}", self.attractions(city)
            yield f"Restaurants in {name}", self.restaurants(city)
            yield f"Accommodations in {name}", self.hotels(city)
        for a, b in ((a, b) for a in ends for b in ends if a is not b and a is not None):
            for day in given.get("trip") or ():
                found = self.flights(a, b, day)
                if found:
                    yield (
                        f"Flights from {a._key[0]} to {b._key[0]} on {show(day, ScalarType.DATE, None)}",
                        found,
                    )
        for mode in PER_CAR:
            ways = [
                {"from": a._key[0], "to": b._key[0], **way}
                for a in ends
                for b in ends
                if a is not b and (way := self.way(a, b, mode)) is not None
            ]
            yield f"{mode.capitalize()}", ways

    # ------------------------------------------------------------------ calls

    def _flight_search(self, asked: _Flight) -> JsonResult:
        origin, to = self._city(asked.departure_city), self._city(asked.destination_city)
        found = self.flights(origin, to, asked.date.toordinal())
        if not found:
            raise Refused("not-found", "there is no flight between these cities on this day")
        return {"origin": origin._key[0], "destination": to._key[0], "flights": found}

    def _distance(self, asked: _Distance) -> JsonResult:
        origin, to = self._city(asked.origin), self._city(asked.destination)
        found = self.way(origin, to, asked.mode)
        if found is None:
            raise Refused("not-found", "no way of less than a day is known between these cities")
        return {"origin": origin._key[0], "destination": to._key[0], "mode": asked.mode, **found}

    def _in_city(self, asked: _InCity, name: str, listed: Any) -> JsonResult:
        city = self._city(asked.city)
        found = listed(city)
        if not found:
            raise Refused("not-found", f"no {name} are known in this city")
        return {"city": city._key[0], name: found}

    def _city_search(self, asked: _InState) -> JsonResult:
        state = the_one(self._states, asked.state, "state")
        return {"state": state._key[0], "cities": self.cities(state)}

    # ------------------------------------------------------------------ rows and cells

    @cached_property
    def _cities(self) -> NameIndex:
        return NameIndex(self._rows("City"))

    @cached_property
    def _states(self) -> NameIndex:
        return NameIndex(self._rows("State"))

    def _city(self, name: str) -> Any:
        return the_one(self._cities, name, "city")

    def _rows(self, table: str) -> Iterable[Any]:
        return self._task.facts[table].rows

    def _clock(self, minutes: int) -> str:
        return show(minutes, ScalarType.TIME, None)

    def _money(self, minor: int) -> int | float | str:
        return write_cost(minor, self._currency)
