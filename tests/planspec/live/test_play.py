"""`planspec play` serves a page on this machine, which is updated when files change."""

from __future__ import annotations

import http.client
import json
import shutil
import socket
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Event, Thread
from threading import enumerate as enumerate_threads
from typing import Any

import pytest

from planspec.live.loopback import MOST_CONNECTIONS, MOST_STREAMS, Query, Response
from planspec.live.panel.record import PanelShown
from planspec.live.play import PlayServer
from planspec.live.play.watching import follow_task
from tests.axe import axe_findings
from tests.extras import needs
from tests.planspec.commands.test_command_line import run
from tests.planspec.live.test_panel import TASK, claims_in, write_task


@pytest.fixture
def play_server(tmp_path: Path) -> Iterator[PlayServer]:
    """Yield a running server for a task."""
    server = PlayServer([("afternoon", write_task(tmp_path))], 0, 5, proofs=False)
    thread = Thread(target=server.serve, daemon=True)
    thread.start()
    yield server
    server.close()
    thread.join()


def response_to(url: str, path: str, host: str | None = None) -> tuple[int, bytes]:
    """Request a path; return the status and the beginning of the response's body."""
    place = url.split("/")[2]
    connection = http.client.HTTPConnection(place, timeout=10)
    connection.request("GET", path, headers={"Host": host or place})
    response = connection.getresponse()
    body = response.read() if response.getheader("Content-Length") else response.read1()
    connection.close()
    return response.status, body


def test_the_page_requires_the_token_in_its_address(play_server: PlayServer) -> None:
    token = play_server.url.split("/")[3]
    assert response_to(play_server.url, f"/{token}/")[0] == 200
    assert response_to(play_server.url, f"/{token}/?x=1")[0] == 200
    assert response_to(play_server.url, "/")[0] == 403
    assert response_to(play_server.url, f"/{token[:-1]}/")[0] == 403
    assert response_to(play_server.url, f"/{token}/", host="evil.example:80")[0] == 403
    assert response_to(play_server.url, f"/{token}/other")[0] == 404
    for wrong in ("1", "-1", "x", "01", "9" * 5_000, "\u0661"):
        assert (
            response_to(
                play_server.url,
                f"/{token}/events?task={wrong.encode('utf-8').hex() if not wrong.isascii() else wrong}",
            )[0]
            == 404
        )


def send_request(url: str, request: bytes) -> socket.socket:
    """Send bytes to a server, and return the connection before anything is read."""
    host, port = url.split("/")[2].split(":")
    connection = socket.create_connection((host, int(port)), timeout=10)
    connection.sendall(request)
    return connection


def test_requests_without_a_valid_path_are_refused(play_server: PlayServer, capsys: pytest.CaptureFixture[str]) -> None:
    place = play_server.url.split("/")[2]
    for target in ("foo", "*", "//[x", "http://[", "?", "/"):
        with send_request(play_server.url, f"GET {target} HTTP/1.1\r\nHost: {place}\r\n\r\n".encode()) as connection:
            assert connection.recv(100).startswith(b"HTTP/1.1 403"), target
    assert capsys.readouterr().err == ""


def test_a_browser_that_disconnects_early_causes_no_traceback(
    play_server: PlayServer, capsys: pytest.CaptureFixture[str]
) -> None:
    is_disconnected = Event()

    def large_response(_: Query) -> Response:
        is_disconnected.wait(10)
        return Response("text/plain", b"x" * 20_000_000)

    play_server._server.RequestHandlerClass.routes["large"] = large_response  # type: ignore[attr-defined]
    path, place = f"/{play_server.url.split('/')[3]}/large", play_server.url.split("/")[2]
    with send_request(play_server.url, f"GET {path} HTTP/1.1\r\nHost: {place}\r\n\r\n".encode()) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    is_disconnected.set()
    wait_until(lambda: len(threads_named("process_request_thread")) == 0)
    assert capsys.readouterr().err == ""


def threads_named(name: str) -> list[Thread]:
    """Return the running threads whose names contain a text."""
    return [thread for thread in enumerate_threads() if name in thread.name]


def wait_until(condition: Callable[[], bool], seconds: float = 10.0) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


