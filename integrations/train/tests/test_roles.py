"""HiMAP's roles read requests, call tools, and each learns from its own rewards."""

import json
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from planspec.agents import UnknownAgentError
from planspec.families.travelplanner.himap.rewards import group_relative_advantages
from planspec_train.choosing import GRID, Trial, trials
from planspec_train.courses import COURSES
from planspec_train.himap.chat import TrainedRoles
from planspec_train.himap.coordinator import days_of, split_trip
from planspec_train.himap.decisions import Decider
from planspec_train.himap.episodes import Attempt, Trajectory, Trip
from planspec_train.himap.executor import REQUIRED, Candidate, Day, cells_of, offers_of, searches
from planspec_train.himap.reading import read_request
from planspec_train.himap.training import groups_of, train
from planspec_train.himap.trips import trip_queries
from planspec_train.policy import Policy, advantages
from planspec_train.splits import SEEDS, Split
from planspec_train.training import TrainingSettings

REQUEST = "We leave Marrowby for Brindle on March 3rd, 2022. Back on March 5th, 2022, two people, and $1,350 to spend."


def test_candidates_of_a_request_have_their_words_and_not_their_values() -> None:
    reading = read_request(REQUEST)
    assert {mention.value: mention.contexts for mention in reading.names} == {
        "Marrowby": ("2 before: we", "1 before: leave", "after: for"),
        "Brindle": ("2 before: marrowby", "1 before: for", "after: on"),
    }
    assert [mention.value for mention in reading.dates] == ["2022-03-03", "2022-03-05"]
    assert [mention.value for mention in reading.amounts] == [1350, None]
    assert [mention.value for mention in reading.numbers] == [2, 1, 3]  # "two", the default, days between dates


def test_stays_become_the_days_of_a_trip() -> None:
    days = days_of("A", "2022-03-03", [("B", 2), ("C", 1)], "car")
    assert [(day["role"], day.get("origin"), day["city"], day.get("nights", 0)) for day in days] == [
        ("departure", "A", "B", 2),
        ("stay", None, "B", 0),
        ("transit", "B", "C", 1),
        ("return", "C", "A", 0),
    ]
    assert [day["date"][-2:] for day in days] == ["03", "04", "05", "06"] and {day["mode"] for day in days} == {"car"}


def test_an_executor_knows_the_offers_that_its_searches_have_shown() -> None:
    task = {"day": 3, "date": "2022-03-05", "role": "return", "origin": "B", "city": "A", "nights": 0, "request": {}}
    calls = searches(task)
    assert [name for name, _ in calls].count("GoogleDistanceMatrix") == 2
    assert calls[-1] == ("AttractionSearch", {"city": "B"})
    assert cells_of(task) == ["transportation", "breakfast", "lunch", "dinner", "attraction"]
    assert set(REQUIRED["return"]) <= set(cells_of(task))
    (offer,) = offers_of(*calls[1], {"cost_per_car": 21}, task)
    assert (offer.text, offer.price) == ("Self-driving, from B to A", 21)
    assert offers_of(*calls[1], {"error": {"code": "not-found"}}, task) == []
    day = Day(task, options=calls, offers={offer.text: offer})
    assert day.offers_for("transportation", {}) == [offer]
    assert day.offers_for("transportation", {"transportation": offer.text}) == []


def test_an_executor_knows_how_often_a_code_has_refused_an_offer_and_its_mode() -> None:
    car, taxi = (Candidate(f"{mode} to A", "ride", 9, (mode,)) for mode in ("self-driving", "taxi"))
    meal = Candidate("Inn", "meal", 5)
    day = Day({}, options=[], offers={each.text: each for each in (car, taxi, meal)})
    assert (car.mode, taxi.mode, meal.mode) == ("car", "public", "") and day.times_refused("Inn") == 0
    day.note_refusal("DUPLICATE_VENUE", {"dinner": "Inn", "breakfast": "-"})
    day.note_refusal("MODE_CONFLICT", {"transportation": car.text, "dinner": "Inn"})
    day.note_refusal("MODE_CONFLICT", {"transportation": car.text, "dinner": "-"})
    assert [day.times_refused(name) for name in ("car", "public", car.text, "Inn")] == [2, 0, 2, 1]


