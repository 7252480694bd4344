"""Metrics of families, and the contribution of each attempt to them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Literal, Self

import pytest
from pydantic import Field

from planspec.family import registry
from planspec.family.descriptor import Family, Lazy
from planspec.family.registry import family_of
from planspec.scores.intervals import bootstrap, wilson
from planspec.scores.metrics import FamilyMetrics, verdict_metrics
from planspec.verifiers.meaning.verdict import Finding, Tally, Verdict
from planspec.verifiers.metrics import Scored
from planspec.verifiers.metrics.generic import Metrics
from planspec.verifiers.metrics.metric import Share
from tests.families.travelplanner.metrics.test_verdict_metrics import RUN as TRIPS
from tests.families.travelplanner.metrics.test_verdict_metrics import scored as trip
from tests.families.veritrip.metrics.test_verdict_metrics import RUN as JOURNEYS

ONE, HALF = Fraction(1), Fraction(1, 2)


def scored_verdict(
    satisfied: int,
    total: int,
    soft: tuple[int, int] = (0, 0),
    status: Literal["pass", "fail", "undelivered"] | None = None,
) -> Scored:
    """Return a scored verdict with these numbers of satisfied constraints."""
    findings = tuple(
        Finding(
            constraint=f"r{n}",
            level="hard",
            kind="k",
            status="satisfied" if n < satisfied else "violated",
            message="",
        )
        for n in range(total)
    )
    estimates = status or ("pass" if satisfied == total else "fail")
    return Scored(
        verdict=Verdict(
            task="t",
            profile="strict",
            status=estimates,
            hard=Tally(satisfied=satisfied, total=total),
            soft=Tally(satisfied=soft[0], total=soft[1]),
            metrics={},
            in_scope=True,
            findings=findings if estimates != "undelivered" else (),
        ),
        hard_counts={"k": total},
    )


ITINERARIES = [
    scored_verdict(4, 4, (1, 2)),
    scored_verdict(4, 4, (2, 2)),
    scored_verdict(3, 4, (1, 2)),
    scored_verdict(0, 4, (0, 2), "undelivered"),
    scored_verdict(2, 2),
]


@pytest.mark.parametrize(
    ("name", "run"),
    [
        ("worldtravel", ITINERARIES),
        (None, ITINERARIES),
        ("travelplanner", TRIPS),
        ("flextravel", TRIPS),
        ("veritrip", JOURNEYS),
    ],
)
@pytest.mark.parametrize("repeats", [1, 2])
def test_contributions_of_attempts_add_up_to_every_metric_of_every_family(
    name: str | None, run: Sequence[Scored], repeats: int
) -> None:
    rows = [(scored,) if repeats == 1 else (scored, run[0]) for scored in run]
    family = verdict_metrics(name, rows)
    assert family.as_json == json.loads(
        family_of(name).metrics.load().over([scored for row in rows for scored in row]).model_dump_json()
    )
    measured = [*family.whole.values()]
    measured += [m for labels in family.groups.values() for named in labels.values() for m in named.values()]
    assert measured
    assert all(m.sound for m in measured)


def test_the_metrics_of_worldtravel_equal_values_computed_by_hand() -> None:
    family = verdict_metrics("worldtravel", [(scored,) for scored in ITINERARIES])
    estimates = family.estimates(1, 7, 500)
    # feasible: 3 of 5; violated shares 0, 0, 1/4, 1 and 0; soft shares of the feasible ones 1/2 and 1
    assert {name: (one.value, one.n) for name, one in estimates.items()} == {
        "feasibility_rate": (0.6, 5),
        "constraint_violation": (0.25, 5),
        "optimality_feasible": (0.75, 2),
        "temporal_rate": (0.6, 5),
    }
    rate, violation, optimal, _ = estimates.values()
    assert (rate.low, rate.high, rate.method, rate.better) == (*(wilson(3, 5) or ()), "wilson", "higher")
    quarters = [Fraction(0), Fraction(0), Fraction(1, 4), ONE, Fraction(0)]
    (bounds,) = bootstrap([[(part, 1) for part in quarters]], 7, 500)
    assert ((violation.low, violation.high), violation.method, violation.better) == (
        bounds,
        "bootstrap",
        "lower",
    )
    assert (optimal.low, optimal.high) == (0.5, 1.0)
    assert rate.repeats == () and rate.mean is None


def test_a_rate_over_constraints_weighs_attempts_by_their_constraints() -> None:
    family = verdict_metrics("travelplanner", [(scored,) for scored in TRIPS])
    assert [(int(part), weight) for part, weight in family.whole["hard_micro"].column] == [
        (1, 1),
        (2, 2),
        (2, 3),
        (0, 2),
        (0, 2),
    ]
    assert [(int(part), weight) for part, weight in family.whole["commonsense_micro"].column] == [
        (8, 8),
        (6, 8),
        (8, 8),
        (7, 8),
        (0, 8),
    ]


def test_groups_contain_only_their_tasks() -> None:
    family = verdict_metrics("travelplanner", [(scored,) for scored in TRIPS])
    groups = family.grouped(1, 1, 100)
    assert list(groups) == ["levels", "days"]
    assert {label: (group.n, group.tasks) for label, group in groups["levels"].items()} == {
        "easy": (2, 2),
        "medium": (1, 1),
        "hard": (2, 2),
    }
    easy = groups["levels"]["easy"].metrics
    assert easy["final_pass_rate"].value == 0.5
    assert (easy["final_pass_rate"].low, easy["final_pass_rate"].high) == wilson(1, 2)
    assert groups["levels"]["medium"].metrics["commonsense_micro"].low is None


def test_repeats_have_a_mean_and_a_deviation() -> None:
    good, bad = scored_verdict(2, 2), scored_verdict(1, 2)
    family = verdict_metrics(None, [(good, good, bad), (good, bad, bad)]).estimates(3, 1, 200)
    rate = family["pass_rate"]
    # the rates are 1, 1/2 and 0; their variance is (1/4 + 0 + 1/4) / 2 = 1/4
    assert (rate.repeats, rate.mean, rate.deviation, rate.value, rate.n) == (
        (1.0, 0.5, 0.0),
        0.5,
        0.5,
        0.5,
        6,
    )
    # one task passes 2 of 3 and the other 1 of 3: a resample with only one of them has its rate
    assert (rate.low, rate.high, rate.method) == (0.333333, 0.666667, "bootstrap")
    soft = family["mean_soft"]
    assert (soft.value, soft.repeats, soft.mean, soft.deviation) == (None, (None,) * 3, None, None)


def test_repeats_do_not_narrow_the_interval_of_a_rate_if_they_agree_on_every_task() -> None:
    rate = verdict_metrics(None, [(scored_verdict(1, 1),) * 10] * 3).estimates(10, 1, 100)["pass_rate"]
    assert ((rate.low, rate.high), rate.n, rate.method) == (wilson(3, 3), 30, "wilson")


def test_a_share_that_is_0_or_1_everywhere_has_the_interval_of_a_rate_and_a_count_has_none() -> None:
    estimates = verdict_metrics("worldtravel", [(scored_verdict(2, 2),)] * 4).estimates(1, 1, 100)
    assert (estimates["constraint_violation"].low, estimates["constraint_violation"].high) == wilson(0, 4)
    halves = verdict_metrics(None, [(scored_verdict(1, 2),)] * 4).estimates(1, 1, 100)["mean_hard"]
    assert (halves.value, halves.low, halves.method) == (0.5, None, None)
    calls = verdict_metrics("veritrip", [(trip(),)] * 2).estimates(1, 1, 100)["tool_calls"]
    assert (calls.value, calls.n, calls.low) == (None, 0, None)


class OddMetrics(Metrics):
    """Metrics of a family that is not shipped."""

    best: Share = Field(description="the greatest share of all, which is no mean")

    @classmethod
    def over(cls, run: Iterable[Scored]) -> Self:
        shares = [Fraction(one.verdict.hard.satisfied, one.verdict.hard.total) for one in run]
        return cls(n=len(shares), delivered=len(shares), best=max(shares, default=None))


ODD = Family(name="odd", metrics=Lazy(f"{__name__}:OddMetrics"))


def test_a_metric_that_is_not_a_mean_of_its_parts_has_no_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "SHIPPED", {"odd": f"{__name__}:ODD"})
    family: FamilyMetrics = verdict_metrics("odd", [(scored_verdict(1, 4),), (scored_verdict(2, 4),)])
    estimates = family.estimates(1, 1, 100)["best"]
    assert (estimates.value, estimates.low, estimates.high, estimates.method) == (0.5, None, None, None)


def test_a_run_of_no_tasks_has_no_values() -> None:
    family = verdict_metrics("worldtravel", [])
    assert {name: one.value for name, one in family.estimates(1, 1, 10).items()} == dict.fromkeys(family.whole)
