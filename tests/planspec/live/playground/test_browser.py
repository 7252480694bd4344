"""The whole playground in Chromium and Node, without a network. `make playground` runs these tests."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from planspec.dsl.resources.limits import LINK_CHARACTERS
from tests.axe import ALL_LOOKS, axe_findings
from tests.planspec.live.playground.archives import serve_folder

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
NODE = shutil.which("node")
BUILT = os.environ.get("PLANSPEC_PLAYGROUND")
pytestmark = [
    pytest.mark.integration,
    pytest.mark.xdist_group("playground"),
    pytest.mark.skipif(
        BUILT is None, reason="no playground was built: `make playground` does, and names it in PLANSPEC_PLAYGROUND"
    ),
]
LOADING_MS, PROVING_MS = 180_000, 120_000

PASTE = """(place, text) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  place.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
}"""


class Playground:
    """Playground page in Chromium.

    Attributes:
        requested: URLs of all requests.
    """

    def __init__(self, page: Any) -> None:
        self.page = page
        self.requested: list[str] = []
        self.errors: list[str] = []
        page.on("request", lambda request: self.requested.append(request.url))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)

    def open(self, playground_url: str) -> None:
        """Open the page, and wait until the first document is checked."""
        self.page.goto(playground_url)
        self.page.wait_for_selector("body[data-checked]", timeout=LOADING_MS)

    def check_count(self) -> int:
        """Return how often the page has checked the document."""
        return int(self.page.get_attribute("body", "data-checked"))

    def wait_for_check(self, before: int) -> None:
        """Wait until the document has been checked more than `before` times."""
        while self.check_count() <= before:
            self.page.wait_for_timeout(50)

    def open_example(self, example: str) -> None:
        """Open an example as it was shipped, without earlier changes."""
        before = self.check_count()
        self.page.select_option("#example", example)
        self.wait_for_check(before)
        if self.page.is_visible("#anew"):
            before = self.check_count()
            self.page.click("#anew")
            self.wait_for_check(before)

    def add_file(self, name: str, text: str) -> None:
        """Add a file to the project."""
        before = self.check_count()
        self.page.click("#new-file")
        self.page.fill("#file-name", name)
        self.page.click("#file-form [value=add]")
        self.wait_for_check(before)
        self.enter_text(text)

    def run_verb(self, verb: str) -> str:
        """Click the button of an operation such as `verify`, and return the text of the result."""
        self.page.click(f"#{verb}")
        self.page.wait_for_selector(f"#result[data-verb={verb}]", timeout=PROVING_MS)
        self.page.wait_for_selector("#stop:disabled", timeout=PROVING_MS)
        text: str = self.page.inner_text("#result")
        return text

    def enter_text(self, text: str) -> None:
        """Paste a text at the end of the editor, and wait until the document is checked."""
        before = self.check_count()
        self.page.locator("#editor .cm-content").click()
        self.page.keyboard.press("Control+End")
        self.page.locator("#editor .cm-content").evaluate(PASTE, text)
        self.wait_for_check(before)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """Yield a browser. The tests are skipped if Chromium or Playwright is not installed."""
    playwright = pytest.importorskip("playwright.sync_api", reason="the extra `browser` is not installed")
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on the PATH")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@pytest.fixture(scope="module")
def playground_url() -> Iterator[str]:
    """Serve a built playground, and yield its URL."""
    with serve_folder(Path(str(BUILT))) as url:
        yield url


@pytest.fixture(scope="module")
def playground(playground_url: str, chromium: Any) -> Iterator[Playground]:
    """Yield the opened page of the playground."""
    page = Playground(chromium.new_context().new_page())
    page.open(playground_url)
    yield page
    assert f"{playground_url}python/planspec.zip" in page.requested  # requests of the page's worker are also recorded
    assert [url for url in page.requested if not url.startswith((playground_url, "data:", "blob:"))] == []
    assert page.errors == []


def test_a_trip_is_judged_and_its_plan_drawn(playground: Playground) -> None:
    playground.open_example("berlin-001")
    playground.page.select_option("#answer-choice", "demo-fail")
    text = playground.run_verb("verify")
    assert text.startswith("failhard 5/7, soft 4/5")
    assert "-58.00 EUR" in text
    playground.page.wait_for_selector("#result[data-drawn]", timeout=PROVING_MS)
    assert playground.page.frame_locator(".drawn").locator("svg").count() >= 1
    playground.page.set_viewport_size({"width": 390, "height": 844})
    (frame,) = playground.page.frames[1:]
    frame.wait_for_function("innerWidth < 390")
    assert frame.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert frame.locator("#panel-place").bounding_box()["x"] >= playground.page.locator(".drawn").bounding_box()["x"]
    playground.page.set_viewport_size({"width": 1280, "height": 720})


def test_a_trip_is_proved_unique_by_z3_and_by_cadical_with_a_checked_proof(playground: Playground) -> None:
    playground.open_example("berlin-001")
    text = playground.run_verb("validate")
    assert "feasible, unique within the scope" in text
    assert [line.split("\t")[0] for line in text.splitlines() if "unique\t" in line] == [
        "Z3",
        "Z3",
        "CaDiCaL",
        "CaDiCaL",
    ]
    assert text.count("and the proof checked in this page") == 2


def test_mistakes_are_shown_while_typing_and_explained(playground: Playground) -> None:
    playground.open_example("afternoon")
    playground.enter_text("\nsurprise: 1\n")
    assert "PS009" in playground.page.inner_text("#problems")
    playground.page.click("#problems .code")
    playground.page.wait_for_selector("#result pre")
    before = playground.check_count()
    playground.page.click("#revert")
    playground.wait_for_check(before)
    assert playground.page.inner_text("#problems") == "No mistakes found"


def test_the_editor_offers_completions_fixes_and_hovers(playground: Playground) -> None:
    playground.open_example("afternoon")
    page = playground.page
    page.locator("#editor .cm-line", has_text="visits[museum].end").click()
    page.keyboard.press("Home")
    page.keyboard.press("End")
    for _ in range(len(".start")):
        page.keyboard.press("Backspace")
    page.keyboard.type(".")
    page.wait_for_selector(".cm-tooltip-autocomplete")
    offered = page.locator(".cm-tooltip-autocomplete .cm-completionLabel").all_inner_texts()
    assert offered == ["stop", "start", "end"]
    before = playground.check_count()
    page.keyboard.type("strat")
    playground.wait_for_check(before)
    page.keyboard.press("Escape")
    assert "PS" in page.inner_text("#problems")
    page.hover("#editor .cm-lintRange")
    page.click(".cm-diagnosticAction >> text=write `start`")
    page.wait_for_selector("text=No mistakes found")
    assert "visits[park].start" in page.inner_text("#editor")
    page.keyboard.press("Escape")
    page.hover("#editor .cm-line >> text=visits[museum].end", position={"x": 60, "y": 8})
    page.wait_for_selector(".cm-tooltip-hover .told")


def test_a_task_without_a_plan_is_explained_by_either_solver(playground: Playground) -> None:
    playground.open_example("crowded")
    for solver in ("sat", "smt"):
        playground.page.select_option("#backend", solver)
        text = playground.run_verb("why")
        assert "These 7 cannot all hold, and any 6 of them can" in text
        assert "without look (1h would do, not 2h)" in text


def test_a_best_plan_is_found_and_becomes_the_answer(playground: Playground) -> None:
    playground.open_example("delivery")
    text = playground.run_verb("solve")
    assert text.startswith("optimal")
    assert "minimize driven: 21km" in text
    assert playground.page.input_value("#answer-choice") == "found"
    assert playground.run_verb("verify").startswith("pass")


def test_a_request_can_be_stopped_and_repeated(playground: Playground) -> None:
    playground.open_example("sudoku")
    playground.page.click("#validate")
    playground.page.click("#stop")
    playground.page.wait_for_selector("#validate:enabled", timeout=LOADING_MS)
    assert playground.run_verb("verify").startswith("pass")


def test_a_link_contains_the_project(playground: Playground, playground_url: str) -> None:
    playground.open_example("afternoon")
    playground.enter_text("\nsurprise: 1\n")
    playground.page.click("#share")
    playground.page.wait_for_selector("#share-dialog[open]")
    link = playground.page.input_value("#share-link")
    playground.page.click("#share-close")
    assert link.startswith(f"{playground_url}#p=")
    other = playground.page.context.new_page()
    try:
        other.goto(link)
        other.wait_for_selector("#problems li", timeout=LOADING_MS)
        assert "surprise: 1" in other.inner_text("#editor")
        other.goto(f"{playground_url}#p=damaged")
        other.reload()
        other.wait_for_selector("#notice:visible")
        assert "holds no project" in other.inner_text("#notice")
    finally:
        other.close()


def test_a_reload_restores_the_texts(playground: Playground) -> None:
    playground.open_example("afternoon")
    playground.enter_text("\nsurprise: 1\n")
    playground.page.reload()
    playground.page.wait_for_selector("#problems li", timeout=LOADING_MS)
    assert "surprise: 1" in playground.page.inner_text("#editor")


def test_a_project_that_is_too_large_has_no_link(playground: Playground) -> None:
    playground.open_example("afternoon")
    noise = "".join(f"# {number * 7919 % 104729} {number**3}\n" for number in range(LINK_CHARACTERS // 5))
    playground.enter_text(noise)
    playground.page.click("#share")
    playground.page.wait_for_selector("#share-dialog[open]")
    assert "too large for a link" in playground.page.inner_text("#share-size")
    assert playground.page.input_value("#share-link") == ""
    playground.page.click("#share-close")


def test_a_file_can_be_added_and_removed(playground: Playground) -> None:
    playground.open_example("afternoon")
    playground.page.click("#new-file")
    playground.page.fill("#file-name", "../../x.yaml")
    playground.page.click("#file-form [value=add]")
    assert playground.page.is_visible("#file-wrong")
    playground.page.fill("#file-name", "mine.task.yaml")
    before = playground.check_count()
    playground.page.click("#file-form [value=add]")
    playground.wait_for_check(before)
    assert "mine.task.yaml" in playground.page.inner_text("#problems")
    before = playground.check_count()
    playground.page.click("#revert")
    playground.wait_for_check(before)
    assert "mine" not in playground.page.inner_text("#tabs")
    assert playground.page.inner_text("#problems") == "No mistakes found"


LIBRARY = """tables:
  Mill: {name: text, walk: duration}
