"""A run's calls and a program's calls in one form: by tool, with arguments of which equal ones are equal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, TypeAlias

from pydantic import TypeAdapter, ValidationError

from planspec.agents.tools import Arguments
from planspec.families.mobilitybench.calls import TOOLS, canonical, plain
from planspec.families.mobilitybench.episode import TOOLS as PUBLIC_NAMES
from planspec.families.mobilitybench.episode import Episode, StandardCall
from planspec.families.mobilitybench.public.translation import Untranslated, translated
from planspec.traces.record import Call

Values: TypeAlias = Mapping[str, Any]  # canonical values of arguments, which are of many types


@dataclass(frozen=True, slots=True)
class RunCall:
    """A call that a run made.

    Attributes:
        tool: which of the ten it is; None where it is none of them.
        name: as the run calls it.
        values: the canonical values of the arguments that are right, each for itself.
        faults: what the tool's schema has against the call: `argument: fault` each; nothing of a right one.
    """

    tool: str | None
    name: str
    values: Values
    faults: tuple[str, ...] = ()


def made_of(call: Call, *, public: bool) -> RunCall:
    """A run's call, read by its tool's schema.

    Args:
        call: as the trace has it.
        public: the episode is one of the public table, whose tools and arguments may have the public toolkit's names,
            too.
    """
    name = call.name or ""
    tool = name if name in TOOLS else PUBLIC_NAMES.get(name) if public else None
    if tool is None:
        return RunCall(None, name, {}, ("no such tool",))
    if call.arguments is None:
        return RunCall(tool, name, {}, ("arguments: no object",))
    faults = ("arguments: written twice",) if call.fault else ()
    made = _read(tool, name, call.arguments, own=not public) if name in TOOLS else None
    if public and name in PUBLIC_NAMES and (made is None or made.faults):
        made = _public(tool, name, call.arguments)
    assert made is not None
    return RunCall(tool, name, made.values, faults + made.faults) if faults else made


def _public(tool: str, name: str, arguments: Values) -> RunCall:
    said = translated(name, arguments)
    if not isinstance(said, Untranslated):
        return _read(said[0], name, said[1])
    # a choice that only the public tools have is right there; its arguments are compared without it
    faults = () if said.cause == "counterpart" else ("strategy: no such choice",)
    rest = translated(name, {key: value for key, value in arguments.items() if key != "strategy"})
    if isinstance(rest, Untranslated):
        return RunCall(tool, name, {}, faults)
    made = _read(rest[0], name, rest[1])
    return RunCall(tool, name, made.values, faults + made.faults)


def _read(tool: str, name: str, arguments: Values, *, own: bool = False) -> RunCall:
    """A call of one of our tools; with `own` it is one of our own map, whose defaults are known."""
    model = TOOLS[tool][0]
    try:
        said = canonical(model.model_validate(arguments))
        return RunCall(tool, name, dict(plain(said) if own else said))
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_input=False, include_context=False)
    faults = tuple(
        dict.fromkeys(
            f"{fault['loc'][0] if fault['loc'] else 'arguments'}: {_kind(fault['type'])}" for fault in wrong
        )
    )
    return RunCall(tool, name, _right(tool, arguments), faults)


def _kind(type_: str) -> str:
    """The kind of a fault, in words that are few enough to be counted."""
    known = {"missing": "missing", "extra_forbidden": "unknown argument", "value_error": "wrong value"}
    if type_ in known:
        return known[type_]
    if type_.endswith(("_type", "_parsing")):
        return "wrong type"
    return "out of range" if type_.startswith(("greater", "less", "too_", "string_too")) else "wrong value"


def _right(tool: str, arguments: Values) -> Values:
    """The canonical values of those arguments that are right, each for itself, of a call that is not."""
    fields, model = _fields(tool), TOOLS[tool][0]
    right: dict[str, Any] = {}
    for argument, value in arguments.items():
        if argument in fields:
            try:
                right[argument] = fields[argument].validate_python(value)
            except ValidationError:
                continue
    filled = {key: right.get(key) for key in model.model_fields}
    made = dict(canonical(model.model_construct(None, **filled)))
    return {key: value for key, value in made.items() if key in right}


@cache
def _fields(tool: str) -> Mapping[str, TypeAdapter[Any]]:
    model: type[Arguments] = TOOLS[tool][0]
    made: dict[str, TypeAdapter[Any]] = {}
    for name, field in model.model_fields.items():
        kind: Any = field.annotation  # a type that is known when this runs
        for one in field.metadata:
            kind = Annotated[kind, one]
        made[name] = TypeAdapter(kind)
    return made


def wanted_of(episode: Episode) -> tuple[RunCall, ...]:
    """The calls of the episode's program.

    A call whose arguments are not known in the schema's form has no values, and none are compared.
    """
    recorded = {
        call.call: call.arguments
        for call in episode.snapshot
        if call.call is not None and call.arguments is not None
    }
    return tuple(
        _wanted(call, recorded.get(place), public=episode.source is not None)
        for place, call in enumerate(episode.program)
    )


def _wanted(call: StandardCall, recorded: Values | None, *, public: bool) -> RunCall:
    if recorded is not None and call.tool in TOOLS:
        made = _read(call.tool, call.name, recorded, own=not public)
    else:
        made = made_of(Call(name=call.name, arguments=dict(call.arguments)), public=public)
    if made.faults and call.tool in TOOLS:
        made = made_of(Call(name=call.tool, arguments=dict(call.arguments)), public=public)
    if made.faults:
        return RunCall(made.tool, call.name, {})
    unsaid = _unsaid(call.name) if public else {}
    values = {
        name: value for name, value in made.values.items() if name not in unsaid or unsaid[name] != value
    }
    return RunCall(made.tool, call.name, values)


@cache
def _unsaid(name: str) -> Values:
    """The defaults of a public tool, where they differ from ours."""
    said = translated(name, {})
    return {} if isinstance(said, Untranslated) else _read(said[0], name, said[1]).values
