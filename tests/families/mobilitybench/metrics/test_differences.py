"""Each difference between the strict and the official profile has the right cause."""

from __future__ import annotations

import json
from typing import Any

import pytest

from planspec.families.mobilitybench.episode import LABELS, Episode
from planspec.families.mobilitybench.metrics import score_trace
from planspec.families.mobilitybench.metrics.causes import Cause
from planspec.families.mobilitybench.metrics.differences import (
    DifferenceCounts,
    MetricDifference,
    ProfileComparison,
    compare_profiles,
)
from planspec.families.mobilitybench.official.evaluator import score
from planspec.traces import Result
from planspec.verifiers.meaning.verdict import Verdict
from tests.families.mobilitybench.metrics.runs import DRIVE, HERE, THERE, episode
from tests.families.mobilitybench.metrics.test_scoring import verdict
from tests.families.mobilitybench.official.case import case, fenced_answer, run

TO = {"origin": HERE, "destination": THERE}
FIND, GO = ("query_poi", {"keywords": "Harbour", "city": "Haven"}), ("driving_route", TO)
PLAIN = "Option-Constrained Route Planning"


def causes_by_metric(
    trace: Any,
    own_verdict: Verdict | None = None,
    scenario: str = PLAIN,
    own_episode: Episode | None = None,
    **cells: Any,
) -> dict[str, list[Cause]]:
    """Return the causes of the differences by metric."""
    truth = case(scenario, "query_poi", "driving_route", **({"query_end_poi": "Harbour"} | cells))
    own_episode = own_episode or episode(
        *DRIVE, public=True, scenario=LABELS[scenario], constraints={"destination": "Harbour"}
    )
    strict = score_trace(own_episode, trace, own_verdict)
    comparison = compare_profiles(own_episode, trace, strict, truth, score(truth, trace))
    assert not {part.metric for part in comparison.parts} & set(comparison.agreeing)
    return {part.metric: list(part.causes) for part in comparison.parts}


ROUTE = fenced_answer(route_index=0, content="全程1公里，预计耗时2分钟")


@pytest.mark.parametrize(
    ("intent", "cause"),
    [
        ("路", Cause.FRAGMENT),
        ("路线规划", Cause.SHARED_LABEL),
        ("我要路线规划", Cause.LABEL_INSIDE),
        ("规划路线", Cause.SHARED_CHARACTERS),
        ("Option-Constrained Route Planning", Cause.LABEL_UNKNOWN),
    ],
)
def test_differences_of_intents_have_the_right_cause(intent: str, cause: Cause) -> None:
    assert causes_by_metric(run(ROUTE, FIND, GO, intent=intent), verdict("pass"))["ID"] == [cause]


def test_the_public_evaluator_ignores_a_label_in_the_answer() -> None:
    answer = fenced_answer(route_index=0, intent=PLAIN, constraints={"destination": "Harbour"})
    causes = causes_by_metric(run(answer, FIND, GO), verdict("pass"))
    assert causes["ID"] == causes["IE"] == [Cause.ELSEWHERE]


@pytest.mark.parametrize(
    ("plan", "cells", "causes"),
    [
        ({"thinking": "To the harbour, by car: Harbour"}, {}, [Cause.QUERY_ECHOED]),
        ({"thinking": "the Harbour"}, {}, [Cause.FREE_TEXT]),
        ({"thinking": "x"}, {"query_end_poi": ""}, [Cause.NO_SLOTS]),
    ],
)
def test_differences_of_constraints_have_the_right_cause(
    plan: dict[str, Any], cells: dict[str, Any], causes: list[Cause]
) -> None:
    assert causes_by_metric(run(ROUTE, FIND, GO, **plan), verdict("pass"), **cells)["IE"] == causes


def test_the_public_evaluator_ignores_declared_constraints_beyond_its_slots() -> None:
    answer = fenced_answer(route_index=0, constraints={"destination": "Harbour", "mode": "walk"})
    causes = causes_by_metric(run(answer, FIND, GO, thinking="Harbour"), verdict("pass"))
    assert causes["IE"] == [Cause.OTHER_CONSTRAINTS, Cause.FREE_TEXT]


@pytest.mark.parametrize(
    ("calls", "metric", "causes"),
    [
        ([FIND, GO, GO], "TS_spared", [Cause.CALLS_COUNTED]),
        ([("poi_query", {"keywords": "x"}), GO], "TS_coverage", [Cause.OTHER_NAMES]),
        ([FIND, GO, ("weather_query", {})], "SC", [Cause.EXTRA_CALLS]),
        ([FIND, ("driving_route", {"origin": "200.0,95.0", "destination": "x"})], "SC", [Cause.VALUES]),
        ([FIND, ("driving_route", {"origin": HERE})], "SC", [Cause.SHARE_OF_ARGUMENTS]),
        ([FIND, ("driving_route", TO | {"preferences": ["fastest"]})], "SC", [Cause.OTHER_ARGUMENTS]),
    ],
)
def test_differences_in_metrics_on_calls_have_the_right_cause(
    calls: list[Any], metric: str, causes: list[Cause]
) -> None:
    assert causes_by_metric(run(ROUTE, *calls), verdict("pass"))[metric] == causes


