"""A city as its author writes it: a folder of CSV tables, `city.yaml` and `scenarios.yaml`."""

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
from planspec.families.suite_writing.lines import error_text, key_path
from planspec.families.suite_writing.options import UnsuitableSuiteError
from planspec.families.worldtravel.generator.scenarios import Scenarios

M = TypeVar("M", bound=BaseModel)

MOST_SHOWN = 12
"""Mistakes shown at once."""

TABLES = {
    "Place": "place", "Hotel": "hotel", "Offer": "offer", "Fare": "fare", "FamilyTicket": "family_ticket", "Addon": "addon",
    "Menu": "menu", "Show": "show", "Running": "running", "Light": "light", "Part": "part", "Includes": "includes",
    "Route": "route", "Passes": "passes", "CityPass": "city_pass", "Covers": "covers", "Dwell": "dwell",
}  # fmt: skip
"""The library's tables that the author writes, and their files."""
HEADERS = {
    "place": "id name kind area composite? about lat lon", "hotel": "id name area stars rate features about lat lon",
    "offer": "id place name booked ahead? guided? show? length?",
    "fare": "offer name price from_age? to_age? eu? student?", "family_ticket": "offer price adults children",
    "addon": "id place name price", "menu": "place course price",
    "show": "id title genre house language? subtitles? introduction? length?", "running": "house genre length",
    "light": "place from until", "part": "id place name steps? least? most?", "includes": "offer part",
    "route": "id place name colour least most", "passes": "route part", "city_pass": "id name price",
    "covers": "pass place rank?", "dwell": "place style profile least most", "hours": "place days open close",
    "part_hours": "part days open close", "starts": "offer days first last every places language?",
    "programme": "offer date at places",
}  # fmt: skip
"""The columns of each file; a question mark means optional."""
NEEDED = ("place", "hotel", "offer", "fare", "menu", "dwell", "hours", "starts")
"""Required files of a city; the others are optional."""


def _cents(value: Any) -> int:
    """Parse an amount such as `4.30 EUR` into minor units.

    Raises:
        ValueError: the value is no amount.
    """
    match = re.fullmatch(r"(\d+)(?:\.(\d{1,2}))?(?: [A-Z]{3})?", str(value).strip())
    if match is None:
        raise ValueError(f"`{value}` is no amount; write 4.30 EUR")
    return int(match[1]) * 100 + int((match[2] or "").ljust(2, "0"))


Cents = Annotated[int, BeforeValidator(_cents)]
Strict = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class Taxi(BaseModel):
    """Taxi prices.

    Attributes:
        flag: base price.
        km: pairs of a distance in kilometres and the price per kilometre up to it; the last price holds
            beyond.
    """

    model_config = Strict
    flag: Cents
    km: list[tuple[int | None, Cents]] = Field(min_length=1)


class Gap(BaseModel):
    """Facts about a way that the map lacks."""

    model_config = Strict
    origin: str = Field(alias="from")
    to: str
    mode: str
    lacks: str = Field(pattern="^(time|cost|both)$")


class SpecialDay(BaseModel):
    """Hours of a place on one day, instead of its weekly ones; closed without any."""

    model_config = Strict
    place: str
    date: date
    hours: list[str] = []


