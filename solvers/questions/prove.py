"""Feasible, optimal, unique: asked of back ends, each witness judged by the verifier before it is believed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from planspec.dsl.model import task as tasks
from planspec.dsl.model.task import Task
from planspec.dsl.model.value_text import show
from planspec.dsl.resources.deadline import Reason, shielded
from planspec.dsl.resources.limits import INTERPRETING_STEPS
from planspec.errors import InternalError, LimitReached
from planspec.shown import Shown
from planspec.solvers.backends.outcome import Limits, Outcome, Status
from planspec.solvers.backends.protocol import Session, Watcher
from planspec.solvers.backends.register import PROVERS
from planspec.solvers.backends.register import backend as named_backend
from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.ir.nodes import TRUE, Bool, Linear
from planspec.solvers.ir.problem import LinearObjective, Rooted, RowVars
from planspec.solvers.lowering.problem import Lowered, lower
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.reductions.register import Question, reduced
from planspec.solvers.reductions.session import opened
from planspec.verifiers.answers.format import TABLES, PlanFormat, plain_json
from planspec.verifiers.meaning.ground import Ground
from planspec.verifiers.meaning.margin import unit_of
from planspec.verifiers.meaning.meter import Meter, OutOfSteps
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.plan_shape import shape_findings


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


@dataclass(frozen=True, slots=True)
class BackendClaim:
    """The claim of one back end.

    Attributes:
        seconds: wall-clock time until it was proved: lowering, encoding and the questions before it included.
        reason: which limit was reached, where the status is `unknown` for that.
    """

    status: str
    seconds: float
    version: str = ""
    statistics: Mapping[str, int] = field(default_factory=dict)
    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """The claim of every asked back end; `unknown` if one is undecided."""

    status: str
    backends: Mapping[str, BackendClaim]


@dataclass(frozen=True, slots=True)
class Validation(Shown):
    """A validation: whether a task has a plan, and only one.

    Attributes:
        witness: a plan, if there is one.
        second: another one, if one was found.
        best: the same of the plans that keep every soft constraint, too, and of the fields of `unique_best`; None where
            the task does not claim that, or nobody asked.
    """

    feasible: Claim
    unique: Claim
    witness: Plan | None
    second: Plan | None
    best: Validation | None = None

    def __repr__(self) -> str:
        claims = dict.fromkeys((self.feasible.status, self.unique.status))
        best = "" if self.best is None else f"; best {self.best.unique.status}"
        return f"<Validation: {', '.join(claims)}{best} ({', '.join(self.unique.backends)})>"


def solve(
    ground: Ground,
    *,
    backend: str = "cpsat",
    limits: Limits = Limits(),  # noqa: B008
    reduce: bool = True,
    told: Callable[[Level], None] | None = None,
) -> Solution:
    """A plan that satisfies the hard constraints, with the most soft weight, then the best objective.

    Args:
        ground: the task.
        backend: who searches.
        limits: hold for everything together, lowering and encoding included, the first import of the solver not.
        reduce: leave out values that others dominate; without, one of the plans is found that are as good as any.
        told: takes, while an objective is searched, its best value so far and its proved bound whenever one of them is
            better than before, from any thread. The plan of that value is not judged yet.

    Raises:
        DiagnosticError: the task has no encoding.
        InternalError: the back end's plan does not pass the verifier.
    """
    named_backend(backend)  # is imported before the task's time begins
    clock = TimeBudget(limits)
    total = sum(i.weight for i in ground.instances)

    def none_found(status: Status, reason: Reason | None) -> Solution:
        return Solution(ground.task, status, None, (), 0, total, backend, clock.seconds, reason)

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
    except LimitReached as limit:
        return none_found(Status.UNKNOWN, limit.reason)
    outcome = clock.ask(session, minimize=None if lost.is_constant else lost)
    if not outcome.found:
        return none_found(outcome.status, outcome.reason)
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
    return Solution(ground.task, status, plan, levels, total - missing, total, backend, clock.seconds, reason)


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
        LimitReached: a limit came first.
        InternalError: the back end's plan does not pass the verifier.
    """
    lowered = lower(ground)
    outcome = opened(backend, lowered.problem, limits).solve()
    if outcome.status is Status.UNKNOWN:
        raise LimitReached(outcome.reason or "time")
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
    except LimitReached as limit:
        return Outcome(Status.UNKNOWN, reason=limit.reason)


def _check_objectives(ground: Ground, plan: Plan, levels: Sequence[Level]) -> None:
    """The verifier's values of the objectives are those that the back end reached."""
    interpreter = ground.interpreter.on(plan)
    for level in levels:
        known = interpreter.value(level.of.expression, {})
        if known != (None if level.value is None else Fraction(level.value, level.scale)):
            raise InternalError("a back end's objective is not that of its plan", ground.task.hash)


