"""Access to a monitor from other processes, by JSON lines over a local socket."""

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
from decimal import Decimal
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias

from planspec.family.descriptor import Lazy, Part
from planspec.family.registry import family_of
from planspec.monitor.monitor import Monitor
from planspec.monitor.replies import Accepted, Refusal, Reply, reply_json, reply_of

Methods: TypeAlias = Mapping[str, Callable[..., Any]]
"""Functions that clients can call, by name. They take the monitor, and the arguments in a request."""
MONITOR_CALLS: Part[Mapping[str, Lazy[Callable[..., Any]]]] = Part("monitor_calls", {})
"""Functions that a family adds to the monitors of its tasks. They take the monitor and JSON, and return JSON."""
Address: TypeAlias = str | Path | tuple[str, int]
"""Path of a socket, or a loopback host and a port."""
LONGEST_LINE = 10_000_000
"""Maximum length of a request or reply, in bytes."""
LONGEST_WAIT_S = 3600.0
"""Maximum seconds that a client may wait for the lock."""
ENTRANCE_S = 10.0
"""Seconds within which a client on a port must send its token."""
LONGEST_ENTRANCE = 1000
"""Maximum length of the line with a token, in bytes."""
TOKEN = "PLANSPEC_MONITOR_TOKEN"  # noqa: S105 a name
"""Environment variable with the token, for clients that get none as an argument."""


class WireError(RuntimeError):
    """The connection was closed by the other side, or the server rejected a request."""


class Server:
    """Server of a monitor. Each connection has a thread of this process.

    A connection holds the lock as a thread would. The lock is released when the connection ends, even if the client's
    process died.

    Args:
        monitor: the monitor; this process may continue to use it.
        address: path at which nothing exists yet, for a socket that only this user can reach; or a loopback host with a
            port (0 for a free one). All users of the machine can reach a port, so clients must first send a token.

    Raises:
        ValueError: the host is not a loopback address.
        OSError: the address is not available.

    Attributes:
        address: address for `connect`.
        token: token that clients on a port must send; None for a path.
    """

    def __init__(self, monitor: Monitor, address: Address) -> None:
        self.monitor = monitor
        if isinstance(address, tuple):
            if address[0] not in ("127.0.0.1", "localhost"):
                raise ValueError("a monitor is served on the loopback address 127.0.0.1 only")
            self._server: _Tcp | _Unix = _Tcp(address, _Connection)
            self.address: Address = ("127.0.0.1", int(self._server.server_address[1]))
        else:
            old_mask = os.umask(0o177)  # the socket must be closed to other users from its creation
            try:
                self._server = _Unix(str(address), _Connection)
            finally:
                os.umask(old_mask)
            self.address = str(address)
        self.token = secrets.token_urlsafe(32) if isinstance(self.address, tuple) else None
        self._server.monitor, self._server.token = monitor, self.token
        self._server.methods = {**_METHODS, **_family_methods(monitor)}
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop accepting connections. Open connections end when their clients do."""
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
    methods: Methods
    token: str | None
    request_queue_size = 64
    daemon_threads = True
    block_on_close = False


class _Unix(socketserver.ThreadingUnixStreamServer):
    monitor: Monitor
    methods: Methods
    token: str | None
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64


class _Connection(socketserver.StreamRequestHandler):
    """The connection of a client. Its requests run one after the other, in one thread.

    A line that is not a request ends the connection: it does not come from a client, but perhaps from a web page that
    sends an HTTP request.
    """

    server: _Tcp | _Unix

    def handle(self) -> None:
        monitor = self.server.monitor
        with suppress(OSError):
            if self.server.token is not None and not self._check_token(self.server.token):
                return
            while line := self.rfile.readline(LONGEST_LINE + 1):
                if not line.endswith(b"\n"):
                    break  # an incomplete request, because the client has disconnected
                try:
                    request = _parse_request(line, self.server.methods)
                except WireError as error:
                    self.wfile.write(_encode_line({"error": str(error)}))
                    break
                self.wfile.write(_reply_line(monitor, request))

    def _check_token(self, token: str) -> bool:
        """Check the token in the client's first line, and send the reply. Return whether it is right."""
        self.connection.settimeout(ENTRANCE_S)
        line = self.rfile.readline(LONGEST_ENTRANCE)
        self.connection.settimeout(None)
        try:
            request = json.loads(line)
            is_valid = request["do"] == "enter" and hmac.compare_digest(
                str(request["with"][0]).encode(), token.encode()
            )
        except (ValueError, LookupError, TypeError, RecursionError):
            is_valid = False
        self.wfile.write(
            _encode_line({"reply": True} if is_valid else {"error": "the monitor requires its token first"})
        )
        return is_valid

    def finish(self) -> None:
        self.server.monitor.lock.drop(threading.get_ident())
        with suppress(OSError):
            super().finish()


def _encode_line(value: Any) -> bytes:
    return json.dumps(value, default=str).encode() + b"\n"


