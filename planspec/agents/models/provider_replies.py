"""Replies of services over HTTP, read so that nothing in them can do harm: failures, waiting times, bodies, counts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar
from urllib.parse import urlsplit, urlunsplit

from pydantic import BaseModel, ConfigDict, ValidationError

from planspec.agents.models.chat import ChatRequestError, ToolCall
from planspec.dsl.resources.limits import NUMBER
from planspec.traces.json_text import load, whole_characters

PASSING = frozenset({408, 409, 425, 429})
"""Statuses below 500 that a repeated request may not meet again."""
NOWHERE = frozenset({404, 405})
"""Statuses of an address at which the service is not, or a model is not."""
SPENT = ("insufficient_quota", "billing")
"""Words in the body of a 429 that mean that waiting does not help."""
OUTGROWN = (
    "context_length_exceeded",  # OpenAI, and llama.cpp's server for Python
    "exceed_context_size",  # llama.cpp's own server
    "maximum context length",  # vLLM
    "exceed context window",  # llama.cpp's server for Python, of a conversation that it could not even begin
    "prompt is too long",  # Anthropic
)
"""Words in the body of a failure that mean that the conversation is longer than the model's context."""
SHOWN = 500
"""Characters of what a service says that are kept in a message."""


class ReplyModel(BaseModel):
    """A part of what a service sends; what nobody reads is not looked at."""

    model_config = ConfigDict(extra="ignore", frozen=True)


Body = TypeVar("Body", bound=ReplyModel)


def read_body(model: type[Body], body: bytes) -> Body:
    """The body of a response with status 200.

    Raises:
        ChatRequestError: it is not what the service is to send; asking again may help.
    """
    try:
        value, _ = whole_characters(load(body.decode("utf-8")))
        return model.model_validate(value)
    except ValidationError as error:
        faults = "; ".join(
            f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors()[:3]
        )
        raise ChatRequestError(
            f"the service's reply has another shape: {faults[:SHOWN]}; it begins {_shown(body)}", passing=True
        ) from None
    except ValueError:
        raise ChatRequestError(f"the service's reply is no JSON: {_shown(body)}", passing=True) from None


def refused(
    status: int, headers: Mapping[str, str], body: str, now: datetime | None = None, url: str = ""
) -> ChatRequestError:
    """A response with a status of failure.

    A conversation that is longer than the model's context stays so, whatever the status: it is no failure of the service.

    Args:
        status: of HTTP.
        headers: by lower-case names.
        body: as text.
        now: the time, for headers that name a date.
        url: that was asked, for messages that nothing is there.
    """
    said = headers.get("x-should-retry", "").lower()
    passing = status in PASSING or status >= 500
    if status == 429 and any(word in body for word in SPENT):
        passing = False
    if said in ("true", "false"):
        passing = said == "true"
    message = f"status {status}: {_shown(body.encode('utf-8', 'replace'))}"
    if status in NOWHERE and url:
        hint = "" if "/v1" in url else "; the `base_url` of most services ends with `/v1`"
        message += f", asked at {without_secrets(url)}{hint}"
    if status != 429 and any(words in body for words in OUTGROWN):
        outgrown = f"the conversation is longer than the model's context: {message}"
        return ChatRequestError(outgrown, passing=False, boundary="limit")
    return ChatRequestError(message, passing=passing, wait_s=retry_after(headers, now or datetime.now(UTC)))


def refusal(error: Any) -> ChatRequestError:  # an error of either client; they are not always installed
    """A client's error that has a response."""
    headers = {name.lower(): value for name, value in error.response.headers.items()}
    return refused(error.status_code, headers, error.response.text, url=str(error.request.url))


def unreached(error: Exception) -> ChatRequestError:
    """A client's error of a connection that was not made, was cut, or took too long."""
    return ChatRequestError(f"{type(error).__name__}: {error.__cause__ or error}"[:SHOWN], passing=True)


def object_of(arguments: str) -> dict[str, Any]:
    """Arguments as an object: several services refuse the whole conversation for a call in it that has none."""
    try:
        read, _ = whole_characters(load(arguments))  # halves of characters may be spelled out in it
    except ValueError:
        read = None
    return read if isinstance(read, dict) else {"written": arguments}


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds that a service asks to wait for, at least 0; None where it does not, or not readably."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        said = headers.get(name, "").strip()
        try:
            seconds = float(said) * unit
        except ValueError:
            continue
        if math.isfinite(seconds):
            return max(seconds, 0.0)
    try:
        until = parsedate_to_datetime(headers.get("retry-after", ""))
    except (ValueError, TypeError, OverflowError):
        return None
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max((until - now).total_seconds(), 0.0)


def count(value: object) -> int | None:
    """A number of tokens; None where it is none."""
    counted = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < NUMBER
    return value if counted and isinstance(value, int) else None


def token_ids(value: object) -> tuple[int, ...] | None:
    """The ids of tokens; None where they are none."""
    if not isinstance(value, list) or not value:
        return None
    ids = [count(one) for one in value]
    return None if None in ids else tuple(one for one in ids if one is not None)


def distinct(calls: Sequence[tuple[str | None, str, str]]) -> tuple[ToolCall, ...]:
    """Calls of one reply with ids that tell them apart: a service may leave ids out, or give one twice."""
    made: list[ToolCall] = []
    taken: set[str] = set()
    for place, (said, name, arguments) in enumerate(calls, start=1):
        own = said or f"call-{place}"
        while own in taken:
            own += f"-{place}"
        taken.add(own)
        made.append(ToolCall(own, name, arguments))
    return tuple(made)


def without_secrets(url: str) -> str:
    """A URL without the name, password and query that may stand in it."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))


def _shown(body: bytes) -> str:
    text = " ".join(body[: 4 * SHOWN].decode("utf-8", "replace").split())
    return text[:SHOWN] or "(nothing)"
