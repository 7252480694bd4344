from __future__ import annotations

import json
from typing import Any

import pytest

from planspec.agents import AttemptFailedError, UnknownAgentError, agent
from planspec.agents.models import Assistant, Image, Message, OpenAI, System, ToolCall, ToolResult, User
from planspec.agents.models.chat import ChatRequestError
from tests.extras import needs
from tests.planspec.agents.models.loopback import Response, Service, openai_reply
from tests.planspec.agents.models.small_office import PNG, desk, view

pytestmark = [pytest.mark.integration, needs("openai", extra="openai")]


@pytest.fixture(autouse=True)
def _clear_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


def model(service: Service, **options: Any) -> OpenAI:
    """Return an agent that requests replies from the service."""
    return OpenAI("loopback", f"{service.url}/v1", **({"retries": 0} | options))


def test_the_last_message_is_the_answer_and_its_tokens_are_counted() -> None:
    with Service(openai_reply('{"sights": []}')) as service:
        at = desk()
        assert model(service).answer(view(), at) == '{"sights": []}'
    trace = at.trace("small", "openai", None, None)
    assert [(message.role, message.text) for message in trace.messages][-1] == ("assistant", '{"sights": []}')
    count = trace.tokens_of(None)
    assert count is not None and (count.input, count.output) == (11, 7)
    assert trace.extra["served"] == "loopback-1"


def test_a_request_has_model_temperature_seed_tools_and_max_tokens() -> None:
    with Service(openai_reply("x")) as service:
        model(service, temperature=0.5, max_tokens=99).answer(view(), desk(seed=8))
    (request,) = service.requests
    assert request.path == "/v1/chat/completions"
    body = request.body
    assert (body["model"], body["temperature"], body["seed"], body["max_tokens"]) == (
        "loopback",
        0.5,
        8,
        99,
    )
    assert [tool["function"]["name"] for tool in body["tools"]] == ["sights", "today"]
    assert body["tools"][0]["function"]["parameters"]["required"] == ["city"]
    assert [message["role"] for message in body["messages"]] == ["system", "user"]


def test_the_schema_of_answers_is_enforced_on_request() -> None:
    schema = {"type": "object", "properties": {"sights": {"type": "array"}}}
    for structured in (True, False):
        with Service(openai_reply("{}")) as service:
            agent_ = model(service, structured=structured)
            agent_.answer(view(schema=schema), desk())
        held = service.requests[0].body.get("response_format")
        assert (held is not None) is structured
        assert ("structured" in agent_.about()) is structured
        if held is not None:
            assert held["json_schema"] == {"name": "answer", "schema": schema, "strict": False}


def test_options_set_to_none_are_not_sent() -> None:
    with Service(openai_reply("x")) as service:
        model(service, temperature="none", seed="none", max_tokens="none").answer(view(), desk())
    assert not {"temperature", "seed", "max_tokens", "max_completion_tokens"} & service.requests[0].body.keys()


def test_a_call_is_executed_and_its_result_returned() -> None:
    with Service(openai_reply(None, ("sights", '{"city": "Rome"}')), openai_reply("done")) as service:
        at = desk()
        assert model(service).answer(view(), at) == "done"
    sent, result = service.requests[1].body["messages"][-2:]
    assert sent["tool_calls"][0]["function"] == {"name": "sights", "arguments": '{"city": "Rome"}'}
    assert result == {
        "role": "tool",
        "tool_call_id": "call_0",
        "content": '{"sights": ["Pantheon", "Forum"]}',
    }
    (call,) = at.calls
    assert (call.id, call.name, call.arguments) == ("call_0", "sights", {"city": "Rome"})


