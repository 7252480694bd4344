"""TravelPlanner's settings show only the benchmark's tables, and conversations proceed turn by turn."""

from __future__ import annotations

import csv
import io
import json
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from planspec.dsl.model.types import ScalarType
from planspec.dsl.model.value_text import show
from planspec.dsl.workspace.workspace import Workspace
from planspec.environments import AgentTask, open_task
from planspec.environments.opened import settings_of
from planspec.families.travelplanner.importing.suite import import_travelplanner
from planspec.verifiers.answers.amounts import write_cost
from tests.families.travelplanner.official.small_world import SMALL
from tests.families.travelplanner.trip_agent import TripAgent
from tests.planspec.environments.views import (
    instance_ids,
    open_without_secrets,
    record_of_attempt,
    view_of,
    view_text,
)

pytestmark = pytest.mark.slow


WORKSPACE = Workspace()
"""Workspace shared by all tests, so that the library and the world are checked once."""
TASKS = [str(SMALL / "tasks" / f"{number}.yaml") for number in range(1, 15)]
RECORDED = Path(__file__).parent / "recorded_calls.jsonl"
GIVENS_OF_TOOLS = {"org", "dest", "town", "trip"}
RULES = {
    "smoking": "No smoking",
    "parties": "No parties",
    "children": "No children under 10",
    "visitors": "No visitors",
    "pets": "No pets",
}


@cache
def open_setting(setting: str = "tools", task: str = TASKS[2]) -> AgentTask:
    return open_task(task, setting, workspace=WORKSPACE)


def call_tool(tool: str, task: str = TASKS[2], **arguments: Any) -> dict[str, Any]:
    """Return the result of a tool of a task."""
    result: dict[str, Any] = open_setting("tools", task).tools.call(tool, arguments)
    return result


def rows(table: str, task: str = TASKS[2]) -> list[Any]:
    """Return the rows of a table of a task's facts."""
    return list(open_setting("tools", task).judge.task.facts[table].rows)


