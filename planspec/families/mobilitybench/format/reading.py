"""Reader of MobilityBench answers. It converts an answer to the rows of a plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from planspec.dsl.diagnostics.suggestions import most_similar
from planspec.dsl.model.rows import Row, make_row
from planspec.dsl.model.values import InvalidValueError
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.families.mobilitybench.format.addresses import match_address
from planspec.families.mobilitybench.format.cells import (
    MOST_CHARACTERS,
    display_value,
    read_count,
    read_day,
    read_degrees,
    read_level,
    read_metres,
    read_minor,
    read_minutes,
    read_truth,
)
from planspec.families.mobilitybench.format.clock import TimeOfDay, read_clock
from planspec.families.mobilitybench.format.places import PlaceReader
from planspec.families.mobilitybench.format.routes import RouteReader, is_empty
from planspec.families.mobilitybench.format.tables import MobilityBenchTables
from planspec.families.mobilitybench.format.words import bare_weather, is_question
from planspec.verifiers.answers.findings import FindingLog, ShapeFinding, pointer
from planspec.verifiers.answers.format import NoAnswerError
from planspec.verifiers.answers.names import folded_name
from planspec.verifiers.answers.tables import clipped_text, json_kind
from planspec.verifiers.meaning.plan_rows import Plan

ANSWER, ROUTE_INDEX = "answer", "route_index"
IGNORED = ("intent", "constraints", "steps", "content")
"""Parts of an answer that are not part of the plan. Other metrics or people read them."""
PARTS = (
    "place",
    "location",
    "address",
    "level",
    "weather",
    "places",
    "depart",
    "arrive",
    "duration",
    "distance",
    "transfers",
    "traffic_lights",
    "tolls",
    "fare",
    "possible",
    "route",
    "route_index",
)
"""Keys of the parts that an answer may have."""
PLACES = ("place", "location")
WAYS = ("route", ROUTE_INDEX)
ANSWERS: Mapping[str, tuple[str, ...]] = {
    "poi_search": (*PLACES, "address"),
    "geolocation_query": (*PLACES, "address"),
    "nearby_search": ("places",),
    "weather_query": ("weather",),
    "traffic_info_query": ("level",),
    "route_property_query": ("duration", "distance", "transfers", "traffic_lights", "tolls", "fare"),
    "arrival_departure_time_query": ("depart", "arrive", "possible"),
    "point_to_point_planning": WAYS,
    "multi_stop_planning": WAYS,
    "option_constrained_route_planning": WAYS,
    "customized_planning": WAYS,
}
"""Parts that answer a query of each scenario. An answer with none of them counts as not delivered."""
DAY_PARTS = ("day", "weather", "temperature", "low", "high")
MOST_DAYS = 64
OUTCOMES = {True: "possible", False: "impossible"}
"""The constraint library's words for possible and impossible."""


@dataclass(frozen=True, slots=True)
class AnswerObject:
    """The JSON object that holds the parts of an answer, its JSON pointer (`path`), and findings from locating it."""

    fields: Mapping[str, Any]
    path: str
    findings: tuple[ShapeFinding, ...] = ()


