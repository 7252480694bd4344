"""Reader of a VeriTrip answer: parses its cells, resolves their names, and builds the rows of a plan."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from planspec.dsl.diagnostics.suggestions import most_similar
from planspec.dsl.model.rows import Row, make_row
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.families.veritrip.format.cells import AnswerCell, CellForm, read_cell
from planspec.families.veritrip.format.tables import VeriTripTables, bare_name, plain_number
from planspec.verifiers.answers.findings import FindingLog, ShapeFinding, pointer
from planspec.verifiers.answers.format import NoAnswerError
from planspec.verifiers.answers.names import NameIndex, folded_name
from planspec.verifiers.answers.tables import clipped_text, json_kind
from planspec.verifiers.meaning.plan_rows import Plan

WRAPPER = "Final Result"
TRANSPORTATION, ACCOMMODATION, ITINERARY = "transportationTable", "accommodationTable", "itineraryTable"
FORMS: dict[str, dict[str, CellForm]] = {
    TRANSPORTATION: {
        "transportationID": "text",
        "date": "date",
        "departureStation": "text",
        "arriveStation": "text",
        "begin_time": "time",
        "end_time": "time",
        "price_per_person": "price",
    },
    ACCOMMODATION: {
        "city": "text",
        "name": "text",
        "check_in": "date",
        "check_out": "date",
        "price_per_night": "price",
        "room_type": "text",
        "room_number": "number",
        "breakfast_included": "truth",
    },
    ITINERARY: {
        "Date": "date",
        "active_item_number": "number",
        "active_type": "text",
        "start_time": "time",
        "end_time": "time",
        "name": "text",
        "price_per_person": "price",
        "notes": "text",
    },
}
"""Tables of an answer, their columns, and the form of each column."""
OPTIONAL = ("notes",)
ACTIVITIES = ("inner_city_transportation", "inter_city_transportation", "meal", "attraction")
BOARDS = {True: "with_breakfast", False: "room_only"}
"""Members of the library's enum `board`, for rooms with breakfast and rooms without."""
MOST_ROWS = 256
"""Maximal number of rows read from a table, since the time to check some rules grows superlinearly."""
_RIDES = {
    "taxi": re.compile(r"\b(?:taxi|taxis|cab|cabs|ride[\s-]?hail\w*|uber|lyft|didi)\b|出租|打车|网约车", re.IGNORECASE),
    "public": re.compile(
        r"\b(?:public transport\w*|public transit|metro|subway|bus|buses|tram|light rail|mrt|underground)\b|地铁|公交",
        re.IGNORECASE,
    ),
}
_CITATION = re.compile(r"\[(\d{1,9}(?:\s*[,;]\s*\d{1,9}){0,50})\]", re.ASCII)


@dataclass(slots=True)
class ReadRow:
    """A row of an answer.

    Attributes:
        table: name of the table in the answer.
        index: index of the row in the table.
        cells: cells by column. A missing column has a cell with a fault.
        fact: row of the fact base that this row names; None if there is none.
    """

    table: str
    index: int
    cells: dict[str, AnswerCell]
    fact: Row | None = None

    @property
    def path(self) -> str:
        """Position of the row as a JSON pointer, such as `/itineraryTable/2`."""
        return f"/{self.table}/{self.index}"

    @property
    def cited(self) -> tuple[int, ...]:
        """Ids of the documents that the notes cite: `[20, 31]` cites two documents."""
        notes = self.cells["notes"].value if "notes" in self.cells else None
        numbers = (part for group in _CITATION.findall(notes or "") for part in re.split(r"[,;]", group))
        return tuple(dict.fromkeys(int(part) for part in numbers))


@dataclass(slots=True)
class ReadAnswer:
    """A parsed answer.

    Attributes:
        rows: rows of the three tables, in their order.
        plan: plan of the answer.
        findings: faults of the answer's shape.
    """

    rows: list[ReadRow]
    plan: Plan
    findings: tuple[ShapeFinding, ...]


