"""Answers to queries in two invented towns, judged by hand.

The towns (`judged/*.yaml`) hold the results of their tools, the queries, and the ground truth of each query. Each
line of `judged.jsonl` is one answer, as JSON (`answer`) or as an agent's text (`text`), with the calls of its run
if the answer refers to a route by call. `fails` lists all violated constraints, and `amiss` the parts of the answer
that are unreadable or name something unknown to the tools.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.agents.tools import read_arguments
from planspec.families.mobilitybench.answers import resolve_routes
from planspec.families.mobilitybench.calls import TOOLS, canonical_arguments
from planspec.families.mobilitybench.episode import Context, Episode, RecordedResult, Scenario
from planspec.families.mobilitybench.suite import SuiteWriter
from planspec.families.mobilitybench.yaml_text import parse_yaml
from planspec.traces import Call, Trace
from planspec.verifiers.compiled.compile import Compiled, compile_task
from planspec.verifiers.meaning.judge import judge
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.verdict import Finding, Verdict
from tests.shipped import WORKSPACE

pytestmark = pytest.mark.slow


HERE = Path(__file__).parent
TOWNS = {path.stem: parse_yaml(path.read_text("utf-8")) for path in (HERE / "judged").glob("*.yaml")}
JUDGED: list[dict[str, Any]] = [json.loads(line) for line in (HERE / "judged.jsonl").read_text("utf-8").splitlines()]
CONSTRAINTS = (
    "a-way",
    "starts",
    "ends",
    "unbroken",
    "in-sequence",
    "by",
    "via",
    "via-in-order",
    "avoid-road",
    "avoid-line",
    "use-line",
    "no-tolls",
    "no-motorway",
    "max-transfers",
    "departs",
    "arrives",
    "sensible",
    "fast",
    "short",
    "few-transfers",
    "little-walking",
    "cheap",
    "few-lights",
    "much-motorway",
    "told-time",
    "told-length",
    "told-counts",
    "told-times",
    "told-span",
    "right-place",
    "tells-where",
    "right-address",
    "near-places",
    "enough-places",
    "nearest-first",
    "right-weather",
    "right-temperatures",
    "right-level",
    "right-time",
    "right-length",
    "right-transfers",
    "right-lights",
    "right-tolls",
    "right-fare",
    "right-departure",
    "right-arrival",
    "right-possibility",
    "told-possible",
)
each_answer = pytest.mark.parametrize("judged", JUDGED, ids=[judged["name"] for judged in JUDGED])


@cache
def record(town: str, name: str) -> RecordedResult:
    """Return a recorded call of a town, by its name in the town's file."""
    entry = TOWNS[town]["records"][name]
    read = canonical_arguments(read_arguments(TOOLS[entry["tool"]][0], entry["arguments"]))
    plain = {key: list(value) if isinstance(value, tuple) else value for key, value in read}
    return RecordedResult(tool=entry["tool"], arguments=plain, result=entry["result"])


@cache
def episode(task: str) -> Episode:
    """Return an episode, by the name of its town and its own name."""
    town, _, name = task.partition("/")
    place = TOWNS[town]
    entry = place["episodes"][name]
    scenario = Scenario(entry["scenario"])
    return Episode(
        id=f"{town}.{name}",
        family=scenario.family,
        scenario=scenario,
        language=place["language"],
        query=entry["query"],
        context=Context(location=place["location"], city=place["city"], time=place["time"]),
        program=(),
        snapshot=tuple(record(town, one) for one in entry["snapshot"]),
        currency=place["currency"],
        given=entry["given"],
    ).with_checksum()


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield the folder of a suite with all episodes of both towns."""
    folder = tmp_path_factory.mktemp("towns") / "judged"
    with SuiteWriter(folder, "Two invented towns") as writer:
        for town, place in TOWNS.items():
            for name in place["episodes"]:
                writer.add(episode(f"{town}/{name}"))
    yield folder
    judge_of.cache_clear()
    compiled_of.cache_clear()
    _verdict.cache_clear()


@cache
def judge_of(suite: Path, task: str) -> planspec.Judge:
    """Return the judge of a task of the suite."""
    return planspec.Judge(planspec.load(suite / "tasks" / f"{task.replace('/', '.')}.yaml", workspace=WORKSPACE))


def answer_of(judged: dict[str, Any]) -> Any:
    """Return the answer with the routes that it refers to."""
    text = judged["text"] if "text" in judged else json.dumps(judged["answer"], ensure_ascii=False)
    run = Trace(task=judged["task"], calls=tuple(Call(**call) for call in judged.get("calls", ())), answer=text)
    return resolve_routes(text, run, episode(judged["task"]))


@cache
def _verdict(suite: Path, index: int) -> Verdict:
    return judge_of(suite, JUDGED[index]["task"]).answer(answer_of(JUDGED[index]))


def verdict_on(suite: Path, judged: dict[str, Any]) -> Verdict:
    """Return the verdict on one of the hand-judged answers."""
    return _verdict(suite, JUDGED.index(judged))


def violated_findings(verdict: Verdict, *, shape: bool) -> list[Finding]:
    """Return the violated findings: on the answer's shape if `shape` is true, otherwise on constraints."""
    return [f for f in verdict.findings if f.status == "violated" and (f.level == "shape") == shape]


