"""The task of an episode can be loaded, a search finds a right answer, and both back ends agree."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.dsl.documents.documents import task_from_path, task_from_text
from planspec.dsl.model.task import Task
from planspec.dsl.workspace.workspace import Workspace
from planspec.families.mobilitybench.episode import Context, Episode, RecordedResult, Scenario
from planspec.families.mobilitybench.suite import SuiteWriter
from planspec.families.mobilitybench.tasks import DEFAULTS, givens_of, scenario_word, task_text
from planspec.verifiers.meaning.ground import ground
from planspec.verifiers.meaning.judge import judge
from tests.families.mobilitybench import london
from tests.paths import ROOT

pytestmark = pytest.mark.slow


LIBRARY = ROOT / "tasks" / "libraries" / "mobilitybench.library.yaml"


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a suite with an episode of each scenario."""
    folder = tmp_path_factory.mktemp("suites") / "london"
    with SuiteWriter(folder, "London") as writer:
        for make in london.EPISODES.values():
            writer.add(make())
    return folder


@pytest.fixture(params=list(Scenario), ids=scenario_word)
def task(request: pytest.FixtureRequest, suite: Path, workspace: Workspace) -> Task:
    return task_from_path(suite / "tasks" / f"{london.EPISODES[request.param]().id}.yaml", workspace)


def test_every_scenario_has_an_answer_that_passes(task: Task) -> None:
    solution = planspec.solve(task)
    assert solution.plan is not None
    verdict = judge(ground(task), solution.plan)
    assert (verdict.status, verdict.in_scope) == ("pass", True)
    applicable = {i.constraint.id for i in ground(task).instances if i.applicable and i.constraint.hard}
    assert applicable, "a task must have applicable hard constraints"


def test_a_searched_plan_can_be_written_as_an_answer(task: Task) -> None:
    solution = planspec.solve(task)
    assert solution.plan is not None
    judged = planspec.Judge(task)
    assert judged.answer(json.dumps(judged.encode(solution.plan))).status == "pass"


def test_both_back_ends_decide_every_scenario(task: Task) -> None:
    validation = planspec.validate(task)
    assert validation.feasible.status == "feasible"
    assert validation.unique.status in {"unique", "multiple"}


def test_a_located_address_is_an_answer(tmp_path: Path) -> None:
    result = london.record("geocoding", address=london.ends()[0].address)
    assert isinstance(result.result, dict)
    address = result.result["places"][0]["address"]  # type: ignore[index, call-overload]
    episode = london.episode(Scenario.GEOLOCATION, {"right_places": [address]}, result)
    with SuiteWriter(tmp_path / "out", "One") as writer:
        writer.add(episode)
    judged = planspec.Judge(task_from_path(tmp_path / "out" / "tasks" / f"{episode.id}.yaml"))
    solution = planspec.solve(judged.task)
    assert solution.plan is not None
    assert judged.answer(json.dumps(judged.encode(solution.plan))).status == "pass"
    assert judged.answer(json.dumps({"answer": {"place": "somewhere else"}})).status == "fail"


def test_the_multi_stop_plan_is_two_walks_in_order(suite: Path, workspace: Workspace) -> None:
    solution = planspec.solve(task_from_path(suite / "tasks" / f"{london.stops().id}.yaml", workspace))
    assert solution.plan is not None
    rows: Any = solution.plan.tables["legs"]  # type checkers do not know the columns of rows
    legs = [row.route for row in rows]
    a, b, c = (poi.name for poi in london.ends())
    assert [leg.id.partition("-")[0] for leg in legs] == ["walk", "walk"]
    assert [(leg.origin.id, leg.destination.id) for leg in legs] == [(a, c), (c, b)]


def test_scenarios_and_defaults_equal_those_in_the_library() -> None:
    text = LIBRARY.read_text("utf-8")
    named = text.partition("Scenario: >-")[2].partition("\n  Vehicle:")[0]
    assert re.findall(r"\w+", named) == [scenario_word(scenario) for scenario in Scenario]
    given = text.partition("\ngiven:\n")[2].partition("\nplan:\n")[0]
    library_defaults = dict(re.findall(r"^  (\w+): .* = (.+)$", given, re.MULTILINE))
    ours = {name: str(value).lower() for name, value in DEFAULTS.items()}
    assert {name: value for name, value in library_defaults.items() if value != "{}"} == ours


def test_defaults_are_left_out() -> None:
    given = {
        "via": [],
        "no_tolls": False,
        "no_motorway": True,
        "detour": 0.5,
        "time_tolerance": "0.05",
        "length_tolerance": 0.1,
        "at_least": 1,
        "early": "30min",
        "origin": None,
        "right_tolls": 0,
    }
    episode = london.episode(Scenario.ROUTE_PROPERTY, given)
    assert givens_of(episode) == {
        "scenario": "route_property_query",
        "no_motorway": "true",
        "length_tolerance": "0.1",
        "right_tolls": "0",
    }


@pytest.mark.parametrize("value", [{"a": 1}, [None], object()])
def test_values_that_are_not_json_are_refused(value: object) -> None:
    episode = london.episode(Scenario.POI_SEARCH, {}).model_copy(update={"given": {"nearest": value}})
    with pytest.raises(ValueError, match="no data"):
        givens_of(episode)


@pytest.mark.parametrize(
    "awkward",
    ['L\'Opéra: "bis" #1', "a, b]", "{c}", "- d", "面馆|小吃", "none ", "back\\slash", "tab\there", "12:30"],
)
def test_a_task_may_contain_any_name(awkward: str, tmp_path: Path) -> None:
    result = RecordedResult(
        tool="poi_query", arguments={"keywords": "x"}, result={"pois": [{"name": awkward, "location": "0,0"}]}
    )
    episode = london.episode(Scenario.POI_SEARCH, {"right_places": [awkward]}, result, name="it-s.1")
    episode = episode.model_copy(update={"query": awkward, "context": Context(city=awkward)})
    with SuiteWriter(tmp_path / "out", awkward) as writer:
        writer.add(episode)
    task = task_from_path(tmp_path / "out" / "tasks" / "it-s.1.yaml")
    assert task.query == awkward
    assert planspec.solve(task).plan is not None


@pytest.mark.parametrize("scenario", list(Scenario), ids=scenario_word)
def test_a_task_without_results_loads(scenario: Scenario, tmp_path: Path) -> None:
    bare = Episode(
        id="bare",
        family=scenario.family,
        scenario=scenario,
        query="q",
        context=Context(),
        program=(),
        snapshot=(),
        given={"weather_days": ["2026-05-11"]} if scenario is Scenario.WEATHER else {},
    )
    with SuiteWriter(tmp_path / "out", "Bare") as writer:
        writer.add(bare)
    assert task_from_path(tmp_path / "out" / "tasks" / "bare.yaml").family == "mobilitybench"


def test_a_task_text_loads_beside_its_database(suite: Path) -> None:
    episode = london.poi_search()
    text = task_text(episode, "ways.sqlite")
    task = task_from_text(text, path=suite / "elsewhere.yaml")
    assert task.id == episode.id
    assert text == task_text(episode, "ways.sqlite"), "the same episode has the same text"
