"""The desk at which an agent works: it counts, limits and records tool calls, messages, steps and tokens."""

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
from planspec.agents.view import Limits, least
from planspec.traces import record
from planspec.traces.chat import spans_of
from planspec.traces.json_text import load, whole_characters

if TYPE_CHECKING:
    from planspec.agents.models.kept_replies import KeptReplies

KINDS: Mapping[str, record.ErrorKind] = {
    "invalid-arguments": "invalid", "unknown-tool": "invalid", "not-found": "miss", "upstream": "upstream",
}  # fmt: skip
"""The kind of error in a trace for each error code of the tools."""


MOST_MESSAGE = 2000
"""Characters of the message of a failure that are kept."""
_JSON: TypeAdapter[record.Json] = TypeAdapter(record.Json)


@dataclass(slots=True)
class _Spent:
    input: int | None = None
    cached: int | None = None
    output: int | None = None


@dataclass(slots=True)
class Desk:
    """One attempt, over all its turns. Several threads may work at it.

    Attributes:
        tools: of the task.
        limits: after which `AttemptFailedError` is raised.
        seed: for what draws.
        now: a clock in seconds.
        allowed: the calls that have a result; later ones are refused.
        replies: of services, that are asked for once; None to ask for each.
        timed: whether calls and replies are kept with the time that they took.
        images: the pictures of all results so far, by their hashes, by which calls name them.
    """

    tools: Toolset
    limits: Limits
    seed: int = 0
    now: Callable[[], float] = time.monotonic
    allowed: int | None = None
    replies: KeptReplies | None = None
    timed: bool = True
    calls: list[record.Call] = field(default_factory=list, init=False)
    messages: list[record.Message] = field(default_factory=list, init=False)
    stages: list[record.Stage] = field(default_factory=list, init=False)
    generations: list[record.Generation] = field(default_factory=list, init=False)
    offered: list[record.OfferedTool] = field(default_factory=list, init=False)
    images: dict[str, Image] = field(default_factory=dict, init=False)
    notes: dict[str, Any] = field(default_factory=dict, init=False)
    _steps: int = field(default=0, init=False)
    _own: int = field(default=0, init=False)
    _sequences: dict[tuple[str | None, int | None], tuple[int, tuple[int, ...]]] = field(
        default_factory=dict, init=False
    )
    _spent: dict[str | None, _Spent] = field(default_factory=dict, init=False)
    _started: float = field(default=0.0, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def __post_init__(self) -> None:
        self._started = self.now()

    def copy(self) -> Desk:
        """A desk where the same was done, and that goes on by itself."""
        with self._lock:
            made = replace(self)
            made.calls += self.calls
            made.messages += self.messages
            made.stages += self.stages
            made.generations += self.generations
            made.offered += self.offered
            made._sequences |= self._sequences
            made.images |= self.images
            made.notes |= self.notes
            made._steps, made._started, made._own = self._steps, self._started, self._own
            made._spent |= {stage: replace(spent) for stage, spent in self._spent.items()}
        return made

    # ------------------------------------------------------------------ what an agent does

    def call(self, name: object, arguments: object = "", *, id: str | None = None) -> JsonResult:
        """Call a tool.

        Args:
            name: of the tool.
            arguments: a JSON object, or the text of one, as models give it; none if left out.
            id: the caller's own number of the call.

        Returns:
            What the tool answers, or `{"error": {"code": ..., "message": ...}}`: a wrong call is no failure.

        Raises:
            AttemptFailedError: the time or the calls are used up, or the code of the tool broke.
        """
        return self.place_call(name, arguments, id=id)[1]

    def place_call(
        self, name: object, arguments: object, *, id: str | None = None, stage: int | None = None
    ) -> tuple[int, JsonResult]:
        """Call a tool, and learn where the call is kept.

        Args:
            name: of the tool.
            arguments: a JSON object, or the text of one, as models give it.
            id: the caller's own number of the call.
            stage: the place in `stages` of the one that calls.

        Returns:
            The place in `calls`, and what `call` returns.

        Raises:
            AttemptFailedError: the time or the calls are used up, or the code of the tool broke.
        """
        self.check()
        with self._lock:
            most = self.limits.tool_calls
            number = len(self.calls) - self._own
            if most is not None and number >= most:
                raise AttemptFailedError("limit", f"{most} tool calls are used up")
            place = len(self.calls)
            self.calls.append(record.Call(id=id or f"call-{place + 1}", name=_text(name), stage=stage))
        read, fault = _arguments(arguments)
        begun = self.now()
        if self.allowed is not None and number >= self.allowed:
            result = no_calls_left(self.allowed).result()
        else:
            result = _unread(fault) if fault else self._run(name, read)
        told = _told(arguments, read, fault, result) | {"time": self.since(begun)}
        with self._lock:
            self.images |= {image.sha256: image for image in images_of(result)}
            self.calls[place] = self.calls[place].model_copy(update=told)
        return place, result

    def keep_call(
        self,
        name: object,
        arguments: object,
        result: JsonResult,
        *,
        id: str | None = None,
        stage: int | None = None,
        begun: float | None = None,
    ) -> int:
        """Keep a call of a tool that is the agent's own and none of the task's: no limit counts it.

        Args:
            name: of the tool.
            arguments: a JSON object, or the text of one, as models give it.
            result: what the tool answered.
            id: the caller's own number of the call.
            stage: the place in `stages` of the one that called.
            begun: what the clock `now` said when the tool was called; None where nobody looked.

        Returns:
            Its place in `calls`.
        """
        time = None if begun is None else self.since(begun)
        read, fault = _arguments(arguments)
        with self._lock:
            place = len(self.calls)
            self._own += 1
            made = record.Call(
                id=id or f"call-{place + 1}", name=_text(name), stage=stage, time=time, extra={"own": True}
            )
            self.calls.append(made.model_copy(update=_told(arguments, read, fault, result)))
        return place

    def _run(self, name: object, arguments: object) -> JsonResult:
        try:
            return self.tools.call(name, arguments)
        except AttemptFailedError:
            raise
        except Exception as error:
            said = f"the tool {_text(name)} broke: {type(error).__name__}: {error}"
            raise AttemptFailedError("tool", said[:MOST_MESSAGE]) from error

    def say(
        self,
        role: str,
        text: str | None,
        *,
        calls: Sequence[int] = (),
        answers: int | None = None,
        stage: int | None = None,
        generation: int | None = None,
    ) -> int:
        """Keep a message of a conversation with a model.

        Args:
            role: who speaks: `system`, `user`, `assistant` or `tool`.
            text: what is said.
            calls: the places in `calls` of the calls that it makes.
            answers: the place in `calls` of the call whose result it brings.
            stage: the place in `stages` of the one that speaks.
            generation: the place in `generations` of the one that made it.

        Returns:
            Its place in `messages`.
        """
        message = record.Message(
            role=role, text=text, calls=tuple(calls), answers=answers, stage=stage, generation=generation
        )
        with self._lock:
            self.messages.append(message)
            return len(self.messages) - 1

    def generate(
        self,
        made: record.Generation,
        tools: Iterable[Tool] = (),
        prompt: Sequence[int] | None = None,
    ) -> int:
        """Keep that a model replied.

        Args:
            made: what is kept, without its tools and the ids of its prompt.
            tools: that the model could call.
            prompt: the ids of all tokens of the prompt; None where they are not known.

        Returns:
            Its place in `generations`.
        """
        told = [
            record.OfferedTool(name=tool.name, description=tool.description, parameters=dict(tool.parameters))
            for tool in tools
        ]
        with self._lock:
            self.offered += [tool for tool in told if tool not in self.offered]
            place = len(self.generations)
            update: dict[str, Any] = {"tools": spans_of(map(self.offered.index, told))}
            if prompt is not None:
                update["prompt"] = self._prompt(made, tuple(prompt), place)
            self.generations.append(made.model_copy(update=update))
            return place

    def _prompt(self, made: record.Generation, ids: tuple[int, ...], place: int) -> record.PromptIds:
        """The ids of a prompt after those that the last one of the same part of the agent has, too."""
        part = made.role, made.stage
        after, before = self._sequences.get(part, (0, ()))
        self._sequences[part] = place, ids + (made.ids or ())
        shared = next(
            (at for at, (a, b) in enumerate(zip(before, ids, strict=False)) if a != b),
            min(len(before), len(ids)),
        )
        if not shared:
            return record.PromptIds(ids=ids)
        return record.PromptIds(after=after, shared=shared, ids=ids[shared:])

    def stage(self, stage: record.Stage, place: int | None = None) -> int:
        """Keep what a part of the agent did, such as a planner's steps.

        Args:
            stage: what is kept.
            place: of the one in `stages` that it stands for from now on; None for a new one.

        Returns:
            Its place in `stages`.
        """
        with self._lock:
            if place is None:
                self.stages.append(stage)
                return len(self.stages) - 1
            self.stages[place] = stage
            return place

    def note(self, name: str, value: Any) -> None:
        """Keep something that the trace has no place for.

        Raises:
            ValueError: it is no JSON.
        """
        kept = _JSON.validate_python(value)
        with self._lock:
            self.notes[name] = kept

    def count(self, name: str) -> None:
        """Keep that something happened once more, such as a request that was repeated."""
        with self._lock:
            self.notes[name] = self.notes.get(name, 0) + 1

    def step(self) -> None:
        """One request to a model is about to be made.

        Raises:
            AttemptFailedError: the time, the steps or the tokens are used up.
        """
        self.check()
        with self._lock:
            most, tokens = self.limits.steps, self.limits.tokens
            if most is not None and self._steps >= most:
                raise AttemptFailedError("limit", f"{most} steps are used up")
            spent = sum((s.input or 0) + (s.output or 0) for s in self._spent.values())
            if tokens is not None and spent >= tokens:
                raise AttemptFailedError("limit", f"{tokens} tokens are used up")
            self._steps += 1

    def spend(
        self, input: int | None, output: int | None, *, cached: int | None = None, stage: str | None = None
    ) -> None:
        """Tokens that a request took; None where the service does not say.

        Args:
            input: tokens that went in.
            output: tokens that came out.
            cached: of those that went in, those that the service had from before.
            stage: under which they are counted.
        """
        with self._lock:
            spent = self._spent.setdefault(stage, _Spent())
            spent.cached = spent.cached if cached is None else (spent.cached or 0) + cached
            spent.input = spent.input if input is None else (spent.input or 0) + input
            spent.output = spent.output if output is None else (spent.output or 0) + output

    @property
    def calls_left(self) -> int | None:
        """Tool calls that may still be made and are answered; None without limit."""
        most = least(self.limits.tool_calls, self.allowed)
        return None if most is None else max(most - len(self.calls) + self._own, 0)

    @property
    def steps_left(self) -> int | None:
        """Requests to a model that may still be made; None without limit."""
        return None if self.limits.steps is None else self.limits.steps - self._steps

    @property
    def left(self) -> float:
        """Seconds until the time is over."""
        return self._started + self.limits.seconds - self.now()

    def since(self, begun: float) -> record.Timing | None:
        """The time from a moment until now; None at a desk that keeps no times.

        Args:
            begun: what the clock `now` said at that moment.
        """
        if not self.timed:
            return None
        start = max(0.0, begun - self._started)
        return record.Timing(start_s=round(start, 6), seconds=round(max(0.0, self.now() - begun), 6))

    def check(self, during: str = "") -> None:
        """Nothing, while there is time.

        Args:
            during: for what the time was spent, such as `waiting for the service`.

        Raises:
            AttemptFailedError: the time is over.
        """
        if self.left <= 0:
            spent = f", {during}" if during else ""
            raise AttemptFailedError("timeout", f"{self.limits.seconds:g} seconds are over{spent}")

    # ------------------------------------------------------------------ what is kept of it

    def trace(self, task: str, agent: str, answer: str | None, error: str | None) -> record.Trace:
        """All that was done so far."""
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


def _text(name: object) -> str:
    return name if isinstance(name, str) else repr(name)[:100]


def _arguments(said: object) -> tuple[object, str | None]:
    """The arguments of a call, and why they are none."""
    if not isinstance(said, str):
        return said, None
    try:
        read, _ = whole_characters(load(said) if said.strip() else {})
    except ValueError:
        return None, "the arguments are no JSON"
    return (read, None) if isinstance(read, dict) else (None, "the arguments are no JSON object")


def _told(arguments: object, read: object, fault: str | None, result: JsonResult) -> dict[str, Any]:
    """What is known of a call once it is answered."""
    return {
        "arguments": read if isinstance(read, dict) else None,
        "written": arguments if isinstance(arguments, str) and fault else None,
        "fault": fault,
        "result": record.Result(value=result, error=_kind(result)),
    }


def _unread(fault: str) -> JsonResult:
    return {"error": {"code": "invalid-arguments", "message": fault}}


def _kind(result: JsonResult) -> record.ErrorKind | None:
    error = result.get("error")
    if not isinstance(error, dict) or set(result) != {"error"}:
        return None
    return KINDS.get(str(error.get("code")), "other")