def validate(
    ground: Ground,
    *,
    backends: Sequence[str] = PROVERS,
    limits: Limits = Limits(),  # noqa: B008
) -> Validation:
    """Validate a task: find a plan, and look for another one, by each back end on its own.

    Args:
        ground: the task.
        backends: who is asked, one after the other.
        limits: hold for everything together, lowering and encoding included, the first import of a solver not; each
            back end has an equal share of the seconds that those before it left.

    Raises:
        DiagnosticError: the task has no encoding.
        InternalError: a back end's plan does not pass the verifier, or two back ends contradict each other.
    """
    versions = {
        name: named_backend(name).version for name in backends
    }  # which imports them before the task's time begins
    clock = TimeBudget(limits)
    try:
        with clock:
            lowered = lower(ground)
    except LimitReached as limit:
        unknown = {
            n: BackendClaim("unknown", clock.seconds, v, reason=limit.reason) for n, v in versions.items()
        }
        return Validation(Claim("unknown", unknown), Claim("unknown", unknown), None, None)
    lowering_s = clock.seconds
    feasible: dict[str, BackendClaim] = {}
    unique: dict[str, BackendClaim] = {}
    found: Plan | None = None
    second: Plan | None = None
    for place, (name, version) in enumerate(versions.items()):
        first, other = _first_two(name, lowered, clock.share(len(versions) - place))
        if first.found:
            plan = witness(lowered, first.values)
            found = found or plan
            if other.found:
                another = witness(lowered, other.values)
                second = second or another
        feasible[name] = _claim(_feasible(first.status), first, lowering_s, version)
        unique[name] = _claim(_unique(first, other), other, lowering_s, version)
    agreed = Claim(_agreed([c.status for c in feasible.values()], ground.task), feasible)
    alone = Claim(_agreed([c.status for c in unique.values()], ground.task), unique)
    return Validation(agreed, alone, found, second)


def _first_two(name: str, lowered: Lowered, clock: TimeBudget) -> tuple[Outcome, Outcome]:
    """An assignment, and one that means another plan; their `seconds` count from the clock's start."""
    first = Outcome(Status.UNKNOWN)
    try:
        with clock:
            session = opened(name, lowered.problem, clock.limits)
            first = clock.ask(session)
            first = replace(first, seconds=clock.seconds)
            if not first.found:
                return first, first
            session.add(forbid(lowered, first.values), "another plan")
            other = clock.ask(session)
            return first, replace(other, seconds=clock.seconds)
    except LimitReached as limit:
        late = Outcome(Status.UNKNOWN, seconds=clock.seconds, reason=limit.reason)
        return first if first.found else late, late


def _claim(status: str, outcome: Outcome, lowering_s: float, version: str) -> BackendClaim:
    return BackendClaim(status, lowering_s + outcome.seconds, version, outcome.statistics, outcome.reason)


def _feasible(status: Status) -> str:
    return "feasible" if status is Status.OPTIMAL else status.value


def _unique(first: Outcome, other: Outcome) -> str:
    if not first.found:
        return first.status.value
    return {Status.INFEASIBLE: "unique", Status.UNKNOWN: "unknown"}.get(other.status, "multiple")


def _agreed(statuses: Sequence[str], task: Task) -> str:
    decided = {status for status in statuses if status != "unknown"}
    if len(decided) > 1:
        raise InternalError(f"the back ends contradict each other: {', '.join(sorted(decided))}", task.hash)
    return "unknown" if "unknown" in statuses else next(iter(decided), "unknown")


def witness(lowered: Lowered, values: Mapping[int, int]) -> Plan:
    """The plan of an assignment, after the verifier has accepted it.

    Raises:
        InternalError: it has not.
    """
    plan = lowered.decode(values)
    with shielded():
        wrong = refusal(lowered.ground, plan)
    if wrong is not None:
        raise InternalError(f"a back end's plan is refused: {wrong}", lowered.ground.task.hash)
    return plan


def refusal(ground: Ground, plan: Plan) -> str | None:
    """Why the verifier refuses a plan, by the first constraint or fault of shape; None if it accepts it."""
    violated = _violated(ground, plan)
    if violated is not None:
        return f"it violates `{violated}`"
    wrong = next(iter(shape_findings(ground, plan)), None)
    return None if wrong is None else f"it has the wrong shape: {wrong.message}"


def _violated(ground: Ground, plan: Plan) -> str | None:
    """A hard constraint that a plan violates: by the interpreter, and where that takes too long by compiled code."""
    with suppress(OutOfSteps):
        interpreter = ground.interpreter.on(plan, Meter(INTERPRETING_STEPS))
        hard = (i for i in ground.instances if i.applicable and i.constraint.hard)
        return next((i.id for i in hard if not interpreter.holds(i.constraint.body, i.env)), None)
    from planspec.verifiers.compiled.compile import compile_task

    statuses = zip(ground.instances, compile_task(ground).judge(plan), strict=True)
    return next((i.id for i, holds in statuses if i.constraint.hard and holds is False), None)


