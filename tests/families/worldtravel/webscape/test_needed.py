"""Facts on which verdicts depend, a smallest set of pages that shows them, and facts that agents saw on pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from planspec.agents import Desk, Limits, TaskView
from planspec.api.judging import Judge
from planspec.api.loading import load
from planspec.dsl.model.task import Task
from planspec.environments import open_task
from planspec.families.worldtravel.webscape import picture_source
from planspec.families.worldtravel.webscape.camera import PictureSettings
from planspec.families.worldtravel.webscape.needed import (
    NeededCell,
    PageFacts,
    facts_by_page,
    fewest_pages,
    needed_cell,
    needed_cells,
)
from planspec.families.worldtravel.webscape.plan_of_site import PageSpec
from planspec.families.worldtravel.webscape.rendering import PageRenderer
from planspec.families.worldtravel.webscape.tables import Tables
from planspec.runs.attempting import AttemptSpec, attempt
from planspec.runs.record import NeededFacts
from planspec.verifiers.environment.decisive_facts import WorldFact
from tests.paths import ROOT

pytestmark = pytest.mark.slow

BERLIN = ROOT / "tasks" / "worldtravel-berlin"
MEMORIAL = "Memorial to the Murdered Jews of Europe"
A, B, C = (NeededCell("t.csv", line, "x") for line in (2, 3, 4))


@pytest.fixture(scope="module")
def task() -> Task:
    return load(BERLIN / "berlin-001.task.yaml")


@pytest.fixture(scope="module")
def tables() -> Tables:
    return Tables(BERLIN / "world")


def page(name: str, *shown: NeededCell) -> tuple[PageSpec, PageFacts]:
    """Return a page that shows these cells."""
    return PageSpec("booking", name), PageFacts(dict.fromkeys(shown, "text"))


def chosen_pages(*pages: tuple[PageSpec, PageFacts], expected: Sequence[NeededCell] = (A, B, C)) -> list[str]:
    """Return a smallest set of pages that shows the expected cells, which must be proved smallest."""
    result = fewest_pages(expected, pages)
    assert result.proved
    assert result.pages is not None
    return sorted(spec.subject for spec in result.pages)


def test_the_set_of_pages_is_smaller_than_a_greedy_choice() -> None:
    d, e, f = (NeededCell("t.csv", line, "x") for line in (5, 6, 7))
    rows = page("top", A, B, C), page("bottom", d, e, f)
    greedy = page("most", A, B, d, e)
    assert chosen_pages(greedy, page("one", C), page("two", f), *rows, expected=[A, B, C, d, e, f]) == [
        "bottom",
        "top",
    ]
    assert chosen_pages(page("all", A, B, C), page("some", A, B), page("none")) == ["all"]


def test_needed_facts_that_no_page_shows_are_named() -> None:
    result = fewest_pages([A, B], [page("one", A)])
    assert result.uncovered == (B,)
    assert result.pages is not None
    assert [spec.subject for spec in result.pages] == ["one"]


def test_needed_facts_refer_to_the_files_of_the_world(task: Task, tables: Tables) -> None:
    entry: Any = task.facts["Entry"].rows[3]
    cell = needed_cell(tables, WorldFact("Entry", entry, "left"))
    assert cell is not None
    row = tables.rows("entry")[3]
    assert (cell.file, cell.line, cell.column) == ("entry.csv", row.line, "left")
    assert int(row["left"]) == entry.left


def test_a_fact_shown_by_an_absent_mark_or_a_heading_needs_a_page_with_its_row(task: Task, tables: Tables) -> None:
    offers: list[Any] = list(task.facts["Offer"].rows)
    unguided = next(row for row in offers if not row.guided)
    for column in ("guided", "place", None):
        cell = needed_cell(tables, WorldFact("Offer", unguided, column))
        assert cell is not None
        assert cell.column is None


def test_locations_are_shown_by_their_places_and_travellers_by_no_page(task: Task, tables: Tables) -> None:
    spots: list[Any] = list(task.facts["Spot"].rows)
    spot = next(row for row in spots if row.place is not None)
    cell = needed_cell(tables, WorldFact("Spot", spot, "place"))
    assert cell is not None
    assert cell.file == "place.csv"
    assert needed_cell(tables, WorldFact("Traveller", task.facts["Traveller"].rows[0], "age")) is None
    assert needed_cell(tables, WorldFact("budget")) is None


@pytest.mark.thorough
def test_several_pages_are_needed_to_show_all_needed_facts(task: Task, tables: Tables) -> None:
    city = tables.city
    shown = facts_by_page(PageRenderer(tables, city["id"], city["name"]))
    expected = needed_cells(Judge(task), tables)
    result = fewest_pages(expected, shown)
    assert result.uncovered == ()
    assert result.proved
    assert result.pages is not None
    assert 5 < len(result.pages) < 20
    by = dict(shown)
    assert expected <= {cell for spec in result.pages for cell in by[spec].cues}


class CallingAgent:
    """An agent that makes the given calls, and answers with the reference."""

    def __init__(self, *calls: tuple[str, dict[str, str]]) -> None:
        self._calls = calls

    def answer(self, _: TaskView, desk: Desk) -> str:
        for name, arguments in self._calls:
            desk.call(name, arguments)
        return (BERLIN / "answers" / "berlin-001.reference.json").read_text("utf-8")


@pytest.fixture
def _blank_pictures(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Use blank pictures, since the facts that an agent saw are recorded with the pages and not read from pictures."""

    def take_screenshots(_browser: str, _lens: PictureSettings, addresses: Iterable[str]) -> Iterator[bytes]:
        yield from (b"\x89PNG\r\n\x1a\n" + bytes(16) + address.encode() for address in addresses)

    monkeypatch.setattr(picture_source, "take_screenshots", take_screenshots)
    monkeypatch.setattr(picture_source, "require_browser", lambda: "chromium")
    monkeypatch.setattr("planspec.families.worldtravel.settings.require_browser", lambda: "chromium")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def seen_facts(*calls: tuple[str, dict[str, str]], folder: Path | None = None) -> NeededFacts:
    """Run an agent that makes these calls, and return the needed facts with those that it saw."""
    opened = open_task("berlin-001", "pages")
    result = attempt(AttemptSpec("berlin-001", 0, 0), CallingAgent(*calls), "looks", opened, Limits(), folder=folder)
    assert result.status == "pass"
    assert result.facts is not None
    return result.facts


