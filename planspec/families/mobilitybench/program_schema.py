"""Schema, reader and checks of the reference programs in `data/programs.yaml`.

A reference to a slot, tool or other name that does not exist is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Literal, TypeAlias

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError

from planspec.errors import PlanspecError
from planspec.families.mobilitybench.calls import TOOLS
from planspec.families.mobilitybench.episode import Scenario
from planspec.families.mobilitybench.program_readings import READINGS
from planspec.families.mobilitybench.steps import atomic_steps
from planspec.families.mobilitybench.yaml_text import parse_yaml

FILE = "programs.yaml"
DERIVED = frozenset({"today", "later"})
"""Names besides slots that a condition can test: whether the weather of today, or of a later day, is requested."""
BY_NAME = ("place", "origin", "destination", "via", "mode", "preferences", "asked", "depart_at")
"""Slots to which the code refers by name."""
_VALUE = re.compile(r"(said|location of|name of|the|word) (\S.*)", re.ASCII)

SlotKind: TypeAlias = Literal[
    "text", "texts", "place", "places", "point", "count", "clock", "dates", "choice", "choices"
]
Verb: TypeAlias = Literal["said", "location of", "name of", "the", "word"]


class InvalidProgramsError(PlanspecError, ValueError):
    """Error if programs refer to a slot, tool or other name that does not exist."""


@dataclass(frozen=True, slots=True)
class ValueTemplate:
    """Template of a value in a program.

    Attributes:
        verb: `said`, `location of` or `name of` for a slot, `the` for a reading (computed value), or `word` for a constant.
        operand: name of the slot or the reading, or the constant.
    """

    verb: Verb
    operand: Any  # a constant is any JSON


def _value_template(text: Any) -> ValueTemplate:
    if not isinstance(text, str):
        return ValueTemplate("word", text)
    match = _VALUE.fullmatch(text)
    if match is None:
        raise ValueError(f"`{text}` does not begin with said, location of, name of, the, or word")
    verb: Any = match[1]
    return ValueTemplate(verb, match[2])


Template: TypeAlias = Annotated[ValueTemplate, BeforeValidator(_value_template)]
SlotTest: TypeAlias = bool | str | tuple[str, ...]
"""Test of a slot.

True requires that the slot is filled, False that it is empty. A word, or a tuple of words, requires that the slot holds
one of these words.
"""


class ProgramModel(BaseModel):
    """Base class of the parts of a programs file."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)


class Slot(ProgramModel):
    """A slot: a parameter of queries, such as `origin` or `mode`.

    Attributes:
        kind: type of its values, such as a place or a count.
        says: description for people.
        words: possible values of a choice.
        unsaid: default value.
        least: minimum value of a count.
        most: maximum value of a count.
        step: name of the atomic step that is needed if the slot is filled.
    """

    kind: SlotKind
    says: str
    words: tuple[str, ...] = ()
    unsaid: str | None = None
    least: int = Field(default=0, alias="from")
    most: int = Field(default=50_000, alias="to")
    step: str | None = None


class PlaceLookup(ProgramModel):
    """Call that looks up the location of a named place.

    Attributes:
        ask: name of the tool.
        arguments: templates of the arguments.
    """

    ask: str
    arguments: dict[str, Template]


class ModePlanning(ProgramModel):
    """Route planning by one travel mode.

    Attributes:
        ask: name of the tool.
        arguments: templates of each call's arguments.
        preferences: preferences that the tool supports.
        tells: figures of a route in the tool's results, such as `length`.
        vehicles: vehicles of the mode, as named in the constraint library.
        legs: whether each leg needs its own call, because the tool accepts no stops.
        one_leg: slots that cannot be combined with stops if each leg needs its own call.
    """

    ask: str
    arguments: dict[str, Template]
    preferences: tuple[str, ...] = ()
    tells: tuple[str, ...]
    vehicles: tuple[str, ...]
    legs: bool = False
    one_leg: tuple[str, ...] = ()

    @property
    def slots(self) -> frozenset[str]:
        """Slots that planning by this mode supports."""
        taken = {name for value in self.arguments.values() for name in slots_of(value)}
        return frozenset(taken | ({"via"} if self.legs else set()))


class FindPlaces(ProgramModel):
    """Action that looks up the places in its slots. Empty slots are skipped."""

    find: tuple[str, ...]


class CallTool(ProgramModel):
    """Action that calls a tool if a condition holds.

    Attributes:
        ask: name of the tool.
        when: condition: tests by slot, all of which must pass.
        arguments: templates of the arguments.
    """

    ask: str
    when: dict[str, SlotTest] = Field(default_factory=dict)
    arguments: dict[str, Template]


