"""A WorldTravel itinerary -> the rows of a plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from planspec.dsl.model.rows import Row, make_row
from planspec.dsl.model.types import Table
from planspec.dsl.model.values import InvalidValueError
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.families.worldtravel.format.cells import read_date, read_times
from planspec.families.worldtravel.format.tables import STOPS, WorldTravelTables
from planspec.verifiers.answers.amounts import read_cost
from planspec.verifiers.answers.findings import FindingLog, ShapeFinding, pointer
from planspec.verifiers.answers.names import NameIndex, folded
from planspec.verifiers.answers.tables import clipped, what
from planspec.verifiers.meaning.plan_rows import Plan

LONGEST_WAIT = 240
"""Minutes from the end of an item that ran past midnight, or nearly so, to one that is listed after it and
begins in the small hours: that one is then on the next morning."""

_KINDS = ("hotel", "transportation", *STOPS)
_Value = TypeVar("_Value")


@dataclass(slots=True)
class _Item:
    """An item of a day's schedule; `row` is what a stop names, if it names anything."""

    kind: str
    cells: Mapping[str, Any]
    path: str
    row: Row | None = None
    said: str = ""


@dataclass(slots=True)
class _Draft:
    """A row of the plan while it is put together."""

    table: Table
    path: str
    values: dict[str, Any] = field(default_factory=dict)
    unknown: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class _Day:
    """The part of a day's schedule that was read so far."""

    day: int | None
    latest: int = 0  # the latest end
    last: _Draft | None = None  # the visit before, if no way and no hotel came after it
    stop: _Item | None = None  # the stop before
    moved: bool = True  # a way was listed since


