"""Why a task has no plan: minimal conflicts among its rules and bounds, and the cheapest ways out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from planspec.dsl.deadline import LimitReached
from planspec.dsl.diagnostics import DiagnosticError
from planspec.dsl.source import Span
from planspec.solvers import backend as backends
from planspec.solvers.backend import Session
from planspec.solvers.clock import Clock
from planspec.solvers.cores import Oracle, Subset, marco
from planspec.solvers.evaluate import evaluate
from planspec.solvers.ir import Bool, Problem, Rooted
from planspec.solvers.model import Model
from planspec.solvers.outcome import Limits, Status
from planspec.solvers.problem import Lowered, lower
from planspec.solvers.prove import InternalError, task_hash
from planspec.solvers.slots import among
from planspec.solvers.widen import Bound, widen
from planspec.verifiers.ground import Ground, Instance

MOST_RELAXATIONS = 20
"""So many of the cheapest relaxations are named."""


@dataclass(frozen=True, slots=True)
class Member:
    """A rule or bound that a conflict may be made of.

    Attributes:
        id: an instance's id (`slot[pergamon]`), or `scope:TABLE.FIELD`.
        span: the rule's own text.
        instance: None for a bound of the scope.
        weight: what it costs to give it up.
    """

    id: str
    span: Span
    instance: Instance | None = None
    weight: int = 1


@dataclass(frozen=True, slots=True)
class Relaxation:
    """Members without which there is a plan; no fewer of the same weight would do."""

    drop: tuple[Member, ...]
    weight: int


@dataclass(frozen=True, slots=True)
class Conflict:
    """Why there is no plan, as far as it was found out.

    Attributes:
        status: INFEASIBLE, FEASIBLE (there is a plan), or UNKNOWN.
        muses: each cannot hold together, and can without any one member. An empty one: no plan has the
            shape that the tables ask for.
        complete: there are no other minimal conflicts.
        relaxations: the cheapest ones; empty where time ran out before they were proved the cheapest.
        relaxed: all cheapest ones are there (no more than 20 are named).
        core: members among which the conflict is, where no minimal one was proved in time.
        seconds: wall-clock time spent.
        asked: questions to the back end.
    """

    status: Status
    muses: tuple[tuple[Member, ...], ...] = ()
    complete: bool = False
    relaxations: tuple[Relaxation, ...] = ()
    relaxed: bool = False
    core: tuple[Member, ...] = ()
    seconds: float = 0.0
    asked: int = 0


@dataclass(frozen=True, slots=True)
class Relaxable:
    """A task's problem whose rules may each be dropped.

    Attributes:
        lowered: over the widened scope; its hard conditions are those that no author wrote.
        members: what may be dropped.
        conditions: of each member, in the same order.
    """

    lowered: Lowered
    members: tuple[Member, ...]
    conditions: tuple[Rooted, ...]


def relaxable(ground: Ground, *, bounds: bool = True) -> Relaxable:
    """The task as conditions of which each may be dropped.

    Args:
        ground: the task.
        bounds: the scope's bounds are such conditions, too. Where the wider scope has no encoding they are
            not.

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
    members: list[Member] = []
    conditions: list[Rooted] = []
    always: list[Rooted] = []
    for rooted in problem.hard:
        instance = instances.get(rooted.origin)
        if instance is None:
            always.append(rooted)
        else:
            members.append(Member(instance.id, instance.constraint.span, instance))
            conditions.append(rooted)
    for bound in taken:
        members.append(Member(bound.id, bound.span))
        conditions.append(Rooted(_kept(lowered, bound), bound.id))
    rest = Problem(problem.model, always, problem.soft, problem.objective, problem.rows, problem.identity)
    return Relaxable(
        Lowered(lowered.ground, rest, lowered.slots, lowered.coding), tuple(members), tuple(conditions)
    )


