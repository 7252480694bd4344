"""Why a task has no plan: minimal conflicts among its rules and bounds, and the cheapest ways out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from planspec.dsl.diagnostics.source import Span
from planspec.dsl.model import tree as t
from planspec.dsl.model.traversal import free_variables
from planspec.dsl.model.types import Stage
from planspec.dsl.model.value_text import show, show_key
from planspec.errors import DiagnosticError, LimitReachedError
from planspec.shown import Shown
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.backends.register import backend as named_backend
from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.ir.nodes import TRUE, Bool
from planspec.solvers.ir.problem import LinearObjective, Problem, Rooted
from planspec.solvers.lowering.decision_rows import among
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
from planspec.solvers.reductions.register import Question, reduced
from planspec.solvers.reductions.session import opened
from planspec.verifiers.meaning.ground import Ground, Instance
from planspec.verifiers.meaning.interpret import Env

MOST_RELAXATIONS = 20
"""The most of the cheapest relaxations that are named."""
FIRST = 4
"""The first core gets one part in this number of the time."""
AMOUNTS_S = 2.0
"""Seconds that the amounts may take in any case; else they may take as long as the conflicts took."""
SHAPE = "plan:"
"""The beginning of the origins of a table's shape."""


MemberLevel: TypeAlias = Literal["hard", "bound", "background"]


@dataclass(frozen=True, slots=True)
class Member:
    """A rule or bound that a conflict may be made of.

    Attributes:
        id: an instance's id (`slot[pergamon]`), `scope:TABLE.FIELD`, or `plan:TABLE` for what the rows of a table are.
        span: the rule's own text.
        instance: None for a bound of the scope and for what the rows of a table are.
        weight: what it costs to give it up.
        level: `background` is never given up.
        text: what it says, in the author's words where there are any.
        message: what a violation of it says, where that is the same for every plan.
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
    """Members without which there is a plan; no fewer of the same weight would do.

    Attributes:
        amounts: by how much each of them has to give, with those before it giving no more than said; None of what is
            no comparison by order, and where none was found in time.
    """

    drop: tuple[Member, ...]
    weight: int
    amounts: tuple[Amount | None, ...] = ()

    def __repr__(self) -> str:
        return f"<Relaxation without {', '.join(member.id for member in self.drop)}: weight {self.weight}>"


@dataclass(frozen=True, slots=True)
class Conflict(Shown):
    """Why there is no plan, as far as it was found out.

    Attributes:
        status: INFEASIBLE, FEASIBLE (there is a plan), or UNKNOWN.
        mus_sets: each cannot hold together, and can without any one member. Where the background alone allows no
            plan, it is a conflict of that, and there is nothing to give up.
        complete: there are no other minimal conflicts.
        relaxations: the cheapest ones; empty where time ran out before they were proved the cheapest.
        relaxed: all cheapest ones are there (no more than 20 are named).
        core: members among which the conflict is, where no minimal one was proved in time.
        seconds: wall-clock time spent.
        asked: questions to the back end.
        by: the back ends that prove that the conflicts cannot hold together (or, before one is found, that there is no plan): the
            one that was asked, and a second one if it looked again and agrees. That a conflict is minimal is shown by
            assignments; that a relaxation is the cheapest is proved by the first alone.
        disagreement: where two answers contradict each other, both of them; then the status is UNKNOWN.
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
        found = f"{_counted(len(self.mus_sets), 'minimal conflict')}, {_counted(len(self.relaxations), 'way')} out"
        return f"<Conflict: the task is {self.status.value}, {found}>"

    @property
    def muses(self) -> tuple[tuple[Member, ...], ...]:
        """The former name of `mus_sets`."""
        return self.mus_sets


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


@dataclass(frozen=True, slots=True)
class Relaxable:
    """A task's problem whose rules may each be dropped.

    Attributes:
        lowered: over the widened scope; its hard conditions are those that no author wrote.
        members: what may be dropped.
        conditions: of each member, in the same order.
        bounds: the scope's bounds among the members, by id.
        shortages: what members are missed by, of those that tell, by place; `reduced` finds them.
    """

    lowered: Lowered
    members: tuple[Member, ...]
    conditions: tuple[Rooted, ...]
    bounds: Mapping[str, ColumnBound]
    shortages: Mapping[int, Shortage] = field(default_factory=dict)

    def reduced(self) -> Relaxable:
        """The same conditions over fewer values, of which the same subsets hold together and miss others by as much.

        To the reductions each condition is a soft one, and each shortage an objective.

        Raises:
            LimitReachedError: the limit of the block around is.
        """
        found = ((i, self._shortage(member)) for i, member in enumerate(self.members))
        shortages = {i: shortage for i, shortage in found if shortage is not None}
        problem = self.lowered.problem
        judged = replace(
            problem,
            soft=[(condition, 1) for condition in self.conditions],
            objectives=[
                LinearObjective(each.least.linear, problem.model.conj((each.least.defined, each.kept)))
                for each in shortages.values()
            ],
        )
        smaller = reduced(judged, Question.SUBSETS)
        rest = replace(smaller, soft=problem.soft, objectives=problem.objectives)
        return replace(self, lowered=replace(self.lowered, problem=rest), shortages=shortages)

    def _shortage(self, member: Member) -> Shortage | None:
        if member.instance is not None:
            return shortage_of(self.lowered, member.instance)
        return shortage_of_bound(self.lowered, self.bounds[member.id])

    def oracle(self, backend: str, clock: TimeBudget) -> SubsetOracle:
        """Says which of the conditions hold together."""
        return SubsetOracle(
            lambda: opened(backend, self.lowered.problem, clock.limits), self.conditions, clock
        )


