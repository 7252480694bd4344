"""Parsing of an answer's JSON, with exact numbers, limits on size and depth, and findings on duplicate names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property, partial, reduce
from itertools import accumulate
from typing import Any, TypeAlias

from planspec.dsl.resources.limits import ANSWER_ITEMS, ANSWER_NAME, ANSWER_VALUES, DEPTH
from planspec.dsl.yaml.json_text import decoder, has_lone_surrogate
from planspec.verifiers.answers.findings import FindingLog, ShapeFinding, pointer

_Path: TypeAlias = "tuple[_Path, str | int] | None"
"""Path of a value: the path of the list or object that contains it, and its index or name there.

The path of the top-level value is None.
"""
COLLECTION = (Mapping, list, tuple)
"""Python types of JSON objects and lists."""
_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_BRACKET = re.compile(r"[\[\]{}]")
_LONGEST_WHOLE = 400  # digits; longer whole numbers stay Decimals, since int() rejects thousands of digits


class RefusedTextError(ValueError):
    """The JSON exceeds a limit on size or depth, or has a lone surrogate."""


@dataclass(frozen=True, slots=True)
class ParsedJson:
    """JSON parsed from an answer's text.

    Attributes:
        value: the value; numbers are int or Decimal.
        findings: one finding for each duplicate name in an object.
        alone: whether the text contains nothing but the JSON.
    """

    value: Any
    findings: tuple[ShapeFinding, ...]
    alone: bool = field(default=True, compare=False)


class _ObjectWithDuplicates(dict[str, Any]):
    """A JSON object with duplicate names. For each name, the last value is stored.

    Attributes:
        repeated: the duplicate names.
    """

    repeated: tuple[str, ...] = ()


def _plain_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the members of a JSON object as a dict, if no name is duplicate or too long.

    Raises:
        ValueError: a name is duplicate or too long, so that the general parser must be used.
    """
    members = dict(pairs)
    if len(members) < len(pairs) or (members and len(max(members, key=len)) > ANSWER_NAME):
        raise ValueError("a name stands twice, or is long")
    return members


def parse_plain(text: str) -> ParsedJson | None:
    """Parse short text that consists only of JSON without faults. Return None for other text (see `JsonParser`)."""
    if not _is_short(text) or _may_have_surrogates(text):
        return None
    try:
        value = _PLAIN_DECODER.decode(text)
    except (ValueError, RecursionError, ArithmeticError):
        return None
    return ParsedJson(value, ()) if _brackets(text) <= DEPTH or _depth(text) <= DEPTH else None


class JsonParser:
    """Parser of the JSON in a text.

    Args:
        text: the whole text.
    """

    def __init__(self, text: str) -> None:
        self._repeats: list[_ObjectWithDuplicates] = []
        self._decoder = decoder(exact=True, pairs=partial(_checked_object, self._repeats), whole=_parse_number)
        self._text = text

    def whole(self, text: str) -> ParsedJson:
        """Parse text that consists of one JSON value.

        Raises:
            ValueError: the text is not JSON, or exceeds a limit.
            RecursionError: the JSON is nested too deeply.
            ArithmeticError: a number cannot be read.
        """
        return self._read(self._decoder.decode(text))

    def part(self, text: str, start: int) -> tuple[ParsedJson, int]:
        """Parse the JSON value at offset `start`, and return it with the offset of its end.

        Raises:
            ValueError: the text is not JSON, or exceeds a limit.
            RecursionError: the JSON is nested too deeply.
            ArithmeticError: a number cannot be read.
        """
        value, end = self._decoder.raw_decode(text, start)
        return self._read(value), end

    @cached_property
    def _is_plain(self) -> bool:
        return _is_plain(self._text)

    def _read(self, value: Any) -> ParsedJson:
        return ParsedJson(value, ()) if self._is_plain and not self._repeats else check_json(value)


