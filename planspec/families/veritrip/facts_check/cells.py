"""Comparison of each fact in a VeriTrip answer with the fact base.

The following cells (table and columns) count as facts. A missing cell counts as unreadable.

    transportationTable  transportationID, date, departureStation, arriveStation, begin_time, end_time,
                         price_per_person
    accommodationTable   city, name, price_per_night, room_type, breakfast_included
    itineraryTable       of attractions: name, start_time, end_time, price_per_person

Numbers, dates, times and identifiers must be equal. Names are normalised and match at a similarity of 0.9. A train or
flight is looked up by its number and date. If there is none, the number or the date is wrong, and all other cells of
the row are unsupported. The start of a visit is correct if the attraction is open then. The end is correct if the
attraction is still open and the visit has a recommended length. Decisions of the plan, such as nights, numbers of rooms
and the order of activities, are not facts. As in the paper, meals count only for preferences.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Any

from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import ScalarType
from planspec.dsl.model.value_text import show
from planspec.dsl.resources.english_words import WEEKDAYS
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.families.veritrip.facts_check.evidence import Evidence
from planspec.families.veritrip.facts_check.verdict import CheckedCell, Citation, FactCheck, FactVerdict
from planspec.families.veritrip.format.cells import weekday
from planspec.families.veritrip.format.codec import FORMAT, is_plan
from planspec.families.veritrip.format.reading import (
    ACCOMMODATION,
    BOARDS,
    FORMS,
    ITINERARY,
    TRANSPORTATION,
    WRAPPER,
    ReadAnswer,
    ReadRow,
)
from planspec.families.veritrip.format.tables import VeriTripTables, bare_name, plain_number, tables_of
from planspec.families.veritrip.format.writing import write_answer
from planspec.verifiers.answers.format import CheckedAnswer

FACT_COLUMNS = {
    TRANSPORTATION: tuple(FORMS[TRANSPORTATION]),
    ACCOMMODATION: ("city", "name", "price_per_night", "room_type", "breakfast_included"),
    ITINERARY: ("name", "start_time", "end_time", "price_per_person"),
}
"""Columns whose cells count as facts, by table. In the itinerary, only rows of attractions count."""


class _IncorrectCellError(Exception):
    """The cell is not correct.

    Args:
        message: reason.
        correct: value in the fact base; None if the fact base has no value to compare with.
    """

    def __init__(self, message: str, correct: str | None = None) -> None:
        super().__init__(message)
        self.correct = correct


def check_answer(task: Task, data: Any) -> CheckedAnswer:
    """Decode an answer and check its cells.

    An answer in the plan's own tables is first converted to the paper's format. Such an answer cites no
    documents.

    Args:
        task: task with the tables of the fact base.
        data: JSON of the answer, without its envelope.

    Raises:
        UnsuitableTaskError: The task lacks tables of the fact base.
    """
    if is_plan(data):
        plan, findings = FORMAT.decode(task, data)
        written = write_answer(tables_of(task), plan, cite=False)
        return CheckedAnswer(
            plan, findings, partial(FactVerdict.of, facts=check_cells(task, FORMAT.read(task, written)))
        )
    reading = FORMAT.read(task, data)
    facts = replace(check_cells(task, reading), exact=_is_exact(data))
    return CheckedAnswer(reading.plan, reading.findings, partial(FactVerdict.of, facts=facts))


def _is_exact(data: Any) -> bool:
    """Return whether the answer has exactly the three tables, with or without the prompt's wrapper."""
    if isinstance(data, Mapping) and data.keys() == {WRAPPER}:
        data = data[WRAPPER]
    return (
        isinstance(data, Mapping)
        and data.keys() == FORMS.keys()
        and all(isinstance(data[name], list) for name in FORMS)
    )


def check_cells(task: Task, reading: ReadAnswer) -> FactCheck:
    """Check the cells of a parsed answer against the fact base."""
    tables = tables_of(task)
    checker = _CellChecker(tables, Evidence.of(tables))
    return FactCheck(cells=tuple(cell for row in reading.rows for cell in checker.row(row)))


