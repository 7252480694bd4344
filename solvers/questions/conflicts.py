"""Reasons why a task has no plan: minimal conflicts among its rules and bounds, and the cheapest relaxations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.model.value_text import show_key
from planspec.errors import LimitReachedError
from planspec.shown import NotebookValue
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.backends.register import backend as named_backend
from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.ir.nodes import TRUE, Bool
from planspec.solvers.ir.problem import LinearObjective, Problem, Rooted
from planspec.solvers.lowering.decision_rows import is_in_domain
from planspec.solvers.lowering.problem import Lowered, lower
from planspec.solvers.questions.amounts import (
    Amount,
    Shortage,
    amount_in,
    amount_of,
    shortage_of,
    shortage_of_bound,
)
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.cores import Subset, SubsetOracle, marco
from planspec.solvers.questions.relaxed_scope import ColumnBound, widen
from planspec.solvers.questions.second_look import Opinion, second_look
from planspec.solvers.questions.witness import witness
from planspec.solvers.reductions.register import Question, apply_reductions
from planspec.solvers.reductions.session import open_session
from planspec.verifiers.meaning.ground import Ground, Instance
from planspec.verifiers.meaning.static_text import static_text

MAX_RELAXATIONS = 20
"""Maximum number of cheapest relaxations (sets of rules and bounds to drop) that are reported."""
FIRST_CORE_DIVISOR = 4
"""The search for the first unsat core may take the remaining time divided by this number."""
AMOUNTS_S = 2.0
"""Minimum time limit in seconds for computing the amounts by which dropped rules must be violated.

If the search for conflicts took longer than this, amounts may take as long as that search.
"""
SHAPE = "plan:"
"""Prefix of the ids of conditions on the keys and the number of a table's rows, such as `plan:visits`."""


MemberLevel: TypeAlias = Literal["hard", "bound", "background"]
"""Kind of a rule or bound in a conflict; see `Member.level`."""


@dataclass(frozen=True, slots=True)
class Member:
    """A rule or bound that may be part of a conflict.

    Attributes:
        id: id of the member: `slot[pergamon]` for an instance of the constraint `slot` (for one binding of its
            variables), `scope:TABLE.FIELD` for a bound (a limit that the scope sets on the values of a plan's column),
            or `plan:TABLE` for the condition on the keys and the number of a table's rows.
        span: place of the rule in the task's text.
        instance: instance of a constraint; None for a bound and for a condition on a table's rows.
        weight: cost of dropping the member.
        level: `hard` for an instance of a constraint, or `background` if the constraint is marked `background: true`,
            because it describes the world; `bound` for a bound; `background` for a condition on a table's rows. Members
            with the level `background` are never dropped.
        text: statement of the rule, in the author's words if there are any.
        message: message that reports a violation; None if its text depends on the plan.
    """

    id: str
    span: Span
    instance: Instance | None = None
    weight: int = 1
    level: MemberLevel = "hard"
    text: str = ""
    message: str | None = None

    def __repr__(self) -> str:
        return f"<Member {self.id}: {self.level}, weight {self.weight}>"


@dataclass(frozen=True, slots=True)
class Relaxation:
    """A minimal set of rules and bounds (members of conflicts) whose removal makes the task feasible.

    Attributes:
        drop: members to drop.
        weight: total weight of the members.
        amounts: for each member, the minimum amount by which it must be violated if each earlier member is violated by
            at most its own amount. None for a member that is not an inequality, or if no amount was found in time.
    """

    drop: tuple[Member, ...]
    weight: int
    amounts: tuple[Amount | None, ...] = ()

    def __repr__(self) -> str:
        return f"<Relaxation without {', '.join(member.id for member in self.drop)}: weight {self.weight}>"


