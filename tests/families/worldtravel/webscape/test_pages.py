"""The five cities have as many pages as in the paper. The pages are correct, complete and reproducible."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from datetime import date
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

import planspec
from planspec.api.catalog import Catalog
from planspec.dsl.workspace.workspace import Workspace
from planspec.families.worldtravel.webscape.extracting import elements
from planspec.families.worldtravel.webscape.facts import availability
from planspec.families.worldtravel.webscape.plan_of_site import PAGES, Kind, PageSpec
from planspec.families.worldtravel.webscape.rendering import Page, PageRenderer, layouts
from planspec.families.worldtravel.webscape.sites import SITES
from planspec.families.worldtravel.webscape.tables import Tables
from planspec.families.worldtravel.webscape.writing import SITE, write_pages
from planspec.suite_writing.options import UnsuitableSuiteError
from tests.families.worldtravel.webscape.reading_back import (
    days_of,
    expected_value,
    missing_cells,
    shown_value,
)
from tests.lengths import try_few
from tests.paths import ROOT

pytestmark = pytest.mark.slow

KINDS: tuple[Kind, ...] = get_args(Kind)
ALOUD = re.compile(r' role="(?:button" aria-disabled="true"|img" aria-label="\w+")')
LINK = re.compile(r'href="([^"]*)"')


@cache
def renderer(city: str) -> PageRenderer:
    """Return the renderer of a city's pages."""
    tables = Tables(ROOT / "tasks" / f"worldtravel-{city}" / "world")
    return PageRenderer(tables, city, tables.city["name"])


@cache
def pages(city: str) -> list[Page]:
    """Return all pages of a city."""
    return list(renderer(city).pages())


@cache
def pages_on_all_sites_and_in_all_layouts(city: str) -> list[Page]:
    """Return pages of each kind, on each site and in each layout."""
    pages_ = []
    for kind in KINDS:
        specs = [spec for spec in renderer(city).specs if spec.kind == kind]
        for number, layout in enumerate(layouts(kind)):
            for turn, site in enumerate(SITES):
                pages_.append(renderer(city).make_page(specs[(number * len(SITES) + turn) % len(specs)], site, layout))
    return pages_


def test_the_number_of_pages_is_that_of_the_paper() -> None:
    assert {city: len(renderer(city).specs) for city in PAGES} == {
        "berlin": 365,
        "vienna": 360,
        "rome": 457,
        "barcelona": 496,
        "florence": 325,
    }
    assert sum(PAGES.values()) == 2003


@pytest.mark.parametrize("city", PAGES)
def test_pages_have_distinct_paths_and_all_kinds_exist(city: str) -> None:
    specs = renderer(city).specs
    assert len({spec.path for spec in specs}) == len(specs)
    assert {spec.kind for spec in specs} == set(KINDS)


@pytest.mark.sampled(5)
@pytest.mark.slow
@pytest.mark.parametrize("city", PAGES)
def test_each_day_of_a_trip_has_its_booking_pages(city: str) -> None:
    suite = ROOT / "tasks" / f"worldtravel-{city}" / f"worldtravel-{city}.suite.yaml"
    workspace = Workspace()
    for path in Catalog().suite(str(suite)).tasks:
        task = planspec.load(path, workspace=workspace)
        for wish in task.facts["Wish"].rows:
            place = str(wish.place._key[0])  # type: ignore[attr-defined]
            existing = days_of(renderer(city).specs, place)
            assert {str(date.fromordinal(day)) for day in task.givens["trip"]} <= set(existing), (
                path.name,
                place,
            )


@pytest.mark.slow
@pytest.mark.parametrize("city", try_few(PAGES, {"florence"}))
def test_every_recorded_fact_can_be_extracted_from_its_page(city: str) -> None:
    check_facts(city, pages(city))


@pytest.mark.thorough
@pytest.mark.parametrize("city", PAGES)
def test_every_recorded_fact_can_be_extracted_on_all_sites_and_in_all_layouts(city: str) -> None:
    check_facts(city, pages_on_all_sites_and_in_all_layouts(city))


def check_facts(city: str, pages_: Iterable[Page]) -> None:
    """Check that each fact recorded with a page can be read from the elements of the page."""
    tables = renderer(city).tables
    rows = {(row.file, row.line): row for name in tables.names for row in tables.rows(name)}
    for page in pages_:
        result = elements(page.html)
        for fact in page.facts:
            cell = rows[fact.cell.file, fact.cell.line][fact.cell.column]
            assert shown_value(fact, result, page.site) == expected_value(fact, cell), (
                page.spec.path,
                page.site.id,
                page.layout,
                fact,
            )


@pytest.mark.slow
@pytest.mark.parametrize("city", try_few(PAGES, {"florence"}))
def test_no_cell_is_missing_on_pages(city: str) -> None:
    assert missing_cells(renderer(city).tables, pages(city)) == []


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", KINDS)
def test_all_layouts_of_a_kind_show_the_same_facts(kind: Kind) -> None:
    """A page shows the same cells on every site and in every layout."""
    spec = next(spec for spec in renderer("vienna").specs if spec.kind == kind)
    existing = {
        layout: {(f.cell, f.member) for f in renderer("vienna").make_page(spec, SITES[0], layout).facts}
        for layout in layouts(kind)
    }
    first = next(iter(existing.values()))
    assert {layout: sorted(map(str, cells ^ first)) for layout, cells in existing.items() if cells != first} == {}


