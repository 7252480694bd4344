"""The record of one run: what was said, which tools were called with what result, and what it cost."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue

from planspec.traces.json_text import finite

VERSION: Literal["trace/1"] = "trace/1"
Count = Annotated[int, Field(ge=0)]
Span = tuple[Count, Count]
"""Places from the first on, up to and without the second."""
Json = Annotated[JsonValue, AfterValidator(finite)]
"""Any JSON: no NaN and no infinity, which JSON cannot write."""
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Logprob = Annotated[float, Field(le=0, allow_inf_nan=False)]
ErrorKind = Literal["invalid", "miss", "upstream", "timeout", "other"]
"""Why a tool gave no result: what was asked is no valid request; nothing is known for it; the service behind the tool
failed; it took too long; it failed, and the trace does not say why."""


class Record(BaseModel):
    """A part of a trace: nothing in it that is not listed, and nothing changes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Timing(Record):
    """When something began, and how long it took: measured, so that no two runs have the same.

    Attributes:
        start_s: seconds from the beginning of the attempt, over all its turns.
        seconds: until it ended, with every wait in between, such as those before a request was repeated.
    """

    start_s: Seconds
    seconds: Seconds


class Result(Record):
    """The result of a tool.

    Attributes:
        value: as JSON, where it is JSON.
        text: as it is written, where it is not JSON.
        error: why it is no result; None where no error is known.
    """

    value: Json = None
    text: str | None = None
    error: ErrorKind | None = None
    extra: dict[str, Json] = Field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """No error is known."""
        return self.error is None


class Call(Record):
    """One call of a tool.

    Attributes:
        id: as the framework numbers it.
        name: the tool's; None where the trace does not say.
        arguments: None where they are no JSON object.
        written: the arguments as text, where reading lost something or failed.
        fault: what is wrong with how the arguments are written.
        result: None where the trace has none: the call was not answered, or the trace ends before.
        stage: the place in `stages` of the one that called.
        time: of the call until its result; None where nobody measured it.
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
        """The tool is the agent's own and none of the task's: a way in which its parts speak with each other."""
        return self.extra.get("own") is True


class OfferedTool(Record):
    """A tool as a model is told of it.

    Attributes:
        parameters: the JSON Schema of its arguments.
    """

    name: str
    description: str = ""
    parameters: dict[str, Json] = Field(default_factory=dict)


class PromptIds(Record):
    """The ids of the tokens of a prompt, without those that an earlier prompt and its reply have in common with it.

    Attributes:
        after: the place in `generations` of that earlier one; None where all ids stand here.
        shared: ids at the beginning, of its prompt and then its reply, which this prompt begins with, too.
        ids: those that follow.
    """

    after: Count | None = None
    shared: Count = 0
    ids: tuple[Count, ...] = ()


class Generation(Record):
    """One request to a model and its reply: what was generated, given what.

    Attributes:
        role: the part of the agent that a policy of its own speaks for, such as `coordinator`; None where there is one policy.
        stage: the place in `stages` of the one that asked.
        model: as it was asked for.
        served: which model answered, where the service says so and it is another name.
        context: the messages that the model was given, in order: spans of places in `messages`.
        tools: the tools that it could call: spans of places in `tools`.
        written: the reply as the model wrote it, where the message does not say so: an action that was read in a text.
        thinking: what it says for itself, where the service tells it.
        input: tokens of the prompt; None where the service does not say.
        cached: of them, those that the service had from before; None where it does not say.
        output: tokens of the reply; None where the service does not say.
        stopped: why it went no further: `end`, `calls`, `length`, or `other`.
        seed: that was sent.
        hit: the reply is one that was kept from an earlier run: nothing was asked, and nothing is to be paid.
        time: of the request until its reply; None where nobody measured it.
        prompt: the ids of the prompt's tokens, where the service tells them; `Trace.prompt_ids` has all of them.
        ids: those of the reply's tokens, likewise.
        logprobs: the logarithm (base e) of the probability of each of the reply's tokens, likewise.
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
        role: `system`, `user`, `assistant`, `tool`, or what else the framework says.
        text: what it says; the texts of its parts, one after the other, where it has parts.
        parts: its content where it is more than a text.
        calls: the places in `calls` of the calls it makes.
        answers: the place in `calls` of the call whose result it brings.
        stage: the place in `stages` of the one that speaks.
        generation: the place in `generations` of the one that made it; None of what no model said, or where nobody counted.
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
    """The tokens that went in and came out; None if they are not said.

    Attributes:
        stage: the name of the stages that are counted together; None for the whole run.
        cached: tokens that went in, and that the service had from before.
        total: as it is said, whether or not it is the sum.
    """

    stage: str | None = None
    input: Count | None = None
    cached: Count | None = None
    output: Count | None = None
    total: Count | None = None
    extra: dict[str, Json] = Field(default_factory=dict)


class Stage(Record):
    """One part of an agent, where the framework has parts.

    Attributes:
        name: `planner`, `worker`, `reporter`, or what the framework calls it.
        id: of this one among several of that name.
        intent: what it takes the user to want.
        thinking: what it says for itself.
        steps: the steps that it plans; steps that may be done together are one group.
        text: what it says at the end.
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
        trace: the version of this format.
        task: the id of the task.
        agent: who ran: a model's name, or what the user calls the agent.
        answer: the text of the answer; None where there is none.
        generations: the requests to models, in the order in which they were answered.
        tools: those that models were told of.
        started: when, as the framework says it.
        elapsed_ms: how long the run took.
        error: with what the run ended, if with an error.
        ended: false where the trace stops in the middle: calls are open and there is no answer.
        faults: what in the source is not as it should be; nothing is left out for it.
        extra: what the source says and this format has no place for.
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
        """The first stage of a name."""
        return next((stage for stage in self.stages if stage.name == name), None)

    def prompt_ids(self, place: int) -> tuple[int, ...] | None:
        """The ids of all tokens of a prompt.

        Args:
            place: of the generation in `generations`.

        Returns:
            None where the service did not tell them.

        Raises:
            ValueError: the record refers to what it does not have.
        """
        chain = [place]
        while (told := self.generations[chain[-1]].prompt) is not None and told.after is not None:
            if told.after >= chain[-1]:
                raise ValueError(f"generation {chain[-1]} refers to a later one")
            chain.append(told.after)
        prompt: tuple[int, ...] = ()
        whole: tuple[int, ...] = ()
        for at in reversed(chain):
            made = self.generations[at]
            if made.prompt is None:
                if at == place:
                    return None
                raise ValueError(f"a generation refers to the prompt of {at}, which has no ids")
            prompt = whole[: made.prompt.shared] + made.prompt.ids
            whole = prompt + (made.ids or ())
        return prompt

    def tokens_of(self, stage: str | None) -> Tokens | None:
        """The tokens of a stage, or of the whole run."""
        return next((tokens for tokens in self.tokens if tokens.stage == stage), None)
