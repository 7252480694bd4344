"""Choices of a task's search in a fact base that is too large to search whole; judging uses all of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from planspec.families.veritrip.base import ids
from planspec.families.veritrip.facts import AnyPlace, FactBase, Hotel, Restaurant
from planspec.families.veritrip.query import Query
from planspec.suite_writing.writing import mapping_lines, sql_literal, yaml_scalar

HOTELS, SIGHTS, TABLES = 12, 24, 24
"""Numbers of hotels, sights and restaurants to choose from, as many as each city of the shipped base has."""
WISHED = 3
"""Number of hotels or restaurants included for each preference."""
LUNCH, DINNER = (12 * 60, 14 * 60), (18 * 60, 19 * 60)

_OTHER_NAMES = {
    "hotel: beds_there": "hotel: beds_in_reach",
    "for o in Offer if o.hotel.city == target_city": "for o in Offer if o.hotel in beds_in_reach",
    "attraction: sights": "attraction: sights_in_reach",
    "for a in sights)": "for a in sights_in_reach)",
    "kitchens(": "kitchens_in_reach(",
}
"""Replacements of parts of a scope."""


@dataclass(frozen=True, slots=True)
class TaskReach:
    """Rows from which a task's search may choose, by their names in the world.

    Attributes:
        hotels: names of hotels; empty for all of the city.
        sights: names of attractions; empty for all of the city.
        tables: names of restaurants; empty for all of the city.
    """

    hotels: tuple[str, ...] = ()
    sights: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()

    def definitions(self) -> list[str]:
        """Return the section of a task that defines the choices."""
        if not self.hotels:
            return []
        kitchens = f"(r for r in kitchens(from, until) if r in {_rows('Restaurant', self.tables)})"
        parts = {
            "beds_in_reach": _rows("Hotel", self.hotels),
            "sights_in_reach": _rows("Attraction", self.sights),
            "kitchens_in_reach(from time, until time)": kitchens,
        }
        return mapping_lines("define", {name: f">-\n    {text}" for name, text in parts.items()})

    def scope(self, text: str) -> str:
        """Return the scope restricted to the choices."""
        if self.hotels:
            for part, replacement in _OTHER_NAMES.items():
                text = text.replace(part, replacement)
        return text


def _rows(table: str, names: Iterable[str]) -> str:
    return "{" + ", ".join(f"{table}[{yaml_scalar(name)}]" for name in names) + "}"


class Surroundings:
    """Selector of the choices of tasks.

    Args:
        base: fact base; the first places of a city in a table are chosen first, real places before
            invented ones.
    """

    def __init__(self, base: FactBase) -> None:
        self._hotels = _by_city(base.hotels, ids(base.hotels))
        self._sights = _by_city(base.attractions, ids(base.attractions))
        self._tables = _by_city(base.restaurants, ids(base.restaurants))

    def reach(self, query: Query) -> TaskReach:
        """Return the first places of the city, and those that the query prefers."""
        city = query.target_city
        beds = self._hotels[city]
        wished_beds = [name for hotel, name in beds if _offers(hotel, query.p_accommodation)][:WISHED]
        sights = self._sights[city]
        wished_sights = [name for sight, name in sights if sight.name in query.attractions]
        tables = [(table, name) for table, name in self._tables[city] if isinstance(table, Restaurant)]
        wished_tables = [
            name for wish in query.meals for name in [n for t, n in tables if _serves(t, wish)][:WISHED]
        ]
        return TaskReach(
            _first(HOTELS, wished_beds, beds), _first(SIGHTS, wished_sights, sights),
            _first(TABLES, wished_tables, [(t, n) for t, n in tables if _open_for_meals(t)]),
        )  # fmt: skip


def _by_city(
    places: Sequence[AnyPlace], names: Mapping[AnyPlace, str]
) -> dict[str, list[tuple[AnyPlace, str]]]:
    by_city: dict[str, list[tuple[AnyPlace, str]]] = defaultdict(list)
    for place in places:
        by_city[place.city].append((place, names[place]))
    return by_city


def _first(count: int, wished: Sequence[str], places: Sequence[tuple[AnyPlace, str]]) -> tuple[str, ...]:
    """Return the preferred places and the first of the others, in the order of the table."""
    chosen = dict.fromkeys([*wished, *(name for _, name in places)])
    selected = set(list(chosen)[: max(count, len(dict.fromkeys(wished)))])
    order = dict.fromkeys([*(name for _, name in places), *wished])
    return tuple(name for name in order if name in selected)


def _offers(place: AnyPlace, room: str | None) -> bool:
    return room is not None and isinstance(place, Hotel) and any(one.kind == room for one in place.rooms)


def _serves(table: Restaurant, wish: str) -> bool:
    return wish in (table.name, table.cuisine, *table.dishes)


def _open_for_meals(table: Restaurant) -> bool:
    return any(table.opens <= a and b <= table.closes for a, b in (LUNCH, DINNER))


def trip_queries(query: Query) -> dict[str, str]:
    """Return the SQL of the rows that a trip can use, by table.

    These are the services between its two cities on its days; on its first and last day, all services that
    begin or end in one of them, so that journeys with one change are included. They also include the rooms of
    its city, where all nights are spent, and the restaurants and other places of its city, since an answer's
    meals are looked up only there.
    """
    city, first, last = (
        sql_literal(text)
        for text in (query.target_city, query.start_date.isoformat(), query.end_date.isoformat())
    )
    # texts are quoted by `sql_literal`
    ends = f"(select id from Station where city in ({sql_literal(query.start_city)}, {city}))"  # noqa: S608
    in_city = f"where city = {city} order by rowid"
    return {
        "Service": f'select * from Service where day between {first} and {last} and (origin in {ends} and "to" in {ends} '  # noqa: S608
        f'or day in ({first}, {last}) and (origin in {ends} or "to" in {ends})) order by rowid',
        "Offer": f"select * from Offer where hotel in (select id from Hotel where city = {city}) order by rowid",  # noqa: S608
        "Restaurant": f"select * from Restaurant {in_city}",  # noqa: S608
        "Poi": f"select * from Poi {in_city}",  # noqa: S608
    }