def test_a_stay_is_in_another_city_than_the_one_before() -> None:
    decider = Decider(Policy(size=512), "coordinator", np.random.default_rng(0))
    request = {
        "origin": "A",
        "destination": "B",
        "start_date": "2022-03-03",
        "days": 6,
        "visiting_city_number": 3,
        "transportation_requirement": "-",
    }
    for _ in range(20):
        days = split_trip(decider, request, ["A", "B", "C"], [], 0)
        assert all(day["origin"] != day["city"] for day in days[1:-1] if day["role"] == "transit")


def test_trips_of_different_splits_go_to_different_cities() -> None:
    trips = {split: list(trip_queries(20, 1, split)) for split in SEEDS}
    for one, other in combinations(trips.values(), 2):
        assert {each["dest"] for each in one}.isdisjoint(each["dest"] for each in other)
    assert trips["train"] == list(trip_queries(20, 1, "train")) and json.dumps(trips)
    for each in (each for split in trips.values() for each in split):
        assert each["org"] in each["query"] and f"${each['budget']}" in each["query"]


def test_a_setting_is_scored_by_the_mean_of_its_seeds_minus_their_deviation() -> None:
    thin, steady = Trial(TrainingSettings(steps=1), (0.2, 0.8), 0.0), Trial(TrainingSettings(steps=2), (0.4, 0.5), 0.0)
    assert thin.score == pytest.approx(0.5 - 0.6 / 2**0.5) and max(thin, steady, key=lambda each: each.score) is steady


def test_a_grid_is_tried_on_tasks_of_validation_and_opens_no_held_out_task(
    trip: Trip, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared: list[Split] = []

    def prepare(folder: Path, split: Split) -> Path:
        prepared.append(split)
        return folder / split

    monkeypatch.setitem(GRID, "himap", [{"steps": 1, "groups": 1, "episodes": 2}, {"steps": 1, "episodes": 3}])
    course = replace(COURSES["himap"], prepare=prepare, open=lambda _: [trip])
    first, second = trials("himap", course, tmp_path)
    assert prepared == ["train", "validation"]
    assert (first.settings.episodes, second.settings.episodes) == (2, 3) and len(first.rewards) == 2
    assert first.settings.entropy == COURSES["himap"].settings.entropy


def test_trajectories_are_compared_within_their_role_alone() -> None:
    attempts = [
        Attempt((Trajectory("coordinator", 0.1 * n, ()), Trajectory("executor day 1", 1.0 - n, ())), False, 0)
        for n in range(3)
    ]
    (coordinator,) = groups_of(attempts, "coordinator")
    (first_day,) = groups_of(attempts, "executor")
    assert [each.reward for each in coordinator] == pytest.approx([0.0, 0.1, 0.2])
    assert [each.reward for each in first_day] == [1.0, 0.0, -1.0]
    for group in (coordinator, first_day):
        rewards = [each.reward for each in group]
        assert list(advantages(rewards)) == pytest.approx(group_relative_advantages(rewards), abs=1e-6)
        assert list(advantages(rewards, 0.1)) == pytest.approx(group_relative_advantages(rewards, 0.1), abs=1e-6)


@pytest.fixture(scope="module")
def trip() -> Trip:
    return Trip.open("1")


def test_each_conversation_has_a_reward_and_its_decisions(trip: Trip) -> None:
    for seed in range(6):
        attempt = trip.attempt(Policy(), np.random.default_rng(seed))
        roles = [each.role for each in attempt.trajectories]
        assert roles.count("coordinator") == 1 and all(each.steps for each in attempt.trajectories)
        assert set(roles) <= {"coordinator", "executor day 1", "executor day 2", "executor day 3"}
        assert attempt.passes == (max(each.reward for each in attempt.trajectories) > 0.7)


def test_equal_seeds_give_equal_weights(trip: Trip) -> None:
    def weights(seed: int) -> list[float]:
        policy = Policy(size=512)
        train(policy, [trip], TrainingSettings(steps=2, groups=1, episodes=4), seed, lambda _: None)
        return list(policy.weights)

    first = weights(1)
    assert any(first) and first == weights(1) and first != weights(2)


def test_saved_weights_play_both_roles_as_an_agent(tmp_path: Path) -> None:
    policy = Policy(size=512)
    policy.weights = np.random.default_rng(0).normal(size=512)
    policy.save(tmp_path / "seed-0.npy")
    agent = TrainedRoles(str(tmp_path / "seed-0.npy"))
    assert agent.about()["parameters"] == 512
    with pytest.raises(UnknownAgentError, match="no weights"):
        TrainedRoles(str(tmp_path / "seed-1.npy"))
