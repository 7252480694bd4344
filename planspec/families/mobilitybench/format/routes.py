"""Reader of the route in an answer. It finds the recorded routes that the answer names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from planspec.dsl.model.rows import Row
from planspec.dsl.model.values import InvalidValueError
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.families.mobilitybench.format.agreement import differing_figures, refers_to_route
from planspec.families.mobilitybench.format.cells import display_value, text_of
from planspec.families.mobilitybench.format.clock import TimeOfDay
from planspec.families.mobilitybench.format.names import drop_repeats
from planspec.families.mobilitybench.format.tables import MobilityBenchTables, RecordedRoute
from planspec.families.mobilitybench.format.words import VEHICLES
from planspec.verifiers.answers.findings import pointer
from planspec.verifiers.answers.tables import clipped_text, json_kind

MOST_LEGS = 64
MOST_STEPS = 2_000
INDEXES = ("index", "route_index", "call")
"""Keys with which an answer refers to a route by its position in the result of a call.

The module `answers` replaces such references by route ids before an answer is read.
"""
FIGURES = ("duration", "distance", "transfers", "traffic_lights", "tolls", "fare", "depart", "arrive")
"""Figures of a route that an answer may give besides its steps. They must agree with the recorded figures."""
STEP = frozenset(
    {
        "mode",
        "road",
        "line",
        "from",
        "to",
        "distance",
        "duration",
        "wait",
        "tolls",
        "fare",
        "traffic_lights",
        "instruction",
        "polyline",
        "class",
        "depart",
        "arrive",
    }
)
"""Keys of a step in the tools' results, which an answer may copy. Only roads, lines, vehicles and stops are read."""
Report = Callable[..., None]


