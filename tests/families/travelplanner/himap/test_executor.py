from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from planspec.agents.failures import AttemptFailedError
from planspec.families.travelplanner.himap.executor import LocalExecutor
from planspec.families.travelplanner.himap.goals import Cancelled, Committed, Goal, Rejected
from planspec.families.travelplanner.himap.policies import SolverPolicy, appeal
from planspec.families.travelplanner.himap.routes import RoundTrip, days_of_route
from planspec.families.travelplanner.himap.slots import draft_day, selection_cost, slots
from planspec.monitor import OK, Monitor, Refusal, Reply
from tests.families.travelplanner.himap.small_trips import Memory, judge, market

TRIP = market(1)
POLICY = SolverPolicy(appeal(0))
EXECUTOR = LocalExecutor(TRIP, POLICY, 0.0, lambda: None)
DEPARTURE, STAY, RETURN = days_of_route(RoundTrip((("Brindle", 2),), "public"), TRIP)


class Refusing(Memory):
    """A state that refuses with the given replies in order, and then accepts."""

    def __init__(self, replies: Sequence[Refusal]) -> None:
        super().__init__()
        self.replies = list(replies)
        self.tried: list[Mapping[str, Any]] = []

    def commit(self, action: Mapping[str, Any]) -> Reply:
        self.tried.append(action)
        return self.replies.pop(0) if self.replies else super().commit(action)


def names(action: Mapping[str, Any]) -> list[str]:
    return [row["restaurant"] for row in action.get("meals", ())]


def test_a_day_of_stay_has_three_meals_and_a_sight() -> None:
    outcome = EXECUTOR(STAY, Memory(), threading.Event())
    assert isinstance(outcome, Committed)
    assert {row["meal"] for row in outcome.draft.action["meals"]} == {"breakfast", "lunch", "dinner"}
    assert len(set(names(outcome.draft.action))) == 3
    assert len(outcome.draft.action["sights"]) == 1


def test_the_day_that_begins_a_stay_books_all_its_nights() -> None:
    outcome = EXECUTOR(DEPARTURE, Memory(), threading.Event())
    assert isinstance(outcome, Committed)
    first, second = outcome.draft.action["days"]
    assert (first["day"], second["day"]) == TRIP.dates[:2]
    assert first["hotel"] == second["hotel"] and first["mode"] in ("flight", "taxi")


def test_a_hint_is_kept_where_that_can_be() -> None:
    least = POLICY.cheapest(slots(STAY, TRIP), ())
    assert least is not None
    outcome = EXECUTOR(replace(STAY, hint=selection_cost(least) + 500), Memory(), threading.Event())
    assert isinstance(outcome, Committed) and outcome.draft.cost <= selection_cost(least) + 500
    assert outcome.feedback.deficit == -500


def test_a_hint_that_is_too_low_is_passed_and_the_deficit_told() -> None:
    least = POLICY.cheapest(slots(STAY, TRIP), ())
    assert least is not None
    outcome = EXECUTOR(replace(STAY, hint=selection_cost(least) - 300), Memory(), threading.Event())
    assert isinstance(outcome, Committed) and outcome.draft.cost == selection_cost(least)
    assert outcome.feedback.deficit == 300


def test_a_venue_that_others_have_is_not_asked_for_again() -> None:
    free = EXECUTOR(STAY, Memory(), threading.Event())
    assert isinstance(free, Committed)
    taken = names(free.draft.action)[0]
    state = Refusing([Refusal("DUPLICATE_VENUE", None, f"chosen more than once: {{{taken}}}")])
    outcome = EXECUTOR(STAY, state, threading.Event())
    assert isinstance(outcome, Committed)
    assert taken in names(state.tried[0]) and taken not in names(state.tried[1])
    assert outcome.tally.refusals == {"DUPLICATE_VENUE": 1}


def test_another_way_to_travel_is_taken_where_the_first_conflicts() -> None:
    either = replace(DEPARTURE, mode=None)
    state = Refusing([Refusal("MODE_CONFLICT", None, "one's own car goes with neither")])
    outcome = EXECUTOR(either, state, threading.Event())
    assert isinstance(outcome, Committed)
    modes = [action["days"][0]["mode"] == "self_driving" for action in state.tried]
    assert modes[0] != modes[1]


def test_less_is_spent_after_the_budget_was_passed() -> None:
    free = EXECUTOR(STAY, Memory(), threading.Event())
    assert isinstance(free, Committed)
    state = Refusing([Refusal("BUDGET_EXCEEDED", None, "too dear", margin=-200, unit="1/100 USD")])
    outcome = EXECUTOR(STAY, state, threading.Event())
    assert isinstance(outcome, Committed) and outcome.draft.cost <= free.draft.cost - 200


