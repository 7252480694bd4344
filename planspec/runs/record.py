"""The records of a run: a header, and a line for each attempt, written as it ends."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, field_validator

from planspec.agents.failures import Boundary
from planspec.traces.record import Trace

STATUSES = ("pass", "fail", "undelivered")
"""The statuses of verdicts."""


class RecordModel(BaseModel):
    """A part of a record: nothing in it that is not listed, and nothing changes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class RunLimits(RecordModel):
    """The same as `planspec.agents.Limits`."""

    seconds: float = Field(gt=0)
    tool_calls: int | None = Field(default=None, ge=0)
    steps: int | None = Field(default=None, ge=0)
    tokens: int | None = Field(default=None, ge=0)


class Price(RecordModel):
    """The price of a model, in USD for a million tokens.

    Attributes:
        input: for what it is given.
        cached_input: for what of it the service had from before; None where that costs the same.
        output: for what it replies.
    """

    input: float = Field(ge=0, allow_inf_nan=False)
    cached_input: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)


class RescoredRun(RecordModel):
    """The run whose attempts were judged again.

    Attributes:
        run: the name of its folder.
        suite_sha256: of the suite by which they had been judged.
        header_sha256: of its `run.json`.
        seal: of its last line; null where its lines are not sealed, or there are none.
    """

    run: str
    suite_sha256: str
    header_sha256: str
    seal: str | None


class Run(RecordModel):
    """The header of a run, `run.json`: all that its attempts have in common.

    Attributes:
        name: what the user calls it; null where it is called by its agent.
        suite: its id.
        suite_sha256: of the suite's documents and those of its tasks, with all that they use.
        family: family of the suite.
        agent: as it was named.
        setting: setting of the family.
        limits: limits of each attempt.
        repeats: attempts at each task.
        seed: seed of the first repeat; each further one has one more.
        tasks: their ids, in order.
        versions: of planspec, Python and what else the results depend on.
        about: what the agent says of itself: model, temperature, the hashes of its prompts.
        uncontained: why the agent, or its program, was not contained when the run began; null where it was, or is
            planspec's own.
        started: when, in UTC.
        prices: of models, by name, where the user gave them.
        response_cache: the folder of replies that are asked for once; null without.
        rescored: the run that was judged again, where this is no run of its own.
        chained: each line of the attempts is sealed with all that stands before it, the first with this file; runs of
            earlier releases are not.
    """

    run: Literal["run/1"] = "run/1"
    name: str | None = None
    suite: str
    suite_path: str
    suite_sha256: str
    family: str | None
    agent: str
    setting: str
    limits: RunLimits
    repeats: int = Field(default=1, ge=1)
    seed: int = 0
    tasks: tuple[str, ...]
    versions: dict[str, str]
    about: dict[str, JsonValue] = Field(default_factory=dict)
    uncontained: str | None = None
    started: str
    prices: dict[str, Price] = Field(default_factory=dict)
    response_cache: str | None = None
    rescored: RescoredRun | None = None
    chained: bool = False


class Failure(RecordModel):
    """The boundary at which an attempt failed, and the message.

    Attributes:
        place: the line of the program at which it was, as `file:line`, where a program raised something.
        traceback: its last 20,000 characters, likewise.
    """

    boundary: Boundary
    message: str
    place: str | None = None
    traceback: str | None = None


class Turn(RecordModel):
    """The outcome of one turn.

    Attributes:
        answer: as the agent gave it; None where it gave none.
        failure: why there is none.
        calls: tool calls that were made at it; None in runs of earlier releases.
    """

    answer: JsonValue = None
    failure: Failure | None = None
    calls: int | None = Field(default=None, ge=0)


class FactSeen(RecordModel):
    """A fact that an attempt needed: one of which another value changes whether a rule holds.

    Attributes:
        fact: where it stands: `Hotel[inn].rate`, `Leg[inn, zoo, foot]`, `budget`.
        value: in the task, as text; of a row `there`.
        status: `seen`: a text that the agent got told it; `ignored`: so it did, and the answer violates a hard rule that turns on
            it; `never-seen`: another value would have changed the verdict and none of these texts.
        needed_by: the rules turn on it for the `answer`, or only for the author's own, the `reference`.
        rules: the ids of the instances that turn on it.
        by: the text with which it was told: the `query`, a `show`, the description of a `tool`, the result of a `call`; null where
            it never was.
        turn: of that text, from 0.
        name: of that show or tool.
        call: the place of that call in the trace's calls, from 0.
        cue: by which one sees it where that result is pictures, such as `grey`; null in a text.
    """

    fact: str
    value: str
    status: Literal["seen", "ignored", "never-seen"]
    needed_by: Literal["answer", "reference"] = "answer"
    rules: tuple[str, ...]
    by: Literal["query", "show", "tool", "call"] | None = None
    turn: int = Field(default=0, ge=0)
    name: str | None = None
    call: int | None = Field(default=None, ge=0)
    cue: str | None = None


