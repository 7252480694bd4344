"""Output models for answers: verdicts and solvers' plans."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from planspec.api.outputs.base import Output
from planspec.api.outputs.claims import OpinionOutput, ProofOutput
from planspec.api.outputs.explanations import RepairOutput
from planspec.api.outputs.scores import ManyScoresOutput, ReadingScoresOutput, ScoreOutput
from planspec.errors import Reason
from planspec.verifiers.meaning.verdict import Finding, MetricValue, Tally, Verdict
from planspec.verifiers.official.protocol import ProfileDifference

if TYPE_CHECKING:
    pass


class SoftOutput(Output):
    """Weight of the satisfied soft constraints, and of all."""

    satisfied: int
    total: int


class ObjectiveOutput(Output):
    """Value of an objective, and its proved bound over the plans that are best by earlier objectives."""

    objective: int | float | None
    bound: int | float | None


class SolveOutput(Output):
    """The result of `solve`. Values of objectives are in minutes, metres, or minor units of money such as cents.

    Attributes:
        objective: value of the first objective.
        bound: proved bound of the first objective.
        objectives: value and bound of each objective, in order.
        reason: limit at which the search stopped before everything was proved.
        proof: proof that no plan in scope is better, if requested.
        by: back ends that prove the status.
        disagreement: answers of back ends that contradict each other. The status is then `unknown`.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleOutput:
    """One of many answers to a task: a line of `score --many --out`, with the verdict for `--details`.

    Attributes:
        task: id of the task; null if the line is unreadable and does not name it.
        plan: hash of the plan, by which equal plans are recognized; null if the answer contains none.
        violated: ids of the hard and soft constraint instances that the plan violates.
        unread: number of faults in the plan's shape.
        reason: reason why the answer contains no plan or could not be judged; null otherwise.
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
    """A verdict with additional results. Results that were not requested are absent.

    Attributes:
        differences: constraints on which the profiles `strict` and `official` disagree, with reasons.
    """

    differences: tuple[ProfileDifference, ...] | None = None
    repair: RepairOutput | None = None


OUTPUTS: dict[str, Any] = {
    "verify": VerifyOutput,
    "score": ScoreOutput,
    "score-many": ManyScoresOutput,
    "score-readings": ReadingScoresOutput,
    "sample": SampleOutput,
    "solve": SolveOutput,
}
"""Pydantic models of the JSON output of commands, by name."""
