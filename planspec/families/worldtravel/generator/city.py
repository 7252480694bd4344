"""Reader of a handwritten city: a folder with CSV tables, `city.yaml` and `scenarios.yaml`."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Self, TypeVar

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.families.worldtravel.generator.scenarios import Scenarios
from planspec.suite_writing.lines import error_text, key_path
from planspec.suite_writing.options import UnsuitableSuiteError

M = TypeVar("M", bound=BaseModel)

MOST_SHOWN = 12
"""Maximum number of mistakes that one message shows."""

TABLES = {
    "Place": "place",
    "Hotel": "hotel",
    "Offer": "offer",
    "Fare": "fare",
    "FamilyTicket": "family_ticket",
    "Addon": "addon",
    "Menu": "menu",
    "Show": "show",
    "Running": "running",
    "Light": "light",
    "Part": "part",
    "Includes": "includes",
    "Route": "route",
    "Passes": "passes",
    "CityPass": "city_pass",
    "Covers": "covers",
    "Dwell": "dwell",
}
"""File names of the tables that a city's author writes, by the table's name in the library `worldtravel`."""
HEADERS = {
    "place": "id name kind area composite? about lat lon",
    "hotel": "id name area stars rate features about lat lon",
    "offer": "id place name booked ahead? guided? show? length?",
    "fare": "offer name price from_age? to_age? eu? student?",
    "family_ticket": "offer price adults children",
    "addon": "id place name price",
    "menu": "place course price",
    "show": "id title genre house language? subtitles? introduction? length?",
    "running": "house genre length",
    "light": "place from until",
    "part": "id place name steps? least? most?",
    "includes": "offer part",
    "route": "id place name colour least most",
    "passes": "route part",
    "city_pass": "id name price",
    "covers": "pass place rank?",
    "dwell": "place style profile least most",
    "hours": "place days open close",
    "part_hours": "part days open close",
    "starts": "offer days first last every places language?",
    "programme": "offer date at places",
}
"""The columns of each file. The names of optional columns end in a question mark."""
REQUIRED_FILES = ("place", "hotel", "offer", "fare", "menu", "dwell", "hours", "starts")
"""Required files of a city; the others are optional."""


def _parse_cents(value: Any) -> int:
    """Parse an amount such as `4.30 EUR` into minor units.

    Raises:
        ValueError: the value is not an amount.
    """
    match = re.fullmatch(r"(\d+)(?:\.(\d{1,2}))?(?: [A-Z]{3})?", str(value).strip())
    if match is None:
        raise ValueError(f"`{value}` is not an amount; write 4.30 EUR")
    return int(match[1]) * 100 + int((match[2] or "").ljust(2, "0"))


Cents = Annotated[int, BeforeValidator(_parse_cents)]
Strict = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class Taxi(BaseModel):
    """Taxi prices.

    Attributes:
        flag: base price in minor units.
        km: pairs of a distance in kilometres and a price per kilometre. The price applies up to the distance; the last
            price also applies beyond it.
    """

    model_config = Strict
    flag: Cents
    km: list[tuple[int | None, Cents]] = Field(min_length=1)


class Gap(BaseModel):
    """A route that lacks its duration, its price or both on the map."""

    model_config = Strict
    origin: str = Field(alias="from")
    to: str
    mode: str
    lacks: str = Field(pattern="^(time|cost|both)$")


class SpecialDay(BaseModel):
    """Opening hours of a place on a date. They replace its weekly hours.

    Without hours, the place is closed on the date.
    """

    model_config = Strict
    place: str
    date: date
    hours: list[str] = []


class Head(BaseModel):
    """Content of `city.yaml`.

    Attributes:
        full: name with the country, such as `Berlin, Germany`.
        first: first day of the calendar.
        days: default number of days of the calendar.
        bus: bus fare per person, in minor units.
        gaps: routes with missing facts.
        closed: days with unusual hours.
    """

    model_config = Strict
    id: str = Field(pattern="^[a-z][a-z0-9_-]*$")
    name: str
    full: str
    currency: str = Field(pattern="^[A-Z]{3}$")
    first: date
    days: int = Field(ge=1, le=400)
    bus: Cents
    taxi: Taxi
    gaps: list[Gap] = []
    closed: list[SpecialDay] = []


@dataclass(frozen=True)
class CityFolder:
    """The folder of a city.

    Attributes:
        folder: folder with `city.yaml`, `scenarios.yaml` and a CSV file for each table.
        head: content of `city.yaml`.
    """

    folder: Path
    head: Head

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read a city. Its tables are read on demand.

        Raises:
            UnsuitableSuiteError: a file or a column is missing, or `city.yaml` is invalid.
        """
        for name in ("city.yaml", "scenarios.yaml", *(f"{name}.csv" for name in REQUIRED_FILES)):
            if not (folder / name).is_file():
                raise UnsuitableSuiteError(f"`{folder}` is not a city: it has no {name}")
        mistakes = [fault for path in sorted(folder.glob("*.csv")) for fault in _header_faults(path)]
        if mistakes:
            raise UnsuitableSuiteError(mistakes_text(folder, mistakes))
        return cls(folder, read_model(folder / "city.yaml", Head))

    def rows(self, name: str) -> list[CityRow]:
        """Return the rows of a file. The list is empty if the city has no such file.

        Raises:
            UnsuitableSuiteError: a line has more or fewer cells than the header.
        """
        return self._tables.get(name, [])

    @cached_property
    def _tables(self) -> Mapping[str, list[CityRow]]:
        return {path.stem: _read_rows(path) for path in sorted(self.folder.glob("*.csv"))}

    @cached_property
    def scenarios(self) -> Scenarios:
        """Content of `scenarios.yaml`."""
        return read_model(self.folder / "scenarios.yaml", Scenarios)

    @property
    def restaurants(self) -> frozenset[str]:
        """Ids of the restaurants."""
        return frozenset(row["id"] for row in self.rows("place") if row["kind"] == "restaurant")

    def rows_by_id(self, name: str) -> dict[str, CityRow]:
        """Return the rows of a file by id."""
        return {row["id"]: row for row in self.rows(name)}

    def location(self, name: str, *keys: str | int) -> str:
        """Return the location of an entry in a YAML file: the file, the line and the path of keys."""
        return f"{name}:{_line_of(self._composed(name), keys)}: {key_path(keys)}"

    def _composed(self, name: str) -> yaml.Node | None:
        """Return the syntax tree of a YAML file, from the cache if it was read before."""
        if name not in self._trees:
            self._trees[name] = _composed_file(self.folder / name)
        return self._trees[name]

    @cached_property
    def _trees(self) -> dict[str, yaml.Node | None]:
        return {}


