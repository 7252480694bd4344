from __future__ import annotations

import json
from typing import Any

import pytest

from planspec.agents import UnknownAgentError, agent
from planspec.agents.desk import Desk
from planspec.agents.failures import AttemptFailedError
from planspec.agents.view import Limits, TaskView
from planspec.api.judging import Judge
from planspec.api.loading import load
from planspec.dsl.workspace.workspace import Workspace
from planspec.environments import open_task
from planspec.families.travelplanner.himap import HiMAP
from planspec.families.travelplanner.himap.agent import reward
from planspec.families.travelplanner.himap.state import combine_actions
from planspec.families.travelplanner.importing.suite import import_travelplanner
from planspec.traces.record import Trace
from tests.families.travelplanner.himap.small_trips import (
    TASKS,
    OpenedTrip,
    judge,
    run_agent,
    view,
    violated_rules,
)
from tests.paths import SHARED

pytestmark = pytest.mark.slow


DATA = SHARED / "data" / "travelplanner"


@pytest.mark.sampled(6)
@pytest.mark.parametrize("number", range(1, 13))
def test_every_trip_that_has_a_plan_is_completed(number: int) -> None:
    for seed in range(3):
        verdict, note, _ = run_agent(number, seed)
        assert verdict.status == "pass", (seed, violated_rules(verdict))
        assert note["agreed"] and note["delivered"] == note["iterations"] <= 3


@pytest.mark.sampled(2)
@pytest.mark.parametrize("number", [3, 7, 11])
def test_trips_are_also_completed_if_days_are_planned_sequentially(number: int) -> None:
    assert run_agent(number, parallel=False)[0].status == "pass"


def test_a_trip_without_a_plan_ends_without_agreement() -> None:
    verdict, note, _ = run_agent(13)
    assert verdict.status == "fail" and not note["agreed"] and note["iterations"] == 3
    assert violated_rules(verdict) == {"valid_cost"}


def test_without_the_monitor_repeated_venues_are_not_refused() -> None:
    results = [run_agent(number, monitor=False) for number in (3, 7, 10)]
    assert all("is_valid_restaurants" in violated_rules(verdict) for verdict, _, _ in results)
    assert all(note["refusals"] == {} and note["agreed"] for _, note, _ in results)


def test_without_the_coordinator_trips_exceed_the_budget() -> None:
    over = [violated_rules(run_agent(number, coordinator=False)[0]) for number in (1, 2, 7, 8)]
    assert sum("valid_cost" in rules for rules in over) >= 3


@pytest.mark.thorough
def test_without_bargaining_a_rejected_day_is_not_planned_again() -> None:
    rounds = [run_agent(number, seed)[1] for number in (3, 6, 11) for seed in range(2)]
    alone = [run_agent(number, seed, bargaining=False)[1] for number in (3, 6, 11) for seed in range(2)]
    assert all(note["agreed"] for note in rounds)
    assert all(note["iterations"] == 1 for note in alone) and not all(note["agreed"] for note in alone)


def test_agreed_days_of_a_greedy_policy_satisfy_the_monitored_rules() -> None:
    for number in range(1, 13):
        verdict, note, _ = run_agent(number, policy="greedy")
        if note["agreed"]:
            assert not violated_rules(verdict) & {
                "is_valid_restaurants",
                "is_valid_attractions",
                "valid_cost",
            }


def test_the_note_on_a_turn_is_json_and_part_of_the_trace() -> None:
    _, note, desk = run_agent(7, 2)
    assert json.loads(json.dumps(note)) == note
    trace = desk.trace("7", "himap", "[]", None)
    assert Trace.model_validate_json(trace.model_dump_json()) == trace
    rounds = note["rounds"]
    assert len(rounds) == note["iterations"] == sum(s.name == "coordinator" for s in trace.stages)
    assert sum(s.name == "executor" for s in trace.stages) == 7 * len(rounds)
    for one in rounds:
        assert len(one["hints"]) == 7 == len(one["feedback"]) + len(one["cancelled"])
        assert all(set(f) == {"day", "status", "deficit", "violation_type"} for f in one["feedback"])
    calls: dict[str, int] = note["calls"]
    assert set(calls) == {"search", "choose", "commit"} and min(calls.values()) > 0
    assert note["executors_s"] <= note["seconds"]


