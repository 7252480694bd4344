"""The tables required by a WorldTravel itinerary."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from planspec.dsl.model.facts import Facts
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import EnumType, RowType, ScalarType, Table
from planspec.dsl.model.value_text import show
from planspec.errors import UnsuitableTaskError
from planspec.verifiers.answers.names import NameIndex, folded

STOPS = ("attraction", "restaurant")
"""Kinds of item that are visits."""

_COLUMNS = {
    "Place": ("kind",),
    "Hotel": (),
    "Spot": ("place", "hotel"),
    "visits": ("place", "day", "session", "start", "end", "cost"),
    "moves": ("to", "day", "session", "origin", "mode", "depart", "arrive", "cost"),
    "lodging": ("hotel", "cost"),
}


@dataclass(frozen=True, slots=True)
class WorldTravelTables:
    """The validated tables of a task.

    Attributes:
        trip: days of the trip (ordinals), in order.
        modes: modes of transport, by the folded text that agents may write.
        default_mode: mode of the implied moves of no length: on foot, if there is such a mode.
        spots: spot of each place and hotel.
        places: index of the places' names.
        hotels: index of the hotels' names.
        anywhere: index of both.
    """

    place: Facts
    hotel: Facts
    visits: Table
    moves: Table
    lodging: Table
    trip: tuple[int, ...]
    currency: str
    modes: dict[str, str]
    default_mode: str
    spots: dict[Row, Row]
    places: NameIndex
    hotels: NameIndex
    anywhere: NameIndex

    @classmethod
    @lru_cache(maxsize=16)
    def of(cls, task: Task) -> WorldTravelTables:
        """Return the tables of a task; those of the latest tasks are cached.

        Raises:
            UnsuitableTaskError: a table, a column, the given `trip`, or a currency is missing.
        """
        for name, columns in _COLUMNS.items():
            table = task.tables.get(name)
            if table is None or table.plan != name.islower():
                raise UnsuitableTaskError(f"an itinerary needs the table `{name}`, which `{task.id}` has not")
            missing = [column for column in columns if column not in table.columns]
            missing += [
                column.name
                for column in table.columns.values()
                if table.plan and column.name not in columns and not (column.optional or column.has_default)
            ]
            if missing:
                raise UnsuitableTaskError(
                    f"`{name}.{missing[0]}` is not as an itinerary needs it in `{task.id}`"
                )
        mode = task.tables["moves"].columns["mode"].type
        trip = task.givens.get("trip")
        if not isinstance(mode, EnumType) or task.currency is None or not isinstance(trip, tuple):
            raise UnsuitableTaskError(
                f"an itinerary needs `trip`, a currency and an enum of modes, and `{task.id}` lacks one"
            )
        modes = {folded(member): member for member in mode.members}
        for spoken, member in (("walking", "foot"), ("selfdriving", "driving")):
            if member in mode.members:
                modes.setdefault(spoken, member)
                modes.setdefault(member + spoken, member)  # `foot (walking)`
        spots = {row: spot for spot in task.facts["Spot"].rows for row in (spot.place, spot.hotel) if row}  # type: ignore[attr-defined]
        return cls(
            place=task.facts["Place"],
            hotel=task.facts["Hotel"],
            visits=task.tables["visits"],
            moves=task.tables["moves"],
            lodging=task.tables["lodging"],
            trip=tuple(sorted(trip)),
            currency=task.currency,
            modes=modes,
            default_mode="foot" if "foot" in mode.members else mode.members[0],
            spots=spots,
            places=_names(task.facts["Place"]),
            hotels=_names(task.facts["Hotel"]),
            anywhere=_names(task.facts["Place"], task.facts["Hotel"]),
        )

    def name(self, row: Row) -> str:
        """Return a row's name in an itinerary; a spot has the name of its place or hotel."""
        table = row._table
        if table.name == "Spot":
            return self.name(row.place or row.hotel)  # type: ignore[attr-defined]
        return show(row, RowType(table.name), self.currency)

    def day(self, day: int) -> str:
        """Return a date for people."""
        return show(day, ScalarType.DATE, None)


@lru_cache(maxsize=48)
def _names(*facts: Facts) -> NameIndex:
    """Index the names; the cache serves tasks that share tables."""
    return NameIndex(row for table in facts for row in table.rows)
