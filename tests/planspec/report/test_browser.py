"""The report in Chromium can be used by mouse and keyboard, and does not execute texts of agents."""

from __future__ import annotations

import shutil
import struct
import zlib
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.agents import AgentSpec, Limits
from planspec.agents.desk import Desk
from planspec.agents.pictures import Image, PicturedResult
from planspec.agents.tools import Arguments, ModelTool, Toolset
from planspec.agents.view import TaskView
from planspec.environments import open_task
from planspec.report import ReportOptions, ReportPage, gather, render
from planspec.report.page import Chapter
from planspec.runs import RunFolder, RunOptions, begin
from planspec.runs.attempting import AttemptSpec, attempt
from planspec.scores import run_scores
from tests.axe import axe_findings
from tests.extras import needs
from tests.planspec.report.stroll import WRONG, write_run, write_suite

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [
    pytest.mark.integration,
    needs("playwright", "axe_playwright_python", extra="test"),
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on the PATH"),
]
MANY = 1000


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Yield Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def file(report_page: ReportPage, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of the rendered page."""
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(render(report_page), "utf-8")
    return path


class BrowserPage:
    """A page that is open in a browser, with the errors on it and the requests that it made."""

    def __init__(self, browser: Any, file: Path, fragment: str = "", **options: Any) -> None:
        self.tab = browser.new_page(**options)
        self.faults: list[str] = []
        self.requests: list[str] = []
        self.tab.on("console", lambda message: self.faults.append(message.text))
        self.tab.on("pageerror", lambda error: self.faults.append(str(error)))
        self.tab.on("request", lambda request: self.requests.append(request.url))
        self.tab.goto(f"{file.as_uri()}{fragment}")

    def open(self, index: int) -> Any:
        """Open the details of a task by the task's index, and return them."""
        self.tab.locator(f"#task-{index} .opener").click()
        panel = self.tab.locator(f"#panel-{index}")
        panel.locator(".inside").wait_for()
        return panel


def test_a_task_opens_with_its_query_plan_map_findings_and_repair(browser: Any, file: Path) -> None:
    page = BrowserPage(browser, file)
    panel = page.open(0)
    assert "See the mill and the park" in panel.locator(".query").inner_text()
    assert panel.locator("[role=tab][aria-selected=true]").inner_text().startswith("\u2717 echo")
    plan = panel.locator(".beside > section").first
    assert plan.locator(".items .title").all_inner_texts()[1].startswith("Old <Mill>")
    assert plan.locator("svg.map").get_attribute("aria-label") == (
        "Map of the plan, in order: 1 Old <Mill>, 2 Park; and Inn"
    )
    assert plan.locator(".scale-bar text").text_content() in ("200 m", "500 m", "1 km")
    assert "hour[mill]" in panel.locator(".findings").first.inner_text()
    assert "-30min" in panel.locator(".findings").first.inner_text()
    assert "10:30 \u2192 10:00" in panel.locator(".edits").inner_text()
    assert panel.locator(".beside > section").nth(1).locator("svg.map").count() == 1
    assert page.faults == []


def test_a_trace_is_folded_and_shown_call_by_call(browser: Any, file: Path) -> None:
    page = BrowserPage(browser, file)
    panel = page.open(0)
    trace = panel.locator("details.fold", has_text="Trace:")
    assert trace.locator(".call").count() == 0
    trace.locator("summary").first.click()
    trace.locator(".call").first.wait_for()
    trace.locator(".call summary").first.click()
    assert trace.locator(".call pre").first.is_visible()
    assert page.faults == []


LOOK = """(svg) => [...svg.querySelectorAll("line, polyline, circle, rect, polygon, text")].map((part) => {
  const look = getComputedStyle(part);
  return [part.tagName, look.fill, look.stroke, look.strokeWidth, look.fillOpacity, look.strokeOpacity, look.strokeDasharray, look.fontSize];
})"""


def test_an_exported_chart_looks_as_on_the_page(browser: Any, file: Path, folders: Sequence[RunFolder]) -> None:
    """Elements of the exported picture have the properties that the style sheets give them on the page."""
    page, other = BrowserPage(browser, file), browser.new_page()
    for scheme in ("light", "dark"):
        page.tab.emulate_media(color_scheme=scheme)
        styles = page.tab.locator("svg.horizon").first.evaluate(LOOK)
        plots = planspec.plots(*(folder.path for folder in folders), dark=scheme == "dark")
        other.set_content(plots["horizon_hard"].svg)
        assert len(styles) > 10 and other.locator("svg svg").evaluate(LOOK) == styles, scheme


def test_nothing_that_an_agent_wrote_runs_or_becomes_an_element(browser: Any, file: Path) -> None:
    page = BrowserPage(browser, file)
    for place in (0, 1, 2):
        panel = page.open(place)
        for tab in panel.locator("[role=tab]").all():
            tab.click()
            for summary in panel.locator("summary").all():
                summary.click()
            for summary in panel.locator(".call > summary").all():
                summary.click()
            assert panel.locator("img, script, iframe, [onerror]").count() == 0
    assert page.tab.title().startswith("planspec report")
    assert page.faults == []
    assert page.requests == [file.as_uri()]


def test_tasks_are_opened_and_attempts_browsed_with_the_keyboard(browser: Any, file: Path) -> None:
    page = BrowserPage(browser, file)
    page.tab.locator("#task-0 .opener").focus()
    page.tab.keyboard.press("Enter")
    panel = page.tab.locator("#panel-0")
    panel.locator(".inside").wait_for()
    page.tab.keyboard.press("Tab")
    chosen = page.tab.locator(":focus")
    assert chosen.get_attribute("role") == "tab"
    assert "echo" in chosen.inner_text()
    page.tab.keyboard.press("ArrowLeft")
    assert "empty" in page.tab.locator(":focus").inner_text()
    assert "The plan of empty" in panel.inner_text()
    outline = page.tab.locator(":focus").evaluate("e => getComputedStyle(e).outlineStyle")
    assert outline == "solid"
    page.tab.locator("#task-0 .opener").focus()
    page.tab.keyboard.press("Space")
    assert page.tab.locator("#panel-0").count() == 0


def test_a_fragment_of_the_url_opens_a_task(browser: Any, file: Path) -> None:
    page = BrowserPage(browser, file, "#task-2")
    page.tab.locator("#panel-2 .inside").wait_for()
    assert page.tab.locator("#task-2 .opener").get_attribute("aria-expanded") == "true"


def test_the_table_can_be_filtered_and_shows_the_number_of_matches(browser: Any, file: Path) -> None:
    page = BrowserPage(browser, file)
    assert page.tab.locator(".found").inner_text() == "3 tasks"
    page.tab.locator("[data-find=outcome]").select_option("none")
    assert page.tab.locator(".found").inner_text() == "1 of 3 tasks"
    assert page.tab.locator(".tasks tbody tr:visible").count() == 1
    page.tab.locator("[data-find=text]").fill("nothing")
    assert page.tab.locator(".found").inner_text() == "0 of 3 tasks"


@pytest.mark.parametrize("width", [320, 380, 768, 1200])
def test_a_page_is_never_wider_than_its_window(browser: Any, file: Path, width: int) -> None:
    page = BrowserPage(browser, file, viewport={"width": width, "height": 800})
    for place in (0, 1, 2):
        page.open(place)
    assert page.tab.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_have_enough_contrast_on_their_backgrounds(browser: Any, file: Path, scheme: str) -> None:
    from tests.planspec.report.test_palette import contrast

    page = BrowserPage(browser, file, color_scheme=scheme)
    page.open(0)
    pairs = page.tab.evaluate(SEEN)
    assert len(pairs) > 10
    assert [pair for pair in pairs if contrast(pair["text"], pair["ground"]) < 4.5] == []


def test_the_page_is_accessible(browser: Any, file: Path) -> None:
    page = BrowserPage(browser, file)
    panel = page.open(0)
    for summary in panel.locator("summary").all():
        summary.click()
    assert axe_findings(page.tab) == []


SEEN = """() => {
  const hex = (c) => { const m = c.match(/[\\d.]+/g).map(Number); return m.length > 3 && m[3] === 0 ? null
    : '#' + m.slice(0, 3).map((x) => x.toString(16).padStart(2, '0')).join(''); };
  const found = new Map();
  for (const e of document.querySelectorAll('body *:not(svg *):not(script)')) {
    if (![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) || !e.checkVisibility()) continue;
    let at = e, ground = null;
    while (at && !(ground = hex(getComputedStyle(at).backgroundColor))) at = at.parentElement;
    const pair = { text: hex(getComputedStyle(e).color), ground };
    found.set(JSON.stringify(pair), pair);
  }
  return [...found.values()];
}"""


def test_all_tables_are_shown_without_javascript(browser: Any, file: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(file.as_uri())
    assert tab.locator(".tasks tbody tr").count() == 3
    assert tab.locator("noscript").first.is_visible()
    assert not tab.locator(".find").first.is_visible()
    assert tab.locator("svg.horizon").first.is_visible()


def test_reduced_motion_is_respected(browser: Any, file: Path) -> None:
    page = BrowserPage(browser, file, reduced_motion="reduce")
    assert page.tab.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"


def test_details_of_a_thousand_tasks_are_unpacked_only_when_shown(
    browser: Any, report_page: ReportPage, tmp_path: Path
) -> None:
    path = tmp_path / "many.html"
    path.write_text(render(_page_of_many_tasks(report_page)), "utf-8")
    page = BrowserPage(browser, path)
    assert page.tab.locator(".tasks tbody tr").count() == MANY
    assert page.tab.evaluate("document.querySelectorAll('.panel').length") == 0
    assert page.tab.evaluate("document.querySelectorAll('body *').length") < 25 * MANY
    page.open(MANY - 1)
    assert page.faults == []


def _page_of_many_tasks(report_page: ReportPage) -> ReportPage:
    """Return the page with its first task repeated a thousand times."""
    (chapter,) = report_page.chapters
    rows = tuple(replace(chapter.tasks[0], index=place, task=f"stroll-{place}") for place in range(MANY))
    long = Chapter(chapter.suite, chapter.runs, chapter.comparisons, rows)
    return replace(report_page, chapters=(long,), details=(report_page.details[0],) * MANY)


def test_long_names_break_and_do_not_widen_the_page(browser: Any, tmp_path: Path) -> None:
    strolls = write_suite(tmp_path / "suite", "a")
    folders = [write_run(tmp_path / n, strolls, {"a": WRONG}, agent=f"constant:text={n * 150}") for n in ("x", "y")]
    file = tmp_path / "report.html"
    report_page = gather([(folder, run_scores(folder)) for folder in folders], ReportOptions(seconds=None))
    file.write_text(render(report_page), "utf-8")
    page = BrowserPage(browser, file, viewport={"width": 380, "height": 800})
    page.open(0)
    assert page.tab.evaluate("document.documentElement.scrollWidth") <= 380


@pytest.mark.parametrize(
    ("places", "shown"),
    [
        ({"way": [{"name": "A", "lat": 52.5, "lon": 13.4}]}, 1),
        ({"others": [{"name": "A", "lat": 52.5, "lon": 13.4}]}, 1),
        ({"way": [{"name": "A", "lat": 52.5, "lon": 13.4}, {"name": "B", "lat": -33.9, "lon": 151.2}]}, 2),
        ({"way": [{"name": "A", "lat": 0, "lon": 0}] * 2}, 2),
    ],
)
def test_any_places_make_a_map_with_a_scale_inside_its_frame(
    browser: Any, file: Path, places: dict[str, Any], shown: int
) -> None:
    page = BrowserPage(browser, file)
    script = """(plan) => { const drawn = map(plan, frame([plan]), 400, 'Map', false); document.body.append(drawn);
      const box = drawn.getBoundingClientRect(), inside = [...drawn.querySelectorAll('circle, rect, path, text')]
        .map((e) => e.getBoundingClientRect()).every((b) => b.left >= box.left - 1 && b.right <= box.right + 1
          && b.top >= box.top - 1 && b.bottom <= box.bottom + 1);
      return [drawn.querySelectorAll('circle, rect').length, inside, drawn.querySelectorAll('.scale-bar').length]; }"""
    assert page.tab.evaluate(script, places) == [shown, True, 1]
    assert page.faults == []


def test_a_plan_without_places_has_no_map(browser: Any, file: Path) -> None:
    page = BrowserPage(browser, file)
    assert page.tab.evaluate("map({days: []}, frame([{days: []}]), 400, 'Map', false)") is None


class _PictureAgent:
    """An agent whose tool returns pictures."""

    def answer(self, _: TaskView, desk: Desk) -> Any:
        desk.call("look")
        desk.note("read", ["a"])
        return WRONG


def test_pictures_of_tools_are_small_until_they_are_enlarged_by_a_click_or_a_key(browser: Any, tmp_path: Path) -> None:
    """The page shows a picture that the run stored, and only names one whose file is missing."""
    stored, lost = Image("A page", _png(40, 90)), Image("A lost page", _png(3, 3))
    tool = ModelTool("look", "Shows two pages.", Arguments, lambda _: PicturedResult({}, [stored, lost]))
    strolls = write_suite(tmp_path / "suite", "a")
    opened = replace(open_task(strolls.parent / "a.task.yaml", None), tools=Toolset([tool]), turns=())
    folder = RunFolder(tmp_path / "run")
    begin(RunOptions(str(strolls), AgentSpec.read("empty")), folder)
    record = attempt(AttemptSpec("a", 0, 0), _PictureAgent(), "looker", opened, Limits(), folder=folder.path)
    with folder.writing() as writing:
        writing.add(record)
    (folder.path / "pictures" / f"{lost.sha256}.png").unlink()
    file = tmp_path / "report.html"
    page = gather([(folder, run_scores(folder))], ReportOptions(seconds=None))
    file.write_text(render(page), "utf-8")
    assert render(page).count(b64encode(stored.data).decode()) == 1

    shown = BrowserPage(browser, file)
    panel = shown.open(0)
    panel.locator("details.fold", has_text="Trace:").locator("summary").first.click()
    panel.locator(".call summary").first.click()
    picture = panel.locator("button.picture")
    picture.wait_for()
    assert picture.count() == 1
    assert picture.locator("img").evaluate("e => e.decode().then(() => e.naturalWidth)") == 40
    assert "A lost page" in panel.locator(".pictures").inner_text()

    def width_and_state() -> tuple[float, str | None]:
        return picture.bounding_box()["width"], picture.get_attribute("aria-expanded")

    small = width_and_state()
    assert small[1] == "false"
    picture.click()
    assert width_and_state()[0] > 2 * small[0] and width_and_state()[1] == "true"
    picture.focus()
    shown.tab.keyboard.press("Enter")
    assert width_and_state() == small
    shown.tab.keyboard.press("Space")
    assert width_and_state()[1] == "true"
    assert picture.evaluate("e => getComputedStyle(e).outlineStyle") == "solid"
    assert shown.faults == []


def _png(width: int, height: int) -> bytes:
    """Return a white picture."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = zlib.compress((b"\0" + b"\xff" * width) * height)
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
