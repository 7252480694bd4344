"""MobilityBench's rates over verdicts, counted by hand."""

from fractions import Fraction
from typing import Any

from planspec.families.mobilitybench.verdict_metrics import UNKNOWN, MobilityBenchMetrics
from planspec.families.registry import family_of
from planspec.verifiers.meaning.verdict import Tally, Verdict
from planspec.verifiers.metrics.scored import Scored


def scored(status: Any, **labels: str) -> Scored:
    nothing = Tally(satisfied=0, total=0)
    return Scored(
        verdict=Verdict(
            task="t", profile="strict", status=status, hard=nothing, soft=nothing, metrics={}, in_scope=True, findings=()
        ),
        labels=labels,
    )  # fmt: skip


def test_rates_go_over_all_tasks_and_over_those_of_each_group() -> None:
    run = [
        scored("pass", family="Basic", scenario="POI Search"),
        scored("fail", family="Basic", scenario="Weather Query"),
        scored("undelivered", family="Basic", scenario="Weather Query"),
        scored("pass"),
    ]
    found = MobilityBenchMetrics.over(run)
    assert (found.n, found.delivered) == (4, 3)
    assert (found.delivery_rate, found.final_pass_rate) == (Fraction(3, 4), Fraction(1, 2))
    basic = found.families["Basic"]
    assert (basic.n, basic.delivery_rate, basic.final_pass_rate) == (3, Fraction(2, 3), Fraction(1, 3))
    assert found.scenarios["Weather Query"].final_pass_rate == 0
    assert found.families[UNKNOWN].final_pass_rate == 1


def test_of_no_tasks_there_are_no_rates() -> None:
    found = MobilityBenchMetrics.over([])
    assert (found.delivery_rate, found.final_pass_rate, found.families) == (None, None, {})


def test_the_metrics_have_the_familys_name() -> None:
    assert family_of("mobilitybench").metrics.load() is MobilityBenchMetrics
