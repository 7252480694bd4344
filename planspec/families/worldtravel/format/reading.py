"""Decoding of a WorldTravel itinerary into the rows of a plan."""

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
from planspec.verifiers.answers.names import NameIndex, folded_name
from planspec.verifiers.answers.tables import clipped_text, json_kind
from planspec.verifiers.meaning.plan_rows import Plan

LONGEST_WAIT = 240
"""Longest wait past midnight, in minutes.

A time before the end of the previous item is read as a time after midnight, if the wait until then is at most this
long.
"""

_KINDS = ("hotel", "transportation", *STOPS)
_Value = TypeVar("_Value")


@dataclass(slots=True)
class _Item:
    """An item of a day's schedule.

    Attributes:
        kind: `hotel`, `transportation` or a kind of stop.
        cells: the item as JSON.
        path: JSON pointer to the item.
        row: place or hotel of a stop; None if the name is unknown.
        text: name of the stop in the answer.
    """

    kind: str
    cells: Mapping[str, Any]
    path: str
    row: Row | None = None
    text: str = ""


@dataclass(slots=True)
class _RowDraft:
    """An unfinished row of the plan.

    Attributes:
        path: JSON pointer to the item of the row.
        values: values by column.
        unknown: unresolved names, by column.
    """

    table: Table
    path: str
    values: dict[str, Any] = field(default_factory=dict)
    unknown: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class _ScheduleState:
    """Facts about the items of a day's schedule that have been read so far."""

    day: int | None
    latest: int = 0  # latest end of an item, in minutes after midnight
    last: _RowDraft | None = None  # previous visit, unless a transportation or a hotel follows it
    stop: _Item | None = None  # previous stop
    moved: bool = True  # whether a transportation follows the previous stop