plan:
  rests: {mill: key Mill, start: time}
"""
TASK = """uses: [mills]
query: Half an hour at the old mill.
tables:
  Mill:
    rows:
      - {id: old, name: The old mill, walk: 20min}
scope: {rests: [{for: m in Mill, mill: m, start: 10:00..10:30 step 30min}]}
constraints:
  late: {hard: all(r.start >= 10:30 for r in rests)}
closed: true
"""


def test_a_users_task_and_library_survive_changes_of_the_example(playground: Playground) -> None:
    page = playground.page
    playground.open_example("afternoon")
    playground.add_file("mills.library.yaml", LIBRARY)
    playground.add_file("rest.task.yaml", TASK)
    assert page.inner_text("#problems") == "No mistakes found"
    assert playground.run_verb("solve").startswith("optimal")
    page.click("#tabs >> text=mills.library.yaml")
    text = playground.run_verb("verify")  # verifies the task that was open last
    assert text.startswith("passhard 1/1") and "rest.task.yaml, " in text
    questions: list[str] = []

    def dismiss_dialog(dialog: Any) -> None:
        questions.append(dialog.message)
        dialog.dismiss()

    page.once("dialog", dismiss_dialog)
    page.click("#revert")
    assert questions == ["Remove mills.library.yaml? What is written in it is lost."]
    before = playground.check_count()
    page.select_option("#example", "crowded")
    playground.wait_for_check(before)
    assert not page.is_visible("#notice")
    before = playground.check_count()
    page.select_option("#example", "afternoon")
    playground.wait_for_check(before)
    assert page.inner_text("#tabs").split() == ["afternoon.task.yaml", "mills.library.yaml", "rest.task.yaml"]
    assert page.inner_text("#problems") == "No mistakes found"
    page.click("#anew")
    assert page.inner_text("#tabs").split() == ["afternoon.task.yaml"]


LOOSE = """query: Half an hour somewhere in the morning.
plan: {rest: {one: true, start: time}}
scope: {rest: {start: 10:00..10:30 step 30min}}
constraints:
  early: {hard: rest.start <= 11:00}
