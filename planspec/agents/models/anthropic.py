"""Models behind Anthropic's service, or another that takes `POST /v1/messages`."""

from __future__ import annotations

import base64
import json
import os
import weakref
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from planspec.agents.agent import UnknownAgentError
from planspec.agents.models.chat import (
    Assistant,
    Chat,
    ChatRequestError,
    Message,
    Reply,
    Stopped,
    System,
    ToolResult,
    User,
)
from planspec.agents.models.kept_replies import reply_to
from planspec.agents.models.provider_replies import (
    ReplyModel,
    count,
    distinct,
    object_of,
    read_body,
    refusal,
    unreached,
    without_secrets,
)
from planspec.agents.pictures import Image
from planspec.agents.tools import Tool
from planspec.extras import needing

STOPPED: Mapping[str | None, Stopped] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "tool_use": "calls",
    "max_tokens": "length",
}
KEPT: Mapping[str, tuple[str, ...]] = {
    "thinking": ("thinking", "signature"),
    "redacted_thinking": ("data",),
}
"""Blocks that the service wants to see again before the results of the calls they led to, with their fields."""


class _Reply(ReplyModel):
    type: Literal["message"]
    content: list[dict[str, Any]]
    stop_reason: Any = None
    usage: Any = None
    model: Any = None


