"""Records of a run: a header, and one line for each attempt."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, field_validator

from planspec.agents.failures import Boundary
from planspec.traces.record import Trace

STATUSES = ("pass", "fail", "undelivered")
"""Statuses of verdicts."""


class RecordModel(BaseModel):
    """Base class of the parts of a record. Unknown fields are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class RunLimits(RecordModel):
    """The limits of an attempt, with the fields of `planspec.agents.Limits`."""

    seconds: float = Field(gt=0)
    tool_calls: int | None = Field(default=None, ge=0)
    steps: int | None = Field(default=None, ge=0)
    tokens: int | None = Field(default=None, ge=0)


class ModelPrice(RecordModel):
    """The price of a model, in USD per million tokens.

    Attributes:
        input: price of input tokens.
        cached_input: price of cached input tokens; None if it equals `input`.
        output: price of output tokens.
    """

    input: float = Field(ge=0, allow_inf_nan=False)
    cached_input: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)


class RescoredRun(RecordModel):
    """The original run, from which a rescored run was made.

    Attributes:
        run: name of the original run's folder.
        suite_sha256: hash of the suite by which the original run's attempts were judged.
        header_sha256: hash of the original run's `run.json`.
        seal: hash in the original run's last line (`planspec.runs.chain`); null if there are no hashes or no lines.
    """

    run: str
    suite_sha256: str
    header_sha256: str
    seal: str | None


class Run(RecordModel):
    """The header of a run, `run.json`: the data that its attempts share.

    Attributes:
        name: name given by the user; null to use the agent's name.
        suite: id of the suite.
        suite_sha256: hash of the documents of the suite and its tasks, and of all documents that they use.
        family: family of the suite.
        agent: specification of the agent, as given.
        setting: setting of the family.
        limits: limits of each attempt.
        repeats: number of attempts at each task.
        seed: seed of the first repeat; each later repeat adds 1.
        tasks: ids of the tasks, in order.
        versions: versions of planspec, Python and other packages that affect the results.
        about: the agent's description of itself: model, temperature, hashes of its prompts.
        uncontained: reason why the agent or its program ran without a sandbox when the run began; null in a sandbox,
            and for agents that ship with planspec.
        started: start time in UTC.
        prices: prices of models by name, if the user gave them.
        response_cache: folder of cached replies of models; null without a cache.
        rescored: the original run if this is a rescored run; else null.
        chained: whether the lines of attempts form a hash chain that begins with this file; false in runs of earlier
            releases.
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
    prices: dict[str, ModelPrice] = Field(default_factory=dict)
    response_cache: str | None = None
    rescored: RescoredRun | None = None
    chained: bool = False


class Failure(RecordModel):
    """The failure of an attempt: the boundary where it occurred, and a message.

    Attributes:
        boundary: boundary at which the attempt failed.
        message: what went wrong.
        place: line of the program that raised an exception, as `file:line`; null without an exception.
        traceback: last 20,000 characters of the traceback; null without an exception.
    """

    boundary: Boundary
    message: str
    place: str | None = None
    traceback: str | None = None


class Turn(RecordModel):
    """The outcome of one turn.

    Attributes:
        answer: answer as given by the agent; null without an answer.
        failure: reason for a missing answer; null otherwise.
        calls: number of tool calls in the turn; null in runs of earlier releases.
    """

    answer: JsonValue = None
    failure: Failure | None = None
    calls: int | None = Field(default=None, ge=0)


class NeededFact(RecordModel):
    """A fact that an attempt needed: with another value, some constraint would change between satisfied and violated.

    Attributes:
        fact: address of the fact in the task: `Hotel[inn].rate`, `Leg[inn, zoo, foot]`, `budget`.
        value: value in the task as text; `there` for a row.
        status: `seen` if a text that the agent got revealed the fact; `ignored` if the agent saw it, but the answer
            violates a hard constraint that depends on it; `never-seen` if no text that the agent got would differ with
            another value.
        needed_by: `answer` if a constraint depends on the fact for the agent's answer; `reference` if a constraint
            depends on it only for the author's answer.
        rules: ids of the constraint instances that depend on the fact.
        by: kind of text that revealed the fact: the `query`, a `show`, the description of a `tool`, or the result of a
            `call`; null if no text did.
        turn: turn in which that text appeared, counted from 0.
        name: name of the show or tool; null for other texts.
        call: index of the call in the trace's calls, counted from 0; null for other texts.
        cue: visual cue by which a picture shows the fact, such as `grey`; null for a text.
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


