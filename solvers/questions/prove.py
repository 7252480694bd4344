"""The best plan: asked of a back end, and judged by the verifier before it is believed."""

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
from planspec.shown import Shown
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
from planspec.solvers.reductions.register import Question, reduced
from planspec.solvers.reductions.session import opened
from planspec.verifiers.answers.format import TABLES, PlanFormat, plain_json
from planspec.verifiers.meaning.ground import Ground
from planspec.verifiers.meaning.margin import unit_of
from planspec.verifiers.meaning.plan_rows import Plan


@dataclass(frozen=True, slots=True)
class Level:
    """The value of an objective and its bound.

    Attributes:
        of: the task's.
        value: the objective's value times `scale`; None if the plan has none. Such a plan comes after all that have
            one: if the solution is OPTIMAL, none that is the best by what comes before has a value.
        bound: what no plan can beat that is the best by what comes before, likewise.
    """

    of: tasks.Objective = field(repr=False)
    value: int | None
    bound: int | None
    scale: int

    def in_words(self, amount: int, currency: str | None) -> str:
        """A value or bound as the language writes it, such as `7359.00 EUR`."""
        return show(Fraction(amount, self.scale), self.of.expression.type, currency)

    def known(self, currency: str | None) -> str:
        """What is known so far, such as `best 1140.00 USD, at least 1020.00 USD proved`."""
        said = [] if self.value is None else [f"best {self.in_words(self.value, currency)}"]
        if self.bound is not None:
            least = "at most" if self.of.maximize else "at least"
            said.append(f"{least} {self.in_words(self.bound, currency)} proved")
        return ", ".join(said)


@dataclass(frozen=True, slots=True)
class Solution(Shown):
    """The best plan that was found.

    Attributes:
        task: whose plan it is.
        status: OPTIMAL: no plan has more soft weight, and none of those a better objective.
        levels: what each objective has come to, in order.
        soft_weight: the weight of the soft constraints that the plan satisfies, of `soft_total`.
        by: the back ends that prove the status: `backend`, and a second one if it looked again and agrees.
        disagreement: where two back ends contradict each other, the answer of each; then the status is UNKNOWN and
            `plan` is None.
        seconds: wall-clock time spent, lowering and encoding included.
        reason: which limit was reached, where one was before everything was proved.
        format: in which `answer` is written: the family's, where the caller knows it.
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

    def __repr__(self) -> str:
        return f"<Solution {self}>"

    @property
    def objective(self) -> int | None:
        """The first objective's value times `scale`; None without one, or where the plan has no value of it."""
        return self.levels[0].value if self.levels else None

    @property
    def bound(self) -> int | None:
        """The bound that no plan's first objective can beat, likewise."""
        return self.levels[0].bound if self.levels else None

    @property
    def scale(self) -> int:
        """The first objective's scale."""
        return self.levels[0].scale if self.levels else 1

    @property
    def answer(self) -> Any:
        """The plan as JSON data, an answer in the format; None without a plan."""
        return None if self.plan is None else plain_json(self.format.encode(self.task, self.plan))

    @property
    def unit(self) -> str | None:
        """The unit of `value`: min, d, m, 1, or a part of the currency such as 1/100 EUR; None without an objective."""
        of = self.task.objective
        return None if of is None else unit_of(of.expression.type, self.task.currency)

    @property
    def value(self) -> Fraction | None:
        """The objective's value in `unit`; None without an objective, or without a plan."""
        return None if self.objective is None else Fraction(self.objective, self.scale)

    def in_words(self, amount: int) -> str:
        """An amount of the objective as the language writes it, such as `7359.00 EUR`.

        Args:
            amount: `objective` or `bound`, of a task with an objective.
        """
        return self.levels[0].in_words(amount, self.task.currency)

    def values_in_words(self) -> tuple[str, ...]:
        """The value of each objective as the language writes it; `none` where the plan has none."""
        return tuple(
            "none" if level.value is None else level.in_words(level.value, self.task.currency)
            for level in self.levels
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
    told: Callable[[Level], None] | None = None,
    second: bool = False,
) -> Solution:
    """A plan that satisfies the hard constraints, with the most soft weight, then the best objective.

    Args:
        ground: the task.
        backend: who searches.
        limits: hold for everything together, lowering and encoding included, the first import of the solver not.
        reduce: leave out values that others dominate; without, one of the plans is found that are as good as any.
        told: takes, while an objective is searched, its best value so far and its proved bound whenever one of them is
            better than before, from any thread. The plan of that value is not judged yet.
        second: a second back end may take all the time that is left to confirm the result; without, see
            `planspec.solvers.questions.second_look`.

    Raises:
        DiagnosticError: the task has no encoding.
        InternalError: the back end's plan does not pass the verifier.
    """
    named_backend(backend)  # is imported before the task's time begins
    clock = TimeBudget(limits)
    total = sum(i.weight for i in ground.instances)

    def none_found(status: Status, reason: Reason | None) -> Solution:
        return Solution(
            ground.task, status, None, (), 0, total, backend, clock.seconds, reason, by=(backend,)
        )

    try:
        with clock:
            lowered = lower(ground)
            problem = reduced(lowered.problem, Question.BEST) if reduce else lowered.problem
            model = lowered.problem.model
            session = opened(backend, problem, limits)
            lost = model.sum(
                model.scale(model.minus(model.constant(1), model.indicator(root.condition)), weight)
                for root, weight in problem.soft
            )
    except LimitReachedError as limit:
        return none_found(Status.UNKNOWN, limit.reason)
    outcome = clock.ask(session, minimize=None if lost.is_constant else lost)
    if not outcome.found:
        made = none_found(outcome.status, outcome.reason)
        if made.status is Status.INFEASIBLE:
            made = _confirmed(made, lowered, (), clock, thorough=second)
        return made
    reason = outcome.reason
    status = Status.OPTIMAL if lost.is_constant else outcome.status
    missing = lost.constant if lost.is_constant else outcome.objective or 0
    best = outcome
    held: tuple[Bool, ...] = (model.at_most_zero(model.minus(lost, model.constant(missing))),)
    bounds: list[int | None] = []
    for number, objective in enumerate(problem.objectives, 1):
        last = number == len(problem.objectives)
        if told is not None:
            session.watcher = _watcher(ground.task.objectives[number - 1], objective, told)
        better = _among(session, clock, held, objective, best, last=last)
        session.watcher = None
        reason = reason or better.reason
        if better.found:
            best = better
        bounds.append(better.bound)
        settled = Status.OPTIMAL if better.found else Status.INFEASIBLE  # no plan has a value
        if better.status is not settled and status is Status.OPTIMAL:
            status = Status.FEASIBLE
        held = () if last else _reached(model, objective, best)
    plan = witness(lowered, best.values)
    levels = tuple(
        _level(of, objective, bound, best)
        for of, objective, bound in zip(ground.task.objectives, problem.objectives, bounds, strict=True)
    )
    with shielded():
        _check_objectives(ground, plan, levels)
    made = Solution(
        ground.task,
        status,
        plan,
        levels,
        total - missing,
        total,
        backend,
        clock.seconds,
        reason,
        by=(backend,),
    )
    if status is Status.OPTIMAL and (levels or problem.soft):
        values = [None if level.value is None else Fraction(level.value, level.scale) for level in levels]
        made = _confirmed(made, lowered, (better_than(lowered, missing, values),), clock, thorough=second)
    return made


