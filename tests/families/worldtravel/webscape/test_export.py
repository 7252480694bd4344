"""Generated pages that are opened without a server, and exports with a front page, a search and a cart."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from planspec.families.worldtravel.outputs import PageFact, PageLook
from planspec.families.worldtravel.webscape.camera import BROWSERS, require_browser
from planspec.families.worldtravel.webscape.exporting import EXPORT_TEMPLATES
from planspec.families.worldtravel.webscape.extracting import elements
from planspec.families.worldtravel.webscape.tables import Tables
from planspec.families.worldtravel.webscape.writing import FACTS, PAGES, SITE, write_pages
from planspec.suite_writing.options import UnsuitableSuiteError
from tests.extras import needs
from tests.paths import ROOT

pytestmark = pytest.mark.slow

SUITE = ROOT / "tasks" / "worldtravel-florence"
BOOKING = "booking/uffizi_2026-06-03.html"
LINK = re.compile(r'(?:href|src)="([^"#]*)"')


@pytest.fixture(scope="module")
def export_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a site with front page, search and cart."""
    out = tmp_path_factory.mktemp("export") / "florence"
    assert write_pages(SUITE, out, 0, export=True).document().exported
    return out / SITE


@pytest.fixture(scope="module")
def plain_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a site without an export."""
    out = tmp_path_factory.mktemp("plain") / "florence"
    assert not write_pages(SUITE, out, 0).document().exported
    return out / SITE


def pages_of(folder: Path) -> set[str]:
    """Return the paths of the HTML pages in a folder."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*.html")}


@pytest.mark.thorough
def test_only_the_counted_pages_are_written_without_an_export(plain_folder: Path, export_folder: Path) -> None:
    assert len(pages_of(plain_folder)) == 325
    assert pages_of(export_folder) - pages_of(plain_folder) == set(EXPORT_TEMPLATES)
    assert not list(plain_folder.rglob("*.js"))


@pytest.mark.thorough
def test_an_export_has_the_same_facts_at_the_same_positions(plain_folder: Path, export_folder: Path) -> None:
    assert len((plain_folder.parent / PAGES).read_text("utf-8").splitlines()) == 325
    assert (plain_folder.parent / PAGES).read_bytes() == (export_folder.parent / PAGES).read_bytes()
    first, second = (
        [json.loads(line) for line in (folder.parent / FACTS).read_text("utf-8").splitlines()]
        for folder in (plain_folder, export_folder)
    )
    assert [fact | {"element": 0} for fact in first] == [fact | {"element": 0} for fact in second]
    for path, facts in groupby(second, itemgetter("page")):
        result = elements((export_folder / path).read_text("utf-8"))
        assert all(result[fact["element"]].text for fact in facts if "form" in fact)