def find_answer_object(data: Any, scenario: str | None = None, *, single: bool = False) -> AnswerObject:
    """Return the object with the parts of an answer: the object under the key `answer`, or else the whole answer.

    Args:
        data: the answer.
        scenario: scenario of the query; any if None.
        single: whether the query requests exactly one place. Then `place` is also accepted.

    Raises:
        NoAnswerError: no part answers the query.
    """
    path = ""
    outer: dict[str, Any] = {}
    findings = FindingLog()
    while isinstance(data, Mapping) and ANSWER in data:
        for name in data:
            if name in (ROUTE_INDEX, "index"):
                outer[ROUTE_INDEX] = data[name]
            elif name != ANSWER and name not in IGNORED:
                message = f"beside `{ANSWER}` an answer has no `{clipped_text(name)}`"
                findings.add(ShapeFinding("unknown-table", message, pointer(path, name), fails=False))
        data, path = data[ANSWER], pointer(path, ANSWER)
    if not isinstance(data, Mapping):
        if is_empty(outer):
            raise NoAnswerError(
                f"`{ANSWER}` is {json_kind(data)}, not an object" if path else f"the answer is {json_kind(data)}"
            )
        findings.add(ShapeFinding("wrong-shape", f"`{ANSWER}` is {json_kind(data)}, not an object", path))
        data = {}
    fields: dict[str, Any] = {**data}
    for name in list(fields):
        plain = str(name).strip().casefold().replace(" ", "_").replace("-", "_")
        plain = ROUTE_INDEX if plain == "index" else plain
        if plain != name and plain in PARTS and plain not in fields:
            fields[plain] = fields.pop(name)
    fields = {**outer, **fields}
    requested = PARTS if scenario is None else (*ANSWERS[scenario], *(PLACES if single else ()))
    if all(is_empty(fields.get(name)) and not (name == "places" and fields.get(name) == []) for name in requested):
        raise NoAnswerError(f"nothing in the answer answers what was asked; it can say {', '.join(requested)}")
    return AnswerObject(fields, path, findings.all())