def relaxable(
    ground: Ground, *, bounds: bool = True, background: bool = False, shape: bool = False
) -> Relaxable:
    """The task as conditions of which each may be dropped.

    Args:
        ground: the task.
        bounds: the scope's bounds are such conditions, too. Where the wider scope has no encoding they are
            not.
        background: rules that are marked so are such conditions, too.
        shape: for each table, what its rows are: their keys, and how many there are.

    Raises:
        DiagnosticError: the task has no encoding.
    """
    wider, taken = widen(ground) if bounds else (ground, ())
    try:
        lowered = lower(wider, presolve=False)
    except DiagnosticError:
        if not taken:
            raise
        taken, lowered = (), lower(ground, presolve=False)
    problem = lowered.problem
    instances = {i.id: i for i in ground.instances if i.applicable and i.constraint.hard}
    made: dict[str, tuple[Member, Bool]] = {}
    always: list[Rooted] = []
    for rooted in problem.hard:
        instance = instances.get(rooted.origin)
        if instance is None and shape and rooted.origin.startswith(SHAPE):
            before = made[rooted.origin][1] if rooted.origin in made else TRUE
            member = _shape_member(ground, rooted.origin)
            made[rooted.origin] = member, problem.model.conj((before, rooted.condition))
        elif instance is None or (instance.constraint.background and not background):
            always.append(rooted)
        else:
            made[instance.id] = _rule_member(ground, instance), rooted.condition
    for bound in taken:
        text = " ".join(bound.span.text.split())
        made[bound.id] = Member(bound.id, bound.span, level="bound", text=text), _kept(lowered, bound)
    rest = Problem(problem.model, always, problem.soft, problem.objectives, problem.rows, problem.identity)
    return Relaxable(
        Lowered(lowered.ground, rest, lowered.slots, lowered.coding),
        tuple(member for member, _ in made.values()),
        tuple(Rooted(condition, member.id) for member, condition in made.values()),
        {bound.id: bound for bound in taken},
    )


def _rule_member(ground: Ground, instance: Instance) -> Member:
    rule, env = instance.constraint, instance.env
    text = None if rule.says is None else _filled(ground, rule.says, env)
    if text is None:
        currency = ground.task.currency
        bound = ", ".join(f"{b.name} = {show_key(value, b.type, currency)}" for b, value in env.items())
        text = " ".join(rule.body.span.text.split()) + (f" where {bound}" if bound else "")
    message = None if rule.message is None else _filled(ground, rule.message, env)
    level: MemberLevel = "background" if rule.background else "hard"
    return Member(instance.id, rule.span, instance, level=level, text=text, message=message)


def _filled(ground: Ground, parts: Sequence[t.TextPart], env: Env) -> str | None:
    """A text with its holes filled; None where they depend on the plan."""
    holes = [part for part in parts if not isinstance(part, str)]
    if any(h.stage is not Stage.STATIC or not set(free_variables(h)) <= env.keys() for h in holes):
        return None
    value, currency = ground.interpreter.value, ground.task.currency
    return "".join(p if isinstance(p, str) else show(value(p, env), p.type, currency) for p in parts)


def _shape_member(ground: Ground, origin: str) -> Member:
    name = origin.removeprefix(SHAPE)
    rows = ground.rows[name]
    text = (
        f"the rows of `{name}` in the scope have different keys"
        if rows
        else f"`{name}` has one row, and none in scope"
    )
    return Member(origin, rows[0].entry.span if rows else ground.task.span, level="background", text=text)


