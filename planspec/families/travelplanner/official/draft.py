"""Drafts: copies of a plan in which quirks of the evaluator are fixed. Also the strict profile's reading of a plan."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.values import minor_digits
from planspec.families.travelplanner.format.codec import FORMAT
from planspec.families.travelplanner.official.facts import (
    Accommodation,
    Attraction,
    CityTable,
    Flight,
    Place,
    ReferenceTables,
    Restaurant,
)
from planspec.families.travelplanner.official.query import name_of
from planspec.families.travelplanner.official.reading import MEALS, Day, EvaluatorQuery

NOWHERE = "⟦⟧"
"""A string that names nothing and shares no letter with any name."""
ROOMS = {"entire_home": "Entire home/apt", "private_room": "Private room", "shared_room": "Shared room"}
BANS = {
    "smoking": "No smoking",
    "parties": "No parties",
    "children": "No children under 10",
    "visitors": "No visitors",
    "pets": "No pets",
}


@dataclass(frozen=True, slots=True)
class DayItem:
    """An item of a day, such as a meal, with the strict profile's reading of its text.

    Attributes:
        text: text of the day's field.
        row: row that the text names; None if it is empty or unknown.
        is_known: whether the text is empty or names a row.
    """

    text: str
    row: Any
    is_known: bool

    @property
    def is_blank(self) -> bool:
        """Whether the text is empty."""
        return self.row is None and self.is_known


@dataclass(frozen=True, slots=True)
class ReadDay:
    """A day as the strict profile reads it.

    Attributes:
        number: number of the day, from 1.
        texts: the day's fields as written in the answer.
        row: row of the plan table `days`; None if the day has no content.
        meals: item of each meal.
        sights: items of the attractions, in order.
    """

    number: int
    texts: Day
    row: Any
    meals: Mapping[str, DayItem]
    sights: tuple[DayItem, ...]

    def day_item(self, column: str, name: str) -> DayItem:
        """Return the item in a column of the table `days`, with the text of the answer's field `name`."""
        return _day_item(self.row, column, field_text(self.texts, name))

    @property
    def hotel(self) -> DayItem:
        """The item of the accommodation."""
        return self.day_item("hotel", "accommodation")

    @property
    def is_travel_day(self) -> bool:
        """Whether the evaluator treats the day as a day of travel."""
        return "from" in field_text(self.texts, "current_city")


def field_text(day: Day, name: str) -> str:
    """Return the string of a field. It is empty if the field is missing or not a string."""
    value = day.get(name)
    return value if isinstance(value, str) else ""


def _day_item(row: Any, column: str, value: str) -> DayItem:
    if row is None:
        return DayItem(value, None, True)
    return DayItem(value, getattr(row, column), column not in row._unknown)


def read_strictly(task: Task, days: Sequence[Day]) -> tuple[ReadDay, ...]:
    """Return the days of a plan as the strict profile reads them."""
    plan, _ = FORMAT.decode(task, list(days))
    trip = sorted(task.givens["trip"])
    by_day: dict[int, Row] = {row.day: row for row in plan.tables["days"]}  # type: ignore[attr-defined]
    strict_days = []
    for number, texts in enumerate(days, 1):
        day = trip[number - 1] if number <= len(trip) else trip[-1] + number - len(trip)
        meals = {row.meal: row for row in plan.tables["meals"] if row.day == day}  # type: ignore[attr-defined]
        sights = [row for row in plan.tables["sights"] if row.day == day]  # type: ignore[attr-defined]
        strict_days.append(
            ReadDay(
                number,
                texts,
                by_day.get(day),
                {meal: _day_item(meals.get(meal), "restaurant", field_text(texts, meal)) for meal in MEALS},
                tuple(_day_item(row, "attraction", field_text(texts, "attraction")) for row in sights),
            )
        )
    return tuple(strict_days)


