"""Scores of baselines on shipped tasks: the oracle, random answers, and no answers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from planspec.agents import AgentSpec, Limits
from planspec.runs import RunFolder, RunOptions, begin, resume_run
from planspec.scores import RunScores, compare, run_scores
from planspec.scores.intervals import wilson
from planspec.verifiers.meaning.anchors import anchors
from tests.in_process import attempts_in_process

pytestmark = [pytest.mark.thorough, pytest.mark.xdist_group("real-runs")]


TASKS = 3


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, RunScores]:
    """Return the scores of three runs by agent."""
    made = {}
    for agent in ("oracle", "random", "empty"):
        folder = RunFolder(tmp_path_factory.mktemp("runs") / agent)
        options = RunOptions(
            "worldtravel-berlin",
            AgentSpec.read(agent),
            limits=Limits(seconds=60),
            repeats=1 + (agent == "random"),
            limit=TASKS,
        )
        begin(options, folder)
        with attempts_in_process():
            resume_run(folder, 1)
        made[agent] = run_scores(folder, resamples=500)
    return made


def test_the_oracle_has_perfect_scores_and_is_marked_as_privileged(runs: dict[str, RunScores]) -> None:
    scores = runs["oracle"]
    assert {name: one.value for name, one in scores.metrics.items()} == {
        "feasibility_rate": 1.0,
        "constraint_violation": 0.0,
        "optimality_feasible": 1.0,
        "temporal_rate": 1.0,
    }
    rate = scores.metrics["feasibility_rate"]
    assert (rate.low, rate.high) == wilson(TASKS, TASKS)
    assert (scores.privileged, scores.protocol, scores.missing) == (True, "worldtravel", 0)
    assert all(one.violated == one.unanswered == 0 for one in scores.kinds if one.level == "hard")


def test_empty_answers_violate_every_constraint(runs: dict[str, RunScores]) -> None:
    scores = runs["empty"]
    of_family = {name: value for name, value in scores.document.items() if not name.startswith("facts_")}
    assert of_family == {
        "n": TASKS,
        "delivered": 0,
        "feasibility_rate": 0.0,
        "constraint_violation": 1.0,
        "optimality_feasible": None,
        "temporal_rate": 0.0,
    }
    seen = scores.metrics["facts_seen"].value
    assert seen is not None
    assert 0 < seen < 0.5, "the query tells some of what the reference needs, and nothing was looked up"
    assert scores.document["facts_ignored"] == 0.0
    assert all(one.unanswered == one.applicable and one.share.value == 1 for one in scores.kinds)
    assert [(one.boundary, one.attempts) for one in scores.boundaries] == [("decode", TASKS)]
    assert scores.cost.tokens_in.unknown == TASKS


def test_random_answers_violate_different_constraints_with_different_seeds(runs: dict[str, RunScores]) -> None:
    violation = runs["random"].metrics["constraint_violation"]
    assert violation.value is not None and violation.low is not None and violation.high is not None
    assert 0 < violation.low <= violation.value < 1 and violation.value <= violation.high
    assert len(violation.repeats) == 2
    assert violation.mean == pytest.approx(violation.value)
    assert violation.deviation is not None and violation.deviation > 0
    by_kind = {one.kind: one for one in runs["random"].kinds if one.level == "hard"}
    assert by_kind["timed-entry"].violated > 0
    assert sum(one.applicable for one in by_kind.values()) == 2 * sum(task.hard for task in runs["random"].tasks)


def test_the_anchors_in_scores_equal_those_of_the_measure_of_difficulty(runs: dict[str, RunScores]) -> None:
    from planspec.api.judging import Judge
    from planspec.api.loading import load
    from planspec.dsl.workspace.workspace import Workspace

    workspace = Workspace()
    counted = [anchors(Judge(load(task.task, workspace=workspace)).ground) for task in runs["empty"].tasks]
    assert [task.anchors for task in runs["empty"].tasks] == counted
    assert sum(one.tasks for one in runs["empty"].horizon.anchors.bins) == TASKS


def test_the_oracle_is_compared_with_empty_answers(runs: dict[str, RunScores]) -> None:
    scores = compare(runs["empty"], runs["oracle"], resamples=500)
    assert (len(scores.gained), len(scores.lost), scores.p) == (TASKS, 0, 0.25)
    assert (scores.first.privileged, scores.second.privileged) == (False, True)
    assert scores.said.endswith("`oracle` is given the tasks themselves: it is a reference.")
    assert {one.metric: one.difference for one in scores.differences} == {
        "pass_rate": 1.0,
        "feasibility_rate": 1.0,
        "constraint_violation": -1.0,
        "optimality_feasible": None,
        "temporal_rate": 1.0,
    }


def test_a_report_is_drawn_from_scores_that_went_through_json(runs: dict[str, RunScores]) -> None:
    for scores in runs.values():
        assert RunScores.model_validate_json(scores.model_dump_json()) == scores


def test_scores_load_heavy_modules_only_when_needed() -> None:
    code = "import sys, planspec.scores; print({'numpy', 'ortools', 'z3', 'networkx', 'openai'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_scores_need_only_the_run_s_folder(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    begin(RunOptions("worldtravel-berlin", AgentSpec.read("empty"), limit=1), folder)
    scores = run_scores(folder, resamples=100)
    assert (scores.wanted, scores.missing, scores.pass_rate.value) == (1, 1, 0.0)
    assert scores.name == "run"
