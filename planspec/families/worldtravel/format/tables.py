"""The tables of a task that a WorldTravel itinerary fills or refers to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from planspec.dsl.model.facts import Facts
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import EnumType, RowType, ScalarType, Table
from planspec.dsl.model.value_text import show
from planspec.errors import UnsuitableTaskError
from planspec.verifiers.answers.names import NameIndex, folded_name

STOPS = ("attraction", "restaurant")
"""Kinds of itinerary items that are visits."""

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
    """The tables of a task that itineraries need, after validation.

    Attributes:
        trip: days of the trip as ordinals, in order.
        modes: modes of transport, by the normalised texts that agents may write for them.
        default_mode: mode of implied moves of length 0. It is `foot` if the task has this mode.
        spots: for each place and hotel, its row in `Spot`, the table of ends of routes.
        places: index of the names of places.
        hotels: index of the names of hotels.
        all_names: index of the names of places and hotels.
        tickets: index of the names of each place's tickets; None if visits name no tickets.
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
    all_names: NameIndex
    tickets: dict[Row, NameIndex] | None

    @classmethod
    @lru_cache(maxsize=16)
    def from_task(cls, task: Task) -> WorldTravelTables:
        """Return the tables of a task. The tables of the latest tasks are cached.

        Raises:
            UnsuitableTaskError: the task lacks a table, a column, the given `trip`, or a currency.
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
                raise UnsuitableTaskError(f"`{name}.{missing[0]}` is not as an itinerary needs it in `{task.id}`")
        mode = task.tables["moves"].columns["mode"].type
        trip = task.givens.get("trip")
        if not isinstance(mode, EnumType) or task.currency is None or not isinstance(trip, tuple):
            raise UnsuitableTaskError(
                f"an itinerary needs `trip`, a currency and an enum of modes, and `{task.id}` lacks one"
            )
        modes = {folded_name(member): member for member in mode.members}
        for spoken, member in (("walking", "foot"), ("selfdriving", "driving")):
            if member in mode.members:
                modes.setdefault(spoken, member)
                modes.setdefault(member + spoken, member)  # answers may write `foot (walking)`
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
            places=_name_index(task.facts["Place"]),
            hotels=_name_index(task.facts["Hotel"]),
            all_names=_name_index(task.facts["Place"], task.facts["Hotel"]),
            tickets=_ticket_names(task),
        )

    def name(self, row: Row) -> str:
        """Return the name of a row in itineraries. A row of `Spot` is named after its place or hotel."""
        table = row._table
        if table.name == "Spot":
            return self.name(row.place or row.hotel)  # type: ignore[attr-defined]
        return show(row, RowType(table.name), self.currency)

    def day(self, day: int) -> str:
        """Format a day, given as an ordinal, for messages."""
        return show(day, ScalarType.DATE, None)


def _ticket_names(task: Task) -> dict[Row, NameIndex] | None:
    """Return an index of the tickets of each place, or None if `visits` has no column `ticket`."""
    column = task.tables["visits"].columns.get("ticket")
    if column is None or not isinstance(column.type, RowType) or column.type.table not in task.facts:
        return None
    rows: dict[Row, list[Row]] = {place: [] for place in task.facts["Place"].rows}
    for ticket in task.facts[column.type.table].rows:
        rows[ticket.place].append(ticket)  # type: ignore[attr-defined]
    return {place: NameIndex(tickets) for place, tickets in rows.items()}


@lru_cache(maxsize=48)
def _name_index(*facts: Facts) -> NameIndex:
    """Return an index of rows by name. It is cached, since tasks share tables."""
    return NameIndex(row for table in facts for row in table.rows)