@pytest.mark.sampled(12)
@pytest.mark.parametrize("kind", KINDS)
def test_screen_readers_get_greys_and_colours_unless_visual_only(kind: Kind) -> None:
    """Attributes for screen readers state greys and colours. The pages and their facts are otherwise the same."""
    aloud, silent = (
        PageRenderer(renderer("florence").tables, "florence", "Florence", visual_only=only) for only in (False, True)
    )
    rows = {(row.file, row.line): row for name in aloud.tables.names for row in aloud.tables.rows(name)}
    specs = [spec for spec in aloud.specs if spec.kind == kind]
    spoken = 0
    for turn, layout in enumerate(layouts(kind)):
        spec = specs[turn * 7 % len(specs)]
        for site in SITES[turn % 2 :: 2]:
            page, mute = (renderer.make_page(spec, site, layout, turn) for renderer in (aloud, silent))
            assert "aria-" not in mute.html
            assert ALOUD.sub("", page.html) == mute.html
            assert page.facts == mute.facts
            result = elements(page.html)
            for fact in page.facts:
                names = result[fact.element].attributes
                cell = fact.cell
                gone = cell.column == "at" and availability(rows[cell.file, cell.line]) == "gone"
                assert (names.get("aria-disabled") == "true") == gone, (spec, layout, fact)
                colour = fact.state if fact.cue == "colour" and cell.column == "colour" else None
                assert names.get("aria-label") == (colour or None), (spec, layout, fact)
                spoken += gone or bool(colour)
    assert bool(spoken) == (kind in ("booking", "reservation", "guide", "floor_plan"))


@pytest.mark.parametrize("city", ["florence"])
def test_a_page_loads_nothing_and_runs_no_script(city: str) -> None:
    check_static(pages(city))


@pytest.mark.thorough
@pytest.mark.parametrize("city", ["florence"])
def test_a_page_of_any_site_and_layout_loads_nothing_and_runs_no_script(city: str) -> None:
    check_static(pages_on_all_sites_and_in_all_layouts(city))


def check_static(pages_: Iterable[Page]) -> None:
    """Check that pages load nothing, run no script, and have no marks of facts."""
    for page in pages_:
        assert "<script" not in page.html
        assert not re.search(r"(?:src|href|url)\s*[=(]\s*[\"']?(?:https?:)?//", page.html), (
            page.spec.path,
            page.layout,
        )
        assert "data-fact" not in page.html


@pytest.mark.parametrize("city", ["florence"])
def test_all_links_lead_to_pages(city: str) -> None:
    existing = {f"../{spec.path}" for spec in renderer(city).specs}
    for page in pages(city):
        linked = {to for to in LINK.findall(page.html) if not to.startswith("#")}
        assert linked <= existing, (page.spec.path, linked - existing)


@pytest.mark.thorough
def test_another_seed_changes_the_appearance() -> None:
    tables = renderer("rome").tables
    looks = [
        Counter((p.site.id, p.layout) for p in PageRenderer(tables, "rome", "Rome", seed).pages()) for seed in (1, 1, 2)
    ]
    assert looks[0] == looks[1] != looks[2]


@pytest.mark.thorough
def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    suite = ROOT / "tasks" / "worldtravel-florence"
    result = write_pages(suite, tmp_path / "one", 0)
    assert result.kinds.total() == 325
    written = {
        path.relative_to(tmp_path / "one" / SITE).as_posix(): path.read_bytes()
        for path in (tmp_path / "one" / SITE).rglob("*.html")
    }
    assert written == {page.spec.path: page.html.encode() for page in pages("florence")}
    with pytest.raises(UnsuitableSuiteError, match="other arguments"):
        write_pages(suite, tmp_path / "one", 4)


def test_a_folder_without_a_suite_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsuitableSuiteError, match="is not the world of a suite"):
        write_pages(tmp_path, tmp_path / "out", 0)


def test_a_path_names_the_subject_of_its_page() -> None:
    assert PageSpec("booking", "uffizi", "", ("2026-06-03",)).path == "booking/uffizi_2026-06-03.html"
    assert PageSpec("hotels").path == "hotels/index.html"


@pytest.mark.parametrize("city", ["florence"])
def test_every_page_is_reachable_by_links(city: str) -> None:
    """A page is linked from an overview, or from a page of the same place that can be reached."""
    linked = {to.removeprefix("../") for page in pages(city) for to in LINK.findall(page.html)}
    days = {
        page.spec.path for page in pages(city) if page.spec.kind in ("booking", "reservation") and not page.spec.variant
    }
    assert {
        page.spec.path for page in pages(city)
    } - linked <= days  # pages of days are reached by URL, search, or the site's form


@pytest.mark.thorough
def test_the_same_seed_gives_the_same_files(tmp_path: Path) -> None:
    suite = ROOT / "tasks" / "worldtravel-florence"
    for name in ("one", "two"):
        assert write_pages(suite, tmp_path / name, 3).kinds.total() == 325
    first, second = (
        {
            path.relative_to(tmp_path / name): path.read_bytes()
            for path in (tmp_path / name).rglob("*")
            if path.is_file()
        }
        for name in ("one", "two")
    )
    assert first == second
