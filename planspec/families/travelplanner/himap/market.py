"""The offers on a TravelPlanner trip: the tables of a task by place and day, priced for the party."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from typing import Any, TypeVar

from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.errors import UnsuitableTaskError
from planspec.families.travelplanner.himap.goals import Mode

MODES: Mapping[str, Mode] = {"flight": "public", "taxi": "public", "self_driving": "car"}
_NEEDED = ("City", "Hotel", "Restaurant", "Attraction", "Flight", "Road", "days", "meals", "sights")
_GIVEN = ("org", "trip", "cities", "party", "budget", "rule", "room", "tastes", "without")
_CAR_SEATS, _TAXI_SEATS = 5, 4
_ROOMS = {
    "entire_room": "entire_home",
    "a_private_room": "private_room",
    "a_shared_room": "shared_room",
}


@dataclass(frozen=True, slots=True)
class Offer:
    """Something that can be booked.

    Attributes:
        name: as a plan says it; of a ride what tells it from others.
        cost: for the whole party and all its nights, in cents.
        cells: of the plan's row.
        tastes: the cuisines of a restaurant.
        least: the fewest nights that a hotel is let for.
        mode: of a ride.
    """

    name: str
    cost: int
    cells: Mapping[str, Any] = field(compare=False)
    tastes: frozenset[str] = frozenset()
    least: int = 0
    mode: Mode | None = None


class Market:
    """The offers of a task's tables that the task's wishes allow.

    Args:
        task: of the family `travelplanner`.

    Raises:
        UnsuitableTaskError: its tables or givens are not that family's.
    """

    def __init__(self, task: Task) -> None:
        lost = [name for name in _NEEDED if name not in task.tables]
        lost += [name for name in _GIVEN if name not in task.givens]
        if lost or not task.givens["trip"] or task.givens["org"] is None:
            raise UnsuitableTaskError(
                f"`{task.id}` is no trip of TravelPlanner's: it has not {', '.join(lost) or 'days'}"
            )
        given = task.givens
        self.task = task
        self.org: str = _name(given["org"])
        self.dates = tuple(date.fromordinal(day).isoformat() for day in sorted(given["trip"]))
        self.cities: int = given["cities"]
        self.party: int = given["party"]
        self.budget: int | None = given["budget"]
        self.tastes = tuple(_name(taste) for taste in given["tastes"])
        self.there = tuple(
            sorted(
                _name(city)
                for city in task.facts["City"].rows
                if city is not given["org"]
                and (city is given.get("town") or (_of(city, "state") is not None and _of(city, "state") is given.get("dest")))
            )
        )  # fmt: skip
        self._without = frozenset(given["without"])
        self._hotels = _by_city(task, "Hotel", self._hotel, self._allowed)
        self._restaurants = _by_city(
            task, "Restaurant", self._restaurant, lambda row: bool(_of(row, "plain"))
        )
        self._sights = _by_city(
            task, "Attraction", lambda row: Offer(_name(row), 0, {"attraction": _name(row)}), lambda _: True
        )
        self._roads = {(_name(_of(r, "origin")), _name(_of(r, "to"))): r for r in task.facts["Road"].rows}
        self._flights: dict[tuple[int, str, str], list[Row]] = {}
        for row in task.facts["Flight"].rows:
            leg = _of(row, "day"), _name(_of(row, "origin")), _name(_of(row, "to"))
            self._flights.setdefault(leg, []).append(row)
        self.rides = cache(self._rides)
        self._served = {
            city: frozenset(taste for offer in offers for taste in offer.tastes)
            for city, offers in self._restaurants.items()
        }

    def hotels(self, city: str, nights: int) -> tuple[Offer, ...]:
        """The hotels for a stay of a number of nights, each priced for all of them."""
        return tuple(
            Offer(o.name, o.cost * nights, o.cells, least=o.least)
            for o in self._hotels.get(city, ())
            if o.least <= nights
        )

    def beds(self, city: str) -> tuple[Offer, ...]:
        """The hotels of a city, for one night each, whatever they are let for."""
        return self._hotels.get(city, ())

    def restaurants(self, city: str) -> tuple[Offer, ...]:
        """The restaurants of a city; each is priced for a meal."""
        return self._restaurants.get(city, ())

    def served(self, city: str) -> frozenset[str]:
        """The cuisines of a city."""
        return self._served.get(city, frozenset())

    def sights(self, city: str) -> tuple[Offer, ...]:
        """The sights of a city."""
        return self._sights.get(city, ())

    def _rides(self, when: str, origin: str, to: str) -> tuple[Offer, ...]:
        made: list[Offer] = []
        if "flight" not in self._without:
            for row in self._flights.get((date.fromisoformat(when).toordinal(), origin, to), ()):
                cells = {"mode": "flight", "flight": _name(row), "origin": origin, "to": to}
                made.append(Offer(_name(row), _of(row, "price") * self.party, cells, mode="public"))
        road = self._roads.get((origin, to))
        length = None if road is None else _of(road, "length")
        if road is not None and length is not None and (_of(road, "time") or 0) < MINUTES_A_DAY:
            prices = {
                "taxi": length // 1000 * -(-self.party // _TAXI_SEATS),
                "self_driving": length // 20_000 * -(-self.party // _CAR_SEATS),
            }
            for mode, dollars in prices.items():
                if mode not in self._without:
                    cells = {"mode": mode, "origin": origin, "to": to}
                    made.append(Offer(f"{mode} {origin} {to}", dollars * 100, cells, mode=MODES[mode]))
        return tuple(made)

    # ------------------------------------------------------------------ rows as offers

    def _allowed(self, row: Row) -> bool:
        wish, room = self.task.givens["room"], _of(row, "room")
        fits = wish is None or (room != "shared_room" if wish == "not_shared_room" else room == _ROOMS[wish])
        return bool(_of(row, "plain")) and fits and self.task.givens["rule"] not in _of(row, "bans")

    def _hotel(self, row: Row) -> Offer:
        rooms = -(-self.party // max(1, _of(row, "sleeps")))
        return Offer(_name(row), _of(row, "price") * rooms, {"hotel": _name(row)}, least=_of(row, "least"))

    def _restaurant(self, row: Row) -> Offer:
        tastes = frozenset(_name(cuisine) for cuisine in _of(row, "cuisines"))
        return Offer(_name(row), _of(row, "price") * self.party, {"restaurant": _name(row)}, tastes)


_T = TypeVar("_T")


def _by_city(
    task: Task, table: str, made: Callable[[Row], _T], wanted: Callable[[Row], bool]
) -> Mapping[str, tuple[_T, ...]]:
    found: dict[str, list[_T]] = {}
    rows: Iterable[Row] = task.facts[table].rows
    for row in rows:
        if wanted(row):
            found.setdefault(_name(_of(row, "city")), []).append(made(row))
    return {city: tuple(offers) for city, offers in found.items()}


def _name(row: Row) -> str:
    return str(row._key[0])


def _of(row: Row, column: str) -> Any:
    """A cell; rows have the columns of their table, which types cannot say."""
    return getattr(row, column)
