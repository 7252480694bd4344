"""Models behind an OpenAI-compatible service: any server with `POST /chat/completions`."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any
from urllib.parse import urlsplit

from pydantic import Field

from planspec.agents.models.chat import (
    Assistant,
    Chat,
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
    parse_token_ids,
    read_body,
    with_unique_ids,
)
from planspec.agents.models.service_client import ServiceClient
from planspec.agents.pictures import Image
from planspec.agents.tools import Tool, tool_definition
from planspec.extras import needing

STOPPED: Mapping[str | None, StopReason] = {
    "stop": "end",
    "tool_calls": "calls",
    "function_call": "calls",
    "length": "length",
}
ID_PREFIX = "token_id:"
"""Prefix of a token's text if vLLM was requested to send token ids in place of texts."""
SCALARS = frozenset({"string", "number", "integer", "boolean", "null"})
"""JSON schema types without parts."""
OWN_HOST = "api.openai.com"
"""Host of OpenAI's own service. It has a newer name for `max_tokens`, unknown to other servers."""


class _Function(ReplyModel):
    name: str
    arguments: str | dict[str, Any] | None = None


class _OpenAICall(ReplyModel):
    id: str | None = None
    function: _Function


class _OpenAIMessage(ReplyModel):
    content: str | list[Any] | None = None
    refusal: str | None = None
    tool_calls: list[_OpenAICall] | None = None
    reasoning_content: Any = None
    reasoning: Any = None


class _Choice(ReplyModel):
    message: _OpenAIMessage
    finish_reason: Any = None
    logprobs: Any = None
    token_ids: Any = None


class _Completion(ReplyModel):
    choices: list[_Choice] = Field(min_length=1)
    usage: Any = None
    model: Any = None
    prompt_token_ids: Any = None


class OpenAIChat(Chat):
    """A model of an OpenAI-compatible service.

    Args:
        model: name of the model at the service.
        base_url: address of the service; None for the address in the environment or, without one, OpenAI's own.
        temperature: sampling temperature; None for the service's default.
        max_tokens: maximum number of tokens in a reply; None for the service's default.
        timeout_s: seconds after which a request without a reply is repeated.
        api_key_env: environment variable with the key. With a `base_url`, it may be unset.
        structured: make the service enforce the JSON schema of answers, if the task has one; the service must
            support `response_format`. If None, only for calls that also work without it; if False, for no call.
        top_p: probability mass from which tokens are drawn; None for the service's default.
        reasoning_effort: level of reasoning; None for the service's default.
        thinking: whether the model reasons; None for the service's default. It is sent as `enable_thinking`, both
            as a field of the request and as an argument of the chat template, because servers of open models
            read one or the other.
        logprobs: request the log probabilities of the reply's tokens.
        token_ids: request the ids of the tokens. vLLM supports this.
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
        temperature: float | None = 0.0,
        max_tokens: int | None = None,
        timeout_s: float = 300.0,
        api_key_env: str = "OPENAI_API_KEY",
        structured: bool | None = None,
        top_p: float | None = None,
        reasoning_effort: str | None = None,
        logprobs: bool = False,
        token_ids: bool = False,
        extra_body: Mapping[str, Any] | None = None,
        thinking: bool | None = None,
    ) -> None:
        with needing("openai", "models behind OpenAI-compatible services need an extra"):
            import openai
        self._service = ServiceClient(
            openai,
            openai.OpenAI,
            openai.OpenAIError,
            base_url=base_url,
            url_env="OPENAI_BASE_URL",
            api_key_env=api_key_env,
            timeout_s=timeout_s,
        )
        self._structured = structured
        self._about: dict[str, Any] = {"model": model, "temperature": temperature, "max_tokens": max_tokens}
        if structured:
            self._about["structured"] = True
        more: dict[str, Any] = {
            "top_p": top_p,
            "reasoning_effort": reasoning_effort,
            "logprobs": logprobs or None,
        }
        given = {name: value for name, value in more.items() if value is not None}
        body: dict[str, Any] = {"return_token_ids": True} if token_ids else {}
        if thinking is not None:
            self._about["thinking"] = thinking
            body |= {"enable_thinking": thinking, "chat_template_kwargs": {"enable_thinking": thinking}}
        body |= dict(extra_body or {})
        self._about |= given | ({"extra_body": body} if body else {})
        self._options: dict[str, Any] = {"model": model, **given}
        if body:
            self._options["extra_body"] = body
        if temperature is not None:
            self._options["temperature"] = temperature
        if max_tokens is not None:
            is_openai = urlsplit(self._service.url).hostname == OWN_HOST
            self._options["max_completion_tokens" if is_openai else "max_tokens"] = max_tokens

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool],
        *,
        seed: int | None,
        seconds: float,
        schema: Mapping[str, Any] | None = None,
    ) -> Reply:
        """Send one request to `/chat/completions`."""
        request: dict[str, Any] = {**self._options, "messages": conversation(messages)}
        if tools:
            request["tools"] = [_tool_definition(tool) for tool in tools]
            request["tool_choice"] = "auto"  # the documented default, but some servers ignore tools without it
        if seed is not None:
            request["seed"] = seed
        if self._structured and schema is not None:
            request["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", "schema": dict(schema), "strict": is_strict(schema)},
            }
        create = self._service.client.chat.completions.with_raw_response.create
        return self._service.fetch(create, request, _parse_reply, seconds=seconds)

    def constrained(self) -> OpenAIChat | None:
        """Return a copy of this chat whose replies the service constrains to a schema; None if `structured` is off."""
        if self._structured is False:
            return None
        chat = copy(self)
        chat._structured = True
        return chat

    def about(self) -> dict[str, Any]:
        """Return the model, the service and the options, for the record of a run."""
        return {**self._about, **self._service.about()}


def is_strict(schema: Mapping[str, Any]) -> bool:
    """Return whether a service can enforce a schema strictly: objects require all their properties and no others.

    Source: https://platform.openai.com/docs/guides/structured-outputs, as of November 2026.
    """
    match schema:
        case {"type": "object", "properties": dict(properties), "additionalProperties": False}:
            required = set(schema.get("required", ()))
            return required == properties.keys() and all(map(is_strict, properties.values()))
        case {"type": "array", "items": dict(items)}:
            return is_strict(items)
        case {"type": str(name)}:
            return name in SCALARS
        case {"type": list(names)}:
            return set(names) <= SCALARS
        case _:
            return False


def _parse_reply(body: bytes) -> Reply:
    response = read_body(_Completion, body)
    choice = response.choices[0]
    message = choice.message
    usage = response.usage if isinstance(response.usage, Mapping) else {}
    thinking = next((t for t in (message.reasoning_content, message.reasoning) if isinstance(t, str) and t), None)
    finish = choice.finish_reason if isinstance(choice.finish_reason, str) else None
    details = usage.get("prompt_tokens_details")
    ids, logprobs = _ids_and_logprobs(choice.logprobs)
    return Reply(
        text=_content_text(message.content) or message.refusal or None,
        calls=with_unique_ids(
            [
                (call.id, call.function.name, _arguments_text(call.function.arguments))
                for call in message.tool_calls or ()
            ]
        ),
        thinking=thinking,
        input=parse_count(usage.get("prompt_tokens")),
        cached=parse_count(details.get("cached_tokens")) if isinstance(details, Mapping) else None,
        output=parse_count(usage.get("completion_tokens")),
        stopped=STOPPED.get(finish, "other"),
        served=response.model if isinstance(response.model, str) else None,
        prompt_ids=parse_token_ids(response.prompt_token_ids),
        ids=parse_token_ids(choice.token_ids) or ids,
        logprobs=logprobs,
    )


def _ids_and_logprobs(logprobs: object) -> tuple[tuple[int, ...] | None, tuple[float, ...] | None]:
    """Return the ids and log probabilities of a reply's tokens, each None if the service did not send them.

    llama.cpp sends ids in a field `id`; vLLM, if requested, writes the id in place of a token's text.
    """
    content = logprobs.get("content") if isinstance(logprobs, Mapping) else None
    if not isinstance(content, list) or not content or not all(isinstance(one, Mapping) for one in content):
        return None, None
    numbers = [one.get("logprob") for one in content]
    values = tuple(
        min(float(number), 0.0)
        for number in numbers
        if isinstance(number, int | float) and not isinstance(number, bool) and math.isfinite(number)
    )
    ids = parse_token_ids([_token_id(one) for one in content])
    return ids, values if len(values) == len(content) else None


def _token_id(entry: Mapping[str, Any]) -> object:
    token = entry.get("token")
    if isinstance(token, str) and token.startswith(ID_PREFIX) and token[len(ID_PREFIX) :].isascii():
        digits = token[len(ID_PREFIX) :]
        return int(digits) if digits.isdigit() and len(digits) < 12 else None
    return entry.get("id")


def _content_text(content: str | list[Any] | None) -> str | None:
    """Return the text of a message. Some servers send it in parts."""
    if not isinstance(content, list):
        return content
    parts = (part.get("text") for part in content if isinstance(part, Mapping))
    return "".join(part for part in parts if isinstance(part, str))


def _arguments_text(arguments: str | dict[str, Any] | None) -> str:
    """Return a call's arguments as JSON text. Some servers send an object instead."""
    return arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False)