"""


def test_differences_between_two_plans_are_shown(playground: Playground) -> None:
    playground.open_example("afternoon")
    playground.add_file("loose.task.yaml", LOOSE)
    assert "Another plan differs in\n\nrest.start 10:" in playground.run_verb("validate")


def test_the_page_is_accessible(playground: Playground) -> None:
    """axe-core finds no fault in the page with mistakes, verdict and plan, proofs, conflict, or dialogs."""
    page = playground.page
    playground.open_example("berlin-001")
    page.select_option("#answer-choice", "demo-fail")
    playground.run_verb("verify")
    page.wait_for_selector("#result[data-drawn]", timeout=PROVING_MS)
    assert axe_findings(page, ALL_LOOKS) == []
    playground.open_example("afternoon")
    playground.enter_text("\nsurprise: 1\n")
    assert axe_findings(page, ALL_LOOKS) == []
    for example, verb in (("crowded", "why"), ("afternoon", "validate")):
        playground.open_example(example)
        playground.run_verb(verb)
        assert axe_findings(page, ALL_LOOKS) == []
    for opener, closer in (("share", "#share-close"), ("new-file", "#file-form [value='']")):
        page.click(f"#{opener}")
        page.wait_for_selector("dialog[open]")
        assert axe_findings(page, ALL_LOOKS) == []
        page.click(closer)


def test_whole_documents_are_printed_in_light_colours(playground: Playground) -> None:
    page = playground.page
    playground.open_example("berlin-001")
    page.emulate_media(media="print", color_scheme="dark")
    try:
        page.wait_for_timeout(300)
        shown = page.locator("#editor .cm-content").inner_text()
        whole = page.evaluate(
            "fetch('examples.json').then((got) => got.json()).then((all) => all.find((one) => one.id === 'berlin-001'))"
        )
        assert shown.split() == whole["documents"][whole["task"]].split()
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    finally:
        page.emulate_media(media="screen", color_scheme="light")


def test_a_page_opened_as_a_file_says_that_it_must_be_served(chromium: Any) -> None:
    page = chromium.new_context().new_page()
    page.goto(Path(str(BUILT), "index.html").resolve().as_uri())
    page.wait_for_selector("#notice:visible")
    assert "Serve the folder" in page.inner_text("#notice")


SCRIPT = """
import fs from "node:fs";
const site = process.env.PLANSPEC_PLAYGROUND + "/";
const { loadPyodide } = await import(site + "pyodide/pyodide.mjs");
const python = await loadPyodide({ indexURL: site + "pyodide/" });
for (const name of ["packages", "planspec"]) {
  python.unpackArchive(new Uint8Array(fs.readFileSync(`${site}python/${name}.zip`)), "zip", { extractDir: "/site" });
}
python.runPython(`
import os, sys
sys.path.insert(0, "/site")
os.environ["PLANSPEC_CACHE"] = ""
os.chdir("/site/planspec/tasks")
from pathlib import Path
from planspec.live.playground.session import PlaygroundSession
session = PlaygroundSession(Path.cwd())
`);
const session = python.globals.get("session");
const ask = (call) => JSON.parse(session.answer(JSON.stringify(call)));
const made = {};
for (const example of JSON.parse(fs.readFileSync(site + "examples.json", "utf8"))) {
  const opened = ask({ verb: "open", files: example.documents });
  const checked = ask({ verb: "check" });
  const verdicts = Object.entries(example.answers).map(([name, plan]) => [name, ask({ verb: "verify", file: example.task, answer: JSON.stringify(plan) }).ok?.status]);
  const drawn = Object.values(example.answers).map((plan) => Boolean(ask({ verb: "draw", file: example.task, answer: JSON.stringify(plan) }).ok?.plan));
  const validated = ask({ verb: "validate", file: example.task });
  made[example.id] = { opened: "ok" in opened, mistakes: checked.ok?.diagnostics, verdicts: Object.fromEntries(verdicts), drawn,
    unique: Object.values(validated.ok?.backends || {}).map((one) => one.unique.status), proofs: validated.ok?.proofs.map((one) => one.status) };
}
console.log("MADE" + JSON.stringify(made));
"""


@pytest.mark.skipif(NODE is None, reason="there is no Node on the PATH")
def test_every_example_is_judged_drawn_and_proved_by_python_as_webassembly(tmp_path: Path) -> None:
    script = tmp_path / "all.mjs"
    script.write_text(SCRIPT)
    run = subprocess.run([str(NODE), str(script)], capture_output=True, text=True, env=dict(os.environ), check=False)
    assert "MADE" in run.stdout, run.stderr[-2000:]
    results = json.loads(run.stdout.partition("MADE")[2])
    assert len(results) >= 9
    for name, one in results.items():
        assert (one["opened"], one["mistakes"]) == (True, []), name
        assert all(
            status == ("fail" if answer == "demo-fail" else "pass") for answer, status in one["verdicts"].items()
        ), name
        assert all(one["drawn"]), name
        assert len(set(one["unique"])) == 1, name
        proved = one["unique"][0] in ("unique", "infeasible")
        assert one["proofs"] == ["checked"] * len(one["proofs"]), name
        assert bool(one["proofs"]) == proved, name
