"""The standard tool programs: executed, they make the truth of an episode out of what the user says.

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
from planspec.families.mobilitybench.calls import located
from planspec.families.mobilitybench.episode import Context, Scenario, StandardCall
from planspec.families.mobilitybench.program_found import ProgramFindings, Spot, UnansweredCallError
from planspec.families.mobilitybench.program_readings import HERE, READINGS, meant, today_of
from planspec.families.mobilitybench.program_schema import (
    Ask,
    Find,
    Given,
    Plan,
    Program,
    Slot,
    Test,
    Value,
    Variant,
    Way,
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
    """The given slots or values are not the program's, or cannot be asked together."""


@dataclass(frozen=True, slots=True)
class Executed:
    """A program that was executed.

    Attributes:
        program: its calls, in order; no two are equal.
        results: what each was answered.
        steps: the atomic steps, each once.
        given: what is true, as the library takes it; without what is empty.
    """

    program: tuple[StandardCall, ...]
    results: tuple[JsonValue, ...]
    steps: tuple[str, ...]
    given: dict[str, JsonValue]


def programs() -> Mapping[Scenario, Program]:
    """The published programs by scenario.

    Raises:
        InvalidProgramsError: they name a slot, tool, argument, reading or step that there is not.
    """
    return all_programs().programs


def slots() -> Mapping[str, Slot]:
    """The published slots by name."""
    return all_programs().slots


def execute(program: Program, slots: Mapping[str, JsonValue], context: Context, ask: Asker) -> Executed:
    """Ask the tools what the program needs, and read what is true.

    Args:
        program: of `programs()`.
        slots: what the user says.
        context: where and when.
        ask: answers a call by tool and arguments with `{"match": ..., "result": ...}` or `{"error": ...}`.

    Raises:
        InvalidSlotsError: nothing of the program is for what is said.
        UnansweredCallError: a tool refuses, or a value is not there.
    """
    said = {name: value for name, value in slots.items() if value is not None and value != []}
    for name in program.needs:
        if name not in said:
            raise InvalidSlotsError(f"`{name}` is not said")
    for name, value in said.items():
        if name not in program.slots:
            raise InvalidSlotsError(f"`{name}` is no slot of this scenario")
        _check(name, all_programs().slots[name], value)
    today = today_of(context)
    variant = next((v for v in program.variants if _holds(v.when, said, today)), None)
    if variant is None:
        raise InvalidSlotsError(f"nothing can be asked with {', '.join(said) or 'no slot'} alone")
    run = _Run(ProgramFindings(said, context), variant, ask, today)
    run.all()
    return run.executed()


# ------------------------------------------------------------------ what is said


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
        located(value if isinstance(value, str) else "")
    except ValueError:
        return False
    return True


def _is_day(value: JsonValue) -> bool:
    try:
        return isinstance(value, str) and date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


def _holds(when: Mapping[str, Test], said: Mapping[str, JsonValue], today: str | None) -> bool:
    return all(_passes(name, test, said, today) for name, test in when.items())


def _passes(name: str, test: Test, said: Mapping[str, JsonValue], today: str | None) -> bool:
    days = said.get("days")
    if isinstance(test, bool):
        match name:
            case "today":
                there = days is None or (isinstance(days, list) and today in days)
            case "later":
                there = isinstance(days, list) and any(day != today for day in days)
            case _:
                there = name in said
        return there is test
    return said.get(name) in ((test,) if isinstance(test, str) else test)


# ------------------------------------------------------------------ doing it


