"""A monitor for several processes: requests and replies as lines of JSON over a socket of this machine."""

from __future__ import annotations

import hmac
import json
import os
import secrets
import socket
import socketserver
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import date
from decimal import Decimal
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias

from planspec.monitor.monitor import Monitor
from planspec.monitor.replies import Accepted, Refusal, Reply, reply_json, reply_of

Address: TypeAlias = str | Path | tuple[str, int]
"""A socket's file, or a loopback host and a port."""
LONGEST_LINE = 10_000_000
"""Bytes of a request or reply."""
LONGEST_WAIT_S = 3600.0
"""The longest time that a client may ask to wait for the lock."""
ENTRANCE_S = 10.0
"""The time that a client on a port has to show its token."""
LONGEST_ENTRANCE = 1000
"""Bytes of the line with the token."""
TOKEN = "PLANSPEC_MONITOR_TOKEN"  # noqa: S105 a name
"""The variable of the environment from which clients take the token that they are not given."""


class WireError(RuntimeError):
    """The other end is gone, or did not understand."""


class Server:
    """Serves a monitor until it is closed, in threads of this process, one for each connection.

    A connection owns the lock as a thread would. When it ends, even because its process died, what it held is free.

    Args:
        monitor: what is served; this process may go on using it.
        address: a path, at which there must be nothing yet, for a socket that only this user can reach; or a
            loopback host with a port (0 takes a free one), which every user of the machine can reach: there a client has
            to show a token first.

    Raises:
        ValueError: the host is no loopback address.
        OSError: the address cannot be taken.

    Attributes:
        address: what to `connect` to.
        token: what clients on a port have to show; None where the address is a path.
    """

    def __init__(self, monitor: Monitor, address: Address) -> None:
        self.monitor = monitor
        if isinstance(address, tuple):
            if address[0] not in ("127.0.0.1", "localhost"):
                raise ValueError("a monitor is served on the loopback address 127.0.0.1 only")
            self._server: _Tcp | _Unix = _Tcp(address, _Connection)
            self.address: Address = ("127.0.0.1", int(self._server.server_address[1]))
        else:
            before = os.umask(0o177)  # no moment at which others could connect
            try:
                self._server = _Unix(str(address), _Connection)
            finally:
                os.umask(before)
            self.address = str(address)
        self.token = secrets.token_urlsafe(32) if isinstance(self.address, tuple) else None
        self._server.monitor, self._server.token = monitor, self.token
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Take no further connections; those that are open end with their clients."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        if isinstance(self.address, str):
            Path(self.address).unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Tcp(socketserver.ThreadingTCPServer):
    monitor: Monitor
    token: str | None
    request_queue_size = 64
    daemon_threads = True
    block_on_close = False


class _Unix(socketserver.ThreadingUnixStreamServer):
    monitor: Monitor
    token: str | None
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64


class _Connection(socketserver.StreamRequestHandler):
    """One client: its requests are done one after the other, in a thread of its own.

    A line that is no request ends the connection: what follows it, as the body of a form that a web page sent, is none
    of a client's.
    """

    server: _Tcp | _Unix

    def handle(self) -> None:
        monitor = self.server.monitor
        with suppress(OSError):
            if self.server.token is not None and not self._enters(self.server.token):
                return
            while line := self.rfile.readline(LONGEST_LINE + 1):
                if not line.endswith(b"\n"):
                    break  # half a request: its writer is gone
                try:
                    request = _read(line)
                except WireError as error:
                    self.wfile.write(_line({"error": str(error)}))
                    break
                self.wfile.write(_answered(monitor, request))

    def _enters(self, token: str) -> bool:
        """The client has shown the token in its first line."""
        self.connection.settimeout(ENTRANCE_S)
        line = self.rfile.readline(LONGEST_ENTRANCE)
        self.connection.settimeout(None)
        try:
            shown = json.loads(line)
            enters = shown["do"] == "enter" and hmac.compare_digest(
                str(shown["with"][0]).encode(), token.encode()
            )
        except (ValueError, LookupError, TypeError, RecursionError):
            enters = False
        self.wfile.write(_line({"reply": True} if enters else {"error": "the monitor wants its token first"}))
        return enters

    def finish(self) -> None:
        self.server.monitor.lock.drop(threading.get_ident())
        with suppress(OSError):
            super().finish()


def _line(value: Any) -> bytes:
    return json.dumps(value, default=str).encode() + b"\n"


def _read(line: bytes) -> tuple[Callable[..., Any], list[Any]]:
    """A request: what is asked for, and with what.

    Raises:
        WireError: the line is none.
    """
    try:
        request = json.loads(line, parse_float=Decimal)
        return _WORK[request["do"]], list(request.get("with", []))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise WireError(f"no request of a monitor: {type(error).__name__}") from None


def _answered(monitor: Monitor, request: tuple[Callable[..., Any], list[Any]]) -> bytes:
    work, args = request
    try:
        return _line({"reply": work(monitor, *args)})
    except Exception as error:  # noqa: BLE001 whatever a request brings about is told to its client alone
        return _line({"error": str(error) or type(error).__name__})


