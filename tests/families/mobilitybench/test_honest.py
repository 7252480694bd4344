"""Honest answers to the shipped episodes pass, however they round and whatever of a result they copy."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from planspec.families.mobilitybench.calls import MODES
from planspec.families.mobilitybench.episode import Episode, Scenario, ScenarioFamily
from planspec.families.mobilitybench.judging import judge_of
from planspec.families.mobilitybench.reference import reference_answer
from planspec.families.mobilitybench.suite import read_episodes
from planspec.families.mobilitybench.suite_files import TASKS
from planspec.families.mobilitybench.ways import in_city
from tests.paths import ROOT

pytestmark = pytest.mark.slow


SHIPPED = ROOT / "tasks" / "mobilitybench"
PLANNING = (ScenarioFamily.BASIC_PLANNING, ScenarioFamily.CONSTRAINED_PLANNING)


@cache
def episodes() -> tuple[Episode, ...]:
    return tuple(read_episodes(SHIPPED))


def verdict(episode: Episode, answer: dict[str, Any]) -> tuple[str, list[str]]:
    found = judge_of(SHIPPED / TASKS / f"{episode.id}.yaml").answer({"answer": answer})
    return found.status, [f.message for f in found.findings if f.status == "violated"]


def seconds(episode: Episode) -> list[int]:
    """The durations of the legs of the reference answer."""
    results: dict[int | None, Any] = {record.call: record.result for record in episode.snapshot}
    return [
        results[number]["routes"][0]["duration"]
        for number, call in enumerate(episode.program)
        if call.tool in MODES
    ]


timed = [
    episode.id
    for episode in episodes()
    if episode.scenario.family in PLANNING
    or (episode.scenario is Scenario.ROUTE_PROPERTY and "right_time" in episode.given)
]


@pytest.mark.parametrize("name", timed)
def test_the_time_in_seconds_and_to_the_nearest_minute_is_right(name: str) -> None:
    episode = next(e for e in episodes() if e.id == name)
    total, answer = sum(seconds(episode)), reference_answer(episode)["answer"]
    for said in (total, f"{round(total / 60)} min", f"{round(total / 60)}分钟", f"{total} s"):
        assert verdict(episode, answer | {"duration": said}) == ("pass", []), said
    assert verdict(episode, answer | {"duration": total * 2 + 300})[0] == "fail"


def test_there_are_ways_of_several_legs() -> None:
    assert max(len(seconds(e)) for e in episodes() if e.id in timed) > 1


@pytest.mark.parametrize("name", [e.id for e in episodes() if e.scenario.family in PLANNING])
def test_a_recorded_route_that_is_copied_whole_agrees_with_itself(name: str) -> None:
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
        found = judging.answer({"answer": {"route": route}}).findings
        assert [f.message for f in found if f.level == "shape" and f.status == "violated"] == []


@pytest.mark.parametrize("name", [e.id for e in episodes() if e.given.get("asked_where")])
def test_where_a_place_is_takes_more_than_its_name(name: str) -> None:
    episode = next(e for e in episodes() if e.id == name)
    told = reference_answer(episode)["answer"]["place"]
    assert verdict(episode, {"place": told}) == ("pass", [])
    assert verdict(episode, {"location": told["location"]}) == ("pass", [])
    assert verdict(episode, {"place": told["name"]})[0] == "fail"
    if "address" in told:
        assert verdict(episode, {"place": {"name": told["name"], "address": told["address"]}}) == ("pass", [])
        city = episode.constraints.get("city", episode.context.city)
        whole = in_city(told["address"], str(city))
        assert verdict(episode, {"address": whole}) == ("pass", [])


def test_where_is_asked_of_places_that_are_named_and_of_no_kind() -> None:
    asked = {
        e.query: bool(e.given.get("asked_where")) for e in episodes() if e.scenario is Scenario.POI_SEARCH
    }
    assert set(asked.values()) == {True, False}