def test_metrics_that_are_equal_in_both_profiles_have_no_cause_of_a_difference() -> None:
    assert not {"TS_coverage", "TS_spared", "SC"} & causes_by_metric(run(ROUTE, FIND, GO), verdict("pass")).keys()


@pytest.mark.parametrize(
    ("scenario", "answer", "cause"),
    [
        (PLAIN, "route_index 99", Cause.INDEX_WITHOUT_ROUTE),
        ("Route Property Query", "公里千米", Cause.WORDS_WITHOUT_FIGURES),
        ("Weather Query", "天气", Cause.WORDS_WITHOUT_ANSWER),
    ],
)
def test_texts_that_only_the_public_evaluator_accepts_have_a_cause(scenario: str, answer: str, cause: Cause) -> None:
    assert causes_by_metric(run(answer, FIND, GO), None, scenario, weather_description="天气晴")["DR"] == [cause]


def test_differences_of_delivery_and_passes_have_the_right_cause() -> None:
    broken = verdict("fail", "via")
    assert causes_by_metric(run(ROUTE, FIND, GO), broken)["FPR"] == [Cause.CONSTRAINTS_UNCHECKED]
    words = run(fenced_answer(content="3公里，5分钟"), FIND, GO)
    assert causes_by_metric(words, broken, "Route Property Query")["FPR"] == [Cause.WORDS_WITHOUT_FIGURES]
    weather = run(fenced_answer(content="天气"), FIND, GO)
    assert causes_by_metric(weather, broken, "Weather Query", weather_description="天气晴")["FPR"] == [
        Cause.TEXT_IN_COMMON
    ]
    silent = causes_by_metric(run(fenced_answer(content="x"), FIND, GO), verdict("pass"))
    assert (silent["DR"], silent["FPR"]) == ([Cause.NO_WORDS], [Cause.OTHER_TRUTH])


def test_the_public_evaluator_ignores_errors_and_failed_calls() -> None:
    causes = causes_by_metric(run(ROUTE, FIND, GO, error="Connection error"), verdict("pass"))
    assert causes["DR"] == causes["FPR"] == [Cause.RUN_ERROR]
    plain = run(ROUTE, FIND, GO)
    call = plain.calls[1].model_copy(update={"result": Result(error="miss")})
    failed = plain.model_copy(update={"calls": (plain.calls[0], call)})
    assert causes_by_metric(failed, verdict("pass"))["DR"] == [Cause.FAILED_CALLS]


def test_dropped_rows_and_missing_tokens_are_causes_of_differences_between_profiles() -> None:
    causes = causes_by_metric(run(""), None)
    assert causes.pop("IT") == causes.pop("OT") == [Cause.UNSAID_AS_ZERO]
    assert causes["TS_coverage"] == causes["SC"] == causes["DR"] == causes["FPR"] == [Cause.ROW_DROPPED]
    total = run(ROUTE, FIND, GO, token_usage={"planner": {"total_tokens": 10}})
    assert causes_by_metric(total, verdict("pass"))["IT"] == [Cause.TOTAL_SPLIT]
    other = run(ROUTE, FIND, GO, token_usage={"planner": {"prompt_tokens": 1}, "critic": {"prompt_tokens": 2}})
    assert causes_by_metric(other, verdict("pass"))["IT"] == [Cause.OTHER_STAGES]


def test_differences_are_counted_by_metric_and_cause() -> None:
    counts = DifferenceCounts()
    counts.add(
        ProfileComparison("a", ("ID",), (MetricDifference("IE", None, 1.0, (Cause.NO_SLOTS, Cause.OTHER_CONSTRAINTS)),))
    )
    counts.add(ProfileComparison("b", ("ID", "IE"), ()))
    counts.add(ProfileComparison("c", ("ID",), (MetricDifference("IE", None, 1.0, (Cause.UNEXPLAINED,)),)))
    document = counts.as_json()
    assert document["runs"] == 3
    assert document["metrics"]["ID"] == {"agree": 3, "part": 0, "causes": {}}
    assert document["metrics"]["IE"]["part"] == 2
    assert sum(document["metrics"]["IE"]["causes"].values()) == 3
    assert document["unexplained"] == 1
    assert [one["task"] for one in document["traces"]] == ["a", "c"]
    json.dumps(document, allow_nan=False)
