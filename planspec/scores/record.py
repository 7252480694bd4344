"""Score documents of a run, and of a comparison of two runs. A report needs no other data."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import Field, JsonValue

from planspec.agents.failures import Boundary
from planspec.runs.record import Run
from planspec.scores.estimates import Estimate, ScoreModel
from planspec.verifiers.metrics.metric import Better

LabelValue: TypeAlias = str | int | bool


class MetricGroup(ScoreModel):
    """Metrics of a group of tasks."""

    n: int = Field(description="number of attempts at tasks of the group in the complete run")
    tasks: int
    metrics: dict[str, Estimate]


class TallyRow(ScoreModel):
    """A row of a table of counts: items of one sort, such as the cells of a column, in all attempts, by status."""

    n: int
    counts: dict[str, int] = Field(description="number of each status")
    share: Estimate = Field(description="share of items that are not right, over tasks")


class TallyTable(ScoreModel):
    """A table of counts over answers, such as the right and wrong cells of each column."""

    title: str
    things: str = Field(description="word for the counted items")
    right: str = Field(description="status of the right ones")
    rows: dict[str, TallyRow] = Field(description="rows in the family's order")


class TableColumn(ScoreModel):
    """A column of a table of scores that a family defines."""

    name: str
    kind: Literal["text", "count", "share", "quantity"] = Field(
        default="text", description="a share lies between 0 and 1; a quantity has any size"
    )


class RunTable(ScoreModel):
    """A table of a family's publication, computed from the records of a run."""

    name: str = Field(description="name for `planspec report --table`")
    title: str
    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[str | int | float | None, ...], ...] = Field(description="cells by column; null if unknown")
    note: str = Field(default="", description="definitions of the columns")


class Failures(ScoreModel):
    """Violations of the constraints of one kind."""

    level: Literal["hard", "soft"]
    kind: str
    applicable: int = Field(description="instances that apply to the tasks, once for each attempt of the complete run")
    violated: int = Field(description="applicable instances that delivered answers violate")
    unanswered: int = Field(description="applicable instances of attempts without an answer or record")
    share: Estimate = Field(description="(violated + unanswered) / applicable")
    share_delivered: float | None = Field(
        description="violated / (applicable - unanswered), the share among delivered answers"
    )


class RuleFailures(Failures):
    """Violations of one constraint, over all its instances."""

    rule: str


class BoundaryFailures(ScoreModel):
    """The attempts that failed at the same boundary."""

    boundary: Boundary
    attempts: int
    share: Estimate = Field(description="share of all attempts of the complete run")
    messages: dict[str, int] = Field(description="most common messages with their numbers")


class HorizonBin(ScoreModel):
    """A bin of the horizon: the tasks whose number of constraints or anchors is in a range, and their pass rate."""

    least: int
    most: int = Field(description="upper end, included")
    tasks: int
    passed: int = Field(description="number of attempts that pass")
    pass_rate: Estimate


class HorizonStep(ScoreModel):
    """A step of the fitted non-increasing function: a range of numbers, and the pass rate in it."""

    least: int
    most: int
    tasks: int
    rate: float


class PassRateCurve(ScoreModel):
    """Pass rate as a function of the tasks' number of applicable hard constraints, or of temporal anchors."""

    of: Literal["hard", "anchors"]
    bins: tuple[HorizonBin, ...] = Field(description="bins in order, without empty ones")
    falling: tuple[HorizonStep, ...] = Field(
        description="non-increasing function with the least squared error (isotonic regression)"
    )
    unknown: int = Field(description="number of tasks with an unknown count, which are in no bin")


class Horizon(ScoreModel):
    """Pass rate as a function of the number of hard constraints that apply, and of temporal anchors."""

    hard: PassRateCurve
    anchors: PassRateCurve


class ReadShares(ScoreModel):
    """Counts of shown facts, by whether agents declared them rightly, for one cue, page kind, or sort of fact."""

    by: Literal["cue", "page", "fact"] = Field(
        description="criterion of grouping: visual cue, kind of page, or sort of fact"
    )
    name: str
    state: str | None = Field(default=None, description="value of facts with few possible states, such as `sold out`")
    right: int = Field(description="number declared rightly")
    wrong: int = Field(description="number declared wrongly")
    missing: int = Field(description="number not declared")
    needed_wrong: int = Field(description="number of wrong ones that the attempts needed")
    needed_missing: int = Field(description="number of missing ones that the attempts needed")
    wrong_share: float | None = Field(description="wrong / (right + wrong); null without declarations")


class Spending(ScoreModel):
    """The amount of a resource that the attempts used."""

    known: int = Field(description="number of attempts with a known value")
    unknown: int = Field(description="number of other attempts of the complete run: not counted, or not recorded")
    mean: float | None
    median: float | None
    total: float | None
    per_pass: float | None = Field(
        description="total over attempts with a known value, divided by the number of them that pass; null if none does"
    )


class Cost(ScoreModel):
    """Cost of a run."""

    tokens_in: Spending
    tokens_cached: Spending = Field(description="cached input tokens")
    tokens_out: Spending
    usd: Spending = Field(description="cost of requests to models, by the prices of the run")
    tool_calls: Spending
    steps: Spending = Field(description="requests to models")
    seconds: Spending


class WeightedPart(ScoreModel):
    """Contribution of a task to a metric.

    The metric is the sum of all parts, divided by the sum of all weights.
    """

    part: float
    weight: int


