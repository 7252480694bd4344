"""Reading of an answer's way: the recorded routes that it names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from planspec.dsl.model.rows import Row
from planspec.dsl.model.values import InvalidValueError
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.families.mobilitybench.format.agreement import differing, same_route
from planspec.families.mobilitybench.format.cells import shown, text_of
from planspec.families.mobilitybench.format.clock import TimeOfDay
from planspec.families.mobilitybench.format.names import collapsed
from planspec.families.mobilitybench.format.tables import MobilityBenchTables, RecordedRoute
from planspec.families.mobilitybench.format.words import VEHICLES
from planspec.verifiers.answers.findings import pointer
from planspec.verifiers.answers.tables import clipped, what

MOST_LEGS = 64
MOST_STEPS = 2_000
INDEXES = ("index", "route_index", "call")
"""The keys by which an answer points at a result of a call; they are resolved to ids."""
FIGURES = ("duration", "distance", "transfers", "traffic_lights", "tolls", "fare", "depart", "arrive")
"""The figures that an answer may give of a route beside its steps; they have to be right."""
STEP = frozenset({
    "mode", "road", "line", "from", "to", "distance", "duration", "wait", "tolls", "fare",
    "traffic_lights", "instruction", "polyline", "class", "depart", "arrive",
})  # fmt: skip
"""The keys of the tools' own steps, so that a step may be copied; its roads, lines, vehicles and stops are
read."""
Report = Callable[..., None]


def hollow(said: object) -> bool:
    """There is nothing in a value: null, a blank text, and lists and objects of such."""
    if said is None or (isinstance(said, str) and not said.strip()):
        return True
    if isinstance(said, Mapping):
        return all(map(hollow, said.values()))
    return isinstance(said, list | tuple) and all(map(hollow, said))


@dataclass(frozen=True, slots=True)
class AnswerLeg:
    """A leg of the answer: the route, or as what it was named if there is none."""

    route: Row | None
    said: str | None = None


@dataclass(slots=True)
class RouteReader:
    """Reads the legs of one answer.

    Args:
        tables: of the task.
        report: takes the kind of a finding, its message and where it stands; and `fails`.
        depart: when the answer says that one leaves; it tells routes apart that are the same otherwise.
        arrive: likewise.
    """

    tables: MobilityBenchTables
    report: Report
    depart: TimeOfDay | None = None
    arrive: TimeOfDay | None = None
    legs: list[AnswerLeg] = field(default_factory=list)

    def read(self, said: Any, path: str) -> list[AnswerLeg]:
        """The legs, in order."""
        entries: list[tuple[Any, str]] = [(said, path)]
        if isinstance(said, list | tuple):
            if _are_steps(said):
                entries = [({"steps": said}, path)]
            else:
                entries = [(entry, pointer(path, place)) for place, entry in enumerate(said)]
        if len(entries) > MOST_LEGS:
            self._fail("too-long", f"{len(entries)} routes are named; the first {MOST_LEGS} are read", path)
        for place, (entry, where) in enumerate(entries[:MOST_LEGS]):
            ends = place == 0, place == len(entries) - 1
            self.legs.append(self._leg(entry, where, ends))
        return self.legs

    def _leg(self, said: Any, path: str, ends: tuple[bool, bool]) -> AnswerLeg:
        if isinstance(said, str) and said.strip():
            route = self.tables.route(said)
            if route is None:
                self._fail("unknown-name", f"no route is called `{clipped(said)}`", path)
            return AnswerLeg(route, None if route is not None else said.strip())
        if isinstance(said, Mapping):
            steps = said.get("steps")
            if isinstance(said.get("id"), str) and said["id"].strip():
                leg = self._leg(said["id"], pointer(path, "id"), ends)
                return leg if leg.route is None else self._described(leg.route, said, path)
            if any(not hollow(said.get(name)) for name in INDEXES):
                return self._pointed(said, path)
            if isinstance(steps, list | tuple):
                for name in said:
                    if name != "steps" and name not in FIGURES:
                        self._note(f"a route has no `{clipped(name)}`", pointer(path, name))
                leg = self._by_steps(steps, pointer(path, "steps"), ends)
                if leg.route is not None:
                    self._figures(leg.route, said, path)
                return leg
        if isinstance(said, int | Decimal) and not isinstance(said, bool):
            return self._pointed({"index": said}, path)
        self._fail("unreadable", f"{what(said)} names no route: give its id, or its steps", path)
        return AnswerLeg(None, shown(said))

    def also(self, routes: list[Row | None], index: Any, path: str) -> None:
        """Hold another word for the way against the routes that it has."""
        known = [route for route in routes if route is not None]
        if len(known) == len(routes) and not same_route(self.tables, known, index):
            ids = ", ".join(str(route._key[0]) for route in known[:3])
            self._fail("contradiction", f"`{shown(index)}` is another route than {ids}", path)

    def _described(self, route: Row, said: Mapping[str, Any], path: str) -> AnswerLeg:
        """A route that is called by its id; everything else that is said of it has to be right."""
        for name in INDEXES[:2]:
            if not hollow(said.get(name)):
                self.also([route], said[name], pointer(path, name))
        steps = said.get("steps")
        # sentences are for people
        if isinstance(steps, list | tuple) and any(isinstance(step, Mapping) for step in steps[:MOST_STEPS]):
            where = pointer(path, "steps")
            read = [
                self._step(step, pointer(where, place))
                for place, step in enumerate(steps[:MOST_STEPS])
                if isinstance(step, Mapping)
            ]
            known = [step for step in read if step is not None]
            named = collapsed(step.name for step in known if step.name is not None)
            way = next(way for way in self.tables.ways if way.route is route)
            if len(known) == len(read) and not _fits(way, named, known):
                self._fail("contradiction", f"these are not the steps of {route._key[0]}", where)
        self._figures(route, said, path)
        return AnswerLeg(route)

    def _figures(self, route: Row, said: Mapping[str, Any], path: str) -> None:
        others = differing(self.tables, route, said, lambda name: not hollow(said.get(name)))
        if others:
            self._fail("contradiction", f"{route._key[0]} has not {', '.join(others)}", path)

    def _pointed(self, said: Mapping[str, Any], path: str) -> AnswerLeg:
        told = ", ".join(f"{name} {shown(said[name])}" for name in INDEXES if not hollow(said.get(name)))
        self._fail("unknown-name", f"no recorded call gave a route that is {told}", path)
        return AnswerLeg(None, told)

    # ------------------------------------------------------------------ steps

    def _by_steps(self, steps: list[Any] | tuple[Any, ...], path: str, ends: tuple[bool, bool]) -> AnswerLeg:
        """The one recorded route that has these roads and lines."""
        if len(steps) > MOST_STEPS:
            self._fail("too-long", f"a route of {len(steps)} steps is read no further", path)
            return AnswerLeg(None, "steps")
        read = [self._step(step, pointer(path, place)) for place, step in enumerate(steps)]
        if any(step is None for step in read):
            return AnswerLeg(None, "steps")
        known = [step for step in read if step is not None]
        named = collapsed(step.name for step in known if step.name is not None)
        if not named:
            self._fail("unreadable", "the steps name no road and no line", path)
            return AnswerLeg(None, "steps")
        fitting = [way for way in self.tables.ways if _fits(way, named, known)]
        timed = [way for way in fitting if self._at_its_time(way, ends)]
        fitting = timed or fitting
        if not fitting:
            self._fail(
                "unknown-name", "no recorded route has these roads and lines one after the other", path
            )
            return AnswerLeg(None, "steps")
        asked = any(self.tables.given(name) is not None for name in ("depart_at", "arrive_by"))
        if len({_figures(way.route, times=asked) for way in fitting}) > 1:
            ids = " or ".join(str(way.route._key[0]) for way in fitting[:3])
            self._fail("ambiguous", f"the steps can mean {ids}: say the id, or when one leaves", path)
            return AnswerLeg(None, "steps")
        return AnswerLeg(fitting[0].route)

    def _at_its_time(self, way: RecordedRoute, ends: tuple[bool, bool]) -> bool:
        route: Any = way.route
        return all(
            said is None or not at or (time is not None and time % MINUTES_A_DAY == said.minutes)
            for at, said, time in (
                (ends[0], self.depart, route.depart),
                (ends[1], self.arrive, route.arrive),
            )
        )

    def _step(self, said: Any, path: str) -> _Step | None:
        if not isinstance(said, Mapping):
            self._fail("wrong-shape", f"a step is {what(said)}, not an object", path)
            return None
        for key in said:
            if key not in STEP:
                self._note(f"a step has no `{clipped(key)}`", pointer(path, key))
        name: Row | None = None
        for column, names in (("line", self.tables.lines), ("road", self.tables.roads)):
            text = said.get(column)
            if hollow(text):
                continue
            found = names.find(text) if isinstance(text, str) else ()
            if len(found) != 1:
                self._fail(
                    "unknown-name",
                    f"no {column} of a recorded route is called `{shown(text)}`",
                    pointer(path, column),
                )
                return None
            name = name if name is not None else found[0]
        by: frozenset[str] = frozenset()
        if not hollow(said.get("mode")):
            try:
                word = text_of(said["mode"]).replace(" ", "").replace("_", "").replace("-", "")
                by = VEHICLES[word]
            except (InvalidValueError, KeyError):
                self._fail(
                    "unreadable", f"`{shown(said['mode'])}` is no means of travel", pointer(path, "mode")
                )
                return None
        stops = []
        for column in ("from", "to"):
            text = said.get(column)
            # of roads these are crossings, which may be called as places are
            if isinstance(text, str) and text.strip() and not hollow(said.get("line")):
                stops.append(frozenset(self.tables.places.find(text)))
        return _Step(name, by, tuple(stop for stop in stops if stop))

    def _fail(self, kind: str, message: str, path: str) -> None:
        self.report(kind, message, path)

    def _note(self, message: str, path: str) -> None:
        self.report("unknown-column", message, path, fails=False)


@dataclass(frozen=True, slots=True)
class _Step:
    """A step of an answer: its road or line, its means of travel, and for each known stop the places it can mean."""

    name: Row | None
    by: frozenset[str]
    stops: tuple[frozenset[Row], ...]


def _fits(way: RecordedRoute, named: tuple[Row, ...], steps: list[_Step]) -> bool:
    """Whether a recorded route has the named roads and lines (or, for lines alone, its lines) and all else that is said."""
    if named not in (way.named, way.ridden):
        return False
    for step in steps:
        its = way.vehicles[step.name] if step.name is not None else way.by
        if step.by and not step.by & its:
            return False
    return all(stop & way.halts for step in steps for stop in step.stops)


def _figures(route: Row, *, times: bool) -> tuple[Any, ...]:
    """Everything about a route but its key; without its times if nobody asks for them."""
    left_out = {*route._table.key, *(() if times else ("depart", "arrive"))}
    columns = [name for name in route._table.columns if name not in left_out]
    return tuple(getattr(route, name) for name in columns)


def _are_steps(said: list[Any] | tuple[Any, ...]) -> bool:
    """A list of steps stands where a list of routes may."""
    return bool(said) and all(
        isinstance(step, Mapping)
        and not step.keys() & {"steps", "id", *INDEXES}
        and step.keys() & {"road", "line", "mode"}
        for step in said
    )