class FactsSeen(RecordModel):
    """What an agent has seen of the facts that its attempt needed.

    Attributes:
        facts: the needed ones.
        untried: facts that the rules read, and of which nobody found out whether they were needed: they are too many.
    """

    facts: tuple[FactSeen, ...] = ()
    untried: int = Field(default=0, ge=0)

    @property
    def seen_share(self) -> Fraction | None:
        """The share of the needed facts that were seen, heeded or not; None where it is not known."""
        if self.untried or not self.facts:
            return None
        return Fraction(sum(fact.status != "never-seen" for fact in self.facts), len(self.facts))

    @property
    def ignored_share(self) -> Fraction | None:
        """The share of the seen facts that were ignored; None where it is not known, or none was seen."""
        seen = [fact for fact in self.facts if fact.status != "never-seen"]
        if self.untried or not seen:
            return None
        return Fraction(sum(fact.status == "ignored" for fact in seen), len(seen))


class ReadCount(RecordModel):
    """Facts of one sort that an agent was shown, counted by what it declared of them.

    Attributes:
        page: the kind of page that showed them.
        cue: by which one sees them there.
        fact: the sort, such as `start status`.
        state: that stands there, where there are few, such as `sold out`; null of others.
        needed: whether the attempt needed them.
        right: declared as they stand there.
        wrong: declared otherwise.
        missing: not declared.
    """

    page: str
    cue: str
    fact: str
    state: str | None = None
    needed: bool = False
    right: int = Field(default=0, ge=0)
    wrong: int = Field(default=0, ge=0)
    missing: int = Field(default=0, ge=0)


class WrongFact(RecordModel):
    """A fact that an agent declared otherwise than it stands there.

    Attributes:
        fact: where it stands in the task.
        page: the kind of page that showed it.
        cue: by which one sees it there.
        says: what stands there.
        declared: what the agent said.
    """

    fact: str
    page: str
    cue: str
    says: str
    declared: str


class FactsRead(RecordModel):
    """What an agent declared of the facts that it was shown.

    Attributes:
        counts: counts of each sort.
        wrong: the first 200 that were declared wrongly.
        elsewhere: declarations of what the agent was not shown.
        unclear: what it said that declares nothing: of no known sort, without a row's name, or without a value.
        status: status of the verdict on its answer in the world as it read it, where each fact that it declared wrongly is as it declared it.
    """

    counts: tuple[ReadCount, ...] = ()
    wrong: tuple[WrongFact, ...] = ()
    elsewhere: int = Field(default=0, ge=0)
    unclear: int = Field(default=0, ge=0)
    status: Literal["pass", "fail", "undelivered"]

    @property
    def wrong_share(self) -> Fraction | None:
        """The share of the declared facts that are wrong; None where none was declared."""
        wrong = sum(count.wrong for count in self.counts)
        said = wrong + sum(count.right for count in self.counts)
        return Fraction(wrong, said) if said else None


class Attempt(RecordModel):
    """One attempt at one task: a line of `attempts.jsonl`.

    Attributes:
        task: its id.
        repeat: from 0.
        seed: of this attempt.
        turns: in order; those after a failure are not there.
        failure: where the attempt failed, which is where one of its turns did.
        verdict: the document of `planspec verify` on the last turn's answer, in profile strict.
        trace: what the agent did.
        started: when, in UTC.
        seconds: that it took.
        privileged: the agent was given the task itself.
        uncontained: the agent, or its program, could see more than it was given: references, say, or other processes.
        refereed: what stands between the parts of the agent was given the task, to refuse and to price what they do; what
            answers was not.
        lost: its process was ended or ended itself, and with it what it did.
        usd: what its requests to models cost; null where a price, or the tokens of one, are not known.
        retry: how many earlier attempts at the same task and repeat failed at the provider; this one stands for them.
        about: what the agent said of itself at the end.
        facts: what it saw of the facts that it needed; null where that is not known.
        read: what it declared of the facts that it was shown; null where it declared nothing, or the family asks for nothing.
        chain: SHA-256, in hexadecimal, of the one before, a line feed, and the line without this key; it stands last.
    """

    attempt: Literal["attempt/1"] = "attempt/1"
    task: str
    repeat: int = Field(ge=0)
    seed: int
    turns: tuple[Turn, ...] = ()
    failure: Failure | None = None
    verdict: dict[str, Any]
    trace: Trace
    started: str
    seconds: float = Field(ge=0)
    privileged: bool = False
    uncontained: bool = False
    refereed: bool = False
    lost: bool = False
    usd: float | None = Field(default=None, ge=0)
    retry: int = Field(default=0, ge=0)
    about: dict[str, JsonValue] = Field(default_factory=dict)
    facts: FactsSeen | None = None
    read: FactsRead | None = None
    chain: str | None = None

    @field_validator("verdict")
    @classmethod
    def _has_a_status(cls, verdict: dict[str, Any]) -> dict[str, Any]:
        if verdict.get("status") not in STATUSES:
            raise ValueError(f"a verdict's `status` is one of {', '.join(STATUSES)}")
        return verdict

    @property
    def key(self) -> tuple[str, int]:
        """The key by which a made attempt is recognised."""
        return self.task, self.repeat

    @property
    def unserved(self) -> bool:
        """It failed at the provider, so that it says nothing of the agent and may be made again."""
        return self.failure is not None and self.failure.boundary == "provider"

    @property
    def status(self) -> str:
        """`pass`, `fail` or `undelivered`."""
        return str(self.verdict["status"])
