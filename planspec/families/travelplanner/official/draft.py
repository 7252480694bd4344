"""A plan's texts with the strict profile's reading of them, and drafts with single quirks mended."""

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
from planspec.families.travelplanner.official.query import name
from planspec.families.travelplanner.official.reading import MEALS, Day, EvaluatorQuery

NOWHERE = "⟦⟧"
"""A text that names nothing and has no letter of a name."""
ROOMS = {"entire_home": "Entire home/apt", "private_room": "Private room", "shared_room": "Shared room"}
BANS = {
    "smoking": "No smoking", "parties": "No parties", "children": "No children under 10",
    "visitors": "No visitors", "pets": "No pets",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class DayItem:
    """One item named by a day's text.

    Attributes:
        text: the text.
        row: row in the strict profile; None for an empty or unknown text.
        is_known: whether the text is a known row or empty.
    """

    text: str
    row: Any
    is_known: bool

    @property
    def blank(self) -> bool:
        """Whether the text is empty."""
        return self.row is None and self.is_known


@dataclass(frozen=True, slots=True)
class ReadDay:
    """A day as the strict profile reads it.

    Attributes:
        number: number of the day, from 1.
        texts: the original day.
        row: row of the plan's table `days`; None if the day is padding.
    """

    number: int
    texts: Day
    row: Any
    meals: Mapping[str, DayItem]
    sights: tuple[DayItem, ...]

    def cell(self, column: str, name: str) -> DayItem:
        """Return a column of the day's row with the field of the text that gives it."""
        return _cell(self.row, column, text(self.texts, name))

    @property
    def hotel(self) -> DayItem:
        """The accommodation."""
        return self.cell("hotel", "accommodation")

    @property
    def travels(self) -> bool:
        """Whether the evaluator treats the day as one of travel."""
        return "from" in text(self.texts, "current_city")


def text(day: Day, name: str) -> str:
    """Return a field's text, empty if there is none."""
    value = day.get(name)
    return value if isinstance(value, str) else ""


def _cell(row: Any, column: str, value: str) -> DayItem:
    if row is None:
        return DayItem(value, None, True)
    return DayItem(value, getattr(row, column), column not in row._unknown)


def read_strictly(task: Task, days: Sequence[Day]) -> tuple[ReadDay, ...]:
    """Return the days of a plan with the rows that the strict profile reads in them."""
    plan, _ = FORMAT.decode(task, list(days))
    trip = sorted(task.givens["trip"])
    by_day: dict[int, Row] = {row.day: row for row in plan.tables["days"]}  # type: ignore[attr-defined]
    read_days_ = []
    for place, texts in enumerate(days):
        day = trip[place] if place < len(trip) else trip[-1] + place - len(trip) + 1
        meals = {row.meal: row for row in plan.tables["meals"] if row.day == day}  # type: ignore[attr-defined]
        sights = [row for row in plan.tables["sights"] if row.day == day]  # type: ignore[attr-defined]
        read_days_.append(
            ReadDay(
                place + 1, texts, by_day.get(day),
                {meal: _cell(meals.get(meal), "restaurant", text(texts, meal)) for meal in MEALS},
                tuple(_cell(row, "attraction", text(texts, "attraction")) for row in sights),
            )
        )  # fmt: skip
    return tuple(read_days_)


@dataclass(slots=True)
class PlanDraft:
    """A plan, a query and tables that may be changed.

    Attributes:
        currency: currency of the task's amounts.
        left_out: numbers of days that are not judged.
    """

    query: EvaluatorQuery
    days: list[dict[str, Any]]
    facts: ReferenceTables
    currency: str
    left_out: set[int] = field(default_factory=set)

    def dollars(self, minor: int) -> float:
        """Return an amount of the task in dollars, as the evaluator has it."""
        return float(minor) / 10.0 ** minor_digits(self.currency)

    def restaurant(self, row: Any) -> str:
        """Return a text that names only this restaurant, with its facts in the strict profile."""
        restaurant_ = Restaurant(
            _alone(row), name(row.city), ", ".join(name(c) for c in row.cuisines), self.dollars(row.price)
        )
        self.facts = replace(self.facts, restaurants=_with(self.facts.restaurants, restaurant_))
        return f"{restaurant_.name}, {restaurant_.city}"

    def attraction(self, row: Any) -> str:
        """Return a text that names only this attraction."""
        attraction_ = Attraction(_alone(row), name(row.city))
        self.facts = replace(self.facts, attractions=_with(self.facts.attractions, attraction_))
        return f"{attraction_.name}, {attraction_.city}"

    def hotel(self, row: Any) -> str:
        """Return a text that names only this accommodation, with its facts in the strict profile."""
        listing_ = Accommodation(
            _alone(row), name(row.city), ROOMS.get(row.room, row.room), self.dollars(row.price), row.least,
            " & ".join(BANS.get(ban, ban) for ban in row.bans), row.sleeps,
        )  # fmt: skip
        return self.listing(listing_)

    def listing(self, listing_: Accommodation) -> str:
        """Return a text that names a listing, and add the listing to the tables."""
        self.facts = replace(self.facts, accommodations=_with(self.facts.accommodations, listing_))
        return f"{listing_.name}, {listing_.city}"

    def flight(self, row: Any, origin: str, to: str) -> str:
        """Return a text that names only this flight, with its price."""
        number = _alone(row)
        flight_ = Flight(number, name(row.origin), name(row.to), int(self.dollars(row.price)))
        flights = ChainMap({number: (flight_,)}, self.facts.flights)  # type: ignore[arg-type] # never written
        self.facts = replace(self.facts, flights=flights)
        return f"Flight Number: {number}, from {origin} to {to}"


def _alone(row: Row) -> str:
    return f"⟦{row._index}⟧"


def _with(table: CityTable[Place], place: Place) -> CityTable[Place]:
    places = table.by_city.get(place.city, ())
    if place in places:
        return table
    more: tuple[Place, ...] = (place,)
    return CityTable({**table.by_city, place.city: more + places})


@dataclass(frozen=True, slots=True)
class Mend:
    """A quirk at one place, and the change that keeps it from the evaluator.

    Attributes:
        quirk: slug of the quirk.
        day: number of the day, from 1; None for the whole plan.
        name: field of the day.
        text: original text of the field.
        apply: function that changes a draft.
    """

    quirk: str
    apply: Callable[[PlanDraft], None] = field(repr=False)
    day: int | None = None
    name: str | None = None
    text: str | None = None


def put(quirk: str, day: ReadDay, name: str, replacement: str | Callable[[PlanDraft], str]) -> Mend:
    """Return a mend that replaces the text of a field."""

    def apply(draft: PlanDraft) -> None:
        if day.number <= len(draft.days):
            draft.days[day.number - 1][name] = (
                replacement if isinstance(replacement, str) else replacement(draft)
            )

    original = day.texts.get(name)
    return Mend(quirk, apply, day.number, name, None if original is None else str(original))