def test_a_day_that_cannot_be_paid_is_rejected_with_what_it_lacks() -> None:
    least = POLICY.cheapest(slots(STAY, TRIP), ())
    assert least is not None
    state = Refusing([Refusal("BUDGET_EXCEEDED", None, "too dear", margin=-(10**7))])
    outcome = EXECUTOR(replace(STAY, hint=selection_cost(least) - 100), state, threading.Event())
    assert isinstance(outcome, Rejected)
    assert outcome.feedback.as_json() == {
        "day": 2, "status": "infeasible", "deficit": "1.00", "violation_type": "budget",
    }  # fmt: skip
    assert outcome.draft is not None and outcome.draft.cost == selection_cost(least)


@pytest.mark.parametrize(
    ("goal", "why"),
    [
        (replace(DEPARTURE, origin="Brindle"), "time"),
        (replace(STAY, tastes=("Klingon",)), "availability"),
    ],
)
def test_what_cannot_be_had_is_told_by_its_kind(goal: Goal, why: str) -> None:
    outcome = EXECUTOR(goal, Memory(), threading.Event())
    assert isinstance(outcome, Rejected) and outcome.feedback.violation_type == why


def test_a_stay_without_a_fitting_hotel_is_not_available() -> None:
    trip = market(14)
    departure = days_of_route(RoundTrip((("Quillport", 2),), "car"), trip)[0]
    executor = LocalExecutor(trip, POLICY, 0.0, lambda: None)
    outcome = executor(departure, Memory(), threading.Event())
    assert isinstance(outcome, Rejected) and outcome.feedback.violation_type == "availability"
    assert outcome.draft is None


def test_an_endless_string_of_refusals_ends() -> None:
    state = Refusing([Refusal("BUDGET_EXCEEDED", None, "too dear", margin=-1)] * 1000)
    outcome = EXECUTOR(STAY, state, threading.Event())
    assert isinstance(outcome, Rejected) and len(state.tried) <= 15


def test_a_refusal_that_no_other_choice_mends_rejects_the_day() -> None:
    outcome = EXECUTOR(STAY, Refusing([Refusal("VALID_ROOM_RULE", None, "no pets")]), threading.Event())
    assert isinstance(outcome, Rejected) and outcome.feedback.violation_type == "availability"


def test_a_cancelled_day_makes_no_call_and_commits_nothing() -> None:
    cancelled, state = threading.Event(), Memory()
    cancelled.set()
    outcome = EXECUTOR(STAY, state, cancelled)
    assert isinstance(outcome, Cancelled) and outcome.tally.calls == {} and state.held == []


def test_a_cancellation_breaks_off_a_slow_call() -> None:
    cancelled = threading.Event()
    slow = replace(EXECUTOR, latency=1000.0)
    threading.Timer(0.02, cancelled.set).start()
    assert isinstance(slow(STAY, Memory(), cancelled), Cancelled)


def test_a_day_ends_when_the_time_of_the_attempt_is_over() -> None:
    def check() -> None:
        raise AttemptFailedError("timeout", "over")

    with pytest.raises(AttemptFailedError, match="over"):
        replace(EXECUTOR, check=check)(STAY, Memory(), threading.Event())


def test_executors_of_one_city_never_commit_the_same_venue() -> None:
    trip = market(7)
    city = max(trip.destinations, key=lambda c: len(trip.restaurants(c)))
    first, *stays = days_of_route(RoundTrip(((city, 3),), "public"), trip)[:3]
    executor = LocalExecutor(trip, POLICY, 0.0, lambda: None)
    monitor = Monitor(judge(7).task)
    bodies = [executor(replace(day, frugal=True), monitor, threading.Event()) for day in stays]
    eaten = [name for body in bodies if isinstance(body, Committed) for name in names(body.draft.action)]
    assert len(bodies) == 2 and len(eaten) >= 3 and len(eaten) == len(set(eaten))
    assert any(body.tally.refusals for body in bodies)
    assert monitor.check({}) == OK and first.nights == 3


def test_a_frugal_day_books_nothing_that_it_can_do_without() -> None:
    names_of = [slot.name for slot in slots(replace(DEPARTURE, frugal=True), TRIP)]
    assert names_of == ["ride", "hotel"]
    assert [slot.name for slot in slots(replace(STAY, frugal=True), TRIP)] == [
        "breakfast",
        "lunch",
        "dinner",
        "sight",
    ]


def test_at_home_nothing_is_eaten() -> None:
    for day in (DEPARTURE, RETURN):
        meals = {o.name for slot in slots(day, TRIP) if slot.is_meal for o in slot.offers}
        assert meals and not meals & {o.name for o in TRIP.restaurants(TRIP.org)}


def test_a_draft_is_what_was_chosen() -> None:
    least = POLICY.cheapest(slots(RETURN, TRIP), ())
    assert least is not None
    result = draft_day(RETURN, least)
    assert result.action["days"] == [
        {"day": TRIP.dates[2], "city": TRIP.org, "from": "Brindle", **least["ride"].cells}
    ]
    assert result.cost == least["ride"].cost
