"""Over a socket a monitor does the same as at hand."""

from __future__ import annotations

import json
import socket
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from planspec.monitor import OK, Accepted, Client, Monitor, Refusal, Server, WireError, connect, serve
from planspec.monitor.replies import reply_json, reply_of
from planspec.verifiers.verdict import RowRef
from tests.planspec.monitor.small_trip import small_trip
from tests.planspec.monitor.test_monitor import BAR, INN, LION, day, meal


@pytest.fixture(params=["file", "port"])
def server(request: Any, tmp_path: Path) -> Iterator[Server]:
    address: Any = tmp_path / "monitor" if request.param == "file" else ("127.0.0.1", 0)
    with serve(Monitor(small_trip(), timeout_s=20.0), address) as made:
        yield made


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    with connect(server.address) as made:
        yield made


def test_the_same_actions_have_the_same_replies(client: Client) -> None:
    here = Monitor(small_trip())
    for action in (
        meal(1, LION),
        meal(2, LION),
        day(1, city="Oslo"),
        day(1, hotel=INN),
        meal(1, "Nowhere"),
        {"x": 1},
    ):
        assert client.check(action) == here.check(action)
        assert client.commit(action) == here.commit(action)
    assert client.tables() == here.tables() == client.answer()
    assert client.get_remaining_nights("Rome", 2) == 2
    assert client.is_final_accommodation_day("2026-07-03")


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
    with connect(server.address) as other, client.hold(), client.hold():
        assert client.commit(meal(1, LION)) == OK
        refusal = other.commit(meal(2, BAR))
        assert isinstance(refusal, Refusal) and refusal.code == "LOCK_TIMEOUT"
        with pytest.raises(TimeoutError), other.hold(0.01):
            pass
    assert not server.monitor.lock.held


def test_what_is_wrong_is_an_error_of_the_client_and_the_connection_goes_on(client: Client) -> None:
    with pytest.raises(WireError, match="no city is called `Paris`"):
        client.get_remaining_nights("Paris")
    with pytest.raises(WireError, match="no lists of days"):
        client.day(1, {})
    assert client.check({}) == OK


@pytest.mark.parametrize(
    "line", [b"hello\n", b"[]\n", b'{"do": "exit"}\n', b'{"do": "release"}\n', b"\xff\n"]
)
def test_nonsense_is_answered_with_an_error(server: Server, line: bytes) -> None:
    if isinstance(server.address, tuple):
        wire = socket.create_connection(server.address)
    else:
        wire = socket.socket(socket.AF_UNIX)
        wire.connect(str(server.address))
    with wire, wire.makefile("rb") as replies:
        wire.sendall(line)
        assert "error" in json.loads(replies.readline())


@pytest.mark.parametrize(
    "cell", ["NaN", "1e999", '"\\ud800"', "[[[[1]]]]", "12345678901234567890123", '{"a": {}}', "0.5"]
)
def test_odd_cells_are_refused_over_the_wire(server: Server, cell: str) -> None:
    row = '{"day": "2026-07-01", "meal": "lunch", "cafe": ' + cell + "}"
    line = '{"do": "commit", "with": [{"meals": [' + row + "]}]}\n"
    with connect(server.address) as client:
        client._socket.sendall(line.encode())
        reply = json.loads(client._file.readline())["reply"]
        assert reply["code"] in ("BAD_ACTION", "UNKNOWN_NAME")
        assert client.tables()["meals"] == []


def test_only_the_user_can_reach_the_file_and_it_goes_with_the_server(tmp_path: Path) -> None:
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
def test_a_reply_is_the_same_once_it_was_json(reply: Accepted | Refusal) -> None:
    assert reply_of(json.loads(json.dumps(reply_json(reply)))) == reply
