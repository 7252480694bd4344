"""Slots of a day, such as its ride and its meals, which an executor fills with offers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any, TypeAlias

from planspec.families.travelplanner.himap.goals import DayDraft, Goal
from planspec.families.travelplanner.himap.market import Market, Offer

MEALS = ("breakfast", "lunch", "dinner")


@dataclass(frozen=True, slots=True)
class OfferSlot:
    """Slot of a day, to be filled with at most one offer.

    Attributes:
        name: `ride`, `hotel`, a meal, or `sight`.
        offers: offers among which to choose.
        required: whether the slot must be filled.
    """

    name: str
    offers: tuple[Offer, ...]
    required: bool

    @property
    def is_meal(self) -> bool:
        """Whether the slot is a meal."""
        return self.name in MEALS

    def without_offers(self, names: Iterable[str], mode: str | None = None) -> OfferSlot:
        """Return the slot without offers that have one of the names or the mode."""
        excluded = frozenset(names)
        offers = tuple(o for o in self.offers if o.name not in excluded and (mode is None or o.mode != mode))
        return self if len(offers) == len(self.offers) else replace(self, offers=offers)


Selection: TypeAlias = Mapping[str, Offer]
"""Chosen offers, by name of the filled slot."""


def slots(goal: Goal, market: Market) -> tuple[OfferSlot, ...]:
    """Return the slots of a day, such as its ride and its meals, each with the offers that can fill it.

    On a day of travel, the ride is required; meals and an attraction are optional. On other days, three meals and an
    attraction are required. On a day of transit, from one visited city to another, breakfast is in the city of origin.
    There are no meals in the home city.
    """
    choices: list[OfferSlot] = []
    travels = goal.role != "stay"
    if travels and goal.origin is not None:
        rides = market.rides(goal.date, goal.origin, goal.city)
        choices.append(OfferSlot("ride", tuple(r for r in rides if goal.mode in (None, r.mode)), required=True))
    if goal.nights:
        choices.append(OfferSlot("hotel", market.hotels(goal.city, goal.nights), required=True))
    for meal, place in zip(MEALS, _meal_cities(goal), strict=True):
        if place is not None:
            choices.append(OfferSlot(meal, market.restaurants(place), required=not travels))
    sights = goal.origin if goal.role == "return" and goal.origin is not None else goal.city
    choices.append(OfferSlot("sight", market.sights(sights), required=not travels))
    needed = (slot for slot in choices if slot.required or not goal.frugal or (slot.is_meal and goal.tastes))
    return tuple(needed)


def _meal_cities(goal: Goal) -> tuple[str | None, str | None, str | None]:
    match goal.role:
        case "departure":
            return None, goal.city, goal.city
        case "stay":
            return goal.city, goal.city, goal.city
        case "transit":
            return goal.origin, goal.city, goal.city
        case "return":
            return goal.origin, goal.origin, None


def draft_day(goal: Goal, selection: Selection) -> DayDraft:
    """Return the plan of a day as rows. A stay of several nights also yields rows for the later days."""
    first_day: dict[str, Any] = {"day": goal.date, "city": goal.city}
    if goal.role != "stay":
        first_day["from"] = goal.origin
    if "ride" in selection:
        first_day.update(selection["ride"].cells)
    days = [first_day]
    if "hotel" in selection:
        first_day.update(selection["hotel"].cells)
        first = date.fromisoformat(goal.date)
        for night in range(1, goal.nights):
            later_date = (first + timedelta(days=night)).isoformat()
            days.append({"day": later_date, "city": goal.city, **selection["hotel"].cells})
    action: dict[str, Any] = {"days": days}
    meals = [{"day": goal.date, "meal": name, **o.cells} for name, o in selection.items() if name in MEALS]
    sights = [{"day": goal.date, **o.cells} for name, o in selection.items() if name == "sight"]
    if meals:
        action["meals"] = meals
    if sights:
        action["sights"] = sights
    return DayDraft(action, selection_cost(selection), tuple(o.name for o in selection.values()))


def selection_cost(selection: Selection) -> int:
    """Return the cost of a selection, in cents."""
    return sum(offer.cost for offer in selection.values())


def is_complete(selection: Selection, choices: Sequence[OfferSlot], tastes: Iterable[str]) -> bool:
    """Return whether all required slots are filled, no offer is used twice, and the meals cover every cuisine."""
    names = [offer.name for offer in selection.values()]
    eaten = {taste for name, offer in selection.items() if name in MEALS for taste in offer.tastes}
    filled = all(slot.name in selection for slot in choices if slot.required)
    return filled and len(names) == len(set(names)) and eaten.issuperset(tastes)
