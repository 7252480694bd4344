"""A monitor behaves the same over a socket and in the same process."""

from __future__ import annotations

import json
import socket
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import planspec.monitor.rpc as wire_module
from planspec.monitor import OK, Accepted, Client, Monitor, Refusal, Server, WireError, connect, serve
from planspec.monitor.replies import reply_json, reply_of
from planspec.verifiers.meaning.verdict import RowRef
from tests.planspec.monitor.small_trip import small_trip
from tests.planspec.monitor.test_monitor import BAR, INN, LION, day, meal

pytestmark = pytest.mark.slow


@pytest.fixture(params=["file", "port"])
def server(request: Any, tmp_path: Path) -> Iterator[Server]:
    """Yield a server of a monitor, at a socket file or at a port."""
    address: Any = tmp_path / "monitor" if request.param == "file" else ("127.0.0.1", 0)
    with serve(Monitor(small_trip(), timeout_s=20.0), address) as made:
        yield made


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    """Yield a client that is connected to the server."""
    with connect(server.address, server.token) as made:
        yield made


def test_the_same_actions_have_the_same_replies(client: Client) -> None:
    local = Monitor(small_trip())
    for action in (
        meal(1, LION),
        meal(2, LION),
        day(1, city="Oslo"),
        day(1, hotel=INN),
        meal(1, "Nowhere"),
        {"x": 1},
    ):
        assert client.check(action) == local.check(action)
        assert client.commit(action) == local.commit(action)
    assert client.tables() == local.tables() == client.answer()


def test_checkpoints_and_rollbacks_cross_the_wire(client: Client) -> None:
    token = client.checkpoint()
    assert client.commit(meal(1, LION)) == OK
    assert client.checkpoint() != token
    assert client.rollback(token if isinstance(token, int) else None) == OK
    assert client.tables()["meals"] == []
    refusal = client.rollback()
    assert isinstance(refusal, Refusal) and refusal.code == "NO_CHECKPOINT"


def test_each_connection_holds_the_lock_for_itself(server: Server, client: Client) -> None:
    server.monitor.lock.timeout_s = 0.02
    with connect(server.address, server.token) as other, client.hold(), client.hold():
        assert client.commit(meal(1, LION)) == OK
        refusal = other.commit(meal(2, BAR))
        assert isinstance(refusal, Refusal) and refusal.code == "LOCK_TIMEOUT"
        with pytest.raises(TimeoutError), other.hold(0.01):
            pass
    assert not server.monitor.lock.is_held


def test_a_failed_request_is_an_error_and_the_connection_remains_open(client: Client) -> None:
    with pytest.raises(WireError, match="not lists of days"):
        client.day(1, {})
    assert client.check({}) == OK


COMMIT = json.dumps({"do": "commit", "with": [meal(1, LION)]}).encode() + b"\n"


def ask(server: Server, *lines: bytes, token: str | None = None) -> list[Any]:
    """Send lines on a separate connection, and return the replies.

    Reading ends when all lines are answered or the server closes the connection.
    """
    wire = socket.socket(socket.AF_INET if isinstance(server.address, tuple) else socket.AF_UNIX)
    wire.settimeout(20)
    wire.connect(server.address if isinstance(server.address, tuple) else str(server.address))
    token = server.token if token is None else token
    with wire, wire.makefile("rb") as replies:
        if server.token is not None:
            wire.sendall(json.dumps({"do": "enter", "with": [token]}).encode() + b"\n")
            lines = (b"", *lines)
        with suppress(ConnectionError):  # a server that refuses the token may have closed the connection
            wire.sendall(b"".join(lines))
        answers = []
        for _ in lines:
            try:
                answers.append(json.loads(replies.readline()))
            except (ConnectionError, ValueError):
                break
        return answers[server.token is not None :]


@pytest.mark.parametrize(
    "line", [b"hello\n", b"[]\n", b'{"do": "exit"}\n', b"\xff\n", b'{"do": []}\n', b"[" * 99_999 + b"\n"]
)
def test_a_line_that_is_not_a_request_is_answered_with_an_error_and_ends_the_connection(
    server: Server, line: bytes
) -> None:
    (answer,) = ask(server, line, COMMIT)
    assert "not a request to a monitor" in answer["error"]
    assert server.monitor.tables()["meals"] == []