@pytest.mark.thorough
def test_each_line_of_facts_names_its_page_and_cell(plain_folder: Path) -> None:
    """Each line matches the schema, and `fact` is the text of the cell in the world's table."""
    lines = (plain_folder.parent / FACTS).read_text("utf-8").splitlines()
    tables = Tables(SUITE / "world")
    rows = {(name, row.line): row for name in tables.names for row in tables.rows(name)}
    for line in lines[:: len(lines) // 2_000]:
        fact = PageFact.model_validate_json(line)
        assert (plain_folder / fact.page).is_file()
        assert rows[fact.table, fact.row][fact.column] == fact.fact
    looks = [
        PageLook.model_validate_json(line) for line in (plain_folder.parent / PAGES).read_text("utf-8").splitlines()
    ]
    assert {look.page for look in looks} == pages_of(plain_folder)
    assert {json.loads(line)["page"] for line in lines} <= pages_of(plain_folder)


@pytest.mark.thorough
def test_all_links_lead_to_files_in_the_folder(export_folder: Path) -> None:
    for path in export_folder.rglob("*.html"):
        for to in LINK.findall(path.read_text("utf-8")):
            if not to.startswith("data:"):
                assert not to.startswith("/"), (path, to)
                assert (path.parent / to).resolve().is_relative_to(export_folder.resolve()), (path, to)
                assert (path.parent / to).is_file(), (path, to)


@pytest.mark.thorough
def test_a_folder_with_an_export_is_refused_without_the_option(export_folder: Path) -> None:
    with pytest.raises(UnsuitableSuiteError, match="other arguments"):
        write_pages(SUITE, export_folder.parent, 0)


@pytest.fixture(scope="module")
def export_url(export_folder: Path) -> Iterator[str]:
    """Serve the exported site, and yield its URL."""

    class QuietHandler(SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(export_folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.thorough
@pytest.mark.integration
@needs("playwright", extra="browser")
@pytest.mark.skipif(not any(map(shutil.which, BROWSERS)), reason="there is no Chromium on the PATH")
@pytest.mark.parametrize("way", ["folder", "server"])
def test_the_search_and_the_cart_work(way: str, export_folder: Path, request: pytest.FixtureRequest) -> None:
    """A note that contains markup is added to the cart and removed. No other host is contacted."""
    from playwright.sync_api import sync_playwright

    root = export_folder.resolve().as_uri() if way == "folder" else request.getfixturevalue("export_url")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=require_browser(), args=["--no-sandbox"])
        tab = browser.new_page()
        urls: list[str] = []
        wrong: list[str] = []
        tab.on("request", lambda sent: urls.append(sent.url))
        tab.on("pageerror", lambda error: wrong.append(str(error)))
        tab.on(
            "console",
            lambda value: (
                wrong.append(value.text) if value.type == "error" and "favicon" not in value.location["url"] else None
            ),
        )
        tab.goto(f"{root}/index.html")
        tab.click("text=Search")
        tab.fill("input[name=q]", "uffizi 2026-06-03 booking")
        tab.click("text=Find")
        result = tab.locator("#found a")
        result.first.wait_for()
        assert [result.nth(n).get_attribute("href") for n in range(result.count())] == [BOOKING]
        result.first.click()
        tab.fill("input[name=time]", "10:15")
        tab.fill("input[name=note]", "<b>two</b> of us")
        tab.click("text=Put into the cart")
        tab.locator("output", has_text="It is in your cart.").wait_for()
        tab.click("text=Your cart")
        stored = tab.locator("#found article")
        stored.first.wait_for()
        assert stored.count() == 1
        assert "note: <b>two</b> of us" in stored.inner_text()
        assert "2026-06-03" in stored.inner_text()
        assert stored.locator("a").get_attribute("href") == BOOKING
        tab.click("text=Remove")
        tab.locator("#found", has_text="Nothing is in the cart yet.").wait_for()
        assert stored.count() == 0
        browser.close()
    assert wrong == []
    assert {url for url in urls if not url.startswith((root, "data:"))} == set()


@pytest.mark.thorough
@pytest.mark.integration
@needs("playwright", extra="browser")
@pytest.mark.skipif(not any(map(shutil.which, BROWSERS)), reason="there is no Chromium on the PATH")
def test_a_query_typed_before_the_scripts_load_is_searched(export_url: str) -> None:
    from playwright.sync_api import Route, sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=require_browser(), args=["--no-sandbox"])
        tab = browser.new_page()
        held: list[Route] = []
        tab.route("**/pages.js", lambda route: held.append(route))  # noqa: PLW0108 - Playwright asks for a function's arguments
        with tab.expect_request("**/pages.js"):
            tab.goto(f"{export_url}/search.html", wait_until="commit")
        tab.fill("input[name=q]", "uffizi 2026-06-03 booking")
        held[0].continue_()
        result = tab.locator("#found a")
        result.first.wait_for()
        assert tab.input_value("input[name=q]") == "uffizi 2026-06-03 booking"
        assert [result.nth(n).get_attribute("href") for n in range(result.count())] == [BOOKING]
        browser.close()
