"""A scripted service on the loopback interface, in the wire formats of OpenAI and Anthropic."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True)
class Response:
    """A scripted HTTP response.

    Attributes:
        declared_length: value of the header `content-length`, which may be wrong; None for the length of the body.
        before_s: seconds before anything is sent.
        drip_s: seconds between the bytes of the body.
    """

    body: Any = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    declared_length: int | None = None
    before_s: float = 0.0
    drip_s: float = 0.0

    @property
    def data(self) -> bytes:
        """Body of the response as bytes."""
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


@dataclass(frozen=True)
class Request:
    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


class Service:
    """A service that sends responses one after the other, and repeats the last one."""

    def __init__(self, *responses: Response | dict[str, Any]) -> None:
        self.set_responses(*responses)
        self._over = threading.Event()
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                place = len(service.requests)
                service.requests.append(Request(self.path, headers, json.loads(body)))
                service._respond(self, service._responses[min(place, len(service._responses) - 1)])

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    def set_responses(self, *responses: Response | dict[str, Any]) -> None:
        """Replace the scripted responses that are still to be sent."""
        self._responses = [r if isinstance(r, Response) else Response(r) for r in responses]
        self.requests: list[Request] = []

    def _respond(self, handler: BaseHTTPRequestHandler, response: Response) -> None:
        """Send a scripted response."""
        self._over.wait(response.before_s)
        data = response.data
        try:
            handler.send_response(response.status)
            for name, value in response.headers.items():
                handler.send_header(name, value)
            handler.send_header("content-type", "application/json")
            handler.send_header("content-length", str(response.declared_length or len(data)))
            handler.end_headers()
            if not response.drip_s:
                handler.wfile.write(data)
            for byte in data if response.drip_s else b"":
                if self._over.wait(response.drip_s):
                    break
                handler.wfile.write(bytes([byte]))
        except OSError:  # the client has disconnected
            pass
        handler.close_connection = True

    @property
    def url(self) -> str:
        """URL of the service."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._over.set()
        self._server.shutdown()
        self._server.server_close()


def openai_reply(
    text: str | None = None,
    *calls: tuple[str, str],
    input_tokens: int = 11,
    output_tokens: int = 7,
    stop: str = "stop",
) -> dict[str, Any]:
    """Return the JSON of an OpenAI chat completion. Each call is a tool's name and its arguments as text."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [
            {"id": f"call_{place}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for place, (name, arguments) in enumerate(calls)
        ]
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "loopback-1",
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if calls else stop}],
        "usage": {
            "prompt_tokens": input_tokens,
            "completion_tokens": output_tokens,
            "total_tokens": input_tokens + output_tokens,
        },
    }


def anthropic_reply(*content: dict[str, Any], stop: str = "end_turn", **usage: int) -> dict[str, Any]:
    """Return the JSON of an Anthropic message with content blocks."""
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "loopback-1",
        "content": list(content),
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": 11, "output_tokens": 7} | usage,
    }


def free_port() -> int:
    """Return a port on which nothing listens."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def becomes_true(condition: Callable[[], bool], seconds: float) -> bool:
    """Return whether a condition becomes true within a number of seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return condition()
