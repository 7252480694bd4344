"""A local server with the interface of OpenAI's chat completions and scripted replies."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = str | list[tuple[str, dict[str, Any] | str]]
"""Text of a message, or its calls. A call is a tool name with arguments: an object, or possibly invalid JSON text."""


class ScriptedModels:
    """Scripted models of the server, and the requests to them.

    Attributes:
        url: address of the server for clients.
        replies: remaining replies, by model.
        requests: bodies of the requests, by model.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.replies: dict[str, list[Reply]] = {}
        self.requests: dict[str, list[dict[str, Any]]] = {}

    def add_model(self, *replies: Reply) -> str:
        """Add a model with these replies, and return its name."""
        name = f"model-{len(self.replies)}"
        self.replies[name], self.requests[name] = list(replies), []
        return name

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return the next message of the model that a request names."""
        self.requests[body["model"]].append(body)
        reply = self.replies[body["model"]].pop(0)
        if isinstance(reply, str):
            return {"role": "assistant", "content": reply}
        return {
            "role": "assistant",
            "content": None,
            "tool_calls": [_tool_call(*each, index) for index, each in enumerate(reply)],
        }


def _tool_call(name: str, arguments: dict[str, Any] | str, index: int) -> dict[str, Any]:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": f"call-{index}", "type": "function", "function": {"name": name, "arguments": text}}


@contextmanager
def scripted_server() -> Iterator[ScriptedModels]:
    """Run a server while the context is open."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            message = script.answer(body)
            stop = "tool_calls" if message.get("tool_calls") else "stop"
            usage = {"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 8}
            head = {"id": "c", "created": 0, "model": body["model"], "usage": usage}
            if body.get("stream"):
                delta = dict(message)
                if calls := message.get("tool_calls"):
                    delta["tool_calls"] = [{**call, "index": place} for place, call in enumerate(calls)]
                chunks = [
                    {
                        **head,
                        "object": "chat.completion.chunk",
                        "choices": [{"index": 0, "delta": delta, "finish_reason": None}],
                    },
                    {
                        **head,
                        "object": "chat.completion.chunk",
                        "choices": [{"index": 0, "delta": {}, "finish_reason": stop}],
                    },
                ]
                self._send(
                    "text/event-stream",
                    "".join(f"data: {json.dumps(each)}\n\n" for each in chunks) + "data: [DONE]\n\n",
                )
            else:
                choice = {"index": 0, "message": message, "finish_reason": stop}
                self._send("application/json", json.dumps({**head, "object": "chat.completion", "choices": [choice]}))

        def _send(self, kind: str, text: str) -> None:
            data = text.encode()
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    script = ScriptedModels(f"http://127.0.0.1:{server.server_address[1]}/v1")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield script
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
