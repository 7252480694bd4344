"""The difficulty of a task: number of plans, backbone, slack of the author's plan, and runs of greedy planners."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from planspec.errors import LimitReachedError
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.lowering.problem import Lowered, lower
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.enumerate import Backbone, Count, backbone, count
from planspec.solvers.questions.greedy import GreedyRun, greedy_runs
from planspec.solvers.questions.second_look import Opinion, second_look
from planspec.solvers.questions.validation import validate
from planspec.solvers.questions.witness import witness
from planspec.verifiers.meaning.anchors import anchors
from planspec.verifiers.meaning.ground import Ground
from planspec.verifiers.meaning.judge import judge
from planspec.verifiers.meaning.plan_rows import Plan


@dataclass(frozen=True, slots=True)
class Slack:
    """The smallest margin by which a plan satisfies the hard constraints whose margins are measured in `unit`.

    Attributes:
        constraint: id of the constraint.
        margin: amount by which the constraint holds; a text such as `0.5` or `1/3` if it is not a whole number.
        unit: unit of measurement of the amount, such as `min` or `1/100 EUR`.
    """

    constraint: str
    margin: int | str
    unit: str | None


@dataclass(frozen=True, slots=True)
class Difficulty:
    """Measures of how difficult a task is.

    Attributes:
        feasible: `feasible`, `infeasible` or `unknown`; the other measures apply to feasible tasks.
        solutions: number of plans that differ in a field that the task compares; None if they were not counted.
        backbone: fields with the same value in all plans; None if they were not determined.
        slack: for each unit of measurement (such as minutes), the smallest margin by which a hard constraint holds. The
            plan is the author's reference plan or, if there is none, the plan that was found.
        anchors: number of plan rows with a time that a hard constraint ties to a time in the facts. For example, a
            visit must begin at its booked time.
        hard: number of instances of hard constraints that apply.
        soft: number of instances of soft constraints that apply.
        search: statistics of CP-SAT for finding a plan and deciding uniqueness: `conflicts`, `branches`, `booleans`
            (variables) and `seconds`.
        greedy: runs of greedy planners.
        finished: whether all measures were computed before a limit was reached.
        by: back ends that prove `feasible` and the number of plans.
        disagreement: answers of two back ends that contradict each other; then `feasible` is `unknown`, or
            the number of plans is a lower bound.
    """

    feasible: str
    solutions: Count | None
    backbone: Backbone | None
    slack: tuple[Slack, ...]
    anchors: int
    hard: int
    soft: int
    search: Mapping[str, int | float]
    greedy: tuple[GreedyRun, ...]
    finished: bool
    by: tuple[str, ...] = ()
    disagreement: tuple[Opinion, ...] = ()

    def __repr__(self) -> str:
        plans = "" if self.solutions is None else f", {self.solutions!r}"
        return f"<Difficulty: {self.feasible}{plans}, {self.hard} hard, {self.soft} soft>"


def difficulty(
    ground: Ground,
    *,
    reference: Plan | None = None,
    most: int = 100,
    limits: Limits = Limits(),  # noqa: B008
    second: bool = False,
) -> Difficulty:
    """Measure the difficulty of a task.

    Args:
        ground: the task.
        reference: the author's plan. If it is None, slack is measured on a plan found by CP-SAT.
        most: maximum number of plans to count; if there are more, the count is a lower bound.
        limits: limits on everything together.
        second: whether a second back end may use all the remaining time to confirm the feasibility status and the
            count. By default, it is consulted only if that takes little time.

    Raises:
        DiagnosticError: part of the task cannot be encoded for solvers.
        InternalError: a plan does not pass the verifier.
    """
    clock = TimeBudget(limits)
    hard = sum(i.applicable and i.constraint.hard for i in ground.instances)
    soft = sum(i.applicable and not i.constraint.hard for i in ground.instances)
    validation = validate(ground, backends=("cpsat",), limits=clock.rest)
    search: dict[str, int | float] = {"seconds": round(validation.unique.backends["cpsat"].seconds, 4)}
    for claim in (validation.feasible.backends["cpsat"], validation.unique.backends["cpsat"]):
        for name in ("booleans", "conflicts", "branches"):
            search[name] = search.get(name, 0) + claim.statistics.get(name, 0)
    measures = Difficulty(
        validation.feasible.status,
        None,
        None,
        (),
        anchors(ground),
        hard,
        soft,
        search,
        (),
        finished=False,
        by=("cpsat",),
    )
    if validation.feasible.status == "unknown":
        return measures
    try:
        with clock:
            lowered = lower(ground)
            if validation.witness is None:
                return _measure_infeasible(measures, lowered, clock, thorough=second)
            measures = replace(measures, slack=slack(ground, reference or validation.witness))
            plans = count(lowered, most=most, limits=clock.rest, second=second)
            measures = replace(measures, solutions=plans, by=plans.by, disagreement=plans.disagreement)
            measures = replace(measures, backbone=backbone(lowered, limits=clock.rest))
            measures = replace(measures, greedy=greedy_runs(lowered, limits=clock.rest))
    except LimitReachedError:
        return measures
    return replace(measures, finished=not clock.over)


def _measure_infeasible(measures: Difficulty, lowered: Lowered, clock: TimeBudget, *, thorough: bool) -> Difficulty:
    """Let a second back end confirm that a task is infeasible, and return the measures with its answer."""
    look = second_look(lowered.problem, (), by="cpsat", clock=clock, thorough=thorough)
    if look.other is None or look.values is None:
        return replace(measures, finished=True, by=look.by)
    opinions = Opinion("cpsat", "infeasible"), Opinion(look.other, "feasible", witness(lowered, look.values))
    return replace(measures, feasible="unknown", by=(), disagreement=opinions)


def slack(ground: Ground, plan: Plan) -> tuple[Slack, ...]:
    """Return, for each unit of measurement (such as `min`), the satisfied hard constraint with the smallest margin.

    The margin is the amount by which the constraint holds. Constraints without a margin are left out.
    """
    least: dict[str | None, tuple[Fraction, Slack]] = {}
    for finding in judge(ground, plan).findings:
        if finding.level != "hard" or finding.status != "satisfied" or finding.margin is None:
            continue
        size = Fraction(finding.margin)
        if finding.unit not in least or size < least[finding.unit][0]:
            least[finding.unit] = size, Slack(finding.constraint, finding.margin, finding.unit)
    return tuple(narrowest for _, narrowest in least.values())