class ItineraryReader:
    """Reader that decodes one itinerary."""

    def __init__(self, tables: WorldTravelTables) -> None:
        self._tables = tables
        self._places = tables.places
        self._hotels = tables.hotels
        self._all_names = tables.all_names
        self._findings = FindingLog()
        self._visits: list[_RowDraft] = []
        self._moves: list[_RowDraft] = []
        self._lodging: _RowDraft | None = None
        self._sessions: Counter[tuple[Any, int | None]] = Counter()

    def read(self, data: Mapping[str, Any]) -> tuple[Plan, tuple[ShapeFinding, ...]]:
        """Return the plan of an itinerary, and findings on the itinerary's shape (missing or malformed parts)."""
        days = data.get("itinerary")
        if isinstance(days, list | tuple):
            self._read_days(days)
        else:
            kind = "wrong-shape" if "itinerary" in data else "missing-column"
            self._report(
                kind,
                f"`itinerary` is {json_kind(days) if days is not None else 'missing'}, not a list of days",
                "/itinerary",
            )
        lodging = [self._lodging] if self._lodging else []
        named = (
            (self._tables.visits, self._visits),
            (self._tables.moves, self._moves),
            (self._tables.lodging, lodging),
        )
        rows = {table.name: tuple(_make_row(draft, i) for i, draft in enumerate(drafts)) for table, drafts in named}
        return Plan(rows), self._findings.all()

    # ------------------------------------------------------------------ days

    def _read_days(self, days: Sequence[Any]) -> None:
        seen: set[int] = set()
        for i, entry in enumerate(days):
            path = pointer("/itinerary", i)
            if not isinstance(entry, Mapping):
                self._report("wrong-shape", f"a day is {json_kind(entry)}, not an object", path)
                continue
            day = self._read_date(entry, path)
            if day in seen:
                self._add_remark("repeated-day", f"{self._tables.day(day)} stands in the itinerary again", path)
            if day is not None:
                seen.add(day)
            self._read_schedule(entry.get("schedule"), day, pointer(path, "schedule"))

    def _read_date(self, entry: Mapping[str, Any], path: str) -> int | None:
        value = entry.get("date")
        try:
            day = read_date(value, self._tables.trip)
        except InvalidValueError as error:
            self._report(
                "wrong-type",
                f"the date `{clipped_text(value)}` cannot be read: {error}",
                pointer(path, "date"),
            )
            return None
        if day not in self._tables.trip:
            self._report("unknown-date", f"{self._tables.day(day)} is no day of the trip", pointer(path, "date"))
        return day

    def _read_schedule(self, schedule: Any, day: int | None, path: str) -> None:
        if not isinstance(schedule, list | tuple):
            self._report("wrong-shape", f"`schedule` is {json_kind(schedule)}, not a list of items", path)
            return
        items = [item for i, entry in enumerate(schedule) if (item := self._read_item(entry, pointer(path, i)))]
        for place, position in ((0, "first"), (-1, "last")):
            if not items or items[place].kind != "hotel":
                self._add_remark("no-hotel", f"the {position} item of a day should be the hotel", path)
        for item in items:
            if item.kind != "transportation":
                self._resolve_stop(item)
        state = _ScheduleState(day)
        for i, item in enumerate(items):
            match item.kind:
                case "hotel":
                    self._add_hotel(item, state)
                case "transportation":
                    after = next((later for later in items[i + 1 :] if later.kind != "transportation"), None)
                    self._add_move(item, state, after)
                case _:
                    self._add_visit(item, state)

    def _read_item(self, entry: Any, path: str) -> _Item | None:
        if not isinstance(entry, Mapping):
            self._report("wrong-shape", f"an item is {json_kind(entry)}, not an object", path)
            return None
        value = entry.get("item")
        kind = value.strip().casefold() if isinstance(value, str) else ""
        if kind in _KINDS:
            return _Item(kind, entry, path)
        message = f"`{clipped_text(value)}` is no kind of item: it is one of {', '.join(_KINDS)}"
        self._report("wrong-type", message, pointer(path, "item"))
        return None

    # ------------------------------------------------------------------ items

    def _resolve_stop(self, item: _Item) -> None:
        """Set the row and text of a stop. The departure and destination of its item must name one place."""
        ends = [end for end in ("destination", "departure") if _text_of(item.cells.get(end))]
        index = self._hotels if item.kind == "hotel" else self._places
        rows = [self._choose_row(index.find(_text_of(item.cells[end])), item.kind) for end in ends]
        if not ends:
            return
        item.text = _text_of(item.cells[ends[0]])
        item.row = rows[0]
        if len(rows) == 2 and rows[0] is not rows[1]:
            names = " and ".join(f"`{clipped_text(item.cells[end])}`" for end in ends)
            self._report("two-places", f"this {item.kind} is at {names}: one place was meant", item.path)
        kind = getattr(item.row, "kind", None) if item.kind in STOPS else None
        if kind is not None and kind != item.kind:
            self._add_remark(
                "wrong-kind", f"`{clipped_text(item.text)}` is of the kind {kind}, not {item.kind}", item.path
            )

    def _choose_row(self, rows: Sequence[Row], kind: str) -> Row | None:
        """Return the only row, or among several rows the only one of the item's kind.

        Otherwise return None.
        """
        same = [row for row in rows if getattr(row, "kind", kind) == kind] if len(rows) > 1 else rows
        return same[0] if len(same) == 1 else None

    def _add_visit(self, item: _Item, state: _ScheduleState) -> None:
        draft = _RowDraft(self._tables.visits, item.path)
        self._set_name(draft, "place", item.row, item.text, self._places, "destination")
        identity = item.row or folded_name(item.text)
        self._sessions[identity, state.day] += 1
        session = self._sessions[identity, state.day]
        self._set_times(draft, "start", "end", item, state)
        draft.values |= {"day": state.day, "session": session}
        self._set_cost(draft, item)
        self._set_ticket(draft, item)
        if state.last is not None and item.row is not None and state.last.values["place"] is item.row:
            self._add_implied_move(draft, state.last)
        else:
            self._report_missing_way(item, state)
        self._visits.append(draft)
        state.last, state.stop, state.moved = draft, item, False

    def _report_missing_way(self, item: _Item, state: _ScheduleState) -> None:
        """Report a missing transportation item between the previous stop and this one."""
        if state.stop is not None and not state.moved and state.stop.row is not item.row:
            message = f"no transportation from `{clipped_text(state.stop.text)}` to `{clipped_text(item.text)}`"
            self._add_remark("no-way", message, item.path)

    def _add_implied_move(self, visit: _RowDraft, before: _RowDraft) -> None:
        """Add the move of length 0 that is implied between two consecutive visits of one place."""
        spot = self._tables.spots.get(visit.values["place"])
        time = before.values["end"]
        if spot is not None and time is not None:
            values = {
                "to": spot,
                "day": visit.values["day"],
                "session": visit.values["session"],
                "origin": spot,
                "mode": self._tables.default_mode,
                "depart": time,
                "arrive": time,
                "cost": 0,
            }
            self._moves.append(_RowDraft(self._tables.moves, visit.path, values))

    def _add_move(self, item: _Item, state: _ScheduleState, after: _Item | None) -> None:
        draft = _RowDraft(self._tables.moves, item.path)
        to = self._resolve_end(draft, "to", item, "destination", after)
        self._resolve_end(draft, "origin", item, "departure", state.stop)
        if to is None:
            session = 1
        elif to._table is self._tables.hotel.table:
            self._sessions[to, state.day] += 1
            session = self._sessions[to, state.day]
        else:
            session = self._sessions[to, state.day] + 1
        draft.values |= {"day": state.day, "session": session}
        self._set_times(draft, "depart", "arrive", item, state)
        value = item.cells.get("transportation")
        mode = self._tables.modes.get(folded_name(value)) if isinstance(value, str) else None
        draft.values["mode"] = mode
        if mode is None:
            modes = ", ".join(dict.fromkeys(self._tables.modes.values()))
            self._report_cell(
                draft,
                "mode",
                "wrong-type",
                f"`{clipped_text(value)}` is no mode of transport: {modes}",
                "transportation",
            )
        self._set_cost(draft, item)
        self._moves.append(draft)
        state.last, state.moved = None, True

    def _resolve_end(self, draft: _RowDraft, column: str, item: _Item, cell: str, near: _Item | None) -> Row | None:
        """Set one end of a transportation (`column` of its row), and return the place or hotel at this end.

        The field `cell` of the item names the end. If a place and a hotel have this name, the adjacent stop (`near`)
        determines which is meant.
        """
        text = _text_of(item.cells.get(cell))
        rows = self._all_names.find(text) if text else ()
        if len(rows) > 1 and near is not None and near.row in rows:
            rows = (near.row,)
        row = rows[0] if len(rows) == 1 else None
        spot = self._tables.spots.get(row) if row else None
        if row is not None and spot is None:
            draft.values[column] = None
            draft.unknown[column] = text
            self._report_cell(
                draft, column, "unknown-name", f"`{clipped_text(text)}` is no spot that a way can join", cell
            )
        else:
            self._set_name(draft, column, spot, text, self._all_names, cell)
        return row

    def _add_hotel(self, item: _Item, state: _ScheduleState) -> None:
        self._report_missing_way(item, state)
        state.last, state.stop, state.moved = None, item, False
        cost = self._read_hotel_cost(item)
        if self._lodging is None:
            self._lodging = _RowDraft(self._tables.lodging, item.path)
            self._set_name(self._lodging, "hotel", item.row, item.text, self._hotels, "destination")
            self._lodging.values["cost"] = cost
            return
        values, unknown = self._lodging.values, self._lodging.unknown
        if item.row is not values["hotel"] or (
            item.row is None and folded_name(item.text) != folded_name(unknown.get("hotel", ""))
        ):
            named = clipped_text(unknown.get("hotel") or (values["hotel"] and self._tables.name(values["hotel"])))
            self._report(
                "several-hotels",
                f"the stay is at `{named}`, and here at `{clipped_text(item.text)}`",
                item.path,
                "lodging",
                "hotel",
            )
        values["cost"] = None if values["cost"] is None or cost is None else values["cost"] + cost

    def _read_hotel_cost(self, item: _Item) -> int | None:
        """Return the cost of a hotel item in minor units: 0 if it is missing, None if it is unreadable."""
        value = item.cells.get("cost")
        if value is None or (isinstance(value, str) and value.strip().casefold() in ("", "none", "n/a", "-")):
            return 0
        try:
            return read_cost(value, self._tables.currency)
        except InvalidValueError as error:
            message = f"the cost `{clipped_text(value)}` cannot be read: {error}"
            self._report("wrong-type", message, pointer(item.path, "cost"), "lodging", "cost")
            return None

    # ------------------------------------------------------------------ cells

    def _set_name(self, draft: _RowDraft, column: str, row: Row | None, text: str, index: NameIndex, cell: str) -> None:
        draft.values[column] = row
        if row is not None:
            return
        if not text:
            self._report_cell(draft, column, "missing-column", f"the {cell} is missing", cell)
            return
        draft.unknown[column] = text
        names = [self._tables.name(row_) for row_ in index.find(text)]
        if len(names) > 1:
            message = f"`{clipped_text(text)}` can mean {' or '.join(f'`{name}`' for name in names[:4])}"
        else:
            near = index.nearest(text)
            message = f"nothing is called `{clipped_text(text)}`" + (f"; did you mean `{near}`?" if near else "")
        self._report_cell(draft, column, "unknown-name", message, cell)

    def _set_times(self, draft: _RowDraft, start: str, end: str, item: _Item, state: _ScheduleState) -> None:
        values = self._read_cell(draft, start, item, "time", read_times)
        if values is None:
            draft.values |= {start: None, end: None}
            return
        begins, ends = values
        if begins < state.latest and begins + MINUTES_A_DAY <= state.latest + LONGEST_WAIT:
            begins, ends = begins + MINUTES_A_DAY, ends + MINUTES_A_DAY
        state.latest = max(state.latest, ends)
        draft.values |= {start: begins, end: ends}

    def _set_cost(self, draft: _RowDraft, item: _Item) -> None:
        draft.values["cost"] = self._read_cell(
            draft, "cost", item, "cost", lambda value: read_cost(value, self._tables.currency)
        )

    def _set_ticket(self, draft: _RowDraft, item: _Item) -> None:
        """Set the ticket of a visit. The item may leave out its name."""
        if self._tables.tickets is None:
            return
        draft.values["ticket"] = None
        value = item.cells.get("ticket")
        if value is None or value == "" or item.row is None:
            return
        index = self._tables.tickets[item.row]
        if not isinstance(value, str):
            self._report_cell(draft, "ticket", "wrong-type", f"the ticket is {json_kind(value)}, not a name", "ticket")
            return
        rows = index.find(value)
        if len(rows) == 1:
            draft.values["ticket"] = rows[0]
            return
        draft.unknown["ticket"] = value
        near = index.nearest(value)
        message = f"`{clipped_text(item.text)}` sells no ticket called `{clipped_text(value)}`"
        self._report_cell(
            draft, "ticket", "unknown-name", message + (f"; did you mean `{near}`?" if near else ""), "ticket"
        )

    def _read_cell(
        self, draft: _RowDraft, column: str, item: _Item, cell: str, read: Callable[[object], _Value]
    ) -> _Value | None:
        value = item.cells.get(cell)
        if value is None:
            self._report_cell(draft, column, "missing-column", f"the {cell} is missing", cell)
            return None
        try:
            return read(value)
        except InvalidValueError as error:
            self._report_cell(
                draft,
                column,
                "wrong-type",
                f"the {cell} `{clipped_text(value)}` cannot be read: {error}",
                cell,
            )
            return None

    # ------------------------------------------------------------------ findings

    def _report_cell(self, draft: _RowDraft, column: str, kind: str, message: str, cell: str) -> None:
        self._report(kind, message, pointer(draft.path, cell), draft.table.name, column)

    def _add_remark(self, kind: str, message: str, path: str) -> None:
        self._findings.add(ShapeFinding(kind, message, path, fails=False))

    def _report(self, kind: str, message: str, path: str, table: str | None = None, column: str | None = None) -> None:
        self._findings.add(ShapeFinding(kind, message, path, table, column))


def _text_of(value: object) -> str:
    """Return a string without surrounding blanks, or an empty string if the value is not a string."""
    return value.strip() if isinstance(value, str) else ""


def _make_row(draft: _RowDraft, index: int) -> Row:
    return make_row(draft.table, draft.values, index, unknown=draft.unknown)