@dataclass(frozen=True, slots=True)
class Conflict(NotebookValue):
    """The reasons why a task has no plan, as far as they were found.

    Attributes:
        status: INFEASIBLE, FEASIBLE (there is a plan), or UNKNOWN.
        mus_sets: minimal conflicts. The members of a conflict (rules and bounds) cannot hold together, but any proper
            subset of them can. Background rules, which are never dropped, belong to no conflict. But if they alone
            allow no plan, `mus_sets` has one conflict, which consists of background rules.
        complete: whether `mus_sets` has all minimal conflicts.
        relaxations: the cheapest relaxations; empty if time ran out before they were proved the cheapest.
        relaxed: whether `relaxations`, which has at most 20 members, has all cheapest relaxations.
        core: members that include a conflict, if no minimal conflict was proved in time; else empty.
        seconds: wall-clock time spent.
        asked: number of queries to the back end.
        by: names of the back ends that prove the conflicts or, if there is no conflict, that there is no plan. They are
            the back end that searched, and a second one if it was consulted and agrees. Assignments show that the
            conflicts are minimal. Only the first back end proves that the relaxations are the cheapest.
        disagreement: two answers that contradict each other; then the status is UNKNOWN.
    """

    status: Status
    mus_sets: tuple[tuple[Member, ...], ...] = ()
    complete: bool = False
    relaxations: tuple[Relaxation, ...] = ()
    relaxed: bool = False
    core: tuple[Member, ...] = ()
    seconds: float = 0.0
    asked: int = 0
    by: tuple[str, ...] = ()
    disagreement: tuple[Opinion, ...] = ()

    def __repr__(self) -> str:
        counts = (
            f"{_count_text(len(self.mus_sets), 'minimal conflict')}, {_count_text(len(self.relaxations), 'way')} out"
        )
        return f"<Conflict: the task is {self.status.value}, {counts}>"

    @property
    def muses(self) -> tuple[tuple[Member, ...], ...]:
        """Former name of `mus_sets`."""
        return self.mus_sets