class PlanRoute(ProgramModel):
    """Action that plans a route from the origin to the destination.

    Attributes:
        plan: always `way`, which identifies the action in a programs file.
        without: slots that are not passed to the tool.
    """

    plan: Literal["way"]
    without: tuple[str, ...] = ()


Action: TypeAlias = FindPlaces | CallTool | PlanRoute
GivenTemplates: TypeAlias = dict[str, Template]


class Variant(ProgramModel):
    """Variant of a scenario's program, for requests that meet a condition.

    Attributes:
        when: condition: tests by slot, all of which must pass.
        does: actions, in order.
        steps: atomic steps besides those that the calls perform.
        given: templates of the ground truth, by given.
        given_for: further such templates, by slot and by word in the slot.
        otherwise: further such templates, used if no given with the prefix `best_` is set.
    """

    when: dict[str, SlotTest] = Field(default_factory=dict)
    does: tuple[Action, ...]
    steps: tuple[str, ...] = ()
    given: GivenTemplates = Field(default_factory=dict)
    given_for: dict[str, dict[str, GivenTemplates]] = Field(default_factory=dict)
    otherwise: GivenTemplates = Field(default_factory=dict)

    @property
    def condition_slots(self) -> frozenset[str]:
        """Slots whose value, and not only its presence, decides whether the variant applies."""
        return frozenset(name for name, test in self.when.items() if not isinstance(test, bool))

    @property
    def reading_slots(self) -> frozenset[str]:
        """Slots from which the ground truth is computed (by templates with the verb `the`)."""
        return frozenset(s for value in self.templates() if value.verb == "the" for s in slots_of(value))

    def templates(self) -> Iterator[ValueTemplate]:
        """Yield the templates of all givens."""
        for given in (
            self.given,
            self.otherwise,
            *(g for by in self.given_for.values() for g in by.values()),
        ):
            yield from given.values()


class Program(ProgramModel):
    """Program of a scenario.

    Attributes:
        needs: required slots.
        may: optional slots.
        variants: variants in order. The first with a true condition is executed.
    """

    needs: tuple[str, ...] = ()
    may: tuple[str, ...] = ()
    variants: tuple[Variant, ...]

    @property
    def slots(self) -> tuple[str, ...]:
        """All slots of the scenario."""
        return (*self.needs, *self.may)


class Programs(ProgramModel):
    """Content of a programs file.

    Attributes:
        slots: slots by name.
        find: call that looks up a place.
        ways: route planning by mode.
        programs: program of each scenario.
    """

    slots: dict[str, Slot]
    find: PlaceLookup
    ways: dict[str, ModePlanning]
    programs: dict[Scenario, Program]


@cache
def all_programs() -> Programs:
    """Return the content of `data/programs.yaml`.

    Raises:
        InvalidProgramsError: a program refers to a slot, tool, argument, reading or step that does not exist.
    """
    return read_programs(
        files("planspec.families.mobilitybench").joinpath("data").joinpath(FILE).read_text(encoding="utf-8")
    )


def read_programs(text: str) -> Programs:
    """Parse programs.

    Raises:
        InvalidProgramsError: the text does not fit the schema, or refers to a slot, tool, argument, reading or
            step that does not exist.
    """
    try:
        programs = Programs.model_validate(parse_yaml(text))
    except (ValidationError, yaml.YAMLError) as error:
        raise InvalidProgramsError(str(error)) from None
    for fault in _program_faults(programs):
        raise InvalidProgramsError(fault)
    return programs


def slots_of(value: ValueTemplate) -> frozenset[str]:
    """Return the slots that a template uses."""
    match value.verb:
        case "said" | "location of" | "name of":
            return frozenset({value.operand})
        case "the":
            reading = READINGS.get(value.operand)
            return frozenset() if reading is None else reading.uses
        case "word":
            return frozenset()


# ------------------------------------------------------------------ faults


