"""Means, denominators and intervals of many runs."""

from __future__ import annotations

import json
from typing import Any

from planspec.families.mobilitybench.episode import Scenario
from planspec.families.mobilitybench.metrics import METRICS, StrictReport, score_trace
from planspec.families.mobilitybench.metrics.printing import metric_lines
from planspec.scores.intervals import wilson
from planspec.traces import Trace
from planspec.verifiers.official.protocol import STRICT
from tests.families.mobilitybench.metrics.runs import DRIVE, call, episode, planner, tokens, trace


def report(*runs: tuple[Scenario, Trace | None]) -> dict[str, Any]:
    """Score traces of episodes of the given scenarios, and return the report as JSON. None is a missing trace."""
    strict_report = StrictReport()
    for scenario, run in runs:
        strict_report.add(score_trace(episode(*DRIVE, scenario=scenario, steps=("find_place",)), run, None))
    return strict_report.as_json()


def test_every_episode_is_in_the_denominator_and_a_missing_one_counts_0() -> None:
    right = trace(call("poi_query", keywords="x"), stages=(planner(intent="Point-to-Point Planning"),))
    document = report((Scenario.POINT_TO_POINT, right), (Scenario.POINT_TO_POINT, None), (Scenario.WEATHER, None))
    assert (document["n"], document["traced"]) == (3, 1)
    assert document["metrics"]["ID"] == {
        "mean": 1 / 3,
        "n": 3,
        "interval": list(wilson(1, 3) or ()),
        "undeclared": 0,
        "mean_declared": 1,
    }
    assert document["metrics"]["SC"]["mean"] == 1 / 3
    assert document["metrics"]["TS_coverage"]["mean"] == 1 / 6
    assert document["failures"]["ID"] == {"no trace": 2}
    assert document["verdicts"] == {"undelivered": 3}
    assert document["undeclared"] == {"constraints": 1, "steps": 1, "tokens": 1}


def test_groups_are_the_papers_families_and_scenarios() -> None:
    document = report((Scenario.TRAFFIC, None), (Scenario.WEATHER, trace()), (Scenario.MULTI_STOP, trace()))
    assert {name: group["n"] for name, group in document["families"].items()} == {
        "Basic Information Retrieval": 2,
        "Basic Route Planning": 1,
    }
    assert list(document["scenarios"]) == ["Weather Query", "Traffic Info Query", "Multi-stop Planning"]
    assert document["scenarios"]["Weather Query"]["traced"] == 1
    assert list(document["scenarios"]["Weather Query"]["metrics"]) == list(METRICS)


def test_runs_that_declare_nothing_are_counted_separately() -> None:
    """Undeclared values count as 0 in `mean`. `mean_declared` is only over the runs that declare a value."""
    right = trace(stages=(planner(intent="Point-to-Point Planning"),))
    metrics = report(*((Scenario.POINT_TO_POINT, run) for run in (right, trace(), trace(), None)))["metrics"]
    assert (metrics["ID"]["mean"], metrics["ID"]["undeclared"], metrics["ID"]["mean_declared"]) == (
        0.25,
        2,
        1,
    )
    assert (metrics["IE"]["mean"], metrics["IE"]["undeclared"], metrics["IE"]["mean_declared"]) == (
        0,
        3,
        None,
    )
    assert "undeclared" not in metrics["DR"]
    lines = list(metric_lines(report((Scenario.POINT_TO_POINT, right), (Scenario.WEATHER, trace())), STRICT))
    assert next(line for line in lines if line.startswith("ID")).endswith("1 undeclared, 1.0000 of the others")
    assert next(line for line in lines if line.startswith("IE")).endswith("2 undeclared")


def test_means_of_tokens_are_over_the_runs_that_count_them() -> None:
    runs = [trace(tokens=(tokens(100, None),)), trace(tokens=(tokens(300, 7),)), trace(), None]
    metrics = report(*((Scenario.WEATHER, run) for run in runs))["metrics"]
    assert (metrics["IT"]["mean"], metrics["IT"]["n"]) == (200, 2)
    assert (metrics["OT"]["mean"], metrics["OT"]["n"], metrics["OT"]["interval"]) == (7, 1, None)


def test_an_empty_report_has_no_means() -> None:
    document = StrictReport().as_json()
    assert document["n"] == 0
    assert document["metrics"]["DR"] == {"mean": None, "n": 0, "interval": None}
    json.dumps(document, allow_nan=False)