@pytest.mark.parametrize(
    "request_",
    [
        {"do": "release"},
        {"do": "check"},
        {"do": "check", "with": [1]},
        {"do": "acquire", "with": [10**400]},
        {"do": "day", "with": [10**400, {}]},
        {"do": "day", "with": [{}]},
        {"do": "rollback", "with": [[]]},
        {"do": "rollback", "with": [{}]},
    ],
)
def test_an_impossible_request_is_an_error_and_the_connection_remains_open(
    server: Server, request_: dict[str, Any]
) -> None:
    refused, reply = ask(server, json.dumps(request_).encode() + b"\n", COMMIT)
    assert "error" in refused or refused["reply"]["status"] == "refused"
    assert reply["reply"]["status"] == "accepted"


def test_a_web_page_cannot_write_to_a_monitor(server: Server) -> None:
    """A form on a web page can send any content to a local port, but only after an HTTP header."""
    head = b"POST / HTTP/1.1\r\nHost: evil.example\r\nContent-Type: text/plain\r\n\r\n"
    wire = socket.socket(socket.AF_INET if isinstance(server.address, tuple) else socket.AF_UNIX)
    wire.connect(server.address if isinstance(server.address, tuple) else str(server.address))
    with wire, wire.makefile("rb") as replies:
        wire.sendall(head + COMMIT)
        assert "error" in json.loads(replies.readline())
    assert server.monitor.tables()["meals"] == []


class TestToken:
    """A token is required on a port, since every user of the machine can reach it."""

    @pytest.fixture
    def server(self) -> Iterator[Server]:
        """Yield a server at a port."""
        with serve(Monitor(small_trip()), ("127.0.0.1", 0)) as made:
            yield made

    @pytest.mark.parametrize("token", ["", "x" * 43, "\ud800", "x" * 100_000])
    def test_requests_without_the_token_are_not_executed(self, server: Server, token: str) -> None:
        assert ask(server, COMMIT, token=token) == []
        with pytest.raises(WireError):
            connect(server.address, token)
        with pytest.raises(WireError, match="the monitor requires its token first"):
            connect(server.address)
        assert server.monitor.tables()["meals"] == []

    def test_the_token_comes_from_the_environment(self, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
        assert server.token is not None
        monkeypatch.setenv("PLANSPEC_MONITOR_TOKEN", server.token)
        with connect(server.address) as client:
            assert client.commit(meal(1, LION)) == OK

    def test_a_client_without_a_token_is_not_waited_for(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(wire_module, "ENTRANCE_S", 0.05)
        with serve(Monitor(small_trip()), ("127.0.0.1", 0)) as server:
            assert isinstance(server.address, tuple)
            with socket.create_connection(server.address) as wire:
                wire.settimeout(20)
                wire.sendall(b'{"do": "ent')
                assert wire.recv(1) == b""


@pytest.mark.parametrize(
    "cell", ["NaN", "1e999", '"\\ud800"', "[[[[1]]]]", "12345678901234567890123", '{"a": {}}', "0.5"]
)
def test_invalid_cells_are_refused_over_the_wire(server: Server, cell: str) -> None:
    row = '{"day": "2026-07-01", "meal": "lunch", "cafe": ' + cell + "}"
    line = '{"do": "commit", "with": [{"meals": [' + row + "]}]}\n"
    with connect(server.address, server.token) as client:
        client._socket.sendall(line.encode())
        reply = json.loads(client._file.readline())["reply"]
        assert reply["code"] in ("BAD_ACTION", "UNKNOWN_NAME")
        assert client.tables()["meals"] == []


def test_only_the_user_can_access_the_socket_file_and_it_is_removed_with_the_server(tmp_path: Path) -> None:
    place = tmp_path / "monitor"
    with serve(Monitor(small_trip()), place):
        assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert not place.exists()
    with pytest.raises(OSError):  # noqa: PT011
        connect(place)


def test_a_monitor_is_served_to_this_machine_only() -> None:
    with pytest.raises(ValueError, match="loopback"):
        serve(Monitor(small_trip()), ("0.0.0.0", 0))


@pytest.mark.parametrize(
    "reply",
    [
        OK,
        Accepted(False, "why"),
        Refusal("A", "b", "c", -3, (RowRef(table="t", key=None),), "m"),
        Refusal("A", None, "c"),
    ],
)
def test_a_reply_is_the_same_after_a_round_trip_through_json(reply: Accepted | Refusal) -> None:
    assert reply_of(json.loads(json.dumps(reply_json(reply)))) == reply