def _kept(lowered: Lowered, bound: ColumnBound) -> Bool:
    """The bound as a condition on the wider scope."""
    model, made = lowered.problem.model, []
    for i, domain in bound.rows.items():
        slot = lowered.slots.by_table[bound.table][i]
        place = bound.table, i, bound.column
        inside = among(place, domain, lowered.slots, model, lowered.coding)
        made.append(model.disj((model.negate(slot.present), inside)))
    return model.conj(made)


def why(
    ground: Ground,
    *,
    every: bool = False,
    backend: str = "cpsat",
    limits: Limits = Limits(),  # noqa: B008
    bounds: bool = True,
    known: Callable[[Conflict], None] = lambda _: None,
    second: bool = False,
) -> Conflict:
    """Why the task has no plan.

    Args:
        ground: the task.
        every: find every minimal conflict, and not only one.
        backend: who is asked.
        limits: its seconds hold for all questions together.
        bounds: the scope's bounds may be part of a conflict.
        known: told what is known whenever that is more than before.
        second: as `solve` takes it.

    Raises:
        DiagnosticError: the task has no encoding.
    """
    named_backend(backend)  # is imported before the task's time begins
    clock = TimeBudget(limits)
    status = Status.UNKNOWN
    try:
        with clock:
            whole = relaxable(ground, bounds=bounds)
            made = whole.reduced()
            oracle = made.oracle(backend, clock)
            status = oracle.at_once()
            if status is Status.UNKNOWN:
                status = clock.ask(
                    opened(backend, reduced(lower(ground).problem, Question.FEASIBLE), limits)
                ).status
            if status is not Status.INFEASIBLE:
                return Conflict(status, seconds=clock.seconds, asked=1, by=(backend,))
    except LimitReachedError:
        return Conflict(status, seconds=clock.seconds)
    search = _Search(made, oracle, known)
    with clock, suppress(LimitReachedError):
        search.one_conflict()
        if search.nothing_helps:
            whole = background_of(ground)
            search = _Search(whole, whole.oracle(backend, clock), known)
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
        return Conflict(Status.UNKNOWN, seconds=clock.seconds, asked=oracle.asked, disagreement=opinions)
    return _confirmed(search.conflict(), whole, backend, clock, thorough=second)


def _confirmed(
    made: Conflict, whole: Relaxable, backend: str, clock: TimeBudget, *, thorough: bool
) -> Conflict:
    """The conflict with all back ends that prove it, or as undecided if a second one disagrees.

    Args:
        made: the conflict.
        whole: the problem in which it was found, without reductions.
        backend: the back end that found it.
        clock: of the question so far.
        thorough: as `second_look` takes it.
    """
    conditions = dict(zip(whole.members, whole.conditions, strict=True))
    by: tuple[str, ...] = (backend,)
    for members in made.mus_sets or (whole.members,):
        asked = [conditions[member].condition for member in members]
        look = second_look(whole.lowered.problem, asked, by=backend, clock=clock, thorough=thorough)
        if look.other is not None and look.values is not None:
            plan = None if made.mus_sets else witness(whole.lowered, look.values)
            opinions = Opinion(backend, "infeasible"), Opinion(look.other, "feasible", plan)
            return Conflict(Status.UNKNOWN, seconds=clock.seconds, asked=made.asked, disagreement=opinions)
        by = look.by
        if len(by) == 1:
            break
    return replace(made, by=by, seconds=clock.seconds)


def shape_conflict(ground: Ground, clock: TimeBudget) -> tuple[Member, ...]:
    """The conflict of the tables' shape alone, which no plan has, whatever the rules say; empty if some plan has it.

    Raises:
        LimitReachedError: the limit was reached.
        DiagnosticError: the task has no encoding.
    """
    made = background_of(ground)
    oracle = made.oracle("cpsat", clock)
    shape = [i for i, member in enumerate(made.members) if member.instance is None]
    satisfiable, core, _ = oracle.check(shape)
    return () if satisfiable else tuple(made.members[i] for i in sorted(oracle.shrink(core)))


def background_of(ground: Ground) -> Relaxable:
    """The background alone as conditions of which each may be dropped: rules that are marked so, and the rows' shape.

    Raises:
        DiagnosticError: the task has no encoding.
    """
    made = relaxable(ground, bounds=False, background=True, shape=True)
    kept = [i for i, member in enumerate(made.members) if member.level == "background"]
    return replace(
        made, members=tuple(made.members[i] for i in kept), conditions=tuple(made.conditions[i] for i in kept)
    )