def conversation(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Return messages in the service's format.

    The service allows only text in a tool's message, and no other message between a reply and the results of its
    calls. Pictures of results are therefore sent in a user message after the last result.
    """
    converted: list[dict[str, Any]] = []
    pictures: list[dict[str, Any]] = []
    for message in messages:
        entry = _message_entry(message)
        if not isinstance(message, ToolResult) and pictures:
            if isinstance(message, User):
                own = entry["content"]
                entry["content"] = pictures + (own if isinstance(own, list) else [{"type": "text", "text": own}])
            else:
                converted.append({"role": "user", "content": pictures})
            pictures = []
        converted.append(entry)
        if isinstance(message, ToolResult):
            pictures += [part for image in message.images for part in _image_parts(image)]
    return [*converted, {"role": "user", "content": pictures}] if pictures else converted


def _message_entry(message: Message) -> dict[str, Any]:
    match message:
        case System(text):
            return {"role": "system", "content": text}
        case User(text, ()):
            return {"role": "user", "content": text}
        case User(text, images):
            parts = [
                {"type": "text", "text": text},
                *(part for image in images for part in _image_parts(image)),
            ]
            return {"role": "user", "content": parts}
        case Assistant(text, ()):
            return {"role": "assistant", "content": text or ""}
        case Assistant(text, calls):
            entries = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {
                        "name": call.name,
                        "arguments": json.dumps(arguments_object(call.arguments), ensure_ascii=False),
                    },
                }
                for call in calls
            ]
            return {"role": "assistant", "content": text or "", "tool_calls": entries}
        case ToolResult(id, _, text):
            return {"role": "tool", "tool_call_id": id, "content": text}


def _image_parts(image: Image) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return two parts of a message: the title of a picture as text, and the picture."""
    return (
        {"type": "text", "text": image.title},
        {"type": "image_url", "image_url": {"url": image.data_url}},
    )


def _tool_definition(tool: Tool) -> dict[str, Any]:
    return {"type": "function", "function": tool_definition(tool)}
