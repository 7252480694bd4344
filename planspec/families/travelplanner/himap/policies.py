"""Day policies: an executor without a model chooses among a day's offers, knowing nothing of other days."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from random import Random
from typing import Protocol

from planspec.families.travelplanner.himap.market import Offer
from planspec.families.travelplanner.himap.slots import OfferChoice, Selection, complete, cost

Appeal = Callable[[Offer], int]
"""Appeal of an offer, from 1."""
MOST_APPEAL = 1000


class DayPolicy(Protocol):
    """Chooses offers for the slots of one day, each offer at most once."""

    def preferred(
        self, slots: Sequence[OfferChoice], tastes: Sequence[str], cap: int | None
    ) -> Selection | None:
        """Return the most appealing selection.

        Args:
            slots: slots of the day.
            tastes: cuisines that the meals must cover.
            cap: largest cost in cents; None for no bound.

        Returns:
            A complete selection, or None if none is found.
        """

    def cheapest(self, slots: Sequence[OfferChoice], tastes: Sequence[str]) -> Selection | None:
        """Return the cheapest complete selection, or None."""


def appeal(seed: int) -> Appeal:
    """Return an appeal common to all executors and days: a hash of the offer's name and the seed."""

    def drawn(offer: Offer) -> int:
        digest = blake2b(f"{seed}:{offer.name}".encode(), digest_size=4).digest()
        return 1 + int.from_bytes(digest) % MOST_APPEAL

    return drawn


@dataclass(frozen=True, slots=True)
class SolverPolicy:
    """Chooses with CP-SAT: the most appeal under the cap, or the least cost.

    Attributes:
        appeal: appeal of offers.
        seconds: time limit of each search.
        seed: seed of the search.
    """

    appeal: Appeal
    seconds: float = 10.0
    seed: int = 0

    def preferred(
        self, slots: Sequence[OfferChoice], tastes: Sequence[str], cap: int | None
    ) -> Selection | None:
        """See `DayPolicy.preferred`."""
        return self._solved(slots, tastes, cap, lambda offer: -self.appeal(offer))

    def cheapest(self, slots: Sequence[OfferChoice], tastes: Sequence[str]) -> Selection | None:
        """See `DayPolicy.cheapest`."""
        return self._solved(slots, tastes, None, lambda offer: offer.cost)

    def _solved(
        self, slots: Sequence[OfferChoice], tastes: Sequence[str], cap: int | None, weight: Appeal
    ) -> Selection | None:
        if any(slot.required and not slot.offers for slot in slots):
            return None
        from ortools.sat.python import cp_model

        from planspec.solvers.backends.cpsat.solver import new_solver

        model = cp_model.CpModel()
        taken = [(slot, offer, model.new_bool_var("")) for slot in slots for offer in slot.offers]
        by_name: dict[str, list[cp_model.IntVar]] = {}
        for _, offer, variable in taken:
            by_name.setdefault(offer.name, []).append(variable)
        for slot in slots:
            variables = [variable for owner, _, variable in taken if owner is slot]
            (model.add_exactly_one if slot.required else model.add_at_most_one)(variables)
        for same_name in by_name.values():
            model.add_at_most_one(same_name)
        for taste in tastes:
            model.add_bool_or([v for slot, offer, v in taken if slot.meal and taste in offer.tastes])
        if cap is not None:
            model.add(sum(offer.cost * variable for _, offer, variable in taken) <= cap)
        model.minimize(sum(weight(offer) * variable for _, offer, variable in taken))
        solver = new_solver(seed=self.seed, seconds=self.seconds)
        if solver.solve(model) not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return None
        return {slot.name: offer for slot, offer, variable in taken if solver.boolean_value(variable)}


@dataclass(frozen=True, slots=True)
class GreedyPolicy:
    """Fills one slot after the other with the most appealing affordable offer, without backtracking.

    Attributes:
        appeal: appeal of offers.
        seed: seed of the order of the slots.
    """

    appeal: Appeal
    seed: int = 0

    def preferred(
        self, slots: Sequence[OfferChoice], tastes: Sequence[str], cap: int | None
    ) -> Selection | None:
        """See `DayPolicy.preferred`."""
        return self._filled(slots, tastes, cap, lambda offer: -self.appeal(offer), optional=True)

    def cheapest(self, slots: Sequence[OfferChoice], tastes: Sequence[str]) -> Selection | None:
        """See `DayPolicy.cheapest`."""
        return self._filled(slots, tastes, None, lambda offer: offer.cost, optional=False)

    def _filled(
        self,
        slots: Sequence[OfferChoice],
        tastes: Sequence[str],
        cap: int | None,
        weight: Appeal,
        *,
        optional: bool,
    ) -> Selection | None:
        chosen: dict[str, Offer] = {}
        order = list(slots)
        Random(self.seed).shuffle(order)
        order.sort(key=lambda slot: not slot.required)

        def take(slot: OfferChoice, taste: str | None) -> bool:
            taken = {offer.name for offer in chosen.values()}
            rest = sum(
                _least(other)
                for other in order
                if other.required and other is not slot and other.name not in chosen
            )
            open_ = [
                offer
                for offer in slot.offers
                if offer.name not in taken
                and (taste is None or taste in offer.tastes)
                and (cap is None or cost(chosen) + offer.cost + rest <= cap)
            ]  # fmt: skip
            if open_:
                chosen[slot.name] = min(open_, key=lambda offer: (weight(offer), offer.name))
            return bool(open_)

        for taste in tastes:
            if all(taste not in offer.tastes for offer in chosen.values()):
                free = (slot for slot in order if slot.meal and slot.name not in chosen)
                if not any(take(slot, taste) for slot in free):
                    return None
        for slot in order:
            if slot.name not in chosen and (slot.required or optional):
                take(slot, None)
        return chosen if complete(chosen, slots, tastes) else None


def _least(slot: OfferChoice) -> int:
    return min((offer.cost for offer in slot.offers), default=0)
