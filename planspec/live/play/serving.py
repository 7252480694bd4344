"""The server of `planspec play`: one page and one stream of events for each task, on this machine alone, behind a token."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from contextlib import suppress
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import parse_qs, urlsplit

from planspec.live.panel.page import panel_program, panel_style
from planspec.live.play.watching import follow
from planspec.report.assets import joined, policy

LOOPBACK = "127.0.0.1"


class PlayServer:
    """A server that follows tasks.

    Args:
        tasks: each with its name on the page.
        port: to listen at; 0 for a free one.
        seconds: for each question to a solver.
        answer: the file of an answer to the first task.
        proofs: ask solvers at all.

    Raises:
        OSError: nobody can listen there.
    """

    def __init__(
        self, tasks: Sequence[tuple[str, Path]], port: int, seconds: float, answer: Path | None = None, *, proofs: bool = True
    ) -> None:  # fmt: skip
        self._ending = Event()
        self._token = secrets.token_urlsafe(16)
        handler = type("Handler", (_Handler,), {
            "token": self._token, "tasks": tuple(tasks), "seconds": seconds, "answer": answer, "proofs": proofs,
            "ending": self._ending, "page": _page([name for name, _ in tasks]),
        })  # fmt: skip
        self._server = ThreadingHTTPServer((LOOPBACK, port), handler)
        self._server.daemon_threads = True

    @property
    def url(self) -> str:
        """Where the page is; who does not know it is turned away."""
        return f"http://{LOOPBACK}:{self._server.server_port}/{self._token}/"

    def serve(self) -> None:
        """Answer until `close` is called, or a signal comes."""
        self._server.serve_forever(poll_interval=0.2)

    def close(self) -> None:
        """End all streams and their proofs, and stop listening."""
        self._ending.set()
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    """Answers one request. The class is made for each server, with what it serves."""

    protocol_version = "HTTP/1.1"
    server_version, sys_version = "planspec", ""
    token: str
    tasks: tuple[tuple[str, Path], ...]
    seconds: float
    answer: Path | None
    proofs: bool
    ending: Event
    page: bytes

    def do_GET(self) -> None:
        """The page, or the stream of one task."""
        asked = urlsplit(self.path)
        host = (self.headers.get("Host") or "").rpartition(":")[0]
        if host not in (LOOPBACK, "localhost") or not secrets.compare_digest(
            asked.path.split("/")[1], self.token
        ):
            self.send_error(HTTPStatus.FORBIDDEN, "not this address")
            return
        match asked.path.split("/")[2:]:
            case [""]:
                self._send("text/html; charset=utf-8", self.page)
            case ["events"]:
                self._stream(parse_qs(asked.query))
            case _:
                self.send_error(HTTPStatus.NOT_FOUND, "nothing is here")

    def _send(self, media: str, body: bytes) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", media)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, asked: dict[str, list[str]]) -> None:
        number = asked.get("task", ["0"])[0]
        if not number.isdecimal() or int(number) >= len(self.tasks):
            self.send_error(HTTPStatus.NOT_FOUND, "there is no such task")
            return
        self.close_connection = True
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Connection", "close")
        self.end_headers()
        _, path = self.tasks[int(number)]
        answer = self.answer if int(number) == 0 else None
        with suppress(BrokenPipeError, ConnectionResetError):  # the page was closed
            for told in follow(path, self.seconds, answer, proofs=self.proofs, ended=self.ending.is_set):
                data = (
                    b": still here\n\n"
                    if told is None
                    else f"data: {told.model_dump_json(exclude_defaults=True)}\n\n".encode()
                )
                self.wfile.write(data)
                self.wfile.flush()

    def log_message(self, *_: Any) -> None:
        """Say nothing of requests."""


def _page(names: Sequence[str]) -> bytes:
    style = panel_style() + "\n" + joined(("play.css",), __package__)
    program = panel_program(joined(("play.js",), __package__))
    told = escape(json.dumps(list(names)))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{escape(policy(style, program, "'self'"))}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>planspec play</title>
<style>{style}</style>
</head>
<body class="panel-page">
<div class="play">
<nav id="tasks" aria-label="Tasks" data-names="{told}"></nav>
<main id="panel-place" tabindex="-1"><p class="empty">Reading …</p></main>
</div>
<p id="lost" class="lost" role="alert" hidden>The connection is lost: is <code>planspec play</code> still running?</p>
<noscript><p class="note">The panel is drawn by the page's own program, which is switched off here.</p></noscript>
<script>{program}</script>
</body>
</html>
""".encode()