class _CellChecker:
    def __init__(self, tables: VeriTripTables, evidence: Evidence) -> None:
        self.tables = tables
        self.evidence = evidence

    def row(self, row: ReadRow) -> Iterator[CheckedCell]:
        """Yield the checked cells of a row."""
        if row.table == ITINERARY and row.cells["active_type"].value != "attraction":
            return
        check = {
            TRANSPORTATION: self._check_leg,
            ACCOMMODATION: self._check_stay,
            ITINERARY: self._check_sight,
        }[row.table]
        for column in FACT_COLUMNS[row.table]:
            cell = row.cells[column]
            cited = self.evidence.citation(row, column) if row.table == ITINERARY else None
            if cell.fault is not None:
                silent = cited if cited in {None, "uncited"} else "silent"
                yield self._checked_cell(row, column, "unreadable", cell.fault, None, silent)
                continue
            try:
                check(row, column, cell.value)
            except _IncorrectCellError as error:
                status = "unsupported" if error.correct is None else "wrong"
                yield self._checked_cell(row, column, status, str(error), error.correct, cited)
            else:
                yield self._checked_cell(row, column, "correct", "", None, cited)

    def _checked_cell(
        self,
        row: ReadRow,
        column: str,
        status: Any,
        message: str,
        correct: str | None,
        cited: Citation | None,
    ) -> CheckedCell:
        return CheckedCell(
            table=row.table,
            row=row.index,
            column=column,
            status=status,
            said=row.cells[column].text,
            known=correct,
            message=message,
            citation=cited,
        )

    # ------------------------------------------------------------------ transportation

    def _check_leg(self, row: ReadRow, column: str, value: Any) -> None:
        service: Any = row.fact
        if service is None:
            self._reject_unknown_service(row, column)
            return
        match column:
            case "departureStation":
                self._require_name(value, service.origin, self.tables.stations)
            case "arriveStation":
                self._require_name(value, service.to, self.tables.stations)
            case "begin_time" | "end_time":
                expected = service.depart if column == "begin_time" else service.arrive
                if value % MINUTES_A_DAY != expected % MINUTES_A_DAY:
                    what = "departs" if column == "begin_time" else "arrives"
                    raise _IncorrectCellError(
                        f"{service.number} {what} at {_format_time(expected)}", _format_time(expected)
                    )
            case "price_per_person":
                self._require_price(value, service.price)
            case _:
                return  # the train or flight was found by its number and date, so they are correct

    def _reject_unknown_service(self, row: ReadRow, column: str) -> None:
        """Raise `_IncorrectCellError` for a cell of a row that names no existing train or flight.

        The number or the date is wrong. The other cells are unsupported.
        """
        number = row.cells["transportationID"].value
        if column not in {"transportationID", "date"} or number is None or row.cells["date"].value is None:
            raise _IncorrectCellError("there is no train or flight to compare it with")
        plain = plain_number(number)
        days = sorted(day for service_number, day in self.tables.services if service_number == plain)
        if not days:
            raise _IncorrectCellError(f"no train or flight is called {number}")
        shown = ", ".join(date.fromordinal(day).isoformat() for day in days[:3]) + (", ..." if days[3:] else "")
        if column == "date":
            raise _IncorrectCellError(f"{number} does not run on that day", shown)
        raise _IncorrectCellError(f"{number} runs on other days", f"runs on {shown}")

    # ------------------------------------------------------------------ accommodation

    def _check_stay(self, row: ReadRow, column: str, value: Any) -> None:
        hotel: Any = row.fact
        if column == "city":
            matches = self.tables.cities.find(value)
            if len(matches) != 1:
                raise _IncorrectCellError("no city has the name")
            if hotel is not None and hotel.city is not matches[0]:
                raise _IncorrectCellError(f"{bare_name(hotel)} is in {bare_name(hotel.city)}", bare_name(hotel.city))
            return
        if hotel is None:
            raise _IncorrectCellError(
                "no hotel of the city has the name" if column == "name" else "the hotel is not known"
            )
        if column == "name":
            return
        rooms = self.tables.rooms.find(row.cells["room_type"].value or "")
        offers: Any = self.tables.task.facts["Offer"].by_key
        offer = offers.get((hotel, rooms[0])) if len(rooms) == 1 else None
        if column == "room_type":
            if offer is None:
                kinds = [bare_name(room) for owner, room in offers if owner is hotel]
                raise _IncorrectCellError(f"{bare_name(hotel)} has no such room", ", ".join(kinds))
            return
        if offer is None:
            raise _IncorrectCellError("the hotel has no such room, so nothing is known of it")
        if column == "price_per_night":
            self._require_price(value, offer.price)
        elif BOARDS[value] != offer.board:
            included = offer.board == BOARDS[True]
            what = "breakfast is included" if included else "breakfast is not included"
            raise _IncorrectCellError(what, "true" if included else "false")

    # ------------------------------------------------------------------ attractions

    def _check_sight(self, row: ReadRow, column: str, value: Any) -> None:
        sight: Any = row.fact
        if sight is None:
            raise _IncorrectCellError(
                "no attraction of the city has the name" if column == "name" else "the attraction is not known"
            )
        if column == "name":
            if sight.city is not self.tables.target:
                raise _IncorrectCellError(f"{bare_name(sight)} is in {bare_name(sight.city)}", bare_name(sight.city))
            return
        match column:
            case "price_per_person":
                self._require_price(value, sight.ticket)
            case "start_time":
                self._check_start(row, sight, value)
            case "end_time":
                self._check_end(row, sight, value)
            case _:
                return

    def _check_start(self, row: ReadRow, sight: Any, start: int) -> None:
        hours = f"{_format_time(sight.opens)}-{_format_time(sight.closes)}"
        day = row.cells["Date"].value
        if day is None:
            raise _IncorrectCellError("without a date nothing is known of its hours")
        if weekday(day) in sight.closed:
            raise _IncorrectCellError(
                f"{bare_name(sight)} is closed on {WEEKDAYS[weekday(day)]}s",
                f"closed on {WEEKDAYS[weekday(day)]}s",
            )
        if not sight.opens <= start <= sight.closes:
            raise _IncorrectCellError(f"{bare_name(sight)} is open {hours}", hours)

    def _check_end(self, row: ReadRow, sight: Any, end: int) -> None:
        start = row.cells["start_time"].value
        if start is None:
            raise _IncorrectCellError("without a start nothing is known of the visit's length")
        end += MINUTES_A_DAY if end < start else 0
        if end > sight.closes and not (sight.opens == 0 and sight.closes == MINUTES_A_DAY):
            raise _IncorrectCellError(
                f"{bare_name(sight)} closes at {_format_time(sight.closes)}", _format_time(sight.closes)
            )
        if not sight.least <= end - start <= sight.most:
            span = f"{show(sight.least, ScalarType.DURATION, None)} to {show(sight.most, ScalarType.DURATION, None)}"
            raise _IncorrectCellError(f"a visit of {bare_name(sight)} should take {span}", span)

    # ------------------------------------------------------------------ comparing

    def _require_name(self, name: str, expected: Row, index: Any) -> None:
        matches = index.find(name)
        is_one_name = len({bare_name(row) for row in matches}) == 1  # the name may match stations of several cities
        if expected not in matches or not is_one_name:
            raise _IncorrectCellError(f"it is {bare_name(expected)}", bare_name(expected))

    def _require_price(self, price: int, expected: int) -> None:
        if price != expected:
            shown = show(expected, ScalarType.MONEY, self.tables.currency)
            raise _IncorrectCellError(f"it costs {shown}", shown)


def _format_time(minutes: int) -> str:
    return show(minutes, ScalarType.TIME, None)
