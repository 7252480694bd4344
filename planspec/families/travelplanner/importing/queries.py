"""TravelPlanner's queries: read from JSON lines, checked against the tables."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from planspec.families.suite_writing.folder import LeftOut
from planspec.families.suite_writing.lines import numbered_lines, unfit_id
from planspec.families.travelplanner.importing.dialogues import whole_query
from planspec.families.travelplanner.official import query as travelplanner_query

ROOMS, RULES, MODES = (
    {said: member for member, said in words.items()}
    for words in (travelplanner_query.ROOMS, travelplanner_query.RULES, travelplanner_query.MODES)
)
"""The words of queries, and the library's members that they mean."""
KEPT_BACK = ("people_number", "local_constraint", "budget")
"""What the benchmark does not publish of the queries of its test split."""
OWN = frozenset(("said_later", "blind"))
"""Fields that no record has."""
MOST_NUMBER = 10_000
MOST_BUDGET = 10**9
"""In dollars."""


def _literal(value: Any) -> Any:
    """Lists and mappings that a public CSV has as the text of Python's own."""
    if isinstance(value, str) and value[:1] in "[{":
        try:
            return ast.literal_eval(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return value
    return value


def _blank(value: Any) -> Any:
    """Nothing asked."""
    return None if value in ("", "-", []) else value


def _several(value: Any) -> Any:
    value = _literal(value)
    return [value] if isinstance(value, str) and value not in ("", "-") else _blank(value)


def _writable(text: str) -> str:
    """Text that a file can hold.

    Raises:
        ValueError: half of a character, which JSON can spell.
    """
    if any("\ud800" <= c <= "\udfff" for c in text):
        raise ValueError("it has half of a surrogate pair")
    return text


class LocalConstraint(BaseModel):
    """The wishes of a query besides the budget; None for a wish that it does not have."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    rule: Annotated[str | None, BeforeValidator(_blank)] = Field(default=None, alias="house rule")
    cuisine: Annotated[list[str] | None, BeforeValidator(_several)] = None
    room: Annotated[str | None, BeforeValidator(_blank)] = Field(default=None, alias="room type")
    transportation: Annotated[str | None, BeforeValidator(_blank)] = None


class PublicQuery(BaseModel):
    """A query in the public form; fields that are not listed are allowed and not read.

    A published dialogue is the query that it ends with; `query` is what its first turn says.

    Attributes:
        people_number: 1 where nothing is published of it.
        said_later: the wishes of a dialogue's later turns, one each; none for a query.
        blind: neither people nor budget nor wishes are published, as of the benchmark's test split.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)
    id: int | str | None = None
    idx: int | str | None = None
    org: str
    dest: str
    days: int = Field(ge=1, le=31)
    visiting_city_number: int = Field(ge=1, le=MOST_NUMBER)
    date: Annotated[list[date], BeforeValidator(_literal)]
    people_number: int = Field(ge=1, le=MOST_NUMBER)
    local_constraint: Annotated[LocalConstraint, BeforeValidator(_literal)] = LocalConstraint()
    budget: Annotated[float | None, BeforeValidator(_blank)] = Field(
        default=None, ge=0, le=MOST_BUDGET, allow_inf_nan=False
    )
    query: Annotated[str, AfterValidator(_writable)]
    level: Literal["easy", "medium", "hard"] | None = None
    said_later: tuple[str, ...] = ()
    blind: bool = False

    @model_validator(mode="before")
    @classmethod
    def _of_dialogue(cls, record: Any) -> Any:
        if not isinstance(record, dict):
            return record
        record = {name: value for name, value in record.items() if name not in OWN}
        added = record.pop("new_constraints", None)
        if added is None and all(_blank(record.get(name)) is None for name in KEPT_BACK):
            return record | {"people_number": 1, "local_constraint": {}, "blind": True}
        if added is None:
            return record
        constraints = _literal(record.get("local_constraint") or {})
        if not isinstance(constraints, dict):
            return record
        return whole_query(record, constraints, _literal(added))

    @property
    def name(self) -> str:
        """The id of its task."""
        name = str(self.id if self.id is not None else self.idx)
        return "-".join((name, "published", *self.said_later)) if self.said_later else name

    def goes_to_city(self, places: KnownPlaces) -> bool:
        """The destination is a city: that of a one-city trip, or what no state is called."""
        one = self.visiting_city_number == 1 and self.dest in places.cities
        return one or self.dest not in places.states


@dataclass(frozen=True, slots=True)
class KnownPlaces:
    """The places of the tables, by which a query is checked.

    Attributes:
        cities: each with its state.
        lodging: the cities with a listing that a plan may be made of.
        sights: the cities with an attraction.
    """

    cities: Mapping[str, str | None]
    states: Collection[str]
    cuisines: Collection[str]
    lodging: Collection[str]
    sights: Collection[str]

    def reached(self, query: PublicQuery) -> list[str]:
        """The cities that a query's trip may go to."""
        if query.goes_to_city(self):
            return [query.dest] if query.dest != query.org else []
        return [city for city, state in self.cities.items() if state == query.dest and city != query.org]


def read_queries(
    path: Path, places: KnownPlaces, taken: set[str], *, dialogues: bool
) -> Iterator[PublicQuery | LeftOut]:
    """The queries of a file, each checked against the tables.

    Args:
        path: JSON lines, or one JSON list.
        places: what the tables have.
        taken: ids that are in use; those of the queries are added.
        dialogues: a published dialogue is taken, too.
    """

    def fault(query: PublicQuery) -> str:
        if query.said_later and not dialogues:
            return "it is a dialogue, which `planspec import flextravel` takes"
        if query.blind and dialogues:
            return f"{KEPT_BACK[0]}: it is missing; of a query without wishes no conversation is made"
        return "" if _is_nameless(query) else _unfit(query, places, taken)

    for number, found in numbered_lines(path, PublicQuery, fault):
        if isinstance(found, PublicQuery):
            query = found.model_copy(update={"idx": number}) if _is_nameless(found) else found
            unfit = _unfit(query, places, taken) if _is_nameless(found) else ""
            if unfit:
                yield LeftOut(path.name, number, unfit)
                continue
            taken.add(query.name)
            yield query
        else:
            yield found


def _is_nameless(query: PublicQuery) -> bool:
    """A query of the test split is called by its place, as that has no ids."""
    return query.blind and query.id is None and query.idx is None


def _unfit(query: PublicQuery, places: KnownPlaces, taken: set[str]) -> str:
    """Why a query cannot be a task; empty if it can."""
    asked = query.local_constraint
    if query.id is None and query.idx is None:
        return "it has neither `id` nor `idx`"
    unfit = unfit_id(query.name)
    if unfit:
        return unfit
    if query.name in taken:
        return f"there is a query `{query.name}` already"
    if len(query.date) != query.days:
        return f"date: {len(query.date)} dates for {query.days} days"
    if any((b - a).days != 1 for a, b in zip(query.date, query.date[1:], strict=False)):
        return "date: the dates do not follow each other"
    if query.org not in places.cities:
        return f"org: no city `{query.org}` in the tables"
    if query.dest not in places.states and query.dest not in places.cities:
        return f"dest: neither a state nor a city `{query.dest}` in the tables"
    reached = places.reached(query)
    for what_, had in (
        ("other city", places.cities),
        ("listing to stay at", places.lodging),
        ("attraction", places.sights),
    ):
        if not any(city in had for city in reached):
            return f"dest: the tables have no {what_} in `{query.dest}`"
    for what, said, known in (
        ("house rule", asked.rule, RULES), ("room type", asked.room, ROOMS),
        ("transportation", asked.transportation, MODES),
        *(("cuisine", cuisine, places.cuisines) for cuisine in asked.cuisine or ()),
    ):  # fmt: skip
        if said is not None and said not in known:
            return f"local_constraint.{what}: `{said}` is not one of {', '.join(sorted(known)[:20])}"
    return ""
