"""Requests to a model and its replies, as a trace records them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from planspec.agents.models import ModelAgent, OpenAI, Reply
from planspec.agents.models.openai import OpenAIChat
from planspec.traces import PromptIds, Trace, chat_of
from planspec.traces.chat import places_of, tools_of
from planspec.traces.files import line_of
from tests.planspec.agents.models.loopback import Service, openai_reply
from tests.planspec.agents.models.small_office import ScriptedChat, call_reply, desk, text_reply, view

LOOK = call_reply(("sights", '{"city": "Rome"}'), text="Let me look.")


def trace_of(*replies: Reply, **options: Any) -> tuple[Trace, ScriptedChat]:
    """Return the trace of a conversation, after it was written to a line and parsed."""
    chat, at = ScriptedChat(*replies), desk()
    answer = ModelAgent(chat, **options).answer(view(), at)
    trace = at.trace("small", "a", answer, None)
    assert Trace.model_validate_json(line_of(trace)) == trace
    return trace, chat


def test_each_reply_is_recorded_with_the_chat_given_to_the_model() -> None:
    trace, chat = trace_of(LOOK, call_reply(("today", "{}")), text_reply("x"))
    assert [one.context for one in trace.generations] == [((0, 2),), ((0, 4),), ((0, 6),)]
    assert [one.model for one in trace.generations] == ["scripted"] * 3
    assert [message.generation for message in trace.messages] == [None, None, 0, None, 1, None, 2]
    for one, request in zip(trace.generations, chat.requests, strict=True):
        recorded = chat_of(trace, places_of(one.context))
        assert [message["content"] for message in recorded] == [message.text for message in request]
        assert [tool["function"]["name"] for tool in tools_of(trace, one.tools)] == ["sights", "today"]
    *_, call, result = chat_of(trace, places_of(trace.generations[1].context))
    assert call["tool_calls"][0]["function"] == {"name": "sights", "arguments": '{"city": "Rome"}'}
    assert result["tool_call_id"] == call["tool_calls"][0]["id"]


def test_each_part_of_an_agent_has_its_own_chat() -> None:
    plan = text_reply(json.dumps({"steps": ["look"]}))
    trace, chat = trace_of(plan, LOOK, text_reply("seen"), text_reply("x"), loop="plan")
    assert [trace.stages[one.stage].name for one in trace.generations if one.stage is not None] == [
        "planner",
        "worker",
        "worker",
        "reporter",
    ]
    for one, request in zip(trace.generations, chat.requests, strict=True):
        assert [message["content"] for message in chat_of(trace, places_of(one.context))] == [
            message.text for message in request
        ]


def test_at_a_later_turn_the_chat_begins_with_the_earlier_turns() -> None:
    chat, at = ScriptedChat(text_reply("x"), text_reply("y")), desk()
    agent = ModelAgent(chat)
    agent.answer(view(), at)
    agent.answer(view(earlier=(("What is there to see in Rome?", "x"),), query="And then?"), at)
    trace = at.trace("small", "a", "y", None)
    assert [one.context for one in trace.generations] == [((0, 2),), ((0, 4),)]
    assert [message["content"] for message in chat_of(trace)][2:] == ["x", "And then?", "y"]


def test_actions_in_text_are_recorded_as_written() -> None:
    action = '{"thought": "Look.", "action": "sights", "arguments": {"city": "Rome"}}'
    trace, _ = trace_of(text_reply(action), text_reply('{"action": "submit", "answer": "x"}'), tools="text")
    assert [one.written for one in trace.generations] == [action, '{"action": "submit", "answer": "x"}']
    assert [message.text for message in trace.messages if message.generation is not None] == [None, "x"]


def test_ids_that_prompts_share_are_stored_once() -> None:
    first = replace(LOOK, prompt_ids=(1, 2, 3), ids=(4, 5), logprobs=(-0.5, -0.1))
    again = replace(text_reply(""), prompt_ids=(1, 2, 3, 4, 5, 6, 7), ids=(8,))
    other = replace(text_reply("x"), prompt_ids=(1, 2, 9), ids=(8,))
    trace, _ = trace_of(first, again, other)
    stored = [one.prompt.ids for one in trace.generations if one.prompt is not None]
    assert stored == [(1, 2, 3), (6, 7), (9,)]
    assert [trace.prompt_ids(place) for place in range(3)] == [(1, 2, 3), (1, 2, 3, 4, 5, 6, 7), (1, 2, 9)]
    assert trace.generations[0].logprobs == (-0.5, -0.1)
    bare, _ = trace_of(text_reply("x"))
    assert bare.prompt_ids(0) is None


def test_a_prompt_that_refers_to_a_later_one_is_refused() -> None:
    trace, _ = trace_of(replace(text_reply("x"), prompt_ids=(1,)))
    one = trace.generations[0].model_copy(update={"prompt": PromptIds(after=0, shared=1)})
    wrong = trace.model_copy(update={"generations": (one,)})
    with pytest.raises(ValueError, match="refers to a later one"):
        wrong.prompt_ids(0)


VLLM = {
    "prompt_token_ids": [1, 2],
    "choices": {
        "token_ids": [3, 4],
        "logprobs": {"content": [{"token": "a", "logprob": -0.25}, {"token": "b", "logprob": 0.0}]},
    },
}
AS_IDS = {
    "choices": {
        "logprobs": {"content": [{"token": "token_id:3", "logprob": -0.25}, {"token": "token_id:4", "logprob": 0}]}
    }
}
LLAMA = {
    "choices": {
        "logprobs": {"content": [{"id": 3, "token": "a", "logprob": -0.25}, {"id": 4, "token": "b", "logprob": 0}]}
    }
}
SPOILT = {
    "prompt_token_ids": ["1"],
    "choices": {"token_ids": [True], "logprobs": {"content": [{"logprob": "x"}]}},
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sent", "prompt", "ids", "logprobs"),
    [
        (VLLM, (1, 2), (3, 4), (-0.25, 0.0)),
        (AS_IDS, None, (3, 4), (-0.25, 0.0)),
        (LLAMA, None, (3, 4), (-0.25, 0.0)),
        (SPOILT, None, None, None),
        ({}, None, None, None),
    ],
)
def test_servers_token_reports_are_parsed(sent: dict[str, Any], prompt: Any, ids: Any, logprobs: Any) -> None:
    response = openai_reply("x")
    response["usage"]["prompt_tokens_details"] = {"cached_tokens": 8}
    response["choices"][0] |= sent.get("choices", {})
    with Service(response | {name: value for name, value in sent.items() if name != "choices"}) as service:
        agent = OpenAI("m", base_url=f"{service.url}/v1")
        at = desk()
        agent.answer(view(), at)
    trace = at.trace("small", "a", "x", None)
    (one,) = trace.generations
    assert (trace.prompt_ids(0), one.ids, one.logprobs) == (prompt, ids, logprobs)
    assert (one.model, one.served, one.input, one.cached, one.output) == ("m", "loopback-1", 11, 8, 7)
    assert [tokens.cached for tokens in trace.tokens] == [8]


@pytest.mark.slow
def test_sampling_options_are_sent_and_recorded() -> None:
    with Service(openai_reply("x")) as service:
        agent = OpenAI(
            "m",
            base_url=f"{service.url}/v1",
            top_p=0.9,
            reasoning_effort="low",
            logprobs=True,
            token_ids=True,
            extra_body='{"top_k": 20}',
        )
        agent.answer(view(), desk())
        sent = service.requests[0].body
    options = {"top_p": 0.9, "reasoning_effort": "low", "logprobs": True}
    assert sent.items() >= (options | {"top_k": 20, "return_token_ids": True}).items()
    assert agent.about().items() >= (options | {"extra_body": {"return_token_ids": True, "top_k": 20}}).items()
    assert isinstance(agent.chat, OpenAIChat)
