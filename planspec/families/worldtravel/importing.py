"""Import of the WorldTravel authors' tasks and answers in JSON as a suite (`planspec import worldtravel`).

A task comes with a rubric: calls of the five verification functions in the paper's Tables 7 and 8. Answers are judged
only by these calls, since the files do not contain the places, prices and hours.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    field_validator,
    model_validator,
)

from planspec.files import replace_text
from planspec.suite_writing.counts import TableCount
from planspec.suite_writing.folder import ImportResult, SkippedLine, SuiteFolder
from planspec.suite_writing.lines import numbered_lines, why_unfit_id
from planspec.suite_writing.writing import world_text, yaml_scalar
from planspec.verifiers.answers.names import folded_name

LIBRARY = "worldtravel-rubric"
CURRENCY = "EUR"
"""Currency of the five cities."""
BASE = "places.sqlite"
ANSWERS = "answers.jsonl"
"""File of the answers, in the form that `planspec score` reads."""
LONGEST = 31
"""Maximum length of a trip, in days."""
MOST_MINUTES = LONGEST * 24 * 60
MOST_COST = 10**6
MOST_KEY = 40
"""Maximum number of characters of an unused key in a note."""
MOST_PLACES = 10
"""Maximum number of positions in a note. Further positions are only counted."""
STOPS = ("attraction", "restaurant")
NOT_KNOWN = (
    "not known: opening hours, starts and what is left of them, ways, prices, hotels' stars; "
    "so nothing but the rubrics is judged, and no task is proved to have one solution"
)
_FUNCTION = ("function", "func", "name", "type")
_PARAMETERS = ("parameters", "params", "args")
_RUBRIC_KEYS = ("hard", "soft")
_MONTH_DAY = re.compile(r"(\d{1,2})\.(\d{1,2})$")
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})$")


def _split_range(value: Any) -> Any:
    """Return the start and end of a range. A single value is used for both.

    Args:
        value: list of strings, or a string with the ends separated by a dash, a tilde or `to`.

    Raises:
        ValueError: the value is not such a range.
    """
    if isinstance(value, str):
        value = re.split(r"\s*(?:~|–|—|\bto\b)\s*|(?<![\d-])-|(?<=\d)\s*-\s*(?=\d{1,2}[.:])", value.strip())
    if isinstance(value, list) and len(value) == 1:
        value = [value[0], value[0]]
    if not isinstance(value, list) or len(value) != 2 or not all(isinstance(end, str) for end in value):
        raise ValueError(
            'it must be a text with one end or two, such as "7.1-7.3" or "18:00-20:00", or a list of two texts'
        )
    return value


Span = Annotated[tuple[str, str], BeforeValidator(_split_range)]


class RubricCall(BaseModel):
    """A call of a verification function.

    Its parameters are keys next to the function's name, or keys of a nested object.
    """

    model_config = ConfigDict(extra="allow")
    function: Literal[
        "if_poi_enough_time",
        "if_poi_in_time",
        "if_poi_start_time_delayed",
        "if_poi_cost_matches",
        "if_poi_present",
    ] = Field(validation_alias=AliasChoices(*_FUNCTION))
    poi: str = Field(min_length=1)
    date_range: Span | None = None
    time_constraint: int | None = Field(None, ge=0, le=MOST_MINUTES)
    target_time_range: Span | None = None
    delay_minutes: int | None = Field(None, ge=0, le=MOST_MINUTES)
    item_type: Literal["attraction", "restaurant", "hotel"] | None = None
    expected_cost: Decimal | None = Field(None, ge=0, le=MOST_COST, decimal_places=2)

    @model_validator(mode="before")
    @classmethod
    def _merge_parameters(cls, record: Any) -> Any:
        if isinstance(record, dict):
            parameters_key = next((key for key in _PARAMETERS if isinstance(record.get(key), dict)), None)
            parameters: dict[str, Any] = record[parameters_key] if parameters_key else {}
            conflict = next((key for key, value in parameters.items() if key in record and record[key] != value), None)
            if conflict is not None:
                raise ValueError(f"`{conflict[:MOST_KEY]}` has different values beside `{parameters_key}` and in it")
            record = {key: value for key, value in record.items() if key != parameters_key} | parameters
            for key in _FUNCTION:
                if isinstance(record.get(key), str):
                    record[key] = record[key].strip().removesuffix("()")
        return record

    @model_validator(mode="after")
    def _require_parameter(self) -> RubricCall:
        required = _REQUIRED[self.function]
        if required is not None and getattr(self, required) is None:
            raise ValueError(f"{self.function} of {self.poi} has no `{required}`")
        return self

    def unused_keys(self) -> Iterator[str]:
        """Yield the keys that do not affect the verdict: unknown keys, and parameters of other functions."""
        yield from self.model_extra or {}
        others = {*_REQUIRED.values(), "date_range"} - {_REQUIRED[self.function], None}
        if self.function != "if_poi_cost_matches":
            others.discard("date_range")
        yield from sorted(key for key in others if key and getattr(self, key) is not None)


_REQUIRED = {
    "if_poi_enough_time": "time_constraint",
    "if_poi_in_time": "target_time_range",
    "if_poi_start_time_delayed": "delay_minutes",
    "if_poi_cost_matches": "expected_cost",
    "if_poi_present": None,
}
_TABLES = {
    "if_poi_enough_time": "EnoughTime",
    "if_poi_in_time": "InTime",
    "if_poi_start_time_delayed": "Delayed",
    "if_poi_cost_matches": "CostMatches",
    "if_poi_present": "Present",
}


class AuthorsTask(BaseModel):
    """A task of the authors: a request with a rubric.

    The rubric is one list, or an object with the lists `hard` and `soft`.
    """

    model_config = ConfigDict(extra="allow", coerce_numbers_to_str=True)
    id: str = Field(validation_alias=AliasChoices("id", "task_id"), min_length=1)
    query: str = Field(min_length=1)
    city: str | None = None
    dates: Span | None = Field(None, validation_alias=AliasChoices("dates", "date_range"))
    constraints: tuple[RubricCall, ...] = Field(min_length=1)

    @model_validator(mode="before")
    @classmethod
    def _merge_hard_and_soft(cls, record: Any) -> Any:
        if isinstance(record, dict) and isinstance(record.get("constraints"), dict):
            parts = [record["constraints"].get(level) or [] for level in _RUBRIC_KEYS]
            if not all(isinstance(part, list) for part in parts):
                raise ValueError("constraints: `hard` and `soft` must be lists")
            others = {
                f"constraints.{key}": part for key, part in record["constraints"].items() if key not in _RUBRIC_KEYS
            }
            return {**record, "constraints": [call for part in parts for call in part], **others}
        return record


class AuthorsAnswer(BaseModel):
    """A model's answer, as the benchmark's authors publish it: an itinerary, or a string that contains one."""

    model_config = ConfigDict(extra="allow", coerce_numbers_to_str=True)
    id: str = Field(validation_alias=AliasChoices("id", "task_id"), min_length=1)
    answer: Any = Field(validation_alias=AliasChoices("answer", "response", "output", "plan", "itinerary"))

    @field_validator("answer")
    @classmethod
    def _require_encodable(cls, value: Any) -> Any:
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise ValueError("it has half of a character") from error
        except RecursionError as error:
            raise ValueError("it is nested too deep") from error
        return value


@dataclass(slots=True)
class _NameRegister:
    """Register of the names of places and hotels in rubrics and answers. It gives each name an id.

    Attributes:
        names: original spelling by normalised name.
        kinds: for each normalised name, how often it occurs as each kind (`hotel` or a kind of stop).
    """

    names: dict[str, str] = field(default_factory=dict)
    kinds: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, name: str, kind: str | None = None) -> None:
        key = folded_name(name)
        self.names.setdefault(key, name.strip())
        kinds = self.kinds.setdefault(key, Counter())
        if kind is not None:
            kinds[kind] += 1

    def kind(self, name: str) -> str | None:
        """Return the most frequent kind of a name, or None if it occurs only without a kind.

        On a tie, return the kind that occurred first.
        """
        return next((kind for kind, _ in self.kinds[folded_name(name)].most_common(1)), None)

    def id(self, name: str) -> str:
        """Return the id of a name, such as `p3` for the third name."""
        key = folded_name(name)
        return f"p{list(self.names).index(key) + 1}"

    def names_of_kind(self, *kinds: str | None) -> Iterator[str]:
        return (name for name in self.names.values() if self.kind(name) in kinds)


@dataclass(slots=True)
class _UnusedKeys:
    """Keys of the input that do not affect the verdict.

    Attributes:
        places: for each key and the kind of object that has it, the positions in the files.
    """

    places: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def add(self, keys: Iterable[str], owner: str, place: str) -> None:
        for key in keys:
            self.places.setdefault((key, owner), []).append(place)

    def notes(self) -> Iterator[str]:
        for (key, owner), places in self.places.items():
            shown = " ".join(key.encode("utf-8", "replace").decode().split())[:MOST_KEY]
            more = f" and {len(places) - MOST_PLACES} more" if len(places) > MOST_PLACES else ""
            yield f"`{shown}` of {owner} is not judged: {', '.join(places[:MOST_PLACES])}{more}"


def suite_folder(out: Path) -> SuiteFolder:
    """Return the folder of an imported suite."""
    return SuiteFolder(out, "worldtravel", "WorldTravel", "worldtravel", BASE)


def import_worldtravel(tasks: Sequence[Path], answers: Sequence[Path], year: int, out: Path) -> ImportResult:
    """Write a suite: `suite.yaml`, `world.yaml` with a SQLite database, the tasks and the answers.

    Args:
        tasks: files of tasks, each of JSON lines or of one JSON list.
        answers: files of answers in the same form; may be empty. Names that occur only in answers are also added to the
            database.
        year: year of dates that name none, such as `7.1`.
        out: folder of the suite. An earlier import is replaced after all input has been read.

    Raises:
        OSError: a file cannot be read or written.
    """
    left_out: list[SkippedLine] = []
    by_id: dict[str, AuthorsTask] = {}
    register, unused_keys = _NameRegister(), _UnusedKeys()
    counts = {function: TableCount(function) for function in _TABLES}

    def why_unusable(task: AuthorsTask) -> str | None:
        if task.id in by_id:
            return f"there is a task `{task.id}` already"
        try:
            _trip_days(task, year)
        except ValueError as error:
            return str(error)
        for number, call in enumerate(task.constraints, 1):
            try:
                _row_text(call, number, "p1", task, year)
            except ValueError as error:
                return f"constraints[{number}]: {error}"
        return why_unfit_id(task.id)

    for path in tasks:
        for line_number, line in numbered_lines(path, AuthorsTask, why_unusable):
            if isinstance(line, SkippedLine):
                left_out.append(line)
                continue
            by_id[line.id] = line
            place = f"{path.name}:{line_number} `{line.id}`"
            unused_keys.add(line.model_extra or {}, "a task", place)
            for number, call in enumerate(line.constraints, 1):
                unused_keys.add(call.unused_keys(), call.function, f"{place} constraints[{number}]")
                counts[call.function].read += 1
                counts[call.function].stored += 1
                register.add(call.poi, call.item_type)
    stored_answers: list[AuthorsAnswer] = []
    for path in answers:
        for number, answer in numbered_lines(
            path, AuthorsAnswer, lambda a: None if a.id in by_id else f"no task is `{a.id}`"
        ):
            if isinstance(answer, SkippedLine):
                left_out.append(answer)
            else:
                stored_answers.append(answer)
                unused_keys.add(answer.model_extra or {}, "an answer", f"{path.name}:{number} `{answer.id}`")
                for name, kind in _named_stops(answer.answer):
                    register.add(name, kind)
    folder = suite_folder(out)
    with folder.database_file() as part:
        _write_base(part, register)
        tables = dict.fromkeys(("Place", "Hotel", "Spot"), "")
        text = world_text(f"{folder.id}-world", "the names of WorldTravel's tasks", LIBRARY, CURRENCY, BASE, tables)
        texts = {task.id: _task_text(task, register, year) for task in by_id.values()}
        folder.finish(text, texts)
    if stored_answers:
        lines = [json.dumps({"task": a.id, "plan": a.answer}, ensure_ascii=False) for a in stored_answers]
        replace_text(out / ANSWERS, "".join(f"{line}\n" for line in lines))
    return ImportResult(
        out,
        folder.id,
        tuple(count for count in counts.values() if count.read),
        tuple(by_id),
        tuple(left_out),
        (*_notes(register, stored_answers, by_id), *unused_keys.notes()),
    )


def _notes(register: _NameRegister, stored_answers: Sequence[AuthorsAnswer], tasks: Mapping[str, Any]) -> Iterator[str]:
    yield NOT_KNOWN
    unclassified = [name for name in register.names.values() if register.kind(name) is None]
    if unclassified:
        yield f"taken for places, since nothing says whether they are hotels: {', '.join(unclassified)}"
    if stored_answers:
        unanswered = len(tasks) - len({answer.id for answer in stored_answers})
        yield f"answers in {ANSWERS}: {len(stored_answers)}; tasks without an answer: {unanswered}"


def _trip_days(task: AuthorsTask, year: int) -> tuple[date, ...]:
    """Return the days of a task. If the task names no days, use the range of days in its rubric."""
    ends = [task.dates] if task.dates else [call.date_range for call in task.constraints if call.date_range]
    if not ends:
        raise ValueError("neither the task nor its rubric names a day")
    days = [_parse_day(day, year) for span in ends for day in span]
    first, last = min(days), max(days)
    if (last - first).days >= LONGEST:
        raise ValueError(f"from {first} to {last} there are more than {LONGEST} days")
    return tuple(first + timedelta(days=n) for n in range((last - first).days + 1))


def _parse_day(text: str, year: int) -> date:
    short = _MONTH_DAY.match(text.strip())
    try:
        if short:
            return date(year, int(short[1]), int(short[2]))
        return date.fromisoformat(text.strip())
    except ValueError as error:
        raise ValueError(f"`{text}` is not a day like 2026-07-01 or 7.1") from error


def _normalize_clock(text: str) -> str:
    match = _CLOCK.match(text.strip())
    if match is None or int(match[2]) > 59 or int(match[1]) > 36:
        raise ValueError(f"`{text}` is not a time like 09:30")
    return f"{int(match[1]):02d}:{match[2]}"


def _row_text(call: RubricCall, number: int, place_id: str, task: AuthorsTask, year: int) -> str:
    """Return a call of a verification function as a row of its table, in YAML.

    Args:
        call: call of a verification function.
        number: number of the call in the rubric, from 1.
        place_id: id of the place or hotel that the call names.
        task: task with the call.
        year: year of dates that name none.
    """
    trip = _trip_days(task, year)
    days = sorted(_parse_day(day, year) for day in call.date_range) if call.date_range else [trip[0], trip[-1]]
    period = f"from: {days[0]}, until: {days[1]}"
    match call.function:
        case "if_poi_enough_time":
            cells = f"place: {place_id}, {period}, least: {call.time_constraint}min"
        case "if_poi_in_time":
            assert call.target_time_range is not None
            first, last = map(_normalize_clock, call.target_time_range)
            cells = f"place: {place_id}, {period}, earliest: {first}, latest: {last}"
        case "if_poi_start_time_delayed":
            cells = f"place: {place_id}, {period}, ahead: {call.delay_minutes}min"
        case "if_poi_cost_matches":
            cells = f"at: {place_id}, expected: {call.expected_cost:.2f} {CURRENCY}"
        case _:
            cells = f"at: {place_id}, {period}"
    return f"      - {{nr: {number}, {cells}}}"


def _task_text(task: AuthorsTask, register: _NameRegister, year: int) -> str:
    rows: dict[str, list[str]] = {}
    for number, call in enumerate(task.constraints, 1):
        rows.setdefault(_TABLES[call.function], []).append(_row_text(call, number, register.id(call.poi), task, year))
    trip = ", ".join(map(str, _trip_days(task, year)))
    lines = [
        "planspec: task/1",
        f"id: {yaml_scalar(task.id)}",
        *([f"title: {yaml_scalar(task.city)}"] if task.city else []),
        "world: ../world.yaml",
        f"uses: [{LIBRARY}]",
        f"query: {yaml_scalar(task.query)}",
        f"given: {{trip: [{trip}]}}",
        "tables:",
    ]
    for table, table_rows in rows.items():
        lines += [f"  {table}:", "    rows:", *table_rows]
    return "\n".join(lines) + "\n"


def _write_base(path: Path, register: _NameRegister) -> None:
    """Write the database. Names of the kind `hotel` become hotels, and all other names become places."""
    places = [(register.id(name), name, register.kind(name)) for name in register.names_of_kind(None, *STOPS)]
    hotels = [(register.id(name), name) for name in register.names_of_kind("hotel")]
    spots = [(key, key, None) for key, _, _ in places] + [(key, None, key) for key, _ in hotels]
    with closing(sqlite3.connect(path)) as base:
        base.executescript(
            "create table Place (id text, name text, kind text);"
            "create table Hotel (id text, name text);"
            "create table Spot (id text, place text, hotel text);"
        )
        base.executemany("insert into Place values (?, ?, ?)", places)
        base.executemany("insert into Hotel values (?, ?)", hotels)
        base.executemany("insert into Spot values (?, ?, ?)", spots)
        base.commit()


def _named_stops(answer: Any) -> Iterator[tuple[str, str]]:
    """Yield the name and kind of each stop and hotel in an answer."""
    if isinstance(answer, str):
        fenced = re.search(r"```(?:json)?\s*(.*?)```", answer, re.DOTALL)
        try:
            answer = json.loads(fenced[1] if fenced else answer)
        except (ValueError, RecursionError):
            return
    if isinstance(answer, dict):
        answer = answer.get("itinerary")
    for day in _objects(answer):
        for item in _objects(day.get("schedule")):
            kind, name = item.get("item"), item.get("destination")
            if isinstance(kind, str) and isinstance(name, str) and kind.strip().casefold() in {"hotel", *STOPS}:
                yield name, kind.strip().casefold()


def _objects(value: Any) -> Iterable[Mapping[str, Any]]:
    return (entry for entry in value if isinstance(entry, dict)) if isinstance(value, list) else ()
