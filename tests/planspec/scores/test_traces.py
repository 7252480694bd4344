"""Metrics of families that score traces, computed from a run's tasks and repeats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from planspec.agents import AgentSpec, AttemptFailedError, Limits
from planspec.environments import open_task
from planspec.families.mobilitybench.episode import Scenario
from planspec.families.mobilitybench.suite import SuiteWriter, read_episodes
from planspec.runs import RunFolder, RunOptions, begin
from planspec.runs.attempting import AttemptSpec, attempt
from planspec.scores import compare, run_metrics, run_scores
from planspec.scores.intervals import wilson
from planspec.traces.files import line_of
from planspec.traces.metrics import TraceRequest, trace_metrics
from tests.families.mobilitybench import london
from tests.planspec.scores.small import ScriptedAgent, add_attempt


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a suite of MobilityBench."""
    folder = tmp_path_factory.mktemp("suites") / "ours"
    with SuiteWriter(folder, "Ours") as writer:
        for episode in (london.poi_search(), london.weather(), london.from_to()):
            writer.add(episode)
    return folder


def right_answer(suite: Path) -> str:
    """Return the answer of the first episode."""
    name = next(iter(read_episodes(suite))).given["right_places"][0]  # type: ignore[index]
    return json.dumps({"intent": "POI Search", "constraints": {}, "answer": {"place": name}})


def write_trace_run(suite: Path, out: Path, *answers: tuple[int, int, Any], **more: Any) -> RunFolder:
    """Write a run with answers, each given with the index of its task and its repeat."""
    folder = RunFolder(out)
    run = begin(RunOptions(str(suite), AgentSpec.read("empty"), **more), folder)
    for at, repeat, answer in answers:
        task = run.tasks[at]
        opened = open_task(suite / "tasks" / f"{task}.yaml", folder=suite)
        add_attempt(
            folder,
            attempt(AttemptSpec(task, repeat, repeat), ScriptedAgent(answer), "empty", opened, Limits()),
        )
    return folder


@pytest.mark.slow
def test_a_whole_run_has_the_document_of_its_familys_scorer(suite: Path, tmp_path: Path) -> None:
    folder = write_trace_run(
        suite, tmp_path / "run", (0, 0, right_answer(suite)), (1, 0, AttemptFailedError("provider", "gone"))
    )
    traces = tmp_path / "traces.jsonl"
    traces.write_text("".join(line_of(one.trace) + "\n" for one in folder.attempts()))
    request = TraceRequest(suite="ours", folder=suite, traces=traces, profile="strict")
    metrics = trace_metrics("mobilitybench")
    assert metrics is not None
    expected: Any = metrics.over(request).metrics
    assert run_metrics(folder) == expected
    scores = run_scores(folder, resamples=100)
    assert scores.document == expected
    assert {name: (one.value, one.n) for name, one in scores.metrics.items()} == {
        name: (one["mean"], one["n"]) for name, one in expected["metrics"].items()
    }
    passes = scores.metrics["FPR"]
    assert (passes.value, passes.low, passes.high, passes.method) == (1 / 3, *(wilson(1, 3) or ()), "wilson")
    assert (scores.passed, scores.undelivered, scores.missing) == (1, 1, 1)
    assert list(scores.groups) == ["families", "scenarios"]
    assert scores.groups["scenarios"][Scenario.POI_SEARCH.value].metrics["DR"].value == 1.0


@pytest.mark.slow
def test_tasks_outside_the_run_are_in_no_denominator(suite: Path, tmp_path: Path) -> None:
    folder = write_trace_run(suite, tmp_path / "run", (0, 0, right_answer(suite)), limit=2)
    scores: Any = run_metrics(folder)
    assert (scores["n"], scores["traced"]) == (2, 1)
    assert scores["metrics"]["FPR"] == {"mean": 0.5, "n": 2, "interval": list(wilson(1, 2) or ())}
    assert sum(group["n"] for group in scores["scenarios"].values()) == 2


@pytest.mark.slow
def test_repeats_are_scored_one_by_one(suite: Path, tmp_path: Path) -> None:
    folder = write_trace_run(
        suite,
        tmp_path / "run",
        (0, 0, right_answer(suite)),
        (0, 1, right_answer(suite)),
        (1, 0, "?"),
        limit=2,
        repeats=2,
    )
    scores = run_scores(folder, resamples=100)
    rate = scores.metrics["FPR"]
    assert (rate.value, rate.n, rate.repeats, rate.deviation) == (0.5, 4, (0.5, 0.5), 0.0)
    document: Any = scores.document
    assert document["repeats"]["FPR"] == {"mean": 0.5, "deviation": 0.0}
    assert (document["n"], document["traced"]) == (4, 3)
    assert scores.metrics["IT"].value is None


@pytest.mark.slow
def test_runs_are_compared_in_the_familys_metrics(suite: Path, tmp_path: Path) -> None:
    one = run_scores(write_trace_run(suite, tmp_path / "one", (0, 0, right_answer(suite))), resamples=100)
    other = run_scores(write_trace_run(suite, tmp_path / "two", (0, 0, "?")), resamples=100)
    differences = {scores.metric: scores for scores in compare(other, one, resamples=100).differences}
    assert (differences["FPR"].difference, differences["FPR"].method) == (1 / 3, "newcombe")
    assert differences["IT"].difference is None
