"""Pictures in tool results match the types of the providers' own clients."""

from __future__ import annotations

from base64 import b64decode
from typing import Any

import pytest
from pydantic import TypeAdapter

from planspec.agents.models import Anthropic, OpenAI
from planspec.agents.pictures import Image, PicturedResult
from planspec.agents.tools import Arguments, ModelTool, Toolset
from planspec.runs.prices import usd
from planspec.runs.record import ModelPrice
from tests.extras import needs
from tests.planspec.agents.models.loopback import Service, anthropic_reply, openai_reply
from tests.planspec.agents.models.small_office import PNG, desk, view

pytestmark = [pytest.mark.integration, needs("openai", "anthropic", extra="openai,anthropic")]

JPEG = b"\xff\xd8\xff\xe0 a photograph"
PRICES = {"loopback": ModelPrice(input=2.0, output=8.0), "loopback-1": ModelPrice(input=2.0, output=8.0)}


class NoArguments(Arguments):
    pass


def look(_: NoArguments) -> PicturedResult:
    """Return a result with two pictures."""
    return PicturedResult({"page": 1}, [Image("map", PNG), Image("photo", JPEG)])


LOOK = Toolset([ModelTool("look", "Shows two pictures.", NoArguments, look)])


@pytest.fixture(autouse=True)
def _set_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, "none")
    for name in (
        "OPENAI_BASE_URL",
        "ANTHROPIC_BASE_URL",
        "HTTP_PROXY",
        "http_proxy",
        "ALL_PROXY",
        "all_proxy",
    ):
        monkeypatch.delenv(name, raising=False)


def check_types(type_: Any, messages: Any) -> None:
    """Check that messages have the client's type and no unknown key, which the client would drop."""
    for message in messages:
        assert _plain_data(TypeAdapter(type_).validate_python(message)) == _plain_data(message)


def _plain_data(value: Any) -> Any:
    """Return the mappings and iterables of a validated message as they were written."""
    if isinstance(value, dict):
        return {key: _plain_data(part) for key, part in value.items()}
    if isinstance(value, str | bytes | int | float) or value is None:
        return value
    return [_plain_data(part) for part in value]


def test_openai_client_sends_message_parts_that_match_the_sdk_types() -> None:
    from openai.types.chat import ChatCompletionMessageParam

    with Service(
        openai_reply(None, ("look", "{}"), input_tokens=100), openai_reply("done", input_tokens=1_900)
    ) as service:
        at = desk(LOOK)
        assert OpenAI("loopback", base_url=f"{service.url}/v1", retries=0).answer(view(tools=LOOK), at) == "done"
    messages = service.requests[1].body["messages"]
    check_types(ChatCompletionMessageParam, messages)
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "tool", "user"]
    parts = messages[-1]["content"]
    urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    assert [url.partition(",")[0] for url in urls] == ["data:image/png;base64", "data:image/jpeg;base64"]
    assert [b64decode(url.partition(",")[2]) for url in urls] == [PNG, JPEG]
    check_recorded_tokens(at)


def test_anthropic_client_sends_content_blocks_that_match_the_sdk_types() -> None:
    from anthropic.types import MessageParam

    use = {"type": "tool_use", "id": "t1", "name": "look", "input": {}}
    first = anthropic_reply(use, stop="tool_use", input_tokens=100)
    with Service(first, anthropic_reply({"type": "text", "text": "done"}, input_tokens=1_900)) as service:
        at = desk(LOOK)
        assert Anthropic("loopback", service.url, retries=0).answer(view(tools=LOOK), at) == "done"
    messages = service.requests[1].body["messages"]
    check_types(MessageParam, messages)
    (result,) = messages[-1]["content"]
    assert (result["type"], result["tool_use_id"]) == ("tool_result", "t1")
    sources = [block["source"] for block in result["content"] if block["type"] == "image"]
    assert [source["media_type"] for source in sources] == ["image/png", "image/jpeg"]
    assert [b64decode(source["data"]) for source in sources] == [PNG, JPEG]
    check_recorded_tokens(at)


def check_recorded_tokens(at: Any) -> None:
    """Check that tokens are counted as the service reports them, and that the record contains hashes instead of
    pictures.
    """
    trace = at.trace("small", "m", "done", None)
    assert usd(trace, PRICES) == pytest.approx((2_000 * 2.0 + 14 * 8.0) / 1_000_000)
    (call,) = trace.calls
    assert [one["sha256"] for one in call.result.value["pictures"]] == [
        Image("", PNG).sha256,
        Image("", JPEG).sha256,
    ]
    assert "base64" not in trace.model_dump_json()
