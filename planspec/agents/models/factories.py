"""Agents with a model, which combine a service, a loop and their options."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from typing import Any, Literal

from planspec.agents.agent import UnknownAgentError
from planspec.agents.desk import Desk
from planspec.agents.models import text_tools
from planspec.agents.models.anthropic import AnthropicChat
from planspec.agents.models.asking import Talk
from planspec.agents.models.chat import Chat
from planspec.agents.models.openai import OpenAIChat
from planspec.agents.models.text_tools import TextTools
from planspec.agents.optional import AgentInfo, FormerAttribute
from planspec.agents.prompts import Prompts, PromptTemplateError
from planspec.agents.view import TaskView
from planspec.traces.json_text import load


class ModelAgent:
    """An agent that answers tasks with a model.

    Args:
        chat: the model.
        loop: `react`, or `plan` for Plan-and-Execute.
        tools: how the model calls tools: `native` by the service's API, `text` by JSON in its replies.
        images: `parts` to send pictures, `titles` to send only their titles. The default is `titles` with
            `tools=text` and `parts` otherwise.
        seed: seed of each request; None for the attempt's seed.
        seeded: whether to send a seed with requests.
        retries: maximum number of repetitions of a request after transient failures.
        prompts: folder of templates that replace planspec's own.
    """

    info = AgentInfo(
        siteless="a model has no browser: use a program that has one and calls the model (`command`, `python`)"
    )
    siteless = FormerAttribute()
    sightless = FormerAttribute()

    def __init__(
        self,
        chat: Chat,
        *,
        loop: Literal["react", "plan"] = "react",
        tools: Literal["native", "text"] = "native",
        images: Literal["parts", "titles"] | None = None,
        seed: int | None = None,
        seeded: bool = True,
        retries: int = 4,
        prompts: str | None = None,
    ) -> None:
        from planspec.agents.loops import loop as loop_of

        try:
            self.prompts = Prompts(prompts)
        except PromptTemplateError as fault:
            raise UnknownAgentError(str(fault)) from None
        if retries < 0:
            raise UnknownAgentError("`retries` must be at least 0")
        titles_only = (images or ("titles" if tools == "text" else "parts")) == "titles"
        self.chat = TextTools(chat, self.prompts, titles_only=titles_only) if tools == "text" else chat
        if titles_only and tools == "native":
            raise UnknownAgentError("`images=titles` requires `tools=text`")
        if titles_only:
            self.info = replace(
                self.info,
                sightless="its model gets only their titles; with `images=parts` it gets the pictures",
            )
        self._loop = loop_of(loop, self.prompts)
        self._seed, self._seeded, self._retries = seed, seeded, retries
        used = (*self._loop.templates, *(text_tools.TEMPLATES if tools == "text" else ()))
        self._about = {
            "loop": loop,
            "tools": tools,
            "images": "titles" if titles_only else "parts",
            "seed": (seed if seed is not None else "the attempt's") if seeded else None,
            "retries": retries,
            "prompts": self.prompts.hashes(used),
        }

    def answer(self, view: TaskView, desk: Desk) -> str:
        """Return the text of the model's last message, or the answer that it submits."""
        return self._loop.answer(view, self.talk(desk))

    def talk(self, desk: Desk) -> Talk:
        """Return a session with the model, in which the desk counts requests."""
        seed = (desk.seed if self._seed is None else self._seed) if self._seeded else None
        return Talk(self.chat, desk, seed, self._retries)

    def constrained(self) -> ModelAgent | None:
        """Return a copy of this agent whose replies the service constrains to a schema; None if it cannot."""
        chat = self.chat.constrained()
        if chat is None:
            return None
        agent = copy(self)
        agent.chat = chat
        return agent

    def about(self) -> Mapping[str, Any]:
        """Return the model, the options and the hashes of the prompts, without secrets."""
        return {**self.chat.about(), **self._about}


