"""Interface of all models, independent of providers. A chat turns messages and tools into one reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

from planspec.agents.failures import Boundary
from planspec.agents.pictures import Image
from planspec.agents.tools import Tool
from planspec.deprecation import former_fields

StopReason: TypeAlias = Literal["end", "calls", "length", "other"]
"""Why a reply ended: it is complete (`end`), calls tools (`calls`), reached the token limit (`length`), or `other`."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call of a model.

    Attributes:
        id: id, unique in the reply; empty for models that make one call at a time without ids.
        name: name of the tool, as the model wrote it.
        arguments: text that should be a JSON object, as the model wrote it.
    """

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class System:
    """A system message: the instructions at the start of a conversation."""

    text: str


@dataclass(frozen=True, slots=True)
class User:
    """A message from the user to the model."""

    text: str
    images: tuple[Image, ...] = ()


@former_fields(kept="provider_data")
@dataclass(frozen=True, slots=True)
class Assistant:
    """A message from the model, with its tool calls if it makes any.

    Attributes:
        text: text besides the calls, or None.
        calls: tool calls.
        provider_data: data that the same chat needs in later requests, opaque to all other code.
    """

    text: str | None
    calls: tuple[ToolCall, ...] = ()
    provider_data: object = None


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a tool call.

    Attributes:
        id: id of the call.
        name: name of the tool.
        text: the result as JSON text.
        images: pictures in the result, whose titles are in the text.
    """

    id: str
    name: str
    text: str
    images: tuple[Image, ...] = ()


Message: TypeAlias = System | User | Assistant | ToolResult


@former_fields(kept="provider_data")
@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply and its tokens.

    Attributes:
        text: text besides the calls, or None.
        calls: tool calls.
        thinking: reasoning text, if the service shows it.
        input: number of input tokens; None if the service does not report it.
        cached: number of input tokens that the service had cached; None if it does not report it.
        output: number of output tokens; None if the service does not report it.
        stopped: why the reply ended.
        fault: message to the model if the reply contains neither an answer nor a call, else None.
        served: name of the answering model, if the service reports it.
        provider_data: data that the same chat needs in later requests.
        written: original text of the reply, if `text` and `calls` were parsed from it.
        prompt_ids: ids of the input tokens, if the service reports them.
        ids: ids of the output tokens, if the service reports them.
        logprobs: natural logarithms of the output tokens' probabilities, if the service reports them.
        hit: whether the reply came from the cache of replies, without a request.
        place: index in the trace's `generations`; None before the reply is recorded.
    """

    text: str | None
    calls: tuple[ToolCall, ...] = ()
    thinking: str | None = None
    input: int | None = None
    output: int | None = None
    stopped: StopReason = "end"
    fault: str | None = None
    served: str | None = None
    provider_data: object = None
    cached: int | None = None
    written: str | None = None
    prompt_ids: tuple[int, ...] | None = None
    ids: tuple[int, ...] | None = None
    logprobs: tuple[float, ...] | None = None
    hit: bool = False
    place: int | None = None

    def message(self) -> Assistant:
        """Return the reply as a message of the conversation."""
        return Assistant(self.text, self.calls, self.provider_data)


@former_fields(passing="transient")
class ChatRequestError(Exception):
    """A request to a model failed or got an invalid reply.

    Args:
        message: what happened.
        transient: whether a repetition of the request may succeed.
        wait_s: seconds to wait before a repetition, if the service requests this.
        boundary: boundary at which the attempt fails if the request is not repeated: `limit` if the conversation
            is longer than the model's context.
    """

    def __init__(
        self, message: str, *, transient: bool, wait_s: float | None = None, boundary: Boundary = "provider"
    ) -> None:
        super().__init__(message)
        self.message = message
        self.transient = transient
        self.wait_s = wait_s
        self.boundary: Boundary = boundary


class Chat(Protocol):
    """A language model behind a service, as used by the agents' loops."""

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool],
        *,
        seed: int | None,
        seconds: float,
        schema: Mapping[str, Any] | None = None,
    ) -> Reply:
        """Send one request, without repetitions.

        Args:
            messages: the conversation. Only the first message may be a `System`. The calls of an `Assistant` are
                followed by their `ToolResult` messages before any other.
            tools: tools that may be called.
            seed: seed of the reply; None to send none.
            seconds: seconds after which the caller stops waiting.
            schema: JSON schema of the answer, for services that can enforce one; others ignore it.

        Returns:
            The reply. All its texts can be encoded as UTF-8.

        Raises:
            ChatRequestError: no reply came, or it is invalid.
        """

    def constrained(self) -> Chat | None:
        """Return a copy of this chat whose replies the service constrains to a schema; None if it cannot."""
        return None

    def about(self) -> Mapping[str, Any]:
        """Return a description of the model as JSON, without secrets: name, address and options."""
