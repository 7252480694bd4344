"""Drafts on the page of `planspec play`: messages, questions to the user, cancelled drafts, and hostile texts."""

from __future__ import annotations

import http.client
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import planspec
from planspec.live.play import PlayServer
from planspec.live.play.jobs import DraftSettings
from tests.axe import axe_findings
from tests.extras import needs
from tests.planspec.commands.test_command_line import run
from tests.planspec.live.test_panel import write_task
from tests.planspec.live.test_play import response_to, threads_named, wait_until

MODEL = """\
import os, time
from pathlib import Path

DOCUMENT = '''
types: {Call: anna | bert}
plan: {calls: {who: key Call, start: time}}
scope: {calls: [{for: c in Call, who: c, start: 09:00..10:00 step 30min}]}
constraints:
  order:
    hard: calls[anna].start < calls[bert].start
'''


class Model:
    def answer(self, view, desk):
        print("what a model prints is no event")
        if "wait-for-ever" in view.query:
            Path("started").touch()
            time.sleep(60)
        if "end-at-once" in view.query:
            os._exit(3)
        if "raise-an-error" in view.query:
            raise ValueError("<b>broken</b>")
        kind = view.given["kind"]
        if kind == "judge":
            return "\\n".join(f"{n}: {{allowed: no, sentence: none}}" for n in range(1, 20))
        if kind == "cases":
            plan = {"calls": [{"who": "anna", "start": "09:00"}, {"who": "bert", "start": "10:00"}]}
            return {"good": {"right": "yes", "sentence": "Anna first", "plan": plan}}
        if kind == "words":
            return {"order": "<img src=x onerror=alert(1)> Anna's call begins before Bert's."}
        allowed = view.query.partition("Sections that you may write")[2].split(".")[0]
        start = next(name for name in ("types", "scope") if name in allowed)
        document = DOCUMENT[DOCUMENT.index(start):]
        if "What was found" in view.query and "10:00 at the latest" in view.query:
            return document + "  late:\\n    hard: calls[bert].start == 10:00\\n  soon:\\n    hard: calls[anna].start == 09:00\\n"
        return document
"""
TEXT = "Two calls between 09:00 and 10:00, Anna first. <script>alert(1)</script> ```\n---\nid: evil"


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PlayServer]:
    """Yield a server that drafts with a model, which is a program in the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.py").write_text(MODEL, "utf-8")
    settings = DraftSettings(model="python:file=model.py", calls=12, seconds=5)
    yield from _served(PlayServer([], 0, 5, proofs=False, drafting=settings, folder=tmp_path))


def _served(server: PlayServer) -> Iterator[PlayServer]:
    """Run a server in a thread, and close it afterwards."""
    thread = Thread(target=server.serve, daemon=True)
    thread.start()
    yield server
    server.close()
    thread.join()


def post(url: str, path: str, message: Any, **headers: str) -> tuple[int, Any]:
    """Send a message as the page does. Return the status and the answer, which may be None."""
    place, token = url.split("/")[2:4]
    connection = http.client.HTTPConnection(place, timeout=10)
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    sent = {"Host": place, "Origin": f"http://{place}", "Content-Type": "application/json", **headers}
    connection.request("POST", f"/{token}/{path}", body, sent)
    response = connection.getresponse()
    text = response.read()
    connection.close()
    return response.status, json.loads(text) if response.status == 200 else None


class Stream:
    """The events of a draft, as the page receives them from the server."""

    def __init__(self, url: str, number: str) -> None:
        place, token = url.split("/")[2:4]
        self.connection = http.client.HTTPConnection(place, timeout=60)
        self.connection.request("GET", f"/{token}/draft?draft={number}")
        self.response = self.connection.getresponse()

    def until(self, is_last: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
        """Return the events up to the first one that satisfies a condition, or up to the end."""
        events: list[dict[str, Any]] = []
        while line := self.response.readline():
            if line.startswith(b"data: "):
                events.append(json.loads(line[6:]))
                if is_last(events[-1]):
                    break
        return events

    def close(self) -> None:
        """Close the connection, as a browser does on leaving the page."""
        self.response.close()
        self.connection.close()


def begin(server: PlayServer, query: str = TEXT, name: str = "calls") -> tuple[str, Stream]:
    """Start a draft. Return its number and its events."""
    status, started = post(server.url, "draft", {"query": query, "name": name, "drafts": 1})
    assert status == 200
    return started["draft"], Stream(server.url, started["draft"])


def _never(_: dict[str, Any]) -> bool:
    return False


def test_messages_from_other_origins_and_malformed_messages_are_refused(server: PlayServer, tmp_path: Path) -> None:
    good = {"query": "A call.", "name": "call"}
    place = server.url.split("/")[2]
    assert post(server.url, "draft", good, Origin="http://evil.example")[0] == 403
    assert post(server.url, "draft", good, Origin="null")[0] == 403
    assert post(server.url, "draft", good, Host="evil.example:80", Origin="http://evil.example:80")[0] == 403
    assert post(server.url.replace(server.url.split("/")[3], "x"), "draft", good)[0] == 403
    assert post(server.url, "nothing", good)[0] == 404
    assert post(server.url, "draft", good, **{"Content-Type": "text/plain"})[0] == 400
    for body in (b"", b"[1]", b"{", b"\xff", b'{"query": NaN}', b'{"query":' * 5_000):
        assert post(server.url, "draft", body)[0] == 400, body[:20]
    connection = http.client.HTTPConnection(place, timeout=10)
    connection.putrequest("POST", f"/{server.url.split('/')[3]}/draft")
    for name, value in (
        ("Origin", f"http://{place}"),
        ("Content-Type", "application/json"),
        ("Content-Length", "99999999"),
    ):
        connection.putheader(name, value)
    connection.endheaders()
    assert connection.getresponse().status == 413
    connection.close()
    (tmp_path / "taken.task.yaml").write_text("", "utf-8")
    for wrong, message in (
        ({"query": " \n"}, "Write the request"),
        ({"query": 5}, "Write the request"),
        ({"name": "../evil"}, "small letters"),
        ({"name": "a" * 61}, "small letters"),
        ({"name": "taken"}, "exists"),
        ({"drafts": 10}, "from 1 to 9"),
        ({"drafts": "2"}, "from 1 to 9"),
        ({"library": "a\nb"}, "an id or a path"),
    ):
        status, answer = post(server.url, "draft", good | wrong)
        assert status == 200
        assert message in answer["error"]
    assert response_to(server.url, f"/{server.url.split('/')[3]}/draft?draft=9")[0] == 404
    assert post(server.url, "answer", {"draft": "9", "answer": "yes"})[1] == {"error": "The draft has ended."}
    assert "Only drafts" in post(server.url, "save", {"task": 0, "text": "", "before": ""})[1]["error"]


def test_without_a_model_nothing_is_drafted(tmp_path: Path) -> None:
    for server in _served(PlayServer([("afternoon", write_task(tmp_path))], 0, 5, proofs=False, folder=tmp_path)):
        assert "without --model" in post(server.url, "draft", {"query": "A call.", "name": "call"})[1]["error"]
        token = server.url.split("/")[3]
        assert b'data-model="null"' in response_to(server.url, f"/{token}/")[1]
        assert response_to(server.url, f"/{token}/text?task=0")[0] == 404, "only drafts are edited"


@pytest.mark.slow
def test_a_person_answers_accepts_and_edits_the_draft(server: PlayServer, tmp_path: Path) -> None:
    number, stream = begin(server)
    *before, question = stream.until(lambda event: "question" in event)
    assert before[0] == {"call": 1, "purpose": "draft"}
    first, second = question["plans"]
    assert first["plan"] != second["plan"]
    marks = [[finding["constraint"] for finding in plan["findings"]] for plan in (first, second)]
    assert marks[0]
    assert [each["place"] for each in question["differences"]] == [
        f"calls[{finding['rows'][0][1]}].start" for finding in first["findings"]
    ]
    assert all(
        f"start {each['first']}" in marks[0] and f"start {each['second']}" in marks[1]
        for each in question["differences"]
    )
    assert "error" in post(server.url, "answer", {"draft": "77", "answer": "yes"})[1]
    assert "stop it first" in post(server.url, "draft", {"query": "x", "name": "other"})[1]["error"]
    assert (
        post(server.url, "answer", {"draft": number, "answer": "Bert at 10:00 at the latest, Anna at 09:00"})[1] == {}
    )
    events = stream.until(lambda event: "asks" in event)
    assert any("10:00 at the latest" in event.get("text", "") for event in events if event.get("step") == "question")
    assert events[-1]["words"][0][0] == "order"
    assert not (tmp_path / "calls.task.yaml").exists(), "nothing is written before a person has read it"
    post(server.url, "answer", {"draft": number, "answer": "yes"})
    *_, done = stream.until(_never)
    assert (done["file"], done["task"]) == ("calls.task.yaml", 0)
    task = planspec.load(tmp_path / "calls.task.yaml")
    assert (task.id, task.query, task.meta) == ("calls", TEXT, {})
    token = server.url.split("/")[3]
    text = response_to(server.url, f"/{token}/text?task=0")[1].decode()
    assert text == (tmp_path / "calls.task.yaml").read_text("utf-8")
    assert post(server.url, "save", {"task": 0, "text": text + "# read\n", "before": text})[1] == {}
    assert (tmp_path / "calls.task.yaml").read_text("utf-8").endswith("# read\n")
    assert "another program" in post(server.url, "save", {"task": 0, "text": "", "before": text})[1]["error"]
    assert b"calls" in response_to(server.url, f"/{token}/")[1], "a page that is loaded again lists the draft"
    lines = (tmp_path / "calls.replies.jsonl").read_text("utf-8").splitlines()
    assert "person" in {json.loads(each)["kind"] for each in lines}


@pytest.mark.thorough
@pytest.mark.slow
def test_a_stop_and_a_disconnect_end_the_draft_and_its_process(server: PlayServer, tmp_path: Path) -> None:
    number, stream = begin(server, "wait-for-ever")
    stream.until(lambda event: event.get("call") == 1)
    wait_until((tmp_path / "started").exists)
    post(server.url, "stop", {"draft": number})
    (last,) = stream.until(_never)
    assert last["stopped"]
    assert "calls.replies.jsonl" in last["ended"]
    (tmp_path / "started").unlink()
    _, stream = begin(server, "wait-for-ever")
    wait_until((tmp_path / "started").exists, 30)
    running = server._drafts._running
    assert running is not None
    stream.close()
    wait_until(lambda: server._drafts._running is None)
    assert running[1]._process.poll() is not None
    wait_until(lambda: not threads_named("process_request_thread"))


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("query", "message"),
    [("end-at-once", "has ended"), ("raise-an-error", "<b>broken</b>")],
    ids=["crash", "exception"],
)
def test_a_model_that_fails_ends_the_draft_with_the_reason(server: PlayServer, query: str, message: str) -> None:
    _, stream = begin(server, query)
    *_, last = stream.until(_never)
    assert message in last["ended"]
    wait_until(lambda: server._drafts._running is None)


@pytest.mark.thorough
@pytest.mark.slow
def test_a_draft_without_a_sound_document_ends_at_its_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    settings = DraftSettings(model="constant:text=none", calls=2)
    for server in _served(PlayServer([], 0, 5, drafting=settings, folder=tmp_path)):
        _, stream = begin(server)
        *_, last = stream.until(_never)
        assert last["finished"] == "budget"
        assert "no file was written" in last["error"]
        assert not list(tmp_path.glob("*.task.yaml"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--model", "emty"), "no agent is called `emty`"),
        (("--model", "empty", "--budget", "much"), "is not a budget"),
        (("--model", "empty", "--budget", "1USD"), "needs --prices"),
        (("missing", "--model", "empty"), "missing"),
    ],
)
def test_a_wrong_model_or_budget_exits_with_2(
    words: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run(monkeypatch, capsys, "play", *words)
    assert (code, out) == (2, "")
    assert message in err


def test_with_a_model_a_folder_may_have_no_tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(PlayServer, "serve", lambda _: None)
    monkeypatch.setattr(PlayServer, "close", lambda server: server._server.server_close())
    code, _, err = run(monkeypatch, capsys, "play", "--model", "empty", "--budget", "7")
    assert code == 0
    assert "showing a box for requests at http://127.0.0.1:" in err


@pytest.mark.integration
@needs("playwright", "axe_playwright_python", extra="test")
@pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no Chromium on the PATH")
def test_a_browser_drafts_a_task_and_shows_hostile_text_only_as_text(server: PlayServer, tmp_path: Path) -> None:
    """The test uses the text box, a question with two plans, the stop button, the rules in words, and the editor."""
    from playwright.sync_api import sync_playwright

    wrong: list[str] = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        tab = browser.new_page()
        tab.on("pageerror", lambda error: wrong.append(str(error)))
        tab.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        tab.on("dialog", lambda dialog: wrong.append(dialog.message))
        tab.goto(server.url)
        tab.locator("#draft-query").fill(TEXT)
        tab.locator("#draft-name").fill("calls")
        tab.locator("#draft-drafts").fill("1")
        assert axe_findings(tab) == []
        tab.get_by_role("button", name="Draft", exact=True).click()
        tab.get_by_role("heading", name="Two plans keep the rules").wait_for()
        assert "<script>alert(1)</script>" in tab.locator(".draft .query").inner_text()
        assert tab.locator(".question .items .wrong").count() > 0
        assert tab.locator(".question .beside > section").count() == 2
        assert axe_findings(tab) == []
        tab.locator(".answers").get_by_role("button", name="Stop").click()
        tab.get_by_text("Stopped.").wait_for()
        tab.get_by_role("button", name="Draft", exact=True).click()
        tab.get_by_role("button", name="Yes, both may be").click()
        tab.get_by_role("heading", name="Do these rules say").wait_for()
        assert "<img src=x onerror=alert(1)>" in tab.locator(".rules").inner_text()
        assert axe_findings(tab) == []
        tab.get_by_role("button", name="No, keep it marked").click()
        tab.locator("#editor:not([disabled])").wait_for()
        text = tab.locator("#editor").input_value()
        assert "meta: {draft: true}" in text
        assert text == (tmp_path / "calls.task.yaml").read_text("utf-8")
        tab.locator("#editor").fill(text.replace("calls[bert]", "calls[brt]"))
        tab.get_by_role("button", name="Save").click()
        tab.get_by_text("did you mean").wait_for()
        assert axe_findings(tab) == []
        tab.reload()
        tab.locator("summary", has_text="Text of calls.task.yaml").wait_for()
        browser.close()
    assert wrong == []
