"""Metrics equal the definitions in the benchmarks' papers exactly."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any, Literal

from planspec.families.worldtravel.verdict_metrics import WorldTravelMetrics
from planspec.verifiers.meaning.verdict import Tally, Verdict
from planspec.verifiers.metrics import Scored
from planspec.verifiers.metrics.generic import GenericMetrics

Status = Literal["pass", "fail", "undelivered"]


def verdict(status: Status, hard: tuple[int, int], soft: tuple[int, int] = (0, 0)) -> Scored:
    """Return a scored verdict. `hard` and `soft` are numbers of satisfied and of all constraints."""
    tallies: dict[str, Any] = {
        "hard": Tally(satisfied=hard[0], total=hard[1]),
        "soft": Tally(satisfied=soft[0], total=soft[1]),
    }
    result = Verdict(task="t", profile="strict", status=status, metrics={}, in_scope=True, findings=(), **tallies)
    return Scored(verdict=result)


RUN = [
    verdict("pass", (10, 10), (3, 4)),
    verdict("pass", (9, 9), (1, 3)),
    verdict("fail", (4, 6), (2, 2)),
    verdict("undelivered", (0, 8), (0, 2)),
]


def test_worldtravel_counts_undelivered_answers() -> None:
    metrics = WorldTravelMetrics.over(RUN)
    assert (metrics.n, metrics.delivered) == (4, 3)
    assert metrics.feasibility_rate == Fraction(1, 2)
    assert metrics.constraint_violation == (0 + 0 + Fraction(1, 3) + 1) / 4
    assert metrics.optimality_feasible == (Fraction(3, 4) + Fraction(1, 3)) / 2


def test_an_undelivered_answer_violates_everything_even_if_nothing_was_counted() -> None:
    assert WorldTravelMetrics.over([verdict("undelivered", (0, 0))]).constraint_violation == 1


def test_a_plan_that_fails_by_its_shape_is_not_feasible() -> None:
    metrics = WorldTravelMetrics.over([verdict("fail", (5, 5), (2, 2))])
    assert metrics.feasibility_rate == 0
    assert metrics.constraint_violation == 0
    assert metrics.optimality_feasible is None


def test_optimality_is_null_if_nothing_is_feasible() -> None:
    assert WorldTravelMetrics.over(RUN[2:]).optimality_feasible is None
    assert WorldTravelMetrics.over([verdict("pass", (5, 5))]).optimality_feasible is None
    assert WorldTravelMetrics.over(
        [verdict("pass", (5, 5)), verdict("pass", (5, 5), (1, 2))]
    ).optimality_feasible == Fraction(1, 2)


def test_metrics_over_no_tasks_are_none() -> None:
    assert WorldTravelMetrics.over([]) == WorldTravelMetrics(
        n=0,
        delivered=0,
        feasibility_rate=None,
        constraint_violation=None,
        optimality_feasible=None,
        temporal_rate=None,
    )
    assert GenericMetrics.over([]).pass_rate is None


def test_shares_are_floats_only_in_json() -> None:
    metrics = WorldTravelMetrics.over(RUN)
    assert isinstance(metrics.constraint_violation, Fraction)
    assert json.loads(metrics.model_dump_json()) == {
        "n": 4,
        "delivered": 3,
        "feasibility_rate": 0.5,
        "constraint_violation": 1 / 3,
        "optimality_feasible": 13 / 24,
        "temporal_rate": 0.75,
    }
    properties: dict[str, Any] = WorldTravelMetrics.model_json_schema(mode="serialization")["properties"]
    assert {"type": "number"} in properties["feasibility_rate"]["anyOf"]


def test_the_generic_metrics_are_means_over_tasks() -> None:
    metrics = GenericMetrics.over(iter(RUN))
    assert metrics == GenericMetrics.over(RUN)
    assert GenericMetrics.over(RUN).pass_rate == Fraction(1, 2)
    assert GenericMetrics.over(RUN).mean_hard == (1 + 1 + Fraction(2, 3) + 0) / 4
    assert GenericMetrics.over(RUN).mean_soft == (Fraction(3, 4) + Fraction(1, 3) + 1 + 0) / 4
