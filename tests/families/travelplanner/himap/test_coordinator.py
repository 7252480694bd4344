from __future__ import annotations

from collections.abc import Sequence

import pytest

from planspec.families.travelplanner.himap.coordinator import WEIGHTS, Allocator, FixedCoordinator
from planspec.families.travelplanner.himap.goals import ExecutorCounts, Feedback, Goal
from planspec.families.travelplanner.himap.routes import RoundTrip, assign_tastes, days_of_route, plain_route
from tests.families.travelplanner.himap.small_trips import market

FEASIBLE = range(1, 13)


def proposed(allocator: Allocator, feedback: Sequence[Feedback] = ()) -> tuple[Goal, ...]:
    given = allocator(feedback, ExecutorCounts())
    assert given is not None
    return given


def all_feasible(given: Sequence[Goal], deficit: int) -> list[Feedback]:
    return [Feedback(goal.day, "feasible", deficit) for goal in given]


@pytest.mark.parametrize("number", FEASIBLE)
def test_days_lead_from_the_start_through_the_asked_cities_and_back(number: int) -> None:
    trip = market(number)
    given = proposed(Allocator(trip, 3))
    assert [goal.date for goal in given] == list(trip.dates)
    assert given[0].role == "departure" and given[0].origin == trip.org
    assert given[-1].role == "return" and given[-1].city == trip.org
    where = given[0].origin
    for goal in given:
        assert (goal.origin or where) == where
        where = goal.city
    stays = [goal.city for goal in given if goal.nights]
    assert len(stays) == len(set(stays)) == trip.cities
    assert sum(goal.nights for goal in given) == len(trip.dates) - 1
    assert len({goal.mode for goal in given}) == 1


@pytest.mark.parametrize("number", FEASIBLE)
def test_hints_never_pass_the_budget(number: int) -> None:
    trip = market(number)
    allocator = Allocator(trip, 3)
    given = proposed(allocator)
    assert trip.budget is not None
    for deficit in (-500, 0):
        assert sum(goal.hint or 0 for goal in given) <= trip.budget
        given = proposed(allocator, all_feasible(given, deficit))


def test_what_is_left_beside_rides_goes_by_the_kind_of_day() -> None:
    trip = market(1)
    first, stay, last = proposed(Allocator(trip, 3))
    assert trip.budget is not None and first.hint and stay.hint and last.hint
    rides = [
        min(
            ride.cost
            for ride in trip.rides(goal.date, goal.origin or "", goal.city)
            if ride.mode == goal.mode
        )
        for goal in (first, last)
    ]
    rest = trip.budget - sum(rides)
    whole = WEIGHTS["departure"] + WEIGHTS["stay"] + WEIGHTS["return"]
    share = {role: rest * WEIGHTS[role] // whole for role in ("departure", "stay", "return")}
    assert last.hint == rides[1] + share["return"]
    assert stay.hint == share["stay"] - share["stay"] // 2  # its night is booked by the first day
    assert first.hint == rides[0] + share["departure"] + share["stay"] // 2


def test_a_deficit_moves_money_to_the_day_that_lacks_it() -> None:
    allocator = Allocator(market(1), 3)
    before = proposed(allocator)
    actual = [
        Feedback(1, "feasible", -3000),
        Feedback(2, "infeasible", 1500, "budget"),
        Feedback(3, "feasible", -1000),
    ]
    after = proposed(allocator, actual)
    needs = [(goal.hint or 0) + (one.deficit or 0) for goal, one in zip(before, actual, strict=True)]
    assert all((goal.hint or 0) >= need for goal, need in zip(after, needs, strict=True))
    assert after[1].hint is not None and before[1].hint is not None and after[1].hint > before[1].hint


def test_in_the_last_round_nothing_is_given_beyond_the_needs() -> None:
    allocator = Allocator(market(1), 2)
    before = proposed(allocator)
    after = proposed(allocator, all_feasible(before, -100))
    assert [goal.hint for goal in after] == [(goal.hint or 0) - 100 for goal in before]


def test_a_stay_that_is_not_available_leads_to_another_route() -> None:
    allocator = Allocator(market(7), 3)
    first = proposed(allocator)
    stays = {(goal.city, goal.nights) for goal in first if goal.nights}
    lost = next(goal for goal in first if goal.nights)
    second = proposed(allocator, [Feedback(lost.day, "infeasible", None, "availability")])
    assert (lost.city, lost.nights) not in {(goal.city, goal.nights) for goal in second if goal.nights}
    assert stays != {(goal.city, goal.nights) for goal in second if goal.nights}


def test_a_leg_without_time_is_not_tried_again() -> None:
    allocator = Allocator(market(3), 3)
    first = proposed(allocator)
    lost = first[0]
    second = proposed(allocator, [Feedback(1, "infeasible", None, "time")])
    assert (second[0].city, second[0].mode) != (lost.city, lost.mode)


def test_a_stay_that_finds_too_little_makes_the_travellers_frugal() -> None:
    allocator = Allocator(market(1), 3)
    assert not any(goal.frugal for goal in proposed(allocator))
    again = proposed(allocator, [Feedback(2, "infeasible", None, "availability")])
    assert all(goal.frugal for goal in again)


def test_a_route_that_costs_too_much_is_left_for_a_cheaper_one() -> None:
    trip = market(3)
    allocator = Allocator(trip, 3)
    first = proposed(allocator)
    assert trip.budget is not None
    second = proposed(allocator, [Feedback(1, "infeasible", trip.budget, "budget")])
    assert [goal.city for goal in second] != [goal.city for goal in first] or second[0].mode != first[0].mode


def test_tastes_go_to_days_whose_city_serves_them() -> None:
    for number in (6, 9, 11, 12):
        trip = market(number)
        given = proposed(Allocator(trip, 3))
        spread_out = [taste for goal in given for taste in goal.tastes]
        assert sorted(spread_out) == sorted(trip.tastes)
        for goal in given:
            city = goal.origin if goal.role == "return" else goal.city
            assert set(goal.tastes) <= trip.cuisines(city or "")


def test_tastes_that_nobody_serves_cannot_be_spread() -> None:
    days = days_of_route(RoundTrip((("Brindle", 2),), None), market(1))
    assert assign_tastes(days, ["Klingon"], {"Brindle": frozenset({"French"})}) is None


def test_where_no_ride_goes_there_is_nothing_to_try() -> None:
    allocator = Allocator(market(1), 9)
    given = [allocator([], ExecutorCounts())]
    while given[-1] is not None and len(given) < 9:
        given.append(allocator([Feedback(1, "infeasible", None, "time")], ExecutorCounts()))
    assert given[-1] is None
    modes = [goals[0].mode for goals in given if goals is not None]
    assert len(modes) == len(set(modes))


def test_without_a_coordinator_all_assume_the_same_and_nobody_has_hints() -> None:
    trip = market(7)
    flat = FixedCoordinator(trip)
    given = flat((), ExecutorCounts())
    assert given is not None and given == flat([Feedback(1, "infeasible", 5, "budget")], ExecutorCounts())
    assert {goal.hint for goal in given} == {None} == {goal.mode for goal in given}
    assert plain_route(trip) == RoundTrip(tuple((city, 2) for city in trip.destinations[:3]), None)


def test_after_a_stay_was_not_available_only_stays_that_can_be_booked_are_tried() -> None:
    allocator = Allocator(market(14), 3)
    first = proposed(allocator)
    assert market(14).hotels(first[0].city, first[0].nights) == ()
    assert allocator([Feedback(1, "infeasible", None, "availability")], ExecutorCounts()) is None
