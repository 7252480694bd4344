"""VeriTrip's settings: a corpus with or without image tools, noisy or clean, or the fact base without a corpus."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from planspec.dsl.model.types import ScalarType
from planspec.dsl.model.value_text import show
from planspec.dsl.resources.english_words import WEEKDAYS
from planspec.environments import AgentTask, open_task
from planspec.environments.agent_task import SETTINGS, UnknownSettingError, UnpreparedSettingError
from planspec.environments.declared import declared_settings
from planspec.environments.opened import settings_of
from planspec.families.veritrip.environment.environment import TRUST
from planspec.families.veritrip.format.tables import bare_name
from planspec.families.veritrip.generating import SuiteSize, generate
from planspec.family.registry import family_of
from planspec.verifiers.answers.amounts import write_cost
from tests.families.veritrip.facts_agent import FactsAgent
from tests.paths import ROOT
from tests.planspec.environments.views import (
    instance_ids,
    open_without_secrets,
    record_of_attempt,
    view_of,
    view_text,
)
from tests.shipped import WORKSPACE

pytestmark = pytest.mark.slow


SHIPPED = ROOT / "tasks" / "veritrip"
SHOWN, ONE_DAY, PLAIN = "veritrip-001", "veritrip-033", "veritrip-010"
INTERPRETED = {"target_city"}
SIX = [
    "docSearch",
    "imgSearch",
    "getDocument",
    "getRecommendRestaurant",
    "getRestaurantByName",
    "getRestaurantByFood",
]


@cache
def facts_task(task: str = ONE_DAY) -> AgentTask:
    """Open a task in the setting `facts`, whose tools return rows of the fact base."""
    return open_task(task, "facts", workspace=WORKSPACE)


def call_tool(tool: str, **arguments: Any) -> dict[str, Any]:
    """Return the result of a tool in the setting `facts`."""
    result: dict[str, Any] = facts_task().tools.call(tool, arguments)
    assert "error" not in result, result
    return result


def fact_rows(table: str) -> list[Any]:
    """Return the rows of a table of the task's facts."""
    return list(facts_task().judge.task.facts[table].rows)


