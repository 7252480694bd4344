"""What is found of answers: verdicts, scores, and the plans of solvers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, JsonValue, SerializeAsAny

from planspec.api.outputs.base import Output
from planspec.api.outputs.claims import OpinionOutput, ProofOutput
from planspec.api.outputs.explanations import RepairOutput
from planspec.errors import Reason
from planspec.verifiers.meaning.verdict import Finding, MetricValue, Tally, Verdict
from planspec.verifiers.official.protocol import ProfileDifference

if TYPE_CHECKING:
    pass


class SoftOutput(Output):
    """Weight of soft constraints."""

    satisfied: int
    total: int


class ObjectiveOutput(Output):
    """The value of an objective, and what no plan can beat that is the best by the objectives before it."""

    objective: int | float | None
    bound: int | float | None


class SolveOutput(Output):
    """The result of `solve`. `objective` and `bound` are in the unit inside (minutes, minor units, metres).

    They are those of the first objective; `objectives` has those of each, in order.
    `reason` is the limit that was reached before everything was proved. `proof`: that no plan in scope is better, if it was asked for.
    `by`: the back ends that prove the status. `disagreement`: the answers of back ends that contradict each other; the status is
    `unknown` then.
    """

    task: str
    status: Literal["optimal", "feasible", "infeasible", "unknown"]
    plan: Any
    objective: int | float | None
    bound: int | float | None
    objectives: list[ObjectiveOutput]
    soft: SoftOutput
    backend: str
    seconds: float
    by: list[str] = []
    disagreement: list[OpinionOutput] = []
    reason: Reason | None = None
    proof: ProofOutput | None = None


class ScoreOutput(Output):
    """The scores of many answers."""

    suite: str
    profile: str
    metrics: dict[str, JsonValue]
    plans: list[SerializeAsAny[Verdict]]
    unread: list[str] = Field(
        default_factory=list,
        description="lines that cannot be read and do not say their task, and why; their tasks count as undelivered",
    )


class ManyScoresOutput(Output):
    """The scores of many answers to each task, `score --many`: pass@k, pass^k, best and majority.

    `metrics`: `n` answers that count, `tasks` times `samples`; of them `delivered` and `missing` ones; `plans` that differ;
    then the metrics. `intervals`: of 95 per cent over tasks, null where none is known. `unread`: lines that cannot be read
    and do not say their task, the first hundred, and why; `unjudged`: answers that nobody can judge, likewise.
    """

    suite: str
    profile: str
    metrics: dict[str, int | float | None]
    intervals: dict[str, tuple[float, float] | None]
    unread: list[str]
    unjudged: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleOutput:
    """One of many answers to a task: a line of `score --many --out`. With `--details` it has all that a verdict has, too.

    `plan`: equal for answers with the same plan; null where nothing was delivered. `violated`: hard and soft instances.
    `unread`: faults of the plan's shape. `reason`: why nothing was delivered, or nobody could judge it. `task` is null where a line cannot be read and
    does not say it.
    """

    task: str | None
    sample: int | None
    line: int
    status: Literal["pass", "fail", "undelivered"]
    hard: Tally
    soft: Tally
    plan: str | None
    violated: tuple[str, ...]
    unread: int
    reason: str | None
    profile: str | None = None
    metrics: dict[str, MetricValue] | None = None
    in_scope: bool | None = None
    findings: tuple[Finding, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyOutput(Verdict):
    """A verdict, with what else was asked for; what was not is absent.

    `differences`: why the profiles `strict` and `official` part, for each rule in which they do.
    """

    differences: tuple[ProfileDifference, ...] | None = None
    repair: RepairOutput | None = None