class TaskScores(ScoreModel):
    """Scores of one task in a run, over its repeats."""

    task: str
    sha256: str = Field(description="hash of all documents that define the task")
    asked_sha256: str | None = Field(
        default=None,
        description="hash without evidence that decides no constraint, by which tasks are compared",
    )
    labels: dict[str, LabelValue]
    hard: int = Field(description="number of hard instances that apply")
    soft: int
    anchors: int | None = Field(description="number of temporal anchors; null if unknown")
    wanted: int = Field(description="number of attempts in the complete run")
    made: int
    passed: int
    undelivered: int = Field(description="number of made attempts without an answer")
    applicable: dict[str, int] = Field(
        description="hard instances that apply to one attempt, by kind, or by constraint if it has no kind"
    )
    violated: dict[str, int] = Field(description="violations of delivered answers by kind, over all attempts")
    unreadable: int = Field(description="number of delivered answers with unreadable values or unknown names")
    boundaries: dict[str, int] = Field(description="number of failed attempts by boundary")
    metrics: dict[str, WeightedPart]


class Resampling(ScoreModel):
    """Parameters of the resampling for the intervals."""

    level: float = 0.95
    seed: int
    resamples: int


class RunScores(ScoreModel):
    """Scores of a run.

    Every attempt of the complete run counts in every denominator. An attempt that failed or has no record counts as
    undelivered. Unknown values are null, and the number of unknown values is reported.
    """

    scores: Literal["scores/1"] = "scores/1"
    name: str = Field(description="name of the run's folder")
    run: Run
    protocol: str | None = Field(description="protocol that defines the metrics")
    wanted: int = Field(description="number of attempts in the complete run")
    missing: int = Field(description="number of attempts without a record")
    passed: int
    failed: int = Field(description="number of delivered answers that do not pass")
    undelivered: int = Field(description="number of recorded attempts without an answer that could be judged")
    unreadable: int = Field(description="number of delivered answers with unreadable values or unknown names")
    privileged: bool = Field(
        description="whether an attempt was given the task itself, so that it is a reference and no model"
    )
    uncontained: bool = Field(
        description="whether the agent's program could access more than it was given, in an attempt"
    )
    pass_rate: Estimate
    metrics: dict[str, Estimate] = Field(description="the family's metrics by name")
    groups: dict[str, dict[str, MetricGroup]] = Field(description="metrics by grouping and group")
    samples: dict[str, Estimate] = Field(
        default_factory=dict,
        description="for a run with repeats: pass@k, pass^k, best attempt and majority by plan, over tasks",
    )
    tallies: dict[str, TallyTable] = Field(
        default_factory=dict,
        description="the family's tables of counts in answers by name, without empty ones",
    )
    tables: tuple[RunTable, ...] = Field(
        default=(), description="tables of the family's publication, without those that the records cannot fill"
    )
    document: dict[str, JsonValue] = Field(description="the family's metrics as in `run --format json`")
    kinds: tuple[Failures, ...] = Field(description="hard before soft, then the most failed first")
    rules: tuple[RuleFailures, ...]
    boundaries: tuple[BoundaryFailures, ...] = Field(description="most frequent first")
    horizon: Horizon
    cost: Cost
    reading: tuple[ReadShares, ...] = Field(
        default=(),
        description="what agents declared to have read, by cue, page and sort of fact; empty without declarations",
    )
    tasks: tuple[TaskScores, ...] = Field(description="tasks in the suite's order")
    resampling: Resampling


class Side(ScoreModel):
    """One of two compared runs."""

    name: str
    agent: str
    suite: str
    setting: str
    repeats: int
    privileged: bool
    passed: int = Field(description="number of passing attempts at common tasks")
    wanted: int = Field(description="number of attempts at these tasks in the complete run")
    missing: int = Field(description="number of attempts without a record, which do not pass")


class Flip(ScoreModel):
    """A task that one run passes more often than the other."""

    task: str
    first: tuple[int, int] = Field(description="number of passing attempts, and of all attempts")
    second: tuple[int, int]


class Difference(ScoreModel):
    """A metric of two runs over their common tasks, and its difference."""

    metric: str
    first: float | None
    second: float | None
    difference: float | None = Field(description="second minus first")
    low: float | None = Field(
        default=None, description="lower bound of the 95 per cent interval; null if there is none"
    )
    high: float | None = None
    method: Literal["newcombe", "bootstrap"] | None = Field(
        default=None, description="Newcombe's interval of paired rates, or the paired bootstrap over tasks"
    )
    better: Better | None = None


class Comparison(ScoreModel):
    """Comparison of two runs over their common tasks."""

    comparison: Literal["comparison/1"] = "comparison/1"
    first: Side
    second: Side
    tasks: int = Field(description="number of common tasks")
    only_first: tuple[str, ...] = Field(description="tasks that the second run lacks; left out")
    only_second: tuple[str, ...]
    changed: tuple[str, ...] = Field(description="tasks that differ between the runs; left out")
    gained: tuple[Flip, ...] = Field(description="tasks that the second run passes, or passes more often")
    lost: tuple[Flip, ...] = Field(description="tasks that the first run passes, or passes more often")
    same: int = Field(description="number of tasks that both pass equally often")
    discordant: int = Field(description="number of gained and lost tasks")
    test: Literal["mcnemar", "sign"] = Field(
        description="McNemar's exact test for single attempts; the sign test, its equivalent, for shares of repeats"
    )
    p: float = Field(
        description="two-sided p-value: probability of a split at least this uneven if neither run is better"
    )
    differences: tuple[Difference, ...] = Field(
        description="the pass rate first, then the metrics that both families have"
    )
    said: str = Field(description="interpretation in words")
    resampling: Resampling
