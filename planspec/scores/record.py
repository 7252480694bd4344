"""The documents about a run, and about two: a report can be drawn from them without the run."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from planspec.agents.failures import Boundary
from planspec.runs.record import Run
from planspec.verifiers.metrics.metric import Better

LabelValue: TypeAlias = str | int | bool


class ScoreModel(BaseModel):
    """A part of a document: nothing in it that is not listed, and nothing changes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Estimate(ScoreModel):
    """One number of a run, with how far it could lie from what the run shows."""

    value: float | None = Field(description="over all attempts; null where nothing has a part in it")
    n: int = Field(description="attempts that have a part in it")
    low: float | None = Field(
        default=None,
        description="of the interval of 95 per cent; null where none is known: of one task, or of tasks that are all alike",
    )
    high: float | None = None
    method: Literal["wilson", "bootstrap"] | None = None
    better: Better | None = Field(default=None, description="null where neither is")
    repeats: tuple[float | None, ...] = Field(
        default=(), description="the same of each repeat alone; empty of a run with one"
    )
    mean: float | None = Field(default=None, description="of the repeats that have a value")
    deviation: float | None = Field(
        default=None,
        description="of the repeats, divided by one less than their number; null of fewer than two",
    )


class Group(ScoreModel):
    """The metrics of a part of the tasks."""

    n: int = Field(description="attempts at tasks of the group, wanted ones")
    tasks: int
    metrics: dict[str, Estimate]


class Tallied(ScoreModel):
    """A row of a table of counts: one sort of thing over all attempts."""

    n: int
    counts: dict[str, int] = Field(description="how many there are of each status")
    share: Estimate = Field(description="of those that are not as they should be, over tasks")


class TallyTable(ScoreModel):
    """A table of what a family counts in answers, such as their cells by column."""

    title: str
    things: str = Field(description="the word for what is counted")
    right: str = Field(description="the status of those that are as they should be")
    rows: dict[str, Tallied] = Field(description="in the family's order")


class Failures(ScoreModel):
    """The violations of a constraint or kind."""

    level: Literal["hard", "soft"]
    kind: str
    applicable: int = Field(description="instances that apply to the tasks, once for each attempt wanted")
    violated: int = Field(description="of them, by answers that were delivered")
    unanswered: int = Field(description="of them, of attempts without an answer or without a record")
    share: Estimate = Field(description="(violated + unanswered) / applicable")
    share_delivered: float | None = Field(
        description="violated / (applicable - unanswered): of what was delivered alone"
    )


class RuleFailures(Failures):
    """The same of one constraint over all of its instances."""

    rule: str


class BoundaryFailures(ScoreModel):
    """Attempts that failed at one boundary."""

    boundary: Boundary
    attempts: int
    share: Estimate = Field(description="of all attempts wanted")
    messages: dict[str, int] = Field(description="the most common ones, with how often each was told")


class Bin(ScoreModel):
    """Tasks with like numbers of something."""

    least: int
    most: int = Field(description="both ends belong to it")
    tasks: int
    passed: int = Field(description="attempts that pass")
    pass_rate: Estimate


class Step(ScoreModel):
    """A level of the falling step function that fits best."""

    least: int
    most: int
    tasks: int
    rate: float


class Curve(ScoreModel):
    """The share of passed tasks by a count that each task has."""

    of: Literal["hard", "anchors"]
    bins: tuple[Bin, ...] = Field(description="in order; those without a task are left out")
    falling: tuple[Step, ...] = Field(
        description="the non-increasing function of the number with the least squared error (isotonic regression)"
    )
    unknown: int = Field(description="tasks whose number is not known; in no bin")


class Horizon(ScoreModel):
    """Feasibility against the number of applicable hard constraints and of temporal anchors."""

    hard: Curve
    anchors: Curve


class ReadShares(ScoreModel):
    """Facts that agents were shown, by what they declared of them: all that are told apart in one way."""

    by: Literal["cue", "page", "fact"] = Field(
        description="by which they are told apart: the cue by which one sees them, the kind of page, the sort of fact"
    )
    name: str
    state: str | None = Field(
        default=None, description="what stands there, where it is one of a few states: `sold out`"
    )
    right: int = Field(description="declared as they stand there")
    wrong: int = Field(description="declared otherwise")
    missing: int = Field(description="not declared")
    needed_wrong: int = Field(description="of the wrong ones, those that the attempts needed")
    needed_missing: int = Field(description="of the missing ones, likewise")
    wrong_share: float | None = Field(description="wrong / (right + wrong); null where nothing was declared")


class Spending(ScoreModel):
    """The attempts' spending of one thing."""

    known: int = Field(description="attempts of which it is known")
    unknown: int = Field(
        description="attempts wanted of which it is not: nobody counted, or there is no record"
    )
    mean: float | None
    median: float | None
    total: float | None
    per_pass: float | None = Field(
        description="total over the attempts of which it is known, for each of them that passes; null if none does"
    )


class Cost(ScoreModel):
    """The cost of a run."""

    tokens_in: Spending
    tokens_cached: Spending = Field(description="of those that went in: that the service had from before")
    tokens_out: Spending
    usd: Spending = Field(description="what requests to models cost, by the prices that the run was given")
    tool_calls: Spending
    steps: Spending = Field(description="requests to a model")
    seconds: Spending


class Weighed(ScoreModel):
    """A task's contribution to a metric, which is the sum of the parts over the sum of the weights."""

    part: float
    weight: int