def is_empty(value: object) -> bool:
    """Return whether a value is empty: null, a blank text, or a list or object of empty values."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return True
    if isinstance(value, Mapping):
        return all(map(is_empty, value.values()))
    return isinstance(value, list | tuple) and all(map(is_empty, value))


@dataclass(frozen=True, slots=True)
class AnswerLeg:
    """A leg of the answer's journey.

    Attributes:
        route: the recorded route of the leg; None if the answer names no recorded route.
        name: the answer's name or reference for the leg, if `route` is None.
    """

    route: Row | None
    name: str | None = None


@dataclass(slots=True)
class RouteReader:
    """Reader of the legs of one answer.

    Args:
        tables: tables of the task.
        report: function that reports a finding. It takes a kind, a message, a JSON pointer, and `fails`.
        depart: departure in the answer. It distinguishes routes that are otherwise equal.
        arrive: arrival in the answer, for the same purpose.
        legs: legs read so far.
    """

    tables: MobilityBenchTables
    report: Report
    depart: TimeOfDay | None = None
    arrive: TimeOfDay | None = None
    legs: list[AnswerLeg] = field(default_factory=list)

    def read(self, value: Any, path: str) -> list[AnswerLeg]:
        """Read the legs of a route and return them in order."""
        entries: list[tuple[Any, str]] = [(value, path)]
        if isinstance(value, list | tuple):
            if _are_steps(value):
                entries = [({"steps": value}, path)]
            else:
                entries = [(entry, pointer(path, place)) for place, entry in enumerate(value)]
        if len(entries) > MOST_LEGS:
            self._report_failure(
                "too-long", f"the answer has {len(entries)} routes; only the first {MOST_LEGS} are read", path
            )
        for place, (entry, where) in enumerate(entries[:MOST_LEGS]):
            first_and_last = place == 0, place == len(entries) - 1
            self.legs.append(self._read_leg(entry, where, first_and_last))
        return self.legs

    def _read_leg(self, value: Any, path: str, first_and_last: tuple[bool, bool]) -> AnswerLeg:
        """Read a leg. `first_and_last` states whether it is the journey's first leg, and whether it is the last."""
        if isinstance(value, str) and value.strip():
            route = self.tables.route(value)
            if route is None:
                self._report_failure("unknown-name", f"no route is called `{clipped_text(value)}`", path)
            return AnswerLeg(route, None if route is not None else value.strip())
        if isinstance(value, Mapping):
            steps = value.get("steps")
            if isinstance(value.get("id"), str) and value["id"].strip():
                leg = self._read_leg(value["id"], pointer(path, "id"), first_and_last)
                return leg if leg.route is None else self._check_details(leg.route, value, path)
            if any(not is_empty(value.get(name)) for name in INDEXES):
                return self._unresolved_leg(value, path)
            if isinstance(steps, list | tuple):
                for name in value:
                    if name != "steps" and name not in FIGURES:
                        self._report_remark(f"a route has no `{clipped_text(name)}`", pointer(path, name))
                leg = self._find_by_steps(steps, pointer(path, "steps"), first_and_last)
                if leg.route is not None:
                    self._check_figures(leg.route, value, path)
                return leg
        if isinstance(value, int | Decimal) and not isinstance(value, bool):
            return self._unresolved_leg({"index": value}, path)
        self._report_failure("unreadable", f"{json_kind(value)} names no route: give its id, or its steps", path)
        return AnswerLeg(None, display_value(value))

    def check_agreement(self, routes: list[Row | None], index: Any, path: str) -> None:
        """Report a contradiction if an index in the answer refers to none of the routes that the answer describes."""
        resolved = [route for route in routes if route is not None]
        if len(resolved) == len(routes) and not refers_to_route(self.tables, resolved, index):
            ids = ", ".join(str(route._key[0]) for route in resolved[:3])
            self._report_failure("contradiction", f"`{display_value(index)}` is another route than {ids}", path)

    def _check_details(self, route: Row, value: Mapping[str, Any], path: str) -> AnswerLeg:
        """Return the leg for a route that the answer names by id. Report details that differ from the route's."""
        for name in INDEXES[:2]:
            if not is_empty(value.get(name)):
                self.check_agreement([route], value[name], pointer(path, name))
        steps = value.get("steps")
        # agents may copy the steps as sentences, which are not checked
        if isinstance(steps, list | tuple) and any(isinstance(step, Mapping) for step in steps[:MOST_STEPS]):
            where = pointer(path, "steps")
            parsed_steps = [
                self._read_step(step, pointer(where, place))
                for place, step in enumerate(steps[:MOST_STEPS])
                if isinstance(step, Mapping)
            ]
            valid_steps = [step for step in parsed_steps if step is not None]
            named = drop_repeats(step.name for step in valid_steps if step.name is not None)
            way = next(way for way in self.tables.ways if way.route is route)
            if len(valid_steps) == len(parsed_steps) and not _fits_steps(way, named, valid_steps):
                self._report_failure("contradiction", f"these are not the steps of {route._key[0]}", where)
        self._check_figures(route, value, path)
        return AnswerLeg(route)

    def _check_figures(self, route: Row, values: Mapping[str, Any], path: str) -> None:
        others = differing_figures(self.tables, route, values, lambda name: not is_empty(values.get(name)))
        if others:
            self._report_failure("contradiction", f"{route._key[0]} does not have {', '.join(others)}", path)

    def _unresolved_leg(self, value: Mapping[str, Any], path: str) -> AnswerLeg:
        reference = ", ".join(
            f"{name} {display_value(value[name])}" for name in INDEXES if not is_empty(value.get(name))
        )
        self._report_failure("unknown-name", f"no recorded call returned a route with {reference}", path)
        return AnswerLeg(None, reference)

    # ------------------------------------------------------------------ steps

    def _find_by_steps(
        self, steps: list[Any] | tuple[Any, ...], path: str, first_and_last: tuple[bool, bool]
    ) -> AnswerLeg:
        """Return the leg for the recorded route with these roads and lines.

        If there is no such route, or several different ones, report a finding and return a leg without a route.
        """
        if len(steps) > MOST_STEPS:
            self._report_failure(
                "too-long", f"a route of {len(steps)} steps is not read: the maximum is {MOST_STEPS}", path
            )
            return AnswerLeg(None, "steps")
        parsed_steps = [self._read_step(step, pointer(path, place)) for place, step in enumerate(steps)]
        if any(step is None for step in parsed_steps):
            return AnswerLeg(None, "steps")
        valid_steps = [step for step in parsed_steps if step is not None]
        named = drop_repeats(step.name for step in valid_steps if step.name is not None)
        if not named:
            self._report_failure("unreadable", "the steps name no road and no line", path)
            return AnswerLeg(None, "steps")
        fitting = [way for way in self.tables.ways if _fits_steps(way, named, valid_steps)]
        timed = [way for way in fitting if self._fits_times(way, first_and_last)]
        fitting = timed or fitting
        if not fitting:
            self._report_failure(
                "unknown-name", "no recorded route has these roads and lines one after the other", path
            )
            return AnswerLeg(None, "steps")
        is_timed = any(self.tables.given(name) is not None for name in ("depart_at", "arrive_by"))
        if len({_route_figures(way.route, times=is_timed) for way in fitting}) > 1:
            ids = " or ".join(str(way.route._key[0]) for way in fitting[:3])
            self._report_failure("ambiguous", f"the steps fit {ids}: give the id, or the time of departure", path)
            return AnswerLeg(None, "steps")
        return AnswerLeg(fitting[0].route)

    def _fits_times(self, way: RecordedRoute, first_and_last: tuple[bool, bool]) -> bool:
        route: Any = way.route
        return all(
            stated_time is None or not at or (time is not None and time % MINUTES_A_DAY == stated_time.minutes)
            for at, stated_time, time in (
                (first_and_last[0], self.depart, route.depart),
                (first_and_last[1], self.arrive, route.arrive),
            )
        )

    def _read_step(self, value: Any, path: str) -> _Step | None:
        if not isinstance(value, Mapping):
            self._report_failure("wrong-shape", f"a step is {json_kind(value)}, not an object", path)
            return None
        for key in value:
            if key not in STEP:
                self._report_remark(f"a step has no `{clipped_text(key)}`", pointer(path, key))
        name: Row | None = None
        for column, names in (("line", self.tables.lines), ("road", self.tables.roads)):
            text = value.get(column)
            if is_empty(text):
                continue
            rows = names.find(text) if isinstance(text, str) else ()
            if len(rows) != 1:
                self._report_failure(
                    "unknown-name",
                    f"no {column} of a recorded route is called `{display_value(text)}`",
                    pointer(path, column),
                )
                return None
            name = name if name is not None else rows[0]
        vehicles: frozenset[str] = frozenset()
        if not is_empty(value.get("mode")):
            try:
                word = text_of(value["mode"]).replace(" ", "").replace("_", "").replace("-", "")
                vehicles = VEHICLES[word]
            except (InvalidValueError, KeyError):
                self._report_failure(
                    "unreadable",
                    f"`{display_value(value['mode'])}` is not a means of travel",
                    pointer(path, "mode"),
                )
                return None
        stops = []
        for column in ("from", "to"):
            text = value.get(column)
            # on roads, `from` and `to` are crossings; their names may equal names of places, so they are not read
            if isinstance(text, str) and text.strip() and not is_empty(value.get("line")):
                stops.append(frozenset(self.tables.places.find(text)))
        return _Step(name, vehicles, tuple(stop for stop in stops if stop))

    def _report_failure(self, kind: str, message: str, path: str) -> None:
        self.report(kind, message, path)

    def _report_remark(self, message: str, path: str) -> None:
        self.report("unknown-column", message, path, fails=False)


