"""The standard tool programs as they stand in `data/programs.yaml`, read and checked: what names nothing is an error here."""

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
"""The conditions beside slots on which a call can depend: the weather of today, or of another day, is asked
for."""
BY_NAME = ("place", "origin", "destination", "via", "mode", "preferences", "asked", "depart_at")
"""Slots of which executing knows what they mean."""
_VALUE = re.compile(r"(said|location of|name of|the|word) (\S.*)", re.ASCII)

Kind: TypeAlias = Literal[
    "text", "texts", "place", "places", "point", "count", "clock", "dates", "choice", "choices"
]
Verb: TypeAlias = Literal["said", "location of", "name of", "the", "word"]


class InvalidProgramsError(PlanspecError, ValueError):
    """The programs name something that is not there."""


@dataclass(frozen=True, slots=True)
class Value:
    """A template: how a value is made.

    Attributes:
        verb: `said`, `location of` and `name of` are of a slot, `the` is a reading, `word` stands for itself.
        of: the slot, the reading, or the constant.
    """

    verb: Verb
    of: Any  # a constant is any JSON


def _value(written: Any) -> Value:
    if not isinstance(written, str):
        return Value("word", written)
    found = _VALUE.fullmatch(written)
    if found is None:
        raise ValueError(f"`{written}` does not begin with said, location of, name of, the, or word")
    verb: Any = found[1]
    return Value(verb, found[2])


Template: TypeAlias = Annotated[Value, BeforeValidator(_value)]
Test: TypeAlias = bool | str | tuple[str, ...]
"""A test of a slot: it is given, it is not, or it has this word, or one of these."""


class ProgramModel(BaseModel):
    """A part of the programs."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)


class Slot(ProgramModel):
    """A slot of a query.

    Attributes:
        kind: of its values.
        says: what it says, for a reader.
        words: of a choice.
        unsaid: what stands for it where it is left out.
        least: of a count.
        most: of a count.
        step: the atomic step that it asks for.
    """

    kind: Kind
    says: str
    words: tuple[str, ...] = ()
    unsaid: str | None = None
    least: int = Field(default=0, alias="from")
    most: int = Field(default=50_000, alias="to")
    step: str | None = None


class PlaceLookup(ProgramModel):
    """The way in which a named place becomes a location."""

    ask: str
    arguments: dict[str, Template]


class Way(ProgramModel):
    """The planning of a way by one means of travel.

    Attributes:
        ask: the tool.
        arguments: of the call, or of each.
        preferences: that the tool knows.
        tells: what can be asked of its routes.
        vehicles: of the library.
        legs: the tool takes no places on the way.
        one_leg: slots that can be said of a way in one call only.
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
        """The slots that such a way can have."""
        taken = {name for value in self.arguments.values() for name in slots_of(value)}
        return frozenset(taken | ({"via"} if self.legs else set()))


class Find(ProgramModel):
    """Find the places of these slots, as far as they are said."""

    find: tuple[str, ...]


class Ask(ProgramModel):
    """Call a tool, if the condition holds."""

    ask: str
    when: dict[str, Test] = Field(default_factory=dict)
    arguments: dict[str, Template]


class Plan(ProgramModel):
    """Plan the way from origin to destination by the mode; the call is not told what is `without`."""

    plan: Literal["way"]
    without: tuple[str, ...] = ()


Action: TypeAlias = Find | Ask | Plan
Given: TypeAlias = dict[str, Template]


class Variant(ProgramModel):
    """A program for some of the ways in which a scenario is asked."""

    when: dict[str, Test] = Field(default_factory=dict)
    does: tuple[Action, ...]
    steps: tuple[str, ...] = ()
    given: Given = Field(default_factory=dict)
    given_for: dict[str, dict[str, Given]] = Field(default_factory=dict)
    otherwise: Given = Field(default_factory=dict)

    @property
    def chosen(self) -> frozenset[str]:
        """The slots whose words decide that it is this variant."""
        return frozenset(name for name, test in self.when.items() if not isinstance(test, bool))

    @property
    def read(self) -> frozenset[str]:
        """The slots on which depends what is read from the results."""
        return frozenset(s for value in self.templates() if value.verb == "the" for s in slots_of(value))

    def templates(self) -> Iterator[Value]:
        """All that is given."""
        for given in (
            self.given,
            self.otherwise,
            *(g for by in self.given_for.values() for g in by.values()),
        ):
            yield from given.values()


class Program(ProgramModel):
    """The programs of a scenario: slots that must be said, slots that may be, and variants of which the first fits."""

    needs: tuple[str, ...] = ()
    may: tuple[str, ...] = ()
    variants: tuple[Variant, ...]

    @property
    def slots(self) -> tuple[str, ...]:
        """All that can be said."""
        return (*self.needs, *self.may)


class Programs(ProgramModel):
    """The whole file."""

    slots: dict[str, Slot]
    find: PlaceLookup
    ways: dict[str, Way]
    programs: dict[Scenario, Program]