def format_time(minutes: int) -> str:
    return show(minutes, ScalarType.TIME, None)


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Generate a folder with three of the shipped tasks.

    The first has pictures of the corpus, and the last has none.
    """
    pytest.importorskip("cv2", reason="pictures need the extra `images`")
    folder = tmp_path_factory.mktemp("generated")
    generate(folder, SuiteSize(documents=900, images=3, queries=0))
    lines = {json.loads(line)["id"]: line for line in (SHIPPED / "queries.jsonl").read_text("utf-8").splitlines()}
    for task in (SHOWN, ONE_DAY, PLAIN):
        shutil.copy(SHIPPED / "tasks" / f"{task}.yaml", folder / "tasks")
    plain = folder / "tasks" / f"{PLAIN}.yaml"
    plain.write_text(plain.read_text("utf-8").replace(f'  images: ["{PLAIN}-1.jpg"]\n', ""), "utf-8")
    lines[PLAIN] = json.dumps(json.loads(lines[PLAIN]) | {"images": [], "shown": []})
    (folder / "queries.jsonl").write_text("".join(f"{lines[task]}\n" for task in (SHOWN, ONE_DAY, PLAIN)), "utf-8")
    for name in ("veritrip-001-1.jpg", "veritrip-001-2.jpg", "veritrip-033-1.jpg"):
        shutil.copy(folder / "corpus" / "images" / "00001.jpg", folder / "anchors" / name)
    return folder


def open_setting(folder: Path, setting: str | None = None, task: str = SHOWN) -> AgentTask:
    return open_task(folder / "tasks" / f"{task}.yaml", setting, folder=folder)


def copy_as_clean(folder: Path, path: Path) -> Path:
    """Copy a folder and mark its corpus as clean."""
    shutil.copytree(folder, path)
    mark = json.loads((path / "generated.json").read_text("utf-8"))
    (path / "generated.json").write_text(json.dumps(mark | {"clean": True}), "utf-8")
    return path


# ------------------------------------------------------------------ the corpus


def test_the_settings_use_documents_or_facts() -> None:
    """The library declares the settings with facts, which keep their places among those of the family."""
    assert list(declared_settings(facts_task().judge.task)) == ["facts", "paper-facts"]
    assert list(settings_of(facts_task().judge.task)) == list(SETTINGS.of(family_of("veritrip")))
    assert list(SETTINGS.of(family_of("veritrip"))) == [
        "tools",
        "pictures",
        "text",
        "tools-clean",
        "pictures-clean",
        "text-clean",
        "facts",
        "paper",
        "paper-pictures",
        "paper-text",
        "paper-clean",
        "paper-pictures-clean",
        "paper-text-clean",
        "paper-facts",
    ]


RULE_WORDS = (
    "budget", "overlap", "twice", "35", "four for each", "recommended", "opening", "closed on", "rooms for all",
    "in force", "outranks", "reprint", "imprint", "operator", "hearsay", "some are old", "exaggerate",
)  # fmt: skip
"""Words of the rules of common sense and of the rule of trust."""


@pytest.mark.sampled(3)
@pytest.mark.parametrize("setting", ["paper", "paper-pictures", "paper-text"])
def test_the_briefs_of_the_paper_s_settings_name_no_rule(generated: Path, setting: str) -> None:
    brief = view_of(open_setting(generated, setting)).brief
    assert [word for word in RULE_WORDS if word in brief.lower()] == []
    ruled = view_of(open_setting(generated, {"paper": "tools"}.get(setting, setting.removeprefix("paper-"))))
    assert {word for word in RULE_WORDS if word in ruled.brief.lower()} > {"budget", "imprint", "hearsay"}
    assert "# The answer" in brief and "as in [20] or [20, 31]" in brief
    assert brief.count("Palms and orchids [20, 31].") == 1


@pytest.mark.parametrize(
    ("setting", "ruled"), [("paper", "tools"), ("paper-pictures", "pictures"), ("paper-text", "text")]
)
def test_each_setting_of_the_paper_differs_from_its_counterpart_only_in_the_brief(
    generated: Path, setting: str, ruled: str
) -> None:
    paper, other = (view_of(open_setting(generated, name)) for name in (setting, ruled))
    assert (paper.setting, paper.images, paper.materials) == (setting, other.images, other.materials)
    assert [tool.name for tool in paper.tools.tools()] == [tool.name for tool in other.tools.tools()]


def test_the_paper_s_setting_names_a_clean_corpus(generated: Path, tmp_path: Path) -> None:
    clean = copy_as_clean(generated, tmp_path / "clean")
    assert open_setting(clean, "paper").setting == open_setting(clean, "paper-clean").setting == "paper-clean"
    with pytest.raises(UnpreparedSettingError, match="generate veritrip --clean"):
        open_setting(generated, "paper-clean")


def test_a_suite_without_a_corpus_is_opened_with_the_facts() -> None:
    assert open_task(ONE_DAY, workspace=WORKSPACE).setting == "facts"


def test_a_suite_with_a_corpus_is_opened_with_documents(generated: Path) -> None:
    assert open_setting(generated).setting == "tools"
    assert open_setting(generated, "facts").setting == "facts"


def test_the_facts_without_rules_need_no_corpus() -> None:
    view = view_of(open_task(ONE_DAY, "paper-facts", workspace=WORKSPACE))
    assert view.setting == "paper-facts" and "budget" not in view.brief.lower()
    assert [tool.name for tool in view.tools.tools()] == [tool.name for tool in view_of(facts_task()).tools.tools()]


def test_the_setting_tools_has_the_six_tools_and_the_request_s_pictures(generated: Path) -> None:
    view = view_of(open_setting(generated))
    assert view.setting == "tools"
    assert [tool.name for tool in view.tools.tools()] == SIX
    assert list(view.images) == ["veritrip-001-1.jpg", "veritrip-001-2.jpg"]
    assert view.materials == {}
    for title, picture in view.images.items():
        assert picture == (generated / "anchors" / title).read_bytes()
        result = view.tools.call("imgSearch", {"imgPath": title})
        assert result["results"][0]["imageID"] == "00001"
    assert "imgSearch" in view.brief


def test_the_setting_pictures_has_the_pictures_without_image_search(generated: Path) -> None:
    view = view_of(open_setting(generated, "pictures"))
    assert view.setting == "pictures"
    assert [tool.name for tool in view.tools.tools()] == [name for name in SIX if name != "imgSearch"]
    assert view.images == view_of(open_setting(generated, "tools")).images
    assert view.materials == {}
    assert "imgSearch" not in view.brief
    assert "by looking at the pictures" in view.brief


def test_the_briefs_of_all_settings_with_documents_state_the_rule_of_trust(generated: Path, tmp_path: Path) -> None:
    clean = copy_as_clean(generated, tmp_path / "clean")
    for folder, settings in (
        (generated, ("tools", "pictures", "text")),
        (clean, ("tools-clean", "pictures-clean", "text-clean")),
    ):
        for setting in settings:
            assert TRUST in view_of(open_setting(folder, setting)).brief
    assert TRUST not in view_of(facts_task()).brief


def test_the_setting_text_describes_the_pictures_and_has_no_image_tool(generated: Path) -> None:
    view = view_of(open_setting(generated, "text"))
    assert [tool.name for tool in view.tools.tools()] == [name for name in SIX if name != "imgSearch"]
    assert view.images == {} and "imgSearch" not in view.brief
    assert view.materials == {"What the pictures show": "1. Baochu Pagoda\n2. Three Pools Mirroring the Moon"}
    assert view_of(open_setting(generated, "text", PLAIN)).materials == {}


def test_a_document_that_was_found_can_be_read_in_full(generated: Path) -> None:
    tools = view_of(open_setting(generated, "text")).tools
    result = tools.call("docSearch", {"query": "Three Pools Mirroring the Moon ticket price"})["results"]
    document = tools.call("getDocument", {"docID": result[0]["docID"]})
    assert "Three Pools Mirroring the Moon" in json.dumps(document, ensure_ascii=False)


def test_each_true_statement_on_an_attraction_is_in_a_readable_document(generated: Path) -> None:
    own = open_setting(generated, "text", ONE_DAY)
    read: dict[int, str] = {}
    kinds: Counter[str] = Counter()
    for row in own.judge.task.facts["Statement"].rows:
        statement: Any = row
        if statement.right:
            number = statement.document
            read[number] = read.get(number) or json.dumps(
                own.tools.call("getDocument", {"docID": number}), ensure_ascii=False
            )
            assert statement.subject in read[number]
            kinds[statement.field] += 1
    assert set(kinds) >= {"ticket", "opens", "closes", "visit", "existence"}
    assert min(kinds[field] for field in ("ticket", "opens", "closes", "visit")) >= 24


def test_the_setting_names_a_clean_corpus(generated: Path, tmp_path: Path) -> None:
    clean = copy_as_clean(generated, tmp_path / "clean")
    assert open_setting(clean).setting == open_setting(clean, "tools-clean").setting == "tools-clean"
    assert open_setting(clean, "text").setting == open_setting(clean, "text-clean").setting == "text-clean"
    with pytest.raises(UnpreparedSettingError, match="generate veritrip --clean"):
        open_setting(generated, "tools-clean")


@pytest.mark.parametrize("setting", ["tools", "text", "tools-clean", "text-clean"])
def test_the_error_without_a_corpus_says_how_to_generate_one(setting: str) -> None:
    with pytest.raises(UnknownSettingError, match=r"planspec generate veritrip.* --out FOLDER.*`facts`") as raised:
        open_task(SHOWN, setting)
    assert ("--clean" in str(raised.value)) is setting.endswith("-clean")


def test_a_missing_task_is_named(generated: Path, tmp_path: Path) -> None:
    shutil.copytree(generated, tmp_path / "other")
    (tmp_path / "other" / "queries.jsonl").write_text("", "utf-8")
    with pytest.raises(UnpreparedSettingError, match="no task `veritrip-001`"):
        open_setting(tmp_path / "other", "tools")


# ------------------------------------------------------------------ the facts


def test_tools_return_every_checked_value_of_trains_and_flights() -> None:
    pages: dict[tuple[str, str, int], list[dict[str, Any]]] = {}
    for row in fact_rows("Service"):
        key = bare_name(row.origin.city), bare_name(row.to.city), row.day
        if key not in pages:
            arguments = {
                "startCity": key[0],
                "targetCity": key[1],
                "date": date.fromordinal(row.day).isoformat(),
            }
            pages[key] = call_tool("getTransportation", **arguments)["transportation"]
        assert {
            "transportationID": row.number,
            "vehicle": row.vehicle,
            "departureStation": bare_name(row.origin),
            "arriveStation": bare_name(row.to),
            "begin_time": format_time(row.depart),
            "end_time": format_time(row.arrive),
            "price_per_person": write_cost(row.price, "USD"),
        } in pages[key]
    assert len(fact_rows("Service")) == sum(map(len, pages.values()))


def test_tools_return_every_checked_value_of_attractions() -> None:
    for row in fact_rows("Attraction"):
        result = call_tool("getAttractions", city=bare_name(row.city))["attractions"]
        sight = next(one for one in result if one["name"] == bare_name(row))
        assert sight["ticket_price"] == write_cost(row.ticket, "USD")
        assert (sight["opens"], sight["closes"]) == (format_time(row.opens), format_time(row.closes))
        assert sight["closed_on"] == [WEEKDAYS[day] for day in sorted(row.closed)]
        assert sight["visit_minutes"] == [row.least, row.most]


def test_tools_return_every_checked_value_of_rooms() -> None:
    for row in fact_rows("Offer"):
        result = call_tool("getAccommodations", city=bare_name(row.hotel.city))["accommodations"]
        hotel = next(one for one in result if one["name"] == bare_name(row.hotel))
        assert {
            "room_type": bare_name(row.room),
            "sleeps": row.room.sleeps if row.sleeps is None else row.sleeps,
            "price_per_night": write_cost(row.price, "USD"),
            "breakfast_included": row.board == "with_breakfast",
        } in hotel["rooms"]


def test_tools_name_places_without_the_city_that_tells_them_apart() -> None:
    assert "The Langham, Boston" in {row.id for row in fact_rows("Hotel")}
    hotels = call_tool("getAccommodations", city="Boston")["accommodations"]
    assert "The Langham" in [hotel["name"] for hotel in hotels]
    result = facts_task(SHOWN).tools.call("getRestaurants", {"city": "Hangzhou"})
    [hot_pot] = [place for place in result["restaurants"] if "Haidilao" in place["name"]]
    assert hot_pot["name"] == "Haidilao Hot Pot" and hot_pot["name"] not in hot_pot["serves"]


def test_tools_return_every_checked_value_of_restaurants() -> None:
    for row in fact_rows("Restaurant"):
        result = call_tool("getRestaurants", city=bare_name(row.city))["restaurants"]
        place = next(one for one in result if one["name"] == bare_name(row))
        assert {place["name"], *place["serves"]} == set(row.tags)
        assert place["price_per_person"] == write_cost(row.price, "USD")
        assert (place["opens"], place["closes"]) == (format_time(row.opens), format_time(row.closes))


@pytest.mark.parametrize("task", ["veritrip-007", "veritrip-025", ONE_DAY, "veritrip-043"])
def test_an_agent_with_only_the_facts_passes(task: str) -> None:
    queries = {q["id"]: q for q in map(json.loads, (SHIPPED / "queries.jsonl").read_text("utf-8").splitlines())}
    query = queries[task]
    attempt = record_of_attempt(
        facts_task(task), FactsAgent(query["start_city"], query["target_city"], query["people_number"])
    )
    assert attempt.failure is None
    assert attempt.verdict["status"] == "pass", attempt.verdict["findings"]
    cells = attempt.verdict["facts"]["cells"]
    assert cells and all(cell["status"] == "correct" for cell in cells)


def test_the_facts_describe_pictures_that_are_not_shipped() -> None:
    assert view_of(facts_task(SHOWN)).materials == {
        "What the pictures show": "1. Baochu Pagoda\n2. Three Pools Mirroring the Moon"
    }


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("getTransportation", {"startCity": "Boston", "targetCity": "New York", "date": "2025-12-01"}, "not-found"),
        (
            "getTransportation",
            {"startCity": "Boston", "targetCity": "New York", "date": "tomorrow"},
            "invalid-arguments",
        ),
        ("getAttractions", {"city": "Beijing"}, "not-found"),
        ("getAttractions", {"city": "Boston", "free": True}, "invalid-arguments"),
        ("docSearch", {"query": "Boston"}, "unknown-tool"),
    ],
)
def test_a_wrong_call_returns_an_error_code(tool: str, arguments: dict[str, Any], code: str) -> None:
    assert facts_task().tools.call(tool, arguments)["error"]["code"] == code


# ------------------------------------------------------------------ hidden data


@pytest.mark.parametrize("task", [SHOWN, ONE_DAY, "veritrip-043", "veritrip-miss-1"])
def test_a_view_of_the_facts_does_not_depend_on_rules_scope_or_reference(
    task: str,
) -> None:
    own = facts_task(task)
    stripped = open_without_secrets(own, INTERPRETED, {"Statement"}, {"images"})
    assert view_text(view_of(own)) == view_text(view_of(stripped))
    assert not [name for name in instance_ids(own) if "_" in name and name in view_text(view_of(own))]
    city = bare_name(own.judge.task.givens["target_city"])
    for tool in ("getAttractions", "getAccommodations", "getRestaurants"):
        assert own.tools.call(tool, {"city": city}) == stripped.tools.call(tool, {"city": city})


@pytest.mark.parametrize("setting", ["tools", "pictures", "text"])
def test_a_view_of_the_corpus_does_not_depend_on_rules_scope_or_reference(generated: Path, setting: str) -> None:
    for task in (SHOWN, ONE_DAY):
        own = open_setting(generated, setting, task)
        assert view_text(view_of(own)) == view_text(
            view_of(open_without_secrets(own, INTERPRETED, {"Statement"}, {"images"}))
        )
