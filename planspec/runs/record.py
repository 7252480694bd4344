"""The records of a run: a header, and a line for each attempt, written as it ends."""

from __future__ import annotations

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
        suite: its id.
        suite_sha256: of the suite's documents and those of its tasks, with all that they use.
        family: of the suite.
        agent: as it was named.
        setting: of the family.
        limits: of each attempt.
        repeats: attempts at each task.
        seed: of the first repeat; each further one has one more.
        tasks: their ids, in order.
        versions: of planspec, Python and what else the results depend on.
        about: what the agent says of itself: model, temperature, the hashes of its prompts.
        uncontained: why the agent's program was not contained when the run began; null where it was, or there is none.
        started: when, in UTC.
        rescored: the run that was judged again, where this is no run of its own.
        chained: each line of the attempts is sealed with all that stands before it, the first with this file; runs of
            earlier releases are not.
    """

    run: Literal["run/1"] = "run/1"
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
    rescored: RescoredRun | None = None
    chained: bool = False


class Failure(RecordModel):
    """The boundary at which an attempt failed, and the message."""

    boundary: Boundary
    message: str


class Turn(RecordModel):
    """The outcome of one turn.

    Attributes:
        answer: as the agent gave it; None where it gave none.
        failure: why there is none.
    """

    answer: JsonValue = None
    failure: Failure | None = None


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
        uncontained: the agent's program could see more than it was given: references, say, or other processes.
        refereed: what stands between the parts of the agent was given the task, to refuse and to price what they do; what
            answers was not.
        lost: its process was ended or ended itself, and with it what it did.
        about: what the agent said of itself at the end.
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
    about: dict[str, JsonValue] = Field(default_factory=dict)
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
    def status(self) -> str:
        """`pass`, `fail` or `undelivered`."""
        return str(self.verdict["status"])
