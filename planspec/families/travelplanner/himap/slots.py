"""The slots of a day: what its executor fills, and with which offers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any, TypeAlias

from planspec.families.travelplanner.himap.goals import DayDraft, Goal
from planspec.families.travelplanner.himap.market import Market, Offer

MEALS = ("breakfast", "lunch", "dinner")


@dataclass(frozen=True, slots=True)
class OfferChoice:
    """One thing to choose.

    Attributes:
        name: `ride`, `hotel`, a meal, or `sight`.
        offers: what there is to choose from.
        required: the day is not complete without it.
    """

    name: str
    offers: tuple[Offer, ...]
    required: bool

    @property
    def meal(self) -> bool:
        """It is eaten."""
        return self.name in MEALS

    def without(self, names: Iterable[str], mode: str | None = None) -> OfferChoice:
        """The slot without some offers: by their names, or by the mode of the ride."""
        gone = frozenset(names)
        kept = tuple(o for o in self.offers if o.name not in gone and (mode is None or o.mode != mode))
        return self if len(kept) == len(self.offers) else replace(self, offers=kept)


Selection: TypeAlias = Mapping[str, Offer]
"""An offer for each slot that is filled, by the slot's name."""


def slots(goal: Goal, market: Market) -> tuple[OfferChoice, ...]:
    """The slots of a day: on days of travel the ride, and what else fits; on others three meals and a sight.

    Where a day leaves a city for another, breakfast is eaten where it sets out; at home nothing is eaten.
    """
    made: list[OfferChoice] = []
    travels = goal.role != "stay"
    if travels and goal.origin is not None:
        rides = market.rides(goal.date, goal.origin, goal.city)
        made.append(
            OfferChoice("ride", tuple(r for r in rides if goal.mode in (None, r.mode)), required=True)
        )
    if goal.nights:
        made.append(OfferChoice("hotel", market.hotels(goal.city, goal.nights), required=True))
    for meal, place in zip(MEALS, _places(goal), strict=True):
        if place is not None:
            made.append(OfferChoice(meal, market.restaurants(place), required=not travels))
    sights = goal.origin if goal.role == "return" and goal.origin is not None else goal.city
    made.append(OfferChoice("sight", market.sights(sights), required=not travels))
    kept = (slot for slot in made if slot.required or not goal.frugal or (slot.meal and goal.tastes))
    return tuple(kept)


def _places(goal: Goal) -> tuple[str | None, str | None, str | None]:
    match goal.role:
        case "departure":
            return None, goal.city, goal.city
        case "stay":
            return goal.city, goal.city, goal.city
        case "transit":
            return goal.origin, goal.city, goal.city
        case "return":
            return goal.origin, goal.origin, None


def draft(goal: Goal, chosen: Selection) -> DayDraft:
    """A day as rows; the nights of a stay are those of the days that they follow."""
    here: dict[str, Any] = {"day": goal.date, "city": goal.city}
    if goal.role != "stay":
        here["from"] = goal.origin
    if "ride" in chosen:
        here.update(chosen["ride"].cells)
    days = [here]
    if "hotel" in chosen:
        here.update(chosen["hotel"].cells)
        first = date.fromisoformat(goal.date)
        for night in range(1, goal.nights):
            after = (first + timedelta(days=night)).isoformat()
            days.append({"day": after, "city": goal.city, **chosen["hotel"].cells})
    action: dict[str, Any] = {"days": days}
    meals = [{"day": goal.date, "meal": name, **o.cells} for name, o in chosen.items() if name in MEALS]
    sights = [{"day": goal.date, **o.cells} for name, o in chosen.items() if name == "sight"]
    if meals:
        action["meals"] = meals
    if sights:
        action["sights"] = sights
    return DayDraft(action, cost(chosen), tuple(o.name for o in chosen.values()))


def cost(chosen: Selection) -> int:
    """The cost of a selection, in cents."""
    return sum(offer.cost for offer in chosen.values())


def complete(chosen: Selection, asked: Sequence[OfferChoice], tastes: Iterable[str]) -> bool:
    """All that is required is there, nothing twice, and every taste is met by a meal."""
    names = [offer.name for offer in chosen.values()]
    eaten = {taste for name, offer in chosen.items() if name in MEALS for taste in offer.tastes}
    filled = all(slot.name in chosen for slot in asked if slot.required)
    return filled and len(names) == len(set(names)) and eaten.issuperset(tastes)
