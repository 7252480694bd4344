"""All metrics of one run: where they are read from, DR, FPR and tokens."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

from planspec.families.mobilitybench.episode import Episode, Scenario
from planspec.families.mobilitybench.metrics import METRICS, Strict, score_trace
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
    findings = tuple(
        Finding(constraint=name, level=level, status="violated", message=f"{name} fails") for name in broken
    )
    nothing = Tally(satisfied=0, total=0)
    return Verdict(
        task="case_1", profile="strict", status=status, hard=nothing, soft=nothing, metrics={}, in_scope=True,
        findings=findings,
    )  # fmt: skip


PASS = verdict("pass")


def asked() -> Episode:
    return episode(
        *DRIVE, steps=("find_place", "plan_drive"), constraints={"destination": "Harbour", "mode": "drive"}
    )


def answer(**said: Any) -> str:
    return json.dumps({"answer": {"route": "drive-00000000-1"}} | said)


def value(run: Strict, metric: str) -> Any:
    return run.metrics[metric].value


GOOD = (
    call("poi_query", keywords="Harbour", city="Haven", result={"pois": []}),
    call(
        "driving_planning", origin=HERE, destination=THERE, preferences=["avoid_tolls"], result={"routes": []}
    ),
)


def test_a_run_without_fault_has_all_metrics_at_1() -> None:
    said = answer(
        intent="Point-to-Point Planning", steps=["find_place", "plan_drive"],
        constraints={"destination": "harbour", "mode": "drive"},
    )  # fmt: skip
    run = score_trace(asked(), trace(*GOOD, answer=said, tokens=(tokens(10, 3),)), PASS)
    assert {name: value(run, name) for name in METRICS} == {
        **dict.fromkeys(METRICS, 1), "IT": 10, "OT": 3,
    }  # fmt: skip
    assert (run.undeclared, run.verdict, run.findings) == ((), "pass", ())
    json.dumps(run.document(), allow_nan=False)


def test_an_episode_without_a_trace_has_0_in_all_and_no_tokens() -> None:
    run = score_trace(asked(), None, None)
    assert {value(run, name) for name in METRICS if name not in ("IT", "OT")} == {0}
    assert value(run, "IT") is None
    assert not run.traced


def test_the_answer_comes_before_the_planner_and_the_planner_before_the_calls() -> None:
    stage = planner(
        intent="Weather Query", steps=(("tell_weather",),), extra={"constraints": {"city": "Haven"}}
    )
    told = answer(intent="Point-to-Point Planning", constraints={}, steps=["find_place"])
    one = score_trace(asked(), trace(*GOOD, answer=told, stages=(stage,)), PASS)
    two = score_trace(asked(), trace(*GOOD, stages=(stage,)), PASS)
    three = score_trace(asked(), trace(*GOOD), PASS)
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
def test_one_label_in_a_list_is_one_and_two_are_none(intent: Any, right: int, reason: str | None) -> None:
    judged = score_trace(asked(), trace(answer=answer(intent=intent)), PASS).metrics["ID"]
    assert judged.value == right
    assert judged.reasons == ((reason,) if reason else ())


def test_what_an_answer_says_of_itself_counts_in_prose_and_fences_too() -> None:
    said = f"Here you are:\n```json\n{answer(intent='Point-to-Point Planning')}\n```\nEnjoy."
    assert value(score_trace(asked(), trace(answer=said), PASS), "ID") == 1


def delivered(run: Trace, found: Verdict | None = PASS) -> tuple[Any, tuple[str, ...], Any]:
    scored = score_trace(asked(), run, found)
    return value(scored, "DR"), scored.metrics["DR"].reasons, value(scored, "FPR")


def failed(name: str, error: Any = "miss") -> Call:
    return call(name, error=error)


@pytest.mark.parametrize(
    ("run", "reasons"),
    [
        (trace(*GOOD, error="Connection error"), ("run ended with an error",)),
        (trace(*GOOD, ended=False), ("run did not end",)),
        (trace(*GOOD, answer=None, ended=False), ("run breaks off", "no answer")),
        (trace(*GOOD, answer="  \n"), ("no answer",)),
        (trace(*GOOD, answer="route_index 99"), ("answer cannot be read",)),
        (trace(GOOD[0], failed("driving_planning")), ("driving_planning stayed failed",)),
        (trace(GOOD[1], failed("driving_planning"), GOOD[0]), ("driving_planning stayed failed",)),
        (trace(*GOOD, call("teleport", result={"ok": 1}, error="invalid")), ("unknown tool stayed failed",)),
        (trace(call("poi_query", result={"error": {"code": "not-found"}})), ("poi_query stayed failed",)),
        (trace(call("poi_query", result="Error: no such city")), ("poi_query stayed failed",)),
    ],
)
def test_errors_silence_and_calls_that_stayed_failed_are_no_delivery(
    run: Trace, reasons: tuple[str, ...]
) -> None:
    assert delivered(run) == (0, reasons, 0)


@pytest.mark.parametrize(
    "run",
    [
        trace(*GOOD),
        trace(failed("poi_query"), failed("poi_query"), *GOOD),
        trace(call("teleport", result={"ok": 1}, error="invalid"), *GOOD),
        trace(call("poi_query", keywords="x"), GOOD[1]),
        trace(call("poi_query", result={"error": None, "data": {}})),
        trace(call("poi_query", result="No error was found")),
        trace(),
    ],
)
def test_failed_calls_that_a_later_one_mends_and_calls_without_results_are_no_failure(run: Trace) -> None:
    assert delivered(run) == (1, (), 1)


def test_an_answer_that_answers_nothing_is_not_delivered() -> None:
    assert delivered(trace(*GOOD), verdict("undelivered")) == (0, ("answer answers nothing",), 0)


def test_a_delivered_answer_that_breaks_a_constraint_does_not_pass_and_says_which() -> None:
    run = score_trace(asked(), trace(*GOOD), verdict("fail", "via[tower]", "via[gate]", "no-tolls"))
    assert (value(run, "DR"), value(run, "FPR")) == (1, 0)
    assert run.metrics["FPR"].reasons == ("via", "no-tolls")
    assert run.findings[0] == ("via[tower]", "via[tower] fails")


def test_without_a_judge_passing_is_not_known() -> None:
    assert delivered(trace(*GOOD), None) == (1, (), None)


@pytest.mark.parametrize(
    ("counts", "wanted"),
    [
        ((), (None, None)),
        ((tokens(5, 2, "planner"), tokens(7, None, "worker")), (12, 2)),
        ((tokens(5, 2, "planner"), tokens(100, 50)), (100, 50)),
        ((tokens(None, None, "planner"),), (None, None)),
        ((tokens(0, 0, "planner"),), (0, 0)),
    ],
)
def test_tokens_are_summed_over_parts_unless_the_whole_is_told(counts: Any, wanted: tuple[Any, Any]) -> None:
    run = score_trace(asked(), trace(tokens=counts), PASS)
    assert (value(run, "IT"), value(run, "OT")) == wanted


def test_what_was_judged_is_told_as_json_and_cut() -> None:
    said = answer(constraints={"radius": 0, "note": "x" * 10_000}).replace('"radius": 0', '"radius": 1.5e1')
    run = score_trace(asked(), trace(answer=said), PASS)
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
    assert [value(score_trace(asked(), run, PASS), name) for name in ("TS_coverage", "SC", "PF")] == [0, 0, 0]
