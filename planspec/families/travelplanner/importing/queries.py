"""TravelPlanner's public queries, read from JSON lines and checked against the tables."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from planspec.families.travelplanner.importing.dialogues import complete_query
from planspec.families.travelplanner.official import query as travelplanner_query
from planspec.suite_writing.folder import SkippedLine
from planspec.suite_writing.lines import numbered_lines, why_unfit_id

ROOMS, RULES, MODES = (
    {word: member for member, word in words.items()}
    for words in (travelplanner_query.ROOMS, travelplanner_query.RULES, travelplanner_query.MODES)
)
"""Values of the constraint library's enums, by the words for them in queries."""
WITHHELD_FIELDS = ("people_number", "local_constraint", "budget")
"""Fields that the benchmark withholds from the queries of its test split."""
DERIVED = frozenset(("later_wishes", "blind"))
"""Fields of `PublicQuery` that are derived and never read from a record."""
MOST_NUMBER = 10_000
MOST_BUDGET = 10**9
"""Maximum accepted budget, in dollars."""


def _parse_literal(value: Any) -> Any:
    """Parse a string with a Python list or dict literal, as in the public CSV files."""
    if isinstance(value, str) and value[:1] in "[{":
        try:
            return ast.literal_eval(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return value
    return value


def _none_if_blank(value: Any) -> Any:
    """Return None for a blank value, which requests nothing. Return other values unchanged."""
    return None if value in ("", "-", []) else value


def _parse_list(value: Any) -> Any:
    value = _parse_literal(value)
    return [value] if isinstance(value, str) and value not in ("", "-") else _none_if_blank(value)


def _check_encodable(text: str) -> str:
    """Return a text if UTF-8 can encode it.

    Raises:
        ValueError: the text has an unpaired surrogate, which JSON can express.
    """
    if any("\ud800" <= c <= "\udfff" for c in text):
        raise ValueError("it has half of a surrogate pair")
    return text


class LocalConstraint(BaseModel):
    """The wishes of a query besides the budget. An absent wish is None."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    rule: Annotated[str | None, BeforeValidator(_none_if_blank)] = Field(default=None, alias="house rule")
    cuisine: Annotated[list[str] | None, BeforeValidator(_parse_list)] = None
    room: Annotated[str | None, BeforeValidator(_none_if_blank)] = Field(default=None, alias="room type")
    transportation: Annotated[str | None, BeforeValidator(_none_if_blank)] = None


class PublicQuery(BaseModel):
    """A query in the public form. Unknown fields are ignored.

    A published dialogue is read as its final query. Its `query` is the text of the first turn.

    Attributes:
        people_number: number of travellers; 1 if it is not published.
        later_wishes: wishes that a dialogue's later turns add, one for each turn; empty for a single query.
        blind: whether the number of travellers, the budget and the wishes are unpublished, as in the
            benchmark's test split.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)
    id: int | str | None = None
    idx: int | str | None = None
    org: str
    dest: str
    days: int = Field(ge=1, le=31)
    visiting_city_number: int = Field(ge=1, le=MOST_NUMBER)
    date: Annotated[list[date], BeforeValidator(_parse_literal)]
    people_number: int = Field(ge=1, le=MOST_NUMBER)
    local_constraint: Annotated[LocalConstraint, BeforeValidator(_parse_literal)] = LocalConstraint()
    budget: Annotated[float | None, BeforeValidator(_none_if_blank)] = Field(
        default=None, ge=0, le=MOST_BUDGET, allow_inf_nan=False
    )
    query: Annotated[str, AfterValidator(_check_encodable)]
    level: Literal["easy", "medium", "hard"] | None = None
    later_wishes: tuple[str, ...] = ()
    blind: bool = False

    @model_validator(mode="before")
    @classmethod
    def _complete_dialogue(cls, record: Any) -> Any:
        if not isinstance(record, dict):
            return record
        record = {name: value for name, value in record.items() if name not in DERIVED}
        added = record.pop("new_constraints", None)
        if added is None and all(_none_if_blank(record.get(name)) is None for name in WITHHELD_FIELDS):
            return record | {"people_number": 1, "local_constraint": {}, "blind": True}
        if added is None:
            return record
        constraints = _parse_literal(record.get("local_constraint") or {})
        if not isinstance(constraints, dict):
            return record
        return complete_query(record, constraints, _parse_literal(added))

    @property
    def name(self) -> str:
        """Id of the query's task."""
        name = str(self.id if self.id is not None else self.idx)
        return "-".join((name, "published", *self.later_wishes)) if self.later_wishes else name

    def goes_to_city(self, places: KnownPlaces) -> bool:
        """Return whether the destination is a city. Otherwise it is a state.

        A name that a city and a state share means the city only if the trip visits exactly one city.
        """
        one = self.visiting_city_number == 1 and self.dest in places.cities
        return one or self.dest not in places.states


@dataclass(frozen=True, slots=True)
class KnownPlaces:
    """The places in the tables, against which queries are checked.

    Attributes:
        cities: state of each city by the city's name; None if unknown.
        states: names of the states.
        cuisines: names of the cuisines.
        lodging: names of the cities with a listing that a plan may use.
        sights: names of the cities with an attraction.
    """

    cities: Mapping[str, str | None]
    states: Collection[str]
    cuisines: Collection[str]
    lodging: Collection[str]
    sights: Collection[str]

    def destinations(self, query: PublicQuery) -> list[str]:
        """Return the cities that the trip of a query may visit."""
        if query.goes_to_city(self):
            return [query.dest] if query.dest != query.org else []
        return [city for city, state in self.cities.items() if state == query.dest and city != query.org]


def read_queries(
    path: Path, places: KnownPlaces, used_ids: set[str], *, dialogues: bool
) -> Iterator[PublicQuery | SkippedLine]:
    """Yield the queries of a file and, for each line that is left out, the reason.

    Args:
        path: file of JSON lines, or of one JSON list.
        places: places in the tables, against which the queries are checked.
        used_ids: ids in use. The ids of the yielded queries are added.
        dialogues: whether to accept published dialogues.
    """

    def why_left_out(query: PublicQuery) -> str:
        if query.later_wishes and not dialogues:
            return "it is a dialogue, which `planspec import flextravel` takes"
        if query.blind and dialogues:
            return f"{WITHHELD_FIELDS[0]}: it is missing; of a query without wishes no conversation is made"
        return "" if _has_no_id(query) else _why_unusable(query, places, used_ids)

    for number, item in numbered_lines(path, PublicQuery, why_left_out):
        if isinstance(item, PublicQuery):
            query = item.model_copy(update={"idx": number}) if _has_no_id(item) else item
            unfit = _why_unusable(query, places, used_ids) if _has_no_id(item) else ""
            if unfit:
                yield SkippedLine(path.name, number, unfit)
                continue
            used_ids.add(query.name)
            yield query
        else:
            yield item


def _has_no_id(query: PublicQuery) -> bool:
    """Return whether a query has no id. Queries of the test split have no ids; their line numbers are used instead."""
    return query.blind and query.id is None and query.idx is None


def _why_unusable(query: PublicQuery, places: KnownPlaces, used_ids: set[str]) -> str:
    """Return the reason why a query cannot become a task, or an empty string."""
    constraint = query.local_constraint
    if query.id is None and query.idx is None:
        return "it has neither `id` nor `idx`"
    unfit = why_unfit_id(query.name)
    if unfit:
        return unfit
    if query.name in used_ids:
        return f"there is a query `{query.name}` already"
    if len(query.date) != query.days:
        return f"date: {len(query.date)} dates for {query.days} days"
    if any((b - a).days != 1 for a, b in zip(query.date, query.date[1:], strict=False)):
        return "date: the dates do not follow each other"
    if query.org not in places.cities:
        return f"org: no city `{query.org}` in the tables"
    if query.dest not in places.states and query.dest not in places.cities:
        return f"dest: neither a state nor a city `{query.dest}` in the tables"
    destinations = places.destinations(query)
    for need, cities_with_it in (
        ("other city", places.cities),
        ("listing to stay at", places.lodging),
        ("attraction", places.sights),
    ):
        if not any(city in cities_with_it for city in destinations):
            return f"dest: the tables have no {need} in `{query.dest}`"
    for what, value, accepted in (
        ("house rule", constraint.rule, RULES),
        ("room type", constraint.room, ROOMS),
        ("transportation", constraint.transportation, MODES),
        *(("cuisine", cuisine, places.cuisines) for cuisine in constraint.cuisine or ()),
    ):
        if value is not None and value not in accepted:
            return f"local_constraint.{what}: `{value}` is not one of {', '.join(sorted(accepted)[:20])}"
    return ""
