"""Models behind Anthropic's service, or another service with the same interface (`POST /v1/messages`)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, Literal

from planspec.agents.models.chat import (
    Assistant,
    Chat,
    ChatRequestError,
    Message,
    Reply,
    StopReason,
    System,
    ToolResult,
    User,
)
from planspec.agents.models.provider_replies import (
    ReplyModel,
    arguments_object,
    parse_count,
    read_body,
    with_unique_ids,
)
from planspec.agents.models.service_client import ServiceClient
from planspec.agents.pictures import Image
from planspec.agents.tools import Tool
from planspec.extras import needing

STOPPED: Mapping[str | None, StopReason] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "tool_use": "calls",
    "max_tokens": "length",
}
RETURNED_FIELDS: Mapping[str, tuple[str, ...]] = {
    "thinking": ("thinking", "signature"),
    "redacted_thinking": ("data",),
}
"""Fields of reasoning blocks, by type of block.

A reasoning block before calls must be repeated in the request with the calls' results.
"""


class _AnthropicReply(ReplyModel):
    type: Literal["message"]
    content: list[dict[str, Any]]
    stop_reason: Any = None
    usage: Any = None
    model: Any = None


class AnthropicChat(Chat):
    """A model of Anthropic's service or a compatible one.

    Args:
        model: name of the model at the service.
        base_url: address of the service; None for the address in the environment or, without one, Anthropic's own.
        temperature: sampling temperature; None for the service's default, which newer models require.
        max_tokens: maximum number of tokens in a reply. The service requires it.
        timeout_s: seconds after which a request without a reply is repeated.
        api_key_env: environment variable with the key. With a `base_url`, it may be unset.
        top_p: probability mass from which tokens are drawn; None for the service's default.
        extra_body: further fields of each request; they override planspec's own.

    Raises:
        UnknownAgentError: the service needs a key and none is set.
        ModuleNotFoundError: the extra is not installed.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        temperature: float | None = None,
        max_tokens: int = 4096,
        timeout_s: float = 300.0,
        api_key_env: str = "ANTHROPIC_API_KEY",
        top_p: float | None = None,
        extra_body: Mapping[str, Any] | None = None,
    ) -> None:
        with needing("anthropic", "Anthropic's models need an extra"):
            import anthropic
        self._service = ServiceClient(
            anthropic,
            anthropic.Anthropic,
            anthropic.AnthropicError,
            base_url=base_url,
            url_env="ANTHROPIC_BASE_URL",
            api_key_env=api_key_env,
            timeout_s=timeout_s,
        )
        self._constrains = False
        self._about: dict[str, Any] = {"model": model, "temperature": temperature, "max_tokens": max_tokens}
        self._options: dict[str, Any] = {"model": model, "max_tokens": max_tokens}
        sampling = {"temperature": temperature, "top_p": top_p}
        body = {name: value for name, value in sampling.items() if value is not None} | dict(extra_body or {})
        if top_p is not None:
            self._about["top_p"] = top_p
        if extra_body:
            self._about["extra_body"] = dict(extra_body)
        if body:
            self._options["extra_body"] = body  # since version 1.0 the client has no parameters for sampling

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool],
        *,
        seed: int | None,
        seconds: float,
        schema: Mapping[str, Any] | None = None,
    ) -> Reply:
        """Send one request. `seed` is never sent, and `schema` only by a chat that `constrained` returned."""
        request: dict[str, Any] = {**self._options, "messages": conversation(messages)}
        system = "\n\n".join(message.text for message in messages if isinstance(message, System))
        if system:
            request["system"] = system
        if tools:
            request["tools"] = [
                {"name": tool.name, "description": tool.description, "input_schema": tool.parameters} for tool in tools
            ]
        if self._constrains and schema is not None:
            form = {"type": "json_schema", "schema": dict(schema)}
            request["extra_body"] = {"output_config": {"format": form}, **request.get("extra_body", {})}
        create = self._service.client.messages.with_raw_response.create
        return self._service.fetch(create, request, _parse_reply, seconds=seconds)

    def constrained(self) -> AnthropicChat:
        """Return a copy of this chat whose replies the service constrains to a schema."""
        chat = copy(self)
        chat._constrains = True
        return chat

    def about(self) -> dict[str, Any]:
        """Return the model, the service and the options, for the record of a run."""
        return {**self._about, **self._service.about()}


def conversation(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Return messages in the service's format: user and assistant alternate, and no message is empty."""
    turns: list[dict[str, Any]] = []
    for message in messages:
        role, blocks = _role_and_blocks(message)
        if blocks and turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        elif blocks:
            turns.append({"role": role, "content": blocks})
    return turns


def _role_and_blocks(message: Message) -> tuple[str, list[dict[str, Any]]]:
    """Return the role of a message, and its content as blocks of the service."""
    match message:
        case System():
            return "system", []
        case User(text, images):
            return "user", [
                *_text_blocks(text),
                *(block for image in images for block in _image_blocks(image)),
            ]
        case Assistant(text, calls, blocks):
            thoughts = list(blocks) if isinstance(blocks, tuple) else []
            uses = [
                {
                    "type": "tool_use",
                    "id": call.id,
                    "name": call.name,
                    "input": arguments_object(call.arguments),
                }
                for call in calls
            ]
            return "assistant", [*thoughts, *_text_blocks(text), *uses]
        case ToolResult(id, _, text, images):
            shown = [*_text_blocks(text), *(block for image in images for block in _image_blocks(image))]
            return "user", [{"type": "tool_result", "tool_use_id": id, "content": shown if images else text}]


def _text_blocks(text: str | None) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text}] if text and text.strip() else []


def _image_blocks(image: Image) -> list[dict[str, Any]]:
    source = {"type": "base64", "media_type": image.media, "data": image.base64}
    return [*_text_blocks(image.title), {"type": "image", "source": source}]


def _parse_reply(body: bytes) -> Reply:
    response = read_body(_AnthropicReply, body)
    texts: list[str] = []
    thoughts: list[str] = []
    blocks: list[dict[str, Any]] = []
    calls: list[tuple[str | None, str, str]] = []
    for block in response.content:
        match block:
            case {"type": "text", "text": str(text)}:
                texts.append(text)
            case {"type": "tool_use", "name": str(name), "input": dict(given)}:
                call_id = block.get("id")
                arguments = json.dumps(given, ensure_ascii=False)
                calls.append((call_id if isinstance(call_id, str) else None, name, arguments))
            case {"type": "tool_use" | "text"}:
                raise ChatRequestError(
                    f"a block of the service's reply has another shape: {block}"[:500], transient=True
                )
            case {"type": "thinking" | "redacted_thinking" as kind}:
                blocks.append({"type": kind, **{name: block[name] for name in RETURNED_FIELDS[kind] if name in block}})
                thoughts += [text for text in (block.get("thinking"),) if isinstance(text, str)]
    usage = response.usage if isinstance(response.usage, Mapping) else {}
    input_counts = [
        parse_count(usage.get(name))
        for name in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    ]
    stopped = STOPPED.get(response.stop_reason if isinstance(response.stop_reason, str) else None, "other")
    return Reply(
        text="".join(texts) or None,
        calls=with_unique_ids(calls),
        thinking="\n".join(thoughts) or None,
        input=None if input_counts[0] is None else sum(number or 0 for number in input_counts),
        cached=parse_count(usage.get("cache_read_input_tokens")),
        output=parse_count(usage.get("output_tokens")),
        stopped=stopped,
        served=response.model if isinstance(response.model, str) else None,
        provider_data=tuple(blocks) or None,
    )
