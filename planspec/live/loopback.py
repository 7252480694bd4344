"""Servers on this machine alone: behind a token in their address, deaf to other hosts' names, with pages and streams of events."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import BoundedSemaphore, Event
from typing import Any, TypeAlias
from urllib.parse import parse_qs

from planspec.report.assets import policy
from planspec.serving.transports import SLOW_S

LOOPBACK = "127.0.0.1"
NAMES = (LOOPBACK, "localhost")
MOST_CONNECTIONS = 64
"""The most connections at a time, each with a thread; a further one is closed."""
MOST_STREAMS = 8
"""The most streams at a time; a further one is refused (503)."""
BEAT_S = 1.0
"""Seconds after which a stream says something even where nothing changes, so that a listener who has left is noticed."""
Query: TypeAlias = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Document:
    """A whole answer."""

    media: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Events:
    """A stream of events: each a line of JSON, or None to say that the stream is alive."""

    lines: Iterator[str | None]


Answer: TypeAlias = Document | Events | None
"""None: nothing is there."""
_LEFT = (ConnectionError, TimeoutError)
Route: TypeAlias = Callable[[Query], Answer]


class LoopbackServer:
    """A server for the browser of who began it.

    Args:
        routes: what answers at each path; the page is at the empty one.
        port: to listen at; 0 for a free one.

    Attributes:
        ending: is set when streams are to end.

    Raises:
        OSError: nobody can listen there.
    """

    def __init__(self, routes: Mapping[str, Route], port: int) -> None:
        self.ending = Event()
        self._token = secrets.token_urlsafe(16)
        served = {"token": self._token, "routes": dict(routes), "streams": BoundedSemaphore(MOST_STREAMS)}
        self._server = _Server((LOOPBACK, port), type("Handler", (_Handler,), served))

    @property
    def url(self) -> str:
        """Where the page is; who does not know it is turned away."""
        return f"http://{LOOPBACK}:{self._server.server_port}/{self._token}/"

    def serve(self) -> None:
        """Answer until `close` is called, or a signal comes."""
        self._server.serve_forever(poll_interval=0.2)

    def close(self) -> None:
        """End all streams, and stop listening."""
        self.ending.set()
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    """Answers each connection in a thread of its own, of which there are not too many."""

    daemon_threads = True

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        self._free = BoundedSemaphore(MOST_CONNECTIONS)
        super().__init__(address, handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer a connection, or close it."""
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer a connection in its thread."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Tell of an error, except of a client that has left: browsers leave at any moment."""
        if not isinstance(sys.exception(), _LEFT):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """Answers one request. The class is made for each server, with what it serves."""

    protocol_version = "HTTP/1.1"
    server_version, sys_version = "planspec", ""
    timeout = SLOW_S
    token: str
    routes: dict[str, Route]
    streams: BoundedSemaphore

    def do_GET(self) -> None:
        """What a route answers."""
        path, _, asked = self.path.partition("?")
        host = (self.headers.get("Host") or "").rpartition(":")[0]
        token, *rest = path.removeprefix("/").split("/")
        if host not in NAMES or not secrets.compare_digest(
            token.encode("utf-8", "surrogateescape"), self.token.encode()
        ):
            self.send_error(HTTPStatus.FORBIDDEN, "not this address")
            return
        route = self.routes.get("/".join(rest)) if rest else None
        answer = None if route is None else route({name: told[0] for name, told in parse_qs(asked).items()})
        match answer:
            case None:
                self.send_error(HTTPStatus.NOT_FOUND, "nothing is here")
            case Document():
                self._send(answer)
            case Events():
                if self.streams.acquire(blocking=False):
                    try:
                        self._stream(answer)
                    finally:
                        self.streams.release()
                else:
                    self.send_error(HTTPStatus.SERVICE_UNAVAILABLE, "too many pages are open")

    def _send(self, answer: Document) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", answer.media)
        self.send_header("Content-Length", str(len(answer.body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(answer.body)

    def _stream(self, answer: Events) -> None:
        self.close_connection = True
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Connection", "close")
        self.end_headers()
        # Who closes the page breaks the connection: the stream, and what it has begun, end with it.
        with suppress(*_LEFT), closing(answer.lines):  # type: ignore[type-var]
            for told in answer.lines:
                self.wfile.write(b": still here\n\n" if told is None else f"data: {told}\n\n".encode())
                self.wfile.flush()

    def log_message(self, *_: Any) -> None:
        """Say nothing of requests."""


def live_page(title: str, body: str, style: str, program: str) -> Document:
    """A page that draws itself, and may ask nobody but its own server.

    Args:
        title: of the page.
        body: its markup.
        style: its style sheet.
        program: its program.
    """
    return Document(
        "text/html; charset=utf-8",
        f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{escape(policy(style, program, "'self'"))}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>{escape(title)}</title>
<style>{style}</style>
</head>
{body}
<script>{program}</script>
</html>
""".encode(),
    )


def attribute(values: Sequence[str]) -> str:
    """Texts as one attribute of an element."""
    import json

    return escape(json.dumps(list(values)))
