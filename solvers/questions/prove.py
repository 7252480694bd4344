"""The search for the best plan. A back end finds the plan, and the verifier judges it before it is returned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from planspec.dsl.model import task as tasks
from planspec.dsl.model.task import Task
from planspec.dsl.model.value_text import show
from planspec.dsl.resources.deadline import shielded
from planspec.errors import InternalError, LimitReachedError, Reason
from planspec.shown import NotebookValue
from planspec.solvers.backends.outcome import Limits, Outcome, Status
from planspec.solvers.backends.protocol import Session, Watcher
from planspec.solvers.backends.register import backend as named_backend
from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.ir.nodes import TRUE, Bool
from planspec.solvers.ir.problem import LinearObjective, Rooted
from planspec.solvers.lowering.problem import Lowered, lower
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.improvement import better_than
from planspec.solvers.questions.second_look import Opinion, second_look
from planspec.solvers.questions.witness import witness
from planspec.solvers.reductions.register import Question, apply_reductions
from planspec.solvers.reductions.session import open_session
from planspec.verifiers.answers.format import TABLES, PlanFormat, plain_json
from planspec.verifiers.meaning.ground import Ground
from planspec.verifiers.meaning.margin import unit_of
from planspec.verifiers.meaning.plan_rows import Plan


@dataclass(frozen=True, slots=True)
class Level:
    """The value and the proved bound of one objective; objectives are optimised one after the other.

    Attributes:
        objective: objective of the task.
        value: value of the objective times `scale`; None if the plan has no value. A plan without a value ranks below
            every plan with one. If `value` is None and the solution is OPTIMAL, no plan that is as good in the earlier
            objectives has a value.
        bound: proved bound on the objective times `scale`, for all plans that are as good in the earlier objectives;
            None if there is no bound.
        scale: positive factor by which values and bounds are multiplied to make them integers.
    """

    objective: tasks.Objective = field(repr=False)
    value: int | None
    bound: int | None
    scale: int

    def in_words(self, amount: int, currency: str | None) -> str:
        """Return a value or bound in the notation of the planning language, such as `7359.00 EUR`.

        Args:
            amount: value or bound times `scale`.
            currency: currency of the task's amounts of money; None if it has none.
        """
        return show(Fraction(amount, self.scale), self.objective.expression.type, currency)

    def progress_text(self, currency: str | None) -> str:
        """Return the value and bound so far, such as `best 1140.00 USD, at least 1020.00 USD proved`.

        `currency` is the currency of amounts of money; None if there is none.
        """
        parts = [] if self.value is None else [f"best {self.in_words(self.value, currency)}"]
        if self.bound is not None:
            limit = "at most" if self.objective.maximize else "at least"
            parts.append(f"{limit} {self.in_words(self.bound, currency)} proved")
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Solution(NotebookValue):
    """The result of a search for a task's best plan.

    Attributes:
        task: the task.
        status: OPTIMAL if it is proved that no plan satisfies soft constraints of more total weight, or of the same
            weight and with better objectives.
        plan: the best plan found; None if none was found.
        levels: value and bound of each objective, in order.
        soft_weight: total weight of the satisfied soft constraints.
        soft_total: total weight of all soft constraints.
        backend: name of the back end that searched.
        by: back ends that prove the status: `backend`, and a second one if it was consulted and agrees.
        disagreement: answers of two back ends that contradict each other; then the status is UNKNOWN and
            `plan` is None.
        seconds: wall-clock time in seconds, including the translation for solvers.
        effort: units of work done by the back ends; see `Limits.effort`.
        reason: limit that was reached before everything was proved; None if everything was proved.
        format: format in which `answer` encodes the plan.
        remark: sentence about the plan for display; None if there is none.
    """

    task: Task = field(repr=False)
    status: Status
    plan: Plan | None
    levels: tuple[Level, ...]
    soft_weight: int
    soft_total: int
    backend: str
    seconds: float
    reason: Reason | None = None
    format: PlanFormat = field(default=TABLES, repr=False, compare=False)
    by: tuple[str, ...] = ()
    disagreement: tuple[Opinion, ...] = ()
    remark: str | None = field(default=None, repr=False, compare=False)
    effort: float = field(default=0.0, repr=False, compare=False)

    def __repr__(self) -> str:
        return f"<Solution {self}>"

    @property
    def objective(self) -> int | None:
        """The first objective's value times `scale`; None if there is no objective, no plan or no value."""
        return self.levels[0].value if self.levels else None

    @property
    def bound(self) -> int | None:
        """The proved bound on the first objective times `scale`; None if there is none."""
        return self.levels[0].bound if self.levels else None

    @property
    def scale(self) -> int:
        """The first objective's scale: `objective` is its value times this factor."""
        return self.levels[0].scale if self.levels else 1

    @property
    def answer(self) -> Any:
        """The plan as JSON data in the answer format `format`; None if there is no plan."""
        return None if self.plan is None else plain_json(self.format.encode(self.task, self.plan))

    @property
    def unit(self) -> str | None:
        """The unit of `value`, such as `min` or `1/100 EUR`; None if there is no objective."""
        objective = self.task.objective
        return None if objective is None else unit_of(objective.expression.type, self.task.currency)

    @property
    def value(self) -> Fraction | None:
        """The first objective's value in `unit`; None if there is no objective, no plan or no value."""
        return None if self.objective is None else Fraction(self.objective, self.scale)

    def in_words(self, amount: int) -> str:
        """Return an amount of the first objective in the planning language, such as `7359.00 EUR`.

        Args:
            amount: `objective` or `bound` of this solution. The solution must have a plan, and its task an objective.
        """
        return self.levels[0].in_words(amount, self.task.currency)

    def values_in_words(self) -> tuple[str, ...]:
        """Return the value of each objective in the planning language; `none` if the plan has no value."""
        return tuple(
            "none" if level.value is None else level.in_words(level.value, self.task.currency) for level in self.levels
        )

    def __str__(self) -> str:
        parts = [f"{self.task.id}: {self.status.value}"]
        if self.plan is not None and self.soft_total:
            parts.append(f"soft weight {self.soft_weight}/{self.soft_total}")
        if self.objective is not None:
            parts.append(f"objective {', then '.join(self.values_in_words())}")
        return ", ".join(parts)


