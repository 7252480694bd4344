from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from planspec.agents.failures import AttemptFailedError
from planspec.families.travelplanner.himap.executor import LocalExecutor
from planspec.families.travelplanner.himap.goals import Cancelled, Committed, Goal, Rejected
from planspec.families.travelplanner.himap.policies import SolverPolicy, random_rating
from planspec.families.travelplanner.himap.routes import RoundTrip, days_of_route
from planspec.families.travelplanner.himap.slots import draft_day, selection_cost, slots
from planspec.monitor import OK, Monitor, Refusal, Reply
from tests.families.travelplanner.himap.small_trips import RecordingState, judge, market

TRIP = market(1)
POLICY = SolverPolicy(random_rating(0))
EXECUTOR = LocalExecutor(TRIP, POLICY, 0.0, lambda: None)
DEPARTURE, STAY, RETURN = days_of_route(RoundTrip((("Brindle", 2),), "public"), TRIP)


class RefusingState(RecordingState):
    """A shared state that first replies with given refusals in order, and then accepts everything."""

    def __init__(self, replies: Sequence[Refusal]) -> None:
        super().__init__()
        self.replies = list(replies)
        self.tried: list[Mapping[str, Any]] = []

    def commit(self, action: Mapping[str, Any]) -> Reply:
        self.tried.append(action)
        return self.replies.pop(0) if self.replies else super().commit(action)


def restaurants_of(action: Mapping[str, Any]) -> list[str]:
    """Return the names of the restaurants in an action."""
    return [row["restaurant"] for row in action.get("meals", ())]


def test_a_day_of_stay_has_three_meals_and_a_sight() -> None:
    outcome = EXECUTOR(STAY, RecordingState(), threading.Event())
    assert isinstance(outcome, Committed)
    assert {row["meal"] for row in outcome.draft.action["meals"]} == {"breakfast", "lunch", "dinner"}
    assert len(set(restaurants_of(outcome.draft.action))) == 3
    assert len(outcome.draft.action["sights"]) == 1


def test_the_day_that_begins_a_stay_books_all_its_nights() -> None:
    outcome = EXECUTOR(DEPARTURE, RecordingState(), threading.Event())
    assert isinstance(outcome, Committed)
    first, second = outcome.draft.action["days"]
    assert (first["day"], second["day"]) == TRIP.dates[:2]
    assert first["hotel"] == second["hotel"] and first["mode"] in ("flight", "taxi")


def test_a_sufficient_hint_is_respected() -> None:
    least = POLICY.cheapest(slots(STAY, TRIP), ())
    assert least is not None
    outcome = EXECUTOR(replace(STAY, hint=selection_cost(least) + 500), RecordingState(), threading.Event())
    assert isinstance(outcome, Committed) and outcome.draft.cost <= selection_cost(least) + 500
    assert outcome.feedback.deficit == -500


def test_a_hint_that_is_too_low_is_exceeded_and_the_deficit_reported() -> None:
    least = POLICY.cheapest(slots(STAY, TRIP), ())
    assert least is not None
    outcome = EXECUTOR(replace(STAY, hint=selection_cost(least) - 300), RecordingState(), threading.Event())
    assert isinstance(outcome, Committed) and outcome.draft.cost == selection_cost(least)
    assert outcome.feedback.deficit == 300


def test_a_refused_venue_is_not_proposed_again() -> None:
    free = EXECUTOR(STAY, RecordingState(), threading.Event())
    assert isinstance(free, Committed)
    taken = restaurants_of(free.draft.action)[0]
    state = RefusingState([Refusal("DUPLICATE_VENUE", None, f"chosen more than once: {{{taken}}}")])
    outcome = EXECUTOR(STAY, state, threading.Event())
    assert isinstance(outcome, Committed)
    assert taken in restaurants_of(state.tried[0]) and taken not in restaurants_of(state.tried[1])
    assert outcome.tally.refusals == {"DUPLICATE_VENUE": 1}


def test_a_conflicting_mode_of_transport_is_replaced() -> None:
    either = replace(DEPARTURE, mode=None)
    state = RefusingState([Refusal("MODE_CONFLICT", None, "one's own car goes with neither")])
    outcome = EXECUTOR(either, state, threading.Event())
    assert isinstance(outcome, Committed)
    modes = [action["days"][0]["mode"] == "self_driving" for action in state.tried]
    assert modes[0] != modes[1]


def test_a_day_spends_less_after_a_refusal_over_budget() -> None:
    free = EXECUTOR(STAY, RecordingState(), threading.Event())
    assert isinstance(free, Committed)
    state = RefusingState([Refusal("BUDGET_EXCEEDED", None, "too dear", margin=-200, unit="1/100 USD")])
    outcome = EXECUTOR(STAY, state, threading.Event())
    assert isinstance(outcome, Committed) and outcome.draft.cost <= free.draft.cost - 200