class ItineraryReader:
    """Reads one itinerary."""

    def __init__(self, tables: WorldTravelTables) -> None:
        self._tables = tables
        self._places = tables.places
        self._hotels = tables.hotels
        self._anywhere = tables.anywhere
        self._findings = FindingLog()
        self._visits: list[_Draft] = []
        self._moves: list[_Draft] = []
        self._lodging: _Draft | None = None
        self._sessions: Counter[tuple[Any, int | None]] = Counter()

    def read(self, data: Mapping[str, Any]) -> tuple[Plan, tuple[ShapeFinding, ...]]:
        """The plan and the findings."""
        days = data.get("itinerary")
        if isinstance(days, list | tuple):
            self._days(days)
        else:
            kind = "wrong-shape" if "itinerary" in data else "missing-column"
            self._report(
                kind,
                f"`itinerary` is {what(days) if days is not None else 'missing'}, not a list of days",
                "/itinerary",
            )
        lodging = [self._lodging] if self._lodging else []
        named = (
            (self._tables.visits, self._visits),
            (self._tables.moves, self._moves),
            (self._tables.lodging, lodging),
        )
        rows = {
            table.name: tuple(_row(draft, i) for i, draft in enumerate(drafts)) for table, drafts in named
        }
        return Plan(rows), self._findings.all()

    # ------------------------------------------------------------------ days

    def _days(self, days: Sequence[Any]) -> None:
        seen: set[int] = set()
        for i, entry in enumerate(days):
            path = pointer("/itinerary", i)
            if not isinstance(entry, Mapping):
                self._report("wrong-shape", f"a day is {what(entry)}, not an object", path)
                continue
            day = self._date(entry, path)
            if day in seen:
                self._note("repeated-day", f"{self._tables.day(day)} stands in the itinerary again", path)
            if day is not None:
                seen.add(day)
            self._schedule(entry.get("schedule"), day, pointer(path, "schedule"))

    def _date(self, entry: Mapping[str, Any], path: str) -> int | None:
        said = entry.get("date")
        try:
            day = read_date(said, self._tables.trip)
        except InvalidValueError as error:
            self._report(
                "wrong-type", f"the date `{clipped(said)}` cannot be read: {error}", pointer(path, "date")
            )
            return None
        if day not in self._tables.trip:
            self._report(
                "unknown-date", f"{self._tables.day(day)} is no day of the trip", pointer(path, "date")
            )
        return day

    def _schedule(self, schedule: Any, day: int | None, path: str) -> None:
        if not isinstance(schedule, list | tuple):
            self._report("wrong-shape", f"`schedule` is {what(schedule)}, not a list of items", path)
            return
        items = [item for i, entry in enumerate(schedule) if (item := self._item(entry, pointer(path, i)))]
        for place, which in ((0, "first"), (-1, "last")):
            if not items or items[place].kind != "hotel":
                self._note("no-hotel", f"the {which} item of a day should be the hotel", path)
        for item in items:
            if item.kind != "transportation":
                self._stop(item)
        state = _Day(day)
        for i, item in enumerate(items):
            match item.kind:
                case "hotel":
                    self._hotel(item, state)
                case "transportation":
                    after = next((later for later in items[i + 1 :] if later.kind != "transportation"), None)
                    self._move(item, state, after)
                case _:
                    self._visit(item, state)

    def _item(self, entry: Any, path: str) -> _Item | None:
        if not isinstance(entry, Mapping):
            self._report("wrong-shape", f"an item is {what(entry)}, not an object", path)
            return None
        said = entry.get("item")
        kind = said.strip().casefold() if isinstance(said, str) else ""
        if kind in _KINDS:
            return _Item(kind, entry, path)
        message = f"`{clipped(said)}` is no kind of item: it is one of {', '.join(_KINDS)}"
        self._report("wrong-type", message, pointer(path, "item"))
        return None

    # ------------------------------------------------------------------ items

    def _stop(self, item: _Item) -> None:
        """Find what a stop names; its two ends are one place."""
        ends = [end for end in ("destination", "departure") if _said(item.cells.get(end))]
        index = self._hotels if item.kind == "hotel" else self._places
        found = [self._choose(index.find(_said(item.cells[end])), item.kind) for end in ends]
        if not ends:
            return
        item.said = _said(item.cells[ends[0]])
        item.row = found[0]
        if len(found) == 2 and found[0] is not found[1]:
            names = " and ".join(f"`{clipped(item.cells[end])}`" for end in ends)
            self._report("two-places", f"this {item.kind} is at {names}: one place was meant", item.path)
        kind = getattr(item.row, "kind", None) if item.kind in STOPS else None
        if kind is not None and kind != item.kind:
            self._note(
                "wrong-kind", f"`{clipped(item.said)}` is of the kind {kind}, not {item.kind}", item.path
            )

    def _choose(self, found: Sequence[Row], kind: str) -> Row | None:
        """The one row meant; of several, the only one of the item's kind."""
        same = [row for row in found if getattr(row, "kind", kind) == kind] if len(found) > 1 else found
        return same[0] if len(same) == 1 else None

    def _visit(self, item: _Item, state: _Day) -> None:
        draft = _Draft(self._tables.visits, item.path)
        self._name(draft, "place", item.row, item.said, self._places, "destination")
        identity = item.row or folded(item.said)
        self._sessions[identity, state.day] += 1
        session = self._sessions[identity, state.day]
        self._times(draft, "start", "end", item, state)
        draft.values |= {"day": state.day, "session": session}
        self._cost(draft, item)
        if state.last is not None and item.row is not None and state.last.values["place"] is item.row:
            self._stay(draft, state.last)
        else:
            self._way(item, state)
        self._visits.append(draft)
        state.last, state.stop, state.moved = draft, item, False

    def _way(self, item: _Item, state: _Day) -> None:
        """Note that no way leads to a stop from the one before, which is elsewhere."""
        if state.stop is not None and not state.moved and state.stop.row is not item.row:
            message = f"no transportation from `{clipped(state.stop.said)}` to `{clipped(item.said)}`"
            self._note("no-way", message, item.path)

    def _stay(self, visit: _Draft, before: _Draft) -> None:
        """Between two visits of one place that follow each other lies a way of no length, which no item says."""
        spot = self._tables.spots.get(visit.values["place"])
        at = before.values["end"]
        if spot is not None and at is not None:
            values = {
                "to": spot, "day": visit.values["day"], "session": visit.values["session"], "origin": spot,
                "mode": self._tables.default_mode, "depart": at, "arrive": at, "cost": 0,
            }  # fmt: skip
            self._moves.append(_Draft(self._tables.moves, visit.path, values))

    def _move(self, item: _Item, state: _Day, after: _Item | None) -> None:
        draft = _Draft(self._tables.moves, item.path)
        to = self._end(draft, "to", item, "destination", after)
        self._end(draft, "origin", item, "departure", state.stop)
        if to is None:
            session = 1
        elif to._table is self._tables.hotel.table:
            self._sessions[to, state.day] += 1
            session = self._sessions[to, state.day]
        else:
            session = self._sessions[to, state.day] + 1
        draft.values |= {"day": state.day, "session": session}
        self._times(draft, "depart", "arrive", item, state)
        said = item.cells.get("transportation")
        mode = self._tables.modes.get(folded(said)) if isinstance(said, str) else None
        draft.values["mode"] = mode
        if mode is None:
            modes = ", ".join(dict.fromkeys(self._tables.modes.values()))
            self._cell(
                draft,
                "mode",
                "wrong-type",
                f"`{clipped(said)}` is no mode of transport: {modes}",
                "transportation",
            )
        self._cost(draft, item)
        self._moves.append(draft)
        state.last, state.moved = None, True

    def _end(self, draft: _Draft, column: str, item: _Item, cell: str, near: _Item | None) -> Row | None:
        """One end of a way; a name that a place shares with a hotel means the stop beside it."""
        said = _said(item.cells.get(cell))
        found = self._anywhere.find(said) if said else ()
        if len(found) > 1 and near is not None and near.row in found:
            found = (near.row,)
        row = found[0] if len(found) == 1 else None
        spot = self._tables.spots.get(row) if row else None
        if row is not None and spot is None:
            draft.values[column] = None
            draft.unknown[column] = said
            self._cell(
                draft, column, "unknown-name", f"`{clipped(said)}` is no spot that a way can join", cell
            )
        else:
            self._name(draft, column, spot, said, self._anywhere, cell)
        return row

    def _hotel(self, item: _Item, state: _Day) -> None:
        self._way(item, state)
        state.last, state.stop, state.moved = None, item, False
        cost = self._hotel_cost(item)
        if self._lodging is None:
            self._lodging = _Draft(self._tables.lodging, item.path)
            self._name(self._lodging, "hotel", item.row, item.said, self._hotels, "destination")
            self._lodging.values["cost"] = cost
            return
        values, unknown = self._lodging.values, self._lodging.unknown
        if item.row is not values["hotel"] or (
            item.row is None and folded(item.said) != folded(unknown.get("hotel", ""))
        ):
            named = clipped(unknown.get("hotel") or (values["hotel"] and self._tables.name(values["hotel"])))
            self._report(
                "several-hotels",
                f"the stay is at `{named}`, and here at `{clipped(item.said)}`",
                item.path,
                "lodging",
                "hotel",
            )
        values["cost"] = None if values["cost"] is None or cost is None else values["cost"] + cost

    def _hotel_cost(self, item: _Item) -> int | None:
        """The cost that a hotel item adds to the stay: none if it does not say."""
        said = item.cells.get("cost")
        if said is None or (isinstance(said, str) and said.strip().casefold() in ("", "none", "n/a", "-")):
            return 0
        try:
            return read_cost(said, self._tables.currency)
        except InvalidValueError as error:
            message = f"the cost `{clipped(said)}` cannot be read: {error}"
            self._report("wrong-type", message, pointer(item.path, "cost"), "lodging", "cost")
            return None

    # ------------------------------------------------------------------ cells

    def _name(
        self, draft: _Draft, column: str, row: Row | None, said: str, index: NameIndex, cell: str
    ) -> None:
        draft.values[column] = row
        if row is not None:
            return
        if not said:
            self._cell(draft, column, "missing-column", f"the {cell} is missing", cell)
            return
        draft.unknown[column] = said
        meant = [self._tables.name(found) for found in index.find(said)]
        if len(meant) > 1:
            message = f"`{clipped(said)}` can mean {' or '.join(f'`{name}`' for name in meant[:4])}"
        else:
            near = index.nearest(said)
            message = f"nothing is called `{clipped(said)}`" + (f"; did you mean `{near}`?" if near else "")
        self._cell(draft, column, "unknown-name", message, cell)

    def _times(self, draft: _Draft, start: str, end: str, item: _Item, state: _Day) -> None:
        values = self._read(draft, start, item, "time", read_times)
        if values is None:
            draft.values |= {start: None, end: None}
            return
        begins, ends = values
        if begins < state.latest and begins + MINUTES_A_DAY <= state.latest + LONGEST_WAIT:
            begins, ends = begins + MINUTES_A_DAY, ends + MINUTES_A_DAY
        state.latest = max(state.latest, ends)
        draft.values |= {start: begins, end: ends}

    def _cost(self, draft: _Draft, item: _Item) -> None:
        draft.values["cost"] = self._read(
            draft, "cost", item, "cost", lambda said: read_cost(said, self._tables.currency)
        )

    def _read(
        self, draft: _Draft, column: str, item: _Item, cell: str, read: Callable[[object], _Value]
    ) -> _Value | None:
        said = item.cells.get(cell)
        if said is None:
            self._cell(draft, column, "missing-column", f"the {cell} is missing", cell)
            return None
        try:
            return read(said)
        except InvalidValueError as error:
            self._cell(
                draft, column, "wrong-type", f"the {cell} `{clipped(said)}` cannot be read: {error}", cell
            )
            return None

    # ------------------------------------------------------------------ findings

    def _cell(self, draft: _Draft, column: str, kind: str, message: str, cell: str) -> None:
        self._report(kind, message, pointer(draft.path, cell), draft.table.name, column)

    def _note(self, kind: str, message: str, path: str) -> None:
        self._findings.add(ShapeFinding(kind, message, path, fails=False))

    def _report(
        self, kind: str, message: str, path: str, table: str | None = None, column: str | None = None
    ) -> None:
        self._findings.add(ShapeFinding(kind, message, path, table, column))


def _said(value: object) -> str:
    """A name as the answer writes it; empty if it is none."""
    return value.strip() if isinstance(value, str) else ""


def _row(draft: _Draft, index: int) -> Row:
    return make_row(draft.table, draft.values, index, unknown=draft.unknown)
