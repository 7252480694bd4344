"""A MobilityBench answer -> the rows of a plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from planspec.dsl.diagnostics.suggestions import suggestion
from planspec.dsl.model.rows import Row, make_row
from planspec.dsl.model.values import InvalidValueError
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.families.mobilitybench.format.addresses import meant_address
from planspec.families.mobilitybench.format.cells import (
    MOST_CHARACTERS,
    read_count,
    read_day,
    read_degrees,
    read_level,
    read_metres,
    read_minor,
    read_minutes,
    read_truth,
    shown,
)
from planspec.families.mobilitybench.format.clock import TimeOfDay, read_clock
from planspec.families.mobilitybench.format.places import PlaceReader
from planspec.families.mobilitybench.format.routes import RouteReader, hollow
from planspec.families.mobilitybench.format.tables import MobilityBenchTables
from planspec.families.mobilitybench.format.words import asks, bare_weather
from planspec.verifiers.answers.findings import FindingLog, ShapeFinding, pointer
from planspec.verifiers.answers.format import NoAnswerError
from planspec.verifiers.answers.names import folded
from planspec.verifiers.answers.tables import clipped, what
from planspec.verifiers.meaning.plan_rows import Plan

ANSWER, ROUTE_INDEX = "answer", "route_index"
IGNORED = ("intent", "constraints", "steps", "content")
"""The parts of an answer that other metrics and people read."""
PARTS = (
    "place", "location", "address", "level", "weather", "places", "depart", "arrive", "duration", "distance", "transfers",
    "traffic_lights", "tolls", "fare", "possible", "route", "route_index",
)  # fmt: skip
"""The parts that an answer can have."""
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
"""The parts that answer each scenario's question: without any of them nothing is delivered."""
OF_DAYS = ("day", "weather", "temperature", "low", "high")
MOST_DAYS = 64
OUTCOMES = {True: "possible", False: "impossible"}
"""The library's words for possible and impossible."""


@dataclass(frozen=True, slots=True)
class AnswerObject:
    """The object that answers, and where it stands."""

    said: Mapping[str, Any]
    path: str
    findings: tuple[ShapeFinding, ...] = ()


def opened(data: Any, scenario: str | None = None, *, single: bool = False) -> AnswerObject:
    """The object that answers: under `answer`, or the whole one.

    Args:
        data: the answer.
        scenario: what was asked; anything if None.
        single: one place is asked for where several may be, so that `place` says it, too.

    Raises:
        NoAnswerError: there is nothing in it that answers what was asked.
    """
    path = ""
    outer: dict[str, Any] = {}
    findings = FindingLog()
    while isinstance(data, Mapping) and ANSWER in data:
        for name in data:
            if name in (ROUTE_INDEX, "index"):
                outer[ROUTE_INDEX] = data[name]
            elif name != ANSWER and name not in IGNORED:
                message = f"beside `{ANSWER}` an answer has no `{clipped(name)}`"
                findings.add(ShapeFinding("unknown-table", message, pointer(path, name), fails=False))
        data, path = data[ANSWER], pointer(path, ANSWER)
    if not isinstance(data, Mapping):
        if hollow(outer):
            raise NoAnswerError(
                f"`{ANSWER}` is {what(data)}, not an object" if path else f"the answer is {what(data)}"
            )
        findings.add(ShapeFinding("wrong-shape", f"`{ANSWER}` is {what(data)}, not an object", path))
        data = {}
    said: dict[str, Any] = {**data}
    for name in list(said):
        plain = str(name).strip().casefold().replace(" ", "_").replace("-", "_")
        plain = ROUTE_INDEX if plain == "index" else plain
        if plain != name and plain in PARTS and plain not in said:
            said[plain] = said.pop(name)
    said = {**outer, **said}
    asked = PARTS if scenario is None else (*ANSWERS[scenario], *(PLACES if single else ()))
    if all(hollow(said.get(name)) and not (name == "places" and said.get(name) == []) for name in asked):
        raise NoAnswerError(f"nothing in the answer answers what was asked; it can say {', '.join(asked)}")
    return AnswerObject(said, path, findings.all())