def _confirmed(
    made: Solution, lowered: Lowered, conditions: Sequence[Bool], clock: TimeBudget, *, thorough: bool
) -> Solution:
    """The solution with all back ends that prove it, or as undecided if a second one disagrees."""
    look = second_look(lowered.problem, conditions, by=made.backend, clock=clock, thorough=thorough)
    if look.other is None or look.values is None:
        return replace(made, by=look.by, seconds=clock.seconds)
    found = witness(lowered, look.values)
    opinions = (
        Opinion(made.backend, made.status.value, made.plan, made.bound),
        Opinion(look.other, Status.FEASIBLE.value, found),
    )
    return replace(
        made, status=Status.UNKNOWN, plan=None, levels=(), soft_weight=0, seconds=clock.seconds,
        by=(), disagreement=opinions,
    )  # fmt: skip


def any_plan(
    ground: Ground,
    *,
    backend: str = "cpsat",
    limits: Limits = Limits(),  # noqa: B008
) -> Plan | None:
    """A plan that satisfies the hard constraints, be it good or bad; None if there is none in scope.

    Args:
        ground: the task.
        backend: who searches.
        limits: of the search, lowering not included.

    Raises:
        DiagnosticError: the task has no encoding.
        LimitReachedError: a limit came first.
        InternalError: the back end's plan does not pass the verifier.
    """
    lowered = lower(ground)
    outcome = opened(backend, lowered.problem, limits).solve()
    if outcome.status is Status.UNKNOWN:
        raise LimitReachedError(outcome.reason or "time")
    return witness(lowered, outcome.values) if outcome.found else None


def _reached(model: NodeBuilder, objective: LinearObjective, best: Outcome) -> tuple[Bool, ...]:
    """The conditions that keep an objective at its value; none if it has no value."""
    if not evaluate(objective.defined, best.values):
        return ()
    value = model.constant(evaluate(objective.linear, best.values))
    return objective.defined, model.at_most_zero(model.minus(objective.linear, value))


def _level(of: tasks.Objective, objective: LinearObjective, bound: int | None, best: Outcome) -> Level:
    """The level of an objective on the best assignment."""
    if not evaluate(objective.defined, best.values):
        return Level(of, None, None, objective.scale)
    sign = -1 if objective.maximize else 1
    value = sign * evaluate(objective.linear, best.values)
    return Level(of, value, None if bound is None else sign * bound, objective.scale)


def _watcher(of: tasks.Objective, objective: LinearObjective, told: Callable[[Level], None]) -> Watcher:
    """Tells of an objective in the task's own sense what is known of the linear form that is minimised."""
    sign = -1 if objective.maximize else 1

    def watch(value: int | None, bound: int) -> None:
        told(Level(of, None if value is None else sign * value, sign * bound, objective.scale))

    return watch


def _among(
    session: Session,
    clock: TimeBudget,
    held: Sequence[Bool],
    objective: LinearObjective,
    start: Outcome,
    *,
    last: bool,
) -> Outcome:
    """The best assignment, by an objective, of those that meet some conditions and have a value.

    That there is a value is a condition from now on only for the last objective: of the others there may be none.
    """
    defined = objective.defined
    try:
        with clock:
            for condition in (*held, *((defined,) if last else ())):
                if condition is not TRUE:
                    session.add(condition)
            assumed = [] if last or defined is TRUE else [Rooted(defined, "objective")]
            return clock.ask(session, assumptions=assumed, minimize=objective.linear, hint=start.values)
    except LimitReachedError as limit:
        return Outcome(Status.UNKNOWN, reason=limit.reason)


def _check_objectives(ground: Ground, plan: Plan, levels: Sequence[Level]) -> None:
    """The verifier's values of the objectives are those that the back end reached."""
    interpreter = ground.interpreter.on(plan)
    for level in levels:
        known = interpreter.value(level.of.expression, {})
        if known != (None if level.value is None else Fraction(level.value, level.scale)):
            raise InternalError("a back end's objective is not that of its plan", ground.task.hash)
