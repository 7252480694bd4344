"""Where strict and official part, and the cause that is told."""

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
from tests.families.mobilitybench.official.case import case, fenced, run

TO = {"origin": HERE, "destination": THERE}
FIND, GO = ("query_poi", {"keywords": "Harbour", "city": "Haven"}), ("driving_route", TO)
PLAIN = "Option-Constrained Route Planning"


def parts(
    trace: Any,
    found: Verdict | None = None,
    scenario: str = PLAIN,
    asked: Episode | None = None,
    **cells: Any,
) -> dict[str, list[Cause]]:
    """By metric, why the profiles part."""
    truth = case(scenario, "query_poi", "driving_route", **({"query_end_poi": "Harbour"} | cells))
    asked = asked or episode(
        *DRIVE, public=True, scenario=LABELS[scenario], constraints={"destination": "Harbour"}
    )
    strict = score_trace(asked, trace, found)
    made = compare_profiles(asked, trace, strict, truth, score(truth, trace))
    assert not {part.metric for part in made.parts} & set(made.agreeing)
    return {part.metric: list(part.causes) for part in made.parts}


ROUTE = fenced(route_index=0, content="全程1公里，预计耗时2分钟")


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
def test_why_intents_part(intent: str, cause: Cause) -> None:
    assert parts(run(ROUTE, FIND, GO, intent=intent), verdict("pass"))["ID"] == [cause]


def test_a_label_in_the_answer_is_not_looked_at() -> None:
    said = fenced(route_index=0, intent=PLAIN, constraints={"destination": "Harbour"})
    found = parts(run(said, FIND, GO), verdict("pass"))
    assert found["ID"] == found["IE"] == [Cause.ELSEWHERE]


@pytest.mark.parametrize(
    ("plan", "cells", "causes"),
    [
        ({"thinking": "To the harbour, by car: Harbour"}, {}, [Cause.QUERY_ECHOED]),
        ({"thinking": "the Harbour"}, {}, [Cause.FREE_TEXT]),
        ({"thinking": "x"}, {"query_end_poi": ""}, [Cause.NO_SLOTS]),
    ],
)
def test_why_constraints_part(plan: dict[str, Any], cells: dict[str, Any], causes: list[Cause]) -> None:
    assert parts(run(ROUTE, FIND, GO, **plan), verdict("pass"), **cells)["IE"] == causes


def test_declared_constraints_beyond_the_slots_are_not_looked_at() -> None:
    said = fenced(route_index=0, constraints={"destination": "Harbour", "mode": "walk"})
    found = parts(run(said, FIND, GO, thinking="Harbour"), verdict("pass"))
    assert found["IE"] == [Cause.OTHER_CONSTRAINTS, Cause.FREE_TEXT]


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
def test_why_calls_part(calls: list[Any], metric: str, causes: list[Cause]) -> None:
    assert parts(run(ROUTE, *calls), verdict("pass"))[metric] == causes


def test_calls_that_both_hold_right_do_not_part() -> None:
    assert not {"TS_coverage", "TS_spared", "SC"} & parts(run(ROUTE, FIND, GO), verdict("pass")).keys()


@pytest.mark.parametrize(
    ("scenario", "answer", "cause"),
    [
        (PLAIN, "route_index 99", Cause.INDEX_WITHOUT_ROUTE),
        ("Route Property Query", "公里千米", Cause.WORDS_WITHOUT_FIGURES),
        ("Weather Query", "天气", Cause.WORDS_WITHOUT_ANSWER),
    ],
)
def test_hollow_answers_are_told(scenario: str, answer: str, cause: Cause) -> None:
    assert parts(run(answer, FIND, GO), None, scenario, weather_description="天气晴")["DR"] == [cause]


def test_why_passes_part() -> None:
    broken = verdict("fail", "via")
    assert parts(run(ROUTE, FIND, GO), broken)["FPR"] == [Cause.CONSTRAINTS_UNCHECKED]
    words = run(fenced(content="3公里，5分钟"), FIND, GO)
    assert parts(words, broken, "Route Property Query")["FPR"] == [Cause.WORDS_WITHOUT_FIGURES]
    weather = run(fenced(content="天气"), FIND, GO)
    assert parts(weather, broken, "Weather Query", weather_description="天气晴")["FPR"] == [
        Cause.TEXT_IN_COMMON
    ]
    silent = parts(run(fenced(content="x"), FIND, GO), verdict("pass"))
    assert (silent["DR"], silent["FPR"]) == ([Cause.NO_WORDS], [Cause.OTHER_TRUTH])


def test_errors_and_failed_calls_are_not_looked_at() -> None:
    found = parts(run(ROUTE, FIND, GO, error="Connection error"), verdict("pass"))
    assert found["DR"] == found["FPR"] == [Cause.RUN_ERROR]
    plain = run(ROUTE, FIND, GO)
    call = plain.calls[1].model_copy(update={"result": Result(error="miss")})
    failed = plain.model_copy(update={"calls": (plain.calls[0], call)})
    assert parts(failed, verdict("pass"))["DR"] == [Cause.FAILED_CALLS]


def test_rows_that_are_dropped_and_tokens_that_are_not_told() -> None:
    found = parts(run(""), None)
    assert found.pop("IT") == found.pop("OT") == [Cause.UNSAID_AS_ZERO]
    assert found["TS_coverage"] == found["SC"] == found["DR"] == found["FPR"] == [Cause.ROW_DROPPED]
    total = run(ROUTE, FIND, GO, token_usage={"planner": {"total_tokens": 10}})
    assert parts(total, verdict("pass"))["IT"] == [Cause.TOTAL_SPLIT]
    other = run(
        ROUTE, FIND, GO, token_usage={"planner": {"prompt_tokens": 1}, "critic": {"prompt_tokens": 2}}
    )
    assert parts(other, verdict("pass"))["IT"] == [Cause.OTHER_STAGES]


def test_differences_are_counted_by_metric_and_cause() -> None:
    made = DifferenceCounts()
    made.add(
        ProfileComparison(
            "a", ("ID",), (MetricDifference("IE", None, 1.0, (Cause.NO_SLOTS, Cause.OTHER_CONSTRAINTS)),)
        )
    )
    made.add(ProfileComparison("b", ("ID", "IE"), ()))
    made.add(ProfileComparison("c", ("ID",), (MetricDifference("IE", None, 1.0, (Cause.UNEXPLAINED,)),)))
    found = made.document()
    assert found["runs"] == 3
    assert found["metrics"]["ID"] == {"agree": 3, "part": 0, "causes": {}}
    assert found["metrics"]["IE"]["part"] == 2
    assert sum(found["metrics"]["IE"]["causes"].values()) == 3
    assert found["unexplained"] == 1
    assert [one["task"] for one in found["traces"]] == ["a", "c"]
    json.dumps(found, allow_nan=False)