@dataclass(frozen=True, slots=True)
class _Step:
    """A step of an answer: its road or line, its possible vehicles, and the possible places of each known stop."""

    name: Row | None
    vehicles: frozenset[str]
    stops: tuple[frozenset[Row], ...]


def _fits_steps(way: RecordedRoute, named: tuple[Row, ...], steps: list[_Step]) -> bool:
    """Return whether a recorded route fits the steps of an answer.

    The roads and lines of the route, or only its lines, must be exactly `named`, and the route must have the steps'
    vehicles and stops.
    """
    if named not in (way.named, way.ridden):
        return False
    for step in steps:
        vehicles = way.vehicles[step.name] if step.name is not None else way.all_vehicles
        if step.vehicles and not step.vehicles & vehicles:
            return False
    return all(stop & way.halts for step in steps for stop in step.stops)


def _route_figures(route: Row, *, times: bool) -> tuple[Any, ...]:
    """Return the values of a route, without its key and, unless `times`, without its departure and arrival."""
    left_out = {*route._table.key, *(() if times else ("depart", "arrive"))}
    columns = [name for name in route._table.columns if name not in left_out]
    return tuple(getattr(route, name) for name in columns)


def _are_steps(value: list[Any] | tuple[Any, ...]) -> bool:
    """Return whether a list contains steps of one route. Otherwise it contains routes."""
    return bool(value) and all(
        isinstance(step, Mapping)
        and not step.keys() & {"steps", "id", *INDEXES}
        and step.keys() & {"road", "line", "mode"}
        for step in value
    )
