"""The conversation of one role with the model. All messages and calls are recorded in the trace."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from planspec.agents.failures import AttemptFailedError
from planspec.agents.models import Message, System, Talk, ToolCall, ToolResult, User
from planspec.agents.tools import JsonResult, ModelTool, Tool, is_error
from planspec.families.travelplanner.himap.executor import MOST_COMMITS
from planspec.families.travelplanner.himap.goals import ExecutorCounts
from planspec.traces.json_text import load
from planspec.traces.record import Stage

MOST_REPLIES = 25
"""Maximum number of replies of the model in a conversation. The conversation is then abandoned."""
MOST_CALLS = MOST_COMMITS
"""Maximum number of tool calls of an executor, without calls that end its work (section 4.7)."""
MOST_ERRORS = 3
"""Maximum number of errors of an executor that do not count as a violation (section A.2)."""
USED_UP: JsonResult = {"error": {"code": "used-up", "message": "all calls are used up; go on with what you know"}}
_OVER: JsonResult = {"error": {"code": "over", "message": "your work had ended before this call"}}
_TAKEN: JsonResult = {"status": "accepted"}

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class End(Generic[T]):
    """Return value of a call's handler that ends the conversation.

    Attributes:
        value: result of the conversation.
    """

    value: T


@dataclass(slots=True)
class Conversation:
    """Conversation of one role with the model, recorded in the trace.

    Attributes:
        talk: client of the model, with the desk that counts the requests to it.
        stage: stage of the trace that describes the role.
        tools: the task's tools, such as a flight search.
        role_tools: tools of the role, such as reporting a plan.
        final_tools: names of the role's tools that end its work.
        tally: counts of the role's calls.
        max_calls: maximum number of calls of the task's tools and of `cost_enquiry`; None for no limit.
        messages: messages so far.
        stage_index: index of the stage in the trace; -1 before the first message.
    """

    talk: Talk
    stage: Stage
    tools: Sequence[Tool]
    role_tools: Sequence[ModelTool]
    final_tools: Sequence[str]
    tally: ExecutorCounts
    max_calls: int | None = None
    messages: list[Message] = field(default_factory=list)
    stage_index: int = -1
    _message_indexes: list[int] = field(default_factory=list)
    _errors: int = 0

    def send(self, message: System | User) -> None:
        """Append a message to the conversation. The next request to the model includes it."""
        if self.stage_index < 0:
            self.stage_index = self.tally.stage = self.talk.desk.record_stage(self.stage)
        self.messages.append(message)
        place = self.talk.desk.record_message(type(message).__name__.lower(), message.text, stage=self.stage_index)
        self._message_indexes.append(place)

    def run(self, handle: Callable[[ToolCall], End[T] | JsonResult], check: Callable[[], None]) -> T | None:
        """Query the model until a call ends the conversation.

        Args:
            handle: function that handles a call of the role's tools. It returns an `End`, or the reply to the model.
            check: function called before each request to the model. It may raise an exception to stop the run.

        Returns:
            The value of the `End`, or None if the model does not end the conversation.
        """
        for _ in range(MOST_REPLIES):
            check()
            self.tally.count_call("model")
            reply = self.talk.ask(
                self.messages,
                [*self.tools, *self.role_tools],
                stage=self.stage.name,
                context=self._message_indexes,
                stage_index=self.stage_index,
                role=self.stage.name,
            )
            self.messages.append(reply.message())
            calls: list[tuple[ToolCall, int, JsonResult]] = []
            end: End[T] | None = None
            try:
                for call in reply.calls:
                    ending, place, result = self._handle_call(call, handle, is_over=end is not None)
                    end = ending or end
                    calls.append((call, place, result))
            finally:  # if handling a call fails, the calls before it are still recorded
                message_index = self.talk.desk.record_message(
                    "assistant",
                    reply.text,
                    calls=[index for _, index, _ in calls],
                    stage=self.stage_index,
                    generation=reply.place,
                )
                self._message_indexes.append(message_index)
                for call, place, result in calls:
                    text = to_json(result)
                    self.messages.append(ToolResult(call.id, call.name, text))
                    self._message_indexes.append(
                        self.talk.desk.record_message("tool", text, answers=place, stage=self.stage_index)
                    )
            if end is not None:
                return end.value
            if not reply.calls:
                self._count_error()
                names = " or ".join(f"`{name}`" for name in self.final_tools)
                self.send(User(reply.fault or f"Call one of your tools; {names} ends your work."))
        return None

    def record_violation(self) -> None:
        """Record the number of tool calls before the first violation. Later violations are ignored."""
        if self.tally.before_violation is None:
            calls = self.tally.calls
            self.tally.before_violation = calls.get("tool", 0) + calls.get("cost_enquiry", 0)

    @property
    def is_used_up(self) -> bool:
        """Whether the limit on calls is reached."""
        calls = self.tally.calls
        return self.max_calls is not None and calls.get("tool", 0) + calls.get("cost_enquiry", 0) >= self.max_calls

    def _handle_call(
        self, call: ToolCall, handle: Callable[[ToolCall], End[T] | JsonResult], *, is_over: bool
    ) -> tuple[End[T] | None, int, JsonResult]:
        """Handle a call. Return the `End` of the conversation or None, the call's index in the trace, and its result.

        Args:
            call: call of the model.
            handle: function that handles a call of the role's tools.
            is_over: whether an earlier call in the same reply has ended the conversation.
        """
        desk, number = self.talk.desk, call.id or None
        if not is_over and call.name not in {tool.name for tool in self.role_tools}:
            if self.is_used_up:
                place = desk.record_call(call.name, call.arguments, USED_UP, id=number, stage=self.stage_index)
                return None, place, USED_UP
            self.tally.count_call("tool")
            try:
                place, result = desk.place_call(call.name, call.arguments, id=number, stage=self.stage_index)
            except AttemptFailedError as failed:
                if failed.boundary != "limit":
                    raise
                place = desk.record_call(call.name, call.arguments, USED_UP, id=number, stage=self.stage_index)
                result = USED_UP
            if is_error(result):
                self._count_error()
            return None, place, result
        start = desk.now()
        ending = _OVER if is_over else handle(call)
        result = _TAKEN if isinstance(ending, End) else ending
        if is_error(result) or result.get("status") == "refused":
            self._count_error()
        place = desk.record_call(call.name, call.arguments, result, id=number, stage=self.stage_index, start=start)
        return ending if isinstance(ending, End) else None, place, result

    def _count_error(self) -> None:
        self._errors += 1
        if self._errors > MOST_ERRORS:
            self.record_violation()


def to_json(value: object) -> str:
    """Return a value as JSON text for the model."""
    return json.dumps(value, ensure_ascii=False)


def parse_json(arguments: str) -> object:
    """Parse arguments as JSON. Return None, which later checks reject, if they are invalid."""
    try:
        return load(arguments)
    except ValueError:
        return None
