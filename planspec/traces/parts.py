"""The parts that readers of every framework share: arguments, results, numbers of tokens, and what is left."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from planspec.dsl.yaml.json_text import DuplicateNameError
from planspec.traces.json_text import load, whole_characters
from planspec.traces.record import Call, Message, Result, Stage, Tokens

INPUT = ("prompt_tokens", "input_tokens")
OUTPUT = ("completion_tokens", "output_tokens")
TOTAL = ("total_tokens",)


@dataclass(slots=True)
class TraceDraft:
    """A trace while it is read."""

    messages: list[Message] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    stages: list[Stage] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def answer(self, place: int, result: Result) -> None:
        """Give a call its result."""
        self.calls[place] = self.calls[place].model_copy(update={"result": result})


def cleaned(record: Any, faults: list[str]) -> Any:
    """The record with whole characters only."""
    whole, mended = whole_characters(record)
    if mended:
        faults.append("halves of surrogate pairs stand in it; U+FFFD stands in their place")
    return whole


def rest(record: Mapping[str, Any], known: Iterable[str]) -> dict[str, Any]:
    """The fields that are not known."""
    taken = set(known)
    return {str(name): value for name, value in record.items() if name not in taken}


def text_or_none(record: Mapping[str, Any], name: str, extra: dict[str, Any]) -> str | None:
    """A field that is a text; what is none goes to the extra fields."""
    value = record.get(name)
    if isinstance(value, str):
        return value
    if value is not None:
        extra[name] = value
    return None


def arguments_of(said: Any) -> tuple[dict[str, Any] | None, str | None, str | None]:
    """Arguments as an object, as text where reading lost something, and what is wrong with them."""
    if isinstance(said, dict):
        return said, None, None
    if not isinstance(said, str):
        kind = "missing" if said is None else f"no object but {type(said).__name__}"
        return (
            None,
            None if said is None else json.dumps(said, ensure_ascii=False),
            f"the arguments are {kind}",
        )
    fault = None
    try:
        value = load(said, twice=False)
    except DuplicateNameError as twice:
        value, fault = load(said), str(twice)
    except ValueError as error:
        return None, said, f"the arguments are no JSON: {' '.join(str(error).split())}"
    value, mended = whole_characters(value)
    if not isinstance(value, dict):
        return None, said, f"the arguments are no object but {type(value).__name__}"
    if mended:
        fault = "halves of surrogate pairs stand in it"
    return value, said if fault else None, fault


def call_of(
    name: Any, said: Any, *, id: Any = None, stage: int | None = None, extra: Mapping[str, Any] | None = None
) -> Call:
    """A call as a framework wrote it."""
    left = dict(extra or {})
    arguments, written, fault = arguments_of(said)
    if name is not None and not isinstance(name, str):
        left["name"] = name
    if id is not None and not isinstance(id, str | int):
        left["id"] = id
    return Call(
        id=str(id) if isinstance(id, str | int) else None, name=name if isinstance(name, str) else None,
        arguments=arguments, written=written, fault=fault, stage=stage, extra=left,
    )  # fmt: skip


def result_of(said: Any) -> Result:
    """A result: JSON where it is JSON, else its text."""
    if not isinstance(said, str):
        return Result(value=said)
    try:
        value, mended = whole_characters(load(said))
    except ValueError:
        return Result(text=said)
    return Result(text=said) if mended else Result(value=value)


def tokens_from(stage: str | None, said: Any, faults: list[str]) -> Tokens:
    """Tokens as providers count them, under either of their names."""
    whose = f"the tokens of {stage}" if stage else "the tokens"
    if not isinstance(said, Mapping):
        faults.append(f"{whose} are no object")
        return Tokens(stage=stage, extra={"said": said})
    extra = rest(said, (*INPUT, *OUTPUT, *TOTAL))
    found: list[int | None] = []
    for names in (INPUT, OUTPUT, TOTAL):
        number = None
        for name in names:
            if name not in said:
                continue
            read = _count(said[name])
            if read is None or number is not None:
                extra[name] = said[name]
                if read is None and said[name] is not None:
                    faults.append(f"{whose}: `{name}` is no count")
            else:
                number = read
        found.append(number)
    return Tokens(stage=stage, input=found[0], output=found[1], total=found[2], extra=extra)


def milliseconds(seconds: Any) -> tuple[int | None, bool]:
    """Seconds in milliseconds, and whether that is exact."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or seconds < 0:
        return None, seconds is None
    exact = Fraction(repr(seconds)) * 1000
    return round(exact), exact.denominator == 1


def _count(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0 or value != int(value):
        return None
    return int(value)
