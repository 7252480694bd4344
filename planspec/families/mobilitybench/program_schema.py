"""The schema of the standard tool programs in `data/programs.yaml`, read and checked.

A reference to something that does not exist is an error.
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
from planspec.families.mobilitybench.yaml_text import parsed

FILE = "programs.yaml"
DERIVED = frozenset({"today", "later"})
"""Conditions of calls beside slots: the weather of today, or of another day, is requested."""
BY_NAME = ("place", "origin", "destination", "via", "mode", "preferences", "asked", "depart_at")
"""Slots whose meaning is built into the execution."""
_VALUE = re.compile(r"(said|location of|name of|the|word) (\S.*)", re.ASCII)

Kind: TypeAlias = Literal[
    "text", "texts", "place", "places", "point", "count", "clock", "dates", "choice", "choices"
]
Verb: TypeAlias = Literal["said", "location of", "name of", "the", "word"]


class InvalidProgramsError(PlanspecError, ValueError):
    """The programs refer to something that does not exist."""


@dataclass(frozen=True, slots=True)
class Value:
    """Template of a value.

    Attributes:
        verb: `said`, `location of` and `name of` take a slot, `the` takes a reading, `word` is a constant.
        of: the slot, the reading, or the constant.
    """

    verb: Verb
    of: Any  # a constant is any JSON


def _value(written: Any) -> Value:
    if not isinstance(written, str):
        return Value("word", written)
    match = _VALUE.fullmatch(written)
    if match is None:
        raise ValueError(f"`{written}` does not begin with said, location of, name of, the, or word")
    verb: Any = match[1]
    return Value(verb, match[2])


Template: TypeAlias = Annotated[Value, BeforeValidator(_value)]
Test: TypeAlias = bool | str | tuple[str, ...]
"""Test of a slot: it is filled, it is empty, or it has this word or one of these."""


class ProgramModel(BaseModel):
    """Part of the programs."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)


class Slot(ProgramModel):
    """A slot of a query.

    Attributes:
        kind: kind of its values.
        says: its meaning, for a reader.
        words: words of a choice.
        unsaid: default value.
        least: least value of a count.
        most: greatest value of a count.
        step: atomic step that it requires.
    """

    kind: Kind
    says: str
    words: tuple[str, ...] = ()
    unsaid: str | None = None
    least: int = Field(default=0, alias="from")
    most: int = Field(default=50_000, alias="to")
    step: str | None = None


class PlaceLookup(ProgramModel):
    """Lookup of the location of a named place."""

    ask: str
    arguments: dict[str, Template]