class _Search:
    """The search of one task's conflicts."""

    def __init__(self, made: Relaxable, oracle: SubsetOracle, known: Callable[[Conflict], None]) -> None:
        self._made = made
        self._oracle = oracle
        self._known = known
        self._everything: Subset = frozenset(range(len(made.members)))
        self._mus_sets: list[Subset] = []
        self.complete = False
        self._drops: list[Subset] = []
        self._amounts: dict[Subset, tuple[Amount | None, ...]] = {}
        self.relaxed = False
        self.refuted = False  # the back end found a plan after it had proved that there is none

    def conflict(self) -> Conflict:
        """All of it in the author's terms."""
        return Conflict(
            Status.INFEASIBLE,
            tuple(self._members(mus) for mus in self._mus_sets),
            self.complete,
            tuple(
                Relaxation(
                    self._members(drop), self._weight(drop), self._amounts.get(drop, (None,) * len(drop))
                )
                for drop in self._drops[:MOST_RELAXATIONS]
            ),
            self.relaxed and len(self._drops) <= MOST_RELAXATIONS,
            () if self._mus_sets else self._members(self._oracle.least),
            self._oracle.clock.seconds,
            self._oracle.asked,
        )

    def one_conflict(self, *, relax: bool = True) -> None:
        """One MUS; whether it is the only one; and what can be dropped alone, if anything can."""
        start = self._everything
        try:
            satisfiable, start, _ = self._oracle.check(self._everything, FIRST)
        except LimitReachedError:  # that all cannot hold together is known
            if self._oracle.clock.over:
                raise
        else:
            if satisfiable:
                self.refuted = True
                return
        mus = self._oracle.shrink(start)
        self._found(mus)
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
            self.relaxed = self._lightest([frozenset({m}) for m in alone]) and not undecided

    def every_conflict(self) -> None:
        """All other MUSes, and with them all minimal correction sets."""
        corrections: list[Subset] = []
        for satisfiable, found in marco(self._oracle, self._mus_sets):
            if satisfiable:
                corrections.append(self._everything - found)
            else:
                self._found(found)
        self.complete = True
        self.relaxed = self._lightest(corrections)

    def cheapest(self) -> None:
        """The cheapest relaxations, by optimisation."""
        model: NodeBuilder = self._made.lowered.problem.model
        conditions = self._made.conditions
        lost = model.sum(
            model.scale(model.minus(model.constant(1), model.indicator(c.condition)), member.weight)
            for c, member in zip(conditions, self._made.members, strict=True)
        )
        session = self._oracle.open()
        found: list[Subset] = []
        least: int | None = None
        while len(found) <= MOST_RELAXATIONS:
            outcome = self._oracle.clock.ask(session, minimize=lost)
            if outcome.status is Status.UNKNOWN or outcome.status is Status.FEASIBLE:
                return
            if outcome.status is Status.INFEASIBLE or (least is not None and outcome.objective != least):
                break
            least = outcome.objective
            drop = frozenset(
                i for i in self._everything if not evaluate(conditions[i].condition, outcome.values)
            )
            found.append(drop)
            session.add(model.disj(conditions[i].condition for i in drop), "another relaxation")
        self.relaxed = self._lightest(found)

    def amounts(self) -> None:
        """Find the amounts by which the members of each cheapest relaxation have to give.

        They may take as long as what came before, or 2 s if that is more.
        """
        made, oracle = self._made, self._oracle
        spare = oracle.clock.at_most(max(AMOUNTS_S, oracle.clock.seconds))
        for place, drop in enumerate(self._drops[:MOST_RELAXATIONS]):
            if drop in self._amounts:
                continue
            short = [made.shortages.get(i) for i in sorted(drop)]
            found: list[Amount | None] = [None] * len(drop)
            if any(short):
                _, _, values = oracle.check(self._everything - drop)
                found = [each if each is None else amount_in(made.lowered, each, values) for each in short]
                clock = spare.share(len(self._drops[:MOST_RELAXATIONS]) - place)
                with clock, suppress(LimitReachedError):
                    session = oracle.open()
                    for i in sorted(self._everything - drop):
                        session.add(made.conditions[i].condition)
                    for i, each in enumerate(short):
                        if each is not None:
                            found[i], values = amount_of(made.lowered, each, session, clock, values)
            self._amounts[drop] = tuple(found)

    @property
    def nothing_helps(self) -> bool:
        """There is no plan even where all members are given up."""
        return self._mus_sets == [frozenset()]

    def _found(self, mus: Subset) -> None:
        self._mus_sets.append(mus)
        self._known(self.conflict())

    def _lightest(self, corrections: Sequence[Subset]) -> bool:
        """Keep those of the least weight."""
        least = min(map(self._weight, corrections), default=0)
        self._drops = sorted((c for c in corrections if self._weight(c) == least), key=sorted)
        return bool(corrections)

    def _weight(self, subset: Subset) -> int:
        return sum(self._made.members[i].weight for i in subset)

    def _members(self, subset: Subset) -> tuple[Member, ...]:
        return tuple(self._made.members[i] for i in sorted(subset))