def _program_faults(programs: Programs) -> Iterator[str]:
    slots = set(programs.slots)
    yield from _unknown_references("slots", "slot", BY_NAME, slots)
    missing = [scenario.value for scenario in Scenario if scenario not in programs.programs]
    if missing:
        yield f"`{missing[0]}` has no program"
    for name, slot in programs.slots.items():
        if slot.step is not None and slot.step not in atomic_steps():
            yield f"slot `{name}`: there is no step `{slot.step}`"
        if bool(slot.words) != (slot.kind in {"choice", "choices"}):
            yield f"slot `{name}`: a choice has words, and nothing else has"
    yield from _call_faults("find", programs.find.ask, programs.find.arguments, slots)
    if set(programs.slots["mode"].words) != set(programs.ways):
        yield "slot `mode`: its words are not the ways"
    for name, way in programs.ways.items():
        yield from _call_faults(f"way `{name}`", way.ask, way.arguments, slots)
        yield from _unknown_references(f"way `{name}`", "slot", way.one_leg, slots)
        yield from _unknown_references(
            f"way `{name}`", "preference", way.preferences, programs.slots["preferences"].words
        )
        yield from _unknown_references(f"way `{name}`", "figure", way.tells, programs.slots["asked"].words)
    for scenario, program in programs.programs.items():
        yield from _unknown_references(scenario.value, "slot", program.slots, slots)
        for variant in program.variants:
            yield from (f"{scenario.value}: {fault}" for fault in _variant_faults(programs, variant))
        unused = [s for s in program.slots if not any(s in _usable_slots(programs, v) for v in program.variants)]
        if unused:
            yield f"{scenario.value}: nothing makes use of slot `{unused[0]}`"


def _variant_faults(programs: Programs, variant: Variant) -> Iterator[str]:
    slots, located = (
        set(programs.slots),
        {name for name, slot in programs.slots.items() if slot.kind == "point"},
    )
    yield from _condition_faults(programs, variant.when)
    yield from _unknown_references("steps", "step", variant.steps, atomic_steps())
    for action in variant.does:
        match action:
            case FindPlaces():
                yield from _unknown_references("find", "slot", action.find, slots)
                located |= set(action.find)
            case CallTool():
                yield from _condition_faults(programs, action.when)
                yield from _call_faults(action.ask, action.ask, action.arguments, slots)
                required = {v.operand for v in action.arguments.values() if v.verb == "location of"}
                yield from _unknown_references(action.ask, "found place", required, located)
            case PlanRoute():
                yield from _unknown_references("plan", "slot", action.without, slots)
                yield from _unknown_references("plan", "found place", ("origin", "destination"), located)
    for value in variant.templates():
        yield from _template_faults("given", value, slots)
    for slot, by_word in variant.given_for.items():
        yield from _unknown_references("given_for", "slot", (slot,), slots)
        yield from _unknown_references(f"given_for {slot}", "word", by_word, programs.slots[slot].words)


def _condition_faults(programs: Programs, when: Mapping[str, SlotTest]) -> Iterator[str]:
    yield from _unknown_references("when", "slot", when, set(programs.slots) | DERIVED)
    for name, test in when.items():
        if not isinstance(test, bool):
            words = (test,) if isinstance(test, str) else test
            yield from _unknown_references(f"when {name}", "word", words, programs.slots[name].words)


def _call_faults(at: str, tool: str, arguments: Mapping[str, ValueTemplate], slots: Iterable[str]) -> Iterator[str]:
    if tool not in TOOLS:
        yield f"{at}: there is no tool `{tool}`"
        return
    fields = TOOLS[tool][0].model_fields
    yield from _unknown_references(at, f"argument of {tool}", arguments, fields)
    lacking = [name for name, field in fields.items() if field.is_required() and name not in arguments]
    if lacking:
        yield f"{at}: {tool} needs `{lacking[0]}`"
    for name, value in arguments.items():
        yield from _template_faults(at, value, slots)
        if value.verb == "word" and name in fields:
            kind: TypeAdapter[Any] = TypeAdapter(fields[name].rebuild_annotation())
            try:
                kind.validate_python(value.operand)
            except ValidationError:
                yield f"{at}: `{value.operand}` is no `{name}` of {tool}"


def _template_faults(at: str, value: ValueTemplate, slots: Iterable[str]) -> Iterator[str]:
    match value.verb:
        case "said" | "location of" | "name of":
            yield from _unknown_references(at, "slot", (value.operand,), slots)
        case "the":
            yield from _unknown_references(at, "reading", (value.operand,), READINGS)
        case "word":
            return


def _unknown_references(at: str, what: str, references: Iterable[str], existing: Iterable[str]) -> Iterator[str]:
    names = set(existing)
    yield from (f"{at}: there is no {what} `{name}`" for name in references if name not in names)


def _usable_slots(programs: Programs, variant: Variant) -> set[str]:
    """Return the slots that a variant may use."""
    used = set(variant.given_for) | variant.condition_slots | variant.reading_slots
    for action in variant.does:
        match action:
            case FindPlaces():
                used |= set(action.find)
                used |= {"city"}
            case CallTool():
                used |= {name for value in action.arguments.values() for name in slots_of(value)}
                used |= {"days"} if DERIVED & set(action.when) else set()
            case PlanRoute():
                used |= {"mode"}.union(*(way.slots for way in programs.ways.values()))
    return used