@dataclass(slots=True)
class _Run:
    """A program on its way.

    Attributes:
        used: the slots of which was made use.
    """

    found: ProgramFindings
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
                case Plan():
                    self.plan(action)
        self.steps |= dict.fromkeys(self.variant.steps)

    def executed(self) -> Executed:
        variant, said = self.variant, self.found.slots
        made = self.read(variant.given)
        for name, by_word in variant.given_for.items():
            words = said.get(name)
            self.used.add(name)
            for word in words if isinstance(words, list) else [words]:
                made |= self.read(by_word.get(str(word), {}))
        if not any(name.startswith("best_") for name in made):
            made |= self.read(variant.otherwise)
        unused = [name for name in said if name not in self.used]
        if unused:
            raise InvalidSlotsError(f"`{unused[0]}` cannot be asked here")
        return Executed(tuple(self.calls), tuple(self.results), tuple(self.steps), made)

    def read(self, given: Given) -> dict[str, JsonValue]:
        made = {name: self.value(value, self.found) for name, value in given.items()}
        return {name: value for name, value in made.items() if value is not None and value != []}

    def value(self, value: Value, found: ProgramFindings) -> Any:
        match value.verb:
            case "said":
                return found.slots.get(value.of)
            case "location of":
                spots = found.spots.get(value.of)
                if spots is None and value.of in found.slots:  # a location
                    return self.spot(str(found.slots[value.of])).location
                return _one_or_all(value.of, [spot.location for spot in spots or ()])
            case "name of":
                return _one_or_all(value.of, [spot.name for spot in found.spots.get(value.of, ())])
            case "the":
                return READINGS[value.of].read(found)
            case "word":
                return value.of

    def call(self, tool: str, templates: Mapping[str, Value], found: ProgramFindings) -> JsonResult:
        """The result of a call; one that was made before is not made again."""
        self.used |= {name for value in templates.values() for name in slots_of(value)}
        arguments = {name: self.value(value, found) for name, value in templates.items()}
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
        told: JsonResult = answer["result"]
        return told

    # ------------------------------------------------------------------ places

    def find(self, action: Find) -> None:
        for name in action.find:
            self.used.add(name)
            said = self.found.slots.get(name, all_programs().slots[name].unsaid)
            if said is not None:
                many = said if isinstance(said, list) else [said]
                self.found.spots[name] = tuple(self.spot(str(one)) for one in many)

    def spot(self, said: str) -> Spot:
        """The place that is said.

        Raises:
            UnansweredCallError: there is none, or it can be one of several.
        """
        if said == HERE:
            if self.found.context.location is None:
                raise UnansweredCallError("it is not known where the user is")
            return Spot(HERE, self.found.context.location)
        if _is_location(said):
            return Spot(said, said)
        finding = all_programs().find
        told = self.call(
            finding.ask, finding.arguments, replace(self.found, slots={**self.found.slots, "place": said})
        )
        pois = meant(told["pois"], said)
        if len(pois) > 1:
            raise UnansweredCallError(f"`{said}` can be one of several places")
        return Spot(str(pois[0]["name"]), str(pois[0]["location"]))

    # ------------------------------------------------------------------ looking things up

    def look_up(self, action: Ask) -> None:
        if {"today", "later"} & set(action.when):
            self.used.add("days")
        if _holds(action.when, self.found.slots, self.today):
            result = self.call(action.ask, action.arguments, self.found)
            if "routes" in result:
                self.found.routes.append(result["routes"][0])
            else:
                self.found.results.append(result)

    # ------------------------------------------------------------------ ways

    def plan(self, action: Plan) -> None:
        """Plan the way, in one call or, if the tool takes no places on the way, in one for each leg."""
        way = self.way(action)
        said = {name: value for name, value in self.found.slots.items() if name not in action.without}
        self.found.takes = way.slots - set(action.without)
        self.used.add("mode")
        steps = (all_programs().slots[name].step for name in said)
        self.steps |= dict.fromkeys(step for step in steps if step is not None)
        stops = [
            *self.found.spots["origin"],
            *self.found.spots.get("via", ()),
            *self.found.spots["destination"],
        ]
        if not way.legs:
            stops = [stops[0], stops[-1]]
        for n, (start, end) in enumerate(pairwise(stops)):
            if n and "depart_at" in way.slots:
                said["depart_at"] = str(self.found.routes[-1]["arrive"])
            spots = {**self.found.spots, "origin": (start,), "destination": (end,)}
            told = self.call(way.ask, way.arguments, replace(self.found, slots=said, spots=spots))
            self.found.routes.append(told["routes"][0])
        self.used |= {"via"} if way.legs else set()

    def way(self, action: Plan) -> Way:
        """The means of travel of a planning call.

        Raises:
            InvalidSlotsError: all that is said cannot be asked of one way.
        """
        ways, said = all_programs().ways, self.found.slots
        by = said.get("mode", self.found.context.travel_tool)
        if by in ways:
            way = ways[str(by)]
            if not self.fits(way, action):
                raise InvalidSlotsError(f"all of {', '.join(said)} cannot be asked of a way by {by}")
            self.found.vehicles = way.vehicles
            return way
        fit = [way for way in ways.values() if self.fits(way, action)]
        if not fit:
            raise InvalidSlotsError(f"all of {', '.join(said)} cannot be asked of one way")
        self.found.vehicles = () if len(fit) == len(ways) else fit[0].vehicles
        return fit[0]

    def fits(self, way: Way, action: Plan) -> bool:
        """All that is said can be asked of such a way, or is read from it."""
        said = self.found.slots
        options = {name for other in all_programs().ways.values() for name in other.slots}
        asked = (set(said) & options) - self.variant.read - set(action.without)
        preferences = said.get("preferences", [])
        assert isinstance(preferences, list)
        return (
            asked <= way.slots
            and set(preferences) <= set(way.preferences)
            and (len(preferences) < 2 or "preferences" in way.arguments)
            and said.get("asked", way.tells[0]) in way.tells
            and not (way.legs and "via" in said and set(way.one_leg) & set(said))
        )


def _one_or_all(name: str, values: list[str]) -> Any:
    if all_programs().slots[name].kind == "places":
        return values
    return values[0] if values else None