class TestBounds:
    """Clients that open many connections or send requests slowly use few resources of the server."""

    def test_a_connection_without_a_request_is_closed(
        self, play_server: PlayServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(play_server._server.RequestHandlerClass, "timeout", 0.2)
        for partial_request in (b"", b"GET / HTTP/1.1\r\nHost: x\r\n"):
            with send_request(play_server.url, partial_request) as half:
                assert half.recv(100) == b""

    @pytest.mark.slow
    def test_too_many_connections_are_closed_and_later_ones_are_served(self, play_server: PlayServer) -> None:
        path = f"/{play_server.url.split('/')[3]}/"
        with ExitStack() as stack:
            for _ in range(MOST_CONNECTIONS):
                stack.enter_context(send_request(play_server.url, b"GET"))
            wait_until(lambda: len(threads_named("process_request_thread")) == MOST_CONNECTIONS)
            with send_request(play_server.url, b"") as further:
                assert further.recv(100) == b""
        wait_until(lambda: len(threads_named("process_request_thread")) < MOST_CONNECTIONS)
        assert response_to(play_server.url, path)[0] == 200

    def test_streams_are_few_and_end_when_their_clients_leave(self, play_server: PlayServer) -> None:
        path, place = f"/{play_server.url.split('/')[3]}/events", play_server.url.split("/")[2]
        with ExitStack() as stack:
            for _ in range(MOST_STREAMS):
                request = f"GET {path} HTTP/1.1\r\nHost: {place}\r\n\r\n".encode()
                stream = stack.enter_context(send_request(play_server.url, request))
                assert stream.recv(100).startswith(b"HTTP/1.1 200")
            assert response_to(play_server.url, path)[0] == 503
        wait_until(lambda: len(threads_named("process_request_thread")) == 0)
        assert response_to(play_server.url, path)[0] == 200


def test_a_stream_begins_with_the_panel(play_server: PlayServer) -> None:
    token = play_server.url.split("/")[3]
    status, body = response_to(play_server.url, f"/{token}/events?task=0")
    assert status == 200
    panel = PanelShown.model_validate_json(body.removeprefix(b"data: "))
    assert (panel.task, panel.waiting) == ("afternoon", False)


def test_a_change_of_any_file_that_a_task_uses_updates_the_panel(tmp_path: Path) -> None:
    path = write_task(
        tmp_path,
        TASK.replace(
            "types: {Stop: museum | park}",
            "types: {Stop: museum | park}\ntables: {Line: {columns: {at: key time}, csv: l.csv}}",
        ),
    )
    (tmp_path / "l.csv").write_text("at\n09:00\n", "utf-8")
    panels = (panel for panel in follow_task(path, 5, proofs=False) if panel is not None)
    assert next(panels).mistakes == ()
    (tmp_path / "l.csv").write_text("at\nnoon\n", "utf-8")
    assert next(panels).mistakes[0].place.endswith("l.csv:2:1")
    (tmp_path / "l.csv").write_text("at\n10:00\n", "utf-8")
    assert next(panels).mistakes == ()
    path.unlink()
    assert next(panels).mistakes[0].severity == "error"


@pytest.mark.slow
def test_proofs_come_after_the_panel_and_a_change_cancels_them(tmp_path: Path) -> None:
    path = write_task(tmp_path)
    panels = (panel for panel in follow_task(path, 5) if panel is not None)
    assert next(panels).waiting
    path.write_text(TASK.replace("<= 17:00", "<= 16:30"), "utf-8")
    shown = [next(panels), next(panels)]
    assert claims_in(shown[-1]) == [("fails", "there is no plan")] or claims_in(next(panels)) == [
        ("fails", "there is no plan")
    ]
    panels.close()


def test_a_folder_without_tasks_and_an_unknown_name_are_refused(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run(monkeypatch, capsys, "play")
    assert (code, out) == (2, "")
    assert err.startswith("error: there is no task in `.`; name one")
    assert run(monkeypatch, capsys, "play", "nothing-of-that-name")[0] == 2


@pytest.mark.integration
@needs("playwright", "axe_playwright_python", extra="test")
@pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no Chromium on the PATH")
def test_a_browser_shows_each_saved_version(tmp_path: Path) -> None:
    """The page shows a plan, then a conflict, then a mistake, each when the file is saved."""
    from playwright.sync_api import sync_playwright

    path = write_task(tmp_path)
    server = PlayServer([("afternoon", path), ("again", path)], 0, 5)
    thread = Thread(target=server.serve, daemon=True)
    thread.start()
    wrong: list[str] = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        tab = browser.new_page()
        tab.on("pageerror", lambda error: wrong.append(str(error)))
        tab.on(
            "console",
            lambda message: (
                wrong.append(message.text)
                if message.type == "error" and "favicon" not in message.location["url"]
                else None
            ),
        )
        tab.goto(server.url)
        tab.get_by_text("there is exactly one plan").wait_for()
        assert tab.title() == "\u2713 An afternoon"
        items = [
            {"table": "calls", "title": "Anna", "start": 540, "end": 570},
            {"table": "lunches", "title": "Bert", "start": 690},
        ]
        rows = tab.evaluate("days => timeline({ days }, [], false, [9, 12])[0].textContent", [{"items": items}])
        assert "Anna" in rows and "calls" not in rows  # the table of an item without an end is also shown
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
