from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from planspec.agents import AttemptFailedError, Desk, Limits
from planspec.agents.models import ChatRequestError, OpenAI, Reply, Talk, User
from planspec.agents.models.asking import FIRST_WAIT_S, LONGEST_WAIT_S
from planspec.agents.models.provider_replies import retry_after, status_error
from planspec.agents.tools import Toolset
from tests.planspec.agents.models.loopback import Response, Service, becomes_true, free_port, openai_reply
from tests.planspec.agents.models.small_office import ScriptedChat, desk, text_reply, view

pytestmark = pytest.mark.slow


TRANSIENT = ChatRequestError("busy", transient=True)


class Clock:
    """A clock that advances only when the tested code sleeps."""

    def __init__(self) -> None:
        self.time = 0.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        """Advance the clock, and record the number of seconds."""
        self.slept.append(seconds)
        self.time += seconds


def talk(*replies: Reply | ChatRequestError, retries: int = 4, clock: Clock | None = None, **limits: Any) -> Talk:
    """Return a conversation with a scripted model, whose waits between requests only advance the clock."""
    clock = clock or Clock()
    at = Desk(Toolset(()), Limits(**limits), now=clock)
    return Talk(ScriptedChat(*replies), at, retries=retries, sleep=clock.sleep)


def test_a_transient_failure_is_repeated_and_counted() -> None:
    clock = Clock()
    asking = talk(TRANSIENT, TRANSIENT, text_reply("x"), clock=clock)
    assert asking.ask([User("u")]).text == "x"
    assert asking.desk.notes["retries"] == 2
    assert asking.desk.steps_left == 59
    first, second = clock.slept
    assert FIRST_WAIT_S / 2 <= first <= FIRST_WAIT_S <= second <= 2 * FIRST_WAIT_S
    (generation,) = asking.desk.generations
    assert generation.time is not None
    assert (generation.time.start_s, generation.time.seconds) == (0, round(first + second, 6))


def test_waiting_grows_up_to_a_bound() -> None:
    clock = Clock()
    asking = talk(*[TRANSIENT] * 12, text_reply("x"), retries=12, clock=clock)
    asking.ask([User("u")])
    assert max(clock.slept) <= LONGEST_WAIT_S
    assert clock.slept[-1] >= LONGEST_WAIT_S / 2


def test_a_failure_that_persists_is_recorded_at_the_boundary_provider() -> None:
    asking = talk(*[TRANSIENT] * 3, retries=2)
    with pytest.raises(AttemptFailedError, match=r"busy \(asked 3 times\)") as failed:
        asking.ask([User("u")])
    assert failed.value.boundary == "provider"


def test_a_permanent_failure_is_not_repeated() -> None:
    clock = Clock()
    with pytest.raises(AttemptFailedError) as failed:
        talk(ChatRequestError("no such model", transient=False), clock=clock).ask([User("u")])
    assert (failed.value.boundary, failed.value.message, clock.slept) == ("provider", "no such model", [])


def test_the_wait_is_as_long_as_the_service_asks_for() -> None:
    clock = Clock()
    talk(ChatRequestError("busy", transient=True, wait_s=77.5), text_reply("x"), clock=clock).ask([User("u")])
    assert clock.slept == [77.5]


def test_no_wait_goes_beyond_the_time_limit() -> None:
    clock = Clock()
    asking = talk(ChatRequestError("busy", transient=True, wait_s=60.0), text_reply("x"), clock=clock, seconds=50.0)
    with pytest.raises(AttemptFailedError, match="a wait of 60 s, and 50 s are left") as failed:
        asking.ask([User("u")])
    assert (failed.value.boundary, clock.slept) == ("provider", [])


def test_no_request_is_sent_when_the_time_is_over() -> None:
    clock = Clock()
    asking = talk(text_reply("x"), clock=clock, seconds=5.0)
    clock.time = 5.0
    with pytest.raises(AttemptFailedError) as failed:
        asking.ask([User("u")])
    assert failed.value.boundary == "timeout"


def test_steps_and_tokens_are_limits() -> None:
    steps = talk(text_reply("x"), text_reply("y"), steps=1)
    steps.ask([User("u")])
    with pytest.raises(AttemptFailedError, match="1 steps are used up") as failed:
        steps.ask([User("u")])
    assert failed.value.boundary == "limit"
    tokens = talk(text_reply("x"), text_reply("y"), tokens=15)
    tokens.ask([User("u")])
    with pytest.raises(AttemptFailedError, match="15 tokens are used up"):
        tokens.ask([User("u")])


def test_a_bug_in_a_chat_is_not_hidden() -> None:
    with pytest.raises(IndexError):
        talk().ask([User("u")])


