from __future__ import annotations

from collections.abc import Sequence

import pytest

from planspec.families.travelplanner.himap.coordinator import WEIGHTS, Allocator, FixedCoordinator
from planspec.families.travelplanner.himap.goals import ExecutorCounts, Feedback, Goal
from planspec.families.travelplanner.himap.routes import RoundTrip, assign_tastes, days_of_route, plain_route
from tests.families.travelplanner.himap.small_trips import market

FEASIBLE = range(1, 13)


def split(allocator: Allocator, feedback: Sequence[Feedback] = ()) -> tuple[Goal, ...]:
    """Return the goals of the days after some feedback of the executors."""
    goals = allocator(feedback, ExecutorCounts())
    assert goals is not None
    return goals


def feasible_feedback(goals: Sequence[Goal], deficit: int) -> list[Feedback]:
    """Return feedback that each day is feasible but lacks this much money."""
    return [Feedback(goal.day, "feasible", deficit) for goal in goals]


@pytest.mark.parametrize("number", FEASIBLE)
def test_the_days_visit_the_requested_cities_and_return(number: int) -> None:
    trip = market(number)
    goals = split(Allocator(trip, 3))
    assert [goal.date for goal in goals] == list(trip.dates)
    assert goals[0].role == "departure" and goals[0].origin == trip.org
    assert goals[-1].role == "return" and goals[-1].city == trip.org
    where = goals[0].origin
    for goal in goals:
        assert (goal.origin or where) == where
        where = goal.city
    stays = [goal.city for goal in goals if goal.nights]
    assert len(stays) == len(set(stays)) == trip.cities
    assert sum(goal.nights for goal in goals) == len(trip.dates) - 1
    assert len({goal.mode for goal in goals}) == 1


@pytest.mark.parametrize("number", FEASIBLE)
def test_hints_never_exceed_the_budget(number: int) -> None:
    trip = market(number)
    allocator = Allocator(trip, 3)
    goals = split(allocator)
    assert trip.budget is not None
    for deficit in (-500, 0):
        assert sum(goal.hint or 0 for goal in goals) <= trip.budget
        goals = split(allocator, feasible_feedback(goals, deficit))


def test_the_budget_beyond_the_rides_is_divided_by_the_roles_of_the_days() -> None:
    trip = market(1)
    first, stay, last = split(Allocator(trip, 3))
    assert trip.budget is not None and first.hint and stay.hint and last.hint
    rides = [
        min(ride.cost for ride in trip.rides(goal.date, goal.origin or "", goal.city) if ride.mode == goal.mode)
        for goal in (first, last)
    ]
    rest = trip.budget - sum(rides)
    whole = WEIGHTS["departure"] + WEIGHTS["stay"] + WEIGHTS["return"]
    share = {role: rest * WEIGHTS[role] // whole for role in ("departure", "stay", "return")}
    assert last.hint == rides[1] + share["return"]
    assert stay.hint == share["stay"] - share["stay"] // 2  # the day of departure books the first night
    assert first.hint == rides[0] + share["departure"] + share["stay"] // 2


def test_a_deficit_moves_money_to_the_day_that_lacks_it() -> None:
    allocator = Allocator(market(1), 3)
    before = split(allocator)
    actual = [
        Feedback(1, "feasible", -3000),
        Feedback(2, "infeasible", 1500, "budget"),
        Feedback(3, "feasible", -1000),
    ]
    after = split(allocator, actual)
    needs = [(goal.hint or 0) + (one.deficit or 0) for goal, one in zip(before, actual, strict=True)]
    assert all((goal.hint or 0) >= need for goal, need in zip(after, needs, strict=True))
    assert after[1].hint is not None and before[1].hint is not None and after[1].hint > before[1].hint


def test_hints_of_the_last_round_equal_the_needed_amounts() -> None:
    allocator = Allocator(market(1), 2)
    before = split(allocator)
    after = split(allocator, feasible_feedback(before, -100))
    assert [goal.hint for goal in after] == [(goal.hint or 0) - 100 for goal in before]


def test_an_unavailable_stay_leads_to_another_route() -> None:
    allocator = Allocator(market(7), 3)
    first = split(allocator)
    stays = {(goal.city, goal.nights) for goal in first if goal.nights}
    lost = next(goal for goal in first if goal.nights)
    second = split(allocator, [Feedback(lost.day, "infeasible", None, "availability")])
    assert (lost.city, lost.nights) not in {(goal.city, goal.nights) for goal in second if goal.nights}
    assert stays != {(goal.city, goal.nights) for goal in second if goal.nights}


def test_a_leg_without_a_ride_in_time_is_not_tried_again() -> None:
    allocator = Allocator(market(3), 3)
    first = split(allocator)
    lost = first[0]
    second = split(allocator, [Feedback(1, "infeasible", None, "time")])
    assert (second[0].city, second[0].mode) != (lost.city, lost.mode)


def test_if_a_stay_has_too_few_venues_all_days_get_only_required_slots() -> None:
    allocator = Allocator(market(1), 3)
    assert not any(goal.frugal for goal in split(allocator))
    again = split(allocator, [Feedback(2, "infeasible", None, "availability")])
    assert all(goal.frugal for goal in again)


def test_a_route_over_budget_is_replaced_by_another() -> None:
    trip = market(3)
    allocator = Allocator(trip, 3)
    first = split(allocator)
    assert trip.budget is not None
    second = split(allocator, [Feedback(1, "infeasible", trip.budget, "budget")])
    assert [goal.city for goal in second] != [goal.city for goal in first] or second[0].mode != first[0].mode


def test_cuisines_are_assigned_to_days_whose_city_serves_them() -> None:
    for number in (6, 9, 11, 12):
        trip = market(number)
        goals = split(Allocator(trip, 3))
        spread_out = [taste for goal in goals for taste in goal.tastes]
        assert sorted(spread_out) == sorted(trip.tastes)
        for goal in goals:
            city = goal.origin if goal.role == "return" else goal.city
            assert set(goal.tastes) <= trip.cuisines(city or "")


def test_cuisines_that_no_city_serves_cannot_be_assigned() -> None:
    days = days_of_route(RoundTrip((("Brindle", 2),), None), market(1))
    assert assign_tastes(days, ["Klingon"], {"Brindle": frozenset({"French"})}) is None


def test_the_coordinator_stops_if_no_mode_of_transport_is_left() -> None:
    allocator = Allocator(market(1), 9)
    splits = [allocator([], ExecutorCounts())]
    while splits[-1] is not None and len(splits) < 9:
        splits.append(allocator([Feedback(1, "infeasible", None, "time")], ExecutorCounts()))
    assert splits[-1] is None
    modes = [goals[0].mode for goals in splits if goals is not None]
    assert len(modes) == len(set(modes))


def test_the_fixed_coordinator_always_returns_the_same_route_without_hints() -> None:
    trip = market(7)
    coordinator = FixedCoordinator(trip)
    goals = coordinator((), ExecutorCounts())
    assert goals is not None and goals == coordinator([Feedback(1, "infeasible", 5, "budget")], ExecutorCounts())
    assert {goal.hint for goal in goals} == {None} == {goal.mode for goal in goals}
    assert plain_route(trip) == RoundTrip(tuple((city, 2) for city in trip.destinations[:3]), None)


def test_after_an_unavailable_stay_only_bookable_stays_are_tried() -> None:
    allocator = Allocator(market(14), 3)
    first = split(allocator)
    assert market(14).hotels(first[0].city, first[0].nights) == ()
    assert allocator([Feedback(1, "infeasible", None, "availability")], ExecutorCounts()) is None
