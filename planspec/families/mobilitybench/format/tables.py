"""Lookup of the rows to which an answer refers: places by name and location, routes by id and steps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from planspec.dsl.model.facts import Facts
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import Table
from planspec.errors import UnsuitableTaskError
from planspec.families.mobilitybench.format.addresses import match_address
from planspec.families.mobilitybench.format.names import RowNames, drop_repeats
from planspec.geodesy import EARTH_M

COLUMNS = {
    "Place": ("names", "addresses", "x", "y"),
    "Road": (),
    "Line": ("names",),
    "Route": (
        "origin",
        "destination",
        "time",
        "length",
        "depart",
        "arrive",
        "transfers",
        "tolls",
        "fare",
        "lights",
    ),
    "Piece": ("route", "n", "vehicle", "road", "line"),
    "Halt": ("route", "n", "place"),
    "Weather": ("day", "words"),
    "answer": (
        "place",
        "where",
        "address",
        "level",
        "depart",
        "arrive",
        "time",
        "length",
        "transfers",
        "lights",
        "tolls",
        "fare",
        "possible",
    ),
    "places": ("n", "place"),
    "legs": ("n", "route"),
    "days": ("day", "weather", "temperature", "low", "high"),
}
"""Columns that a task must declare, by table."""
GIVEN = (
    "right_places",
    "right_address",
    "weather_days",
    "depart_at",
    "right_arrive",
    "at_least",
    "time_tolerance",
    "length_tolerance",
    "late",
)
HERE = "here"
"""Key of the user's location in the table of places."""
METRES = 1_000_000 * 180 / (math.pi * EARTH_M)
"""Length of one metre in 1e-6 degrees of a great circle."""
NEAR = round(100 * METRES)
"""Maximum distance, 100 m, at which a location identifies a place."""
FAR = round(200 * METRES)
"""Distance, 200 m, beyond which a location identifies a different place."""
ROWS_CACHE_SIZE = 256
"""Maximum number of tables with cached indexes of their rows."""


@dataclass(frozen=True, slots=True)
class RecordedRoute:
    """A recorded route, with the details that an answer may use to describe it.

    Attributes:
        route: row of the route.
        named: roads and lines of the route in order, without consecutive repetitions.
        ridden: lines of the route in order, without consecutive repetitions.
        vehicles: vehicles used on each road and line.
        all_vehicles: all vehicles of the route.
        halts: places at which the route stops, including start and destination.
    """

    route: Row
    named: tuple[Row, ...]
    ridden: tuple[Row, ...]
    vehicles: Mapping[Row, frozenset[str]]
    all_vehicles: frozenset[str]
    halts: frozenset[Row]


@dataclass(frozen=True, eq=False)
class MobilityBenchTables:
    """Tables and givens of a task. `tables_of` creates it and checks that none is missing."""

    task: Task

    def plan_table(self, name: str) -> Table:
        """Return the plan table with this name, as the task declares it."""
        return self.task.tables[name]

    def given(self, name: str) -> Any:
        """Return the value of a given, which is a named input of the task: a scalar, rows, or None."""
        return self.task.givens.get(name)

    @property
    def places(self) -> RowNames:
        """Index of places by name."""
        return _row_names(self.task.facts["Place"])

    @property
    def roads(self) -> RowNames:
        """Index of roads by name."""
        return _row_names(self.task.facts["Road"])

    @property
    def lines(self) -> RowNames:
        """Index of transit lines by name."""
        return _row_names(self.task.facts["Line"])

    @cached_property
    def right_places(self) -> frozenset[Row]:
        """Places that are right answers."""
        return frozenset(row for row in self.task.givens.get("right_places") or () if isinstance(row, Row))

    @property
    def ways(self) -> tuple[RecordedRoute, ...]:
        """The task's recorded routes, with the details by which answers may describe them."""
        facts = self.task.facts
        return _recorded_routes(facts["Route"], facts["Piece"], facts["Halt"])

    def route(self, id_: str) -> Row | None:
        """Return the route with an id, ignoring its case; None if there is none."""
        return _rows_by_id(self.task.facts["Route"]).get(id_.strip().casefold())

    def nearest_place(self, point: tuple[int, int]) -> Row | None:
        """Return the place nearest to a location; None if no place is within `NEAR`.

        Among equally near places, right answers come first and the user's own location comes last.
        """
        near = [
            (squared_distance(point, where), row)
            for row, where in self.located_places
            if squared_distance(point, where) <= NEAR**2
        ]
        order = ((away, row not in self.right_places, row._key[0] == HERE, row._index) for away, row in near)
        best = min(order, default=None)
        return None if best is None else self.task.facts["Place"].rows[best[3]]

    def places_at_address(self, text: str) -> tuple[Row, ...]:
        """Return the places with an address."""
        return tuple(
            row
            for row, addresses in _row_addresses(self.task.facts["Place"])
            if match_address(text, addresses) is not None
        )

    def asks_for_one_place(self) -> bool:
        """Return whether the query asks for exactly one nearby place."""
        return bool(self.given("scenario") == "nearby_search" and self.given("at_least") == 1)

    @property
    def located_places(self) -> tuple[tuple[Row, tuple[int, int]], ...]:
        """Places with a known location, each with its location in 1e-6 degrees."""
        return _located_rows(self.task.facts["Place"])