def solve(
    ground: Ground,
    *,
    backend: str = "cpsat",
    limits: Limits = Limits(),  # noqa: B008
    reduce: bool = True,
    on_progress: Callable[[Level], None] | None = None,
    second: bool = False,
    lowering: Callable[[Ground], Lowered] | None = None,
) -> Solution:
    """Find a plan that satisfies all hard constraints, with maximum soft weight and, on a tie, the best objectives.

    The soft weight is the total weight of the soft constraints that the plan satisfies.

    Args:
        ground: the task.
        backend: name of the back end that searches.
        limits: limits on everything together, including the translation for solvers. Importing the solver does not
            count.
        reduce: whether to remove dominated values. The result may then be a different one of several equally good
            plans.
        on_progress: called from any thread whenever the best value or the proved bound of an objective
            improves. The plan with that value has not been judged yet.
        second: whether a second back end may use all the remaining time to confirm the result. By default it is
            consulted only if that takes little time; see `planspec.solvers.questions.second_look`.
        lowering: function that translates the task into a problem for solvers; None translates it anew. Pass the same
            `SharedLowering`, which caches its results, to all functions that need the problem of this task.

    Raises:
        DiagnosticError: part of the task cannot be encoded for solvers.
        InternalError: the back end's plan does not pass the verifier.
    """
    named_backend(backend)  # imports the solver before the clock starts
    clock = TimeBudget(limits)
    total = sum(i.weight for i in ground.instances)

    def without_plan(status: Status, reason: Reason | None) -> Solution:
        by = (backend,)
        return Solution(
            ground.task, status, None, (), 0, total, backend, clock.seconds, reason, by=by, effort=clock.effort
        )

    try:
        with clock:
            lowered = (lowering or lower)(ground)
            problem = apply_reductions(lowered.problem, Question.BEST) if reduce else lowered.problem
            model = lowered.problem.model
            session = open_session(backend, problem, limits)
            lost = model.sum(
                model.scale(model.minus(model.constant(1), model.indicator(root.condition)), weight)
                for root, weight in problem.soft
            )
    except LimitReachedError as limit:
        return without_plan(Status.UNKNOWN, limit.reason)
    outcome = clock.ask(session, minimize=None if lost.is_constant else lost)
    if not outcome.found:
        solution = without_plan(outcome.status, outcome.reason)
        if solution.status is Status.INFEASIBLE:
            solution = _cross_check(solution, lowered, (), clock, thorough=second)
        return solution
    reason = outcome.reason
    status = Status.OPTIMAL if lost.is_constant else outcome.status
    lost_weight = lost.constant if lost.is_constant else outcome.objective or 0
    best = outcome
    conditions: tuple[Bool, ...] = (model.at_most_zero(model.minus(lost, model.constant(lost_weight))),)
    bounds: list[int | None] = []
    for number, objective in enumerate(problem.objectives, 1):
        last = number == len(problem.objectives)
        if on_progress is not None:
            session.watcher = _make_watcher(ground.task.objectives[number - 1], objective, on_progress)
        better = _best_assignment(session, clock, conditions, objective, best, last=last)
        session.watcher = None
        reason = reason or better.reason
        if better.found:
            best = better
        bounds.append(better.bound)
        proved = Status.OPTIMAL if better.found else Status.INFEASIBLE  # INFEASIBLE: no plan has a value
        if better.status is not proved and status is Status.OPTIMAL:
            status = Status.FEASIBLE
        conditions = () if last else _conditions_to_keep(model, objective, best)
    plan = witness(lowered, best.values)
    levels = tuple(
        _make_level(declared, objective, bound, best)
        for declared, objective, bound in zip(ground.task.objectives, problem.objectives, bounds, strict=True)
    )
    with shielded():
        _check_objectives(ground, plan, levels)
    solution = Solution(
        ground.task,
        status,
        plan,
        levels,
        total - lost_weight,
        total,
        backend,
        clock.seconds,
        reason,
        by=(backend,),
        effort=clock.effort,
    )
    if status is Status.OPTIMAL and (levels or problem.soft):
        values = [None if level.value is None else Fraction(level.value, level.scale) for level in levels]
        solution = _cross_check(solution, lowered, (better_than(lowered, lost_weight, values),), clock, thorough=second)
    return solution