class OpenAI(ModelAgent):
    """A model behind an OpenAI-compatible service.

    Args:
        model: name of the model at the service.
        base_url: address of the service.
        loop: `react`, or `plan` for Plan-and-Execute.
        tools: `native`, or `text` for models that cannot call tools.
        images: `parts` to send pictures, `titles` to send only their titles.
        temperature: sampling temperature; `none` for the service's default.
        seed: seed of each request; `attempt` for the attempt's seed, `none` to send none.
        max_tokens: maximum number of tokens in a reply; `none` for the service's default.
        api_key_env: environment variable with the key.
        retries: maximum number of repetitions of a request after transient failures.
        timeout_s: seconds after which a request without a reply is repeated.
        prompts: folder of templates that replace planspec's own.
        structured: make the service enforce the JSON schema of answers, if the task has one; the service must support
            `response_format`. By default only for calls that also work without it, such as those of `planspec draft`;
            `false` for no call.
        top_p: probability mass from which tokens are drawn.
        reasoning_effort: for models that reason: `low`, `medium`, `high`, or another level of the service.
        thinking: switch reasoning on or off, for models that support both (`enable_thinking` of open models' servers).
        logprobs: request and record the log probabilities of the reply's tokens.
        token_ids: request and record the ids of all tokens. vLLM supports this (`return_token_ids`).
        extra_body: further fields of each request, a JSON object in parentheses: `extra_body=({"top_k": 20, "min_p":
            0.1})`.
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        loop: Literal["react", "plan"] = "react",
        tools: Literal["native", "text"] = "native",
        images: Literal["parts", "titles"] | None = None,
        temperature: float | Literal["none"] = 0.0,
        seed: int | Literal["attempt", "none"] = "attempt",
        max_tokens: int | Literal["none"] = 4096,
        api_key_env: str = "OPENAI_API_KEY",
        retries: int = 4,
        timeout_s: float = 300.0,
        prompts: str | None = None,
        structured: bool | None = None,
        top_p: float | None = None,
        reasoning_effort: str | None = None,
        logprobs: bool = False,
        token_ids: bool = False,
        extra_body: str | None = None,
        thinking: bool | None = None,
    ) -> None:
        _check_positive("max_tokens", max_tokens)
        _check_positive("timeout_s", timeout_s)
        chat = OpenAIChat(
            model,
            base_url=base_url,
            temperature=_check_temperature(temperature),
            timeout_s=timeout_s,
            max_tokens=None if max_tokens == "none" else max_tokens,
            api_key_env=api_key_env,
            structured=structured,
            top_p=_check_top_p(top_p),
            reasoning_effort=reasoning_effort,
            logprobs=logprobs,
            token_ids=token_ids,
            extra_body=_parse_object("extra_body", extra_body),
            thinking=thinking,
        )
        super().__init__(
            chat,
            loop=loop,
            tools=tools,
            images=images,
            seed=seed if isinstance(seed, int) else None,
            seeded=seed != "none",
            retries=retries,
            prompts=prompts,
        )


class Anthropic(ModelAgent):
    """A model behind Anthropic's service, which takes no seed.

    Args:
        model: name of the model at the service.
        base_url: address of the service.
        loop: `react`, or `plan` for Plan-and-Execute.
        tools: `native`, or `text` for JSON in the text of replies.
        images: `parts` to send pictures, `titles` to send only their titles.
        temperature: sampling temperature; `none` for the service's default, which newer models require.
        max_tokens: maximum number of tokens in a reply.
        api_key_env: environment variable with the key.
        retries: maximum number of repetitions of a request after transient failures.
        timeout_s: seconds after which a request without a reply is repeated.
        prompts: folder of templates that replace planspec's own.
        top_p: probability mass from which tokens are drawn.
        extra_body: further fields of each request, a JSON object in parentheses: `extra_body=({"top_k":
            20})`.
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        loop: Literal["react", "plan"] = "react",
        tools: Literal["native", "text"] = "native",
        images: Literal["parts", "titles"] | None = None,
        temperature: float | Literal["none"] = "none",
        max_tokens: int = 4096,
        api_key_env: str = "ANTHROPIC_API_KEY",
        retries: int = 4,
        timeout_s: float = 300.0,
        prompts: str | None = None,
        top_p: float | None = None,
        extra_body: str | None = None,
    ) -> None:
        _check_positive("max_tokens", max_tokens)
        _check_positive("timeout_s", timeout_s)
        chat = AnthropicChat(
            model,
            base_url=base_url,
            temperature=_check_temperature(temperature),
            max_tokens=max_tokens,
            timeout_s=timeout_s,
            api_key_env=api_key_env,
            top_p=_check_top_p(top_p),
            extra_body=_parse_object("extra_body", extra_body),
        )
        super().__init__(chat, loop=loop, tools=tools, images=images, seeded=False, retries=retries, prompts=prompts)


def _check_temperature(temperature: float | Literal["none"]) -> float | None:
    if temperature == "none":
        return None
    if not 0 <= temperature <= 2:
        raise UnknownAgentError("`temperature` must be from 0 to 2, or `none`")
    return float(temperature)


def _check_top_p(top_p: float | None) -> float | None:
    if top_p is not None and not 0 < top_p <= 1:
        raise UnknownAgentError("`top_p` must be above 0 and at most 1")
    return top_p


def _parse_object(name: str, text: str | None) -> dict[str, Any] | None:
    """Parse an option that is a JSON object."""
    if text is None:
        return None
    try:
        value = load(text)
    except ValueError as error:
        raise UnknownAgentError(f"`{name}` is `{text}`: {error}; write a JSON object in parentheses") from None
    if not isinstance(value, dict):
        raise UnknownAgentError(f"`{name}` is `{text}`, which is not a JSON object")
    return value


def _check_positive(name: str, value: float | Literal["none"]) -> None:
    if value != "none" and not 0 < value < float("inf"):
        raise UnknownAgentError(f"`{name}` must be above 0")
