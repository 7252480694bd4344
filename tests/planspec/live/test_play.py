"""`planspec play`: a page on this machine that follows files."""

from __future__ import annotations

import http.client
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from planspec.live.panel.record import PanelShown
from planspec.live.play import PlayServer
from planspec.live.play.watching import follow
from tests.axe import axe_findings
from tests.extras import needs
from tests.planspec.commands.test_command_line import run
from tests.planspec.live.test_panel import TASK, said, written


@pytest.fixture
def served(tmp_path: Path) -> Iterator[PlayServer]:
    server = PlayServer([("afternoon", written(tmp_path))], 0, 5, proofs=False)
    thread = Thread(target=server.serve, daemon=True)
    thread.start()
    yield server
    server.close()
    thread.join()


def answer_to(url: str, path: str, host: str | None = None) -> tuple[int, bytes]:
    """The status and the beginning of what a server answers."""
    place = url.split("/")[2]
    asking = http.client.HTTPConnection(place, timeout=10)
    asking.request("GET", path, headers={"Host": host or place})
    made = asking.getresponse()
    body = made.read() if made.getheader("Content-Length") else made.read1()
    asking.close()
    return made.status, body


def test_the_page_is_for_who_knows_its_address(served: PlayServer) -> None:
    token = served.url.split("/")[3]
    assert answer_to(served.url, f"/{token}/")[0] == 200
    assert answer_to(served.url, f"/{token}/?x=1")[0] == 200
    assert answer_to(served.url, "/")[0] == 403
    assert answer_to(served.url, f"/{token[:-1]}/")[0] == 403
    assert answer_to(served.url, f"/{token}/", host="evil.example:80")[0] == 403
    assert answer_to(served.url, f"/{token}/other")[0] == 404
    for wrong in ("1", "-1", "x", "\u0661"):
        assert (
            answer_to(
                served.url,
                f"/{token}/events?task={wrong.encode('utf-8').hex() if not wrong.isascii() else wrong}",
            )[0]
            == 404
        )


def test_a_stream_begins_with_the_panel(served: PlayServer) -> None:
    token = served.url.split("/")[3]
    status, body = answer_to(served.url, f"/{token}/events?task=0")
    assert status == 200
    told = PanelShown.model_validate_json(body.removeprefix(b"data: "))
    assert (told.task, told.waiting) == ("afternoon", False)


def test_a_change_of_any_file_that_a_task_uses_is_followed(tmp_path: Path) -> None:
    path = written(tmp_path, TASK.replace("types: {Stop: museum | park}", "types: {Stop: museum | park}\ntables: {Line: {columns: {at: key time}, csv: l.csv}}"))  # fmt: skip
    (tmp_path / "l.csv").write_text("at\n09:00\n", "utf-8")
    panels = (told for told in follow(path, 5, proofs=False) if told is not None)
    assert next(panels).mistakes == ()
    (tmp_path / "l.csv").write_text("at\nnoon\n", "utf-8")
    assert next(panels).mistakes[0].place.endswith("l.csv:2:1")
    (tmp_path / "l.csv").write_text("at\n10:00\n", "utf-8")
    assert next(panels).mistakes == ()
    path.unlink()
    assert next(panels).mistakes[0].severity == "error"


@pytest.mark.slow
def test_proofs_come_after_the_panel_and_a_change_cancels_them(tmp_path: Path) -> None:
    path = written(tmp_path)
    panels = (told for told in follow(path, 5) if told is not None)
    assert next(panels).waiting
    path.write_text(TASK.replace("<= 17:00", "<= 16:30"), "utf-8")
    told = [next(panels), next(panels)]
    assert said(told[-1]) == [("fails", "there is no plan")] or said(next(panels)) == [
        ("fails", "there is no plan")
    ]
    panels.close()


def test_a_folder_without_tasks_and_a_name_of_nothing_are_refused(
    tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run(monkeypatch, capsys, "play")
    assert (code, out) == (2, "")
    assert err.startswith("error: there is no task in `.`; name one")
    assert run(monkeypatch, capsys, "play", "nothing-of-that-name")[0] == 2


@pytest.mark.integration
@needs("playwright", "axe_playwright_python", extra="test")
@pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no Chromium on the PATH")
def test_a_browser_follows_an_author(tmp_path: Path) -> None:
    """Another plan, then none with its conflict, then a mistake, each drawn when its file is saved."""
    from playwright.sync_api import sync_playwright

    path = written(tmp_path)
    server = PlayServer([("afternoon", path), ("again", path)], 0, 5)
    thread = Thread(target=server.serve, daemon=True)
    thread.start()
    wrong: list[str] = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        tab = browser.new_page()
        tab.on("pageerror", lambda error: wrong.append(str(error)))
        tab.on("console", lambda told: wrong.append(told.text) if told.type == "error" and "favicon" not in told.location["url"] else None)  # fmt: skip
        tab.goto(server.url)
        tab.get_by_text("there is exactly one plan").wait_for()
        assert tab.title() == "\u2713 An afternoon"
        items = [
            {"table": "calls", "title": "Anna", "start": 540, "end": 570},
            {"table": "lunches", "title": "Bert", "start": 690},
        ]
        rows = tab.evaluate(
            "days => timeline({ days }, [], false, [9, 12])[0].textContent", [{"items": items}]
        )
        assert "Anna" in rows and "calls" not in rows  # what has no end is called by its table, too
        assert "11:30Bertlunches" in rows
        path.write_text(TASK.replace("<= 17:00", "<= 16:30"), "utf-8")
        tab.locator(".cards").wait_for()
        assert tab.title() == "\u2717 An afternoon"
        assert axe_findings(tab) == []
        path.write_text(TASK.replace("visits[park].end", "visits[prk].end"), "utf-8")
        tab.get_by_text("did you mean").wait_for()
        tab.get_by_role("button", name="again").click()
        tab.get_by_text("did you mean").wait_for()
        assert json.loads(tab.locator("#tasks").get_attribute("data-names") or "") == ["afternoon", "again"]
        browser.close()
    server.close()
    thread.join()
    assert wrong == []
