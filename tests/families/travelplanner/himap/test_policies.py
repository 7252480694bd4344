from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planspec.families.travelplanner.himap.market import Offer
from planspec.families.travelplanner.himap.policies import (
    DayPolicy,
    GreedyPolicy,
    SolverPolicy,
    random_rating,
)
from planspec.families.travelplanner.himap.slots import OfferSlot, Selection, is_complete, selection_cost

LIKED = random_rating(3)
POLICIES: list[DayPolicy] = [SolverPolicy(LIKED), GreedyPolicy(LIKED, 3)]
OFFERS = st.builds(
    lambda number, cents, tastes: Offer(f"o{number}", cents, {}, frozenset(tastes)),
    st.integers(0, 5),
    st.integers(0, 60),
    st.sets(st.sampled_from("ab"), max_size=2),
)


@st.composite
def random_days(draw: st.DrawFn) -> tuple[list[OfferSlot], list[str], int | None]:
    """Draw the slots of a day with their offers, the required cuisines, and a limit on the cost or None."""
    result = []
    for name in draw(st.sampled_from([["lunch"], ["lunch", "dinner"], ["hotel", "lunch", "dinner"]])):
        offers = {offer.name: offer for offer in draw(st.lists(OFFERS, max_size=4))}
        result.append(OfferSlot(name, tuple(offers.values()), draw(st.booleans())))
    same: dict[str, Offer] = {}  # offers with the same name are equal in all slots
    result = [OfferSlot(s.name, tuple(same.setdefault(o.name, o) for o in s.offers), s.required) for s in result]
    return result, draw(st.lists(st.sampled_from("ab"), unique=True)), draw(st.none() | st.integers(0, 120))


def all_selections(slots: list[OfferSlot], tastes: list[str], cap: int | None) -> list[Selection]:
    """Return all complete selections of offers for the slots, within the limit on the cost."""
    result: list[Selection] = []
    for choice in product(*((*slot.offers, None) for slot in slots)):
        chosen = {s.name: o for s, o in zip(slots, choice, strict=True) if o is not None}
        if is_complete(chosen, slots, tastes) and (cap is None or selection_cost(chosen) <= cap):
            result.append(chosen)
    return result


@given(random_days())
def test_the_solver_maximizes_the_rating_and_minimizes_cost(
    day: tuple[list[OfferSlot], list[str], int | None],
) -> None:
    slots, tastes, cap = day
    policy = SolverPolicy(LIKED)
    able, all_able = all_selections(slots, tastes, cap), all_selections(slots, tastes, None)
    liked, cheapest = policy.preferred(slots, tastes, cap), policy.cheapest(slots, tastes)
    if able:
        assert liked is not None and liked in able
        assert sum(map(LIKED, liked.values())) == max(sum(map(LIKED, c.values())) for c in able)
    else:
        assert liked is None
    if all_able:
        assert (
            cheapest is not None
            and cheapest in all_able
            and selection_cost(cheapest) == min(map(selection_cost, all_able))
        )
    else:
        assert cheapest is None


@given(random_days())
def test_greedy_selections_are_complete_and_within_the_cap(
    day: tuple[list[OfferSlot], list[str], int | None],
) -> None:
    slots, tastes, cap = day
    policy = GreedyPolicy(LIKED, 5)
    liked, cheapest = policy.preferred(slots, tastes, cap), policy.cheapest(slots, tastes)
    assert liked is None or liked in all_selections(slots, tastes, cap)
    assert cheapest is None or cheapest in all_selections(slots, tastes, None)


@pytest.mark.parametrize("policy", POLICIES)
def test_an_early_choice_leaves_enough_money_for_required_slots(policy: DayPolicy) -> None:
    by_rating = sorted((Offer(f"x{n}", 0, {}) for n in range(4)), key=LIKED)
    dear, plain = Offer(by_rating[3].name, 90, {}), Offer(by_rating[0].name, 50, {})
    slots = [OfferSlot("lunch", (dear, plain), True), OfferSlot("hotel", (Offer("bed", 40, {}),), True)]
    chosen = policy.preferred(slots, (), 100)
    assert chosen is not None and chosen["lunch"] == plain


def test_the_rating_depends_only_on_the_offer_and_the_seed() -> None:
    offers = [Offer(f"place {n}", 0, {}) for n in range(20)]
    assert [random_rating(1)(o) for o in offers] == [random_rating(1)(o) for o in offers]
    assert [random_rating(1)(o) for o in offers] != [random_rating(2)(o) for o in offers]
    assert min(map(random_rating(1), offers)) >= 1