@dataclass(slots=True)
class PlanDraft:
    """A copy of a plan, with its query and the evaluator's tables. Fixes may change all of them.

    Attributes:
        query: query of the task, in the evaluator's form.
        days: days of the plan, by field.
        facts: the evaluator's tables.
        currency: currency of the task's amounts.
        left_out: numbers of the days that are left out when the draft is judged.
    """

    query: EvaluatorQuery
    days: list[dict[str, Any]]
    facts: ReferenceTables
    currency: str
    left_out: set[int] = field(default_factory=set)

    def dollars(self, minor: int) -> float:
        """Convert an amount in the currency's minor unit to dollars, as a float, which the evaluator uses."""
        return float(minor) / 10.0 ** minor_digits(self.currency)

    def add_restaurant(self, row: Any) -> str:
        """Add a restaurant of the strict profile to the tables. Return a string that names only this restaurant."""
        restaurant = Restaurant(
            _unique_name(row),
            name_of(row.city),
            ", ".join(name_of(c) for c in row.cuisines),
            self.dollars(row.price),
        )
        self.facts = replace(self.facts, restaurants=_with_place(self.facts.restaurants, restaurant))
        return f"{restaurant.name}, {restaurant.city}"

    def add_attraction(self, row: Any) -> str:
        """Add an attraction of the strict profile to the tables. Return a string that names only this attraction."""
        attraction = Attraction(_unique_name(row), name_of(row.city))
        self.facts = replace(self.facts, attractions=_with_place(self.facts.attractions, attraction))
        return f"{attraction.name}, {attraction.city}"

    def add_hotel(self, row: Any) -> str:
        """Add a hotel of the strict profile to the tables. Return a string that names only this accommodation."""
        listing = Accommodation(
            _unique_name(row),
            name_of(row.city),
            ROOMS.get(row.room, row.room),
            self.dollars(row.price),
            row.least,
            " & ".join(BANS.get(ban, ban) for ban in row.bans),
            row.sleeps,
        )
        return self.add_listing(listing)

    def add_listing(self, listing: Accommodation) -> str:
        """Add a listing to the tables. Return a string that names the listing."""
        self.facts = replace(self.facts, accommodations=_with_place(self.facts.accommodations, listing))
        return f"{listing.name}, {listing.city}"

    def add_flight(self, row: Any, origin: str, to: str) -> str:
        """Add a flight of the strict profile to the tables. Return a transport string that names only this flight."""
        number = _unique_name(row)
        flight = Flight(number, name_of(row.origin), name_of(row.to), int(self.dollars(row.price)))
        flights = ChainMap({number: (flight,)}, self.facts.flights)  # type: ignore[arg-type] # never written
        self.facts = replace(self.facts, flights=flights)
        return f"Flight Number: {number}, from {origin} to {to}"


def _unique_name(row: Row) -> str:
    return f"⟦{row._index}⟧"


def _with_place(table: CityTable[Place], place: Place) -> CityTable[Place]:
    places = table.by_city.get(place.city, ())
    if place in places:
        return table
    more: tuple[Place, ...] = (place,)
    return CityTable({**table.by_city, place.city: more + places})


@dataclass(frozen=True, slots=True)
class QuirkFix:
    """A change of a draft after which one quirk no longer affects the evaluator.

    Attributes:
        quirk: id of the quirk, a slug such as `letter-case`.
        apply: function that changes a draft.
        day: number of the day, from 1; None if the fix concerns the whole plan.
        name: field of the day; None if the fix concerns no single field.
        text: original text of the field; None if the fix concerns no single field.
    """

    quirk: str
    apply: Callable[[PlanDraft], None] = field(repr=False)
    day: int | None = None
    name: str | None = None
    text: str | None = None


def replace_text(quirk: str, day: ReadDay, name: str, replacement: str | Callable[[PlanDraft], str]) -> QuirkFix:
    """Return a fix that replaces the text of a field."""

    def apply(draft: PlanDraft) -> None:
        if day.number <= len(draft.days):
            draft.days[day.number - 1][name] = replacement if isinstance(replacement, str) else replacement(draft)

    original = day.texts.get(name)
    return QuirkFix(quirk, apply, day.number, name, None if original is None else str(original))
