"""Suites as what `GRPOTrainer` takes: tools of the model are planspec's, and so are the rewards."""

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


def right(source: str) -> Any:
    return planspec.encode(source, planspec.solve(source).plan)


@pytest.mark.parametrize("suite", CALLS)
def test_a_rollout_earns_what_planspec_verify_says(suite: str) -> None:
    made = PlanspecSuite(suite, limit=2)
    sources = made.train_dataset["source"]
    answers = [*map(json.dumps, map(right, sources)), "{}", "I do not know."]
    asked = [(row, answer) for row in made.train_dataset for answer in answers]
    environments = []
    for row, _ in asked:
        environment = made.environment_factory[row["environment"]]()
        assert environment.reset(**row) is None
        for name, arguments in CALLS[suite].items():
            told = getattr(environment, name)(**arguments)
            assert json.loads(told) == planspec.environment(row["source"], row["setting"]).call(
                name, arguments
            )
        environments.append(environment)
    completions = [[{"role": "assistant", "content": answer}] for _, answer in asked]
    logged: dict[str, float] = {}
    paid = made.planspec_reward(completions, environments, log_metric=logged.__setitem__)
    verdicts = [planspec.verify(row["source"], answer).status for row, answer in asked]
    assert paid == [float(verdict == "pass") for verdict in verdicts]
    assert 2 <= sum(paid) < len(paid)
    assert logged["planspec/pass"] == sum(paid) / len(paid)
    assert logged["planspec/calls"] == len(CALLS[suite])


def test_the_dense_reward_is_the_environments() -> None:
    made = PlanspecSuite("worldtravel-berlin", dense=True, limit=1)
    (row,) = made.train_dataset
    near = Path(row["source"]).parents[1] / "worldtravel" / "answers" / "demo-fail.json"
    wrong = json.dumps(json.loads(near.read_text("utf-8"))["plan"])
    environment = made.environment_factory[row["environment"]]()
    for answer in (wrong, json.dumps(planspec.load(row["source"]).reference)):
        environment.reset(**row)
        paid = made.planspec_reward([[{"role": "assistant", "content": answer}]], [environment])
        assert paid[0] > 0 and paid == [planspec.environment(row["source"]).submit(answer)["reward"]]


@pytest.mark.parametrize("suite", CALLS)
def test_transformers_reads_the_schemas_of_the_tools(suite: str) -> None:
    episode = next(planspec.environments_of(suite))
    made = episode_class(episode.tools)()
    for tool in episode.tools:
        read = get_json_schema(getattr(made, tool["name"]))["function"]
        said = tool["parameters"]
        assert (read["name"], read["description"]) == (tool["name"], " ".join(tool["description"].split()))
        assert set(read["parameters"]["properties"]) == set(said["properties"])
        assert read["parameters"].get("required", []) == said.get("required", [])
        for name, each in read["parameters"]["properties"].items():
            for key in ("type", "enum"):
                if key in said["properties"][name]:
                    assert each[key] == said["properties"][name][key]


def test_wrong_calls_are_told_and_raise_nothing() -> None:
    made = PlanspecSuite("worldtravel-berlin", limit=1)
    (row,) = made.train_dataset
    environment = made.environment_factory[row["environment"]]()
    environment.reset(**row)
    for arguments in ({}, {"city": "Berlin", "planet": "Earth"}):
        told = json.loads(environment.get_hotel_list(**arguments))  # type: ignore[attr-defined]
        assert told["error"]["code"] == "invalid-arguments"


def test_a_rollout_that_ends_with_a_call_has_no_answer() -> None:
    made = PlanspecSuite("worldtravel-berlin", limit=1)
    (row,) = made.train_dataset
    environment = made.environment_factory[row["environment"]]()
    call = {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "x", "arguments": {}}}]}
    for messages in ([], [call], [call, {"role": "tool", "name": "x", "content": "{}"}]):
        environment.reset(**row)
        assert made.planspec_reward([messages], [environment]) == [0.0]


def test_what_trl_has_no_place_for_is_refused() -> None:
    with pytest.raises(ValueError, match="several turns or pictures"):
        PlanspecSuite("menu")
    empty = {"description": "Looks.", "parameters": {"type": "object", "properties": {}}}
    for name in ("reset", "_hidden", "two words"):
        with pytest.raises(UnsuitableToolError, match="cannot be a method"):
            episode_class([{"name": name, **empty}])
    odd = {"type": "object", "properties": {"a b": {"type": "string"}}}
    with pytest.raises(UnsuitableToolError, match="the parameter `a b`"):
        episode_class([{"name": "look", "description": "Looks.", "parameters": odd}])


def test_grpo_trains_on_it(capsys: pytest.CaptureFixture[str]) -> None:
    import train_tiny

    train_tiny.main(1)
    said = capsys.readouterr().out
    assert "step   1  reward " in said
    assert "32 rewards, " in said and "each is what planspec verify says" in said