@pytest.mark.parametrize("written", ["{", "[1]", "null", '"Rome"', "", '{"city": NaN}', "[" * 5000])
def test_arguments_that_are_not_an_object_are_reported_and_sent_back_as_an_object(written: str) -> None:
    with Service(openai_reply(None, ("sights", written)), openai_reply("done")) as service:
        at = desk()
        assert model(service).answer(view(), at) == "done"
    call, result = service.requests[1].body["messages"][-2:]
    assert isinstance(json.loads(call["tool_calls"][0]["function"]["arguments"]), dict)
    assert "error" in json.loads(result["content"])
    assert at.calls[0].result is not None and at.calls[0].result.error == "invalid"


def test_calls_get_unique_ids() -> None:
    response = openai_reply(None, ("today", "{}"), ("today", "{}"), ("today", "{}"))
    calls = response["choices"][0]["message"]["tool_calls"]
    calls[0]["id"] = calls[1]["id"] = "same"
    del calls[2]["id"]
    with Service(response, openai_reply("done")) as service:
        model(service).answer(view(), desk())
    ids = [message["tool_call_id"] for message in service.requests[1].body["messages"][-3:]]
    assert len(set(ids)) == 3


def test_arguments_may_come_as_an_object_and_texts_as_parts() -> None:
    first = openai_reply(None, ("sights", ""))
    first["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] = {"city": "Rome"}
    second = openai_reply()
    second["choices"][0]["message"]["content"] = [{"type": "text", "text": "do"}, {"text": "ne"}, 3]
    with Service(first, second) as service:
        at = desk()
        assert model(service).answer(view(), at) == "done"
    assert at.calls[0].arguments == {"city": "Rome"}


def test_pictures_are_parts_of_the_first_message() -> None:
    with Service(openai_reply("x")) as service:
        model(service).answer(view(images={"map": PNG}), desk())
    parts = service.requests[0].body["messages"][1]["content"]
    assert [part["type"] for part in parts] == ["text", "text", "image_url"]
    assert parts[1]["text"] == "map"
    assert parts[2]["image_url"]["url"].startswith("data:image/png;base64,iVBOR")


def test_a_conversation_is_written_in_order() -> None:
    with Service(openai_reply("x")) as service:
        chat = model(service).chat
        messages: list[Message] = [
            System("s"),
            User("u", (Image("jpeg", b"\xff\xd8\xff"),)),
            Assistant(None, (ToolCall("1", "today", "{}"),)),
            ToolResult("1", "today", "r"),
            Assistant("a"),
            User("v"),
        ]
        chat.complete(messages, [], seed=None, seconds=9)
    body = service.requests[0].body
    assert [message["role"] for message in body["messages"]] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
        "user",
    ]
    assert body["messages"][1]["content"][-1]["image_url"]["url"].startswith("data:image/jpeg")
    assert "tools" not in body


def test_the_key_is_read_from_the_environment_and_never_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "s3cret")
    with Service(openai_reply("x")) as service:
        agent_ = model(service, api_key_env="MY_KEY")
        agent_.answer(view(), desk())
    assert service.requests[0].headers["authorization"] == "Bearer s3cret"
    assert "s3cret" not in json.dumps(dict(agent_.about()))


def test_a_password_in_the_url_is_not_recorded() -> None:
    about = json.dumps(dict(OpenAI("m", "http://me:s3cret@127.0.0.1:1/v1?key=s3cret").about()))
    assert "http://127.0.0.1:1/v1" in about and "s3cret" not in about


def test_openai_itself_needs_a_key() -> None:
    with pytest.raises(UnknownAgentError, match="`OPENAI_API_KEY` holds no key"):
        agent("openai:model=any")


