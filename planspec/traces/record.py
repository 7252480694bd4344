"""Record of an agent's run on a task: messages, tool calls with results, and costs."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue

from planspec.traces.json_text import require_finite

VERSION: Literal["trace/1"] = "trace/1"
Count = Annotated[int, Field(ge=0)]
Span = tuple[Count, Count]
"""A half-open range of indices, as the first index and the index after the last."""
Json = Annotated[JsonValue, AfterValidator(require_finite)]
"""Any JSON value, without NaN and infinity, which JSON cannot express."""
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Logprob = Annotated[float, Field(le=0, allow_inf_nan=False)]
ErrorKind = Literal["invalid", "miss", "upstream", "timeout", "other"]
"""Reason why a tool gave no result.

`invalid` is an invalid request, `miss` a request without data, `upstream` a failure of a service behind the tool,
`timeout` a timeout, and `other` a failure without a reason.
"""


class Record(BaseModel):
    """Base class of the parts of a trace. Unknown fields are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Timing(Record):
    """Measured start time and duration, which differ between runs.

    Attributes:
        start_s: start in seconds since the start of the attempt, over all its turns.
        seconds: duration in seconds, including waits, such as the wait before a repeated request.
    """

    start_s: Seconds
    seconds: Seconds


class Result(Record):
    """The result of a tool.

    Attributes:
        value: the result if it is JSON.
        text: the result if it is not JSON.
        error: kind of error; None if no error is known.
        extra: further fields of the source.
    """

    value: Json = None
    text: str | None = None
    error: ErrorKind | None = None
    extra: dict[str, Json] = Field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether no error is known."""
        return self.error is None


class Call(Record):
    """One call of a tool.

    Attributes:
        id: id given by the framework.
        name: name of the tool; None if the trace does not name it.
        arguments: arguments; None if they are not a JSON object.
        written: text of the arguments, if decoding failed or lost information.
        fault: fault in the text of the arguments.
        result: result; None if the call was not answered or the trace ends before its result.
        stage: index in `stages` of the calling stage.
        time: time from the call to its result; None if not measured.
        extra: further fields of the source.
    """

    id: str | None = None
    name: str | None = None
    arguments: dict[str, Json] | None = None
    written: str | None = None
    fault: str | None = None
    result: Result | None = None
    stage: Count | None = None
    time: Timing | None = None
    extra: dict[str, Json] = Field(default_factory=dict)

    @property
    def own(self) -> bool:
        """Whether the call is communication between parts of the agent, not a call of the task's tools."""
        return self.extra.get("own") is True


class OfferedTool(Record):
    """A tool as described to a model.

    Attributes:
        name: name of the tool.
        description: description of the tool.
        parameters: JSON Schema of its arguments.
    """

    name: str
    description: str = ""
    parameters: dict[str, Json] = Field(default_factory=dict)


class PromptIds(Record):
    """Token ids of a prompt, stored as the difference from an earlier prompt and its reply.

    Attributes:
        after: index in `generations` of the earlier request; None if `ids` is the whole prompt.
        shared: number of leading tokens shared with the earlier prompt followed by its reply.
        ids: token ids after the shared ones.
    """

    after: Count | None = None
    shared: Count = 0
    ids: tuple[Count, ...] = ()


class Generation(Record):
    """A request to a model and its reply.

    Attributes:
        role: part of the agent with its own policy, such as `coordinator`; None if the agent has a single policy.
        stage: index in `stages` of the requesting stage.
        model: requested model.
        served: model that answered, if the service reports another name.
        context: messages given to the model, in order, as spans of `messages`.
        tools: tools that it could call, as spans of `tools`.
        written: original text of the reply, if the message was parsed from it.
        thinking: reasoning text, if the service returns it.
        input: number of prompt tokens; None if not reported.
        cached: number of cached prompt tokens; None if not reported.
        output: number of reply tokens; None if not reported.
        stopped: why the reply ended: `end`, `calls`, `length`, or `other`.
        seed: seed of the request.
        hit: whether the reply came from the cache of an earlier run, without a request or cost.
        time: time from the request to its reply; None if not measured.
        prompt: token ids of the prompt, if the service returns them. `Trace.prompt_ids` gives the complete list.
        ids: token ids of the reply, if the service returns them.
        logprobs: natural logarithms of the probabilities of the reply's tokens, if the service returns them.
    """

    role: str | None = None
    stage: Count | None = None
    model: str | None = None
    served: str | None = None
    context: tuple[Span, ...] = ()
    tools: tuple[Span, ...] = ()
    written: str | None = None
    thinking: str | None = None
    input: Count | None = None
    cached: Count | None = None
    output: Count | None = None
    stopped: Literal["end", "calls", "length", "other"] = "end"
    seed: int | None = None
    hit: bool = False
    time: Timing | None = None
    prompt: PromptIds | None = None
    ids: tuple[Count, ...] | None = None
    logprobs: tuple[Logprob, ...] | None = None


