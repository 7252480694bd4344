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
from planspec.families.suite_writing.lines import mistake, way
from planspec.families.suite_writing.options import UnsuitableSuiteError
from planspec.families.worldtravel.generator.scenarios import Scenarios

M = TypeVar("M", bound=BaseModel)

TOLD = 12
"""Mistakes that are told at once."""

TABLES = {
    "Place": "place", "Hotel": "hotel", "Offer": "offer", "Fare": "fare", "FamilyTicket": "family_ticket", "Addon": "addon",
    "Menu": "menu", "Show": "show", "Running": "running", "Light": "light", "Part": "part", "Includes": "includes",
    "Route": "route", "Passes": "passes", "CityPass": "city_pass", "Covers": "covers", "Dwell": "dwell",
}  # fmt: skip
"""The tables of the library that the author writes, and their files."""
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
"""The columns of each file; one with a question mark may be left out."""
NEEDED = ("place", "hotel", "offer", "fare", "menu", "dwell", "hours", "starts")
"""The files that no city can do without; of the others a city has those that it has a use for."""


def _cents(value: Any) -> int:
    """Minor units of an amount such as `4.30 EUR`.

    Raises:
        ValueError: it is none.
    """
    found = re.fullmatch(r"(\d+)(?:\.(\d{1,2}))?(?: [A-Z]{3})?", str(value).strip())
    if found is None:
        raise ValueError(f"`{value}` is no amount; write 4.30 EUR")
    return int(found[1]) * 100 + int((found[2] or "").ljust(2, "0"))


Cents = Annotated[int, BeforeValidator(_cents)]
Strict = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class Taxi(BaseModel):
    """What a taxi costs.

    Attributes:
        flag: before it moves.
        km: up to how many kilometres the price of a kilometre holds, and that price; the last holds for all beyond.
    """

    model_config = Strict
    flag: Cents
    km: list[tuple[int | None, Cents]] = Field(min_length=1)


class Gap(BaseModel):
    """What the map does not say of a way."""

    model_config = Strict
    origin: str = Field(alias="from")
    to: str
    mode: str
    lacks: str = Field(pattern="^(time|cost|both)$")


class SpecialDay(BaseModel):
    """The hours of a place on one day, in the place of its weekly ones; closed without any."""

    model_config = Strict
    place: str
    date: date
    hours: list[str] = []


class Head(BaseModel):
    """`city.yaml`.

    Attributes:
        first: the first day of the calendar.
        days: how many days it has where nobody asks for another number.
        bus: what a ride by bus costs a head.
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
class City:
    """A folder that an author wrote.

    Attributes:
        folder: with `city.yaml`, `scenarios.yaml` and a CSV file for each table.
        head: the first of these.
    """

    folder: Path
    head: Head

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read a city; its tables are looked at when they are asked for.

        Raises:
            UnsuitableSuiteError: a file or a column is missing, or `city.yaml` is not as it has to be.
        """
        for name in ("city.yaml", "scenarios.yaml", *(f"{name}.csv" for name in NEEDED)):
            if not (folder / name).is_file():
                raise UnsuitableSuiteError(f"`{folder}` is no city: it has no {name}")
        wrong = [fault for path in sorted(folder.glob("*.csv")) for fault in _header_faults(path)]
        if wrong:
            raise UnsuitableSuiteError(told_faults(folder, wrong))
        return cls(folder, read_model(folder / "city.yaml", Head))

    def rows(self, name: str) -> list[Row]:
        """The rows of a file, as texts by header; none where the city has no such file.

        Raises:
            UnsuitableSuiteError: a line has more or fewer cells than the header.
        """
        return self._tables.get(name, [])

    @cached_property
    def _tables(self) -> Mapping[str, list[Row]]:
        return {path.stem: _rows(path) for path in sorted(self.folder.glob("*.csv"))}

    @cached_property
    def scenarios(self) -> Scenarios:
        """`scenarios.yaml`: what tasks are made of."""
        return read_model(self.folder / "scenarios.yaml", Scenarios)

    def by_id(self, name: str) -> dict[str, Row]:
        """The rows of a file by their ids."""
        return {row["id"]: row for row in self.rows(name)}

    def where(self, name: str, *keys: str | int) -> str:
        """Where something stands in a YAML file of the folder: the file, its line, and the keys that lead there."""
        return f"{name}:{_line_of(self.folder / name, keys)}: {way(keys)}"


class Row(dict[str, str]):
    """A row of a file: its texts by header.

    Args:
        cells: of the row.
        line: its place in the file; of a row of several lines the last.
    """

    def __init__(self, cells: Mapping[str, str], line: int) -> None:
        super().__init__(cells)
        self.line = line


def told_faults(folder: Path, found: Sequence[str]) -> str:
    """The text of a city's mistakes, a line each; of many the first."""
    more = [f"and {len(found) - TOLD} more"] if len(found) > TOLD else []
    mistakes = "1 mistake" if len(found) == 1 else f"{len(found)} mistakes"
    return "\n  ".join([f"{folder}: {mistakes}", *found[:TOLD], *more])


def _header_faults(path: Path) -> Iterator[str]:
    """What is wrong with the name of a CSV file and with its header."""
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


def _rows(path: Path) -> list[Row]:
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
                rows.append(Row(cells, reader.line_num))
        except (csv.Error, UnicodeDecodeError) as error:
            raise UnsuitableSuiteError(f"{path}:{reader.line_num}: {error}") from error
    return rows


def _line_of(path: Path, keys: Sequence[str | int]) -> int:
    """The line of a YAML file on which something stands, or else what it would stand in."""
    node = yaml.compose(path.read_text("utf-8"), Loader=_Scalars)
    line = 1
    for key in keys:
        if isinstance(node, yaml.MappingNode):
            found = next(((k, v) for k, v in node.value if k.value == str(key)), None)
            if found is None:
                break
            line, node = found[0].start_mark.line + 1, found[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
            node = node.value[key]
            line = node.start_mark.line + 1
        else:
            break
    return line


def read_model(path: Path, model: type[M]) -> M:
    """A YAML file, its scalars read by a model's types.

    Raises:
        UnsuitableSuiteError: it is no YAML, or something in it does not fit; the text names where.
    """
    try:
        data = yaml.load(path.read_text("utf-8"), Loader=_Scalars)  # noqa: S506  a base loader makes texts and nothing else
        return model.model_validate(data)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UnsuitableSuiteError(f"{path}: {error}") from error
    except ValidationError as error:
        wrong = [f"{path.name}:{_line_of(path, found['loc'])}: {mistake(found)}" for found in error.errors()]
        raise UnsuitableSuiteError(told_faults(path.parent, wrong)) from error


class _Scalars(yaml.SafeLoader):
    """Scalars stay texts, so that 12:30 is no number; only `null` and nothing at all are none."""


_Scalars.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag == "tag:yaml.org,2002:null"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
