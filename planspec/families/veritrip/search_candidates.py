"""Preselection of rows of a large fact base. The search for a reference plan chooses only among these rows.

Answers are judged against all rows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from planspec.families.veritrip.base_database import world_names
from planspec.families.veritrip.facts import AnyPlace, FactBase, Hotel, Restaurant
from planspec.families.veritrip.query import Query
from planspec.suite_writing.writing import mapping_lines, sql_literal, yaml_scalar

HOTELS, SIGHTS, RESTAURANTS = 12, 24, 24
"""Numbers of hotels, sights and restaurants that are selected, as many as in each city of the shipped base."""
PER_PREFERENCE = 3
"""Number of candidates that are included for each preference."""
LUNCH, DINNER = (12 * 60, 14 * 60), (18 * 60, 19 * 60)

_SCOPE_REPLACEMENTS = {
    "hotel: beds_there": "hotel: beds_in_reach",
    "for o in Offer if o.hotel.city == target_city": "for o in Offer if o.hotel in beds_in_reach",
    "attraction: sights": "attraction: sights_in_reach",
    "for a in sights)": "for a in sights_in_reach)",
    "kitchens(": "kitchens_in_reach(",
}
"""Replacements in the text of a task's scope, which restrict the scope to the candidates."""


@dataclass(frozen=True, slots=True)
class SearchCandidates:
    """Rows from which the search for a task's plan may choose.

    Attributes:
        hotels: unique names of hotels; empty for all hotels of the city.
        sights: unique names of attractions; empty for all attractions of the city.
        restaurants: unique names of restaurants; empty for all restaurants of the city.
    """

    hotels: tuple[str, ...] = ()
    sights: tuple[str, ...] = ()
    restaurants: tuple[str, ...] = ()

    def definitions(self) -> list[str]:
        """Return the lines of a task's `define` section that list the candidates.

        Return an empty list if all rows are candidates.
        """
        if not self.hotels:
            return []
        kitchens = f"(r for r in kitchens(from, until) if r in {_row_set('Restaurant', self.restaurants)})"
        parts = {
            "beds_in_reach": _row_set("Hotel", self.hotels),
            "sights_in_reach": _row_set("Attraction", self.sights),
            "kitchens_in_reach(from time, until time)": kitchens,
        }
        return mapping_lines("define", {name: f">-\n    {text}" for name, text in parts.items()})

    def restrict_scope(self, text: str) -> str:
        """Return the text of a scope, rewritten to offer only these candidates."""
        if self.hotels:
            for part, replacement in _SCOPE_REPLACEMENTS.items():
                text = text.replace(part, replacement)
        return text


def _row_set(table: str, names: Iterable[str]) -> str:
    return "{" + ", ".join(f"{table}[{yaml_scalar(name)}]" for name in names) + "}"


class CandidateSelector:
    """Selector of the rows from which the search for a query's plan may choose.

    Args:
        base: fact base. The first places of a city in each table are selected, so that real places come
            before invented ones.
    """

    def __init__(self, base: FactBase) -> None:
        self._hotels = _group_by_city(base.hotels, world_names(base.hotels))
        self._sights = _group_by_city(base.attractions, world_names(base.attractions))
        self._restaurants = _group_by_city(base.restaurants, world_names(base.restaurants))

    def select(self, query: Query) -> SearchCandidates:
        """Select the places that a query prefers and the first other places of its destination."""
        city = query.target_city
        hotels = self._hotels[city]
        preferred_hotels = [name for hotel, name in hotels if _offers_room(hotel, query.p_accommodation)][
            :PER_PREFERENCE
        ]
        sights = self._sights[city]
        preferred_sights = [name for sight, name in sights if sight.name in query.attractions]
        restaurants = [(place, name) for place, name in self._restaurants[city] if isinstance(place, Restaurant)]
        preferred_restaurants = [
            name for wish in query.meals for name in [n for t, n in restaurants if _serves(t, wish)][:PER_PREFERENCE]
        ]
        return SearchCandidates(
            _choose_names(HOTELS, preferred_hotels, hotels),
            _choose_names(SIGHTS, preferred_sights, sights),
            _choose_names(
                RESTAURANTS, preferred_restaurants, [(t, n) for t, n in restaurants if _is_open_for_a_meal(t)]
            ),
        )


def _group_by_city(places: Sequence[AnyPlace], names: Mapping[AnyPlace, str]) -> dict[str, list[tuple[AnyPlace, str]]]:
    by_city: dict[str, list[tuple[AnyPlace, str]]] = defaultdict(list)
    for place in places:
        by_city[place.city].append((place, names[place]))
    return by_city


def _choose_names(count: int, preferred: Sequence[str], places: Sequence[tuple[AnyPlace, str]]) -> tuple[str, ...]:
    """Return `count` names in the order of the table: the preferred ones, and the first of the others."""
    chosen = dict.fromkeys([*preferred, *(name for _, name in places)])
    selected = set(list(chosen)[: max(count, len(dict.fromkeys(preferred)))])
    order = dict.fromkeys([*(name for _, name in places), *preferred])
    return tuple(name for name in order if name in selected)


def _offers_room(place: AnyPlace, room: str | None) -> bool:
    return room is not None and isinstance(place, Hotel) and any(one.kind == room for one in place.rooms)


def _serves(restaurant: Restaurant, wish: str) -> bool:
    return wish in (restaurant.name, restaurant.cuisine, *restaurant.dishes)


def _is_open_for_a_meal(restaurant: Restaurant) -> bool:
    return any(restaurant.opens <= a and b <= restaurant.closes for a, b in (LUNCH, DINNER))


def trip_queries(query: Query) -> dict[str, str]:
    """Return the SQL queries for the rows that a trip can use, by table.

    - Trains and flights between the two cities on all days of the trip. On the first and the last day, also all other
      trains and flights to or from one of the two cities, for journeys with one change.
    - Rooms at the destination, where all nights are spent.
    - Restaurants and other places at the destination, since an answer's meals are looked up only there.
    """
    city, first, last = (
        sql_literal(text) for text in (query.target_city, query.start_date.isoformat(), query.end_date.isoformat())
    )
    # `sql_literal` quotes the strings
    ends = f"(select id from Station where city in ({sql_literal(query.start_city)}, {city}))"  # noqa: S608
    in_city = f"where city = {city} order by rowid"
    return {
        "Service": f'select * from Service where day between {first} and {last} and (origin in {ends} and "to" in {ends} '  # noqa: S608
        f'or day in ({first}, {last}) and (origin in {ends} or "to" in {ends})) order by rowid',
        "Offer": f"select * from Offer where hotel in (select id from Hotel where city = {city}) order by rowid",  # noqa: S608
        "Restaurant": f"select * from Restaurant {in_city}",  # noqa: S608
        "Poi": f"select * from Poi {in_city}",  # noqa: S608
    }
