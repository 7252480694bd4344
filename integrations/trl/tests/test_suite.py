"""Suites can be the input of `GRPOTrainer`. Their tools and rewards are planspec's."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from transformers.utils import get_json_schema

import planspec
from planspec_trl import PlanspecSuite, UnsuitableToolError
from planspec_trl.tools import episode_class

sys.path.insert(0, str(Path(__file__).parents[1]))

CALLS: dict[str, dict[str, Any]] = {
    "worldtravel-berlin": {"get_hotel_list": {"city": "Berlin"}},
    "travelplanner-small": {"CitySearch": {"state": "Alder"}},
    "veritrip": {"getAttractions": {"city": "Beijing"}},
    "mobilitybench": {},
}


def right_answer(source: str) -> Any:
    return planspec.encode(source, planspec.solve(source).plan)


@pytest.mark.parametrize("suite", CALLS)
def test_a_rollout_earns_what_planspec_verify_reports(suite: str) -> None:
    planspec_suite = PlanspecSuite(suite, limit=2)
    sources = planspec_suite.train_dataset["source"]
    answers = [*map(json.dumps, map(right_answer, sources)), "{}", "I do not know."]
    attempts = [(row, answer) for row in planspec_suite.train_dataset for answer in answers]
    environments = []
    for row, _ in attempts:
        environment = planspec_suite.environment_factory[row["environment"]]()
        assert environment.reset(**row) is None
        for name, arguments in CALLS[suite].items():
            result = getattr(environment, name)(**arguments)
            assert json.loads(result) == planspec.environment(row["source"], row["setting"]).call(name, arguments)
        environments.append(environment)
    completions = [[{"role": "assistant", "content": answer}] for _, answer in attempts]
    logged: dict[str, float] = {}
    rewards = planspec_suite.planspec_reward(completions, environments, log_metric=logged.__setitem__)
    verdicts = [planspec.verify(row["source"], answer).status for row, answer in attempts]
    assert rewards == [float(verdict == "pass") for verdict in verdicts]
    assert 2 <= sum(rewards) < len(rewards)
    assert logged["planspec/pass"] == sum(rewards) / len(rewards)
    assert logged["planspec/calls"] == len(CALLS[suite])


def test_the_dense_reward_equals_that_of_planspecs_environment() -> None:
    suite = PlanspecSuite("worldtravel-berlin", dense=True, limit=1)
    (row,) = suite.train_dataset
    near = Path(row["source"]).parents[1] / "worldtravel" / "answers" / "demo-fail.json"
    wrong = json.dumps(json.loads(near.read_text("utf-8"))["plan"])
    environment = suite.environment_factory[row["environment"]]()
    for answer in (wrong, json.dumps(planspec.load(row["source"]).reference, default=float)):
        environment.reset(**row)
        rewards = suite.planspec_reward([[{"role": "assistant", "content": answer}]], [environment])
        assert rewards[0] > 0 and rewards == [planspec.environment(row["source"]).submit(answer)["reward"]]


@pytest.mark.parametrize("suite", CALLS)
def test_transformers_reads_the_schemas_of_the_tools(suite: str) -> None:
    episode = next(planspec.environments_of(suite))
    environment = episode_class(episode.tools)()
    for tool in episode.tools:
        read = get_json_schema(getattr(environment, tool["name"]))["function"]
        schema = tool["parameters"]
        assert (read["name"], read["description"]) == (tool["name"], " ".join(tool["description"].split()))
        assert set(read["parameters"]["properties"]) == set(schema["properties"])
        assert read["parameters"].get("required", []) == schema.get("required", [])
        for name, each in read["parameters"]["properties"].items():
            for key in ("type", "enum"):
                if key in schema["properties"][name]:
                    assert each[key] == schema["properties"][name][key]


def test_wrong_calls_return_an_error_and_raise_nothing() -> None:
    suite = PlanspecSuite("worldtravel-berlin", limit=1)
    (row,) = suite.train_dataset
    environment = suite.environment_factory[row["environment"]]()
    environment.reset(**row)
    for arguments in ({}, {"city": "Berlin", "planet": "Earth"}):
        result = json.loads(environment.get_hotel_list(**arguments))  # type: ignore[attr-defined]
        assert result["error"]["code"] == "invalid-arguments"


def test_a_rollout_that_ends_with_a_call_has_no_answer() -> None:
    suite = PlanspecSuite("worldtravel-berlin", limit=1)
    (row,) = suite.train_dataset
    environment = suite.environment_factory[row["environment"]]()
    call = {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "x", "arguments": {}}}]}
    for messages in ([], [call], [call, {"role": "tool", "name": "x", "content": "{}"}]):
        environment.reset(**row)
        assert suite.planspec_reward([messages], [environment]) == [0.0]


def test_tasks_and_tools_that_trl_does_not_support_are_refused() -> None:
    with pytest.raises(ValueError, match="several turns or pictures"):
        PlanspecSuite("menu")
    empty = {"description": "Looks.", "parameters": {"type": "object", "properties": {}}}
    for name in ("reset", "_hidden", "two words"):
        with pytest.raises(UnsuitableToolError, match="cannot be a method"):
            episode_class([{"name": name, **empty}])
    odd = {"type": "object", "properties": {"a b": {"type": "string"}}}
    with pytest.raises(UnsuitableToolError, match="the parameter `a b`"):
        episode_class([{"name": "look", "description": "Looks.", "parameters": odd}])


def test_grpo_trains_on_a_suite(capsys: pytest.CaptureFixture[str]) -> None:
    import train_tiny

    train_tiny.main(1)
    output = capsys.readouterr().out
    assert "step   1  reward " in output
    assert "32 rewards, " in output and "each is what planspec verify says" in output
