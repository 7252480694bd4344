"""Day policies: how an executor without a model chooses among a day's offers, knowing nothing of other days."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from random import Random
from typing import Protocol

from planspec.families.travelplanner.himap.market import Offer
from planspec.families.travelplanner.himap.slots import OfferChoice, Selection, complete, cost

Appeal = Callable[[Offer], int]
"""The appeal of an offer, from 1."""
MOST_APPEAL = 1000


class DayPolicy(Protocol):
    """Chooses offers for the slots of one day, none of them twice."""

    def liked(self, slots: Sequence[OfferChoice], tastes: Sequence[str], cap: int | None) -> Selection | None:
        """The best liked selection.

        Args:
            slots: of the day.
            tastes: cuisines that the meals must cover.
            cap: the most that it may cost, in cents; None is no bound.

        Returns:
            None if nothing was found that is complete.
        """

    def cheapest(self, slots: Sequence[OfferChoice], tastes: Sequence[str]) -> Selection | None:
        """The cheapest selection; None as above."""


def appeal(seed: int) -> Appeal:
    """An appeal that is the same for all executors and all days, as ratings would be: drawn by the offer's name."""

    def drawn(offer: Offer) -> int:
        digest = blake2b(f"{seed}:{offer.name}".encode(), digest_size=4).digest()
        return 1 + int.from_bytes(digest) % MOST_APPEAL

    return drawn


@dataclass(frozen=True, slots=True)
class SolverPolicy:
    """Chooses by CP-SAT: the most appeal under the cap, or the least cost.

    Attributes:
        appeal: of offers.
        seconds: for each question.
        seed: of the search.
    """

    appeal: Appeal
    seconds: float = 10.0
    seed: int = 0

    def liked(self, slots: Sequence[OfferChoice], tastes: Sequence[str], cap: int | None) -> Selection | None:
        """See `DayPolicy.liked`."""
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
            here = [variable for of, _, variable in taken if of is slot]
            (model.add_exactly_one if slot.required else model.add_at_most_one)(here)
        for alike in by_name.values():
            model.add_at_most_one(alike)
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
    """Fills slot after slot with what is liked best and leaves enough for the rest; it never takes one back.

    Attributes:
        appeal: of offers.
        seed: draws the order of the slots.
    """

    appeal: Appeal
    seed: int = 0

    def liked(self, slots: Sequence[OfferChoice], tastes: Sequence[str], cap: int | None) -> Selection | None:
        """See `DayPolicy.liked`."""
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
            gone = {offer.name for offer in chosen.values()}
            rest = sum(
                _least(other)
                for other in order
                if other.required and other is not slot and other.name not in chosen
            )
            open_ = [
                offer
                for offer in slot.offers
                if offer.name not in gone
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