def _cross_check(
    solution: Solution, lowered: Lowered, conditions: Sequence[Bool], clock: TimeBudget, *, thorough: bool
) -> Solution:
    """Let a second back end confirm a solution, and return the solution with all back ends that prove it.

    The second back end searches for a plan that refutes the solution: one that satisfies `conditions`, for example a
    better plan. The solution is confirmed if there is none.

    Return a solution with the status UNKNOWN if the second back end disagrees.
    """
    look = second_look(lowered.problem, conditions, by=solution.backend, clock=clock, thorough=thorough)
    if look.other is None or look.values is None:
        return replace(solution, by=look.by, seconds=clock.seconds, effort=clock.effort)
    plan = witness(lowered, look.values)
    opinions = (
        Opinion(solution.backend, solution.status.value, solution.plan, solution.bound),
        Opinion(look.other, Status.FEASIBLE.value, plan),
    )
    return replace(
        solution,
        status=Status.UNKNOWN,
        plan=None,
        levels=(),
        soft_weight=0,
        seconds=clock.seconds,
        effort=clock.effort,
        by=(),
        disagreement=opinions,
    )


def any_plan(
    ground: Ground,
    *,
    backend: str = "cpsat",
    limits: Limits = Limits(),  # noqa: B008
) -> Plan | None:
    """Return any plan in scope that satisfies the hard constraints; None if there is none.

    Args:
        ground: the task.
        backend: name of the back end that searches.
        limits: limits on the search. Translating the task for solvers does not count.

    Raises:
        DiagnosticError: part of the task cannot be encoded for solvers.
        LimitReachedError: a limit was reached first.
        InternalError: the back end's plan does not pass the verifier.
    """
    lowered = lower(ground)
    outcome = open_session(backend, lowered.problem, limits).solve()
    if outcome.status is Status.UNKNOWN:
        raise LimitReachedError(outcome.reason or "time")
    return witness(lowered, outcome.values) if outcome.found else None


def _conditions_to_keep(model: NodeBuilder, objective: LinearObjective, best: Outcome) -> tuple[Bool, ...]:
    """Return conditions that keep an objective at its best value while later objectives are optimised.

    Return no conditions if the objective has no value in the best assignment.
    """
    if not evaluate(objective.defined, best.values):
        return ()
    value = model.constant(evaluate(objective.linear, best.values))
    return objective.defined, model.at_most_zero(model.minus(objective.linear, value))


def _make_level(declared: tasks.Objective, objective: LinearObjective, bound: int | None, best: Outcome) -> Level:
    if not evaluate(objective.defined, best.values):
        return Level(declared, None, None, objective.scale)
    sign = -1 if objective.maximize else 1
    value = sign * evaluate(objective.linear, best.values)
    return Level(declared, value, None if bound is None else sign * bound, objective.scale)


def _make_watcher(
    declared: tasks.Objective, objective: LinearObjective, on_progress: Callable[[Level], None]
) -> Watcher:
    """Return a callback for back ends that reports progress as values of the task's objective."""
    sign = -1 if objective.maximize else 1

    def report(value: int | None, bound: int) -> None:
        on_progress(Level(declared, None if value is None else sign * value, sign * bound, objective.scale))

    return report


def _best_assignment(
    session: Session,
    clock: TimeBudget,
    conditions: Sequence[Bool],
    objective: LinearObjective,
    start: Outcome,
    *,
    last: bool,
) -> Outcome:
    """Minimise an objective over the assignments that satisfy `conditions` and give the objective a value.

    The conditions are added to the session permanently. The condition that the objective has a value is permanent only
    for the last objective. For other objectives it is an assumption, because later objectives may have to be minimised
    without it. The search starts with the assignment in `start`.
    """
    defined = objective.defined
    try:
        with clock:
            for condition in (*conditions, *((defined,) if last else ())):
                if condition is not TRUE:
                    session.add(condition)
            assumed = [] if last or defined is TRUE else [Rooted(defined, "objective")]
            return clock.ask(session, assumptions=assumed, minimize=objective.linear, hint=start.values)
    except LimitReachedError as limit:
        return Outcome(Status.UNKNOWN, reason=limit.reason)


def _check_objectives(ground: Ground, plan: Plan, levels: Sequence[Level]) -> None:
    """Raise InternalError if the verifier's values of the objectives differ from the back end's."""
    interpreter = ground.interpreter.on(plan)
    for level in levels:
        value = interpreter.value(level.objective.expression, {})
        if value != (None if level.value is None else Fraction(level.value, level.scale)):
            raise InternalError("a back end's objective is not that of its plan", ground.task.hash)