class NeededFacts(RecordModel):
    """The facts that an attempt needed, and whether its agent saw them.

    Attributes:
        facts: needed facts.
        untried: number of facts that constraints read but that were not examined within the time limit.
    """

    facts: tuple[NeededFact, ...] = ()
    untried: int = Field(default=0, ge=0)

    @property
    def seen_share(self) -> Fraction | None:
        """Share of the needed facts that the agent saw (`seen` or `ignored`); None if unknown."""
        if self.untried or not self.facts:
            return None
        return Fraction(sum(fact.status != "never-seen" for fact in self.facts), len(self.facts))

    @property
    def ignored_share(self) -> Fraction | None:
        """Share of the facts seen by the agent that it ignored; None if it is unknown or no fact was seen."""
        seen = [fact for fact in self.facts if fact.status != "never-seen"]
        if self.untried or not seen:
            return None
        return Fraction(sum(fact.status == "ignored" for fact in seen), len(seen))


class ReadCount(RecordModel):
    """Numbers of facts of one sort that an agent was shown and then declared rightly, wrongly, or not at all.

    Attributes:
        page: kind of page that showed them.
        cue: visual cue that shows them.
        fact: sort of fact, such as `start status`.
        state: value of facts with few possible states, such as `sold out`; null for others.
        needed: whether the attempt needed them.
        right: number of facts declared rightly.
        wrong: number of facts declared wrongly.
        missing: number of facts not declared.
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
    """A fact that an agent declared wrongly.

    Attributes:
        fact: address of the fact in the task, such as `Hotel[inn].rate`.
        page: kind of page that showed it.
        cue: visual cue that shows it.
        says: value that the agent was shown.
        declared: value that the agent declared.
    """

    fact: str
    page: str
    cue: str
    says: str
    declared: str


class FactsRead(RecordModel):
    """Comparison of the facts that an agent declared with the facts that it was shown.

    Attributes:
        counts: counts of each sort of facts.
        wrong: first 200 wrongly declared facts.
        elsewhere: number of declared facts that the agent was not shown.
        unclear: number of malformed declarations: of an unknown sort, without a row's name, or without a
            value.
        status: status of the verdict on the answer if the declared values were true.
    """

    counts: tuple[ReadCount, ...] = ()
    wrong: tuple[WrongFact, ...] = ()
    elsewhere: int = Field(default=0, ge=0)
    unclear: int = Field(default=0, ge=0)
    status: Literal["pass", "fail", "undelivered"]

    @property
    def wrong_share(self) -> Fraction | None:
        """Share of the declarations that are wrong; None without declarations."""
        wrong = sum(count.wrong for count in self.counts)
        declared = wrong + sum(count.right for count in self.counts)
        return Fraction(wrong, declared) if declared else None


class Attempt(RecordModel):
    """One attempt at one task: a line of `attempts.jsonl`.

    Attributes:
        task: id of the task.
        repeat: number of the repeat, counted from 0.
        seed: seed of the attempt.
        turns: turns in order, up to the first failure.
        failure: failure of one of its turns; null if no turn failed.
        verdict: output of `planspec verify` for the last turn's answer, in the profile `strict`.
        trace: record of the agent's actions.
        started: start time in UTC.
        seconds: duration in seconds.
        privileged: whether the agent was given the task itself, with its rules.
        uncontained: whether the agent or its program could access more than it was given, such as references or other
            processes, because it ran outside a sandbox.
        refereed: whether a part of the agent was given the task, to judge and price the actions of the other parts. The
            part that writes the answer did not get it.
        lost: whether the process of the attempt was killed or exited, so that its actions are unknown.
        usd: cost of its requests to models; null if the price or the tokens of a request are unknown.
        retry: number of earlier attempts at the same task and repeat that failed at the provider. This attempt replaces
            them.
        about: the agent's description of itself at the end of the attempt.
        facts: needed facts, and whether the agent saw them; null if unknown.
        read: comparison of the facts that the agent declared with the facts that it was shown; null without
            declarations, or if the family does not support them.
        chain: seal of the line: hexadecimal SHA-256 over the previous line's seal, a line feed, and this line without
            `chain`. The seal before the first line is the hash of `run.json`.
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
    facts: NeededFacts | None = None
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
        """Key of the attempt: its task and repeat."""
        return self.task, self.repeat

    @property
    def unserved(self) -> bool:
        """Whether the attempt failed at the provider and may therefore be repeated."""
        return self.failure is not None and self.failure.boundary == "provider"

    @property
    def status(self) -> str:
        """Status of the verdict: `pass`, `fail` or `undelivered`."""
        return str(self.verdict["status"])
