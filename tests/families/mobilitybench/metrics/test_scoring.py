"""All metrics of one run: the data that each metric uses, delivery rate (DR), final pass rate (FPR), and tokens."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

from planspec.families.mobilitybench.episode import Episode, Scenario
from planspec.families.mobilitybench.metrics import METRICS, StrictMetrics, score_trace
from planspec.traces import Call, Trace
from planspec.verifiers.meaning.verdict import Finding, Tally, Verdict
from tests.families.mobilitybench.metrics.runs import (
    DRIVE,
    HERE,
    THERE,
    call,
    episode,
    planner,
    tokens,
    trace,
)


def verdict(status: Any, *broken: str, level: Any = "hard") -> Verdict:
    """Return a verdict with this status, in which the named constraints are violated."""
    findings = tuple(
        Finding(constraint=name, level=level, status="violated", message=f"{name} fails") for name in broken
    )
    nothing = Tally(satisfied=0, total=0)
    return Verdict(
        task="case_1",
        profile="strict",
        status=status,
        hard=nothing,
        soft=nothing,
        metrics={},
        in_scope=True,
        findings=findings,
    )


PASS = verdict("pass")


def own_episode() -> Episode:
    """Return an episode about a route by car, with steps and constraints."""
    return episode(*DRIVE, steps=("find_place", "plan_drive"), constraints={"destination": "Harbour", "mode": "drive"})


def answer(**fields: Any) -> str:
    """Return the text of an answer with these fields."""
    return json.dumps({"answer": {"route": "drive-00000000-1"}} | fields)


def value(run: StrictMetrics, metric: str) -> Any:
    """Return the value of one metric of a run."""
    return run.metrics[metric].value


GOOD = (
    call("poi_query", keywords="Harbour", city="Haven", result={"pois": []}),
    call("driving_planning", origin=HERE, destination=THERE, preferences=["avoid_tolls"], result={"routes": []}),
)


def test_a_run_without_fault_has_all_metrics_at_1() -> None:
    text = answer(
        intent="Point-to-Point Planning",
        steps=["find_place", "plan_drive"],
        constraints={"destination": "harbour", "mode": "drive"},
    )
    run = score_trace(own_episode(), trace(*GOOD, answer=text, tokens=(tokens(10, 3),)), PASS)
    assert {name: value(run, name) for name in METRICS} == {
        **dict.fromkeys(METRICS, 1),
        "IT": 10,
        "OT": 3,
    }
    assert (run.undeclared, run.verdict, run.findings) == ((), "pass", ())
    json.dumps(run.as_json(), allow_nan=False)


def test_an_episode_without_a_trace_has_0_in_all_metrics_and_no_tokens() -> None:
    run = score_trace(own_episode(), None, None)
    assert {value(run, name) for name in METRICS if name not in ("IT", "OT")} == {0}
    assert value(run, "IT") is None
    assert not run.traced


def test_declarations_are_read_from_the_answer_or_else_the_planner_or_else_the_calls() -> None:
    stage = planner(intent="Weather Query", steps=(("tell_weather",),), extra={"constraints": {"city": "Haven"}})
    text = answer(intent="Point-to-Point Planning", constraints={}, steps=["find_place"])
    one = score_trace(own_episode(), trace(*GOOD, answer=text, stages=(stage,)), PASS)
    two = score_trace(own_episode(), trace(*GOOD, stages=(stage,)), PASS)
    three = score_trace(own_episode(), trace(*GOOD), PASS)
    sources = [[run.metrics[name].source for name in ("ID", "IE", "DEC_P")] for run in (one, two, three)]
    assert sources == [["answer"] * 3, ["planner"] * 3, [None, None, "calls"]]
    assert [value(one, "ID"), value(two, "ID"), value(three, "ID")] == [1, 0, 0]
    assert one.metrics["IE"].reasons == ("missing destination", "missing mode")
    assert three.undeclared == ("intent", "constraints", "steps", "tokens")
    assert three.metrics["IE"].reasons == ("undeclared",)


@pytest.mark.parametrize(
    ("intent", "right", "reason"),
    [
        (["Point-to-Point Planning"], 1, None),
        (["Point-to-Point Planning", "Weather Query"], 0, "several labels"),
        ({"label": "Point-to-Point Planning"}, 0, "no text"),
        ("Multi-stop Planning", 0, "another scenario"),
        ("Planning", 0, "label of several scenarios"),
    ],
)
def test_a_list_of_one_label_counts_as_the_label_and_a_list_of_two_as_no_label(
    intent: Any, right: int, reason: str | None
) -> None:
    judged = score_trace(own_episode(), trace(answer=answer(intent=intent)), PASS).metrics["ID"]
    assert judged.value == right
    assert judged.reasons == ((reason,) if reason else ())


def test_declarations_in_json_within_prose_or_fences_count() -> None:
    text = f"Here you are:\n```json\n{answer(intent='Point-to-Point Planning')}\n```\nEnjoy."
    assert value(score_trace(own_episode(), trace(answer=text), PASS), "ID") == 1


def delivery(run: Trace, own_verdict: Verdict | None = PASS) -> tuple[Any, tuple[str, ...], Any]:
    """Score a run. Return its delivery rate, the reasons for it, and its final pass rate."""
    scored = score_trace(own_episode(), run, own_verdict)
    return value(scored, "DR"), scored.metrics["DR"].reasons, value(scored, "FPR")


def failed_call(name: str, error: Any = "miss") -> Call:
    return call(name, error=error)


@pytest.mark.parametrize(
    ("run", "reasons"),
    [
        (trace(*GOOD, error="Connection error"), ("run ended with an error",)),
        (trace(*GOOD, ended=False), ("run did not end",)),
        (trace(*GOOD, answer=None, ended=False), ("run breaks off", "no answer")),
        (trace(*GOOD, answer="  \n"), ("no answer",)),
        (trace(*GOOD, answer="route_index 99"), ("answer cannot be read",)),
        (trace(GOOD[0], failed_call("driving_planning")), ("driving_planning stayed failed",)),
        (trace(GOOD[1], failed_call("driving_planning"), GOOD[0]), ("driving_planning stayed failed",)),
        (trace(*GOOD, call("teleport", result={"ok": 1}, error="invalid")), ("unknown tool stayed failed",)),
        (trace(call("poi_query", result={"error": {"code": "not-found"}})), ("poi_query stayed failed",)),
        (trace(call("poi_query", result="Error: no such city")), ("poi_query stayed failed",)),
    ],
)
def test_a_run_with_an_error_without_an_answer_or_with_a_lasting_failure_is_not_delivered(
    run: Trace, reasons: tuple[str, ...]
) -> None:
    assert delivery(run) == (0, reasons, 0)


@pytest.mark.parametrize(
    "run",
    [
        trace(*GOOD),
        trace(failed_call("poi_query"), failed_call("poi_query"), *GOOD),
        trace(call("teleport", result={"ok": 1}, error="invalid"), *GOOD),
        trace(call("poi_query", keywords="x"), GOOD[1]),
        trace(call("poi_query", result={"error": None, "data": {}})),
        trace(call("poi_query", result="No error was found")),
        trace(),
    ],
)
def test_a_later_success_cancels_a_failure_and_a_missing_result_is_not_a_failure(run: Trace) -> None:
    assert delivery(run) == (1, (), 1)


def test_an_empty_answer_is_not_delivered() -> None:
    assert delivery(trace(*GOOD), verdict("undelivered")) == (0, ("answer answers nothing",), 0)


def test_a_delivered_answer_that_breaks_a_constraint_fails_and_names_it() -> None:
    run = score_trace(own_episode(), trace(*GOOD), verdict("fail", "via[tower]", "via[gate]", "no-tolls"))
    assert (value(run, "DR"), value(run, "FPR")) == (1, 0)
    assert run.metrics["FPR"].reasons == ("via", "no-tolls")
    assert run.findings[0] == ("via[tower]", "via[tower] fails")


def test_passing_is_unknown_without_a_verdict() -> None:
    assert delivery(trace(*GOOD), None) == (1, (), None)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((), (None, None)),
        ((tokens(5, 2, "planner"), tokens(7, None, "worker")), (12, 2)),
        ((tokens(5, 2, "planner"), tokens(100, 50)), (100, 50)),
        ((tokens(None, None, "planner"),), (None, None)),
        ((tokens(0, 0, "planner"),), (0, 0)),
    ],
)
def test_tokens_are_summed_over_parts_unless_a_total_is_given(counts: Any, expected: tuple[Any, Any]) -> None:
    run = score_trace(own_episode(), trace(tokens=counts), PASS)
    assert (value(run, "IT"), value(run, "OT")) == expected


def test_the_judged_value_is_shown_as_shortened_json() -> None:
    text = answer(constraints={"radius": 0, "note": "x" * 10_000}).replace('"radius": 0', '"radius": 1.5e1')
    run = score_trace(own_episode(), trace(answer=text), PASS)
    assert run.metrics["IE"].basis["radius"] == 15
    assert not isinstance(run.metrics["IE"].basis["radius"], Decimal)
    assert len(run.metrics["IE"].basis["note"]) == 400


def test_a_public_episode_takes_the_public_names_of_tools() -> None:
    public = episode(*DRIVE, public=True, scenario=Scenario.OPTIONS)
    run = trace(
        call("query_poi", keywords="Harbour", city="Haven"),
        call("driving_route", origin=HERE, destination=THERE, strategy=["少收费"]),
    )
    assert [value(score_trace(public, run, PASS), name) for name in ("TS_coverage", "SC", "PF")] == [1, 1, 1]
    assert [value(score_trace(own_episode(), run, PASS), name) for name in ("TS_coverage", "SC", "PF")] == [
        0,
        0,
        0,
    ]