@each_answer
def test_the_status_is_that_judged_by_hand(suite: Path, judged: dict[str, Any]) -> None:
    assert verdict_on(suite, judged).status == judged["status"]


@each_answer
def test_the_violated_constraints_are_those_judged_by_hand(suite: Path, judged: dict[str, Any]) -> None:
    failing = {f.constraint.partition("[")[0] for f in violated_findings(verdict_on(suite, judged), shape=False)}
    assert failing == set(judged["fails"])


@each_answer
def test_the_faulty_parts_are_those_judged_by_hand(suite: Path, judged: dict[str, Any]) -> None:
    verdict = verdict_on(suite, judged)
    if judged["status"] == "undelivered":
        assert [f.kind for f in violated_findings(verdict, shape=True)] == ["undelivered"]
        return
    assert sorted(f.constraint for f in violated_findings(verdict, shape=True)) == sorted(judged["amiss"])


@each_answer
def test_violations_have_messages(suite: Path, judged: dict[str, Any]) -> None:
    assert all(f.message for f in verdict_on(suite, judged).findings if f.status == "violated")


@cache
def compiled_of(judging: planspec.Judge) -> Compiled:
    """Return the verifier that is compiled for one task, as opposed to code that tasks share."""
    return compile_task(judging.ground)


@pytest.mark.sampled(4)
@each_answer
def test_the_compiled_verdict_equals_the_interpreted_one(suite: Path, judged: dict[str, Any]) -> None:
    judging = judge_of(suite, judged["task"])
    plan = judging.read(answer_of(judged))
    if plan is None:
        assert judged["status"] == "undelivered"
        return
    ground = judging.ground
    statuses, measures = compiled_of(judging).judge_and_measure(plan)
    assert judge(ground, plan, (), statuses, measures=measures) == judge(ground, Plan(plan.tables))


# -- the judged answers themselves -------------------------------------------------------------------


@pytest.mark.parametrize("constraint", CONSTRAINTS)
def test_some_answer_satisfies_each_constraint_and_another_violates_only_this_one(suite: Path, constraint: str) -> None:
    assert any(judged["fails"] == [constraint] and not judged["amiss"] for judged in JUDGED)
    assert any(
        f.constraint.partition("[")[0] == constraint and f.status == "satisfied"
        for judged in JUDGED
        if judged["status"] == "pass"
        for f in verdict_on(suite, judged).findings
    )


def test_the_library_has_no_other_constraints(suite: Path) -> None:
    constraints = {
        i.id.partition("[")[0]
        for town, place in TOWNS.items()
        for name in place["episodes"]
        for i in judge_of(suite, f"{town}/{name}").ground.instances
    }
    assert constraints == set(CONSTRAINTS)


@pytest.mark.parametrize("scenario", Scenario)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_scenario_passes_and_fails_in_both_languages(scenario: Scenario, language: str) -> None:
    outcomes = {
        judged["status"] == "pass"
        for judged in JUDGED
        if episode(judged["task"]).scenario is scenario and episode(judged["task"]).language == language
    }
    assert outcomes == {True, False}


def test_names_are_unique_and_every_verdict_has_its_reason() -> None:
    assert len({judged["name"] for judged in JUDGED}) == len(JUDGED)
    assert all(judged["why"] and set(judged["fails"]) <= set(CONSTRAINTS) for judged in JUDGED)
    for judged in JUDGED:
        if judged["status"] == "undelivered":
            assert not judged["fails"] + judged["amiss"]
        else:
            assert (judged["status"] == "fail") == bool(judged["fails"] + judged["amiss"]), judged["name"]