class TaskScores(ScoreModel):
    """One task of a run, over its repeats."""

    task: str
    sha256: str = Field(description="of all documents that the task stands in and uses")
    asked_sha256: str | None = Field(
        default=None,
        description="the same without what documents say that decide no rule: tasks are compared by it",
    )
    labels: dict[str, LabelValue]
    hard: int = Field(description="hard instances that apply")
    soft: int
    anchors: int | None = Field(description="null where it is not known")
    wanted: int = Field(description="attempts that the run is to make")
    made: int
    passed: int
    undelivered: int = Field(description="of those that were made")
    applicable: dict[str, int] = Field(
        description="hard instances that apply, by kind, or by constraint without one; to one attempt"
    )
    violated: dict[str, int] = Field(description="of delivered answers, by kind; over all attempts")
    unreadable: int = Field(
        description="delivered answers in which something cannot be read or names nothing"
    )
    boundaries: dict[str, int] = Field(description="attempts that failed at each")
    metrics: dict[str, Weighed]


class Resampling(ScoreModel):
    """The resampling that made the intervals."""

    level: float = 0.95
    seed: int
    resamples: int


class RunScores(ScoreModel):
    """Everything that is counted of a run.

    Every attempt that the run is to make counts in every denominator: one that failed, and one without a record, has
    delivered nothing. What is not known is null and counted as unknown.
    """

    scores: Literal["scores/1"] = "scores/1"
    name: str = Field(description="of the run's folder")
    run: Run
    protocol: str | None = Field(description="whose metrics these are")
    wanted: int = Field(description="attempts that the run is to make")
    missing: int = Field(description="of them, those without a record")
    passed: int
    failed: int = Field(description="delivered answers that do not pass")
    undelivered: int = Field(description="attempts with a record and without an answer that could be judged")
    unreadable: int = Field(
        description="delivered answers in which something cannot be read or names nothing"
    )
    privileged: bool = Field(description="an attempt was given the task itself: a reference, no model")
    uncontained: bool = Field(
        description="the agent's program could see more than it was given, in an attempt"
    )
    pass_rate: Estimate
    metrics: dict[str, Estimate] = Field(description="the family's, by name")
    groups: dict[str, dict[str, Group]] = Field(description="by what they are grouped, then by group")
    samples: dict[str, Estimate] = Field(
        default_factory=dict,
        description="of a run with repeats: pass@k, pass^k, the best attempt and the majority by plan, over tasks",
    )
    tallies: dict[str, TallyTable] = Field(
        default_factory=dict,
        description="what the family counts in answers, by name; those with nothing counted are left out",
    )
    document: dict[str, JsonValue] = Field(description="the family's metrics as `run --format json` has them")
    kinds: tuple[Failures, ...] = Field(description="those first that fail most; hard before soft")
    rules: tuple[RuleFailures, ...]
    boundaries: tuple[BoundaryFailures, ...] = Field(description="those first at which most fail")
    horizon: Horizon
    cost: Cost
    reading: tuple[ReadShares, ...] = Field(
        default=(),
        description="what agents declared to have read, by cue, page and sort of fact; empty where none did",
    )
    tasks: tuple[TaskScores, ...] = Field(description="in the suite's order")
    resampling: Resampling


class Side(ScoreModel):
    """One of two runs that are compared."""

    name: str
    agent: str
    suite: str
    setting: str
    repeats: int
    privileged: bool
    passed: int = Field(description="attempts that pass, at tasks that both runs have")
    wanted: int = Field(description="attempts at those tasks that the run is to make")
    missing: int = Field(description="of them, those without a record; they do not pass")


class Flip(ScoreModel):
    """A task that one run passes more often than the other."""

    task: str
    first: tuple[int, int] = Field(description="attempts that pass, of so many")
    second: tuple[int, int]


class Difference(ScoreModel):
    """One metric of both runs, over the tasks that both have."""

    metric: str
    first: float | None
    second: float | None
    difference: float | None = Field(description="second less first")
    low: float | None = Field(
        default=None, description="of the interval of 95 per cent; null where none is known"
    )
    high: float | None = None
    method: Literal["newcombe", "bootstrap"] | None = Field(
        default=None, description="Newcombe's interval of paired rates, or the paired bootstrap over tasks"
    )
    better: Better | None = None


class Comparison(ScoreModel):
    """Two runs over the tasks that both have."""

    comparison: Literal["comparison/1"] = "comparison/1"
    first: Side
    second: Side
    tasks: int = Field(description="that both runs have")
    only_first: tuple[str, ...] = Field(description="tasks that the other run has not; left out")
    only_second: tuple[str, ...]
    changed: tuple[str, ...] = Field(description="tasks that ask something else in the other run; left out")
    gained: tuple[Flip, ...] = Field(description="tasks that the second run passes, or passes more often")
    lost: tuple[Flip, ...] = Field(description="tasks that the first run passes, or passes more often")
    same: int = Field(description="tasks that both pass alike")
    discordant: int = Field(description="gained and lost together")
    test: Literal["mcnemar", "sign"] = Field(
        description="McNemar's exact test of single attempts; the sign test, which is the same over shares of repeats"
    )
    p: float = Field(description="two-sided: how probable so uneven a split is if neither run is better")
    differences: tuple[Difference, ...] = Field(
        description="the pass rate first, then what both families have"
    )
    said: str = Field(description="what that means, in words")
    resampling: Resampling