class CityRow(dict[str, str]):
    """A row of a file: its cells by column.

    Args:
        cells: cells by column.
        line: line of the row in the file. It is the last line if the row has several.
    """

    def __init__(self, cells: Mapping[str, str], line: int) -> None:
        super().__init__(cells)
        self.line = line


def mistakes_text(folder: Path, mistakes: Sequence[str]) -> str:
    """Return an error message with one line for each mistake.

    It shows the first `MOST_SHOWN` mistakes and counts the others.
    """
    more = [f"and {len(mistakes) - MOST_SHOWN} more"] if len(mistakes) > MOST_SHOWN else []
    heading = "1 mistake" if len(mistakes) == 1 else f"{len(mistakes)} mistakes"
    return "\n  ".join([f"{folder}: {heading}", *mistakes[:MOST_SHOWN], *more])


def _header_faults(path: Path) -> Iterator[str]:
    """Yield a message for each mistake in the name or header of a CSV file."""
    if path.stem not in HEADERS:
        help_text = did_you_mean(path.stem, HEADERS)
        yield f"{path.name}: a city has no such file" + (f" ({help_text})" if help_text else "")
        return
    with path.open(encoding="utf-8", newline="") as file:
        try:
            header = [name.strip() for name in next(csv.reader(file, skipinitialspace=True), [])]
        except (csv.Error, UnicodeDecodeError) as error:
            yield f"{path.name}:1: {error}"
            return
    columns = {name.removesuffix("?"): name.endswith("?") for name in HEADERS[path.stem].split()}
    yield from (f"{path.name}:1: column `{n}` comes twice" for n, times in Counter(header).items() if times > 1)
    for name in header:
        if name not in columns:
            help_text = did_you_mean(name, columns) or f"it has {', '.join(columns)}"
            yield f"{path.name}:1: it has no column `{name}` ({help_text})"
    for name, optional in columns.items():
        if not optional and name not in header:
            yield f"{path.name}:1: column `{name}` is missing"


def _read_rows(path: Path) -> list[CityRow]:
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file, skipinitialspace=True)
        rows = []
        try:
            for row in reader:
                if None in row or None in row.values():
                    raise UnsuitableSuiteError(
                        f"{path}:{reader.line_num}: the line has more or fewer cells than the header"
                    )
                cells = {str(key).strip(): value.strip() for key, value in row.items()}
                rows.append(CityRow(cells, reader.line_num))
        except (csv.Error, UnicodeDecodeError) as error:
            raise UnsuitableSuiteError(f"{path}:{reader.line_num}: {error}") from error
    return rows


def _composed_file(path: Path) -> yaml.Node | None:
    """Return the syntax tree of a YAML file."""
    return yaml.compose(path.read_text("utf-8"), Loader=_Scalars)


def _line_of(node: yaml.Node | None, keys: Sequence[str | int]) -> int:
    """Return the line of an entry in the syntax tree of a YAML file.

    If the entry is missing, return the line of the innermost existing part on the path to it.
    """
    line = 1
    for key in keys:
        if isinstance(node, yaml.MappingNode):
            entry = next(((k, v) for k, v in node.value if k.value == str(key)), None)
            if entry is None:
                break
            line, node = entry[0].start_mark.line + 1, entry[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
            node = node.value[key]
            line = node.start_mark.line + 1
        else:
            break
    return line


def read_model(path: Path, model: type[M]) -> M:
    """Read a YAML file into a model, whose types determine how scalars are parsed.

    Raises:
        UnsuitableSuiteError: the file is not valid YAML, or an entry is invalid. The message names the line.
    """
    try:
        data = yaml.load(path.read_text("utf-8"), Loader=_Scalars)  # noqa: S506 the loader makes only strings
        return model.model_validate(data)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UnsuitableSuiteError(f"{path}: {error}") from error
    except ValidationError as error:
        tree = _composed_file(path)
        mistakes = [f"{path.name}:{_line_of(tree, found['loc'])}: {error_text(found)}" for found in error.errors()]
        raise UnsuitableSuiteError(mistakes_text(path.parent, mistakes)) from error


def repeated_keys(path: Path) -> Iterator[tuple[str, int, int]]:
    """Yield each repeated top-level key of a YAML file, with the lines of its first and its repeated occurrence."""
    node = _composed_file(path) if path.is_file() else None
    lines: dict[str, int] = {}
    for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
        line = key.start_mark.line + 1
        if lines.setdefault(key.value, line) != line:
            yield key.value, lines[key.value], line


class _Scalars(yaml.SafeLoader):
    """A YAML loader that keeps scalars as strings, since YAML would read 12:30 as a number.

    Only `null` and empty values become None.
    """


_Scalars.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag == "tag:yaml.org,2002:null"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