def _parse_request(line: bytes, methods: Methods) -> tuple[Callable[..., Any], list[Any]]:
    """Parse a request into a function and its arguments.

    Raises:
        WireError: the line is not a request.
    """
    try:
        request = json.loads(line, parse_float=Decimal)
        return methods[request["do"]], list(request.get("with", []))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise WireError(f"not a request to a monitor: {type(error).__name__}") from None


def _reply_line(monitor: Monitor, request: tuple[Callable[..., Any], list[Any]]) -> bytes:
    method, args = request
    try:
        return _encode_line({"reply": method(monitor, *args)})
    except Exception as error:  # noqa: BLE001 any failure of a request is reported to its client alone
        return _encode_line({"error": str(error) or type(error).__name__})


def _acquire(monitor: Monitor, timeout_s: Any = None) -> bool:
    return monitor.lock.acquire(None if timeout_s is None else min(float(timeout_s), LONGEST_WAIT_S))


def _release(monitor: Monitor) -> None:
    monitor.lock.release()


def _checkpoint_json(reply: int | Refusal) -> Any:
    return reply if isinstance(reply, int) else reply_json(reply)


_METHODS: Methods = {
    "check": lambda monitor, action: reply_json(monitor.check(action)),
    "commit": lambda monitor, action: reply_json(monitor.commit(action)),
    "checkpoint": lambda monitor: _checkpoint_json(monitor.checkpoint()),
    "rollback": lambda monitor, token=None: reply_json(monitor.rollback(token)),
    "acquire": _acquire,
    "release": _release,
    "tables": lambda monitor: monitor.tables(),
    "answer": lambda monitor: monitor.answer(),
    "day": lambda monitor, number, entry: monitor.day(number, entry),
}
"""Functions of a monitor that clients can call, by the name in a request."""


def _family_methods(monitor: Monitor) -> Methods:
    """Return the functions that the task's family adds to its monitors."""
    return {name: function.load() for name, function in MONITOR_CALLS.of(family_of(monitor.task.family)).items()}


def serve(monitor: Monitor, address: Address) -> Server:
    """Serve a monitor to other processes of this machine, in the background; see `Server`."""
    return Server(monitor, address)


def connect(address: Address, token: str | None = None) -> Client:
    """Connect to a monitor that another process serves; see `Client`."""
    return Client(address, token)


class Client:
    """A client of a monitor in another process. It has the monitor's methods.

    The lock belongs to a connection, so each writer needs its own client. Threads that share a client take turns, and
    share the lock.

    Args:
        address: the server's `address`.
        token: the server's `token`, for an address with a port; by default `PLANSPEC_MONITOR_TOKEN` from the
            environment.

    Raises:
        OSError: no server listens at the address.
        WireError: the token is wrong.
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
        self._mutex = threading.Lock()
        if isinstance(address, tuple):
            try:
                self._call("enter", token or os.environ.get(TOKEN, ""))
            except WireError:
                self.close()
                raise

    def check(self, action: Mapping[str, Any]) -> Reply:
        """See `Monitor.check`."""
        return reply_of(self._call("check", action))

    def commit(self, action: Mapping[str, Any]) -> Reply:
        """See `Monitor.commit`."""
        return reply_of(self._call("commit", action))

    def checkpoint(self) -> int | Refusal:
        """See `Monitor.checkpoint`."""
        reply = self._call("checkpoint")
        if isinstance(reply, int):
            return reply
        refusal = reply_of(reply)
        assert not isinstance(refusal, Accepted)
        return refusal

    def rollback(self, token: int | None = None) -> Reply:
        """See `Monitor.rollback`."""
        return reply_of(self._call("rollback", token))

    @contextmanager
    def hold(self, timeout_s: float | None = None) -> Iterator[None]:
        """See `Monitor.hold`.

        Raises:
            TimeoutError: the lock was not available in time.
        """
        if not self._call("acquire", timeout_s):
            raise TimeoutError("the monitor's lock was not available in time")
        try:
            yield
        finally:
            self._call("release")

    def tables(self) -> dict[str, Any]:
        """See `Monitor.tables`."""
        return dict(self._call("tables"))

    def answer(self) -> Any:
        """See `Monitor.answer`."""
        return self._call("answer")

    def day(self, number: int, entry: Mapping[str, Any]) -> dict[str, Any]:
        """See `Monitor.day`. Errors are raised as `WireError`."""
        return dict(self._call("day", number, entry))

    def call(self, name: str, *args: Any) -> Any:
        """Call a function that the task's family adds to its monitors. Errors are raised as `WireError`.

        Args:
            name: name of the function.
            args: arguments of the function after the monitor, as JSON.
        """
        return self._call(name, *args)

    def close(self) -> None:
        """End the connection. If it holds the lock, the lock is released."""
        self._file.close()
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _call(self, method: str, *args: Any) -> Any:
        with self._mutex:
            try:
                self._socket.sendall(_encode_line({"do": method, "with": args}))
                line = self._file.readline()
            except OSError as error:
                raise WireError(f"the monitor is gone: {error}") from error
        if not line.endswith(b"\n"):
            raise WireError("the monitor is gone")
        reply = json.loads(line)
        if "error" in reply:
            raise WireError(reply["error"])
        return reply["reply"]