class Head(BaseModel):
    """`city.yaml`.

    Attributes:
        first: first day of the calendar.
        days: default number of days.
        bus: bus fare per person.
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
    """A city's folder.

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
        for name in ("city.yaml", "scenarios.yaml", *(f"{name}.csv" for name in NEEDED)):
            if not (folder / name).is_file():
                raise UnsuitableSuiteError(f"`{folder}` is no city: it has no {name}")
        mistakes = [fault for path in sorted(folder.glob("*.csv")) for fault in _header_faults(path)]
        if mistakes:
            raise UnsuitableSuiteError(mistakes_text(folder, mistakes))
        return cls(folder, read_model(folder / "city.yaml", Head))

    def rows(self, name: str) -> list[CityRow]:
        """Return the rows of a file, as texts by header; empty if the city has no such file.

        Raises:
            UnsuitableSuiteError: a line has more or fewer cells than the header.
        """
        return self._tables.get(name, [])

    @cached_property
    def _tables(self) -> Mapping[str, list[CityRow]]:
        return {path.stem: _rows(path) for path in sorted(self.folder.glob("*.csv"))}

    @cached_property
    def scenarios(self) -> Scenarios:
        """Content of `scenarios.yaml`, from which tasks are made."""
        return read_model(self.folder / "scenarios.yaml", Scenarios)

    def by_id(self, name: str) -> dict[str, CityRow]:
        """Return the rows of a file by id."""
        return {row["id"]: row for row in self.rows(name)}

    def where(self, name: str, *keys: str | int) -> str:
        """Return the place of an entry in a YAML file of the folder: the file, its line, and the keys that lead there."""
        return f"{name}:{_line_of(self.folder / name, keys)}: {key_path(keys)}"


class CityRow(dict[str, str]):
    """A row of a file: its texts by header.

    Args:
        cells: cells of the row.
        line: line in the file; the last line of a row that has several.
    """

    def __init__(self, cells: Mapping[str, str], line: int) -> None:
        super().__init__(cells)
        self.line = line


def mistakes_text(folder: Path, mistakes: Sequence[str]) -> str:
    """Return a message with a city's mistakes, a line each; of many the first."""
    more = [f"and {len(mistakes) - MOST_SHOWN} more"] if len(mistakes) > MOST_SHOWN else []
    heading = "1 mistake" if len(mistakes) == 1 else f"{len(mistakes)} mistakes"
    return "\n  ".join([f"{folder}: {heading}", *mistakes[:MOST_SHOWN], *more])


def _header_faults(path: Path) -> Iterator[str]:
    """Yield mistakes in the name of a CSV file and in its header."""
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
    yield from (
        f"{path.name}:1: column `{n}` comes twice" for n, times in Counter(header).items() if times > 1
    )
    for name in header:
        if name not in columns:
            help_text = did_you_mean(name, columns) or f"it has {', '.join(columns)}"
            yield f"{path.name}:1: it has no column `{name}` ({help_text})"
    for name, optional in columns.items():
        if not optional and name not in header:
            yield f"{path.name}:1: column `{name}` is missing"


def _rows(path: Path) -> list[CityRow]:
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file, skipinitialspace=True)
        rows = []
        try:
            for row in reader:
                if None in row or None in row.values():
                    raise UnsuitableSuiteError(
                        f"{path}:{reader.line_num}: the line has not as many cells as the header"
                    )
                cells = {str(key).strip(): value.strip() for key, value in row.items()}
                rows.append(CityRow(cells, reader.line_num))
        except (csv.Error, UnicodeDecodeError) as error:
            raise UnsuitableSuiteError(f"{path}:{reader.line_num}: {error}") from error
    return rows


def _line_of(path: Path, keys: Sequence[str | int]) -> int:
    """Return the line of an entry in a YAML file, or of the innermost existing part that would contain it."""
    node = yaml.compose(path.read_text("utf-8"), Loader=_Scalars)
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
    """Read a YAML file, with its scalars parsed by a model's types.

    Raises:
        UnsuitableSuiteError: the file is no YAML, or an entry is invalid; the message names the place.
    """
    try:
        data = yaml.load(path.read_text("utf-8"), Loader=_Scalars)  # noqa: S506  a base loader makes texts and nothing else
        return model.model_validate(data)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UnsuitableSuiteError(f"{path}: {error}") from error
    except ValidationError as error:
        mistakes = [
            f"{path.name}:{_line_of(path, found['loc'])}: {error_text(found)}" for found in error.errors()
        ]
        raise UnsuitableSuiteError(mistakes_text(path.parent, mistakes)) from error


class _Scalars(yaml.SafeLoader):
    """A loader that keeps scalars as texts, so that 12:30 is no number; only `null` and empty values become None."""


_Scalars.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag == "tag:yaml.org,2002:null"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