def _kept(lowered: Lowered, bound: Bound) -> Bool:
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
    all: bool = False,
    backend: str = "cpsat",
    limits: Limits = Limits(),  # noqa: B008
    bounds: bool = True,
    known: Callable[[Conflict], None] = lambda _: None,
) -> Conflict:
    """Why the task has no plan.

    Args:
        ground: the task.
        all: find every minimal conflict, and not only one.
        backend: who is asked.
        limits: its seconds hold for all questions together.
        bounds: the scope's bounds may be part of a conflict.
        known: told what is known whenever that is more than before.

    Raises:
        DiagnosticError: the task has no encoding.
        InternalError: a conflict that was found is none, or not minimal.
    """
    clock = Clock(limits)
    status = Status.UNKNOWN
    try:
        with clock:
            plain = clock.ask(_open(backend, lower(ground).problem, limits))
            if plain.status is not Status.INFEASIBLE:
                status = Status.FEASIBLE if plain.found else Status.UNKNOWN
                return Conflict(status, seconds=clock.seconds, asked=1)
            status = Status.INFEASIBLE
            made = relaxable(ground, bounds=bounds)
            oracle = Oracle(_open(backend, made.lowered.problem, limits), made.conditions, clock)
    except LimitReached:
        return Conflict(status, seconds=clock.seconds)
    search = _Search(made, oracle, known)
    with clock, suppress(LimitReached):
        if all:
            search.every_conflict()
        else:
            search.one_conflict()
        if not search.relaxed:
            search.cheapest()
    return search.conflict()


class _Search:
    """What was found out so far about one task."""

    def __init__(self, made: Relaxable, oracle: Oracle, known: Callable[[Conflict], None]) -> None:
        self._made = made
        self._oracle = oracle
        self._known = known
        self._everything: Subset = frozenset(range(len(made.members)))
        self._muses: list[Subset] = []
        self._complete = False
        self._drops: list[Subset] = []
        self._core: Subset = self._everything
        self.relaxed = False

    def conflict(self) -> Conflict:
        """All of it in the author's terms."""
        return Conflict(
            Status.INFEASIBLE,
            tuple(self._members(mus) for mus in self._muses),
            self._complete,
            tuple(
                Relaxation(self._members(drop), self._weight(drop)) for drop in self._drops[:MOST_RELAXATIONS]
            ),
            self.relaxed and len(self._drops) <= MOST_RELAXATIONS,
            () if self._muses else self._members(self._core),
            self._oracle.clock.seconds,
            self._oracle.asked,
        )

    def one_conflict(self) -> None:
        """One MUS; whether it is the only one; and what can be dropped alone, if anything can."""
        satisfiable, core, _ = self._oracle.check(self._everything)
        if satisfiable:
            raise InternalError("a task without a plan has one over a wider search", self._hash())
        self._core = core
        mus = self._oracle.shrink(core)
        self._found(mus)
        alone = [m for m in sorted(mus) if self._oracle.check(self._everything - {m})[0]]
        self._complete = len(alone) == len(mus)
        if alone and self._lightest([frozenset({m}) for m in alone]):
            self.relaxed = True

    def every_conflict(self) -> None:
        """All MUSes, and with them all minimal correction sets."""
        corrections: list[Subset] = []
        for satisfiable, found in marco(self._oracle):
            if satisfiable:
                corrections.append(self._everything - found)
            else:
                self._found(found)
        self._complete = True
        self.relaxed = self._lightest(corrections)

    def cheapest(self) -> None:
        """The cheapest relaxations, by optimisation."""
        model: Model = self._made.lowered.problem.model
        conditions = self._made.conditions
        lost = model.sum(
            model.scale(model.minus(model.constant(1), model.indicator(c.condition)), member.weight)
            for c, member in zip(conditions, self._made.members, strict=True)
        )
        found: list[Subset] = []
        least: int | None = None
        while len(found) <= MOST_RELAXATIONS:
            outcome = self._oracle.clock.ask(self._oracle.session, minimize=lost)
            if outcome.status is Status.UNKNOWN or outcome.status is Status.FEASIBLE:
                return
            if outcome.status is Status.INFEASIBLE or (least is not None and outcome.objective != least):
                break
            least = outcome.objective
            drop = frozenset(
                i for i in self._everything if not evaluate(conditions[i].condition, outcome.values)
            )
            found.append(drop)
            self._oracle.session.add(model.disj(conditions[i].condition for i in drop), "another relaxation")
        self.relaxed = self._lightest(found)

    def _found(self, mus: Subset) -> None:
        if not self._oracle.is_mus(mus):
            raise InternalError("a conflict is not minimal", self._hash())
        self._muses.append(mus)
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

    def _hash(self) -> str:
        return task_hash(self._made.lowered.ground.task)


def _open(name: str, problem: Problem, limits: Limits) -> Session:
    return backends.backend(name).open(problem, limits)
