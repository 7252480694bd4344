"""MobilityBench's rates over verdicts, counted by hand."""

from fractions import Fraction
from typing import Any

from planspec.families.mobilitybench.verdict_metrics import UNKNOWN, MobilityBenchMetrics
from planspec.family.registry import family_of
from planspec.verifiers.meaning.verdict import Tally, Verdict
from planspec.verifiers.metrics.scored import Scored


def scored_task(status: Any, **labels: str) -> Scored:
    """Return a scored verdict with a status and labels, such as the scenario."""
    nothing = Tally(satisfied=0, total=0)
    return Scored(
        verdict=Verdict(
            task="t",
            profile="strict",
            status=status,
            hard=nothing,
            soft=nothing,
            metrics={},
            in_scope=True,
            findings=(),
        ),
        labels=labels,
    )


def test_rates_are_computed_over_all_tasks_and_over_each_group() -> None:
    run = [
        scored_task("pass", family="Basic", scenario="POI Search"),
        scored_task("fail", family="Basic", scenario="Weather Query"),
        scored_task("undelivered", family="Basic", scenario="Weather Query"),
        scored_task("pass"),
    ]
    metrics = MobilityBenchMetrics.over(run)
    assert (metrics.n, metrics.delivered) == (4, 3)
    assert (metrics.delivery_rate, metrics.final_pass_rate) == (Fraction(3, 4), Fraction(1, 2))
    basic = metrics.families["Basic"]
    assert (basic.n, basic.delivery_rate, basic.final_pass_rate) == (3, Fraction(2, 3), Fraction(1, 3))
    assert metrics.scenarios["Weather Query"].final_pass_rate == 0
    assert metrics.families[UNKNOWN].final_pass_rate == 1


def test_a_run_without_tasks_has_no_rates() -> None:
    metrics = MobilityBenchMetrics.over([])
    assert (metrics.delivery_rate, metrics.final_pass_rate, metrics.families) == (None, None, {})


def test_the_metrics_have_the_familys_name() -> None:
    assert family_of("mobilitybench").metrics.load() is MobilityBenchMetrics
