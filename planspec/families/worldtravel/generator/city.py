"""A city as its author writes it: a folder of CSV tables, `city.yaml` and `scenarios.yaml`."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Self, TypeVar

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from planspec.families.suite_writing.options import UnfitSuite
from planspec.families.worldtravel.generator.scenarios import Scenarios

M = TypeVar("M", bound=BaseModel)

TABLES = {
    "Place": "place", "Hotel": "hotel", "Offer": "offer", "Fare": "fare", "FamilyTicket": "family_ticket", "Addon": "addon",
    "Menu": "menu", "Show": "show", "Running": "running", "Light": "light", "Part": "part", "Includes": "includes",
    "Route": "route", "Passes": "passes", "CityPass": "city_pass", "Covers": "covers", "Dwell": "dwell",
}  # fmt: skip
"""The tables of the library that the author writes, and their files."""
NEEDED = ("place", "hotel", "offer", "fare", "menu", "dwell", "hours", "starts")
"""The files that no city can do without; of the others a city has those that it has a use for."""


def _cents(value: Any) -> int:
    """Minor units of an amount such as `4.30 EUR`."""
    number, _, _ = str(value).partition(" ")
    units, _, rest = number.partition(".")
    return int(units) * 100 + int(rest.ljust(2, "0")[:2] or 0)


def _minutes(value: Any) -> int:
    """Minutes after midnight of a time such as `14:30`."""
    if isinstance(value, int):
        return value
    hours, _, rest = str(value).partition(":")
    return int(hours) * 60 + int(rest)


Cents = Annotated[int, BeforeValidator(_cents)]
Clock = Annotated[int, BeforeValidator(_minutes)]
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
            UnfitSuite: a file is missing, or `city.yaml` is not as it has to be.
        """
        for name in ("city.yaml", "scenarios.yaml", *(f"{name}.csv" for name in NEEDED)):
            if not (folder / name).is_file():
                raise UnfitSuite(f"`{folder}` is no city: it has no {name}")
        return cls(folder, read_model(folder / "city.yaml", Head))

    def rows(self, name: str) -> list[dict[str, str]]:
        """The rows of a file, as texts by header; none where the city has no such file.

        Raises:
            UnfitSuite: a line has more or fewer cells than the header.
        """
        return self._tables.get(name, [])

    @cached_property
    def _tables(self) -> Mapping[str, list[dict[str, str]]]:
        return {path.stem: _rows(path) for path in sorted(self.folder.glob("*.csv"))}

    @cached_property
    def scenarios(self) -> Scenarios:
        """`scenarios.yaml`: what tasks are made of."""
        return read_model(self.folder / "scenarios.yaml", Scenarios)

    def by_id(self, name: str) -> dict[str, dict[str, str]]:
        """The rows of a file by their ids."""
        return {row["id"]: row for row in self.rows(name)}


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file, skipinitialspace=True)
        rows = []
        for row in reader:
            if None in row or None in row.values():
                raise UnfitSuite(f"{path}:{reader.line_num}: the line has not as many cells as the header")
            rows.append({str(key): value.strip() for key, value in row.items()})
    return rows


def read_model(path: Path, model: type[M]) -> M:
    """A YAML file, its scalars read by a model's types.

    Raises:
        UnfitSuite: it is no YAML, or something in it does not fit; the text names where.
    """
    try:
        data = yaml.load(path.read_text("utf-8"), Loader=_Scalars)  # noqa: S506  a base loader makes texts and nothing else
        return model.model_validate(data)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UnfitSuite(f"{path}: {error}") from error
    except ValidationError as error:
        wrong = [f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()]
        raise UnfitSuite(
            f"{path}: {'; '.join(wrong[:5])}" + (f" (and {len(wrong) - 5} more)" if len(wrong) > 5 else "")
        ) from error


class _Scalars(yaml.SafeLoader):
    """Scalars stay texts, so that 12:30 is no number; only `null` and nothing at all are none."""


_Scalars.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag == "tag:yaml.org,2002:null"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
