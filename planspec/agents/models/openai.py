"""Models behind an OpenAI-compatible service: any server that takes `POST /chat/completions`."""

from __future__ import annotations

import base64
import json
import math
import os
import weakref
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from pydantic import Field

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
    token_ids,
    unreached,
    without_secrets,
)
from planspec.agents.pictures import Image
from planspec.agents.tools import Tool
from planspec.extras import needing

STOPPED: Mapping[str | None, Stopped] = {
    "stop": "end",
    "tool_calls": "calls",
    "function_call": "calls",
    "length": "length",
}
AS_ID = "token_id:"
"""Begins what vLLM writes for a token's text where it was asked for ids."""
OWN_HOST = "api.openai.com"
"""OpenAI's own service calls the most tokens of a reply by a newer name, which other servers do not know."""


class _Function(ReplyModel):
    name: str
    arguments: str | dict[str, Any] | None = None


class _Call(ReplyModel):
    id: str | None = None
    function: _Function


class _Said(ReplyModel):
    content: str | list[Any] | None = None
    refusal: str | None = None
    tool_calls: list[_Call] | None = None
    reasoning_content: Any = None
    reasoning: Any = None


class _Choice(ReplyModel):
    message: _Said
    finish_reason: Any = None
    logprobs: Any = None
    token_ids: Any = None


class _Completion(ReplyModel):
    choices: list[_Choice] = Field(min_length=1)
    usage: Any = None
    model: Any = None
    prompt_token_ids: Any = None


class OpenAIChat(Chat):
    """A model by its name.

    Args:
        model: as the service names it.
        base_url: of the service; None for OpenAI's own, or what the environment names.
        temperature: None to leave it to the service.
        max_tokens: the most tokens of a reply; None to leave it to the service.
        timeout_s: seconds after which one request is given up and repeated.
        api_key_env: the environment variable that holds the key. A service at a `base_url` of its own may need none.
        structured: hold answers to their JSON schema, where the task has one; the service must know `response_format`.
        top_p: the share of the probability from which tokens are drawn; None to leave it to the service.
        reasoning_effort: of models that think before they reply; None to leave it to the service.
        thinking: whether a model thinks before it replies that can do either, as open models' servers take it
            (`enable_thinking`, in the request and for the chat's template); None to leave it to the service.
        logprobs: ask for the probabilities of the reply's tokens.
        token_ids: ask for the ids of the tokens, as vLLM takes it.
        extra_body: further fields of each request; they stand for planspec's own of the same name.

    Raises:
        UnknownAgentError: there is no key, and the service needs one.
        ModuleNotFoundError: the extra is not installed.
    """

    def __init__(
        self, model: str, *, base_url: str | None = None, temperature: float | None = 0.0,
        max_tokens: int | None = None, timeout_s: float = 300.0, api_key_env: str = "OPENAI_API_KEY",
        structured: bool = False, top_p: float | None = None, reasoning_effort: str | None = None,
        logprobs: bool = False, token_ids: bool = False, extra_body: Mapping[str, Any] | None = None,
        thinking: bool | None = None,
    ) -> None:  # fmt: skip
        with needing("openai", "models behind OpenAI-compatible services need an extra"):
            import openai
        key = os.environ.get(api_key_env)
        elsewhere = base_url or os.environ.get("OPENAI_BASE_URL")
        if not key and not elsewhere:
            raise UnknownAgentError(f"the environment variable `{api_key_env}` holds no key")
        self._errors = openai
        self._client = openai.OpenAI(
            api_key=key or "none", base_url=elsewhere or None, max_retries=0, timeout=timeout_s
        )
        weakref.finalize(self, self._client.close)  # connections that are kept open end with the last user
        self._url = str(self._client.base_url)
        self._timeout = timeout_s
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
            own = urlsplit(self._url).hostname == OWN_HOST
            self._options["max_completion_tokens" if own else "max_tokens"] = max_tokens

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool],
        *,
        seed: int | None,
        seconds: float,
        schema: Mapping[str, Any] | None = None,
    ) -> Reply:
        """Ask once."""
        asked: dict[str, Any] = {
            **self._options,
            "messages": conversation(messages),
            "timeout": min(seconds, self._timeout),
        }
        if tools:
            asked["tools"] = [_described(tool) for tool in tools]
            asked["tool_choice"] = "auto"  # the default by the book; some servers look at no tools without it
        if seed is not None:
            asked["seed"] = seed
        if self._structured and schema is not None:
            asked["response_format"] = {
                "type": "json_schema", "json_schema": {"name": "answer", "schema": dict(schema), "strict": False},
            }  # fmt: skip
        return reply_to(self._url, asked, lambda: self._sent(asked), _read)

    def _sent(self, asked: Mapping[str, Any]) -> bytes:
        """The body of the response to a request."""
        try:
            raw = self._client.chat.completions.with_raw_response.create(**asked)
        except self._errors.APIStatusError as error:
            raise refusal(error) from None
        except self._errors.APIConnectionError as error:
            raise unreached(error) from None
        except self._errors.OpenAIError as error:
            raise ChatRequestError(f"{type(error).__name__}: {error}"[:500], passing=False) from None
        body: bytes = raw.http_response.content
        return body

    def about(self) -> dict[str, Any]:
        """The model, the service and the options."""
        return {
            **self._about,
            "base_url": without_secrets(self._url),
            "client": f"openai {self._errors.__version__}",
        }