def unwrap(data: Any) -> Any:
    """Remove the prompt's wrapper from the three tables, if present."""
    while isinstance(data, Mapping) and WRAPPER in data and not any(table in data for table in FORMS):
        data = data[WRAPPER]
    return data


def read_answer(tables: VeriTripTables, data: Any) -> ReadAnswer:
    """Read an answer.

    Args:
        tables: tables of the task.
        data: JSON of the answer, with or without the wrapper.

    Raises:
        NoAnswerError: The JSON has none of the three tables.
    """
    return _AnswerReader(tables).read(unwrap(data))


@dataclass(slots=True)
class _AnswerReader:
    tables: VeriTripTables
    findings: FindingLog = field(default_factory=FindingLog)
    plan_rows: dict[str, list[Row]] = field(
        default_factory=lambda: {"transportation": [], "accommodation": [], "itinerary": []}
    )

    def read(self, data: Any) -> ReadAnswer:
        if not isinstance(data, Mapping) or not any(str(name).lstrip("#") in FORMS for name in data):
            description = "an object without its tables" if isinstance(data, Mapping) else json_kind(data)
            raise NoAnswerError(f"the answer is {description}; it has {', '.join(FORMS)}")
        rows = [row for table in FORMS for row in self._read_table(table, data)]
        for name in data:
            if str(name).lstrip("#") not in FORMS:
                self._note("unknown-table", f"an answer has no table `{clipped_text(name)}`", pointer("", name))
        resolvers = {
            TRANSPORTATION: self._resolve_leg,
            ACCOMMODATION: self._resolve_stay,
            ITINERARY: self._resolve_activity,
        }
        for row in rows:
            resolvers[row.table](row)
        return ReadAnswer(
            rows, Plan({name: tuple(rows_) for name, rows_ in self.plan_rows.items()}), self.findings.all()
        )

    # ------------------------------------------------------------------ tables and cells

    def _read_table(self, name: str, data: Mapping[str, Any]) -> list[ReadRow]:
        value = data[name] if name in data else data.get(f"#{name}")
        if value is None:
            self._report("missing-table", f"the answer has no `{name}`", "")
            return []
        if not isinstance(value, list):
            self._report("wrong-shape", f"`{name}` is {json_kind(value)}, not a list of rows", pointer("", name))
            return []
        if len(value) > MOST_ROWS:
            message = f"`{name}` has {len(value)} rows; the first {MOST_ROWS} are read"
            self._report("too-long", message, pointer("", name))
        rows = []
        for index, entry in enumerate(value[:MOST_ROWS]):
            if isinstance(entry, Mapping):
                rows.append(self._read_row(name, index, entry))
            else:
                message = f"a row of `{name}` is {json_kind(entry)}, not an object"
                self._report("wrong-shape", message, f"/{name}/{index}")
        return rows

    def _read_row(self, table: str, index: int, entry: Mapping[str, Any]) -> ReadRow:
        forms = FORMS[table]
        by_name = {name: name for name in entry}
        by_folded_name = {str(name).strip().casefold(): name for name in reversed(list(entry))}
        row = ReadRow(table, index, {})
        for column, form in forms.items():
            name = by_name.get(column, by_folded_name.get(column.casefold()))
            path = f"{row.path}/{column}"
            if name is None:
                row.cells[column] = AnswerCell("", None, "the column is missing")
                if column not in OPTIONAL:
                    self._report("missing-column", f"the row has no `{column}`", row.path, column)
                continue
            del by_name[name]
            cell = row.cells[column] = read_cell(entry[name], form, self.tables.currency)
            if cell.fault is not None and column not in OPTIONAL:
                self._report("unreadable", f"`{cell.text}` cannot be read: {cell.fault}", path, column)
        for name in by_name:
            near = most_similar(str(name)[:40], forms)
            hint = f"; did you mean `{near}`?" if near else ""
            self._note("unknown-column", f"`{table}` has no column `{clipped_text(name)}`{hint}", row.path)
        return row

    def _add_plan_row(self, table: str, values: dict[str, Any], unknown: dict[str, str]) -> None:
        rows = self.plan_rows[table]
        rows.append(make_row(self.tables.plan_table(table), values, len(rows), unknown=unknown))

    # ------------------------------------------------------------------ rows

    def _resolve_leg(self, row: ReadRow) -> None:
        cells, unknown = row.cells, dict[str, str]()
        number, day = cells["transportationID"].value, cells["date"].value
        services: list[Any] = []
        if number is not None and day is not None:
            services = self.tables.services.get((plain_number(number), day), [])
        values = {"n": row.index + 1, "date": day, "price": cells["price_per_person"].value}
        for column, name in (("origin", "departureStation"), ("to", "arriveStation")):
            ends = {getattr(service, column) for service in services}
            values[column] = self._find_row(
                row, name, self.tables.stations, column, unknown, "no station is called", ends
            )
        values["begin"], values["end"] = _order_times(cells["begin_time"].value, cells["end_time"].value)
        # Several trains or flights may have this number. Prefer the one between the named stations, or take the first.
        ends_of = values["origin"], values["to"]
        row.fact = values["service"] = max(
            services, key=lambda s: (s.origin is ends_of[0]) + (s.to is ends_of[1]), default=None
        )
        if number is not None and row.fact is None:
            unknown["service"] = number
        if number is not None and row.fact is None and day is not None:
            message = f"no train or flight is called `{clipped_text(number)}` on {cells['date'].text}"
            self._report("unknown-name", message, f"{row.path}/transportationID", "transportationID")
        self._add_plan_row("transportation", values, unknown)

    def _resolve_stay(self, row: ReadRow) -> None:
        cells, unknown = row.cells, dict[str, str]()
        city = self._find_row(row, "city", self.tables.cities, "city", unknown, "no city is called")
        row.fact = self._find_place(row, "Hotel", city if city is not None else self.tables.target)
        if row.fact is None and cells["name"].value is not None:
            unknown["hotel"] = cells["name"].value
        room = self._find_row(row, "room_type", self.tables.rooms, "room", unknown, "no kind of room is called")
        values = {
            "n": row.index + 1,
            "city": city,
            "hotel": row.fact,
            "room": room,
            "check_in": cells["check_in"].value,
            "check_out": cells["check_out"].value,
            "price": cells["price_per_night"].value,
            "rooms": cells["room_number"].value,
            "board": BOARDS.get(cells["breakfast_included"].value),
        }
        self._add_plan_row("accommodation", values, unknown)

    def _resolve_activity(self, row: ReadRow) -> None:
        cells, unknown = row.cells, dict[str, str]()
        kind, name = cells["active_type"].value, cells["name"].value
        activity = kind if kind in ACTIVITIES else None
        if kind is not None and activity is None:
            message = f"`{clipped_text(kind)}` is no type of activity; there are {', '.join(ACTIVITIES)}"
            self._report("unknown-name", message, f"{row.path}/active_type", "active_type")
            unknown["activity"] = kind
        values: dict[str, Any] = {
            "date": cells["Date"].value,
            "number": cells["active_item_number"].value,
            "activity": activity,
            "price": cells["price_per_person"].value,
        }
        values["start"], values["end"] = _order_times(cells["start_time"].value, cells["end_time"].value)
        if name is not None:
            match activity:
                case "attraction":
                    self._resolve_sight(row, name, values)
                case "meal":
                    self._resolve_meal(row, name, values)
                case "inner_city_transportation":
                    values["ride"] = _ride_mode(f"{name} {cells['notes'].value or ''}")
        self._add_plan_row("itinerary", values, unknown)

    def _resolve_sight(self, row: ReadRow, name: str, values: dict[str, Any]) -> None:
        row.fact = values["attraction"] = self._find_place(row, "Attraction", self.tables.target)
        if row.fact is None:
            values["stranger"] = folded_name(name) or name

    def _resolve_meal(self, row: ReadRow, name: str, values: dict[str, Any]) -> None:
        """Resolve the name of a meal: as a restaurant or, if none matches, as a hotel.

        An unknown name is not a fault of the answer's shape.

        Args:
            row: row of the answer, whose fact is set.
            name: name in the answer.
            values: values of the plan's row by column, to which the place or the unknown name is added.
        """
        for column, table in (("restaurant", "Restaurant"), ("hotel", "Hotel")):
            index = self.tables.places(table, self.tables.target)
            matches = next((rows for reading in self.tables.name_variants(name) if (rows := index.find(reading))), ())
            if len(matches) == 1:
                row.fact = values[column] = matches[0]
                return
        values["stranger"] = folded_name(name) or name
        message = f"no restaurant and no hotel of the city is called `{clipped_text(name)}`"
        self._note("unknown-name", message, f"{row.path}/name")

    def _find_place(self, row: ReadRow, table: str, city: Row | None) -> Row | None:
        """Find a hotel or attraction by name: in the city or, if none matches, in all cities.

        The match must be unique.
        """
        text = row.cells["name"].value
        if text is None:
            return None
        index = self.tables.places(table, city)
        indexes = (index, self.tables.places_anywhere(table))
        candidates = (i.find(name) for i in indexes for name in self.tables.name_variants(text))
        matches = next((rows for rows in candidates if rows), ())
        if len(matches) == 1:
            return matches[0]
        message = f"no {table.lower()} of the city is called"
        self._report("unknown-name", _unknown_name_message(message, text, index, matches), f"{row.path}/name", "name")
        return None

    def _find_row(
        self,
        row: ReadRow,
        column: str,
        index: NameIndex,
        plan_column: str,
        unknown: dict[str, str],
        message: str,
        preferred: Collection[Row] = (),
    ) -> Row | None:
        """Find the row that a cell names, and report if it is unknown.

        Args:
            row: row of the answer.
            column: column of the cell.
            index: names to search.
            plan_column: column of the plan, under which an unknown name is stored.
            unknown: receives an unknown name.
            message: beginning of the report.
            preferred: rows that are preferred if rows of several cities have the name.
        """
        text = row.cells[column].value
        if text is None:
            return None
        matches = index.find(text)
        if len(matches) > 1 and len({bare_name(one) for one in matches}) == 1:
            matches = tuple(one for one in matches if one in preferred) or tuple(
                one for one in matches if getattr(one, "city", None) in self.tables.ends
            )
        if len(matches) == 1:
            return matches[0]
        unknown[plan_column] = text
        self._report(
            "unknown-name",
            _unknown_name_message(message, text, index, matches),
            f"{row.path}/{column}",
            column,
        )
        return None

    # ------------------------------------------------------------------ findings

    def _report(self, kind: str, message: str, path: str, column: str | None = None) -> None:
        self.findings.add(ShapeFinding(kind, message, path, None, column))

    def _note(self, kind: str, message: str, path: str) -> None:
        self.findings.add(ShapeFinding(kind, message, path, fails=False))


def _order_times(start: int | None, end: int | None) -> tuple[int | None, int | None]:
    """Return both times. If the end is before the start, the end is moved to the next day."""
    return start, end + MINUTES_A_DAY if start is not None and end is not None and end < start else end


def _ride_mode(text: str) -> str | None:
    """Return the mode of ride named in a string, `taxi` or `public`. Return None if the string names neither."""
    return next((ride for ride, pattern in _RIDES.items() if pattern.search(text)), None)


def _unknown_name_message(message: str, text: str, index: NameIndex, matches: tuple[Row, ...]) -> str:
    if matches:
        return f"`{clipped_text(text)}` can mean {' or '.join(bare_name(row) for row in matches[:3])}"
    near = index.nearest(text)
    return f"{message} `{clipped_text(text)}`" + (f"; did you mean `{near}`?" if near else "")
