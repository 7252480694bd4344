"""Rollouts of verifiers with a scripted model earn what planspec reports for the same answers."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import verifiers.v1 as vf

import planspec

sys.path.insert(0, str(Path(__file__).parent))
from scripted import Reply, ScriptedModels, scripted_server

CALLS: dict[str, tuple[Reply, ...]] = {
    "worldtravel-berlin": ([("get_hotel_list", {"city": "Berlin"})],),
    "travelplanner-small": ([("CitySearch", {"state": "Alder"})],),
    "veritrip": ([("getAttractions", {"city": "Beijing"})],),
    "mobilitybench": (),
}
"""Calls that do not affect verdicts, keyed by suite. Calls of MobilityBench have a separate test."""


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedModels]:
    # verifiers looks for uv on the path and runs agents with it
    os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    with scripted_server() as script:
        yield script


def environment(**taskset: Any) -> vf.Env:
    """Return the environment that `vf-eval planspec-verifiers` creates."""
    return vf.load_environment(vf.resolve_env_config({"taskset": {"id": "planspec-verifiers", **taskset}}))


async def play(env: vf.Env, server: ScriptedModels, scripts: list[tuple[vf.Task, tuple[Reply, ...]]]) -> list[vf.Trace]:
    """Play one rollout for each task with its script, four at a time, and return the traces."""
    client = vf.EvalClientConfig(base_url=server.url, api_key_var="NO_KEY_IS_NEEDED")
    limiter = asyncio.Semaphore(4)
    async with env.serving():
        episodes = await asyncio.gather(
            *(
                env.run_slot(
                    env.slots(task)[0],
                    vf.ModelContext(model=server.add_model(*script), client=client, sampling=vf.SamplingConfig()),
                    limiter,
                )
                for task, script in scripts
            )
        )
    assert all(episode.ok for episode in episodes), [episode.errors for episode in episodes]
    assert not any(server.replies.values()), "a script was not used to its end"
    return [episode.traces[0] for episode in episodes]


def right_answer(source: str) -> Any:
    """Return an answer that passes, from the solver."""
    return planspec.encode(source, planspec.solve(source).plan)


@pytest.mark.parametrize("suite", CALLS)
def test_a_rollout_earns_what_planspec_verify_reports(suite: str, server: ScriptedModels) -> None:
    env = environment(suite=suite)
    tasks = list(islice(env.taskset, 2))
    answers = [right_answer(task.data.source) for task in tasks]
    attempts = [(task, answer) for task in tasks for answer in [*answers, {}, "I do not know."]]
    texts = [answer if isinstance(answer, str) else json.dumps(answer) for _, answer in attempts]
    traces = asyncio.run(
        play(
            env,
            server,
            [(task, (*CALLS[suite], text)) for (task, _), text in zip(attempts, texts, strict=True)],
        )
    )
    passed = 0
    for (task, _), text, trace in zip(attempts, texts, traces, strict=True):
        verdict = planspec.verify(task.data.source, text)
        passed += verdict.status == "pass"
        assert trace.reward == (verdict.status == "pass")
        assert trace.metrics["calls"] == len(CALLS[suite])
        assert trace.metrics["delivered"] == (verdict.status != "undelivered")
        if verdict.status != "undelivered":
            assert trace.metrics["hard"] == pytest.approx(verdict.hard.satisfied / verdict.hard.total)
    assert passed >= len(tasks)


def test_tools_return_what_an_episode_of_planspec_returns_and_refused_calls_do_not_count(
    server: ScriptedModels,
) -> None:
    env = environment(suite="worldtravel-berlin", task={"dense": True})
    task = next(iter(env.taskset))
    script: list[Reply] = [
        [
            ("get_hotel_list", {"city": "Berlin"}),
            ("get_hotel_list", {}),
            ("no_such_tool", {}),
            ("get_hotel_list", "[1]"),
        ],
        json.dumps(right_answer(task.data.source)),
    ]
    (trace,) = asyncio.run(play(env, server, [(task, tuple(script))]))
    episode = planspec.environment(task.data.source, task.data.setting)
    results = [json.loads(message.content) for message in trace.tool_messages[:2]]
    assert results == [episode.call("get_hotel_list", {"city": "Berlin"}), episode.call("get_hotel_list", {})]
    assert [tool["name"] for tool in episode.tools] == [tool.name for tool in trace.nodes[0].tools]
    assert (trace.reward, trace.metrics["calls"]) == (1.0, 2)
    assert trace.info["planspec"]["violated"] == {}


def test_calls_count_if_the_family_counts_them(server: ScriptedModels) -> None:
    env = environment(suite="mobilitybench")
    task = next(iter(env.taskset))
    answer = right_answer(task.data.source)
    answered_call, failing_call = (
        ("poi_query", {"keywords": "长林广场", "city": "深圳市"}),
        ("poi_query", {"city": "深圳市"}),
    )
    attempts = [(task, ([call], json.dumps(answer))) for call in (answered_call, failing_call)]
    expected = []
    for call in (answered_call, failing_call):
        episode = planspec.environment(task.data.source, task.data.setting)
        episode.call(*call)
        expected.append(episode.submit(answer))
    traces = asyncio.run(play(env, server, attempts))
    assert [trace.reward for trace in traces] == [1, 0] == [outcome["pass"] for outcome in expected]
    assert [trace.metrics["dense"] for trace in traces] == [outcome["reward"] for outcome in expected]
    assert [list(trace.info["planspec"]["violated"]) for trace in traces] == [[], ["run"]]


def test_turns_follow_each_other_and_the_last_answer_counts(server: ScriptedModels) -> None:
    env = environment(suite="menu")
    (task,) = env.taskset
    turns = 1 + len(task.data.later)
    last = json.dumps(right_answer(f"{task.data.source}"))
    attempts = [(task, ("{}",) * (turns - 1) + (last,)), (task, (last,) + ("{}",) * (turns - 1))]
    good, bad = asyncio.run(play(env, server, attempts))
    assert turns > 1
    assert (good.reward, bad.reward) == (1.0, 0.0)
    users = [message.content for message in good.messages if message.role == "user"]
    assert users == [task.data.prompt, *task.data.later]
    assert good.info["planspec"]["ends"] == list(range(1, turns))


def test_a_generator_yields_tasks_without_end(tmp_path: Path, server: ScriptedModels) -> None:
    env = environment(generate="mobilitybench", options={"size": "2", "cities": "1"}, folder=str(tmp_path), seed=5)
    assert not env.taskset.bounded
    tasks = list(env.taskset.take(5))
    assert len({task.data.prompt for task in tasks}) == 5  # batches of two, with seeds from 5 on
    assert [task.data.idx for task in tasks] == list(range(5))
    same_environment = environment(
        generate="mobilitybench", options={"size": "2", "cities": "1"}, folder=str(tmp_path), seed=5
    )
    assert [task.data for task in same_environment.taskset.take(2)] == [task.data for task in tasks[:2]]
    (trace,) = asyncio.run(play(env, server, [(tasks[4], (json.dumps(right_answer(tasks[4].data.source)),))]))
    assert trace.metrics["pass"] == 1


def test_a_config_names_either_a_suite_or_a_family() -> None:
    for wrong in ({}, {"suite": "worldtravel-berlin", "generate": "veritrip"}):
        with pytest.raises(ValueError, match="name either a suite or a family"):
            environment(**wrong)