def tables_of(task: Task) -> MobilityBenchTables:
    """Return the tables of a task.

    Raises:
        UnsuitableTaskError: the task lacks a table, a column or a given.
    """
    for name, columns in COLUMNS.items():
        table = task.tables.get(name)
        if table is None or table.plan != name.islower():
            raise UnsuitableTaskError(f"a MobilityBench plan needs the table `{name}`, which `{task.id}` has not")
        missing = [column for column in columns if column not in table.columns]
        if missing:
            raise UnsuitableTaskError(f"a MobilityBench plan needs `{name}.{missing[0]}`, which `{task.id}` has not")
    lacking = [name for name in GIVEN if name not in task.givens]
    if lacking:
        raise UnsuitableTaskError(f"a MobilityBench plan needs the given `{lacking[0]}`, which `{task.id}` has not")
    return MobilityBenchTables(task)


def squared_distance(a: tuple[int, int], b: tuple[int, int]) -> int:
    """Return the square of the distance between two locations, in (1e-6 degrees of a great circle) squared.

    The result is accurate for distances of a few km.
    """
    shrunk = round(math.cos(math.radians((a[1] + b[1]) / 2_000_000)) * 1_000_000)
    x = (a[0] - b[0] + 180_000_000) % 360_000_000 - 180_000_000
    return (x * shrunk // 1_000_000) ** 2 + (a[1] - b[1]) ** 2


def is_remote(place: Row, point: tuple[int, int]) -> bool:
    """Return whether a place is farther than `FAR` from a location; False if its location is unknown."""
    where = point_of(place)
    return where is not None and squared_distance(where, point) > FAR**2


def point_of(place: Any) -> tuple[int, int] | None:
    """Return the coordinates of a place in 1e-6 degrees; None if unknown."""
    return None if place.x is None or place.y is None else (place.x, place.y)


def names_of_row(row: Row) -> Iterable[str]:
    """Yield the names of a place or a line."""
    yield str(row._key[0])
    yield from getattr(row, "names", None) or ()


@lru_cache(maxsize=ROWS_CACHE_SIZE)
def _row_names(facts: Facts) -> RowNames:
    return RowNames(facts.rows, names_of_row)


@lru_cache(maxsize=ROWS_CACHE_SIZE)
def _located_rows(facts: Facts) -> tuple[tuple[Row, tuple[int, int]], ...]:
    return tuple((row, where) for row in facts.rows if (where := point_of(row)) is not None)


@lru_cache(maxsize=ROWS_CACHE_SIZE)
def _row_addresses(facts: Facts) -> tuple[tuple[Row, tuple[str, ...]], ...]:
    rows: Iterable[Any] = facts.rows
    return tuple((row, tuple(sorted(row.addresses))) for row in rows if row.addresses)


@lru_cache(maxsize=ROWS_CACHE_SIZE)
def _rows_by_id(facts: Facts) -> dict[str, Row]:
    return {str(row._key[0]).casefold(): row for row in reversed(facts.rows)}


@lru_cache(maxsize=ROWS_CACHE_SIZE)
def _recorded_routes(routes: Facts, pieces: Facts, halts: Facts) -> tuple[RecordedRoute, ...]:
    route_pieces: dict[Row | None, list[Any]] = {}
    for piece in pieces.rows:
        route_pieces.setdefault(piece.route, []).append(piece)  # type: ignore[attr-defined]
    stops: dict[Row | None, set[Row]] = {}
    for halt in halts.rows:
        stops.setdefault(halt.route, set()).add(halt.place)  # type: ignore[attr-defined]
    recorded = []
    for route in routes.rows:
        ordered = sorted(route_pieces.get(route, ()), key=lambda piece: int(piece.n))
        vehicles: dict[Row, set[str]] = {}
        for piece in ordered:
            for name in (piece.line, piece.road):
                if name is not None:
                    vehicles.setdefault(name, set()).add(piece.vehicle)
        named = (piece.line if piece.line is not None else piece.road for piece in ordered)
        ends = {route.origin, route.destination} - {None}  # type: ignore[attr-defined]
        recorded.append(
            RecordedRoute(
                route,
                drop_repeats(name for name in named if name is not None),
                drop_repeats(piece.line for piece in ordered if piece.line is not None),
                {name: frozenset(used) for name, used in vehicles.items()},
                frozenset(piece.vehicle for piece in ordered),
                frozenset(stops.get(route, set()) | ends),
            )
        )
    return tuple(recorded)