class AnthropicChat(Chat):
    """A model by its name.

    Args:
        model: as the service names it.
        base_url: of the service; None for Anthropic's own, or what the environment names.
        temperature: None to leave it to the service, which for its newer models takes no other.
        max_tokens: the most tokens of a reply; the service wants to be told.
        timeout_s: seconds after which one request is given up and repeated.
        api_key_env: the environment variable that holds the key. A service at a `base_url` of its own may need none.
        top_p: the share of the probability from which tokens are drawn; None to leave it to the service.
        extra_body: further fields of each request; they stand for planspec's own of the same name.

    Raises:
        UnknownAgentError: there is no key, and the service needs one.
        ModuleNotFoundError: the extra is not installed.
    """

    def __init__(
        self, model: str, *, base_url: str | None = None, temperature: float | None = None,
        max_tokens: int = 4096, timeout_s: float = 300.0, api_key_env: str = "ANTHROPIC_API_KEY",
        top_p: float | None = None, extra_body: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        with needing("anthropic", "Anthropic's models need an extra"):
            import anthropic
        key = os.environ.get(api_key_env)
        elsewhere = base_url or os.environ.get("ANTHROPIC_BASE_URL")
        if not key and not elsewhere:
            raise UnknownAgentError(f"the environment variable `{api_key_env}` holds no key")
        self._errors = anthropic
        self._client = anthropic.Anthropic(
            api_key=key or "none", base_url=elsewhere or None, max_retries=0, timeout=timeout_s
        )
        weakref.finalize(self, self._client.close)  # connections that are kept open end with the last user
        self._url = str(self._client.base_url)
        self._timeout = timeout_s
        self._about: dict[str, Any] = {"model": model, "temperature": temperature, "max_tokens": max_tokens}
        self._options: dict[str, Any] = {"model": model, "max_tokens": max_tokens}
        drawing = {"temperature": temperature, "top_p": top_p}
        body = {name: value for name, value in drawing.items() if value is not None} | dict(extra_body or {})
        if top_p is not None:
            self._about["top_p"] = top_p
        if extra_body:
            self._about["extra_body"] = dict(extra_body)
        if body:
            self._options["extra_body"] = body  # the client has no name for how to draw since 1.0

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool],
        *,
        seed: int | None,
        seconds: float,
        schema: Mapping[str, Any] | None = None,
    ) -> Reply:
        """Ask once. The service draws without a seed, and `schema` is in the prompt alone: neither is sent."""
        asked: dict[str, Any] = {
            **self._options,
            "messages": conversation(messages),
            "timeout": min(seconds, self._timeout),
        }
        system = "\n\n".join(message.text for message in messages if isinstance(message, System))
        if system:
            asked["system"] = system
        if tools:
            asked["tools"] = [
                {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
                for tool in tools
            ]
        return reply_to(self._url, asked, lambda: self._sent(asked), _read)

    def _sent(self, asked: Mapping[str, Any]) -> bytes:
        """The body of the response to a request."""
        try:
            raw = self._client.messages.with_raw_response.create(**asked)
        except self._errors.APIStatusError as error:
            raise refusal(error) from None
        except self._errors.APIConnectionError as error:
            raise unreached(error) from None
        except self._errors.AnthropicError as error:
            raise ChatRequestError(f"{type(error).__name__}: {error}"[:500], passing=False) from None
        body: bytes = raw.http_response.content
        return body

    def about(self) -> dict[str, Any]:
        """The model, the service and the options."""
        return {
            **self._about,
            "base_url": without_secrets(self._url),
            "client": f"anthropic {self._errors.__version__}",
        }


def conversation(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Messages as the service takes them: both sides by turns, and nothing empty."""
    made: list[dict[str, Any]] = []
    for message in messages:
        role, blocks = _written(message)
        if blocks and made and made[-1]["role"] == role:
            made[-1]["content"] += blocks
        elif blocks:
            made.append({"role": role, "content": blocks})
    return made


def _written(message: Message) -> tuple[str, list[dict[str, Any]]]:
    match message:
        case System():
            return "system", []
        case User(text, images):
            return "user", [*_says(text), *(block for image in images for block in _pictured(image))]
        case Assistant(text, calls, kept):
            thoughts = list(kept) if isinstance(kept, tuple) else []
            uses = [
                {"type": "tool_use", "id": call.id, "name": call.name, "input": object_of(call.arguments)}
                for call in calls
            ]
            return "assistant", [*thoughts, *_says(text), *uses]
        case ToolResult(id, _, text, images):
            shown = [*_says(text), *(block for image in images for block in _pictured(image))]
            return "user", [{"type": "tool_result", "tool_use_id": id, "content": shown if images else text}]


def _says(text: str | None) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text}] if text and text.strip() else []


def _pictured(image: Image) -> list[dict[str, Any]]:
    data = base64.b64encode(image.data).decode("ascii")
    source = {"type": "base64", "media_type": image.media, "data": data}
    return [*_says(image.title), {"type": "image", "source": source}]


def _read(body: bytes) -> Reply:
    sent = read_body(_Reply, body)
    texts: list[str] = []
    thoughts: list[str] = []
    kept: list[dict[str, Any]] = []
    calls: list[tuple[str | None, str, str]] = []
    for block in sent.content:
        match block:
            case {"type": "text", "text": str(text)}:
                texts.append(text)
            case {"type": "tool_use", "name": str(name), "input": dict(given)}:
                own = block.get("id")
                called = json.dumps(given, ensure_ascii=False)
                calls.append((own if isinstance(own, str) else None, name, called))
            case {"type": "tool_use" | "text"}:
                raise ChatRequestError(
                    f"a block of the service's reply has another shape: {block}"[:500], passing=True
                )
            case {"type": "thinking" | "redacted_thinking" as kind}:
                kept.append({"type": kind, **{name: block[name] for name in KEPT[kind] if name in block}})
                thoughts += [said for said in (block.get("thinking"),) if isinstance(said, str)]
    usage = sent.usage if isinstance(sent.usage, Mapping) else {}
    given_tokens = [
        count(usage.get(name))
        for name in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    ]
    stopped = STOPPED.get(sent.stop_reason if isinstance(sent.stop_reason, str) else None, "other")
    return Reply(
        text="".join(texts) or None,
        calls=distinct(calls),
        thinking="\n".join(thoughts) or None,
        input=None if given_tokens[0] is None else sum(number or 0 for number in given_tokens),
        cached=count(usage.get("cache_read_input_tokens")),
        output=count(usage.get("output_tokens")),
        stopped=stopped,
        served=sent.model if isinstance(sent.model, str) else None,
        kept=tuple(kept) or None,
    )