def test_the_record_names_model_options_and_prompts() -> None:
    about = agent("openai:model=m,base_url=http://127.0.0.1:1/v1,temperature=0.7,seed=3,max_tokens=5").about()  # type: ignore[attr-defined]
    assert {name: about[name] for name in ("model", "temperature", "seed", "max_tokens", "loop", "retries")} == {
        "model": "m",
        "temperature": 0.7,
        "seed": 3,
        "max_tokens": 5,
        "loop": "react",
        "retries": 4,
    }
    assert about["client"].startswith("openai ")
    assert all(len(digest) == 64 for digest in about["prompts"].values())


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("temperature=nan", "temperature"),
        ("temperature=3", "temperature"),
        ("max_tokens=0", "max_tokens"),
        ("timeout_s=0", "timeout_s"),
        ("retries=-1", "retries"),
        ("loop=circle", "loop"),
        ("seed=x", "seed"),
        ("prompts=/nowhere", "no folder"),
        ("images=titles", "tools=text"),
    ],
)
def test_invalid_options_are_refused(option: str, message: str) -> None:
    with pytest.raises(UnknownAgentError, match=message):
        agent(f"openai:model=m,base_url=http://127.0.0.1:1/v1,{option}")


BODIES = [
    b"",
    b"{",
    b"[]",
    b"null",
    b"\xff\xfe",
    b"<html>busy</html>",
    b"[" * 100_000,
    b'{"choices": NaN}',
    {"error": {"message": "no"}},
    {"choices": []},
    {"choices": [{}]},
    {"choices": [{"message": None}]},
    {"choices": [{"message": {"content": 5}}]},
    {"choices": [{"message": {"tool_calls": [{"id": "1"}]}}]},
    {"choices": [{"message": {"tool_calls": [{"function": {"name": 3, "arguments": "{}"}}]}}]},
    {"choices": [{"message": {"tool_calls": "x"}}]},
    {"choices": {"0": {}}},
]


@pytest.mark.parametrize("body", BODIES)
def test_a_reply_that_does_not_match_the_schema_is_a_failure_of_the_provider(body: Any) -> None:
    with Service(Response(body)) as service, pytest.raises(AttemptFailedError) as failed:
        model(service).answer(view(), desk())
    assert failed.value.boundary == "provider"


@pytest.mark.parametrize(
    "usage", [None, 3, [], {}, {"prompt_tokens": -1}, {"prompt_tokens": "11"}, {"prompt_tokens": True}]
)
def test_invalid_numbers_of_tokens_are_not_counted(usage: Any) -> None:
    with Service(openai_reply("x") | {"usage": usage}) as service:
        at = desk()
        model(service).answer(view(), at)
    count = at.trace("small", "a", None, None).tokens_of(None)
    assert count is not None and count.input is None


def test_half_a_surrogate_pair_is_replaced_anywhere() -> None:
    first = openai_reply("\ud800", ("to\udc00day", '{"a": "\\ud800"}'))
    with Service(first, openai_reply("\ud83d done")) as service:
        at = desk()
        assert model(service).answer(view(), at) == "\ufffd done"
    assert at.trace("small", "a", "x", None).model_dump_json().isprintable()


def test_a_refusal_of_the_model_is_read_as_its_text() -> None:
    response = openai_reply()
    response["choices"][0]["message"]["refusal"] = "I will not"
    with Service(response) as service:
        assert model(service).answer(view(), desk()) == "I will not"


def test_reasoning_is_separate_from_the_text() -> None:
    response = openai_reply("x")
    response["choices"][0]["message"]["reasoning_content"] = "hm"
    with Service(response) as service:
        reply = model(service).chat.complete([User("u")], [], seed=None, seconds=9)
    assert (reply.text, reply.thinking) == ("x", "hm")


def test_a_refused_request_reports_the_services_text() -> None:
    missing = Response({"error": {"message": "no such model"}}, status=404)
    pattern = r"404.*no such model.*, requested from http://[^ ]*/v1/chat/completions$"
    with Service(missing) as service, pytest.raises(ChatRequestError, match=pattern) as failed:
        model(service).chat.complete([User("u")], [], seed=None, seconds=9)
    assert not failed.value.transient
    with Service(missing) as service, pytest.raises(ChatRequestError, match="ends with `/v1`"):
        OpenAI("m", service.url).chat.complete([User("u")], [], seed=None, seconds=9)
