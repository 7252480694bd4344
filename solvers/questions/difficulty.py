"""The difficulty of a task: the number of plans, their backbone, the author's slack, and traps for a greedy planner."""

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
    """The hard constraint that a plan satisfies most narrowly, among those measured in one unit."""

    constraint: str
    margin: int | str
    unit: str | None


@dataclass(frozen=True, slots=True)
class Difficulty:
    """Measures of one task.

    Attributes:
        feasible: `feasible`, `infeasible` or `unknown`; the measures below are of feasible tasks.
        solutions: how many plans there are, as uniqueness tells them apart.
        backbone: fields that are equal in all of them.
        slack: of the reference, else of the plan that was found; the least for each unit.
        anchors: rows in scope with a time that a hard constraint looks up in facts, such as booked starts.
        hard: hard instances that apply.
        soft: soft instances that apply.
        search: CP-SAT's effort to find a plan and to prove what uniqueness asks: conflicts, branches, Booleans.
        greedy: how far greedy planners get.
        finished: nothing was cut short by the limit.
        by: the back ends that prove `feasible` and the number of plans.
        disagreement: where two back ends contradict each other, the answer of each; then `feasible` is `unknown`, or the number of
            plans is a lower bound.
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
    """Measure a task.

    Args:
        ground: the task.
        reference: the author's plan.
        most: the most plans that are counted; beyond it the count is a lower bound.
        limits: its seconds hold for everything together.
        second: as `solve` takes it.

    Raises:
        DiagnosticError: the task has no encoding.
        InternalError: a plan does not pass the verifier.
    """
    clock = TimeBudget(limits)
    hard = sum(i.applicable and i.constraint.hard for i in ground.instances)
    soft = sum(i.applicable and not i.constraint.hard for i in ground.instances)
    found = validate(ground, backends=("cpsat",), limits=clock.rest)
    search: dict[str, int | float] = {"seconds": round(found.unique.backends["cpsat"].seconds, 4)}
    for claim in (found.feasible.backends["cpsat"], found.unique.backends["cpsat"]):
        for name in ("booleans", "conflicts", "branches"):
            search[name] = search.get(name, 0) + claim.statistics.get(name, 0)
    made = Difficulty(
        found.feasible.status,
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
    if found.feasible.status == "unknown":
        return made
    try:
        with clock:
            lowered = lower(ground)
            if found.witness is None:
                return _infeasible(made, lowered, clock, thorough=second)
            made = replace(made, slack=slack(ground, reference or found.witness))
            plans = count(lowered, most=most, limits=clock.rest, second=second)
            made = replace(made, solutions=plans, by=plans.by, disagreement=plans.disagreement)
            made = replace(made, backbone=backbone(lowered, limits=clock.rest))
            made = replace(made, greedy=greedy_runs(lowered, limits=clock.rest))
    except LimitReachedError:
        return made
    return replace(made, finished=not clock.over)


def _infeasible(made: Difficulty, lowered: Lowered, clock: TimeBudget, *, thorough: bool) -> Difficulty:
    """The measures of a task without a plan, as a second back end confirms or refutes that."""
    look = second_look(lowered.problem, (), by="cpsat", clock=clock, thorough=thorough)
    if look.other is None or look.values is None:
        return replace(made, finished=True, by=look.by)
    opinions = Opinion("cpsat", "infeasible"), Opinion(look.other, "feasible", witness(lowered, look.values))
    return replace(made, feasible="unknown", by=(), disagreement=opinions)


def slack(ground: Ground, plan: Plan) -> tuple[Slack, ...]:
    """For each unit the satisfied hard constraint with the least margin; those without a margin are left out."""
    least: dict[str | None, tuple[Fraction, Slack]] = {}
    for finding in judge(ground, plan).findings:
        if finding.level != "hard" or finding.status != "satisfied" or finding.margin is None:
            continue
        size = Fraction(finding.margin)
        if finding.unit not in least or size < least[finding.unit][0]:
            least[finding.unit] = size, Slack(finding.constraint, finding.margin, finding.unit)
    return tuple(made for _, made in least.values())