class PlannedWay(ProgramModel):
    """Planning of a way by one travel mode.

    Attributes:
        ask: the tool.
        arguments: arguments of each call.
        preferences: preferences that the tool supports.
        tells: figures that its routes show.
        vehicles: vehicles in the library.
        legs: whether the tool takes no stops on the way.
        one_leg: slots that are possible only if the way is planned in one call.
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
        """Slots that such a way can have."""
        taken = {name for value in self.arguments.values() for name in slots_of(value)}
        return frozenset(taken | ({"via"} if self.legs else set()))


class Find(ProgramModel):
    """Resolve the places of these slots if they are filled."""

    find: tuple[str, ...]


class Ask(ProgramModel):
    """Call a tool if the condition holds."""

    ask: str
    when: dict[str, Test] = Field(default_factory=dict)
    arguments: dict[str, Template]


class PlanWay(ProgramModel):
    """Plan the way from origin to destination by the mode, without the slots in `without`."""

    plan: Literal["way"]
    without: tuple[str, ...] = ()


Action: TypeAlias = Find | Ask | PlanWay
Given: TypeAlias = dict[str, Template]


class Variant(ProgramModel):
    """Program for some of the forms of a scenario."""

    when: dict[str, Test] = Field(default_factory=dict)
    does: tuple[Action, ...]
    steps: tuple[str, ...] = ()
    given: Given = Field(default_factory=dict)
    given_for: dict[str, dict[str, Given]] = Field(default_factory=dict)
    otherwise: Given = Field(default_factory=dict)

    @property
    def chosen(self) -> frozenset[str]:
        """Slots whose words select this variant."""
        return frozenset(name for name, test in self.when.items() if not isinstance(test, bool))

    @property
    def read(self) -> frozenset[str]:
        """Slots that affect what is read from the results."""
        return frozenset(s for value in self.templates() if value.verb == "the" for s in slots_of(value))

    def templates(self) -> Iterator[Value]:
        """Yield the templates of all givens."""
        for given in (
            self.given,
            self.otherwise,
            *(g for by in self.given_for.values() for g in by.values()),
        ):
            yield from given.values()


class Program(ProgramModel):
    """Programs of a scenario: required slots, optional slots, and variants, of which the first fit runs."""

    needs: tuple[str, ...] = ()
    may: tuple[str, ...] = ()
    variants: tuple[Variant, ...]

    @property
    def slots(self) -> tuple[str, ...]:
        """All slots of the scenario."""
        return (*self.needs, *self.may)


class Programs(ProgramModel):
    """The whole file."""

    slots: dict[str, Slot]
    find: PlaceLookup
    ways: dict[str, PlannedWay]
    programs: dict[Scenario, Program]


@cache
def all_programs() -> Programs:
    """Return the published programs.

    Raises:
        InvalidProgramsError: they refer to a slot, tool, argument, reading or step that does not exist.
    """
    return read_programs(
        files("planspec.families.mobilitybench").joinpath("data").joinpath(FILE).read_text(encoding="utf-8")
    )


def read_programs(text: str) -> Programs:
    """Parse programs.

    Raises:
        InvalidProgramsError: the text holds no programs, or they refer to a slot, tool, argument, reading or
            step that does not exist.
    """
    try:
        programs = Programs.model_validate(parsed(text))
    except (ValidationError, yaml.YAMLError) as error:
        raise InvalidProgramsError(str(error)) from None
    for fault in _faults(programs):
        raise InvalidProgramsError(fault)
    return programs


def slots_of(value: Value) -> frozenset[str]:
    """Return the slots that a template uses."""
    match value.verb:
        case "said" | "location of" | "name of":
            return frozenset({value.of})
        case "the":
            reading = READINGS.get(value.of)
            return frozenset() if reading is None else reading.uses
        case "word":
            return frozenset()


# ------------------------------------------------------------------ faults


def _faults(programs: Programs) -> Iterator[str]:
    slots = set(programs.slots)
    yield from _unknown("slots", "slot", BY_NAME, slots)
    missing = [scenario.value for scenario in Scenario if scenario not in programs.programs]
    if missing:
        yield f"`{missing[0]}` has no program"
    for name, slot in programs.slots.items():
        if slot.step is not None and slot.step not in atomic_steps():
            yield f"slot `{name}`: there is no step `{slot.step}`"
        if bool(slot.words) != (slot.kind in {"choice", "choices"}):
            yield f"slot `{name}`: a choice has words, and nothing else has"
    yield from _call("find", programs.find.ask, programs.find.arguments, slots)
    if set(programs.slots["mode"].words) != set(programs.ways):
        yield "slot `mode`: its words are not the ways"
    for name, way in programs.ways.items():
        yield from _call(f"way `{name}`", way.ask, way.arguments, slots)
        yield from _unknown(f"way `{name}`", "slot", way.one_leg, slots)
        yield from _unknown(
            f"way `{name}`", "preference", way.preferences, programs.slots["preferences"].words
        )
        yield from _unknown(f"way `{name}`", "figure", way.tells, programs.slots["asked"].words)
    for scenario, program in programs.programs.items():
        yield from _unknown(scenario.value, "slot", program.slots, slots)
        for variant in program.variants:
            yield from (f"{scenario.value}: {fault}" for fault in _variant(programs, variant))
        unused = [s for s in program.slots if not any(s in _used(programs, v) for v in program.variants)]
        if unused:
            yield f"{scenario.value}: nothing makes use of slot `{unused[0]}`"


def _variant(programs: Programs, variant: Variant) -> Iterator[str]:
    slots, located = (
        set(programs.slots),
        {name for name, slot in programs.slots.items() if slot.kind == "point"},
    )
    yield from _when(programs, variant.when)
    yield from _unknown("steps", "step", variant.steps, atomic_steps())
    for action in variant.does:
        match action:
            case Find():
                yield from _unknown("find", "slot", action.find, slots)
                located |= set(action.find)
            case Ask():
                yield from _when(programs, action.when)
                yield from _call(action.ask, action.ask, action.arguments, slots)
                required = {v.of for v in action.arguments.values() if v.verb == "location of"}
                yield from _unknown(action.ask, "found place", required, located)
            case PlanWay():
                yield from _unknown("plan", "slot", action.without, slots)
                yield from _unknown("plan", "found place", ("origin", "destination"), located)
    for value in variant.templates():
        yield from _template("given", value, slots)
    for slot, by_word in variant.given_for.items():
        yield from _unknown("given_for", "slot", (slot,), slots)
        yield from _unknown(f"given_for {slot}", "word", by_word, programs.slots[slot].words)


def _when(programs: Programs, when: Mapping[str, Test]) -> Iterator[str]:
    yield from _unknown("when", "slot", when, set(programs.slots) | DERIVED)
    for name, test in when.items():
        if not isinstance(test, bool):
            words = (test,) if isinstance(test, str) else test
            yield from _unknown(f"when {name}", "word", words, programs.slots[name].words)


def _call(at: str, tool: str, arguments: Mapping[str, Value], slots: Iterable[str]) -> Iterator[str]:
    if tool not in TOOLS:
        yield f"{at}: there is no tool `{tool}`"
        return
    fields = TOOLS[tool][0].model_fields
    yield from _unknown(at, f"argument of {tool}", arguments, fields)
    lacking = [name for name, field in fields.items() if field.is_required() and name not in arguments]
    if lacking:
        yield f"{at}: {tool} needs `{lacking[0]}`"
    for name, value in arguments.items():
        yield from _template(at, value, slots)
        if value.verb == "word" and name in fields:
            kind: TypeAdapter[Any] = TypeAdapter(fields[name].rebuild_annotation())
            try:
                kind.validate_python(value.of)
            except ValidationError:
                yield f"{at}: `{value.of}` is no `{name}` of {tool}"


def _template(at: str, value: Value, slots: Iterable[str]) -> Iterator[str]:
    match value.verb:
        case "said" | "location of" | "name of":
            yield from _unknown(at, "slot", (value.of,), slots)
        case "the":
            yield from _unknown(at, "reading", (value.of,), READINGS)
        case "word":
            return


def _unknown(at: str, what: str, references: Iterable[str], existing: Iterable[str]) -> Iterator[str]:
    names = set(existing)
    yield from (f"{at}: there is no {what} `{name}`" for name in references if name not in names)


def _used(programs: Programs, variant: Variant) -> set[str]:
    """Return the slots that a variant can use."""
    used = set(variant.given_for) | variant.chosen | variant.read
    for action in variant.does:
        match action:
            case Find():
                used |= set(action.find)
                used |= {"city"}
            case Ask():
                used |= {name for value in action.arguments.values() for name in slots_of(value)}
                used |= {"days"} if DERIVED & set(action.when) else set()
            case PlanWay():
                used |= {"mode"}.union(*(way.slots for way in programs.ways.values()))
    return used