@dataclass(slots=True)
class AnswerReader:
    """Reader of one answer for a task.

    Attributes:
        tables: tables of the task.
        answer: the answer as JSON.
        findings: findings on the answer so far.
        unknown: names in the answer that match no row, by column.
    """

    tables: MobilityBenchTables
    answer: AnswerObject
    findings: FindingLog = field(default_factory=FindingLog)
    unknown: dict[str, str] = field(default_factory=dict)

    def read(self) -> tuple[Plan, tuple[ShapeFinding, ...]]:
        """Return the plan and the findings."""
        for finding in self.answer.findings:
            self.findings.add(finding)
        for name in self.answer.fields:
            if name not in PARTS and name not in IGNORED:
                near = most_similar(str(name)[:40], PARTS)
                hint = f"; did you mean `{near}`?" if near else ""
                self._report_remark(
                    "unknown-column", f"an answer has no `{clipped_text(name)}`{hint}", self._path_of(name)
                )
        depart, arrive = self._read_part("depart", read_clock), self._read_part("arrive", read_clock)
        legs = self._read_legs(depart, arrive)
        days = self._read_days()
        values = self._read_figures()
        values["depart"], values["arrive"] = self._resolve_times(depart, arrive, legs)
        values |= dict.fromkeys(("place", "where", "address"))
        places = PlaceReader(self.tables, self._report_place)
        several = self._read_places(places)
        if not places.is_single:
            values["place"], values["where"], address = places.read_place(
                self.answer.fields, self.answer.path, self.unknown
            )
            values["address"] = self._resolve_address(address)
        row = make_row(self.tables.plan_table("answer"), values, 0, unknown=self.unknown)
        plan = Plan({"answer": (row,), "places": several, "legs": legs, "days": days})
        return plan, self.findings.all()

    # ------------------------------------------------------------------ cells

    def _path_of(self, name: str) -> str:
        return pointer(self.answer.path, name)

    def _read_part(self, name: str, read: Callable[[Any], Any]) -> Any:
        """Return the value of a part; None if it is empty or cannot be read."""
        value = self.answer.fields.get(name)
        return None if is_empty(value) else self._read_value(value, read, self._path_of(name), name)

    def _read_value(self, value: Any, read: Callable[[Any], Any], path: str, column: str) -> Any:
        try:
            return read(value)
        except InvalidValueError as error:
            self._report_failure("unreadable", f"`{display_value(value)}` cannot be read: {error}", path, column)
            return None

    def _read_figures(self) -> dict[str, Any]:
        money = self.tables.task.currency
        possible = self._read_part("possible", read_truth)
        return {
            "level": self._read_part("level", read_level),
            "time": self._read_part("duration", read_minutes),
            "length": self._read_part("distance", read_metres),
            "transfers": self._read_part("transfers", read_count),
            "lights": self._read_part("traffic_lights", read_count),
            "tolls": self._read_part("tolls", lambda value: read_minor(value, money)),
            "fare": self._read_part("fare", lambda value: read_minor(value, money)),
            "possible": None if possible is None else OUTCOMES[possible],
        }

    def _resolve_times(
        self, depart: TimeOfDay | None, arrive: TimeOfDay | None, legs: tuple[Row, ...]
    ) -> tuple[int | None, int | None]:
        """Return departure and arrival in minutes after midnight of the day of the journey.

        An arrival that would precede the departure is on the next day.
        """
        start = None if depart is None else depart.minutes + MINUTES_A_DAY * (depart.day or 0)
        if arrive is None:
            return start, None
        # plans have whole minutes, so an arrival with seconds is rounded up
        end = arrive.minutes + (arrive.seconds > 0)
        if arrive.day is not None:
            return start, end + MINUTES_A_DAY * arrive.day
        first: Any = legs[0] if legs else None
        starts = (
            start,
            self.tables.given("depart_at"),
            None if first is None or first.route is None else first.route.depart,
        )
        earliest_start = next((minutes for minutes in starts if minutes is not None), None)
        if earliest_start is None:
            right = self.tables.given("right_arrive")
            return start, end + MINUTES_A_DAY * (right is not None and right >= MINUTES_A_DAY)
        return start, end + MINUTES_A_DAY if end < earliest_start else end

    def _resolve_address(self, claim: tuple[Any, str] | None) -> str | None:
        if claim is None:
            return None
        text, path = claim
        if not isinstance(text, str):
            self._report_failure("unreadable", f"an address is a text, not {json_kind(text)}", path, "address")
            return None
        text = text.strip()[:MOST_CHARACTERS]
        return match_address(text, self.tables.given("right_address") or ()) or text

    # ------------------------------------------------------------------ rows

    def _read_legs(self, depart: TimeOfDay | None, arrive: TimeOfDay | None) -> tuple[Row, ...]:
        name = "route" if not is_empty(self.answer.fields.get("route")) else ROUTE_INDEX
        value, index = self.answer.fields.get(name), self.answer.fields.get(ROUTE_INDEX)
        if is_empty(value):
            return ()
        if name == ROUTE_INDEX:
            value = {"index": index.strip() if isinstance(index, str) else index}

        def report(kind: str, message: str, path: str, *, fails: bool = True) -> None:
            self.findings.add(ShapeFinding(kind, message, path, "legs", "route" if fails else None, fails))

        reader = RouteReader(self.tables, report, depart, arrive)
        legs = reader.read(value, self._path_of(name))
        if name != ROUTE_INDEX and not is_empty(index):
            reader.check_agreement([leg.route for leg in legs], index, self._path_of(ROUTE_INDEX))
        table = self.tables.plan_table("legs")
        return tuple(
            make_row(
                table,
                {"n": place + 1, "route": leg.route},
                place,
                unknown={} if leg.route is not None else {"route": leg.name or ""},
            )
            for place, leg in enumerate(legs)
        )

    def _read_places(self, reader: PlaceReader) -> tuple[Row, ...]:
        value = self.answer.fields.get("places")
        if is_empty(value) and not value:
            if value is None and self.tables.asks_for_one_place():
                return self._read_single_place(reader)
            return ()
        if not isinstance(value, list | tuple):
            self._report_failure(
                "wrong-shape",
                f"`places` is {json_kind(value)}, not a list",
                self._path_of("places"),
                "places",
            )
            return ()
        return self._place_rows(reader.read_places(value, self._path_of("places")))

    def _read_single_place(self, reader: PlaceReader) -> tuple[Row, ...]:
        """Read an answer that gives a single place instead of a list of places."""
        unknown: dict[str, str] = {}
        reader.is_single = True
        row, _, _ = reader.read_place(self.answer.fields, self.answer.path, unknown)
        return self._place_rows([(row, unknown)] if row is not None or unknown else [])

    def _place_rows(self, places: Sequence[tuple[Row | None, dict[str, str]]]) -> tuple[Row, ...]:
        table = self.tables.plan_table("places")
        return tuple(
            make_row(table, {"n": place + 1, "place": row}, place, unknown=unknown)
            for place, (row, unknown) in enumerate(places)
        )

    def _read_days(self) -> tuple[Row, ...]:
        value = self.answer.fields.get("weather")
        path = self._path_of("weather")
        if is_empty(value):
            return ()
        if isinstance(value, str):
            value = {"weather": value}
        is_single = isinstance(value, Mapping)
        entries = [value] if is_single else value
        if not isinstance(entries, list | tuple):
            self._report_failure("wrong-shape", f"`weather` is {json_kind(value)}, not a list of days", path, "weather")
            return ()
        if len(entries) > MOST_DAYS:
            self._report_failure(
                "too-long", f"the answer has {len(entries)} days; only the first {MOST_DAYS} are read", path, "weather"
            )
        rows: list[Row] = []
        for place, entry in enumerate(entries[:MOST_DAYS]):
            where = path if is_single else pointer(path, place)
            if isinstance(entry, Mapping):
                rows.append(self._read_day(entry, where, len(rows), single=len(entries) == 1))
            else:
                self._report_failure("wrong-shape", f"a day is {json_kind(entry)}, not an object", where, "weather")
        return tuple(rows)

    def _read_day(self, entry: Mapping[str, Any], path: str, index: int, *, single: bool) -> Row:
        for name in entry:
            if name not in DAY_PARTS:
                near = most_similar(str(name)[:40], DAY_PARTS)
                hint = f"; did you mean `{near}`?" if near else ""
                self._report_remark("unknown-column", f"a day has no `{clipped_text(name)}`{hint}", pointer(path, name))
        requested = tuple(self.tables.given("weather_days") or ())
        values: dict[str, Any] = {"day": None}
        if not is_empty(entry.get("day")):
            values["day"] = self._read_value(entry["day"], read_day, pointer(path, "day"), "day")
        elif single and len(requested) == 1:
            values["day"] = requested[0]
        else:
            self._report_failure("missing-column", "the weather has no `day`", path, "day")
        for name in ("temperature", "low", "high"):
            value = entry.get(name)
            values[name] = None if is_empty(value) else self._read_value(value, read_degrees, pointer(path, name), name)
        value = entry.get("weather")
        if not is_empty(value):
            if isinstance(value, str):
                values["weather"] = self._read_value(
                    value.strip()[:MOST_CHARACTERS],
                    partial(self._resolve_sky, day=values["day"]),
                    pointer(path, "weather"),
                    "weather",
                )
            else:
                message = f"weather is a text, not {json_kind(value)}"
                self._report_failure("unreadable", message, pointer(path, "weather"), "weather")
        return make_row(self.tables.plan_table("days"), values, index)

    def _resolve_sky(self, text: str, day: int | None) -> str:
        """Return the recorded word for the weather that a string names, or the string itself if no word matches.

        Raises:
            InvalidValueError: the string is a question.
        """
        if is_question(text):
            raise InvalidValueError("it is a question")
        row: Any = self.tables.task.facts["Weather"].by_key.get((day,)) if day is not None else None
        for word in () if row is None else row.words:
            if folded_name(word) in (folded_name(text), folded_name(bare_weather(text))) and folded_name(word):
                return str(word)
        return text

    # ------------------------------------------------------------------ findings

    def _report_place(self, kind: str, message: str, path: str, *, fails: bool = True) -> None:
        self.findings.add(ShapeFinding(kind, message, path, None, "place" if fails else None, fails))

    def _report_failure(self, kind: str, message: str, path: str, column: str | None = None) -> None:
        self.findings.add(ShapeFinding(kind, message, path, None, column))

    def _report_remark(self, kind: str, message: str, path: str) -> None:
        self.findings.add(ShapeFinding(kind, message, path, fails=False))