def _acquired(monitor: Monitor, timeout_s: Any = None) -> bool:
    return monitor.lock.acquire(None if timeout_s is None else min(float(timeout_s), LONGEST_WAIT_S))


def _released(monitor: Monitor) -> None:
    monitor.lock.release()


def _token(given: int | Refusal) -> Any:
    return given if isinstance(given, int) else reply_json(given)


_WORK: Mapping[str, Callable[..., Any]] = {
    "check": lambda monitor, action: reply_json(monitor.check(action)),
    "commit": lambda monitor, action: reply_json(monitor.commit(action)),
    "checkpoint": lambda monitor: _token(monitor.checkpoint()),
    "rollback": lambda monitor, token=None: reply_json(monitor.rollback(token)),
    "acquire": _acquired,
    "release": _released,
    "tables": lambda monitor: monitor.tables(),
    "answer": lambda monitor: monitor.answer(),
    "day": lambda monitor, number, entry: monitor.day(number, entry),
    "get_remaining_nights": lambda monitor, city, day=None: monitor.get_remaining_nights(city, day),
    "is_final_accommodation_day": lambda monitor, day: monitor.is_final_accommodation_day(day),
}
"""The calls of a client."""


def serve(monitor: Monitor, address: Address) -> Server:
    """Serve a monitor to other processes of this machine, in the background; see `Server`."""
    return Server(monitor, address)


def connect(address: Address, token: str | None = None) -> Client:
    """A monitor that another process serves; see `Client`."""
    return Client(address, token)


class Client:
    """The methods of a monitor that another process serves.

    Each connection owns the lock for itself, so each writer needs a client of its own; threads that share one take
    turns and hold the lock together.

    Args:
        address: `Server.address`.
        token: `Server.token`, where the address is a port; else the environment's `PLANSPEC_MONITOR_TOKEN`.

    Raises:
        OSError: nobody serves there.
        WireError: the token is not the monitor's.
    """

    def __init__(self, address: Address, token: str | None = None) -> None:
        if isinstance(address, tuple):
            self._socket = socket.create_connection(address)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        else:
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                self._socket.connect(str(address))
            except OSError:
                self._socket.close()
                raise
        self._file = self._socket.makefile("rb")
        self._turn = threading.Lock()
        if isinstance(address, tuple):
            try:
                self._ask("enter", token or os.environ.get(TOKEN, ""))
            except WireError:
                self.close()
                raise

    def check(self, action: Mapping[str, Any]) -> Reply:
        """See `Monitor.check`."""
        return reply_of(self._ask("check", action))

    def commit(self, action: Mapping[str, Any]) -> Reply:
        """See `Monitor.commit`."""
        return reply_of(self._ask("commit", action))

    def checkpoint(self) -> int | Refusal:
        """See `Monitor.checkpoint`."""
        given = self._ask("checkpoint")
        if isinstance(given, int):
            return given
        refusal = reply_of(given)
        assert not isinstance(refusal, Accepted)
        return refusal

    def rollback(self, token: int | None = None) -> Reply:
        """See `Monitor.rollback`."""
        return reply_of(self._ask("rollback", token))

    @contextmanager
    def hold(self, timeout_s: float | None = None) -> Iterator[None]:
        """See `Monitor.hold`.

        Raises:
            TimeoutError: others held the lock for too long.
        """
        if not self._ask("acquire", timeout_s):
            raise TimeoutError("the monitor's lock was not to be had in time")
        try:
            yield
        finally:
            self._ask("release")

    def tables(self) -> dict[str, Any]:
        """See `Monitor.tables`."""
        return dict(self._ask("tables"))

    def answer(self) -> Any:
        """See `Monitor.answer`."""
        return self._ask("answer")

    def day(self, number: int, entry: Mapping[str, Any]) -> dict[str, Any]:
        """See `Monitor.day`; what is wrong is a `WireError`."""
        return dict(self._ask("day", number, entry))

    def get_remaining_nights(self, city: str, day: int | str | date | None = None) -> int:
        """See `Monitor.get_remaining_nights`; what is wrong is a `WireError`."""
        return int(self._ask("get_remaining_nights", city, day))

    def is_final_accommodation_day(self, day: int | str | date) -> bool:
        """See `Monitor.is_final_accommodation_day`; what is wrong is a `WireError`."""
        return bool(self._ask("is_final_accommodation_day", day))

    def close(self) -> None:
        """End the connection; a lock that it holds is free then."""
        self._file.close()
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _ask(self, work: str, *args: Any) -> Any:
        with self._turn:
            try:
                self._socket.sendall(_line({"do": work, "with": args}))
                line = self._file.readline()
            except OSError as error:
                raise WireError(f"the monitor is gone: {error}") from error
        if not line.endswith(b"\n"):
            raise WireError("the monitor is gone")
        said = json.loads(line)
        if "error" in said:
            raise WireError(said["error"])
        return said["reply"]
