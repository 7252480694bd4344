"""Policies with which an executor without a model chooses among the offers of its day."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from random import Random
from typing import Protocol

from planspec.families.travelplanner.himap.market import Offer
from planspec.families.travelplanner.himap.slots import OfferSlot, Selection, is_complete, selection_cost

Rating = Callable[[Offer], int]
"""Function that rates an offer, from 1 to `MOST_RATING`."""
MOST_RATING = 1000


class DayPolicy(Protocol):
    """Policy that chooses offers for the slots of one day, each offer at most once."""

    def preferred(self, slots: Sequence[OfferSlot], tastes: Sequence[str], cap: int | None) -> Selection | None:
        """Return the selection with the best rating that the policy can find.

        Args:
            slots: slots of the day.
            tastes: cuisines that the meals must cover.
            cap: maximum cost in cents; None for no limit.

        Returns:
            A complete selection, or None if the policy finds none.
        """

    def cheapest(self, slots: Sequence[OfferSlot], tastes: Sequence[str]) -> Selection | None:
        """Return the cheapest complete selection that the policy can find; None if it finds none."""


def random_rating(seed: int) -> Rating:
    """Return a pseudo-random rating function, which hashes the offer's name with the seed.

    With the same seed, all executors of a trip rate offers in the same way.
    """

    def rate_by_hash(offer: Offer) -> int:
        digest = blake2b(f"{seed}:{offer.name}".encode(), digest_size=4).digest()
        return 1 + int.from_bytes(digest) % MOST_RATING

    return rate_by_hash


@dataclass(frozen=True, slots=True)
class SolverPolicy:
    """Policy that chooses with CP-SAT: the selection with the best total rating within the cap, or the cheapest.

    Attributes:
        rating: function that rates offers.
        seconds: time limit of each search.
        seed: seed of the search.
    """

    rating: Rating
    seconds: float = 10.0
    seed: int = 0

    def preferred(self, slots: Sequence[OfferSlot], tastes: Sequence[str], cap: int | None) -> Selection | None:
        """See `DayPolicy.preferred`."""
        return self._solve(slots, tastes, cap, lambda offer: -self.rating(offer))

    def cheapest(self, slots: Sequence[OfferSlot], tastes: Sequence[str]) -> Selection | None:
        """See `DayPolicy.cheapest`."""
        return self._solve(slots, tastes, None, lambda offer: offer.cost)

    def _solve(
        self, slots: Sequence[OfferSlot], tastes: Sequence[str], cap: int | None, weight: Rating
    ) -> Selection | None:
        if any(slot.required and not slot.offers for slot in slots):
            return None
        from ortools.sat.python import cp_model

        from planspec.solvers.backends.cpsat.solver import new_solver

        model = cp_model.CpModel()
        offer_variables = [(slot, offer, model.new_bool_var("")) for slot in slots for offer in slot.offers]
        by_name: dict[str, list[cp_model.IntVar]] = {}
        for _, offer, variable in offer_variables:
            by_name.setdefault(offer.name, []).append(variable)
        for slot in slots:
            variables = [variable for owner, _, variable in offer_variables if owner is slot]
            (model.add_exactly_one if slot.required else model.add_at_most_one)(variables)
        for same_name in by_name.values():
            model.add_at_most_one(same_name)
        for taste in tastes:
            model.add_bool_or([v for slot, offer, v in offer_variables if slot.is_meal and taste in offer.tastes])
        if cap is not None:
            model.add(sum(offer.cost * variable for _, offer, variable in offer_variables) <= cap)
        model.minimize(sum(weight(offer) * variable for _, offer, variable in offer_variables))
        solver = new_solver(seed=self.seed, seconds=self.seconds)
        if solver.solve(model) not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return None
        return {slot.name: offer for slot, offer, variable in offer_variables if solver.boolean_value(variable)}


@dataclass(frozen=True, slots=True)
class GreedyPolicy:
    """Policy that fills one slot after the other with the best affordable offer, without backtracking.

    Attributes:
        rating: function that rates offers.
        seed: seed of the order in which slots are filled.
    """

    rating: Rating
    seed: int = 0

    def preferred(self, slots: Sequence[OfferSlot], tastes: Sequence[str], cap: int | None) -> Selection | None:
        """See `DayPolicy.preferred`."""
        return self._fill_slots(slots, tastes, cap, lambda offer: -self.rating(offer), fills_optional=True)

    def cheapest(self, slots: Sequence[OfferSlot], tastes: Sequence[str]) -> Selection | None:
        """See `DayPolicy.cheapest`."""
        return self._fill_slots(slots, tastes, None, lambda offer: offer.cost, fills_optional=False)

    def _fill_slots(
        self,
        slots: Sequence[OfferSlot],
        tastes: Sequence[str],
        cap: int | None,
        weight: Rating,
        *,
        fills_optional: bool,
    ) -> Selection | None:
        selection: dict[str, Offer] = {}
        order = list(slots)
        Random(self.seed).shuffle(order)
        order.sort(key=lambda slot: not slot.required)

        def fill_slot(slot: OfferSlot, taste: str | None) -> bool:
            used_names = {offer.name for offer in selection.values()}
            rest = sum(
                _lowest_cost(other)
                for other in order
                if other.required and other is not slot and other.name not in selection
            )
            candidates = [
                offer
                for offer in slot.offers
                if offer.name not in used_names
                and (taste is None or taste in offer.tastes)
                and (cap is None or selection_cost(selection) + offer.cost + rest <= cap)
            ]
            if candidates:
                selection[slot.name] = min(candidates, key=lambda offer: (weight(offer), offer.name))
            return bool(candidates)

        for taste in tastes:
            if all(taste not in offer.tastes for offer in selection.values()):
                free = (slot for slot in order if slot.is_meal and slot.name not in selection)
                if not any(fill_slot(slot, taste) for slot in free):
                    return None
        for slot in order:
            if slot.name not in selection and (slot.required or fills_optional):
                fill_slot(slot, None)
        return selection if is_complete(selection, slots, tastes) else None


def _lowest_cost(slot: OfferSlot) -> int:
    return min((offer.cost for offer in slot.offers), default=0)