class Message(Record):
    """One message of the conversation.

    Attributes:
        role: `system`, `user`, `assistant`, `tool`, or another role of the framework.
        text: text of the message, or the concatenated texts of its parts.
        parts: content of the message if it is not a plain string.
        calls: indices in `calls` of the calls that the message makes.
        answers: index in `calls` of the call whose result is in the message.
        stage: index in `stages` of the message's stage.
        generation: index in `generations` of the request that produced it; None if no model did, or it was
            not recorded.
        extra: further fields of the source.
    """

    role: str
    text: str | None = None
    parts: Json = None
    calls: tuple[Count, ...] = ()
    answers: Count | None = None
    stage: Count | None = None
    generation: Count | None = None
    extra: dict[str, Json] = Field(default_factory=dict)


class Tokens(Record):
    """Numbers of tokens; None if not reported.

    Attributes:
        stage: name of the stages counted together; None for the whole run.
        input: number of input tokens.
        cached: number of cached input tokens.
        output: number of output tokens.
        total: total as reported, even if it is not the sum of the other numbers.
        extra: further fields of the source.
    """

    stage: str | None = None
    input: Count | None = None
    cached: Count | None = None
    output: Count | None = None
    total: Count | None = None
    extra: dict[str, Json] = Field(default_factory=dict)


class Stage(Record):
    """A part of an agent, in frameworks that divide agents into parts.

    Attributes:
        name: `planner`, `worker`, `reporter`, or another name of the framework.
        id: id among several stages of that name.
        intent: the user's intent as understood by the stage.
        thinking: reasoning text.
        steps: planned steps. Steps that may be carried out in parallel form a group.
        text: final text.
        extra: further fields of the source.
    """

    name: str
    id: str | None = None
    intent: str | None = None
    thinking: str | None = None
    steps: tuple[tuple[str, ...], ...] = ()
    text: str | None = None
    extra: dict[str, Json] = Field(default_factory=dict)


class Trace(Record):
    """One run of an agent on one task.

    Attributes:
        trace: version of this format.
        task: id of the task.
        agent: name of the agent: a model's name, or one given by the user.
        messages: messages in order.
        calls: tool calls in order.
        answer: text of the answer; None without an answer.
        stages: parts of the agent.
        generations: requests to models, in the order of their replies.
        tools: tools described to models.
        tokens: numbers of tokens by stage, or of the whole run.
        started: start time as given by the framework.
        elapsed_ms: duration of the run in milliseconds.
        error: error that ended the run, if any.
        ended: whether the trace is complete; false if calls are open and there is no answer.
        faults: defects of the source, in sentences. The affected data are kept.
        extra: fields of the source that this format lacks.
    """

    trace: Literal["trace/1"] = VERSION
    task: str
    agent: str | None = None
    messages: tuple[Message, ...] = ()
    calls: tuple[Call, ...] = ()
    answer: str | None = None
    stages: tuple[Stage, ...] = ()
    generations: tuple[Generation, ...] = ()
    tools: tuple[OfferedTool, ...] = ()
    tokens: tuple[Tokens, ...] = ()
    started: str | None = None
    elapsed_ms: Count | None = None
    error: str | None = None
    ended: bool = True
    faults: tuple[str, ...] = ()
    extra: dict[str, Json] = Field(default_factory=dict)

    def stage(self, name: str) -> Stage | None:
        """Return the first stage with a name, or None."""
        return next((stage for stage in self.stages if stage.name == name), None)

    def prompt_ids(self, place: int) -> tuple[int, ...] | None:
        """Return the token ids of a complete prompt.

        Args:
            place: index of the generation in `generations`.

        Returns:
            The ids, or None if the service did not return them.

        Raises:
            ValueError: the record refers to missing or later generations.
        """
        chain = [place]
        while (ids := self.generations[chain[-1]].prompt) is not None and ids.after is not None:
            if ids.after >= chain[-1]:
                raise ValueError(f"generation {chain[-1]} refers to a later one")
            chain.append(ids.after)
        prompt: tuple[int, ...] = ()
        whole: tuple[int, ...] = ()
        for at in reversed(chain):
            generation = self.generations[at]
            if generation.prompt is None:
                if at == place:
                    return None
                raise ValueError(f"a generation refers to the prompt of {at}, which has no ids")
            prompt = whole[: generation.prompt.shared] + generation.prompt.ids
            whole = prompt + (generation.ids or ())
        return prompt

    def tokens_of(self, stage: str | None) -> Tokens | None:
        """Return the token counts of a stage, or of the whole run if `stage` is None; None if there are none."""
        return next((tokens for tokens in self.tokens if tokens.stage == stage), None)
