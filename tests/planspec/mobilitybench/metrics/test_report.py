"""Means, denominators and intervals of many runs."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from planspec.mobilitybench.episode import Scenario
from planspec.mobilitybench.metrics import METRICS, Report, score_trace
from planspec.mobilitybench.metrics.intervals import bootstrap, wilson
from planspec.verifiers.traces import Trace
from tests.planspec.mobilitybench.metrics.runs import DRIVE, call, episode, planner, tokens, trace


@pytest.mark.parametrize(
    ("hits", "of", "interval"),
    [
        # by hand: 5 of 10 is 0.5 +- 0.2634 as (0.5 + 0.19207) / 1.38415 -+ ..., 0 of 10 ends at z^2 / (10 + z^2)
        (5, 10, (0.236593, 0.763407)),
        (0, 10, (0.0, 0.277533)),
        (10, 10, (0.722467, 1.0)),
        (1, 1, (0.206549, 1.0)),
    ],
)
def test_the_interval_of_a_rate_is_wilsons(hits: int, of: int, interval: tuple[float, float]) -> None:
    assert wilson(hits, of) == interval


def test_a_rate_of_nothing_has_no_interval() -> None:
    assert wilson(0, 0) is None
    assert bootstrap([]) == []
    assert bootstrap([[], []]) == [None, None]


def test_the_bootstrap_is_the_same_for_a_seed_and_holds_the_mean() -> None:
    draw = random.Random(3)
    column = [draw.random() for _ in range(200)]
    (one,) = bootstrap([column], seed=1)
    assert [one] == bootstrap([column], seed=1)
    assert [one] != bootstrap([column], seed=2)
    assert one is not None
    mean = sum(column) / len(column)
    assert one[0] < mean < one[1]
    # the standard error is sqrt(1/12/200) = 0.0204, so that the interval is about 0.08 wide
    assert 0.06 < one[1] - one[0] < 0.10


def test_values_that_are_all_the_same_have_an_interval_of_no_width() -> None:
    assert bootstrap([[0.5] * 7, [None] * 7, [1.0, None, None, None, None, None, None]]) == [
        (0.5, 0.5), None, (1.0, 1.0),
    ]  # fmt: skip


def report(*runs: tuple[Scenario, Trace | None]) -> dict[str, Any]:
    made = Report()
    for scenario, run in runs:
        made.add(score_trace(episode(*DRIVE, scenario=scenario, steps=("find_place",)), run, None))
    return made.document()


def test_every_episode_is_in_the_denominator_and_a_missing_one_counts_0() -> None:
    right = trace(call("poi_query", keywords="x"), stages=(planner(intent="Point-to-Point Planning"),))
    found = report(
        (Scenario.POINT_TO_POINT, right), (Scenario.POINT_TO_POINT, None), (Scenario.WEATHER, None)
    )
    assert (found["n"], found["traced"]) == (3, 1)
    assert found["metrics"]["ID"] == {"mean": 1 / 3, "n": 3, "interval": list(wilson(1, 3) or ())}
    assert found["metrics"]["SC"]["mean"] == 1 / 3
    assert found["metrics"]["TS_coverage"]["mean"] == 1 / 6
    assert found["failures"]["ID"] == {"no trace": 2}
    assert found["verdicts"] == {"undelivered": 3}
    assert found["undeclared"] == {"constraints": 1, "steps": 1, "tokens": 1}


def test_groups_are_the_papers_families_and_scenarios() -> None:
    found = report((Scenario.TRAFFIC, None), (Scenario.WEATHER, trace()), (Scenario.MULTI_STOP, trace()))
    assert {name: group["n"] for name, group in found["families"].items()} == {
        "Basic Information Retrieval": 2, "Basic Route Planning": 1,
    }  # fmt: skip
    assert list(found["scenarios"]) == ["Weather Query", "Traffic Info Query", "Multi-stop Planning"]
    assert found["scenarios"]["Weather Query"]["traced"] == 1
    assert list(found["scenarios"]["Weather Query"]["metrics"]) == list(METRICS)


def test_means_of_tokens_go_over_the_runs_that_tell_them() -> None:
    runs = [trace(tokens=(tokens(100, None),)), trace(tokens=(tokens(300, 7),)), trace(), None]
    found = report(*((Scenario.WEATHER, run) for run in runs))["metrics"]
    assert (found["IT"]["mean"], found["IT"]["n"]) == (200, 2)
    assert (found["OT"]["mean"], found["OT"]["n"], found["OT"]["interval"]) == (7, 1, [7, 7])


def test_a_report_of_nothing_says_so() -> None:
    found = Report().document()
    assert found["n"] == 0
    assert found["metrics"]["DR"] == {"mean": None, "n": 0, "interval": None}
    json.dumps(found, allow_nan=False)
