from __future__ import annotations

import json
from typing import Any

import pytest

from planspec.agents import AttemptFailedError, UnknownAgentError, agent
from planspec.agents.models import Anthropic, Assistant, Message, System, ToolCall, ToolResult, User
from planspec.agents.models.anthropic import conversation
from tests.extras import needs
from tests.planspec.agents.models.loopback import Response, Service, anthropic_reply
from tests.planspec.agents.models.small_office import PNG, desk, view

pytestmark = [pytest.mark.integration, needs("anthropic", extra="anthropic")]

DONE = {"type": "text", "text": "done"}


@pytest.fixture(autouse=True)
def _clear_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_BASE_URL",
        "HTTP_PROXY",
        "http_proxy",
        "ALL_PROXY",
        "all_proxy",
    ):
        monkeypatch.delenv(name, raising=False)


def model(service: Service, **options: Any) -> Anthropic:
    """Return an agent that requests replies from the service."""
    return Anthropic("loopback", service.url, **({"retries": 0} | options))


def test_the_last_message_is_the_answer_and_all_tokens_read_are_counted() -> None:
    response = anthropic_reply(
        {"type": "text", "text": "do"}, {"type": "text", "text": "ne"}, cache_read_input_tokens=100
    )
    with Service(response) as service:
        at = desk()
        assert model(service).answer(view(), at) == "done"
    tokens = at.trace("small", "a", "x", None).tokens_of(None)
    assert tokens is not None and (tokens.input, tokens.output) == (111, 7)


def test_a_request_has_the_system_text_in_its_own_field_and_no_seed() -> None:
    with Service(anthropic_reply(DONE)) as service:
        model(service, temperature=0.5, max_tokens=99).answer(view(images={"map": PNG}), desk())
    (request,) = service.requests
    assert request.path == "/v1/messages"
    body = request.body
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("loopback", 0.5, 99)
    assert "seed" not in body and "Answer with one JSON object" in body["system"]
    (message,) = body["messages"]
    assert [block["type"] for block in message["content"]] == ["text", "text", "image"]
    assert message["content"][2]["source"]["media_type"] == "image/png"
    assert body["tools"][0]["input_schema"]["required"] == ["city"]


def test_calls_are_executed_and_their_results_returned_in_one_message() -> None:
    first = anthropic_reply(
        {"type": "thinking", "thinking": "hm", "signature": "sig", "more": 1},
        {"type": "text", "text": "Let me look."},
        {"type": "tool_use", "id": "t1", "name": "sights", "input": {"city": "Rome"}},
        {"type": "tool_use", "id": "t2", "name": "sights", "input": {"city": "Ur"}},
        stop="tool_use",
    )
    with Service(first, anthropic_reply(DONE)) as service:
        at = desk()
        assert model(service).answer(view(), at) == "done"
    calls_sent, results = service.requests[1].body["messages"][1:]
    assert [block["type"] for block in calls_sent["content"]] == ["thinking", "text", "tool_use", "tool_use"]
    assert calls_sent["content"][0] == {"type": "thinking", "thinking": "hm", "signature": "sig"}
    assert [block["tool_use_id"] for block in results["content"]] == ["t1", "t2"]
    assert [call.result and call.result.error for call in at.calls] == [None, "miss"]


def test_messages_alternate_and_are_never_empty() -> None:
    messages: list[Message] = [
        System("s"),
        User("a"),
        User("b"),
        Assistant(" "),
        User("c"),
        Assistant("x", (ToolCall("1", "today", "no JSON"),)),
        ToolResult("1", "today", "r"),
        User("d"),
    ]
    sent = conversation(messages)
    assert [message["role"] for message in sent] == ["user", "assistant", "user"]
    assert [block.get("text") for block in sent[0]["content"]] == ["a", "b", "c"]
    assert sent[1]["content"][1]["input"] == {"written": "no JSON"}
    assert [block["type"] for block in sent[2]["content"]] == ["tool_result", "text"]


BODIES = [
    b"",
    b"{",
    b"[]",
    {},
    {"type": "error", "error": {"type": "overloaded_error"}},
    {"type": "message"},
    anthropic_reply() | {"content": None},
    anthropic_reply() | {"content": ["x"]},
    anthropic_reply({"type": "text", "text": 5}),
    anthropic_reply({"type": "tool_use", "name": "sights", "input": "x"}),
    anthropic_reply({"type": "tool_use", "input": {}}),
]


@pytest.mark.parametrize("body", BODIES)
def test_a_reply_that_does_not_match_the_schema_is_a_failure_of_the_provider(body: Any) -> None:
    with Service(Response(body)) as service, pytest.raises(AttemptFailedError) as failed:
        model(service).answer(view(), desk())
    assert failed.value.boundary == "provider"


def test_unknown_blocks_are_ignored() -> None:
    with Service(anthropic_reply({"type": "news", "x": 1}, DONE)) as service:
        assert model(service).answer(view(), desk()) == "done"


@pytest.mark.parametrize(("status", "times"), [(529, 2), (429, 2), (400, 1), (401, 1)])
def test_only_transient_failures_are_repeated(status: int, times: int) -> None:
    refusal = Response({"type": "error", "error": {"message": "no"}}, status, {"retry-after": "0"})
    with Service(refusal) as service, pytest.raises(AttemptFailedError, match=str(status)) as failed:
        model(service, retries=1).answer(view(), desk())
    assert failed.value.boundary == "provider" and len(service.requests) == times


def test_half_a_surrogate_pair_in_an_input_is_replaced() -> None:
    response = anthropic_reply({"type": "tool_use", "id": "t", "name": "sights", "input": {"city": "\ud800"}})
    with Service(response, anthropic_reply(DONE)) as service:
        at = desk()
        assert model(service).answer(view(), at) == "done"
    assert at.calls[0].arguments == {"city": "\ufffd"}


def test_anthropic_itself_needs_a_key() -> None:
    with pytest.raises(UnknownAgentError, match="`ANTHROPIC_API_KEY` holds no key"):
        agent("anthropic:model=any")


def test_the_record_does_not_contain_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "s3cret")
    about = dict(agent("anthropic:model=any").about())  # type: ignore[attr-defined]
    assert about["seed"] is None and about["base_url"] == "https://api.anthropic.com"
    assert "s3cret" not in json.dumps(about)