@dataclass(slots=True)
class AnswerReader:
    """Reads one answer for a task."""

    tables: MobilityBenchTables
    answer: AnswerObject
    findings: FindingLog = field(default_factory=FindingLog)
    unknown: dict[str, str] = field(default_factory=dict)

    def read(self) -> tuple[Plan, tuple[ShapeFinding, ...]]:
        """The plan and the findings."""
        for finding in self.answer.findings:
            self.findings.add(finding)
        for name in self.answer.said:
            if name not in PARTS and name not in IGNORED:
                near = suggestion(str(name)[:40], PARTS)
                hint = f"; did you mean `{near}`?" if near else ""
                self._note("unknown-column", f"an answer has no `{clipped(name)}`{hint}", self._at(name))
        depart, arrive = self._value("depart", read_clock), self._value("arrive", read_clock)
        legs = self._legs(depart, arrive)
        days = self._days()
        values = self._figures()
        values["depart"], values["arrive"] = self._times(depart, arrive, legs)
        values |= dict.fromkeys(("place", "where", "address"))
        places = PlaceReader(self.tables, self._place_finding)
        several = self._several(places)
        if not places.taken_alone:
            values["place"], values["where"], address = places.one(
                self.answer.said, self.answer.path, self.unknown
            )
            values["address"] = self._address(address)
        row = make_row(self.tables.plan("answer"), values, 0, unknown=self.unknown)
        plan = Plan({"answer": (row,), "places": several, "legs": legs, "days": days})
        return plan, self.findings.all()

    # ------------------------------------------------------------------ cells

    def _at(self, name: str) -> str:
        return pointer(self.answer.path, name)

    def _value(self, name: str, read: Callable[[Any], Any]) -> Any:
        """The value of a part; None if it says nothing, or cannot be read."""
        said = self.answer.said.get(name)
        return None if hollow(said) else self._read(said, read, self._at(name), name)

    def _read(self, said: Any, read: Callable[[Any], Any], path: str, column: str) -> Any:
        try:
            return read(said)
        except InvalidValueError as error:
            self._fail("unreadable", f"`{shown(said)}` cannot be read: {error}", path, column)
            return None

    def _figures(self) -> dict[str, Any]:
        money = self.tables.task.currency
        possible = self._value("possible", read_truth)
        return {
            "level": self._value("level", read_level),
            "time": self._value("duration", read_minutes),
            "length": self._value("distance", read_metres),
            "transfers": self._value("transfers", read_count),
            "lights": self._value("traffic_lights", read_count),
            "tolls": self._value("tolls", lambda said: read_minor(said, money)),
            "fare": self._value("fare", lambda said: read_minor(said, money)),
            "possible": None if possible is None else OUTCOMES[possible],
        }

    def _times(
        self, depart: TimeOfDay | None, arrive: TimeOfDay | None, legs: tuple[Row, ...]
    ) -> tuple[int | None, int | None]:
        """Minutes after the journey's midnight; who arrives before leaving arrives on the next day."""
        start = None if depart is None else depart.minutes + MINUTES_A_DAY * (depart.day or 0)
        if arrive is None:
            return start, None
        # one is there when the minute is over
        end = arrive.minutes + (arrive.seconds > 0)
        if arrive.day is not None:
            return start, end + MINUTES_A_DAY * arrive.day
        first: Any = legs[0] if legs else None
        told = (
            start,
            self.tables.given("depart_at"),
            None if first is None or first.route is None else first.route.depart,
        )
        left = next((minutes for minutes in told if minutes is not None), None)
        if left is None:
            right = self.tables.given("right_arrive")
            return start, end + MINUTES_A_DAY * (right is not None and right >= MINUTES_A_DAY)
        return start, end + MINUTES_A_DAY if end < left else end

    def _address(self, said: tuple[Any, str] | None) -> str | None:
        if said is None:
            return None
        text, path = said
        if not isinstance(text, str):
            self._fail("unreadable", f"an address is a text, not {what(text)}", path, "address")
            return None
        text = text.strip()[:MOST_CHARACTERS]
        return meant_address(text, self.tables.given("right_address") or ()) or text

    # ------------------------------------------------------------------ rows

    def _legs(self, depart: TimeOfDay | None, arrive: TimeOfDay | None) -> tuple[Row, ...]:
        name = "route" if not hollow(self.answer.said.get("route")) else ROUTE_INDEX
        said, index = self.answer.said.get(name), self.answer.said.get(ROUTE_INDEX)
        if hollow(said):
            return ()
        if name == ROUTE_INDEX:
            said = {"index": index.strip() if isinstance(index, str) else index}

        def report(kind: str, message: str, path: str, *, fails: bool = True) -> None:
            self.findings.add(ShapeFinding(kind, message, path, "legs", "route" if fails else None, fails))

        reader = RouteReader(self.tables, report, depart, arrive)
        told = reader.read(said, self._at(name))
        if name != ROUTE_INDEX and not hollow(index):
            reader.also([leg.route for leg in told], index, self._at(ROUTE_INDEX))
        table = self.tables.plan("legs")
        return tuple(
            make_row(
                table, {"n": place + 1, "route": leg.route}, place,
                unknown={} if leg.route is not None else {"route": leg.said or ""},
            )
            for place, leg in enumerate(told)
        )  # fmt: skip

    def _several(self, reader: PlaceReader) -> tuple[Row, ...]:
        said = self.answer.said.get("places")
        if hollow(said) and not said:
            if said is None and self.tables.one_of_a_kind():
                return self._alone(reader)
            return ()
        if not isinstance(said, list | tuple):
            self._fail("wrong-shape", f"`places` is {what(said)}, not a list", self._at("places"), "places")
            return ()
        return self._places(reader.several(said, self._at("places")))

    def _alone(self, reader: PlaceReader) -> tuple[Row, ...]:
        """The only place of an answer where one of several is asked for."""
        unknown: dict[str, str] = {}
        reader.taken_alone = True
        row, _, _ = reader.one(self.answer.said, self.answer.path, unknown)
        return self._places([(row, unknown)] if row is not None or unknown else [])

    def _places(self, told: Sequence[tuple[Row | None, dict[str, str]]]) -> tuple[Row, ...]:
        table = self.tables.plan("places")
        return tuple(
            make_row(table, {"n": place + 1, "place": row}, place, unknown=unknown)
            for place, (row, unknown) in enumerate(told)
        )

    def _days(self) -> tuple[Row, ...]:
        said = self.answer.said.get("weather")
        path = self._at("weather")
        if hollow(said):
            return ()
        if isinstance(said, str):
            said = {"weather": said}
        alone = isinstance(said, Mapping)
        entries = [said] if alone else said
        if not isinstance(entries, list | tuple):
            self._fail("wrong-shape", f"`weather` is {what(said)}, not a list of days", path, "weather")
            return ()
        if len(entries) > MOST_DAYS:
            self._fail(
                "too-long", f"{len(entries)} days are told; the first {MOST_DAYS} are read", path, "weather"
            )
        made: list[Row] = []
        for place, entry in enumerate(entries[:MOST_DAYS]):
            where = path if alone else pointer(path, place)
            if isinstance(entry, Mapping):
                made.append(self._day(entry, where, len(made), single=len(entries) == 1))
            else:
                self._fail("wrong-shape", f"a day is {what(entry)}, not an object", where, "weather")
        return tuple(made)

    def _day(self, entry: Mapping[str, Any], path: str, place: int, *, single: bool) -> Row:
        for name in entry:
            if name not in OF_DAYS:
                near = suggestion(str(name)[:40], OF_DAYS)
                hint = f"; did you mean `{near}`?" if near else ""
                self._note("unknown-column", f"a day has no `{clipped(name)}`{hint}", pointer(path, name))
        asked = tuple(self.tables.given("weather_days") or ())
        values: dict[str, Any] = {"day": None}
        if not hollow(entry.get("day")):
            values["day"] = self._read(entry["day"], read_day, pointer(path, "day"), "day")
        elif single and len(asked) == 1:
            values["day"] = asked[0]
        else:
            self._fail("missing-column", "the weather has no `day`", path, "day")
        for name in ("temperature", "low", "high"):
            said = entry.get(name)
            values[name] = None if hollow(said) else self._read(said, read_degrees, pointer(path, name), name)
        said = entry.get("weather")
        if not hollow(said):
            if isinstance(said, str):
                values["weather"] = self._read(
                    said.strip()[:MOST_CHARACTERS],
                    partial(self._sky, day=values["day"]),
                    pointer(path, "weather"),
                    "weather",
                )
            else:
                message = f"weather is a text, not {what(said)}"
                self._fail("unreadable", message, pointer(path, "weather"), "weather")
        return make_row(self.tables.plan("days"), values, place)

    def _sky(self, said: str, day: int | None) -> str:
        """The right word that a text is; the text itself if it is none.

        Raises:
            InvalidValueError: it is a question.
        """
        if asks(said):
            raise InvalidValueError("it is a question")
        row: Any = self.tables.task.facts["Weather"].by_key.get((day,)) if day is not None else None
        for word in () if row is None else row.words:
            if folded(word) in (folded(said), folded(bare_weather(said))) and folded(word):
                return str(word)
        return said

    # ------------------------------------------------------------------ findings

    def _place_finding(self, kind: str, message: str, path: str, *, fails: bool = True) -> None:
        self.findings.add(ShapeFinding(kind, message, path, None, "place" if fails else None, fails))

    def _fail(self, kind: str, message: str, path: str, column: str | None = None) -> None:
        self.findings.add(ShapeFinding(kind, message, path, None, column))

    def _note(self, kind: str, message: str, path: str) -> None:
        self.findings.add(ShapeFinding(kind, message, path, fails=False))