@pytest.mark.thorough
@pytest.mark.usefixtures("_blank_pictures")
def test_an_agent_without_calls_has_seen_only_the_request() -> None:
    assert {fact.by for fact in seen_facts().facts} == {"query", None}


@pytest.mark.usefixtures("_blank_pictures")
def test_an_opened_page_shows_its_facts_by_their_cues(tmp_path: Path) -> None:
    before = {fact.fact for fact in seen_facts().facts if fact.status == "never-seen"}
    booking = ("get_restaurant_reservation_availability", {"restaurant": "Borchardt", "date": "2026-07-01"})
    shown = {fact.fact: fact for fact in seen_facts(booking, folder=tmp_path).facts if fact.by == "call"}
    assert shown
    assert set(shown) <= before
    left = [fact for name, fact in shown.items() if name.startswith("Entry[borchardt") and name.endswith("left")]
    assert left
    assert {fact.name for fact in left} == {booking[0]}
    assert all(fact.cue in ("text", "grey", "strike", "colour", "badge", "position") for fact in shown.values())
    assert not any(name.startswith("Leg[") for name in shown)
    assert len(list((tmp_path / "pictures").iterdir())) == 1


@pytest.mark.usefixtures("_blank_pictures")
def test_a_refused_call_shows_no_facts() -> None:
    refused = ("get_restaurant_reservation_availability", {"restaurant": "Nowhere", "date": "2026-07-01"})
    assert {fact.by for fact in seen_facts(refused).facts} == {"query", None}
