"""Right answers to the shipped episodes pass, however times are rounded and whichever parts of a result are copied."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from planspec.families.mobilitybench.calls import MODES
from planspec.families.mobilitybench.episode import Episode, Scenario, ScenarioFamily
from planspec.families.mobilitybench.judging import judge_of
from planspec.families.mobilitybench.reference import reference_answer
from planspec.families.mobilitybench.row_collector import address_in_city
from planspec.families.mobilitybench.suite import read_episodes
from planspec.families.mobilitybench.suite_files import TASKS
from tests.paths import ROOT

pytestmark = pytest.mark.slow


SHIPPED = ROOT / "tasks" / "mobilitybench"
PLANNING = (ScenarioFamily.BASIC_PLANNING, ScenarioFamily.CONSTRAINED_PLANNING)


@cache
def episodes() -> tuple[Episode, ...]:
    """Return the episodes of the shipped suite."""
    return tuple(read_episodes(SHIPPED))


def verdict(episode: Episode, answer: dict[str, Any]) -> tuple[str, list[str]]:
    """Judge an answer to an episode. Return the status and the messages of violations."""
    own_verdict = judge_of(SHIPPED / TASKS / f"{episode.id}.yaml").answer({"answer": answer})
    return own_verdict.status, [f.message for f in own_verdict.findings if f.status == "violated"]


def seconds(episode: Episode) -> list[int]:
    """Return the durations of the legs of the reference answer."""
    results: dict[int | None, Any] = {record.call: record.result for record in episode.snapshot}
    return [
        results[number]["routes"][0]["duration"] for number, call in enumerate(episode.program) if call.tool in MODES
    ]


timed = [
    episode.id
    for episode in episodes()
    if episode.scenario.family in PLANNING
    or (episode.scenario is Scenario.ROUTE_PROPERTY and "right_time" in episode.given)
]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", timed)
def test_the_time_in_seconds_and_to_the_nearest_minute_is_right(name: str) -> None:
    episode = next(e for e in episodes() if e.id == name)
    total, answer = sum(seconds(episode)), reference_answer(episode)["answer"]
    for duration in (total, f"{round(total / 60)} min", f"{round(total / 60)}分钟", f"{total} s"):
        assert verdict(episode, answer | {"duration": duration}) == ("pass", []), duration
    assert verdict(episode, answer | {"duration": total * 2 + 300})[0] == "fail"


def test_some_reference_answers_have_several_legs() -> None:
    assert max(len(seconds(e)) for e in episodes() if e.id in timed) > 1


@pytest.mark.parametrize("name", [e.id for e in episodes() if e.scenario.family in PLANNING])
def test_an_answer_with_a_copied_route_is_right(name: str) -> None:
    episode = next(e for e in episodes() if e.id == name)
    judging = judge_of(SHIPPED / TASKS / f"{name}.yaml")
    routes: list[Any] = [
        route
        for record in episode.snapshot
        if record.tool in MODES and isinstance(record.result, dict)
        for route in record.result.get("routes", ())  # type: ignore[union-attr]
    ]
    assert routes
    for route in routes:
        findings = judging.answer({"answer": {"route": route}}).findings
        assert [f.message for f in findings if f.level == "shape" and f.status == "violated"] == []


@pytest.mark.parametrize("name", [e.id for e in episodes() if e.given.get("asked_where")])
def test_a_name_without_a_location_does_not_locate_a_place(name: str) -> None:
    episode = next(e for e in episodes() if e.id == name)
    place = reference_answer(episode)["answer"]["place"]
    assert verdict(episode, {"place": place}) == ("pass", [])
    assert verdict(episode, {"location": place["location"]}) == ("pass", [])
    assert verdict(episode, {"place": place["name"]})[0] == "fail"
    if "address" in place:
        assert verdict(episode, {"place": {"name": place["name"], "address": place["address"]}}) == (
            "pass",
            [],
        )
        city = episode.constraints.get("city", episode.context.city)
        whole = address_in_city(place["address"], str(city))
        assert verdict(episode, {"address": whole}) == ("pass", [])


def test_only_some_place_searches_ask_for_a_location() -> None:
    asks_where = {e.query: bool(e.given.get("asked_where")) for e in episodes() if e.scenario is Scenario.POI_SEARCH}
    assert set(asks_where.values()) == {True, False}
