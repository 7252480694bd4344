"""Conversion of queries to tasks in the planning language."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from planspec.families.veritrip.base_database import (
    COLUMN_SPLITS,
    SELECT_STATEMENTS,
    world_names,
)
from planspec.families.veritrip.facts import FactBase
from planspec.families.veritrip.query import Query
from planspec.families.veritrip.search_candidates import SearchCandidates, trip_queries
from planspec.suite_writing.writing import mapping_lines, sql_literal, yaml_scalar

VEHICLES = {"High-speed rail": "train", "Airplane": "airplane"}
RIDES = {"Public transportation": "public", "Taxi": "taxi"}

FARES = {"CNY": {"public": 5, "taxi": 40}, "USD": {"public": 3, "taxi": 25}}
"""Prices that the search assumes for a ride in a city, by currency. No fact base contains them."""
OTHER_FARES = {"public": 3, "taxi": 25}
"""Prices that the search assumes for a ride if the currency is not in `FARES`."""


@dataclass(frozen=True, slots=True)
class _RideConstants:
    mode: str
    fare: str


ALONE = re.compile(r"\b(?:alone|just me|solo)\b")
"""Words of queries for one traveller."""
MEALS = ((12 * 60, 13 * 60), (13 * 60, 14 * 60), (18 * 60, 19 * 60))
"""Start and end of the meals that the search plans, in minutes after midnight."""


@dataclass(frozen=True, slots=True)
class FactBaseNames:
    """Names in a fact base, against which queries are checked.

    Attributes:
        currency: currency of all prices.
        attractions: unique names of attractions, by city and name in queries.
        rooms: kinds of rooms.
        foods: pairs of a city and the name of a restaurant, cuisine or dish in the city.
        cities_with_hotels: cities with hotels.
        cities_with_kitchens: cities that have an open restaurant at each mealtime.
        service_days: day, origin city and destination city of each service.
    """

    currency: str
    attractions: Mapping[tuple[str, str], str]
    rooms: frozenset[str]
    foods: frozenset[tuple[str, str]]
    cities_with_hotels: frozenset[str]
    cities_with_kitchens: frozenset[str]
    service_days: frozenset[tuple[date, str, str]]

    @classmethod
    def of(cls, base: FactBase) -> FactBaseNames:
        """Collect the names of a fact base."""
        attraction_names = world_names(base.attractions)
        open_ = [{r.city for r in base.restaurants if r.opens <= a and b <= r.closes} for a, b in MEALS]
        return cls(
            base.currency,
            {(a.city, a.name): attraction_names[a] for a in base.attractions},
            frozenset(room.kind for hotel in base.hotels for room in hotel.rooms),
            frozenset((r.city, tag) for r in base.restaurants for tag in (r.name, r.cuisine, *r.dishes)),
            frozenset(base.cities),
            frozenset(set.intersection(*open_)),
            frozenset((s.date, s.origin_city, s.to_city) for s in base.services),
        )

    def why_unfit(self, query: Query) -> str | None:
        """Return the reason why a query does not fit the fact base, or None if it fits."""
        target = query.target_city
        for day, origin, to in (
            (query.start_date, query.start_city, target),
            (query.end_date, target, query.start_city),
        ):
            if (day, origin, to) not in self.service_days:
                return f"the fact base has no train or flight from `{origin}` to `{to}` on {day}"
        for subject, cities in (
            ("hotel", self.cities_with_hotels),
            ("attraction", {city for city, _ in self.attractions}),
            ("restaurant that is open for lunch and dinner", self.cities_with_kitchens),
        ):
            if target not in cities:
                return f"the fact base has no {subject} in `{target}`"
        for name in query.attractions:
            if self.city_of_sight(query, name) is None:
                return f"p_attraction: no attraction of {target} is called `{name}`"
        for name in query.meals:
            if (target, name) not in self.foods:
                return f"p_meal: no restaurant of {target} is called, or serves, `{name}`"
        if query.p_accommodation is not None and query.p_accommodation not in self.rooms:
            return f"p_accommodation: no hotel has rooms of the kind `{query.p_accommodation}`"
        return None

    def city_of_sight(self, query: Query, name: str) -> str | None:
        """Return the city of a requested sight, or None if there is no such sight.

        Usually this is the destination. If only a picture shows the sight, it is the only city with a sight of that
        name, as in the paper's Figure 6a. No plan can visit a sight in another city.
        """
        if (query.target_city, name) in self.attractions:
            return query.target_city
        if not query.images or name in query.nature_language:
            return None
        cities = [city for city, other in self.attractions if other == name]
        return cities[0] if len(cities) == 1 else None


def task_text(
    query: Query, names: FactBaseNames, base: str, world: str, candidates: SearchCandidates | None = None
) -> str:
    """Return the YAML of a query's task.

    Args:
        query: query that fits the fact base.
        names: names of the fact base.
        base: path of the SQLite file with the facts, as written in the task.
        world: reference to the world (file that declares the shared tables), as written in the task.
        candidates: rows from which the search may choose, for a large fact base; None for all rows. If they are given,
            the task also declares the tables that the world of a large base leaves out.
    """
    title = f"{query.days} {'day' if query.days == 1 else 'days'} from {query.start_city} to {query.target_city}"
    lines = [
        "planspec: task/1",
        f"id: {yaml_scalar(query.id)}",
        f"title: {yaml_scalar(title)}",
        f"world: {world}",
        "uses: [veritrip]",
        f"query: {yaml_scalar(query.nature_language)}",
    ]
    lines += mapping_lines("tells", _quoted_words(query))
    lines += mapping_lines("given", _givens(query, names))
    scope = _scope(query, names.currency)
    if candidates is not None:
        lines += candidates.definitions()
        scope = candidates.restrict_scope(scope)
    lines += [
        "tables:",
        *(_trip_tables(query, base) if candidates is not None else ()),
        *_statement_table(query, base),
        scope,
    ]
    lines += mapping_lines("meta", _meta(query))
    return "\n".join(lines) + "\n"


def _quoted_words(query: Query) -> dict[str, str]:
    """Return the words with which the query says that one person travels, if it has no number for it."""
    alone = ALONE.search(query.nature_language) if query.people_number == 1 else None
    return {} if alone is None else {"people": yaml_scalar(alone[0])}


def _givens(query: Query, names: FactBaseNames) -> dict[str, str]:
    givens = {
        "start_city": yaml_scalar(query.start_city),
        "target_city": yaml_scalar(query.target_city),
        "start_date": query.start_date.isoformat(),
        "end_date": query.end_date.isoformat(),
        "people": str(query.people_number),
    }
    if query.budget is not None:
        givens["budget"] = f"{query.budget} {names.currency}"
    if query.p_intercity_traffic is not None:
        givens["want_vehicle"] = VEHICLES[query.p_intercity_traffic]
    if query.p_accommodation is not None:
        givens["want_room"] = yaml_scalar(query.p_accommodation)
    if query.attractions:
        places = ((names.city_of_sight(query, name) or query.target_city, name) for name in query.attractions)
        givens["want_sights"] = _quoted_list([names.attractions[place] for place in places])
    if query.meals:
        givens["want_meals"] = _quoted_list(query.meals)
    if query.p_innercity_traffic is not None:
        givens["want_ride"] = RIDES[query.p_innercity_traffic]
    return givens


def _quoted_list(names: Sequence[str]) -> str:
    return f"[{', '.join(map(yaml_scalar, names))}]"


def _meta(query: Query) -> dict[str, str]:
    values = {
        "difficulty": query.difficulty,
        "persona": query.persona,
        "interest": query.p_interest,
        "days": query.days,
        "images": list(query.images) or None,
    }
    entries = {}
    for name, value in values.items():
        if isinstance(value, list):
            entries[name] = _quoted_list(value)
        elif value is not None:
            entries[name] = str(value) if isinstance(value, int) else yaml_scalar(value)
    if query.have_pet is not None:
        entries["pet"] = "true" if query.have_pet else "false"
    return entries


def _statement_table(query: Query, base: str) -> list[str]:
    statement_query = f"{SELECT_STATEMENTS} where city = {sql_literal(query.target_city)} order by rowid"
    return [
        "  Statement:",
        "    sqlite:",
        f"      file: {base}",
        f"      query: {yaml_scalar(statement_query)}",
    ]


def _trip_tables(query: Query, base: str) -> list[str]:
    """Return the lines that declare the tables with the rows that the trip can use."""
    lines = []
    for table, table_query in trip_queries(query).items():
        lines += [
            f"  {table}:",
            "    sqlite:",
            f"      file: {base}",
            f"      query: {yaml_scalar(table_query)}",
        ]
        lines += [f"    map: {COLUMN_SPLITS[table]}"] if COLUMN_SPLITS[table] else []
    return lines


def _scope(query: Query, currency: str) -> str:
    legs = [
        _transportation_row(1, "start_date", "start_city", "target_city"),
        _transportation_row(2, "end_date", "target_city", "start_city"),
    ]
    mode = RIDES.get(query.p_innercity_traffic or "", "public")
    ride = _RideConstants(mode, f"{FARES.get(currency, OTHER_FARES)[mode]} {currency}")
    days = (
        _one_day_rows(ride)
        if query.days == 1
        else _first_day_rows(ride) + _middle_day_rows(ride) + _last_day_rows(ride)
    )
    bed = [] if query.days == 1 else [_BED]
    return "\n".join(
        ["scope:", "  transportation:", *legs, *(["  accommodation:", *bed] if bed else []), "  itinerary:", *days]
    )


def _transportation_row(n: int, day: str, origin: str, to: str) -> str:
    services = f"services({day}, {origin}, {to})"
    fields = {
        "n": str(n),
        "service": services,
        "date": day,
        "origin": f"(s for s in Station if s.city == {origin})",
        "to": f"(s for s in Station if s.city == {to})",
    } | {
        name: f"(s.{column} for s in {services})"
        for name, column in (("begin", "depart"), ("end", "arrive"), ("price", "price"))
    }
    return "    - " + "\n      ".join(f"{name}: {value}" for name, value in fields.items())


_BED = """\
    - n: 1
      city: target_city
      hotel: beds_there
      room: RoomKind
      check_in: start_date
      check_out: end_date
      price: (o.price for o in Offer if o.hotel.city == target_city)
      rooms: 1..people
      board: Board"""


def _itinerary_row(
    number: int, day: str, activity: str, start: str, end: str, optional: bool = False, **cells: str
) -> str:
    loop = "for: d in mid_days\n      " if day == "d" else ""
    fields = {"date": day, "number": str(number), "activity": activity, "start": start, "end": end, **cells}
    if optional:
        fields["optional"] = "true"
    return "    - " + loop + "\n      ".join(f"{name}: {value}" for name, value in fields.items())


def _ride_row(number: int, day: str, start: str, end: str, ride: _RideConstants) -> str:
    return _itinerary_row(number, day, "inner_city_transportation", start, end, ride=ride.mode, price=ride.fare)


def _sight_row(number: int, day: str, start: str, end: str, *, optional: bool = False) -> str:
    return _itinerary_row(
        number, day, "attraction", start, end, optional, attraction="sights", price="(a.ticket for a in sights)"
    )


def _meal_row(number: int, day: str, start: str, end: str) -> str:
    open_ = f"kitchens({start}, {end})"
    return _itinerary_row(
        number, day, "meal", start, end, optional=True, restaurant=open_, price=f"(r.price for r in {open_})"
    )


def _journey_row(number: int, leg: int) -> str:
    day, ends = (("start_date", "start_city, target_city"), ("end_date", "target_city, start_city"))[leg - 1]
    times = {column: f"(s.{column} for s in services({day}, {ends}))" for column in ("depart", "arrive")}
    return _itinerary_row(number, day, "inter_city_transportation", times["depart"], times["arrive"], price="0")


def _first_day_rows(ride: _RideConstants) -> list[str]:
    day = "start_date"
    return [
        _journey_row(1, 1),
        _ride_row(2, day, "14:30", "15:00", ride),
        _sight_row(3, day, "15:00..15:30 step 30min", "16:30..17:30 step 30min", optional=True),
        _meal_row(4, day, "18:00", "19:00"),
        _ride_row(5, day, "19:00", "19:30", ride),
    ]


def _middle_day_rows(ride: _RideConstants) -> list[str]:
    day = "d"
    return [
        _ride_row(1, day, "08:30", "09:00", ride),
        _sight_row(2, day, "09:00..10:00 step 30min", "10:30..12:00 step 30min"),
        _meal_row(3, day, "12:00", "13:00"),
        _ride_row(4, day, "13:00", "13:30", ride),
        _sight_row(5, day, "13:30..14:30 step 30min", "15:30..17:30 step 30min", optional=True),
        _meal_row(6, day, "18:00", "19:00"),
        _ride_row(7, day, "19:00", "19:30", ride),
    ]


def _last_day_rows(ride: _RideConstants) -> list[str]:
    day = "end_date"
    return [
        _ride_row(1, day, "08:30", "09:00", ride),
        _sight_row(2, day, "09:00..10:00 step 30min", "10:30..12:00 step 30min"),
        _meal_row(3, day, "12:00", "13:00"),
        _ride_row(4, day, "13:00", "14:00", ride),
        _journey_row(5, 2),
    ]


def _one_day_rows(ride: _RideConstants) -> list[str]:
    day = "start_date"
    return [
        _journey_row(1, 1),
        _ride_row(2, day, "10:30", "11:00", ride),
        _sight_row(3, day, "11:00", "12:00..13:00 step 30min", optional=True),
        _meal_row(4, day, "13:00", "14:00"),
        _sight_row(5, day, "14:00..14:30 step 30min", "15:30..16:30 step 30min"),
        _ride_row(6, day, "16:30", "17:30", ride),
        _journey_row(7, 2),
    ]