@cache
def all_programs() -> Programs:
    """The published programs.

    Raises:
        InvalidProgramsError: they name a slot, tool, argument, reading or step that there is not.
    """
    return read_programs(
        files("planspec.families.mobilitybench").joinpath("data").joinpath(FILE).read_text(encoding="utf-8")
    )


def read_programs(text: str) -> Programs:
    """Programs of their text.

    Raises:
        InvalidProgramsError: they are none, or name a slot, tool, argument, reading or step that there is not.
    """
    try:
        made = Programs.model_validate(parsed(text))
    except (ValidationError, yaml.YAMLError) as error:
        raise InvalidProgramsError(str(error)) from None
    for fault in _faults(made):
        raise InvalidProgramsError(fault)
    return made


def slots_of(value: Value) -> frozenset[str]:
    """The slots of which a template makes use."""
    match value.verb:
        case "said" | "location of" | "name of":
            return frozenset({value.of})
        case "the":
            reading = READINGS.get(value.of)
            return frozenset() if reading is None else reading.uses
        case "word":
            return frozenset()


# ------------------------------------------------------------------ what may be wrong


def _faults(made: Programs) -> Iterator[str]:
    known = set(made.slots)
    yield from _unknown("slots", "slot", BY_NAME, known)
    missing = [scenario.value for scenario in Scenario if scenario not in made.programs]
    if missing:
        yield f"`{missing[0]}` has no program"
    for name, slot in made.slots.items():
        if slot.step is not None and slot.step not in atomic_steps():
            yield f"slot `{name}`: there is no step `{slot.step}`"
        if bool(slot.words) != (slot.kind in {"choice", "choices"}):
            yield f"slot `{name}`: a choice has words, and nothing else has"
    yield from _call("find", made.find.ask, made.find.arguments, known)
    if set(made.slots["mode"].words) != set(made.ways):
        yield "slot `mode`: its words are not the ways"
    for name, way in made.ways.items():
        yield from _call(f"way `{name}`", way.ask, way.arguments, known)
        yield from _unknown(f"way `{name}`", "slot", way.one_leg, known)
        yield from _unknown(f"way `{name}`", "preference", way.preferences, made.slots["preferences"].words)
        yield from _unknown(f"way `{name}`", "figure", way.tells, made.slots["asked"].words)
    for scenario, program in made.programs.items():
        yield from _unknown(scenario.value, "slot", program.slots, known)
        for variant in program.variants:
            yield from (f"{scenario.value}: {fault}" for fault in _variant(made, variant))
        unused = [s for s in program.slots if not any(s in _used(made, v) for v in program.variants)]
        if unused:
            yield f"{scenario.value}: nothing makes use of slot `{unused[0]}`"


def _variant(made: Programs, variant: Variant) -> Iterator[str]:
    known, located = set(made.slots), {name for name, slot in made.slots.items() if slot.kind == "point"}
    yield from _when(made, variant.when)
    yield from _unknown("steps", "step", variant.steps, atomic_steps())
    for action in variant.does:
        match action:
            case Find():
                yield from _unknown("find", "slot", action.find, known)
                located |= set(action.find)
            case Ask():
                yield from _when(made, action.when)
                yield from _call(action.ask, action.ask, action.arguments, known)
                wanted = {v.of for v in action.arguments.values() if v.verb == "location of"}
                yield from _unknown(action.ask, "found place", wanted, located)
            case Plan():
                yield from _unknown("plan", "slot", action.without, known)
                yield from _unknown("plan", "found place", ("origin", "destination"), located)
    for value in variant.templates():
        yield from _template("given", value, known)
    for slot, by_word in variant.given_for.items():
        yield from _unknown("given_for", "slot", (slot,), known)
        yield from _unknown(f"given_for {slot}", "word", by_word, made.slots[slot].words)


def _when(made: Programs, when: Mapping[str, Test]) -> Iterator[str]:
    yield from _unknown("when", "slot", when, set(made.slots) | DERIVED)
    for name, test in when.items():
        if not isinstance(test, bool):
            words = (test,) if isinstance(test, str) else test
            yield from _unknown(f"when {name}", "word", words, made.slots[name].words)


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


def _unknown(at: str, what: str, named: Iterable[str], known: Iterable[str]) -> Iterator[str]:
    there = set(known)
    yield from (f"{at}: there is no {what} `{name}`" for name in named if name not in there)


def _used(made: Programs, variant: Variant) -> set[str]:
    """The slots of which a variant can make use."""
    used = set(variant.given_for) | variant.chosen | variant.read
    for action in variant.does:
        match action:
            case Find():
                used |= set(action.find)
                used |= {"city"}
            case Ask():
                used |= {name for value in action.arguments.values() for name in slots_of(value)}
                used |= {"days"} if DERIVED & set(action.when) else set()
            case Plan():
                used |= {"mode"}.union(*(way.slots for way in made.ways.values()))
    return used