NOW = datetime(2030, 1, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 0.5 "}, 0.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after-ms": "1500", "retry-after": "7"}, 1.5),
        ({"retry-after-ms": "x", "retry-after": "7"}, 7.0),
        ({"retry-after": format_datetime(NOW + timedelta(seconds=90), usegmt=True)}, 90.0),
        ({"retry-after": format_datetime(NOW - timedelta(days=1), usegmt=True)}, 0.0),
        ({"retry-after": "Tue, 01 Jan 2030 12:00:05 -0000"}, 5.0),
        ({"retry-after": "Tue, 99 Jan 2030 12:00:05 GMT"}, None),
    ],
)
def test_the_wait_is_parsed_from_seconds_and_dates(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds


@pytest.mark.parametrize(
    ("status", "headers", "body", "transient"),
    [
        (429, {}, "slow down", True),
        (429, {}, '{"error": {"code": "insufficient_quota"}}', False),
        (500, {}, "", True),
        (503, {"x-should-retry": "false"}, "", False),
        (400, {"x-should-retry": "true"}, "", True),
        (400, {}, "context too long", False),
        (401, {}, "", False),
        (408, {}, "", True),
    ],
)
def test_the_http_status_decides_whether_a_failure_is_transient(
    status: int, headers: dict[str, str], body: str, transient: bool
) -> None:
    assert status_error(status, headers, body).transient is transient


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, '{"error": {"code": "context_length_exceeded", "message": "Please reduce the length"}}'),
        (400, '{"error": {"type": "exceed_context_size_error", "n_prompt_tokens": 3120, "n_ctx": 2048}}'),
        (400, '{"object": "error", "message": "This model\'s maximum context length is 2048 tokens."}'),
        (400, '{"error": {"message": "prompt is too long: 210000 tokens > 200000 maximum"}}'),
        (500, '{"error": {"message": "Requested tokens (3120) exceed context window of 2048"}}'),
    ],
)
def test_a_conversation_too_long_for_the_context_ends_at_the_boundary_limit(status: int, body: str) -> None:
    conversation = talk(status_error(status, {}, body), text_reply("never requested"))
    with pytest.raises(AttemptFailedError, match="longer than the model's context: status") as failed:
        conversation.ask([User("u")])
    assert failed.value.boundary == "limit" and body in failed.value.message
    assert "retries" not in conversation.desk.notes


def test_a_services_text_is_truncated() -> None:
    assert len(status_error(500, {}, "x" * 100_000).message) < 600


@pytest.fixture
def _client(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai", reason="the extra `openai` is not installed")
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


NO_WAIT = {"retry-after": "0"}
CUT = Response(openai_reply("never comes"), declared_length=10_000, headers=NO_WAIT)


@pytest.mark.usefixtures("_client")
@pytest.mark.parametrize(
    "faulty_response",
    [
        Response({"error": {"message": "slow down"}}, 429, NO_WAIT),
        Response(b"oops", 500, NO_WAIT),
        Response(b"", 502, NO_WAIT),
        Response({}, 503, NO_WAIT),
    ],
)
def test_requests_to_a_failing_service_are_repeated(faulty_response: Response) -> None:
    with Service(faulty_response, faulty_response, openai_reply("x")) as service:
        at = desk()
        assert OpenAI("m", f"{service.url}/v1").answer(view(), at) == "x"
    assert len(service.requests) == 3 and at.notes["retries"] == 2


@pytest.mark.usefixtures("_client")
@pytest.mark.parametrize("faulty_response", [CUT, Response(b"{"), Response(b""), Response({"choices": []})])
def test_a_truncated_or_invalid_reply_is_requested_again(faulty_response: Response) -> None:
    with Service(faulty_response, openai_reply("x")) as service:
        chat = OpenAI("m", f"{service.url}/v1").chat
        clock = Clock()
        assert Talk(chat, desk(), sleep=clock.sleep).ask([User("u")]).text == "x"
    assert len(clock.slept) == 1


@pytest.mark.usefixtures("_client")
def test_a_service_that_does_not_listen_is_a_failure_of_the_provider() -> None:
    chat = OpenAI("m", f"http://127.0.0.1:{free_port()}/v1").chat
    with pytest.raises(AttemptFailedError, match="asked 5 times") as failed:
        Talk(chat, desk(), sleep=Clock().sleep).ask([User("u")])
    assert failed.value.boundary == "provider"


@pytest.mark.usefixtures("_client")
@pytest.mark.parametrize(
    "slow", [Response(openai_reply("late"), before_s=30.0), Response(openai_reply("x" * 1000), drip_s=0.05)]
)
def test_a_slow_service_is_abandoned_at_the_time_limit(slow: Response) -> None:
    with Service(slow) as service:
        start = time.monotonic()
        with pytest.raises(AttemptFailedError) as failed:
            OpenAI("m", f"{service.url}/v1").answer(view(), desk(seconds=0.5))
        assert time.monotonic() - start < 10
        assert becomes_true(lambda: len(service.requests) == 1, 5.0)
    assert failed.value.boundary == "timeout"


@pytest.mark.usefixtures("_client")
def test_a_request_that_hangs_is_abandoned_and_repeated() -> None:
    with Service(Response(openai_reply("late"), before_s=30.0), openai_reply("x")) as service:
        chat = OpenAI("m", f"{service.url}/v1", timeout_s=0.2).chat
        assert Talk(chat, desk(), sleep=Clock().sleep).ask([User("u")]).text == "x"
    assert len(service.requests) == 2
