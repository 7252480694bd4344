"""The conversation of one role with the model. All messages and calls are kept in the trace."""

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
"""Replies in one conversation before it is abandoned."""
MOST_CALLS = MOST_COMMITS
"""Tool calls of one executor, not counting those that end its day (section 4.7)."""
MOST_ERRORS = 3
"""Errors of an executor that do not yet count as a violation (section A.2)."""
USED_UP: JsonResult = {
    "error": {"code": "used-up", "message": "all calls are used up; go on with what you know"}
}
_OVER: JsonResult = {"error": {"code": "over", "message": "your work had ended before this call"}}
_TAKEN: JsonResult = {"status": "accepted"}

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class End(Generic[T]):
    """The end of a conversation."""

    value: T


@dataclass(slots=True)
class Conversation:
    """One role at work: its messages so far, and their places in the trace.

    Attributes:
        tools: tools of the task.
        own: tools of the role.
        ending: names of the role's tools that end its work.
        most: limit on calls of the task's tools and of `cost_enquiry`; None for no limit.
    """

    talk: Talk
    stage: Stage
    tools: Sequence[Tool]
    own: Sequence[ModelTool]
    ending: Sequence[str]
    tally: ExecutorCounts
    most: int | None = None
    messages: list[Message] = field(default_factory=list)
    place: int = -1
    _places: list[int] = field(default_factory=list)
    _errors: int = 0

    def tell(self, message: System | User) -> None:
        """Send a message to the model."""
        if self.place < 0:
            self.place = self.tally.stage = self.talk.desk.record_stage(self.stage)
        self.messages.append(message)
        place = self.talk.desk.record_message(type(message).__name__.lower(), message.text, stage=self.place)
        self._places.append(place)

    def until(self, act: Callable[[ToolCall], End[T] | JsonResult], check: Callable[[], None]) -> T | None:
        """Query the model until a call ends the conversation.

        Args:
            act: handles a call of the role's own tools: it returns an end, or the reply to the model.
            check: called before each request.

        Returns:
            The value of the end, or None if the model does not reach one.
        """
        for _ in range(MOST_REPLIES):
            check()
            self.tally.call("model")
            reply = self.talk.ask(
                self.messages, [*self.tools, *self.own], stage=self.stage.name, context=self._places,
                stage_index=self.place, role=self.stage.name,
            )  # fmt: skip
            self.messages.append(reply.message())
            calls: list[tuple[ToolCall, int, JsonResult]] = []
            end: End[T] | None = None
            try:
                for call in reply.calls:
                    ending, place, result = self._called(call, act, over=end is not None)
                    end = ending or end
                    calls.append((call, place, result))
            finally:  # keeps the calls before one that fails
                message_place = self.talk.desk.record_message(
                    "assistant", reply.text, calls=[place for _, place, _ in calls], stage=self.place,
                    generation=reply.place,
                )  # fmt: skip
                self._places.append(message_place)
                for call, place, result in calls:
                    text = as_text(result)
                    self.messages.append(ToolResult(call.id, call.name, text))
                    self._places.append(
                        self.talk.desk.record_message("tool", text, answers=place, stage=self.place)
                    )
            if end is not None:
                return end.value
            if not reply.calls:
                self._erred()
                names = " or ".join(f"`{name}`" for name in self.ending)
                self.tell(User(reply.fault or f"Call one of your tools; {names} ends your work."))
        return None

    def violated(self) -> None:
        """Record a violation. Only the calls before the first one are counted."""
        if self.tally.before_violation is None:
            calls = self.tally.calls
            self.tally.before_violation = calls.get("tool", 0) + calls.get("cost_enquiry", 0)

    @property
    def used_up(self) -> bool:
        """Whether the limit on counted calls is reached."""
        calls = self.tally.calls
        return self.most is not None and calls.get("tool", 0) + calls.get("cost_enquiry", 0) >= self.most

    def _called(
        self, call: ToolCall, act: Callable[[ToolCall], End[T] | JsonResult], *, over: bool
    ) -> tuple[End[T] | None, int, JsonResult]:
        """Return the end that a call makes (or None), its place in the trace, and its result."""
        desk, number = self.talk.desk, call.id or None
        if not over and call.name not in {tool.name for tool in self.own}:
            if self.used_up:
                place = desk.record_call(call.name, call.arguments, USED_UP, id=number, stage=self.place)
                return None, place, USED_UP
            self.tally.call("tool")
            try:
                place, result = desk.place_call(call.name, call.arguments, id=number, stage=self.place)
            except AttemptFailedError as failed:
                if failed.boundary != "limit":
                    raise
                place = desk.record_call(call.name, call.arguments, USED_UP, id=number, stage=self.place)
                result = USED_UP
            if is_error(result):
                self._erred()
            return None, place, result
        start = desk.now()
        ending = _OVER if over else act(call)
        result = _TAKEN if isinstance(ending, End) else ending
        if is_error(result) or result.get("status") == "refused":
            self._erred()
        place = desk.record_call(call.name, call.arguments, result, id=number, stage=self.place, start=start)
        return ending if isinstance(ending, End) else None, place, result

    def _erred(self) -> None:
        self._errors += 1
        if self._errors > MOST_ERRORS:
            self.violated()


def as_text(value: object) -> str:
    """Return a value as JSON for the model."""
    return json.dumps(value, ensure_ascii=False)


def as_object(arguments: str) -> object:
    """Parse arguments as JSON. Return None, which is refused later, if they are invalid."""
    try:
        return load(arguments)
    except ValueError:
        return None