def _read(body: bytes) -> Reply:
    sent = read_body(_Completion, body)
    choice = sent.choices[0]
    said = choice.message
    usage = sent.usage if isinstance(sent.usage, Mapping) else {}
    thinking = next((t for t in (said.reasoning_content, said.reasoning) if isinstance(t, str) and t), None)
    finish = choice.finish_reason if isinstance(choice.finish_reason, str) else None
    details = usage.get("prompt_tokens_details")
    ids, logprobs = _probabilities(choice.logprobs)
    return Reply(
        text=_text(said.content) or said.refusal or None,
        calls=distinct(
            [
                (call.id, call.function.name, _arguments(call.function.arguments))
                for call in said.tool_calls or ()
            ]
        ),
        thinking=thinking,
        input=count(usage.get("prompt_tokens")),
        cached=count(details.get("cached_tokens")) if isinstance(details, Mapping) else None,
        output=count(usage.get("completion_tokens")),
        stopped=STOPPED.get(finish, "other"),
        served=sent.model if isinstance(sent.model, str) else None,
        prompt_ids=token_ids(sent.prompt_token_ids),
        ids=token_ids(choice.token_ids) or ids,
        logprobs=logprobs,
    )


def _probabilities(said: object) -> tuple[tuple[int, ...] | None, tuple[float, ...] | None]:
    """The ids of a reply's tokens, where a server says them beside the probabilities, and the logarithms of these.

    llama.cpp says `id`; vLLM, asked to, writes the id in the place of the text.
    """
    content = said.get("content") if isinstance(said, Mapping) else None
    if not isinstance(content, list) or not content or not all(isinstance(one, Mapping) for one in content):
        return None, None
    numbers = [one.get("logprob") for one in content]
    logprobs = tuple(
        min(float(number), 0.0)
        for number in numbers
        if isinstance(number, int | float) and not isinstance(number, bool) and math.isfinite(number)
    )
    ids = token_ids([_id(one) for one in content])
    return ids, logprobs if len(logprobs) == len(content) else None


def _id(said: Mapping[str, Any]) -> object:
    token = said.get("token")
    if isinstance(token, str) and token.startswith(AS_ID) and token[len(AS_ID) :].isascii():
        written = token[len(AS_ID) :]
        return int(written) if written.isdigit() and len(written) < 12 else None
    return said.get("id")


def _text(content: str | list[Any] | None) -> str | None:
    """The text of a message; some servers send it in parts."""
    if not isinstance(content, list):
        return content
    parts = (part.get("text") for part in content if isinstance(part, Mapping))
    return "".join(part for part in parts if isinstance(part, str))


def _arguments(said: str | dict[str, Any] | None) -> str:
    """Arguments as text; some servers send the object itself."""
    return said if isinstance(said, str) else json.dumps(said or {}, ensure_ascii=False)


def conversation(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Messages as the service takes them.

    A message of a tool holds text alone there, and nothing may stand between a reply and the results of its calls: pictures of
    results follow the last of them, in the user's name.
    """
    made: list[dict[str, Any]] = []
    pictures: list[dict[str, Any]] = []
    for message in messages:
        written = _written(message)
        if not isinstance(message, ToolResult) and pictures:
            if isinstance(message, User):
                own = written["content"]
                written["content"] = pictures + (
                    own if isinstance(own, list) else [{"type": "text", "text": own}]
                )
            else:
                made.append({"role": "user", "content": pictures})
            pictures = []
        made.append(written)
        if isinstance(message, ToolResult):
            pictures += [part for image in message.images for part in _parts(image)]
    return [*made, {"role": "user", "content": pictures}] if pictures else made


def _written(message: Message) -> dict[str, Any]:
    match message:
        case System(text):
            return {"role": "system", "content": text}
        case User(text, ()):
            return {"role": "user", "content": text}
        case User(text, images):
            parts = [{"type": "text", "text": text}, *(part for image in images for part in _parts(image))]
            return {"role": "user", "content": parts}
        case Assistant(text, ()):
            return {"role": "assistant", "content": text or ""}
        case Assistant(text, calls):
            made = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {
                        "name": call.name,
                        "arguments": json.dumps(object_of(call.arguments), ensure_ascii=False),
                    },
                }
                for call in calls
            ]
            return {"role": "assistant", "content": text or "", "tool_calls": made}
        case ToolResult(id, _, text):
            return {"role": "tool", "tool_call_id": id, "content": text}


def _parts(image: Image) -> tuple[dict[str, Any], dict[str, Any]]:
    data = base64.b64encode(image.data).decode("ascii")
    return (
        {"type": "text", "text": image.title},
        {"type": "image_url", "image_url": {"url": f"data:{image.media};base64,{data}"}},
    )


def _described(tool: Tool) -> dict[str, Any]:
    described = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": described}