def _count_text(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


@dataclass(frozen=True, slots=True)
class RelaxableTask:
    """A task as a problem for solvers in which each rule may be dropped.

    Attributes:
        lowered: the task as a problem for solvers, without the limits in `bounds`. Its hard conditions cannot be
            dropped.
        members: rules and bounds that may be dropped.
        conditions: condition of each member, in the same order.
        bounds: limits on the values of a plan's column that are members, by id, such as `scope:visits.end`.
        shortages: for each member that is an inequality, a linear expression for the amount by which it fails, by index
            in `members`. `with_reductions` fills it.
    """

    lowered: Lowered
    members: tuple[Member, ...]
    conditions: tuple[Rooted, ...]
    bounds: Mapping[str, ColumnBound]
    shortages: Mapping[int, Shortage] = field(default_factory=dict)

    def with_reductions(self) -> RelaxableTask:
        """Return an equivalent task with smaller domains.

        Reductions treat each condition as a soft constraint and each shortage (the amount by which an inequality fails)
        as an objective. Therefore the same subsets of the conditions can hold together, and the minimum shortages of
        violated conditions are the same.

        Raises:
            LimitReachedError: the limit of an enclosing `with Deadline(...)` block was reached.
        """
        candidates = ((i, self._shortage(member)) for i, member in enumerate(self.members))
        shortages = {i: shortage for i, shortage in candidates if shortage is not None}
        problem = self.lowered.problem
        judged = replace(
            problem,
            soft=[(condition, 1) for condition in self.conditions],
            objectives=[
                LinearObjective(each.least.linear, problem.model.conj((each.least.defined, each.remainder)))
                for each in shortages.values()
            ],
        )
        smaller = apply_reductions(judged, Question.SUBSETS)
        rest = replace(smaller, soft=problem.soft, objectives=problem.objectives)
        return replace(self, lowered=replace(self.lowered, problem=rest), shortages=shortages)

    def _shortage(self, member: Member) -> Shortage | None:
        if member.instance is not None:
            return shortage_of(self.lowered, member.instance)
        return shortage_of_bound(self.lowered, self.bounds[member.id])

    def oracle(self, backend: str, clock: TimeBudget) -> SubsetOracle:
        """Return an oracle that decides which subsets of the conditions can hold together."""
        return SubsetOracle(lambda: open_session(backend, self.lowered.problem, clock.limits), self.conditions, clock)


def relaxable(ground: Ground, *, bounds: bool = True, background: bool = False, shape: bool = False) -> RelaxableTask:
    """Return the task as a set of conditions that may each be dropped.

    Args:
        ground: the task.
        bounds: whether to include the bounds of the scope, which limit the values of a plan's fields. They are omitted
            if the task without them has no encoding.
        background: whether to include rules that are marked as background.
        shape: whether to include the conditions on the shape of each table: the keys and the number of its
            rows.

    Raises:
        DiagnosticError: part of the task cannot be encoded for solvers.
    """
    wider, removed = widen(ground) if bounds else (ground, ())
    try:
        lowered = lower(wider, presolve=False)
    except DiagnosticError:
        if not removed:
            raise
        removed, lowered = (), lower(ground, presolve=False)
    problem = lowered.problem
    instances = {i.id: i for i in ground.instances if i.applicable and i.constraint.hard}
    entries: dict[str, tuple[Member, Bool]] = {}
    always: list[Rooted] = []
    for rooted in problem.hard:
        instance = instances.get(rooted.origin)
        if instance is None and shape and rooted.origin.startswith(SHAPE):
            before = entries[rooted.origin][1] if rooted.origin in entries else TRUE
            member = _shape_member(ground, rooted.origin)
            entries[rooted.origin] = member, problem.model.conj((before, rooted.condition))
        elif instance is None or (instance.constraint.background and not background):
            always.append(rooted)
        else:
            entries[instance.id] = _rule_member(ground, instance), rooted.condition
    for bound in removed:
        text = " ".join(bound.span.text.split())
        entries[bound.id] = (
            Member(bound.id, bound.span, level="bound", text=text),
            _bound_condition(lowered, bound),
        )
    rest = Problem(problem.model, always, problem.soft, problem.objectives, problem.rows, problem.identity)
    return RelaxableTask(
        Lowered(lowered.ground, rest, lowered.slots, lowered.coding),
        tuple(member for member, _ in entries.values()),
        tuple(Rooted(condition, member.id) for member, condition in entries.values()),
        {bound.id: bound for bound in removed},
    )


def _rule_member(ground: Ground, instance: Instance) -> Member:
    """Return a rule as a member of conflicts, with its text in the author's words if there are any."""
    rule, env = instance.constraint, instance.env
    text = None if rule.says is None else static_text(ground, rule.says, env)
    if text is None:
        currency = ground.task.currency
        bound = ", ".join(f"{b.name} = {show_key(value, b.type, currency)}" for b, value in env.items())
        text = " ".join(rule.body.span.text.split()) + (f" where {bound}" if bound else "")
    message = None if rule.message is None else static_text(ground, rule.message, env)
    level: MemberLevel = "background" if rule.background else "hard"
    return Member(instance.id, rule.span, instance, level=level, text=text, message=message)


def _shape_member(ground: Ground, origin: str) -> Member:
    """Return the conditions on a table's keys and number of rows, as one element that a conflict can contain."""
    name = origin.removeprefix(SHAPE)
    rows = ground.rows[name]
    text = (
        f"the rows of `{name}` in the scope have different keys" if rows else f"`{name}` has one row, and none in scope"
    )
    return Member(origin, rows[0].entry.span if rows else ground.task.place, level="background", text=text)


def _bound_condition(lowered: Lowered, bound: ColumnBound) -> Bool:
    """Return the condition that the values of a column, in all present rows of the plan, lie within a bound."""
    model, parts = lowered.problem.model, []
    for i, domain in bound.rows.items():
        slot = lowered.slots.by_table[bound.table][i]
        field_key = bound.table, i, bound.column
        inside = is_in_domain(field_key, domain, lowered.slots, model, lowered.coding)
        parts.append(model.disj((model.negate(slot.present), inside)))
    return model.conj(parts)


def why(
    ground: Ground,
    *,
    every: bool = False,
    backend: str = "cpsat",
    limits: Limits = Limits(),  # noqa: B008
    bounds: bool = True,
    on_progress: Callable[[Conflict], None] = lambda _: None,
    second: bool = False,
) -> Conflict:
    """Find out why a task has no plan: which rules cannot hold together, and which to drop so that there is a plan.

    Args:
        ground: the task.
        every: whether to find every minimal conflict; otherwise the search stops after one.
        backend: name of the back end.
        limits: limits on all questions together.
        bounds: whether bounds of the scope may be part of a conflict.
        on_progress: called with the current result whenever it has grown.
        second: whether a second back end may use all the remaining time to confirm the conflict. By default, it is
            consulted only if that takes little time.

    Raises:
        DiagnosticError: part of the task cannot be encoded for solvers.
    """
    named_backend(backend)  # imports the solver before the clock starts
    clock = TimeBudget(limits)
    status = Status.UNKNOWN
    try:
        with clock:
            whole = relaxable(ground, bounds=bounds)
            relaxed = whole.with_reductions()
            oracle = relaxed.oracle(backend, clock)
            status = oracle.check_all()
            if status is Status.UNKNOWN:
                status = clock.ask(
                    open_session(backend, apply_reductions(lower(ground).problem, Question.FEASIBLE), limits)
                ).status
            if status is not Status.INFEASIBLE:
                return Conflict(status, seconds=clock.seconds, asked=1, by=(backend,))
    except LimitReachedError:
        return Conflict(status, seconds=clock.seconds)
    search = _ConflictSearch(relaxed, oracle, on_progress)
    with clock, suppress(LimitReachedError):
        search.one_conflict()
        if search.is_infeasible_without_members:
            whole = background_of(ground)
            search = _ConflictSearch(whole, whole.oracle(backend, clock), on_progress)
            search.one_conflict(relax=False)
        elif not search.refuted:
            if not search.relaxed:
                search.cheapest()
            search.amounts()
            if every and not (search.complete and search.relaxed):
                search.every_conflict()
                search.amounts()
    if search.refuted:
        opinions = Opinion(backend, "infeasible"), Opinion(backend, "feasible")
        return Conflict(Status.UNKNOWN, seconds=clock.seconds, asked=oracle.questions, disagreement=opinions)
    return _cross_check(search.conflict(), whole, backend, clock, thorough=second)


def _cross_check(
    conflict: Conflict, whole: RelaxableTask, backend: str, clock: TimeBudget, *, thorough: bool
) -> Conflict:
    """Let a second back end confirm a conflict, and return the conflict with the names of all back ends that prove it.

    Return a conflict with the status UNKNOWN if the second back end disagrees.

    Args:
        conflict: the conflict.
        whole: the task in which the conflict was found, without reductions.
        backend: name of the back end that found the conflict.
        clock: budget from which the search for the conflict took its time.
        thorough: whether the second back end may use all the remaining time. If not, it is consulted only if that takes
            little time.
    """
    conditions = dict(zip(whole.members, whole.conditions, strict=True))
    by: tuple[str, ...] = (backend,)
    for members in conflict.mus_sets or (whole.members,):
        conjuncts = [conditions[member].condition for member in members]
        look = second_look(whole.lowered.problem, conjuncts, by=backend, clock=clock, thorough=thorough)
        if look.other is not None and look.values is not None:
            plan = None if conflict.mus_sets else witness(whole.lowered, look.values)
            opinions = Opinion(backend, "infeasible"), Opinion(look.other, "feasible", plan)
            return Conflict(Status.UNKNOWN, seconds=clock.seconds, asked=conflict.asked, disagreement=opinions)
        by = look.by
        if len(by) == 1:
            break
    return replace(conflict, by=by, seconds=clock.seconds)


def shape_conflict(ground: Ground, clock: TimeBudget) -> tuple[Member, ...]:
    """Return a minimal conflict among the conditions on the keys and the number of each plan table's rows.

    The result is empty if there is no such conflict.

    Raises:
        LimitReachedError: the limit was reached.
        DiagnosticError: part of the task cannot be encoded for solvers.
    """
    relaxed = background_of(ground)
    oracle = relaxed.oracle("cpsat", clock)
    shape = [i for i, member in enumerate(relaxed.members) if member.instance is None]
    satisfiable, core, _ = oracle.check(shape)
    return () if satisfiable else tuple(relaxed.members[i] for i in sorted(oracle.shrink(core)))


def background_of(ground: Ground) -> RelaxableTask:
    """Return the task with only its background rules, as conditions that may each be dropped.

    Background rules are the constraints marked `background: true`, which describe the world, and the conditions on the
    keys and the number of each plan table's rows.

    Raises:
        DiagnosticError: part of the task cannot be encoded for solvers.
    """
    relaxed = relaxable(ground, bounds=False, background=True, shape=True)
    places = [i for i, member in enumerate(relaxed.members) if member.level == "background"]
    return replace(
        relaxed,
        members=tuple(relaxed.members[i] for i in places),
        conditions=tuple(relaxed.conditions[i] for i in places),
    )


class _ConflictSearch:
    """A search for the conflicts and the cheapest relaxations of one task."""

    def __init__(self, relaxed: RelaxableTask, oracle: SubsetOracle, on_progress: Callable[[Conflict], None]) -> None:
        self._relaxed = relaxed
        self._oracle = oracle
        self._on_progress = on_progress
        self._everything: Subset = frozenset(range(len(relaxed.members)))
        self._mus_sets: list[Subset] = []
        self.complete = False
        self._cheapest_drops: list[Subset] = []
        self._amounts: dict[Subset, tuple[Amount | None, ...]] = {}
        self.relaxed = False
        self.refuted = False  # whether the back end found a plan after it had proved that none exists

    def conflict(self) -> Conflict:
        """Return the result of the search so far, with rules and bounds in place of indices."""
        return Conflict(
            Status.INFEASIBLE,
            tuple(self._members(mus) for mus in self._mus_sets),
            self.complete,
            tuple(
                Relaxation(self._members(drop), self._weight(drop), self._amounts.get(drop, (None,) * len(drop)))
                for drop in self._cheapest_drops[:MAX_RELAXATIONS]
            ),
            self.relaxed and len(self._cheapest_drops) <= MAX_RELAXATIONS,
            () if self._mus_sets else self._members(self._oracle.smallest_core),
            self._oracle.clock.seconds,
            self._oracle.questions,
        )

    def one_conflict(self, *, relax: bool = True) -> None:
        """Find one minimal conflict (MUS).

        Also determine whether it is the only one, and which of its members make the task feasible if dropped.
        """
        start = self._everything
        try:
            satisfiable, start, _ = self._oracle.check(self._everything, FIRST_CORE_DIVISOR)
        except LimitReachedError:  # `check_all` has already proved that the conditions cannot all hold
            if self._oracle.clock.over:
                raise
        else:
            if satisfiable:
                self.refuted = True
                return
        mus = self._oracle.shrink(start)
        self._add_conflict(mus)
        alone, undecided = [], False
        for place, member in enumerate(sorted(mus)):
            try:
                if self._oracle.check(self._everything - {member}, 1 + len(mus) - place)[0]:
                    alone.append(member)
            except LimitReachedError:
                if self._oracle.clock.over:
                    raise
                undecided = True
        self.complete = len(alone) == len(mus)
        if relax and alone:
            self.relaxed = self._keep_lightest([frozenset({m}) for m in alone]) and not undecided

    def every_conflict(self) -> None:
        """Find all other minimal conflicts (MUSes) and all minimal correction sets."""
        corrections: list[Subset] = []
        for satisfiable, subset in marco(self._oracle, self._mus_sets):
            if satisfiable:
                corrections.append(self._everything - subset)
            else:
                self._add_conflict(subset)
        self.complete = True
        self.relaxed = self._keep_lightest(corrections)

    def cheapest(self) -> None:
        """Find, by optimisation, the sets of rules and bounds of least weight whose removal makes the task feasible."""
        model: NodeBuilder = self._relaxed.lowered.problem.model
        conditions = self._relaxed.conditions
        lost = model.sum(
            model.scale(model.minus(model.constant(1), model.indicator(c.condition)), member.weight)
            for c, member in zip(conditions, self._relaxed.members, strict=True)
        )
        session = self._oracle.open()
        drops: list[Subset] = []
        least: int | None = None
        while len(drops) <= MAX_RELAXATIONS:
            outcome = self._oracle.clock.ask(session, minimize=lost)
            if outcome.status is Status.UNKNOWN or outcome.status is Status.FEASIBLE:
                return
            if outcome.status is Status.INFEASIBLE or (least is not None and outcome.objective != least):
                break
            least = outcome.objective
            drop = frozenset(i for i in self._everything if not evaluate(conditions[i].condition, outcome.values))
            drops.append(drop)
            session.add(model.disj(conditions[i].condition for i in drop), "another relaxation")
        self.relaxed = self._keep_lightest(drops)

    def amounts(self) -> None:
        """Find the minimum amounts by which the rules and bounds of each cheapest relaxation must be violated.

        The search may take as long as everything before it, or `AMOUNTS_S` if that is longer.
        """
        relaxed, oracle = self._relaxed, self._oracle
        spare = oracle.clock.at_most(max(AMOUNTS_S, oracle.clock.seconds))
        for place, drop in enumerate(self._cheapest_drops[:MAX_RELAXATIONS]):
            if drop in self._amounts:
                continue
            shortages = [relaxed.shortages.get(i) for i in sorted(drop)]
            needed: list[Amount | None] = [None] * len(drop)
            if any(shortages):
                _, _, values = oracle.check(self._everything - drop)
                needed = [each if each is None else amount_in(relaxed.lowered, each, values) for each in shortages]
                clock = spare.share(len(self._cheapest_drops[:MAX_RELAXATIONS]) - place)
                with clock, suppress(LimitReachedError):
                    session = oracle.open()
                    for i in sorted(self._everything - drop):
                        session.add(relaxed.conditions[i].condition)
                    for i, each in enumerate(shortages):
                        if each is not None:
                            needed[i], values = amount_of(relaxed.lowered, each, session, clock, values)
            self._amounts[drop] = tuple(needed)

    @property
    def is_infeasible_without_members(self) -> bool:
        """Whether there is no plan even if all members are dropped."""
        return self._mus_sets == [frozenset()]

    def _add_conflict(self, mus: Subset) -> None:
        self._mus_sets.append(mus)
        self._on_progress(self.conflict())

    def _keep_lightest(self, corrections: Sequence[Subset]) -> bool:
        """Store the correction sets of minimum weight as relaxations. Return whether there are any."""
        least = min(map(self._weight, corrections), default=0)
        self._cheapest_drops = sorted((c for c in corrections if self._weight(c) == least), key=sorted)
        return bool(corrections)

    def _weight(self, subset: Subset) -> int:
        return sum(self._relaxed.members[i].weight for i in subset)

    def _members(self, subset: Subset) -> tuple[Member, ...]:
        return tuple(self._relaxed.members[i] for i in sorted(subset))
