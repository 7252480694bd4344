"""Defensive parsing of HTTP responses from model services: failures, waiting times, bodies, and token counts."""

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
from planspec.traces.json_text import load, replace_surrogates

TRANSIENT_STATUSES = frozenset({408, 409, 425, 429})
"""HTTP statuses below 500 that mean a transient failure."""
NOT_FOUND = frozenset({404, 405})
"""HTTP statuses that mean a wrong address or an unknown model."""
QUOTA_WORDS = ("insufficient_quota", "billing")
"""Words in a response with status 429 that mean that waiting does not help."""
CONTEXT_WORDS = (
    "context_length_exceeded",  # OpenAI, and llama.cpp's server for Python
    "exceed_context_size",  # llama.cpp's own server
    "maximum context length",  # vLLM
    "exceed context window",  # llama.cpp's server for Python, if the first message alone does not fit
    "prompt is too long",  # Anthropic
)
"""Words in an error response that mean that the conversation is longer than the model's context."""
MAX_SHOWN = 500
"""Maximum length of an excerpt from a service's text in a message, in characters."""


class ReplyModel(BaseModel):
    """Base class for parts of a service's response. Unknown fields are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)


Body = TypeVar("Body", bound=ReplyModel)


def read_body(model: type[Body], body: bytes) -> Body:
    """Parse the body of a response with status 200.

    Raises:
        ChatRequestError: the body is malformed. A repetition of the request may succeed.
    """
    try:
        value, _ = replace_surrogates(load(body.decode("utf-8")))
        return model.model_validate(value)
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors()[:3])
        raise ChatRequestError(
            f"the service's reply has another shape: {faults[:MAX_SHOWN]}; it begins {_excerpt(body)}",
            transient=True,
        ) from None
    except ValueError:
        raise ChatRequestError(f"the service's reply is not JSON: {_excerpt(body)}", transient=True) from None


def status_error(
    status: int, headers: Mapping[str, str], body: str, now: datetime | None = None, url: str = ""
) -> ChatRequestError:
    """Return the error for a response with a failure status.

    If the conversation is longer than the model's context, the boundary is `limit` whatever the status, because the
    service has not failed and a repetition would not help.

    Args:
        status: HTTP status.
        headers: headers, by lower-case name.
        body: body as text.
        now: current time, for headers with a date.
        url: requested URL, for messages about a wrong address.
    """
    should_retry = headers.get("x-should-retry", "").lower()
    transient = status in TRANSIENT_STATUSES or status >= 500
    if status == 429 and any(word in body for word in QUOTA_WORDS):
        transient = False
    if should_retry in ("true", "false"):
        transient = should_retry == "true"
    message = f"status {status}: {_excerpt(body.encode('utf-8', 'replace'))}"
    if status in NOT_FOUND and url:
        hint = "" if "/v1" in url else "; the `base_url` of most services ends with `/v1`"
        message += f", requested from {redact_url(url)}{hint}"
    if status != 429 and any(words in body for words in CONTEXT_WORDS):
        too_long = f"the conversation is longer than the model's context: {message}"
        return ChatRequestError(too_long, transient=False, boundary="limit")
    return ChatRequestError(message, transient=transient, wait_s=retry_after(headers, now or datetime.now(UTC)))


def response_error(error: Any) -> ChatRequestError:
    """Return the error for a failure response that a client package raised as an exception.

    Args:
        error: the exception of the package `openai` or `anthropic`. This function needs neither package.
    """
    headers = {name.lower(): value for name, value in error.response.headers.items()}
    return status_error(error.status_code, headers, error.response.text, url=str(error.request.url))


def connection_error(error: Exception) -> ChatRequestError:
    """Return the error for a connection that failed, broke off, or timed out."""
    return ChatRequestError(f"{type(error).__name__}: {error.__cause__ or error}"[:MAX_SHOWN], transient=True)


def arguments_object(arguments: str) -> dict[str, Any]:
    """Return a call's arguments as an object. Invalid ones become `{"written": ...}` with their text.

    Several services reject a whole conversation because of one invalid call.
    """
    try:
        value, _ = replace_surrogates(load(arguments))  # JSON escapes can produce lone surrogates
    except ValueError:
        value = None
    return value if isinstance(value, dict) else {"written": arguments}


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds to wait according to a response's headers; None if no header gives them."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        text = headers.get(name, "").strip()
        try:
            seconds = float(text) * unit
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


def parse_count(value: object) -> int | None:
    """Return a number of tokens, or None if the value is not one."""
    valid = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < NUMBER
    return value if valid and isinstance(value, int) else None


def parse_token_ids(value: object) -> tuple[int, ...] | None:
    """Return ids of tokens, or None if the value is not a list of ids."""
    if not isinstance(value, list) or not value:
        return None
    ids = [parse_count(one) for one in value]
    return None if None in ids else tuple(one for one in ids if one is not None)


def with_unique_ids(calls: Sequence[tuple[str | None, str, str]]) -> tuple[ToolCall, ...]:
    """Return the calls of one reply with unique ids. A service may omit or repeat ids."""
    unique_calls: list[ToolCall] = []
    taken: set[str] = set()
    for number, (given_id, name, arguments) in enumerate(calls, start=1):
        unique = given_id or f"call-{number}"
        while unique in taken:
            unique += f"-{number}"
        taken.add(unique)
        unique_calls.append(ToolCall(unique, name, arguments))
    return tuple(unique_calls)


def redact_url(url: str) -> str:
    """Return a URL without user name, password and query."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))


def _excerpt(body: bytes) -> str:
    text = " ".join(body[: 4 * MAX_SHOWN].decode("utf-8", "replace").split())
    return text[:MAX_SHOWN] or "(nothing)"
