"""Offers that a TravelPlanner trip can book, by city and day, priced for all travellers."""

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
    """An offer that can be booked.

    Attributes:
        name: name in a plan. For a ride, a string that distinguishes it from other rides.
        cost: cost for all travellers and, for a hotel, all nights, in cents.
        cells: cells of the plan's row, by column.
        tastes: cuisines of a restaurant; empty for other offers.
        minimum_nights: minimum stay of a hotel; 0 for other offers.
        mode: mode of a ride; None for other offers.
    """

    name: str
    cost: int
    cells: Mapping[str, Any] = field(compare=False)
    tastes: frozenset[str] = frozenset()
    minimum_nights: int = 0
    mode: Mode | None = None


class Market:
    """Offers in a task's tables that comply with the task's wishes, such as the room type.

    Args:
        task: task of the family `travelplanner`.

    Raises:
        UnsuitableTaskError: tables or givens of the family are missing.
    """

    def __init__(self, task: Task) -> None:
        missing = [name for name in _NEEDED if name not in task.tables]
        missing += [name for name in _GIVEN if name not in task.givens]
        if missing or not task.givens["trip"] or task.givens["org"] is None:
            raise UnsuitableTaskError(
                f"`{task.id}` is no trip of TravelPlanner's: it has not {', '.join(missing) or 'days'}"
            )
        givens = task.givens
        self.task = task
        self.org: str = _name(givens["org"])
        self.dates = tuple(date.fromordinal(day).isoformat() for day in sorted(givens["trip"]))
        self.cities: int = givens["cities"]
        self.party: int = givens["party"]
        self.budget: int | None = givens["budget"]
        self.tastes = tuple(_name(taste) for taste in givens["tastes"])
        self.destinations = tuple(
            sorted(
                _name(city)
                for city in task.facts["City"].rows
                if city is not givens["org"]
                and (
                    city is givens.get("town")
                    or (_cell(city, "state") is not None and _cell(city, "state") is givens.get("dest"))
                )
            )
        )
        self._without = frozenset(givens["without"])
        self._hotels = _offers_by_city(task, "Hotel", self._hotel_offer, self._is_allowed)
        self._restaurants = _offers_by_city(
            task, "Restaurant", self._restaurant_offer, lambda row: bool(_cell(row, "plain"))
        )
        self._sights = _offers_by_city(
            task, "Attraction", lambda row: Offer(_name(row), 0, {"attraction": _name(row)}), lambda _: True
        )
        self._roads = {(_name(_cell(r, "origin")), _name(_cell(r, "to"))): r for r in task.facts["Road"].rows}
        self._flights: dict[tuple[int, str, str], list[Row]] = {}
        for row in task.facts["Flight"].rows:
            leg = _cell(row, "day"), _name(_cell(row, "origin")), _name(_cell(row, "to"))
            self._flights.setdefault(leg, []).append(row)
        self.rides = cache(self._rides)
        self._cuisines = {
            city: frozenset(taste for offer in offers for taste in offer.tastes)
            for city, offers in self._restaurants.items()
        }

    def hotels(self, city: str, nights: int) -> tuple[Offer, ...]:
        """Return the hotels of a city that accept a stay of this length, priced for all nights."""
        return tuple(
            Offer(o.name, o.cost * nights, o.cells, minimum_nights=o.minimum_nights)
            for o in self._hotels.get(city, ())
            if o.minimum_nights <= nights
        )

    def beds(self, city: str) -> tuple[Offer, ...]:
        """Return all hotels of a city, priced for one night. Minimum stays are ignored."""
        return self._hotels.get(city, ())

    def restaurants(self, city: str) -> tuple[Offer, ...]:
        """Return the restaurants of a city, priced for one meal."""
        return self._restaurants.get(city, ())

    def cuisines(self, city: str) -> frozenset[str]:
        """Return the cuisines that a city's restaurants serve."""
        return self._cuisines.get(city, frozenset())

    def sights(self, city: str) -> tuple[Offer, ...]:
        """Return the attractions of a city."""
        return self._sights.get(city, ())

    def _rides(self, when: str, origin: str, to: str) -> tuple[Offer, ...]:
        offers: list[Offer] = []
        if "flight" not in self._without:
            for row in self._flights.get((date.fromisoformat(when).toordinal(), origin, to), ()):
                cells = {"mode": "flight", "flight": _name(row), "origin": origin, "to": to}
                offers.append(Offer(_name(row), _cell(row, "price") * self.party, cells, mode="public"))
        road = self._roads.get((origin, to))
        length = None if road is None else _cell(road, "length")
        if road is not None and length is not None and (_cell(road, "time") or 0) < MINUTES_A_DAY:
            prices = {
                "taxi": length // 1000 * -(-self.party // _TAXI_SEATS),
                "self_driving": length // 20_000 * -(-self.party // _CAR_SEATS),
            }
            for mode, dollars in prices.items():
                if mode not in self._without:
                    cells = {"mode": mode, "origin": origin, "to": to}
                    offers.append(Offer(f"{mode} {origin} {to}", dollars * 100, cells, mode=MODES[mode]))
        return tuple(offers)

    # ------------------------------------------------------------------ rows as offers

    def _is_allowed(self, row: Row) -> bool:
        wish, room = self.task.givens["room"], _cell(row, "room")
        fits = wish is None or (room != "shared_room" if wish == "not_shared_room" else room == _ROOMS[wish])
        return bool(_cell(row, "plain")) and fits and self.task.givens["rule"] not in _cell(row, "bans")

    def _hotel_offer(self, row: Row) -> Offer:
        rooms = -(-self.party // max(1, _cell(row, "sleeps")))
        return Offer(_name(row), _cell(row, "price") * rooms, {"hotel": _name(row)}, minimum_nights=_cell(row, "least"))

    def _restaurant_offer(self, row: Row) -> Offer:
        tastes = frozenset(_name(cuisine) for cuisine in _cell(row, "cuisines"))
        return Offer(_name(row), _cell(row, "price") * self.party, {"restaurant": _name(row)}, tastes)


_T = TypeVar("_T")


def _offers_by_city(
    task: Task, table: str, offer_of: Callable[[Row], _T], is_allowed: Callable[[Row], bool]
) -> Mapping[str, tuple[_T, ...]]:
    offers_by_city: dict[str, list[_T]] = {}
    rows: Iterable[Row] = task.facts[table].rows
    for row in rows:
        if is_allowed(row):
            offers_by_city.setdefault(_name(_cell(row, "city")), []).append(offer_of(row))
    return {city: tuple(offers) for city, offers in offers_by_city.items()}


def _name(row: Row) -> str:
    return str(row._key[0])


def _cell(row: Row, column: str) -> Any:
    """Return a cell of a row. This function hides from the type checker that columns are dynamic attributes."""
    return getattr(row, column)
