"""Tool calls of an agent's runs and of reference programs, in one comparable form with canonical arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, TypeAlias

from pydantic import TypeAdapter, ValidationError

from planspec.agents.tools import Arguments
from planspec.families.mobilitybench.calls import TOOLS, canonical_arguments, drop_fastest
from planspec.families.mobilitybench.episode import TOOLS as PUBLIC_NAMES
from planspec.families.mobilitybench.episode import Episode, StandardCall
from planspec.families.mobilitybench.public.translation import UntranslatableCall, translate_call
from planspec.traces.record import Call

Values: TypeAlias = Mapping[str, Any]  # canonical values of arguments, which are of many types


@dataclass(frozen=True, slots=True)
class RunCall:
    """A tool call of a run or a reference program, checked against the tool's schema.

    Attributes:
        tool: name of one of the ten tools; None if the call names another tool.
        name: name of the tool as written in the call.
        values: canonical values of the valid arguments.
        faults: violations of the tool's schema, each as `argument: fault`; empty for a valid call.
    """

    tool: str | None
    name: str
    values: Values
    faults: tuple[str, ...] = ()


def read_call(call: Call, *, public: bool) -> RunCall:
    """Check a run's call against its tool's schema.

    Args:
        call: the call in the trace.
        public: whether the episode is from the public table. Its runs may also use the public toolkit's names of
            tools and arguments.
    """
    name = call.name or ""
    tool = name if name in TOOLS else PUBLIC_NAMES.get(name) if public else None
    if tool is None:
        return RunCall(None, name, {}, ("no such tool",))
    if call.arguments is None:
        return RunCall(tool, name, {}, ("arguments: no object",))
    faults = ("arguments: written twice",) if call.fault else ()
    parsed = _check_call(tool, name, call.arguments, is_own_map=not public) if name in TOOLS else None
    if public and name in PUBLIC_NAMES and (parsed is None or parsed.faults):
        parsed = _read_public_call(tool, name, call.arguments)
    assert parsed is not None
    return RunCall(tool, name, parsed.values, faults + parsed.faults) if faults else parsed


def _read_public_call(tool: str, name: str, arguments: Values) -> RunCall:
    translation = translate_call(name, arguments)
    if not isinstance(translation, UntranslatableCall):
        return _check_call(translation[0], name, translation[1])
    # a strategy that only the public tools have is valid, and the comparison of arguments ignores it
    faults = () if translation.cause == "counterpart" else ("strategy: no such choice",)
    rest = translate_call(name, {key: value for key, value in arguments.items() if key != "strategy"})
    if isinstance(rest, UntranslatableCall):
        return RunCall(tool, name, {}, faults)
    parsed = _check_call(rest[0], name, rest[1])
    return RunCall(tool, name, parsed.values, faults + parsed.faults)


def _check_call(tool: str, name: str, arguments: Values, *, is_own_map: bool = False) -> RunCall:
    """Check a call of one of our tools.

    Args:
        tool: our name of the tool.
        name: name of the tool as written in the call.
        arguments: arguments in our form.
        is_own_map: whether our own map answers the call. Arguments with their default value are then dropped.
    """
    model = TOOLS[tool][0]
    try:
        arguments_key = canonical_arguments(model.model_validate(arguments))
        return RunCall(tool, name, dict(drop_fastest(arguments_key) if is_own_map else arguments_key))
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_input=False, include_context=False)
    faults = tuple(
        dict.fromkeys(
            f"{fault['loc'][0] if fault['loc'] else 'arguments'}: {_fault_kind(fault['type'])}" for fault in wrong
        )
    )
    return RunCall(tool, name, _valid_arguments(tool, arguments), faults)


def _fault_kind(type_: str) -> str:
    """Return a short name of a pydantic error type, under which such faults are counted."""
    words = {"missing": "missing", "extra_forbidden": "unknown argument", "value_error": "wrong value"}
    if type_ in words:
        return words[type_]
    if type_.endswith(("_type", "_parsing")):
        return "wrong type"
    return "out of range" if type_.startswith(("greater", "less", "too_", "string_too")) else "wrong value"


def _valid_arguments(tool: str, arguments: Values) -> Values:
    """Return the canonical values of the valid arguments of an invalid call."""
    fields, model = _argument_adapters(tool), TOOLS[tool][0]
    valid_values: dict[str, Any] = {}
    for argument, value in arguments.items():
        if argument in fields:
            try:
                valid_values[argument] = fields[argument].validate_python(value)
            except ValidationError:
                continue
    filled = {key: valid_values.get(key) for key in model.model_fields}
    valid = dict(canonical_arguments(model.model_construct(None, **filled)))
    return {key: value for key, value in valid.items() if key in valid_values}


@cache
def _argument_adapters(tool: str) -> Mapping[str, TypeAdapter[Any]]:
    model: type[Arguments] = TOOLS[tool][0]
    adapters: dict[str, TypeAdapter[Any]] = {}
    for name, field in model.model_fields.items():
        kind: Any = field.annotation  # the type is built at run time
        for constraint in field.metadata:
            kind = Annotated[kind, constraint]
        adapters[name] = TypeAdapter(kind)
    return adapters


def program_calls(episode: Episode) -> tuple[RunCall, ...]:
    """Return the calls of the episode's reference program.

    If arguments of a call violate the schema, `values` is empty, so none of its arguments are compared.
    """
    recorded = {
        call.call: call.arguments for call in episode.snapshot if call.call is not None and call.arguments is not None
    }
    return tuple(
        _program_call(call, recorded.get(place), public=episode.source is not None)
        for place, call in enumerate(episode.program)
    )


def _program_call(call: StandardCall, recorded: Values | None, *, public: bool) -> RunCall:
    if recorded is not None and call.tool in TOOLS:
        parsed = _check_call(call.tool, call.name, recorded, is_own_map=not public)
    else:
        parsed = read_call(Call(name=call.name, arguments=dict(call.arguments)), public=public)
    if parsed.faults and call.tool in TOOLS:
        parsed = read_call(Call(name=call.tool, arguments=dict(call.arguments)), public=public)
    if parsed.faults:
        return RunCall(parsed.tool, call.name, {})
    defaults = _public_defaults(call.name) if public else {}
    values = {name: value for name, value in parsed.values.items() if name not in defaults or defaults[name] != value}
    return RunCall(parsed.tool, call.name, values)


@cache
def _public_defaults(name: str) -> Values:
    """Return the default values of a public tool, by argument, that differ from the defaults of our tool."""
    translation = translate_call(name, {})
    return (
        {} if isinstance(translation, UntranslatableCall) else _check_call(translation[0], name, translation[1]).values
    )
