"""TravelPlanner's queries, read from JSON lines and checked against the tables."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from planspec.families.suite_writing.folder import SkippedLine
from planspec.families.suite_writing.lines import numbered_lines, why_unfit_id
from planspec.families.travelplanner.importing.dialogues import whole_query
from planspec.families.travelplanner.official import query as travelplanner_query

ROOMS, RULES, MODES = (
    {word: member for member, word in words.items()}
    for words in (travelplanner_query.ROOMS, travelplanner_query.RULES, travelplanner_query.MODES)
)
"""The library's members, by their words in queries."""
KEPT_BACK = ("people_number", "local_constraint", "budget")
"""Fields that the benchmark withholds from the queries of its test split."""
OWN = frozenset(("said_later", "blind"))
"""Fields that no record has."""
MOST_NUMBER = 10_000
MOST_BUDGET = 10**9
"""In dollars."""


def _literal(value: Any) -> Any:
    """Parse a list or mapping that a public CSV holds as a Python literal."""
    if isinstance(value, str) and value[:1] in "[{":
        try:
            return ast.literal_eval(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return value
    return value


def _blank(value: Any) -> Any:
    """Return None for a value that asks for nothing."""
    return None if value in ("", "-", []) else value


def _several(value: Any) -> Any:
    value = _literal(value)
    return [value] if isinstance(value, str) and value not in ("", "-") else _blank(value)


def _writable(text: str) -> str:
    """Return the text if UTF-8 can encode it.

    Raises:
        ValueError: it has half of a surrogate pair, which JSON can spell.
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
    """A query in the public form. Other fields are allowed and ignored.

    A published dialogue is read as its final query; `query` is the text of its first turn.

    Attributes:
        people_number: number of travellers; 1 if it is not published.
        said_later: wishes of a dialogue's later turns, one each; empty for a query.
        blind: whether people, budget and wishes are unpublished, as in the benchmark's test split.
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
    def _complete_dialogue(cls, record: Any) -> Any:
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
        """The id of the query's task."""
        name = str(self.id if self.id is not None else self.idx)
        return "-".join((name, "published", *self.said_later)) if self.said_later else name

    def goes_to_city(self, places: KnownPlaces) -> bool:
        """Return whether the destination is a city: the city of a one-city trip, or a name that is no state."""
        one = self.visiting_city_number == 1 and self.dest in places.cities
        return one or self.dest not in places.states


@dataclass(frozen=True, slots=True)
class KnownPlaces:
    """The places of the tables, against which queries are checked.

    Attributes:
        cities: state of each city.
        lodging: cities with a listing that a plan may use.
        sights: cities with an attraction.
    """

    cities: Mapping[str, str | None]
    states: Collection[str]
    cuisines: Collection[str]
    lodging: Collection[str]
    sights: Collection[str]

    def reached(self, query: PublicQuery) -> list[str]:
        """Return the cities that a query's trip may visit."""
        if query.goes_to_city(self):
            return [query.dest] if query.dest != query.org else []
        return [city for city, state in self.cities.items() if state == query.dest and city != query.org]


def read_queries(
    path: Path, places: KnownPlaces, taken: set[str], *, dialogues: bool
) -> Iterator[PublicQuery | SkippedLine]:
    """Yield the queries of a file, each checked against the tables, or the reason why a line is none.

    Args:
        path: JSON lines, or one JSON list.
        places: places in the tables.
        taken: ids in use; those of the queries are added.
        dialogues: whether published dialogues are accepted.
    """

    def fault(query: PublicQuery) -> str:
        if query.said_later and not dialogues:
            return "it is a dialogue, which `planspec import flextravel` takes"
        if query.blind and dialogues:
            return f"{KEPT_BACK[0]}: it is missing; of a query without wishes no conversation is made"
        return "" if _is_nameless(query) else _unfit(query, places, taken)

    for number, item in numbered_lines(path, PublicQuery, fault):
        if isinstance(item, PublicQuery):
            query = item.model_copy(update={"idx": number}) if _is_nameless(item) else item
            unfit = _unfit(query, places, taken) if _is_nameless(item) else ""
            if unfit:
                yield SkippedLine(path.name, number, unfit)
                continue
            taken.add(query.name)
            yield query
        else:
            yield item


def _is_nameless(query: PublicQuery) -> bool:
    """Return whether the query has no id, as in the test split; its place in the file is then its name."""
    return query.blind and query.id is None and query.idx is None


def _unfit(query: PublicQuery, places: KnownPlaces, taken: set[str]) -> str:
    """Return the reason why a query cannot be a task, or an empty text."""
    constraint = query.local_constraint
    if query.id is None and query.idx is None:
        return "it has neither `id` nor `idx`"
    unfit = why_unfit_id(query.name)
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
    for need, served in (
        ("other city", places.cities),
        ("listing to stay at", places.lodging),
        ("attraction", places.sights),
    ):
        if not any(city in served for city in reached):
            return f"dest: the tables have no {need} in `{query.dest}`"
    for what, value, accepted in (
        ("house rule", constraint.rule, RULES), ("room type", constraint.room, ROOMS),
        ("transportation", constraint.transportation, MODES),
        *(("cuisine", cuisine, places.cuisines) for cuisine in constraint.cuisine or ()),
    ):  # fmt: skip
        if value is not None and value not in accepted:
            return f"local_constraint.{what}: `{value}` is not one of {', '.join(sorted(accepted)[:20])}"
    return ""
