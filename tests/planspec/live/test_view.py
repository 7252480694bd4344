"""`planspec view`: rows of attempts in a run that is still growing, details of attempts, and the page in a browser."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from planspec.files import add_checksum, strip_checksum
from planspec.live.view import ViewServer
from planspec.live.view.index import RunIndex
from planspec.report.record import ShownTask
from planspec.runs.folder import RunFolder
from tests.axe import axe_findings
from tests.extras import needs
from tests.planspec.commands.test_command_line import run
from tests.planspec.live.test_panel import plan, write_task
from tests.planspec.live.test_play import response_to

GOOD, LATE = plan("14:00-15:30", "15:30-17:00"), plan("14:00-15:30", "15:00-16:30")
TALKS = f"""
from planspec.traces import Generation, Timing

class Talks:
    def answer(self, view, desk):
        place, _ = desk.place_call("museums", {{}})
        made = desk.record_generation(Generation(model="m", input=1000, output=10, time=Timing(start_s=0, seconds=2.5)))
        desk.record_message("assistant", "Where is a museum?", calls=[place], generation=made)
        desk.record_generation(Generation(model="m", role="critic", input=500, output=5, time=Timing(start_s=3, seconds=1)))
        desk.spend(1500, 15)
        return {{"afternoon": {GOOD!r}, "late": {LATE!r}}}[view.task]
