"""Execution of the reference programs. A program calls tools with an episode's slots and derives the ground truth.

The programs are data, in `data/programs.yaml`.
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
from planspec.families.mobilitybench.program_readings import HERE, READINGS, surest_matches, today_of
from planspec.families.mobilitybench.program_schema import (
    CallTool,
    FindPlaces,
    GivenTemplates,
    ModePlanning,
    PlanRoute,
    Program,
    Slot,
    SlotTest,
    ValueTemplate,
    Variant,
    all_programs,
    slots_of,
)
from planspec.families.mobilitybench.program_state import FoundPlace, ProgramState, UnansweredCallError
from planspec.families.mobilitybench.steps import step_of

__all__ = [
    "InvalidSlotsError",
    "Program",
    "ProgramExecution",
    "Slot",
    "UnansweredCallError",
    "execute",
    "programs",
    "slots",
]

Asker: TypeAlias = Callable[[str, Mapping[str, Any]], JsonResult]
_CLOCK = re.compile(r"([01]\d|2[0-3]):[0-5]\d", re.ASCII)


class InvalidSlotsError(ValueError):
    """Error if slots or their values do not fit the program, or cannot be combined."""


@dataclass(frozen=True, slots=True)
class ProgramExecution:
    """Calls and results of a program, and the ground truth derived from them.

    Attributes:
        program: the calls in order, without repetitions.
        results: result of each call.
        steps: names of the atomic steps, without repetitions.
        given: ground truth: values of the constraint library's givens, without empty values.
    """

    program: tuple[StandardCall, ...]
    results: tuple[JsonValue, ...]
    steps: tuple[str, ...]
    given: dict[str, JsonValue]


def programs() -> Mapping[Scenario, Program]:
    """Return the reference programs by scenario.

    Raises:
        InvalidProgramsError: a program refers to a slot, tool, argument, reading or step that does not exist.
    """
    return all_programs().programs


def slots() -> Mapping[str, Slot]:
    """Return the slots (parameters of queries, such as `origin`) that `data/programs.yaml` declares, by name."""
    return all_programs().slots


def execute(program: Program, slots: Mapping[str, JsonValue], context: Context, ask: Asker) -> ProgramExecution:
    """Run the program's tool calls and derive the ground truth from their results.

    Args:
        program: one of `programs()`.
        slots: values by slot, in the user's words.
        context: place and time of the user.
        ask: function that calls a tool, given its name and arguments. It returns `{"match": ..., "result": ...}` or
            `{"error": ...}`.

    Raises:
        InvalidSlotsError: the slots do not fit the program.
        UnansweredCallError: a tool returns an error, or its result lacks a value.
    """
    filled = {name: value for name, value in slots.items() if value is not None and value != []}
    for name in program.needs:
        if name not in filled:
            raise InvalidSlotsError(f"slot `{name}` is missing")
    for name, value in filled.items():
        if name not in program.slots:
            raise InvalidSlotsError(f"`{name}` is no slot of this scenario")
        _check_slot(name, all_programs().slots[name], value)
    today = today_of(context)
    variant = next((v for v in program.variants if _condition_holds(v.when, filled, today)), None)
    if variant is None:
        raise InvalidSlotsError(f"no program of this scenario takes only {', '.join(filled) or 'empty slots'}")
    run = _ProgramRun(ProgramState(filled, context), variant, ask, today)
    run.run_actions()
    return run.result()


# ------------------------------------------------------------------ slots


def _check_slot(name: str, slot: Slot, value: JsonValue) -> None:
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


def _condition_holds(when: Mapping[str, SlotTest], filled: Mapping[str, JsonValue], today: str | None) -> bool:
    return all(_slot_passes(name, test, filled, today) for name, test in when.items())


def _slot_passes(name: str, test: SlotTest, filled: Mapping[str, JsonValue], today: str | None) -> bool:
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
    """State of one execution of a program's variant.

    Attributes:
        state: inputs of the program, and its results so far.
        ask: function that calls a tool.
        today: day of the query, as ISO 8601; None if unknown.
        used: slots used so far. A slot that is never used is an error.
    """

    state: ProgramState
    variant: Variant
    ask: Asker
    today: str | None
    calls: list[StandardCall] = field(default_factory=list)
    results: list[Any] = field(default_factory=list)
    steps: dict[str, None] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    def run_actions(self) -> None:
        self.used |= self.variant.reading_slots | self.variant.condition_slots
        for action in self.variant.does:
            match action:
                case FindPlaces():
                    self.find_places(action)
                case CallTool():
                    self.look_up(action)
                case PlanRoute():
                    self.plan_route(action)
        self.steps |= dict.fromkeys(self.variant.steps)

    def result(self) -> ProgramExecution:
        variant, slots = self.variant, self.state.slots
        given = self.evaluate_givens(variant.given)
        for name, by_word in variant.given_for.items():
            words = slots.get(name)
            self.used.add(name)
            for word in words if isinstance(words, list) else [words]:
                given |= self.evaluate_givens(by_word.get(str(word), {}))
        if not any(name.startswith("best_") for name in given):
            given |= self.evaluate_givens(variant.otherwise)
        unused = [name for name in slots if name not in self.used]
        if unused:
            raise InvalidSlotsError(f"`{unused[0]}` cannot be combined with the other slots")
        return ProgramExecution(tuple(self.calls), tuple(self.results), tuple(self.steps), given)

    def evaluate_givens(self, templates: GivenTemplates) -> dict[str, JsonValue]:
        values = {name: self.evaluate(value, self.state) for name, value in templates.items()}
        return {name: value for name, value in values.items() if value is not None and value != []}

    def evaluate(self, value: ValueTemplate, state: ProgramState) -> Any:
        match value.verb:
            case "said":
                return state.slots.get(value.operand)
            case "location of":
                spots = state.spots.get(value.operand)
                if spots is None and value.operand in state.slots:  # coordinates need no lookup
                    return self.look_up_place(str(state.slots[value.operand])).location
                return _one_or_all(value.operand, [spot.location for spot in spots or ()])
            case "name of":
                return _one_or_all(value.operand, [spot.name for spot in state.spots.get(value.operand, ())])
            case "the":
                return READINGS[value.operand].read(state)
            case "word":
                return value.operand

    def call(self, tool: str, templates: Mapping[str, ValueTemplate], state: ProgramState) -> JsonResult:
        """Call a tool and return the result. A repeated call gets the earlier result."""
        self.used |= {name for value in templates.values() for name in slots_of(value)}
        arguments = {name: self.evaluate(value, state) for name, value in templates.items()}
        call = StandardCall(
            tool=tool,
            name=tool,
            arguments={name: value for name, value in arguments.items() if value is not None and value != []},
        )
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

    def find_places(self, action: FindPlaces) -> None:
        for name in action.find:
            self.used.add(name)
            value = self.state.slots.get(name, all_programs().slots[name].unsaid)
            if value is not None:
                many = value if isinstance(value, list) else [value]
                self.state.spots[name] = tuple(self.look_up_place(str(one)) for one in many)

    def look_up_place(self, name: str) -> FoundPlace:
        """Look up the place with a name.

        Raises:
            UnansweredCallError: there is no such place, or several.
        """
        if name == HERE:
            if self.state.context.location is None:
                raise UnansweredCallError("it is not known where the user is")
            return FoundPlace(HERE, self.state.context.location)
        if _is_location(name):
            return FoundPlace(name, name)
        finding = all_programs().find
        result = self.call(
            finding.ask,
            finding.arguments,
            replace(self.state, slots={**self.state.slots, "place": name}),
        )
        pois = surest_matches(result["pois"], name)
        if len(pois) > 1:
            raise UnansweredCallError(f"`{name}` can be one of several places")
        return FoundPlace(str(pois[0]["name"]), str(pois[0]["location"]))

    # ------------------------------------------------------------------ looking things up

    def look_up(self, action: CallTool) -> None:
        if {"today", "later"} & set(action.when):
            self.used.add("days")
        if _condition_holds(action.when, self.state.slots, self.today):
            result = self.call(action.ask, action.arguments, self.state)
            if "routes" in result:
                self.state.routes.append(result["routes"][0])
            else:
                self.state.results.append(result)

    # ------------------------------------------------------------------ ways

    def plan_route(self, action: PlanRoute) -> None:
        """Plan the route in one call, or with a call for each leg if the tool takes no stops."""
        way = self.choose_mode(action)
        slots = {name: value for name, value in self.state.slots.items() if name not in action.without}
        self.state.planner_slots = way.slots - set(action.without)
        self.used.add("mode")
        steps = (all_programs().slots[name].step for name in slots)
        self.steps |= dict.fromkeys(step for step in steps if step is not None)
        stops = [
            *self.state.spots["origin"],
            *self.state.spots.get("via", ()),
            *self.state.spots["destination"],
        ]
        if not way.legs:
            stops = [stops[0], stops[-1]]
        for n, (start, end) in enumerate(pairwise(stops)):
            if n and "depart_at" in way.slots:
                slots["depart_at"] = str(self.state.routes[-1]["arrive"])
            spots = {**self.state.spots, "origin": (start,), "destination": (end,)}
            result = self.call(way.ask, way.arguments, replace(self.state, slots=slots, spots=spots))
            self.state.routes.append(result["routes"][0])
        self.used |= {"via"} if way.legs else set()

    def choose_mode(self, action: PlanRoute) -> ModePlanning:
        """Choose the travel mode: the requested or usual mode of the user, otherwise the first that fits the request.

        Raises:
            InvalidSlotsError: the user's mode, or every mode, lacks support for the request.
        """
        ways, slots = all_programs().ways, self.state.slots
        mode = slots.get("mode", self.state.context.travel_tool)
        if mode in ways:
            way = ways[str(mode)]
            if not self.supports(way, action):
                raise InvalidSlotsError(f"mode {mode} does not support all of {', '.join(slots)}")
            self.state.vehicles = way.vehicles
            return way
        fit = [way for way in ways.values() if self.supports(way, action)]
        if not fit:
            raise InvalidSlotsError(f"no mode supports all of {', '.join(slots)}")
        self.state.vehicles = () if len(fit) == len(ways) else fit[0].vehicles
        return fit[0]

    def supports(self, way: ModePlanning, action: PlanRoute) -> bool:
        """Return whether the tool of a mode supports the whole request and its results have the requested figure."""
        slots = self.state.slots
        options = {name for other in all_programs().ways.values() for name in other.slots}
        requested = (set(slots) & options) - self.variant.reading_slots - set(action.without)
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
