"""Whatever a service sends, the attempt is recorded, and the record can be written and read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from planspec.agents import Limits
from planspec.agents.models import Anthropic, OpenAI
from planspec.environments import AgentTask, open_task
from planspec.runs.attempting import AttemptSpec, attempt
from planspec.runs.record import Attempt
from tests.extras import needs
from tests.paths import ROOT
from tests.planspec.agents.models.loopback import Response, Service, anthropic_reply, openai_reply
from tests.planspec.agents.models.small_office import TOOLS
from tests.random_examples import examples

pytestmark = [pytest.mark.integration, needs("anthropic", "openai", extra="anthropic,openai")]


@pytest.fixture(autouse=True, scope="module")
def _clear_environment() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"):
            patch.delenv(name, raising=False)
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            patch.delenv(name, raising=False)
        yield


@pytest.fixture(scope="module")
def opened() -> AgentTask:
    """Return a shipped task, opened in a setting with tools."""
    task = open_task(ROOT / "tasks" / "examples" / "menu.task.yaml")
    return AgentTask(task.name, task.judges, task.setting, task.brief, tools=TOOLS)


def recorded_attempt(agent: OpenAI | Anthropic, opened: AgentTask, **limits: Any) -> Attempt:
    """Return the record of an attempt, written to a file and read again."""
    attempt_ = attempt(AttemptSpec("menu", 0, 3), agent, "model", opened, Limits(**limits))
    return Attempt.model_validate_json(json.dumps(attempt_.model_dump(mode="json"), allow_nan=False).encode())


@pytest.mark.parametrize(
    ("sent", "boundary"),
    [
        (Response(b"", 500, {"retry-after": "0"}), "provider"),
        (Response(b"<html>", 404), "provider"),
        (Response(openai_reply("{}"), before_s=20.0), "timeout"),
        (Response(openai_reply("no plan")), "decode"),
        (Response(openai_reply("")), "decode"),
        (Response(openai_reply(None, ("today", "{}"))), "limit"),
    ],
)
def test_each_failure_of_a_service_is_recorded_with_the_boundary_where_it_occurred(
    opened: AgentTask, sent: Response, boundary: str
) -> None:
    with Service(sent) as service:
        attempt_ = recorded_attempt(OpenAI("m", f"{service.url}/v1"), opened, seconds=1.5, tool_calls=3)
    assert attempt_.failure is not None and attempt_.failure.boundary == boundary
    assert attempt_.verdict["status"] == "undelivered"
    assert attempt_.about["prompts"]


def test_the_answer_in_a_models_reply_is_judged(opened: AgentTask) -> None:
    with Service(openai_reply('```json\n{"courses": []}\n```')) as service:
        attempt_ = recorded_attempt(OpenAI("m", f"{service.url}/v1"), opened)
    assert attempt_.verdict["status"] != "undelivered"
    assert attempt_.failure is None and attempt_.trace.tokens[0].input == 11 * len(opened.judges)


def test_an_unreadable_answer_is_quoted_and_marked_as_cut_off(opened: AgentTask) -> None:
    with Service(openai_reply("Here is\nyour plan: " + "x" * 200, output_tokens=64, stop="length")) as service:
        attempt_ = recorded_attempt(OpenAI("m", f"{service.url}/v1"), opened)
    assert attempt_.failure is not None and attempt_.failure.boundary == "decode"
    cut = "the model's reply was cut off after 64 tokens (`max_tokens`, or the model's context)"
    assert attempt_.failure.message.endswith(f"; it begins `Here is your plan: {'x' * 61}`; {cut}")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)


def _spoil(whole: Any, draw: Any) -> Any:
    """Return a response with some parts replaced by arbitrary JSON."""
    if isinstance(whole, dict):
        parts = {name: _spoil(part, draw) for name, part in whole.items()}
        return {name: draw(JSON) if draw(st.integers(0, 9)) == 0 else part for name, part in parts.items()}
    if isinstance(whole, list):
        return [_spoil(part, draw) for part in whole]
    return whole


@st.composite
def spoilt_bodies(draw: Any, whole: dict[str, Any]) -> bytes:
    """Draw the body of a response in which some parts are arbitrary JSON."""
    return json.dumps(_spoil(whole, draw)).encode()


OPENAI = openai_reply("x", ("sights", '{"city": "Rome"}'), ("today", "{}"))
ANTHROPIC = anthropic_reply(
    {"type": "thinking", "thinking": "t", "signature": "s"},
    {"type": "text", "text": "x"},
    {"type": "tool_use", "id": "1", "name": "sights", "input": {"city": "Rome"}},
)


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """Yield a service. Each example replaces its response."""
    with Service(Response()) as service:
        yield service


@pytest.fixture(scope="module")
def openai(service: Service) -> OpenAI:
    return OpenAI("m", f"{service.url}/v1", retries=0)


@pytest.fixture(scope="module")
def anthropic(service: Service) -> Anthropic:
    return Anthropic("m", service.url, retries=0)


QUICK = settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])


@QUICK
@given(body=spoilt_bodies(OPENAI))
def test_no_reply_of_an_openai_service_raises_an_error_in_planspec(
    opened: AgentTask, service: Service, openai: OpenAI, body: bytes
) -> None:
    service.set_responses(Response(body))
    attempt_ = recorded_attempt(openai, opened, tool_calls=3, steps=4)
    assert attempt_.failure is not None and attempt_.failure.boundary in ("provider", "decode", "limit")


@QUICK
@given(body=spoilt_bodies(ANTHROPIC))
def test_no_reply_of_anthropics_service_raises_an_error_in_planspec(
    opened: AgentTask, service: Service, anthropic: Anthropic, body: bytes
) -> None:
    service.set_responses(Response(body))
    attempt_ = recorded_attempt(anthropic, opened, tool_calls=3, steps=4)
    assert attempt_.failure is not None and attempt_.failure.boundary in ("provider", "decode", "limit")