@pytest.fixture(scope="module")
def conversation_tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of tasks that are imported as conversations."""
    folder = tmp_path_factory.mktemp("conversation_tasks") / "made"
    import_travelplanner(SMALL / "database", [SMALL / "queries.jsonl"], folder, conversations=True)
    return folder / "tasks"


def test_the_family_has_the_settings_tools_and_sole_planning() -> None:
    assert list(settings_of(open_setting().judge.task)) == ["tools", "sole-planning"]
    assert [tool.name for tool in open_setting().tools.tools()] == [
        "FlightSearch",
        "GoogleDistanceMatrix",
        "AccommodationSearch",
        "RestaurantSearch",
        "AttractionSearch",
        "CitySearch",
    ]
    assert open_setting("sole-planning").tools.tools() == []


# ------------------------------------------------------------------ results of tools


@pytest.mark.parametrize("task", TASKS[:8])
def test_the_search_finds_every_flight_of_a_task_with_times_and_price(task: str) -> None:
    for row in rows("Flight", task):
        result = call_tool(
            "FlightSearch",
            task,
            departure_city=row.origin._key[0],
            destination_city=row.to._key[0],
            date=date.fromordinal(row.day).isoformat(),
        )
        times = [show(getattr(row, end), ScalarType.TIME, None) for end in ("depart", "arrive")]
        assert {
            "flight_number": row._key[0],
            "departure_time": times[0],
            "arrival_time": times[1],
            "price_per_person": write_cost(row.price, "USD"),
        } in result["flights"]


def test_searches_list_places_in_the_form_of_the_benchmark() -> None:
    for city in (row._key[0] for row in rows("City")):
        listed = [
            {name["name"] for name in call_tool(tool, city=city).get(kind, [])}
            for tool, kind in (
                ("AccommodationSearch", "accommodations"),
                ("RestaurantSearch", "restaurants"),
                ("AttractionSearch", "attractions"),
            )
        ]
        for table, names in zip(("Hotel", "Restaurant", "Attraction"), listed, strict=True):
            assert names == {
                row._key[0] for row in rows(table) if row.city._key[0] == city and getattr(row, "plain", True)
            }
    hidden = [row for row in rows("Hotel") if not row.plain]
    assert hidden


def test_searches_show_every_cell_of_listings_and_restaurants() -> None:
    for row in rows("Hotel"):
        if row.plain:
            result = call_tool("AccommodationSearch", city=row.city._key[0])["accommodations"]
            hotel = next(h for h in result if h["name"] == row._key[0])
            assert hotel["room_type"].casefold().replace(" ", "_").startswith(row.room)
            assert hotel["price_per_night"] == write_cost(row.price, "USD")
            assert (hotel["minimum_nights"], hotel["maximum_occupancy"]) == (row.least, row.sleeps)
            assert set(hotel["house_rules"]) == {RULES[rule] for rule in row.bans}
    for row in rows("Restaurant"):
        if row.plain:
            result = call_tool("RestaurantSearch", city=row.city._key[0])["restaurants"]
            place = next(r for r in result if r["name"] == row._key[0])
            assert set(place["cuisines"]) == {cuisine._key[0] for cuisine in row.cuisines}
            assert place["price_per_person"] == write_cost(row.price, "USD")


def test_the_distance_search_shows_possible_rides_with_their_cost() -> None:
    refused = 0
    for row in rows("Road"):
        for mode, metres in (("self-driving", 20_000), ("taxi", 1_000)):
            result = call_tool("GoogleDistanceMatrix", origin=row.origin._key[0], destination=row.to._key[0], mode=mode)
            if row.length is None or row.time is None or row.time >= 24 * 60:
                assert result["error"]["code"] == "not-found"
                refused += 1
                continue
            assert result["distance"] == show(row.length, ScalarType.DISTANCE, None)
            assert result["duration"] == show(row.time, ScalarType.DURATION, None)
            assert result["cost_per_car"] == row.length // metres
    assert refused


def test_the_city_search_lists_the_cities_of_each_state() -> None:
    for row in rows("State"):
        expected = {city._key[0] for city in rows("City") if city.state is row}
        assert set(call_tool("CitySearch", state=row._key[0])["cities"]) == expected


@pytest.mark.parametrize("line", RECORDED.read_text("utf-8").splitlines())
def test_tools_return_the_recorded_results(line: str) -> None:
    call = json.loads(line)
    assert json.dumps(call_tool(call["tool"], **call["arguments"])) == json.dumps(call["result"])


@pytest.mark.parametrize("task", TASKS)
def test_sole_planning_shows_the_results_of_all_searches_for_the_trip(task: str) -> None:
    materials = view_of(open_setting("sole-planning", task)).materials
    result = {title: list(csv.DictReader(io.StringIO(text))) for title, text in materials.items()}
    flights = [row for title, entries in result.items() if title.startswith("Flights") for row in entries]
    assert sorted(row["flight_number"] for row in flights) == sorted(row._key[0] for row in rows("Flight", task))
    cities = [title.removeprefix("Attractions in ") for title in result if title.startswith("Attractions in ")]
    assert cities
    for city in cities:
        for title, tool, kind in (
            ("Attractions", "AttractionSearch", "attractions"),
            ("Restaurants", "RestaurantSearch", "restaurants"),
            ("Accommodations", "AccommodationSearch", "accommodations"),
        ):
            expected = call_tool(tool, task, city=city)[kind]
            assert [row["name"] for row in result[f"{title} in {city}"]] == [row["name"] for row in expected]
    for way in result.get("Self-driving", []):
        told_of = call_tool(
            "GoogleDistanceMatrix", task, origin=way["from"], destination=way["to"], mode="self-driving"
        )
        assert str(told_of["cost_per_car"]) == way["cost_per_car"]


# ------------------------------------------------------------------ scripted agents


@pytest.mark.parametrize("setting", ["tools", "sole-planning"])
@pytest.mark.parametrize(
    "name", ["4-local-add-room-rule", "4-global-local-people-room-rule", "4-local-global-room-rule-budget"]
)
def test_an_agent_that_reads_only_the_views_passes_a_conversation(
    conversation_tasks: Path, name: str, setting: str
) -> None:
    task = open_task(conversation_tasks / f"{name}.yaml", setting, workspace=WORKSPACE)
    result = record_of_attempt(task, TripAgent())
    assert result.failure is None
    assert result.verdict["status"] == "pass", result.verdict["findings"]
    assert len(result.turns) == len(task.judges) > 1
    assert bool(result.trace.calls) is (setting == "tools")


def test_each_view_has_its_turn_and_the_earlier_answers(conversation_tasks: Path) -> None:
    task = open_task(conversation_tasks / "4-local-global-room-rule-budget.yaml", workspace=WORKSPACE)
    queries = [judge.task.query for judge in task.judges]
    assert "pets" in queries[1] and "$600" in queries[2]
    first, last = view_of(task), view_of(task, 2, ["a plan", None])
    assert first.earlier == () and first.query == queries[0]
    assert "pets" not in first.query and "$600" not in view_text(first)
    assert last.earlier == ((queries[0], "a plan"), (queries[1], None)) and last.query == queries[2]
    assert "later messages" in first.brief and "later messages" not in view_of(open_setting()).brief


# ------------------------------------------------------------------ hidden data


@pytest.mark.parametrize("setting", ["tools", "sole-planning"])
@pytest.mark.parametrize("task", TASKS)
def test_views_do_not_depend_on_rules_scope_reference_or_givens(setting: str, task: str) -> None:
    own = open_setting(setting, task)
    assert view_text(view_of(own)) == view_text(view_of(open_without_secrets(own, GIVENS_OF_TOOLS, set())))
    assert not [name for name in instance_ids(own) if "_" in name and name in view_text(view_of(own))]


@pytest.mark.parametrize("setting", ["tools", "sole-planning"])
def test_a_view_reveals_nothing_of_later_turns(conversation_tasks: Path, setting: str) -> None:
    for path in sorted(conversation_tasks.glob("12-*-*-*-*.yaml")):
        own = open_task(path, setting, workspace=WORKSPACE)
        assert view_text(view_of(own)) == view_text(view_of(open_without_secrets(own, GIVENS_OF_TOOLS, set())))


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        (
            "FlightSearch",
            {"departure_city": "Marrowby", "destination_city": "Brindle", "date": "2022-03-11"},
            "not-found",
        ),
        (
            "FlightSearch",
            {"departure_city": "Marrowby", "destination_city": "Brindle", "date": "March 10"},
            "invalid-arguments",
        ),
        (
            "FlightSearch",
            {"departure_city": "Marrowby", "destination_city": "Atlantis", "date": "2022-03-10"},
            "not-found",
        ),
        ("GoogleDistanceMatrix", {"origin": "Marrowby", "destination": "Brindle", "mode": "bus"}, "invalid-arguments"),
        ("CitySearch", {"state": "Marrowby"}, "not-found"),
        ("AccommodationSearch", {"town": "Brindle"}, "invalid-arguments"),
        ("NotebookWrite", {}, "unknown-tool"),
    ],
)
def test_an_invalid_call_returns_an_error_with_its_code(tool: str, arguments: dict[str, Any], code: str) -> None:
    assert open_setting().tools.call(tool, arguments)["error"]["code"] == code