def test_an_unaffordable_day_is_rejected_with_its_deficit() -> None:
    least = POLICY.cheapest(slots(STAY, TRIP), ())
    assert least is not None
    state = RefusingState([Refusal("BUDGET_EXCEEDED", None, "too dear", margin=-(10**7))])
    outcome = EXECUTOR(replace(STAY, hint=selection_cost(least) - 100), state, threading.Event())
    assert isinstance(outcome, Rejected)
    assert outcome.feedback.as_json() == {
        "day": 2,
        "status": "infeasible",
        "deficit": "1.00",
        "violation_type": "budget",
    }
    assert outcome.draft is not None and outcome.draft.cost == selection_cost(least)


@pytest.mark.parametrize(
    ("goal", "reason"),
    [
        (replace(DEPARTURE, origin="Brindle"), "time"),
        (replace(STAY, tastes=("Klingon",)), "availability"),
    ],
)
def test_a_rejection_states_the_type_of_the_violation(goal: Goal, reason: str) -> None:
    outcome = EXECUTOR(goal, RecordingState(), threading.Event())
    assert isinstance(outcome, Rejected) and outcome.feedback.violation_type == reason


def test_a_stay_without_a_suitable_hotel_is_reported_as_unavailable() -> None:
    trip = market(14)
    departure = days_of_route(RoundTrip((("Quillport", 2),), "car"), trip)[0]
    executor = LocalExecutor(trip, POLICY, 0.0, lambda: None)
    outcome = executor(departure, RecordingState(), threading.Event())
    assert isinstance(outcome, Rejected) and outcome.feedback.violation_type == "availability"
    assert outcome.draft is None


def test_the_number_of_attempts_to_commit_is_limited() -> None:
    state = RefusingState([Refusal("BUDGET_EXCEEDED", None, "too dear", margin=-1)] * 1000)
    outcome = EXECUTOR(STAY, state, threading.Event())
    assert isinstance(outcome, Rejected) and len(state.tried) <= 15


def test_a_refusal_that_no_other_offer_can_avoid_rejects_the_day() -> None:
    outcome = EXECUTOR(STAY, RefusingState([Refusal("VALID_ROOM_RULE", None, "no pets")]), threading.Event())
    assert isinstance(outcome, Rejected) and outcome.feedback.violation_type == "availability"


def test_a_cancelled_day_makes_no_call_and_commits_nothing() -> None:
    cancelled, state = threading.Event(), RecordingState()
    cancelled.set()
    outcome = EXECUTOR(STAY, state, cancelled)
    assert isinstance(outcome, Cancelled) and outcome.tally.calls == {} and state.actions == []


def test_a_cancellation_interrupts_a_slow_call() -> None:
    cancelled = threading.Event()
    slow = replace(EXECUTOR, latency=1000.0)
    threading.Timer(0.02, cancelled.set).start()
    assert isinstance(slow(STAY, RecordingState(), cancelled), Cancelled)


def test_a_day_ends_when_the_time_of_the_attempt_runs_out() -> None:
    def check() -> None:
        raise AttemptFailedError("timeout", "over")

    with pytest.raises(AttemptFailedError, match="over"):
        replace(EXECUTOR, check=check)(STAY, RecordingState(), threading.Event())


def test_executors_of_one_city_never_commit_the_same_venue() -> None:
    trip = market(7)
    city = max(trip.destinations, key=lambda c: len(trip.restaurants(c)))
    first, *stays = days_of_route(RoundTrip(((city, 3),), "public"), trip)[:3]
    executor = LocalExecutor(trip, POLICY, 0.0, lambda: None)
    monitor = Monitor(judge(7).task)
    bodies = [executor(replace(day, frugal=True), monitor, threading.Event()) for day in stays]
    eaten = [name for body in bodies if isinstance(body, Committed) for name in restaurants_of(body.draft.action)]
    assert len(bodies) == 2 and len(eaten) >= 3 and len(eaten) == len(set(eaten))
    assert any(body.tally.refusals for body in bodies)
    assert monitor.check({}) == OK and first.nights == 3


def test_a_frugal_day_has_only_required_slots() -> None:
    names_of = [slot.name for slot in slots(replace(DEPARTURE, frugal=True), TRIP)]
    assert names_of == ["ride", "hotel"]
    assert [slot.name for slot in slots(replace(STAY, frugal=True), TRIP)] == [
        "breakfast",
        "lunch",
        "dinner",
        "sight",
    ]


def test_days_at_home_have_no_meals() -> None:
    for day in (DEPARTURE, RETURN):
        meals = {o.name for slot in slots(day, TRIP) if slot.is_meal for o in slot.offers}
        assert meals and not meals & {o.name for o in TRIP.restaurants(TRIP.org)}


def test_a_draft_of_a_day_has_the_chosen_offers_as_rows() -> None:
    least = POLICY.cheapest(slots(RETURN, TRIP), ())
    assert least is not None
    result = draft_day(RETURN, least)
    assert result.action["days"] == [{"day": TRIP.dates[2], "city": TRIP.org, "from": "Brindle", **least["ride"].cells}]
    assert result.cost == least["ride"].cost
