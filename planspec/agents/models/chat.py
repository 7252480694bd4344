"""The interface of every model: messages and tools go in, one reply comes out; no provider's words in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

from planspec.agents.failures import Boundary
from planspec.agents.pictures import Image
from planspec.agents.tools import Tool

Stopped: TypeAlias = Literal["end", "calls", "length", "other"]
"""The model was done; it waits for tools; the most tokens of a reply were reached; anything else."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that a model asks for.

    Attributes:
        id: unique in its reply; empty where a model makes one call at a time and gives no ids.
        name: of the tool, as the model writes it.
        arguments: the text of a JSON object, as the model writes it; it may be none.
    """

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class System:
    """The system message, at the top of the conversation."""

    text: str


@dataclass(frozen=True, slots=True)
class User:
    """A message of the user's side."""

    text: str
    images: tuple[Image, ...] = ()


@dataclass(frozen=True, slots=True)
class Assistant:
    """A message of the model.

    Attributes:
        text: None where it said nothing beside its calls.
        calls: that it asked for.
        kept: what the chat that made the reply wants to see again; nobody else reads it.
    """

    text: str | None
    calls: tuple[ToolCall, ...] = ()
    kept: object = None


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a tool call.

    Attributes:
        id: of the call.
        name: of the tool.
        text: JSON.
        images: that the result brings; the text has their titles.
    """

    id: str
    name: str
    text: str
    images: tuple[Image, ...] = ()


Message: TypeAlias = System | User | Assistant | ToolResult


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply and its tokens.

    Attributes:
        text: None where it said nothing beside its calls.
        calls: that it asks for.
        thinking: what it says for itself, where the service tells it.
        input: tokens that it was given; None where the service does not say.
        cached: of them, those that the service had from before; None where it does not say.
        output: tokens that it made; None where the service does not say.
        stopped: why it went no further.
        fault: why neither an answer nor a call can be read in it; the model gets to read it.
        served: which model answered, as the service names it.
        kept: what the chat wants to see again with the message.
        written: the text as the model wrote it, where `text` and `calls` were read out of it.
        prompt_ids: the ids of the tokens that it was given, where the service tells them.
        ids: those of the tokens that it made, likewise.
        logprobs: the logarithms (base e) of their probabilities, likewise.
        hit: it was kept from before, and the service was not asked.
        place: in the trace's `generations`; None before it is there.
    """

    text: str | None
    calls: tuple[ToolCall, ...] = ()
    thinking: str | None = None
    input: int | None = None
    output: int | None = None
    stopped: Stopped = "end"
    fault: str | None = None
    served: str | None = None
    kept: object = None
    cached: int | None = None
    written: str | None = None
    prompt_ids: tuple[int, ...] | None = None
    ids: tuple[int, ...] | None = None
    logprobs: tuple[float, ...] | None = None
    hit: bool = False
    place: int | None = None

    def message(self) -> Assistant:
        """The reply as a part of the conversation that goes on."""
        return Assistant(self.text, self.calls, self.kept)


class ChatRequestError(Exception):
    """A request that brought no reply.

    Args:
        message: what happened, for people.
        passing: it may succeed when it is repeated.
        wait_s: seconds to wait before, where the service says so.
        boundary: at which the attempt fails if it is not repeated: `limit` where the model's context is full.
    """

    def __init__(
        self, message: str, *, passing: bool, wait_s: float | None = None, boundary: Boundary = "provider"
    ) -> None:
        super().__init__(message)
        self.message = message
        self.passing = passing
        self.wait_s = wait_s
        self.boundary: Boundary = boundary


class Chat(Protocol):
    """A model behind a service."""

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool],
        *,
        seed: int | None,
        seconds: float,
        schema: Mapping[str, Any] | None = None,
    ) -> Reply:
        """Ask once; whoever calls repeats it.

        Args:
            messages: the conversation. One `System` may stand first, and nowhere else; every call of an `Assistant` is
                answered by a `ToolResult` before anything else is said.
            tools: that may be called.
            seed: for drawing the reply; None to leave it to the service.
            seconds: after which nobody waits any more.
            schema: a JSON schema of the answer, for services that hold replies to one; others leave it alone.

        Returns:
            The reply. Every text in it can be encoded.

        Raises:
            ChatRequestError: there is none, or what came is none.
        """

    def about(self) -> Mapping[str, Any]:
        """A record of the model: its name, where it is served, and its options; JSON, no secret."""