def _checked_object(repeats: list[_ObjectWithDuplicates], pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the members of a JSON object as a dict. If names are duplicate, also append this dict to `repeats`."""
    members = dict(pairs)
    if len(members) == len(pairs):
        return members
    repeated = _ObjectWithDuplicates(members)
    repeated.repeated = tuple(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
    repeats.append(repeated)
    return repeated


def _is_plain(text: str) -> bool:
    """Return whether JSON text certainly respects all limits and has no lone surrogate. False means unknown.

    Only text whose escapes are all numeric is accepted. No string then contains an escaped quote, so the distance
    between two quotes is an upper bound on the length of every string.
    """
    return _is_bounded(text) and (len(text) <= ANSWER_NAME or max(map(len, text.split('"'))) <= ANSWER_NAME)


def _is_bounded(text: str) -> bool:
    """Return whether JSON text certainly respects all limits except the limit on the length of names."""
    return (
        _is_short(text)
        and _brackets(text) <= DEPTH
        and text.count("\\") == text.count("\\u")
        and not _may_have_surrogates(text)
    )


def _is_short(text: str) -> bool:
    """Return whether text is too short to contain more values and items than allowed."""
    return len(text) < min(ANSWER_ITEMS, ANSWER_VALUES)


def _may_have_surrogates(text: str) -> bool:
    """Return whether text has a lone surrogate, or an escape that may be half of a surrogate pair."""
    return ("\\" in text and ("\\ud" in text or "\\uD" in text)) or has_lone_surrogate(text)


def _brackets(text: str) -> int:
    return text.count("[") + text.count("{")


def _depth(text: str) -> int:
    """Return the nesting depth of the lists and objects in JSON text."""
    marks = _BRACKET.findall(_STRING.sub("", text))
    return max(accumulate(1 if mark in "[{" else -1 for mark in marks), default=0)


def _parse_number(text: str) -> int | Decimal:
    return int(text) if len(text) <= _LONGEST_WHOLE else Decimal(text)


_PLAIN_DECODER = decoder(exact=True, pairs=_plain_object, whole=_parse_number)


def check_json(value: Any) -> ParsedJson:
    """Check a value against all limits. Return it with a finding for each duplicate name.

    Raises:
        RefusedTextError: the value is nested too deeply, is too large, or has a lone surrogate, which other
            programs reject.
    """
    findings = FindingLog()
    level: list[tuple[Any, _Path]] = [(value, None)] if isinstance(value, COLLECTION) else []
    count = 0
    for _ in range(DEPTH):
        inner: list[tuple[Any, _Path]] = []
        for item, path in level:
            count += len(item)
            if count > ANSWER_VALUES:
                raise RefusedTextError(f"the answer has more than {ANSWER_VALUES:,} values")
            if isinstance(item, _ObjectWithDuplicates):
                for name in item.repeated:
                    message = f"`{name[:60]}` occurs more than once in one object; the last one counts"
                    findings.add(ShapeFinding("duplicate-name", message, _pointer((path, name))))
            elif not isinstance(item, Mapping) and len(item) > ANSWER_ITEMS:
                raise RefusedTextError(f"the answer has a list of more than {ANSWER_ITEMS:,} items")
            parts: Iterable[tuple[str | int, Any]] = item.items() if isinstance(item, Mapping) else enumerate(item)
            for place, part in parts:
                if isinstance(place, str):
                    check_text(place)
                    if len(place) > ANSWER_NAME:
                        raise RefusedTextError(f"the answer has a name of more than {ANSWER_NAME:,} characters")
                if isinstance(part, str):
                    check_text(part)
                elif not isinstance(part, int | Decimal) and isinstance(part, COLLECTION):
                    inner.append((part, (path, place)))
        level = inner
    if level:
        raise RefusedTextError(f"the answer nests deeper than {DEPTH} levels")
    return ParsedJson(value, findings.all())


def _pointer(path: _Path) -> str:
    """Return the JSON pointer of a path, such as `/visits/0/start`."""
    parts = []
    while path is not None:
        path, part = path
        parts.append(part)
    return reduce(pointer, reversed(parts), "")


def check_text(text: object) -> None:
    """Raise RefusedTextError if a string has a lone surrogate."""
    if isinstance(text, str) and has_lone_surrogate(text):
        raise RefusedTextError("the answer has half of a surrogate pair, which is not valid Unicode")