def forbid(lowered: Lowered, values: Mapping[int, int]) -> Bool:
    """The condition that a plan differs from the one of `values`."""
    found: dict[str, list[tuple[int, ...]]] = {}
    for row in lowered.problem.compared:
        codes = found.setdefault(row.table, [])
        if evaluate(row.present, values):
            codes.append(tuple(evaluate(row.fields[c], values) for c in lowered.problem.identity[row.table]))
    return _forbid(lowered, found)


def forbid_plan(lowered: Lowered, plan: Plan) -> Bool | None:
    """The condition that a plan differs from this one; None where this one is not in the search.

    Only what tells plans apart counts, so times of an answer that are off the scope's grid are no matter where
    `unique` leaves them out.
    """
    found = _codes(lowered, plan)
    if any(len(codes) > len(lowered.ground.rows[table]) for table, codes in found.items()):
        return None
    different = _forbid(lowered, found)
    return None if different is TRUE else different


def apart(lowered: Lowered, plan: Plan) -> Linear:
    """The number of rows of an assignment's plan that this plan lacks, and of its own that are missing there."""
    model = lowered.problem.model
    rows = list(_against(lowered, plan))
    foreign = (model.conj((row.present, model.negate(model.disj(same)))) for row, same in rows)
    missing = (
        model.negate(model.disj(same[place] for row, same in rows if row.table == table))
        for table, codes in _codes(lowered, plan).items()
        for place in range(len(codes))
    )
    return model.sum(model.indicator(x) for x in (*foreign, *missing))


def beside(lowered: Lowered, plan: Plan, values: Mapping[int, int]) -> Bool:
    """The condition that no row is one of those which the plan of `values` has and this plan has not.

    Where there are none, that the plan is another one than that of `values`.
    """
    model, problem = lowered.problem.model, lowered.problem
    new: dict[str, set[tuple[int, ...]]] = {}
    for row, same in _against(lowered, plan):
        if evaluate(row.present, values) and not any(evaluate(x, values) for x in same):
            columns = problem.identity[row.table]
            new.setdefault(row.table, set()).add(tuple(evaluate(row.fields[c], values) for c in columns))
    if not new:
        return forbid(lowered, values)
    return model.negate(
        model.disj(
            has_identity(lowered, row, problem.identity[row.table], codes)
            for row in problem.rows
            for codes in sorted(new.get(row.table, ()))
        )
    )


def _against(lowered: Lowered, plan: Plan) -> Iterator[tuple[RowVars, list[Bool]]]:
    """Each row of the search, with when it is each of the plan's rows of its table."""
    codes = _codes(lowered, plan)
    for row in lowered.problem.compared:
        columns = lowered.problem.identity[row.table]
        yield row, [has_identity(lowered, row, columns, found) for found in codes[row.table]]


def _codes(lowered: Lowered, plan: Plan) -> dict[str, list[tuple[int, ...]]]:
    """The codes that tell the plan's rows apart, by table."""
    coding, identity = lowered.coding, lowered.problem.identity
    return {
        table: [
            tuple(coding.code(table, c, getattr(row, c)) for c in identity[table])
            for row in plan.tables[table]
        ]
        for table in identity
    }


def _forbid(lowered: Lowered, found: Mapping[str, Sequence[tuple[int, ...]]]) -> Bool:
    """For some table the multiset of rows is another one.

    A plan is the same if each table has as many rows, and for each row of the found plan as many rows
    with its identity.
    """
    problem, model = lowered.problem, lowered.problem.model
    same: list[Bool] = []
    by_table: dict[str, list[RowVars]] = {}
    for row in problem.compared:
        by_table.setdefault(row.table, []).append(row)
    for table, rows in by_table.items():
        columns = problem.identity[table]
        counts = Counter(found[table])
        present = len(found[table])
        if any(row.present is not TRUE for row in rows):
            same.append(model.is_zero(_count(lowered, [row.present for row in rows], present)))
        fixed = len(rows) == present and all(row.present is TRUE for row in rows)
        if fixed and len(rows) == 1:
            same.append(has_identity(lowered, rows[0], columns, next(iter(counts))))
            continue
        for codes, count in counts.items():
            same.append(
                model.is_zero(
                    _count(lowered, [has_identity(lowered, row, columns, codes) for row in rows], count)
                )
            )
    return model.negate(model.conj(same))


def has_identity(lowered: Lowered, row: RowVars, columns: Sequence[str], codes: Sequence[int]) -> Bool:
    """The condition that a row is there and has these codes in these columns."""
    model = lowered.problem.model
    parts = [
        model.is_zero(model.minus(row.fields[c], model.constant(code)))
        for c, code in zip(columns, codes, strict=True)
    ]
    return model.conj((row.present, *parts))


def _count(lowered: Lowered, conditions: Sequence[Bool], count: int) -> Linear:
    model = lowered.problem.model
    return model.minus(model.sum(model.indicator(c) for c in conditions), model.constant(count))
