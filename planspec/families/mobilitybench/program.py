"""The standard tool programs, which derive the ground truth of an episode from its slots.

The programs themselves are data, `data/programs.yaml`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import pairwise
from typing import Any, TypeAlias

from pydantic import JsonValue

from planspec.agents.tools import JsonResult
from planspec.families.mobilitybench.calls import normalise_location
from planspec.families.mobilitybench.episode import Context, Scenario, StandardCall
from planspec.families.mobilitybench.program_found import ProgramFindings, Spot, UnansweredCallError
from planspec.families.mobilitybench.program_readings import HERE, READINGS, surest_matches, today_of
from planspec.families.mobilitybench.program_schema import (
    Ask,
    Find,
    Given,
    PlannedWay,
    PlanWay,
    Program,
    Slot,
    Test,
    Value,
    Variant,
    all_programs,
    slots_of,
)
from planspec.families.mobilitybench.steps import step_of

__all__ = [
    "Executed",
    "InvalidSlotsError",
    "Program",
    "Slot",
    "UnansweredCallError",
    "execute",
    "programs",
    "slots",
]

Asker: TypeAlias = Callable[[str, Mapping[str, Any]], JsonResult]
_CLOCK = re.compile(r"([01]\d|2[0-3]):[0-5]\d", re.ASCII)


class InvalidSlotsError(ValueError):
    """The slots or their values do not fit the program, or cannot be requested together."""


@dataclass(frozen=True, slots=True)
class Executed:
    """An executed program.

    Attributes:
        program: its calls, in order; no two are equal.
        results: result of each call.
        steps: atomic steps, each once.
        given: ground truth as the library takes it, without empty values.
    """

    program: tuple[StandardCall, ...]
    results: tuple[JsonValue, ...]
    steps: tuple[str, ...]
    given: dict[str, JsonValue]


def programs() -> Mapping[Scenario, Program]:
    """Return the published programs by scenario.

    Raises:
        InvalidProgramsError: they refer to a slot, tool, argument, reading or step that does not exist.
    """
    return all_programs().programs


def slots() -> Mapping[str, Slot]:
    """Return the published slots by name."""
    return all_programs().slots


def execute(program: Program, slots: Mapping[str, JsonValue], context: Context, ask: Asker) -> Executed:
    """Run the program's tool calls and derive the ground truth from their results.

    Args:
        program: one of `programs()`.
        slots: values in the user's words.
        context: place and time of the user.
        ask: answers a call by tool and arguments with `{"match": ..., "result": ...}` or `{"error": ...}`.

    Raises:
        InvalidSlotsError: the slots do not fit the program.
        UnansweredCallError: a tool refuses, or a value is missing.
    """
    filled = {name: value for name, value in slots.items() if value is not None and value != []}
    for name in program.needs:
        if name not in filled:
            raise InvalidSlotsError(f"`{name}` is not said")
    for name, value in filled.items():
        if name not in program.slots:
            raise InvalidSlotsError(f"`{name}` is no slot of this scenario")
        _check(name, all_programs().slots[name], value)
    today = today_of(context)
    variant = next((v for v in program.variants if _holds(v.when, filled, today)), None)
    if variant is None:
        raise InvalidSlotsError(f"nothing can be asked with {', '.join(filled) or 'no slot'} alone")
    run = _ProgramRun(ProgramFindings(filled, context), variant, ask, today)
    run.all()
    return run.executed()


# ------------------------------------------------------------------ slots


def _check(name: str, slot: Slot, value: JsonValue) -> None:
    fits: bool
    match slot.kind:
        case "text" | "place":
            fits = isinstance(value, str) and bool(value.strip())
        case "texts" | "places":
            fits = isinstance(value, list) and all(isinstance(one, str) and one.strip() for one in value)
        case "point":
            fits = value == HERE or _is_location(value)
        case "count":
            fits = type(value) is int and slot.least <= value <= slot.most
        case "clock":
            fits = isinstance(value, str) and _CLOCK.fullmatch(value) is not None
        case "dates":
            fits = isinstance(value, list) and all(map(_is_day, value))
        case "choice":
            fits = value in slot.words
        case "choices":
            fits = isinstance(value, list) and all(one in slot.words for one in value)
    if not fits:
        raise InvalidSlotsError(f"`{name}`: {json.dumps(value, ensure_ascii=False)} is not {slot.says}")


def _is_location(value: JsonValue) -> bool:
    try:
        normalise_location(value if isinstance(value, str) else "")
    except ValueError:
        return False
    return True


def _is_day(value: JsonValue) -> bool:
    try:
        return isinstance(value, str) and date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


def _holds(when: Mapping[str, Test], filled: Mapping[str, JsonValue], today: str | None) -> bool:
    return all(_passes(name, test, filled, today) for name, test in when.items())


def _passes(name: str, test: Test, filled: Mapping[str, JsonValue], today: str | None) -> bool:
    days = filled.get("days")
    if isinstance(test, bool):
        match name:
            case "today":
                is_met = days is None or (isinstance(days, list) and today in days)
            case "later":
                is_met = isinstance(days, list) and any(day != today for day in days)
            case _:
                is_met = name in filled
        return is_met is test
    return filled.get(name) in ((test,) if isinstance(test, str) else test)


# ------------------------------------------------------------------ execution


@dataclass(slots=True)
class _ProgramRun:
    """Execution of a program.

    Attributes:
        used: slots used so far.
    """

    findings: ProgramFindings
    variant: Variant
    ask: Asker
    today: str | None
    calls: list[StandardCall] = field(default_factory=list)
    results: list[Any] = field(default_factory=list)
    steps: dict[str, None] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    def all(self) -> None:
        self.used |= self.variant.read | self.variant.chosen
        for action in self.variant.does:
            match action:
                case Find():
                    self.find(action)
                case Ask():
                    self.look_up(action)
                case PlanWay():
                    self.plan(action)
        self.steps |= dict.fromkeys(self.variant.steps)

    def executed(self) -> Executed:
        variant, slots = self.variant, self.findings.slots
        given = self.read(variant.given)
        for name, by_word in variant.given_for.items():
            words = slots.get(name)
            self.used.add(name)
            for word in words if isinstance(words, list) else [words]:
                given |= self.read(by_word.get(str(word), {}))
        if not any(name.startswith("best_") for name in given):
            given |= self.read(variant.otherwise)
        unused = [name for name in slots if name not in self.used]
        if unused:
            raise InvalidSlotsError(f"`{unused[0]}` cannot be asked here")
        return Executed(tuple(self.calls), tuple(self.results), tuple(self.steps), given)

    def read(self, given: Given) -> dict[str, JsonValue]:
        values = {name: self.value(value, self.findings) for name, value in given.items()}
        return {name: value for name, value in values.items() if value is not None and value != []}

    def value(self, value: Value, findings: ProgramFindings) -> Any:
        match value.verb:
            case "said":
                return findings.slots.get(value.of)
            case "location of":
                spots = findings.spots.get(value.of)
                if spots is None and value.of in findings.slots:  # a location
                    return self.spot(str(findings.slots[value.of])).location
                return _one_or_all(value.of, [spot.location for spot in spots or ()])
            case "name of":
                return _one_or_all(value.of, [spot.name for spot in findings.spots.get(value.of, ())])
            case "the":
                return READINGS[value.of].read(findings)
            case "word":
                return value.of

    def call(self, tool: str, templates: Mapping[str, Value], findings: ProgramFindings) -> JsonResult:
        """Return the result of a call; a repeated call is not made again."""
        self.used |= {name for value in templates.values() for name in slots_of(value)}
        arguments = {name: self.value(value, findings) for name, value in templates.items()}
        call = StandardCall(
            tool=tool, name=tool,
            arguments={name: value for name, value in arguments.items() if value is not None and value != []},
        )  # fmt: skip
        self.steps[step_of(tool)] = None
        if call in self.calls:
            result: JsonResult = self.results[self.calls.index(call)]
            return result
        answer = self.ask(tool, call.arguments)
        if "error" in answer:
            error = answer["error"]
            raise UnansweredCallError(f"{tool}: {error.get('code')}: {error.get('message')}")
        if answer.get("match", {}).get("kind", "exact") != "exact":
            raise UnansweredCallError(f"{tool}: only a similar call is recorded")
        self.calls.append(call)
        self.results.append(answer["result"])
        fresh: JsonResult = answer["result"]
        return fresh

    # ------------------------------------------------------------------ places

    def find(self, action: Find) -> None:
        for name in action.find:
            self.used.add(name)
            value = self.findings.slots.get(name, all_programs().slots[name].unsaid)
            if value is not None:
                many = value if isinstance(value, list) else [value]
                self.findings.spots[name] = tuple(self.spot(str(one)) for one in many)

    def spot(self, name: str) -> Spot:
        """Return the place with a name.

        Raises:
            UnansweredCallError: there is no such place, or the name is ambiguous.
        """
        if name == HERE:
            if self.findings.context.location is None:
                raise UnansweredCallError("it is not known where the user is")
            return Spot(HERE, self.findings.context.location)
        if _is_location(name):
            return Spot(name, name)
        finding = all_programs().find
        result = self.call(
            finding.ask,
            finding.arguments,
            replace(self.findings, slots={**self.findings.slots, "place": name}),
        )
        pois = surest_matches(result["pois"], name)
        if len(pois) > 1:
            raise UnansweredCallError(f"`{name}` can be one of several places")
        return Spot(str(pois[0]["name"]), str(pois[0]["location"]))

    # ------------------------------------------------------------------ looking things up

    def look_up(self, action: Ask) -> None:
        if {"today", "later"} & set(action.when):
            self.used.add("days")
        if _holds(action.when, self.findings.slots, self.today):
            result = self.call(action.ask, action.arguments, self.findings)
            if "routes" in result:
                self.findings.routes.append(result["routes"][0])
            else:
                self.findings.results.append(result)

    # ------------------------------------------------------------------ ways

    def plan(self, action: PlanWay) -> None:
        """Plan the way: in one call, or in one for each leg if the tool takes no stops."""
        way = self.way(action)
        slots = {name: value for name, value in self.findings.slots.items() if name not in action.without}
        self.findings.takes = way.slots - set(action.without)
        self.used.add("mode")
        steps = (all_programs().slots[name].step for name in slots)
        self.steps |= dict.fromkeys(step for step in steps if step is not None)
        stops = [
            *self.findings.spots["origin"],
            *self.findings.spots.get("via", ()),
            *self.findings.spots["destination"],
        ]
        if not way.legs:
            stops = [stops[0], stops[-1]]
        for n, (start, end) in enumerate(pairwise(stops)):
            if n and "depart_at" in way.slots:
                slots["depart_at"] = str(self.findings.routes[-1]["arrive"])
            spots = {**self.findings.spots, "origin": (start,), "destination": (end,)}
            result = self.call(way.ask, way.arguments, replace(self.findings, slots=slots, spots=spots))
            self.findings.routes.append(result["routes"][0])
        self.used |= {"via"} if way.legs else set()

    def way(self, action: PlanWay) -> PlannedWay:
        """Return the travel mode of a planning call.

        Raises:
            InvalidSlotsError: no single mode supports everything that is requested.
        """
        ways, slots = all_programs().ways, self.findings.slots
        mode = slots.get("mode", self.findings.context.travel_tool)
        if mode in ways:
            way = ways[str(mode)]
            if not self.fits(way, action):
                raise InvalidSlotsError(f"all of {', '.join(slots)} cannot be asked of a way by {mode}")
            self.findings.vehicles = way.vehicles
            return way
        fit = [way for way in ways.values() if self.fits(way, action)]
        if not fit:
            raise InvalidSlotsError(f"all of {', '.join(slots)} cannot be asked of one way")
        self.findings.vehicles = () if len(fit) == len(ways) else fit[0].vehicles
        return fit[0]

    def fits(self, way: PlannedWay, action: PlanWay) -> bool:
        """Return whether a mode supports everything that is requested, or its routes show it."""
        slots = self.findings.slots
        options = {name for other in all_programs().ways.values() for name in other.slots}
        requested = (set(slots) & options) - self.variant.read - set(action.without)
        preferences = slots.get("preferences", [])
        assert isinstance(preferences, list)
        return (
            requested <= way.slots
            and set(preferences) <= set(way.preferences)
            and (len(preferences) < 2 or "preferences" in way.arguments)
            and slots.get("asked", way.tells[0]) in way.tells
            and not (way.legs and "via" in slots and set(way.one_leg) & set(slots))
        )


def _one_or_all(name: str, values: list[str]) -> Any:
    if all_programs().slots[name].kind == "places":
        return values
    return values[0] if values else None