def test_every_turn_has_its_own_note() -> None:
    result = HiMAP()
    result.privilege(OpenedTrip("1", (judge(1), judge(2))))
    desk = Desk(view(1).tools, Limits())
    result.answer(view(1), desk)
    result.answer(view(2, earlier=(("the first", "[]"),)), desk)
    assert [turn["agreed"] for turn in desk.notes["himap"]] == [True, True]
    assert len(desk.notes["himap"]) == 2


def test_a_task_of_another_family_fails_at_the_adapter() -> None:
    result = HiMAP()
    other = Judge(load("meetings"))
    result.privilege(OpenedTrip("meetings", (other,)))
    with pytest.raises(AttemptFailedError) as caught:
        result.answer(TaskView("meetings", None, "text", "", ""), Desk(view(1).tools, Limits()))
    assert caught.value.boundary == "adapter"


def test_an_attempt_without_time_times_out() -> None:
    result = HiMAP()
    result.privilege(OpenedTrip("1", (judge(1),)))
    with pytest.raises(AttemptFailedError) as caught:
        result.answer(view(1), Desk(view(1).tools, Limits(seconds=0.0)))
    assert caught.value.boundary == "timeout"


def test_the_agent_is_created_from_a_name_with_options() -> None:
    result = agent("himap:policy=greedy,monitor=off,coordinator=off,parallel=off,latency=0.05")
    assert isinstance(result, HiMAP) and result.info.privileged
    assert result.about() == {
        "policy": "greedy",
        "monitor": False,
        "coordinator": False,
        "rounds": 1,
        "workers": 1,
        "latency": 0.05,
        "early": True,
    }


@pytest.mark.parametrize(
    "spec",
    ["himap:policy=magic", "himap:rounds=0", "himap:workers=0", "himap:of=(empty)", "himap:policy=model"],
)
def test_wrong_options_are_refused(spec: str) -> None:
    with pytest.raises(UnknownAgentError):
        agent(spec)


def test_an_agent_that_is_given_the_opened_task_passes() -> None:
    opened = open_task(TASKS / "1.yaml")
    result = HiMAP()
    result.privilege(opened)
    limits = Limits(tool_calls=None)
    output = result.answer(opened.view(0, [], limits, 0), Desk(opened.tools, limits))
    assert opened.judge.decoded(output).status == "pass"


def test_the_reward_of_a_plan_with_a_committed_day_differs_from_that_of_an_empty_plan() -> None:
    of = judge(1)
    empty = combine_actions(of.task, [])
    day: dict[str, Any] = {"day": "2022-03-03", "from": "Marrowby", "city": "Brindle", "mode": "taxi"}
    begun = combine_actions(of.task, [{"days": [day]}, {"days": [{**day, "city": "Corvane"}]}])
    assert len(begun.tables["days"]) == 1
    assert reward(of, begun) != reward(of, empty)
    assert reward(of, empty) < 1


@pytest.mark.thorough
@pytest.mark.skipif(not DATA.exists(), reason="the public tables of TravelPlanner are not here")
def test_the_agent_completes_some_public_queries(tmp_path: Any) -> None:
    file = DATA / "queries_train.jsonl"
    few = tmp_path / "queries.jsonl"
    lines = file.read_text("utf-8").splitlines()
    few.write_text("\n".join(lines[place] for place in (0, 9, 22, 33, 44)), "utf-8")
    import_travelplanner(DATA / "db", [few], tmp_path / "trips")
    workspace = Workspace()
    for path in sorted((tmp_path / "trips" / "tasks").glob("*.yaml")):
        of = Judge(load(path, workspace=workspace))
        result = HiMAP()
        result.privilege(OpenedTrip(path.stem, (of,)))
        request = TaskView(path.stem, "travelplanner", "tools", "", "", limits=Limits(tool_calls=None))
        assert of.decoded(result.answer(request, Desk(request.tools, request.limits))).status == "pass", path.stem
