"""Facts that an agent has observed: records of typed values, parsed from queries, tables, JSON and results of tools."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, Literal, TypeAlias

Kind: TypeAlias = Literal["clock", "day", "moment", "duration", "number", "bool", "text"]
Fields: TypeAlias = Mapping[str, tuple["Value", ...]]
EPOCH = datetime(2000, 1, 1)  # noqa: DTZ001 tasks have local times
DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)
TIME_UNITS = {"min": 1, "minute": 1, "minutes": 1, "h": 60, "hour": 60, "hours": 60}
"""Minutes in a unit of time, by the names of the unit in columns, amounts and sentences."""
WORDS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
NUMBERS = {word: number for number, word in enumerate(WORDS.split())} | {
    "a": 1,
    "an": 1,
    "half an": 0.5,
    "twenty": 20,
    "thirty": 30,
}
SPOKEN = re.compile(rf"\b({'|'.join(sorted(NUMBERS, key=len, reverse=True))}|\d+) (minutes?|hours?)\b", re.IGNORECASE)
CLOCK = re.compile(r"(\d\d?):(\d\d)")
DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)min)?")
NUMBER = re.compile(r"(-?\d+(?:\.\d+)?) ?([A-Za-z%]*)")


@dataclass(frozen=True, slots=True)
class Value:
    """An observed value.

    Attributes:
        kind: kind of the value.
        number: the value as a number: minutes for a time or duration, days since 2000 for a day, 1 or 0 for a Boolean,
            and 0 for a text.
        text: the value as it was observed, and as it is written in calls and plans.
    """

    kind: Kind
    number: float
    text: str


@dataclass(frozen=True, slots=True)
class Record:
    """Values that were observed together, such as a row of a table or an element of a tool's result.

    Attributes:
        source: name of the table, or name of the tool and path in its result, such as `find_shops.shops`.
        fields: values by field; a set has several values.
    """

    source: str
    fields: Fields

    def texts(self) -> Iterator[str]:
        """Yield the values of the kind `text`."""
        for values in self.fields.values():
            for value in values:
                if value.kind == "text":
                    yield value.text


def read_value(name: str, value: Any) -> Value | None:
    """Parse a JSON scalar or a table cell, such as `"1h30min"` as a duration of 90; return None if it is empty.

    Args:
        name: name of the field. A number in a field such as `minutes` is a duration.
        value: the scalar.
    """
    if value is None or value == "":
        return None
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if text in ("true", "false"):
        return Value("bool", float(text == "true"), text)
    if match := CLOCK.fullmatch(text):
        return Value("clock", 60 * int(match[1]) + int(match[2]), text)
    if re.fullmatch(r"\d{4}-\d\d-\d\d( \d\d:\d\d)?", text):
        since = datetime.fromisoformat(text) - EPOCH
        return Value("day", since.days, text) if len(text) == 10 else Value("moment", since / MINUTE, text)
    if (match := DURATION.fullmatch(text)) and match[0]:
        return Value("duration", 60 * int(match[1] or 0) + int(match[2] or 0), text)
    if match := NUMBER.fullmatch(text):
        unit = name.rpartition("_")[2]
        if not match[2] and unit in TIME_UNITS:
            return Value("duration", TIME_UNITS[unit] * float(match[1]), text)
        return Value("number", float(match[1]), text)
    return Value("text", 0.0, text)


def value_text(kind: Kind, number: float) -> str:
    """Return the text of a time, a day or a number: 570 as a `clock` is `09:30`."""
    if kind == "clock":
        return f"{int(number) // 60:02}:{int(number) % 60:02}"
    if kind == "moment":
        return f"{EPOCH + number * MINUTE:%Y-%m-%d %H:%M}"
    if kind == "day":
        return date.isoformat((EPOCH + number * DAY).date())
    return f"{number:g}"


@dataclass(slots=True)
class Facts:
    """Everything that an agent has observed in an episode.

    Attributes:
        records: the records, in the order of observation.
        single: values that belong to the whole task, by name, such as a budget.
        by_text: for each text, the indexes of the records that contain it.
        origins: for each text, the names of the fields in which it was observed.
    """

    records: list[Record] = field(default_factory=list)
    single: dict[str, tuple[Value, ...]] = field(default_factory=dict)
    by_text: dict[str, list[int]] = field(default_factory=dict)
    origins: dict[str, dict[str, None]] = field(default_factory=dict)

    def copy(self) -> Facts:
        """Return an independent copy. Facts can be added to it without changing the original."""
        return Facts(
            list(self.records),
            dict(self.single),
            {text: list(places) for text, places in self.by_text.items()},
            {text: dict(names) for text, names in self.origins.items()},
        )

    def read_query(self, text: str) -> None:
        """Add the durations in a query, such as `half an hour`."""
        for place, match in enumerate(SPOKEN.finditer(text)):
            amount = NUMBERS.get(match[1].lower())
            minutes = TIME_UNITS[match[2].lower()] * (float(match[1]) if amount is None else amount)
            self.single[f"query.{place}"] = (Value("duration", minutes, match[0]),)

    def read_text(self, name: str, text: str) -> None:
        """Add the facts in a text of the task's materials: JSON, or a table as CSV."""
        try:
            content = json.loads(text)
        except ValueError:
            for row in csv.DictReader(io.StringIO(text)):
                self.add(name, {column: cell.split("; ") for column, cell in row.items() if column and cell})
        else:
            self.read_json(name, content, {}, is_single=True)

    def read_json(self, name: str, content: Any, shared: Mapping[str, Any], *, is_single: bool = False) -> None:
        """Add the records in decoded JSON.

        Args:
            name: name of the text, or name of the tool and path in its result.
            content: the decoded JSON.
            shared: values to add to each record, such as the arguments of the call.
            is_single: whether scalars at the top level belong to the whole task instead of a record.
        """
        if isinstance(content, list):
            for part in content:
                self.read_json(name, part, shared)
        elif isinstance(content, Mapping):
            own = {key: part for key, part in content.items() if _is_scalar(part) or _is_set(part)}
            if is_single:
                for key, part in own.items():
                    self._add_single(f"{name}.{key}", key, part)
            elif own:
                self.add(name, {**shared, **own})
            for key, part in content.items():
                if key not in own:
                    self.read_json(f"{name}.{key}", part, shared)

    def add(self, source: str, cells: Mapping[str, Any]) -> None:
        """Add a record of scalars and sets of scalars."""
        values = {name: read_values(name, cell) for name, cell in cells.items()}
        record = Record(source, {name: each for name, each in values.items() if each})
        if record in self.records[-64:]:
            return
        for text in dict.fromkeys(record.texts()):
            self.by_text.setdefault(text, []).append(len(self.records))
        for name, each in record.fields.items():
            self._record_origins(f"{source}.{name}", each)
        self.records.append(record)

    def _add_single(self, path: str, name: str, cell: Any) -> None:
        values = read_values(name, cell)
        self.single[path] = values
        self._record_origins(path, values)

    def _record_origins(self, path: str, values: Sequence[Value]) -> None:
        for value in values:
            if value.kind == "text":
                self.origins.setdefault(value.text, {})[path] = None


def read_values(name: str, cell: Any) -> tuple[Value, ...]:
    """Parse a scalar or a list of scalars. Empty values are left out."""
    parts = cell if isinstance(cell, list | tuple) else [cell]
    return tuple(value for part in parts if (value := read_value(name, part)) is not None)


def _is_scalar(part: Any) -> bool:
    return part is None or isinstance(part, str | int | float | bool)


def _is_set(part: Any) -> bool:
    return isinstance(part, list) and bool(part) and all(map(_is_scalar, part))
