"""A plan as the strict profile reads it beside its texts, and drafts of it with single quirks mended."""

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
"""A text that names nothing and holds no letter of a name."""
ROOMS = {"entire_home": "Entire home/apt", "private_room": "Private room", "shared_room": "Shared room"}
BANS = {
    "smoking": "No smoking", "parties": "No parties", "children": "No children under 10",
    "visitors": "No visitors", "pets": "No pets",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class DayItem:
    """One thing that a day's text names.

    Attributes:
        said: the text.
        row: what the strict profile takes it for; None for nothing, and for what it does not know.
        known: it is a row, or nothing is said.
    """

    said: str
    row: Any
    known: bool

    @property
    def blank(self) -> bool:
        """Nothing is said."""
        return self.row is None and self.known


@dataclass(frozen=True, slots=True)
class ReadDay:
    """A day as the strict profile reads it.

    Attributes:
        number: from 1.
        texts: the day as it stands.
        row: of the plan's table `days`; None where the day is padding.
    """

    number: int
    texts: Day
    row: Any
    meals: Mapping[str, DayItem]
    sights: tuple[DayItem, ...]

    def cell(self, column: str, name: str) -> DayItem:
        """A column of the day's row, said in a field of the text."""
        return _cell(self.row, column, text(self.texts, name))

    @property
    def hotel(self) -> DayItem:
        """The accommodation."""
        return self.cell("hotel", "accommodation")

    @property
    def travels(self) -> bool:
        """The evaluator takes it for a day of travel."""
        return "from" in text(self.texts, "current_city")


def text(day: Day, name: str) -> str:
    """A field's text, empty where there is none."""
    value = day.get(name)
    return value if isinstance(value, str) else ""


def _cell(row: Any, column: str, said: str) -> DayItem:
    if row is None:
        return DayItem(said, None, True)
    return DayItem(said, getattr(row, column), column not in row._unknown)


def read_strictly(task: Task, days: Sequence[Day]) -> tuple[ReadDay, ...]:
    """The days of a plan beside the rows that the strict profile reads in them."""
    plan, _ = FORMAT.decode(task, list(days))
    trip = sorted(task.givens["trip"])
    by_day: dict[int, Row] = {row.day: row for row in plan.tables["days"]}  # type: ignore[attr-defined]
    made = []
    for place, texts in enumerate(days):
        day = trip[place] if place < len(trip) else trip[-1] + place - len(trip) + 1
        meals = {row.meal: row for row in plan.tables["meals"] if row.day == day}  # type: ignore[attr-defined]
        sights = [row for row in plan.tables["sights"] if row.day == day]  # type: ignore[attr-defined]
        made.append(
            ReadDay(
                place + 1, texts, by_day.get(day),
                {meal: _cell(meals.get(meal), "restaurant", text(texts, meal)) for meal in MEALS},
                tuple(_cell(row, "attraction", text(texts, "attraction")) for row in sights),
            )
        )  # fmt: skip
    return tuple(made)


@dataclass(slots=True)
class PlanDraft:
    """A plan, a query and tables that may be changed.

    Attributes:
        currency: in which the task's amounts are.
        left_out: the places of days that are not judged.
    """

    query: EvaluatorQuery
    days: list[dict[str, Any]]
    facts: ReferenceTables
    currency: str
    left_out: set[int] = field(default_factory=set)

    def dollars(self, minor: int) -> float:
        """An amount of the task as the evaluator has it."""
        return float(minor) / 10.0 ** minor_digits(self.currency)

    def restaurant(self, row: Any) -> str:
        """A text that names this restaurant and nothing else, as the strict profile has it."""
        made = Restaurant(
            _alone(row), name(row.city), ", ".join(name(c) for c in row.cuisines), self.dollars(row.price)
        )
        self.facts = replace(self.facts, restaurants=_with(self.facts.restaurants, made))
        return f"{made.name}, {made.city}"

    def attraction(self, row: Any) -> str:
        """The same of an attraction."""
        made = Attraction(_alone(row), name(row.city))
        self.facts = replace(self.facts, attractions=_with(self.facts.attractions, made))
        return f"{made.name}, {made.city}"

    def hotel(self, row: Any) -> str:
        """The same of an accommodation."""
        made = Accommodation(
            _alone(row), name(row.city), ROOMS.get(row.room, row.room), self.dollars(row.price), row.least,
            " & ".join(BANS.get(ban, ban) for ban in row.bans), row.sleeps,
        )  # fmt: skip
        return self.listing(made)

    def listing(self, made: Accommodation) -> str:
        """A text that names a listing, which is added to the tables."""
        self.facts = replace(self.facts, accommodations=_with(self.facts.accommodations, made))
        return f"{made.name}, {made.city}"

    def flight(self, row: Any, origin: str, to: str) -> str:
        """A text that names this flight alone, with what it costs."""
        number = _alone(row)
        made = Flight(number, name(row.origin), name(row.to), int(self.dollars(row.price)))
        flights = ChainMap({number: (made,)}, self.facts.flights)  # type: ignore[arg-type] # never written
        self.facts = replace(self.facts, flights=flights)
        return f"Flight Number: {number}, from {origin} to {to}"


def _alone(row: Row) -> str:
    return f"⟦{row._index}⟧"


def _with(table: CityTable[Place], made: Place) -> CityTable[Place]:
    there = table.by_city.get(made.city, ())
    if made in there:
        return table
    more: tuple[Place, ...] = (made,)
    return CityTable({**table.by_city, made.city: more + there})


@dataclass(frozen=True, slots=True)
class Mend:
    """A quirk at one place, and what makes the evaluator do without it.

    Attributes:
        quirk: its slug.
        day: from 1; None for what concerns the whole plan.
        name: the field of the day.
        said: what stands there.
        apply: changes a draft.
    """

    quirk: str
    apply: Callable[[PlanDraft], None] = field(repr=False)
    day: int | None = None
    name: str | None = None
    said: str | None = None


def put(quirk: str, day: ReadDay, name: str, made: str | Callable[[PlanDraft], str]) -> Mend:
    """The mend that writes another text into a field."""

    def apply(draft: PlanDraft) -> None:
        if day.number <= len(draft.days):
            draft.days[day.number - 1][name] = made if isinstance(made, str) else made(draft)

    said = day.texts.get(name)
    return Mend(quirk, apply, day.number, name, None if said is None else str(said))
