"""Settings in which WorldTravel's tools show pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from planspec.agents.agent import AgentSpec, UnknownAgentError
from planspec.agents.pictures import images_of, result_text
from planspec.api.judging import Judge
from planspec.api.loading import load
from planspec.environments import open_task
from planspec.environments.agent_task import UnknownSettingError, UnpreparedSettingError
from planspec.environments.opened import settings_of
from planspec.families.worldtravel.settings import open_pages
from planspec.families.worldtravel.webscape import picture_source
from planspec.families.worldtravel.webscape.camera import PictureSettings
from planspec.families.worldtravel.webscape.page_tools import TOOLS_WITH_PAGES
from planspec.runs import RunFolder, RunOptions, begin

NEUES, BORCHARDT = "Neues Museum", "Borchardt"
CALLS: dict[str, tuple[dict[str, str], int]] = {
    "get_attraction_list": ({"city": "Berlin"}, 1),
    "get_guide_details": ({"attraction": "Memorial to the Murdered Jews of Europe"}, 4),
    "get_attraction_ticket_availability": ({"attraction": NEUES, "date": "2026-07-01"}, 1),
    "get_restaurant_list": ({"city": "Berlin"}, 1),
    "get_restaurant_guide_detail": ({"restaurant": BORCHARDT}, 2),
    "get_restaurant_reservation_availability": ({"restaurant": BORCHARDT, "date": "2026-07-02"}, 1),
    "get_hotel_list": ({"city": "Berlin"}, 1),
    "get_route_info": ({"origin": BORCHARDT, "destination": NEUES}, 3),
}


@pytest.fixture
def pictured_pages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Replace screenshots by blank pictures, which need no browser.

    Return a list that receives the HTML of each page.
    """
    seen: list[str] = []

    def take_screenshots(_browser: str, _lens: PictureSettings, addresses: Iterable[str]) -> Iterator[bytes]:
        for address in addresses:
            text = Path(address.removeprefix("file://")).read_text("utf-8")
            seen.append(text)
            yield b"\x89PNG\r\n\x1a\n" + bytes(16) + str(hash(text)).encode()

    monkeypatch.setattr(picture_source, "take_screenshots", take_screenshots)
    monkeypatch.setattr(picture_source, "require_browser", lambda: "chromium")
    monkeypatch.setattr("planspec.families.worldtravel.settings.require_browser", lambda: "chromium")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return seen


@pytest.mark.parametrize("setting", ["pages", "pages-feasibility"])
def test_each_of_the_eight_tools_returns_only_pictures(pictured_pages: list[str], setting: str) -> None:
    opened = open_task("berlin-001", setting)
    assert {tool.name for tool in opened.tools} == set(CALLS) == TOOLS_WITH_PAGES
    for name, (arguments, pages) in CALLS.items():
        result = opened.tools.call(name, arguments)
        assert set(result) == {"pictures"}, name
        assert len(images_of(result)) == pages, name
        assert "2026" not in result_text(result)
    assert any("Neues Museum" in page for page in pictured_pages)


def test_each_page_is_pictured_once(pictured_pages: list[str]) -> None:
    opened = open_task("berlin-001", "pages")
    first = opened.tools.call("get_hotel_list", {"city": "Berlin"})
    again = open_task("berlin-002", "pages").tools.call("get_hotel_list", {"city": "Berlin"})
    assert first == again
    assert len(pictured_pages) == 1


def test_refusals_of_the_text_tools_are_passed_on(pictured_pages: list[str]) -> None:
    text, pages = open_task("berlin-001"), open_task("berlin-001", "pages")
    wrong: list[tuple[str, Any]] = [
        ("get_guide_details", {"attraction": "Atlantis"}),
        ("get_hotel_list", {}),
        ("get_hotel_list", "Berlin"),
        ("get_route_info", {"origin": NEUES, "destination": NEUES}),
    ]
    for name, arguments in wrong:
        assert pages.tools.call(name, arguments) == text.tools.call(name, arguments)
        assert "error" in pages.tools.call(name, arguments)
    assert pictured_pages == []


def test_a_refusal_for_a_day_without_a_page_names_the_existing_days(pictured_pages: list[str]) -> None:
    result = open_task("berlin-001", "pages").tools.call(
        "get_attraction_ticket_availability", {"attraction": NEUES, "date": "2031-01-01"}
    )
    assert result["error"]["code"] == "not-found"
    assert "there are from 2026-07-01 to" in result["error"]["message"]


def test_the_brief_explains_trust_before_the_brief_of_the_text_setting(pictured_pages: list[str]) -> None:
    text, pages = open_task("berlin-001"), open_task("berlin-001", "pages")
    assert pages.brief.endswith(text.brief)
    assert "believe what is sold" in pages.brief
    assert pages.calls == text.calls
    assert pages.declared is None


def test_the_setting_text_is_the_first_of_all_settings() -> None:
    assert list(settings_of(load("berlin-001"))) == [
        "text",
        "feasibility",
        "gold",
        "pages",
        "pages-feasibility",
        "site",
        "site-feasibility",
        "site-visual-only",
    ]


def test_a_task_without_the_tools_is_refused(tmp_path: Path) -> None:
    task = tmp_path / "t.task.yaml"
    task.write_text(
        "planspec: task/1\nid: t\ntitle: T\nquery: q\nplan: {answer: {one: true, n: int}}\nscope: {answer: [{n: 0..9}]}\n",
        encoding="utf-8",
    )
    opened = load(str(task))
    with pytest.raises(UnpreparedSettingError, match="declares no setting `text`"):
        open_pages("t", (Judge(opened),), None, setting="pages", base="text")
    with pytest.raises(UnknownSettingError):
        open_task(str(task), "pages")


def test_without_a_browser_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_no_browser() -> str:
        raise ModuleNotFoundError("pictures of pages need an extra: pip install 'planspec[browser]'")

    monkeypatch.setattr("planspec.families.worldtravel.settings.require_browser", find_no_browser)
    with pytest.raises(UnpreparedSettingError, match=r"the setting `pages`: .*pip install"):
        open_task("berlin-001", "pages")


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        ("greedy", "it reads tool results as text"),
        ("openai:model=m,base_url=http://127.0.0.1:9/v1,tools=text", "`images=parts` it gets the pictures"),
        (
            "repair:of=(openai:model=m,base_url=http://127.0.0.1:9/v1,tools=text)",
            "`images=parts` it gets the pictures",
        ),
    ],
)
def test_agents_without_vision_are_refused_before_the_run(
    pictured_pages: list[str], agent: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    expected = RunOptions("berlin-001", AgentSpec.read(agent), "pages")
    with pytest.raises(
        UnknownAgentError, match=f"tools answer with pictures alone, and the agent .* sees none: .*{reason}"
    ):
        begin(expected, RunFolder(tmp_path / "run"))
    seeing = agent.replace("tools=text", "tools=text,images=parts")
    if seeing != agent:
        assert (
            begin(RunOptions("berlin-001", AgentSpec.read(seeing), "pages"), RunFolder(tmp_path / "other")).setting
            == "pages"
        )
    assert pictured_pages == []
