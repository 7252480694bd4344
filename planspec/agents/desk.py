"""The desk of an attempt: an object that counts, limits and records tool calls, messages, steps and tokens."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from planspec.agents.failures import AttemptFailedError
from planspec.agents.pictures import Image, images_of
from planspec.agents.tools import JsonResult, Tool, Toolset, no_calls_left
from planspec.agents.view import Limits, smallest_bound
from planspec.deprecation import former_fields, former_parameters
from planspec.traces import record
from planspec.traces.chat import spans_of
from planspec.traces.json_text import load, replace_surrogates

if TYPE_CHECKING:
    from planspec.agents.models.reply_cache import ReplyCache

KINDS: Mapping[str, record.ErrorKind] = {
    "invalid-arguments": "invalid",
    "unknown-tool": "invalid",
    "not-found": "miss",
    "upstream": "upstream",
}
"""Kind of error in a trace, by error code of a tool."""


MAX_MESSAGE_CHARS = 2000
"""Maximum length of a failure's message, in characters."""
_JSON: TypeAdapter[record.Json] = TypeAdapter(record.Json)


@dataclass(slots=True)
class _TokenCounts:
    input: int | None = None
    cached: int | None = None
    output: int | None = None


@former_fields(say="record_message", generate="record_generation", stage="record_stage")
@dataclass(slots=True)
class Desk:
    """An agent's access to tools, and the record and limits of one attempt over all its turns. Thread-safe.

    Attributes:
        tools: tools of the task.
        limits: limits of the attempt. An action beyond a limit raises `AttemptFailedError`.
        seed: seed for random numbers.
        now: function that returns the time in seconds.
        allowed: number of calls that the setting answers; later calls return an error. None for no limit.
        replies: cache of services' replies; None to send every request.
        timed: whether the durations of calls and replies are recorded.
        calls: recorded tool calls.
        messages: recorded messages of conversations with models.
        stages: records of parts of the agent.
        generations: recorded replies of models.
        offered: descriptions of the tools that models could call, without duplicates.
        images: pictures of all results so far, by the hash that calls record.
        notes: further recorded values, by name.
    """

    tools: Toolset
    limits: Limits
    seed: int = 0
    now: Callable[[], float] = time.monotonic
    allowed: int | None = None
    replies: ReplyCache | None = None
    timed: bool = True
    calls: list[record.Call] = field(default_factory=list, init=False)
    messages: list[record.Message] = field(default_factory=list, init=False)
    stages: list[record.Stage] = field(default_factory=list, init=False)
    generations: list[record.Generation] = field(default_factory=list, init=False)
    offered: list[record.OfferedTool] = field(default_factory=list, init=False)
    images: dict[str, Image] = field(default_factory=dict, init=False)
    notes: dict[str, Any] = field(default_factory=dict, init=False)
    _steps: int = field(default=0, init=False)
    _own_calls: int = field(default=0, init=False)
    _sequences: dict[tuple[str | None, int | None], tuple[int, tuple[int, ...]]] = field(
        default_factory=dict, init=False
    )
    _spent: dict[str | None, _TokenCounts] = field(default_factory=dict, init=False)
    _places: dict[int, tuple[Tool, int]] = field(default_factory=dict, init=False)
    _started: float = field(default=0.0, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def __post_init__(self) -> None:
        self._started = self.now()

    def copy(self) -> Desk:
        """Return an independent copy of this desk."""
        with self._lock:
            copy = replace(self)
            copy.calls += self.calls
            copy.messages += self.messages
            copy.stages += self.stages
            copy.generations += self.generations
            copy.offered += self.offered
            copy._places |= self._places
            copy._sequences |= self._sequences
            copy.images |= self.images
            copy.notes |= self.notes
            copy._steps, copy._started, copy._own_calls = self._steps, self._started, self._own_calls
            copy._spent |= {stage: replace(spent) for stage, spent in self._spent.items()}
        return copy

    # ------------------------------------------------------------------ for agents

    def call(self, name: object, arguments: object = "", *, id: str | None = None) -> JsonResult:
        """Call a tool.

        Args:
            name: name of the tool.
            arguments: a JSON object, or its text as written by a model; empty if left out.
            id: the caller's id of the call.

        Returns:
            The tool's result, or `{"error": {"code": ..., "message": ...}}` for an invalid call.

        Raises:
            AttemptFailedError: the time or the calls are used up, or the tool's code raised an exception.
        """
        return self.place_call(name, arguments, id=id)[1]

    def place_call(
        self, name: object, arguments: object, *, id: str | None = None, stage: int | None = None
    ) -> tuple[int, JsonResult]:
        """Call a tool. Return the index of the recorded call, and the tool's result.

        Args:
            name: name of the tool.
            arguments: a JSON object, or its text as written by a model.
            id: the caller's id of the call.
            stage: index in `stages` of the calling stage.

        Returns:
            The index in `calls`, and the result as from `call`.

        Raises:
            AttemptFailedError: the time or the calls are used up, or the tool's code raised an exception.
        """
        self.check()
        with self._lock:
            limit = self.limits.tool_calls
            number = len(self.calls) - self._own_calls
            if limit is not None and number >= limit:
                raise AttemptFailedError("limit", f"{limit} tool calls are used up")
            index = len(self.calls)
            self.calls.append(record.Call(id=id or f"call-{index + 1}", name=_name_text(name), stage=stage))
        parsed, fault = _parse_arguments(arguments)
        start = self.now()
        if self.allowed is not None and number >= self.allowed:
            result = no_calls_left(self.allowed).result()
        else:
            result = _invalid_arguments(fault) if fault else self._run_tool(name, parsed)
        update = _call_fields(arguments, parsed, fault, result) | {"time": self.since(start)}
        with self._lock:
            self.images |= {image.sha256: image for image in images_of(result)}
            self.calls[index] = self.calls[index].model_copy(update=update)
        return index, result

    def record_call(
        self,
        name: object,
        arguments: object,
        result: JsonResult,
        *,
        id: str | None = None,
        stage: int | None = None,
        start: float | None = None,
    ) -> int:
        """Record a call of a tool that belongs to the agent, not to the task. No limit applies to it.

        Args:
            name: name of the tool.
            arguments: a JSON object, or its text as written by a model.
            result: the tool's result.
            id: the caller's id of the call.
            stage: index in `stages` of the calling stage.
            start: value of `now()` when the tool was called; None if unknown.

        Returns:
            The index in `calls`.
        """
        time = None if start is None else self.since(start)
        parsed, fault = _parse_arguments(arguments)
        with self._lock:
            index = len(self.calls)
            self._own_calls += 1
            call = record.Call(
                id=id or f"call-{index + 1}",
                name=_name_text(name),
                stage=stage,
                time=time,
                extra={"own": True},
            )
            self.calls.append(call.model_copy(update=_call_fields(arguments, parsed, fault, result)))
        return index

    def _run_tool(self, name: object, arguments: object) -> JsonResult:
        try:
            return self.tools.call(name, arguments)
        except AttemptFailedError:
            raise
        except Exception as error:
            message = f"the tool {_name_text(name)} raised {type(error).__name__}: {error}"
            raise AttemptFailedError("tool", message[:MAX_MESSAGE_CHARS]) from error

    def record_message(
        self,
        role: str,
        text: str | None,
        *,
        calls: Sequence[int] = (),
        answers: int | None = None,
        stage: int | None = None,
        generation: int | None = None,
    ) -> int:
        """Record a message of a conversation with a model.

        Args:
            role: speaker: `system`, `user`, `assistant` or `tool`.
            text: text of the message.
            calls: indices in `Desk.calls` of the calls that the message makes.
            answers: index in `Desk.calls` of the call whose result the message contains.
            stage: index in `stages` of the part of the agent that speaks.
            generation: index in `generations` of the reply that produced the message.

        Returns:
            The index in `messages`.
        """
        message = record.Message(
            role=role, text=text, calls=tuple(calls), answers=answers, stage=stage, generation=generation
        )
        with self._lock:
            self.messages.append(message)
            return len(self.messages) - 1

    @former_parameters(made="generation")
    def record_generation(
        self,
        generation: record.Generation,
        tools: Iterable[Tool] = (),
        prompt: Sequence[int] | None = None,
    ) -> int:
        """Record a reply of a model.

        Args:
            generation: the record, without its tools and its prompt's token ids.
            tools: tools that the model could call.
            prompt: all token ids of the prompt; None if unknown.

        Returns:
            The index in `generations`.
        """
        places = [self._offered_index(tool) for tool in tools]
        with self._lock:
            index = len(self.generations)
            update: dict[str, Any] = {"tools": spans_of(places)}
            if prompt is not None:
                update["prompt"] = self._prompt_ids(generation, tuple(prompt), index)
            self.generations.append(generation.model_copy(update=update))
            return index

    def _offered_index(self, tool: Tool) -> int:
        """Return the index of a tool's description in `offered`. A new description is added."""
        seen, place = self._places.get(id(tool), (None, 0))
        if seen is tool:
            return place
        offered = record.OfferedTool(name=tool.name, description=tool.description, parameters=dict(tool.parameters))
        with self._lock:
            if offered not in self.offered:
                self.offered.append(offered)
            place = self.offered.index(offered)
            self._places[id(tool)] = tool, place
        return place

    def _prompt_ids(self, generation: record.Generation, ids: tuple[int, ...], index: int) -> record.PromptIds:
        """Return a prompt's token ids without the prefix that it shares with the previous prompt of the same role and stage."""
        part = generation.role, generation.stage
        after, before = self._sequences.get(part, (0, ()))
        self._sequences[part] = index, ids + (generation.ids or ())
        shared = next(
            (index for index, (a, b) in enumerate(zip(before, ids, strict=False)) if a != b),
            min(len(before), len(ids)),
        )
        if not shared:
            return record.PromptIds(ids=ids)
        return record.PromptIds(after=after, shared=shared, ids=ids[shared:])

    @former_parameters(place="index")
    def record_stage(self, stage: record.Stage, index: int | None = None) -> int:
        """Record the work of a part of the agent, such as a planner.

        Args:
            stage: record of the work.
            index: index in `stages` of the record to replace; None to append.

        Returns:
            The index in `stages`.
        """
        with self._lock:
            if index is None:
                self.stages.append(stage)
                return len(self.stages) - 1
            self.stages[index] = stage
            return index

    def note(self, name: str, value: Any) -> None:
        """Record a value for which the trace has no field of its own. It replaces an earlier value of the same name.

        Raises:
            ValueError: the value is not JSON.
        """
        checked = _JSON.validate_python(value)
        with self._lock:
            self.notes[name] = checked

    def count(self, name: str) -> None:
        """Increment a counter in the notes, such as the number of repeated requests."""
        with self._lock:
            self.notes[name] = self.notes.get(name, 0) + 1

    def step(self) -> None:
        """Count one request to a model, before it is made.

        Raises:
            AttemptFailedError: the time, the steps or the tokens are used up.
        """
        self.check()
        with self._lock:
            limit, tokens = self.limits.steps, self.limits.tokens
            if limit is not None and self._steps >= limit:
                raise AttemptFailedError("limit", f"{limit} steps are used up")
            spent = sum((s.input or 0) + (s.output or 0) for s in self._spent.values())
            if tokens is not None and spent >= tokens:
                raise AttemptFailedError("limit", f"{tokens} tokens are used up")
            self._steps += 1

    def spend(
        self, input: int | None, output: int | None, *, cached: int | None = None, stage: str | None = None
    ) -> None:
        """Count the tokens of a request to a model.

        Args:
            input: number of input tokens; None if the service does not report it.
            output: number of output tokens; None if the service does not report it.
            cached: number of input tokens that the service had cached; None if it does not report it.
            stage: name of the part of the agent for which the tokens are counted.
        """
        with self._lock:
            spent = self._spent.setdefault(stage, _TokenCounts())
            spent.cached = spent.cached if cached is None else (spent.cached or 0) + cached
            spent.input = spent.input if input is None else (spent.input or 0) + input
            spent.output = spent.output if output is None else (spent.output or 0) + output

    @property
    def calls_left(self) -> int | None:
        """Number of further tool calls that get a result; None if there is no limit."""
        limit = smallest_bound(self.limits.tool_calls, self.allowed)
        return None if limit is None else max(limit - len(self.calls) + self._own_calls, 0)

    @property
    def steps_left(self) -> int | None:
        """Number of further requests to a model; None if there is no limit."""
        return None if self.limits.steps is None else self.limits.steps - self._steps

    @property
    def left(self) -> float:
        """Seconds left of the attempt's time; negative after its end."""
        return self._started + self.limits.seconds - self.now()

    @former_parameters(begun="start")
    def since(self, start: float) -> record.Timing | None:
        """Return the start and duration of an action that ends now; None if this desk records no times.

        Args:
            start: value of `now()` when the action began.
        """
        if not self.timed:
            return None
        start_s = max(0.0, start - self._started)
        return record.Timing(start_s=round(start_s, 6), seconds=round(max(0.0, self.now() - start), 6))

    def check(self, during: str = "") -> None:
        """Check that the attempt's time is not over.

        Args:
            during: current activity, for the message, such as `waiting for the service`.

        Raises:
            AttemptFailedError: the time is over.
        """
        if self.left <= 0:
            spent = f", {during}" if during else ""
            raise AttemptFailedError("timeout", f"{self.limits.seconds:g} seconds are over{spent}")

    # ------------------------------------------------------------------ the record

    def trace(self, task: str, agent: str, answer: str | None, error: str | None) -> record.Trace:
        """Return the trace of the attempt so far."""
        with self._lock:
            return record.Trace(
                task=task,
                agent=agent,
                messages=tuple(self.messages),
                calls=tuple(self.calls),
                answer=answer,
                stages=tuple(self.stages),
                generations=tuple(self.generations),
                tools=tuple(self.offered),
                tokens=tuple(
                    record.Tokens(stage=stage, input=spent.input, cached=spent.cached, output=spent.output)
                    for stage, spent in self._spent.items()
                ),
                elapsed_ms=round((self.now() - self._started) * 1000),
                error=error,
                ended=error is None,
                extra=({"steps": self._steps} if self._steps else {}) | self.notes,
            )


def _name_text(name: object) -> str:
    return name if isinstance(name, str) else repr(name)[:100]


def _parse_arguments(arguments: object) -> tuple[object, str | None]:
    """Parse a call's arguments. Return them, and the reason if they are invalid, else None."""
    if not isinstance(arguments, str):
        return arguments, None
    try:
        parsed, _ = replace_surrogates(load(arguments) if arguments.strip() else {})
    except ValueError:
        return None, "the arguments are not JSON"
    if not isinstance(parsed, dict):
        return None, "the arguments are not a JSON object"
    return parsed, None


def _call_fields(arguments: object, parsed: object, fault: str | None, result: JsonResult) -> dict[str, Any]:
    """Return the fields of a recorded call that depend on its arguments and result."""
    return {
        "arguments": parsed if isinstance(parsed, dict) else None,
        "written": arguments if isinstance(arguments, str) and fault else None,
        "fault": fault,
        "result": record.Result(value=result, error=_error_kind(result)),
    }


def _invalid_arguments(fault: str) -> JsonResult:
    return {"error": {"code": "invalid-arguments", "message": fault}}


def _error_kind(result: JsonResult) -> record.ErrorKind | None:
    error = result.get("error")
    if not isinstance(error, dict) or set(result) != {"error"}:
        return None
    return KINDS.get(str(error.get("code")), "other")
