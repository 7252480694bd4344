"""Helpers for the readers of all frameworks: arguments, results, token counts and remaining fields."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from planspec.dsl.yaml.json_text import DuplicateNameError
from planspec.traces.json_text import load, replace_surrogates
from planspec.traces.record import Call, Message, Result, Stage, Tokens

INPUT = ("prompt_tokens", "input_tokens")
OUTPUT = ("completion_tokens", "output_tokens")
TOTAL = ("total_tokens",)


@dataclass(slots=True)
class TraceDraft:
    """A trace under construction."""

    messages: list[Message] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    stages: list[Stage] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def answer(self, place: int, result: Result) -> None:
        """Set the result of the call with index `place`."""
        self.calls[place] = self.calls[place].model_copy(update={"result": result})


def clean_record(record: Any, faults: list[str]) -> Any:
    """Return a record with lone surrogates replaced. If there were any, a fault is appended."""
    whole, has_surrogates = replace_surrogates(record)
    if has_surrogates:
        faults.append("it contains lone surrogates, which were replaced by U+FFFD")
    return whole


def other_fields(record: Mapping[str, Any], fields: Iterable[str]) -> dict[str, Any]:
    """Return the fields of a record other than those named."""
    taken = set(fields)
    return {str(name): value for name, value in record.items() if name not in taken}


def text_or_none(record: Mapping[str, Any], name: str, extra: dict[str, Any]) -> str | None:
    """Return a field if it is a string, otherwise None. A value of another type is moved to `extra`."""
    value = record.get(name)
    if isinstance(value, str):
        return value
    if value is not None:
        extra[name] = value
    return None


def arguments_of(arguments: Any) -> tuple[dict[str, Any] | None, str | None, str | None]:
    """Decode the arguments of a call.

    Returns:
        The arguments as an object, their text, and a fault; None for each that is absent. The text is present only if
        decoding failed or lost information.
    """
    if isinstance(arguments, dict):
        return arguments, None, None
    if not isinstance(arguments, str):
        kind = "missing" if arguments is None else f"no object but {type(arguments).__name__}"
        return (
            None,
            None if arguments is None else json.dumps(arguments, ensure_ascii=False),
            f"the arguments are {kind}",
        )
    fault = None
    try:
        value = load(arguments, twice=False)
    except DuplicateNameError as error:
        value, fault = load(arguments), str(error)
    except ValueError as error:
        return None, arguments, f"the arguments are no JSON: {' '.join(str(error).split())}"
    value, has_surrogates = replace_surrogates(value)
    if not isinstance(value, dict):
        return None, arguments, f"the arguments are no object but {type(value).__name__}"
    if has_surrogates:
        fault = "it contains lone surrogates"
    return value, arguments if fault else None, fault


def call_of(
    name: Any,
    arguments: Any,
    *,
    id: Any = None,
    stage: int | None = None,
    extra: Mapping[str, Any] | None = None,
) -> Call:
    """Return a call built from a framework's data."""
    left = dict(extra or {})
    parsed, written, fault = arguments_of(arguments)
    if name is not None and not isinstance(name, str):
        left["name"] = name
    if id is not None and not isinstance(id, str | int):
        left["id"] = id
    return Call(
        id=str(id) if isinstance(id, str | int) else None,
        name=name if isinstance(name, str) else None,
        arguments=parsed,
        written=written,
        fault=fault,
        stage=stage,
        extra=left,
    )


def result_of(result: Any) -> Result:
    """Return a result as JSON if it is JSON, else as text."""
    if not isinstance(result, str):
        return Result(value=result)
    try:
        value, has_surrogates = replace_surrogates(load(result))
    except ValueError:
        return Result(text=result)
    return Result(text=result) if has_surrogates else Result(value=value)


def tokens_from(stage: str | None, usage: Any, faults: list[str]) -> Tokens:
    """Return token counts from a provider's usage record, whose fields have various names."""
    subject = f"the tokens of {stage}" if stage else "the tokens"
    if not isinstance(usage, Mapping):
        faults.append(f"{subject} are no object")
        return Tokens(stage=stage, extra={"said": usage})
    extra = other_fields(usage, (*INPUT, *OUTPUT, *TOTAL))
    counts: list[int | None] = []
    for names in (INPUT, OUTPUT, TOTAL):
        number = None
        for name in names:
            if name not in usage:
                continue
            count = _token_count(usage[name])
            if count is None or number is not None:
                extra[name] = usage[name]
                if count is None and usage[name] is not None:
                    faults.append(f"{subject}: `{name}` is no count")
            else:
                number = count
        counts.append(number)
    return Tokens(stage=stage, input=counts[0], output=counts[1], total=counts[2], extra=extra)


def milliseconds(seconds: Any) -> tuple[int | None, bool]:
    """Return a duration in whole milliseconds, and whether it is exact; None if it is not a number."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or seconds < 0:
        return None, seconds is None
    exact = Fraction(repr(seconds)) * 1000
    return round(exact), exact.denominator == 1


def _token_count(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0 or value != int(value):
        return None
    return int(value)