"""


BOX = "part => [part.getBoundingClientRect().x, part.getBoundingClientRect().width]"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with two runs of the same two tasks. In each run, one attempt passes and the other fails."""
    folder = tmp_path_factory.mktemp("view")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        path = write_task(folder)
        text = path.read_text("utf-8")
        (folder / "late.task.yaml").write_text(text.replace("id: afternoon", "id: late"), "utf-8")
        lines = [{"task": "afternoon", "plan": GOOD}, {"task": "late", "plan": LATE}]
        (folder / "a.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        (folder / "talks.py").write_text(TALKS, "utf-8")
        (folder / "prices.json").write_text('{"m": {"input": 10, "output": 100}}', "utf-8")
        agents = {"one": "replay:file=a.jsonl", "two": "python:file=talks.py"}
        for name, agent in agents.items():
            words = ["run", ".", "--agent", agent, "--out", name, "--name", name, "--prices", "prices.json"]
            patch.setattr("sys.argv", ["planspec", *words])
            from planspec.cli import command_line

            with pytest.raises(SystemExit):
                command_line()
    return folder


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which indexes of runs are cached during a test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.slow
@pytest.mark.usefixtures("cache")
def test_rows_of_attempts_list_their_violations(runs: Path) -> None:
    index = RunIndex(RunFolder(runs / "one"))
    (batch,) = index.batches(10)
    assert (sorted(batch.tasks), batch.rules, batch.broken) == (
        ["afternoon", "late"],
        ["hard order order"],
        None,
    )
    good, late = sorted(batch.rows, key=lambda row: row[2])
    assert (good[1:5], good[7:9]) == ([0, 0, 3, 3], [[], -1])
    assert (late[1:5], late[7:9]) == ([0, 1, 2, 3], [[0], -1])
    assert list(index.batches(10)) == []
    assert index.attempt(late[14]).task == "late"


@pytest.mark.slow
@pytest.mark.usefixtures("cache")
def test_a_growing_run_is_read_incrementally_without_partial_lines(runs: Path, tmp_path: Path) -> None:
    grows = tmp_path / "grows"
    shutil.copytree(runs / "one", grows)
    whole = (grows / "attempts.jsonl").read_bytes()
    first, second = whole.splitlines(keepends=True)
    (grows / "attempts.jsonl").write_bytes(first + second[:100])
    index = RunIndex(RunFolder(grows))
    assert [len(batch.rows) for batch in index.batches(10)] == [1]
    assert list(index.batches(10)) == []
    (grows / "attempts.jsonl").write_bytes(whole)
    (batch,) = index.batches(10)
    assert (len(batch.rows), len(batch.tasks)) == (1, 1)


@pytest.mark.usefixtures("cache")
def test_a_changed_line_ends_the_list_and_is_reported(runs: Path, tmp_path: Path) -> None:
    changed = tmp_path / "changed"
    shutil.copytree(runs / "one", changed)
    first, second = (changed / "attempts.jsonl").read_text("utf-8").splitlines(keepends=True)
    (changed / "attempts.jsonl").write_text(first + second.replace('"seed": 0', '"seed": 1', 1), "utf-8")
    (batch,) = RunIndex(RunFolder(changed)).batches(10)
    assert len(batch.rows) == 1
    assert batch.broken is not None and batch.broken.startswith("line 2 is not as it was sealed")


def test_a_stored_index_is_used_only_while_the_file_starts_with_its_lines(
    runs: Path, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("planspec.live.view.index.ROWS_BETWEEN_STORES", 1)
    copied = tmp_path / "copied"
    shutil.copytree(runs / "one", copied)
    rows = [row for batch in RunIndex(RunFolder(copied)).batches(10) for row in batch.rows]
    (stored,) = (cache / "planspec" / "views").iterdir()
    again = RunIndex(RunFolder(copied))
    assert [row for batch in again.batches(1) for row in batch.rows] == rows
    whole = stored.read_bytes()
    document = json.loads(strip_checksum(whole) or b"")
    stored.write_bytes(add_checksum(json.dumps(document | {"rows": []}).encode()))  # the index is trusted ...
    assert [row for batch in RunIndex(RunFolder(copied)).batches(10) for row in batch.rows] == []
    stored.write_bytes(whole.replace(b'"offset":', b'"offsat":'))  # ... unless it is damaged ...
    assert [row for batch in RunIndex(RunFolder(copied)).batches(10) for row in batch.rows] == rows
    attempts = copied / "attempts.jsonl"
    attempts.write_bytes(attempts.read_bytes().splitlines(keepends=True)[0])  # ... or the file has changed
    assert [row for batch in RunIndex(RunFolder(copied)).batches(10) for row in batch.rows] == rows[:1]


@pytest.fixture
def view_server(runs: Path, cache: Path) -> Iterator[ViewServer]:
    """Yield a running server for both runs."""
    assert cache.parent.is_dir()
    server = ViewServer([RunFolder(runs / "one"), RunFolder(runs / "two")], 0, 5)
    thread = Thread(target=server.serve, daemon=True)
    thread.start()
    yield server
    server.close()
    thread.join()


def attempt_offsets(run: Path) -> list[int]:
    """Return the offsets of a run's attempts at the tasks `afternoon` and `late`."""
    index = RunIndex(RunFolder(run))
    offsets = {index.attempt(row[14]).task: row[14] for batch in index.batches(9) for row in batch.rows}
    return [offsets["afternoon"], offsets["late"]]


def test_details_cover_one_attempt_or_two_at_the_same_task(runs: Path, view_server: ViewServer) -> None:
    token = view_server.url.split("/")[3]
    good, late = attempt_offsets(runs / "one")
    status, body = response_to(view_server.url, f"/{token}/details?of=0:{late}&proofs=1")
    task = ShownTask.model_validate_json(body)
    (attempt,) = task.attempts
    assert (status, task.task, attempt.status) == (200, "late", "fail")
    assert attempt.repair is not None and attempt.repair.plan is not None and len(attempt.repair.edits) == 2
    both = ShownTask.model_validate_json(
        response_to(view_server.url, f"/{token}/details?of=0:{late},1:{attempt_offsets(runs / 'two')[1]}")[1]
    )
    assert [one.run for one in both.attempts] == [0, 1]
    trace = both.attempts[1].trace
    assert [(m.role, m.spent, m.time) for m in trace.messages] == [
        ("assistant", "1,000 tokens in, 10 out, 0.0110 USD", (0, 2.5)),
    ]
    assert [(call.name, call.time is not None) for call in trace.calls] == [("museums", True)]
    assert [(request.name, request.time) for request in trace.requests] == [("critic", (3, 1))]
    assert trace.times is not None
    assert (trace.times.seconds, trace.times.model, trace.times.usd) == (4, (2, 3.5), 0.0165)
    assert both.attempts[0].trace.times is None
    for wrong in (f"0:{good},0:{late}", "0:1", "9:0", "-1:0", "x", "", "0:0,0:0,0:0"):
        assert response_to(view_server.url, f"/{token}/details?of={wrong}")[0] == 404, wrong
    assert response_to(view_server.url, f"/{token}/picture?sha256={'0' * 64}")[0] == 404


def test_folders_that_are_not_runs_are_refused(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(monkeypatch, capsys, "view")[2].startswith("error: there is no run in `runs/`")
    assert run(monkeypatch, capsys, "view", ".")[::2] == (2, "error: `.` is not a run: it has no run.json\n")


@pytest.mark.integration
@needs("playwright", "axe_playwright_python", extra="test")
@pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no Chromium on the PATH")
def test_runs_can_be_browsed(view_server: ViewServer) -> None:
    """The page shows rows, the map of failures, a repair, and two attempts side by side."""
    from playwright.sync_api import sync_playwright

    wrong: list[str] = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        tab = browser.new_page()
        tab.on("pageerror", lambda error: wrong.append(str(error)))
        tab.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        tab.goto(view_server.url)
        tab.locator("#found", has_text="4 attempts").wait_for()
        tab.emulate_media(media="print")
        tab.locator(".row:not([hidden])").nth(3).wait_for()
        assert tab.locator("#rows").evaluate("list => list.clientHeight") > 4 * 30  # all rows are printed
        tab.emulate_media(media="screen")
        assert tab.locator("#heat th[scope=row]").all_inner_texts() == ["order"]
        tab.locator("#heat .cell").first.click()
        tab.locator("#found", has_text="1 of 4 attempts").wait_for()
        tab.locator("#rows").press("Enter")
        tab.get_by_text("The smallest repair").wait_for()
        tab.locator(".open-head select").select_option(index=1)
        tab.locator(".two section").nth(1).wait_for()
        assert axe_findings(tab) == []
        second = tab.locator(".two > section").nth(1)
        second.get_by_text("The smallest repair").wait_for()  # the first attempt is not drawn again
        timed = second.locator("details.fold", has_text="Trace: 1 message, 1 tool call")
        timed.locator("summary").first.click()
        summary = timed.locator(".times .note").inner_text()
        assert summary.startswith("4.0 s in all: 3.5 s in 2 requests to models, ") and summary.endswith("; 0.0165 USD.")
        assert timed.locator(".trace .took").all_inner_texts()[0] == "2.5 s at 0.00 s"
        parts = [timed.locator(f".trace .time-bar .{name}").first for name in ("model", "ground")]
        (x, wide), (left, whole) = (part.evaluate(BOX) for part in parts)
        assert x == left and abs(wide / whole - 2.5 / 4) < 0.01
        assert timed.locator(".call .time-bar .tool").count() == 1
        tab.set_viewport_size({"width": 3840, "height": 2160})  # a large window, in which rows are enlarged
        high = tab.locator(".row").first.evaluate("row => row.getBoundingClientRect().height")
        assert high == pytest.approx(30 * 1.75, abs=1)
        tab.set_viewport_size({"width": 390, "height": 844})
        tab.evaluate("document.querySelector('.find select').append(new Option('a command line '.repeat(20)))")
        assert tab.evaluate("document.documentElement.scrollWidth") == 390
        address = tab.url
        other = browser.new_page()
        other.goto(address)
        other.locator("#found", has_text="1 of 4 attempts").wait_for()
        other.locator(".two section").nth(1).wait_for()
        browser.close()
    assert wrong == []
