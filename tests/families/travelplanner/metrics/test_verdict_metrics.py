"""TravelPlanner's metrics follow the public formulas exactly, for any number of plans."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any, Literal

import pytest

from planspec.api.labels import labels_of
from planspec.dsl.model.task import Task
from planspec.families.travelplanner.verdict_metrics import TravelPlannerMetrics
from planspec.family.registry import family_of
from planspec.verifiers.meaning.verdict import Finding, FindingStatus, Tally, Verdict
from planspec.verifiers.metrics import Scored
from planspec.verifiers.metrics.scored import LabelValue
from tests.families.travelplanner.official.small_world import JUDGED, judge, judged_record, task

COMMONSENSE = [f"c{n}" for n in range(8)]
ONE, NIL = Fraction(1), Fraction(0)
REQUESTS = ["r0", "r1", "r2"]


def scored(
    *violated: str,
    applicable_requests: int = 2,
    delivered: bool = True,
    shape: bool = False,
    **labels: LabelValue,
) -> Scored:
    """Return a scored verdict with the given violations.

    The task has eight commonsense rules, and the first `applicable_requests` of three requests apply.
    """

    def finding(rule: str, kind: str, applies: bool) -> Finding:
        status: FindingStatus = "violated" if rule in violated else "satisfied" if applies else "not-applicable"
        return Finding(constraint=rule, level="hard", kind=kind, status=status, message="")

    findings = [finding(rule, "commonsense", True) for rule in COMMONSENSE]
    findings += [finding(rule, "request", n < applicable_requests) for n, rule in enumerate(REQUESTS)]
    status: Literal["pass", "fail", "undelivered"] = "fail" if violated or shape else "pass"
    total = 8 + applicable_requests
    verdict = Verdict(
        task="t",
        profile="strict",
        status=status if delivered else "undelivered",
        metrics={},
        in_scope=True,
        hard=Tally(satisfied=total - len(violated), total=total),
        soft=Tally(satisfied=0, total=0),
        findings=tuple(findings) if delivered else (),
    )
    return Scored(verdict=verdict, hard_counts={"commonsense": 8, "request": applicable_requests}, labels=labels)


RUN = [
    scored(level="easy", days=3, applicable_requests=1),
    scored("c0", "c1", level="easy", days=5),
    scored("r0", level="hard", days=3, applicable_requests=3),
    scored("c0", "r0", "r1", level="medium", days=7),
    scored(level="hard", days=7, delivered=False),
]


def test_the_six_rates_are_those_of_the_public_formulas() -> None:
    metrics = TravelPlannerMetrics.over(iter(RUN))
    assert (metrics.n, metrics.delivered) == (5, 4)
    assert metrics.delivery_rate == Fraction(4, 5)
    assert metrics.commonsense_micro == Fraction(8 + 6 + 8 + 7, 5 * 8)
    assert metrics.commonsense_macro == Fraction(2, 5)
    assert metrics.hard_micro == Fraction(1 + 2 + 2 + 0, 1 + 2 + 3 + 2 + 2)
    assert metrics.hard_macro == Fraction(2, 5)
    assert metrics.final_pass_rate == Fraction(1, 5)


def test_the_six_rates_are_computed_by_level_and_number_of_days() -> None:
    metrics = TravelPlannerMetrics.over(RUN)
    assert list(metrics.levels) == ["easy", "medium", "hard"]
    assert list(metrics.days) == ["3", "5", "7"]
    assert [group.n for group in metrics.levels.values()] == [2, 1, 2]
    assert metrics.levels["hard"].delivery_rate == Fraction(1, 2)
    assert metrics.levels["hard"].hard_micro == Fraction(2, 3 + 2)
    assert metrics.days["7"].commonsense_micro == Fraction(7, 16)
    assert metrics.levels["easy"].hard_macro == 1


def test_tasks_without_labels_are_a_separate_group_which_comes_last() -> None:
    metrics = TravelPlannerMetrics.over([scored(), scored(level="odd"), scored(level="hard", days=3)])
    assert list(metrics.levels) == ["hard", "odd", "unknown"]
    assert list(metrics.days) == ["3", "unknown"]


def test_failures_count_delivered_plans_by_rule() -> None:
    assert TravelPlannerMetrics.over(RUN).failures == {"c0": 2, "r0": 2, "c1": 1, "r1": 1}


def test_a_plan_with_only_a_fault_of_shape_fails_although_it_satisfies_all_rules() -> None:
    metrics = TravelPlannerMetrics.over([scored(shape=True)])
    assert (metrics.commonsense_macro, metrics.hard_macro, metrics.final_pass_rate) == (ONE, ONE, NIL)


def test_the_hard_rates_are_none_if_no_task_has_a_request() -> None:
    metrics = TravelPlannerMetrics.over([scored(applicable_requests=0)])
    assert (metrics.hard_micro, metrics.hard_macro) == (None, None)


def test_a_plan_without_applicable_requests_violates_none_if_other_tasks_have_some() -> None:
    metrics = TravelPlannerMetrics.over([scored(applicable_requests=0), scored("r0")])
    assert (metrics.hard_micro, metrics.hard_macro) == (Fraction(1, 2), Fraction(1, 2))


def test_rates_over_no_tasks_are_none() -> None:
    metrics = TravelPlannerMetrics.over([])
    assert (metrics.n, metrics.delivery_rate, metrics.hard_micro, metrics.final_pass_rate) == (
        0,
        None,
        None,
        None,
    )
    assert (metrics.levels, metrics.days, metrics.failures) == ({}, {}, {})


def test_the_registry_has_the_metrics_and_json_has_floats() -> None:
    assert family_of("travelplanner").metrics.load() is TravelPlannerMetrics
    result = json.loads(TravelPlannerMetrics.over(RUN).model_dump_json())
    assert list(result)[:2] == ["n", "delivered"]
    assert result["levels"]["easy"]["commonsense_micro"] == 14 / 16
    assert TravelPlannerMetrics.model_json_schema(mode="serialization")["properties"]["levels"]


# -- verdicts of judges ------------------------------------------------------------------------------


def judge_plans(profile: str, plans: list[dict[str, Any]]) -> list[Scored]:
    """Judge hand-judged plans in a profile, and return the scored verdicts."""
    result = []
    for record in plans:
        of = judge(record["query"], profile)
        result.append(of.scored(of.answer({"plan": record["plan"]})))
    return result


@pytest.mark.slow
def test_metrics_of_hand_judged_plans_match_the_judgements() -> None:
    """In the profile `official`, skipped requests and crashes count as failures."""
    metrics = TravelPlannerMetrics.over(judge_plans("official", JUDGED))
    passed = sum(not set(r["official"].values()) & {"fail", "crash"} for r in JUDGED)
    assert metrics.final_pass_rate == Fraction(passed, len(JUDGED))
    gated = sum(not r.get("hard_asked", True) for r in JUDGED)
    requests = [{rule: w for rule, w in r["official"].items() if rule.startswith("valid_")} for r in JUDGED]
    failed = sum(bool(words) for words, r in zip(requests, JUDGED, strict=True) if r.get("hard_asked", True))
    assert metrics.hard_macro == Fraction(len(JUDGED) - gated - failed, len(JUDGED))
    sensible = sum(all(rule.startswith("valid_") for rule in r["official"]) for r in JUDGED)
    assert metrics.commonsense_macro == Fraction(sensible, len(JUDGED))


def test_requests_do_not_depend_on_other_rules_in_the_strict_profile() -> None:
    plans = [judged_record("a stay day has a dinner")]
    strict, official = (
        TravelPlannerMetrics.over(judge_plans("strict", plans)),
        TravelPlannerMetrics.over(judge_plans("official", plans)),
    )
    assert (strict.hard_macro, official.hard_macro) == (ONE, NIL)
    assert strict.commonsense_micro == official.commonsense_micro == Fraction(7, 8)


def test_both_profiles_count_the_same_rules_of_an_undelivered_answer() -> None:
    for profile in ("strict", "official"):
        of = judge(8, profile)
        scored = of.scored(of.undelivered("nothing"))
        assert scored.hard_counts == {"commonsense": 8, "request": 4}
        metrics = TravelPlannerMetrics.over([scored])
        assert (metrics.commonsense_micro, metrics.hard_micro, metrics.hard_macro) == (NIL, NIL, NIL)


def test_labels_are_the_scalars_of_meta_and_the_number_of_days() -> None:
    result: Task = task(8)
    assert labels_of(result) == {"level": "hard", "days": 3}
