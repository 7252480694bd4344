"""A task made unique by taking availability away, as little as possible: an implicit hitting set.

Every plan but the one to keep must lose something that it relies on. From each other plan that is found follows a
clause on what goes; a smallest set of rows that satisfies all clauses is taken away, and other plans are looked for,
until there is none (Moreno-Centeno and Karp, "The implicit hitting set approach to solve combinatorial optimization
problems", Operations Research 61, 2013). On what a plan relies its judgement says, row by row: nothing is supposed of
the form of the rules. We depart from the scheme in three ways: the nearest plans are asked for, which rely on little
that the plan to keep does not; several for each removal, each without the rows by which those before differ; and
removals grow by what the plan to keep does not need until one makes it the only plan, so that there is an answer before
it is proved smallest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from planspec.dsl.model import tree as t
from planspec.dsl.model.rows import Row
from planspec.dsl.model.traversal import clause_expressions, walk
from planspec.errors import DiagnosticError, KeptPlanError, LimitReachedError
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.backends.register import backend as named_backend
from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.domain import Domain
from planspec.solvers.ir.nodes import Bool
from planspec.solvers.ir.problem import Problem
from planspec.solvers.lowering.problem import lower
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.exclusion import apart, beside, forbid_plan
from planspec.solvers.questions.validation import Validation, validate
from planspec.solvers.questions.witness import witness
from planspec.verifiers.meaning.ground import Ground
from planspec.verifiers.meaning.judge import judge
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.plan_shape import in_scope, places_of
from planspec.verifiers.meaning.reliance import Reliance


@dataclass(frozen=True, slots=True)
class Removable:
    """A row of facts, by the cells that tell it from others."""

    table: str
    cells: tuple[tuple[str, Any], ...]


Rows = frozenset[Removable]


@dataclass(frozen=True, slots=True)
class Tightening:
    """The removed rows, and what is proved about them.

    Attributes:
        status: OPTIMAL: with `removed` gone the plan is the only one, and no fewer rows would do; FEASIBLE: it is
            the only one; INFEASIBLE: no removal makes it so; UNKNOWN: a limit was reached before one was found.
        removed: rows to leave out, in the order of their tables.
        validation: of the result, by both back ends; None unless there is one.
        other: where it is impossible, a plan that stays beside the one to keep, or goes only with it.
    """

    status: Status
    removed: tuple[Removable, ...] = ()
    validation: Validation | None = None
    other: Plan | None = None
    seconds: float = 0.0

    def __repr__(self) -> str:
        return f"<Tightening {self.status.value}: {len(self.removed)} rows removed>"

    @property
    def smallest(self) -> bool:
        """No fewer rows would do."""
        return self.status is Status.OPTIMAL


Asked: TypeAlias = tuple[tuple[str, bool], ...]
"""The instances of a task's constraints, and which of them apply."""


def asked(ground: Ground) -> Asked:
    """The task's question, in which rows of facts are decided, too."""
    return tuple((instance.id, instance.applicable) for instance in ground.instances)


@dataclass(frozen=True, slots=True)
class _Clause:
    """A condition on every removal: some row of `stays` stays, or some row of `goes` goes."""

    stays: Rows
    goes: Rows

    def met(self, removed: Rows) -> bool:
        return not self.stays <= removed or bool(self.goes & removed)


def tighten(
    variant: Callable[[Rows], Ground],
    keep: Plan,
    rows: Iterable[Removable],
    *,
    named: Callable[[Row], Removable | None],
    backend: str = "cpsat",
    limits: Limits = Limits(),  # noqa: B008
    known: Callable[[Tightening], None] = lambda _: None,
) -> Tightening:
    """Take rows away until the plan to keep is the only one.

    Args:
        variant: makes the task without some rows; it may be the same task, changed, as each is used before the
            next is made.
        keep: the plan to keep, whose rows refer to those of `variant`.
        rows: what may be taken away; none that the plan to keep refers to is.
        named: which of `rows` a row of facts is, None if it is none of them.
        backend: who looks for other plans; both CP-SAT and Z3 prove the result.
        limits: its seconds hold for the search; the proof of the result has them again.
        known: told what makes the plan the only one, whenever that is less than before.

    Raises:
        KeptPlanError: the plan to keep is no plan of the task.
        DiagnosticError: the task has no encoding.
        InternalError: a plan does not pass the verifier.
    """
    clock = TimeBudget(limits)
    full = variant(frozenset())
    broken = [
        f.constraint
        for f in judge(full, keep, details="none").findings
        if f.status == "violated" and f.level != "soft"
    ]
    if broken:
        raise KeptPlanError(
            f"the plan to keep does not satisfy {', '.join(broken)}; `planspec verify` says why"
        )
    search = _Search(variant, full, keep, dict.fromkeys(rows), named, clock, backend)
    status = Status.UNKNOWN
    with clock, suppress(LimitReachedError):
        status = search.run(known)
    if status is Status.INFEASIBLE:
        return Tightening(status, other=search.other, seconds=clock.seconds)
    best = search.best
    if best is None:
        return Tightening(Status.UNKNOWN, seconds=clock.seconds)
    validation = validate(variant(best), limits=limits)
    if validation.unique.status != "unique":
        status = Status.UNKNOWN
    elif status is Status.UNKNOWN:
        status = Status.FEASIBLE
    return Tightening(status, search.ordered(best), validation, seconds=clock.seconds)


@dataclass(slots=True)
class _Search:
    """The search for one plan to keep.

    Attributes:
        clauses: each is met by every removal that makes the plan the only one.
        other: the plan that was found last.
        best: the smallest removal so far that makes the plan the only one.
    """

    variant: Callable[[Rows], Ground]
    full: Ground
    keep: Plan
    rows: dict[Removable, None]
    named: Callable[[Row], Removable | None]
    clock: TimeBudget
    backend: str
    clauses: list[_Clause] = field(default_factory=list)
    other: Plan | None = None
    best: Rows | None = None
    _asked: Asked = field(init=False)
    _within: bool = field(init=False)
    _tables: frozenset[str] = field(init=False)
    _looked: dict[t.Constraint, bool] = field(default_factory=dict)
    _needed: Rows = field(init=False)

    def __post_init__(self) -> None:
        self._asked = asked(self.full)
        self._within = in_scope(self.full, self.keep)
        self._tables = frozenset(row.table for row in self.rows)
        for row in self._rows(_references(self.keep)):
            del self.rows[row]
        self._needed = self._relied(self.full, self.keep) or frozenset()

    def ordered(self, removed: Rows) -> tuple[Removable, ...]:
        """The rows in the order of their tables."""
        return tuple(row for row in self.rows if row in removed)

    def run(self, known: Callable[[Tightening], None]) -> Status:
        """OPTIMAL where no removal is smaller than `best`; INFEASIBLE where there is none; UNKNOWN when time is out."""
        removed: Rows = frozenset()
        while True:
            status = self._others(removed)
            if status is Status.UNKNOWN:
                return status
            if status is Status.INFEASIBLE and (self.best is None or len(removed) < len(self.best)):
                self.best = removed
                known(Tightening(Status.UNKNOWN, self.ordered(removed), seconds=self.clock.seconds))
            grown = None if status is Status.INFEASIBLE else self._grown(removed)
            if grown is None:
                status, grown = self._smallest()
                if status is not Status.OPTIMAL:
                    return status
                if self.best is not None and len(grown) == len(self.best):
                    return status
            removed = grown

    # -- other plans ------------------------------------------------------------------------------

    def _others(self, removed: Rows) -> Status:
        """Learn from other plans that are left without these rows; INFEASIBLE if there is none.

        What makes the plan to keep lie outside of the search is learnt, too.
        """
        lowered = lower(self.variant(removed))
        different = forbid_plan(lowered, self.keep)
        if different is None:
            if not removed:
                raise KeptPlanError("the plan to keep is outside the task's scope")
            self.clauses.append(_Clause(removed, self._all - removed))
            return Status.FEASIBLE
        session = named_backend(self.backend).open(lowered.problem, self.clock.limits)
        session.add(different, "another plan")
        distance = apart(lowered, self.keep)
        found: list[Plan] = []
        outcome = self.clock.ask(session, minimize=distance)
        while outcome.found:
            found.append(witness(lowered, outcome.values))
            session.add(beside(lowered, self.keep, outcome.values), "none of its rows")
            outcome = self.clock.ask(session, minimize=distance)
        if not found:
            return outcome.status
        self.other = found[-1]
        full = self.variant(frozenset())
        here: list[Plan] = []
        for plan in found:
            relied = self._relied(full, plan)
            if relied is not None:
                self.clauses.append(_Clause(frozenset(), relied))
            if relied is None or relied & removed:
                here.append(plan)
        if here:  # with all rows there it is no plan, or for another reason: it follows from what is gone now
            ground = self.variant(removed)
            for plan in here:
                relied = self._relied(ground, plan)
                self.clauses.append(_Clause(removed, self._all - removed if relied is None else relied))
        return Status.FEASIBLE

    def _relied(self, ground: Ground, plan: Plan) -> Rows | None:
        """Rows with which the plan stays one, whatever others go and as long as the same is asked; None if it is none."""
        if not in_scope(ground, plan) and plan is not self.keep:
            return None
        noting = Reliance(ground.task, plan, self._tables)
        noting.note(_references(plan))
        self._note_scope(ground, plan, noting)
        for instance in ground.instances:
            rule = instance.constraint
            if (
                instance.applicable
                and rule.hard
                and self._looks(rule)
                and not noting.holds(rule.body, instance.env)
            ):
                return None
        return self._rows(noting.noted)

    def _note_scope(self, ground: Ground, plan: Plan, noting: Reliance) -> None:
        """Note the rows with which the plan stays in scope."""
        for entry in ground.task.scope:
            if not entry.optional and self._mentions(*clause_expressions(entry.clauses)):
                for _ in noting.bindings(entry.clauses, {}):
                    pass
        for name, rows in plan.tables.items():
            for row, place in zip(rows, places_of(ground, name, rows), strict=True):
                if place is None:
                    continue
                for clause in place.entry.clauses:
                    bound = tuple(place.env[target] for target in clause.targets)
                    noting.contains(clause.source, bound if len(bound) > 1 else bound[0], place.env)
                    if clause.condition is not None:
                        noting.holds(clause.condition, place.env)
                for column, stated in place.entry.fields.items():
                    if stated.many:
                        noting.contains(stated.domain, getattr(row, column), place.env)
                    else:
                        noting.value(stated.domain, place.env)

    def _looks(self, rule: t.Constraint) -> bool:
        if rule not in self._looked:
            self._looked[rule] = self._mentions(rule.body)
        return self._looked[rule]

    def _mentions(self, *exprs: t.Expr) -> bool:
        return any(
            isinstance(node, t.AllRows | t.Lookup) and node.table.name in self._tables
            for node in walk(*exprs)
        )

    @property
    def _all(self) -> Rows:
        return frozenset(self.rows)

    def _rows(self, rows: Iterable[Row]) -> Rows:
        return frozenset(row for row in map(self.named, rows) if row in self.rows)

    # -- what goes --------------------------------------------------------------------------------

    def _grown(self, removed: Rows) -> Rows | None:
        """More rows gone, none of which the plan to keep relies on, so that all clauses are met; None if that fails."""
        grown = set(removed)
        left = [clause for clause in self.clauses if not clause.met(removed)]
        while left:
            counts: dict[Removable, int] = {}
            for clause in left:
                free = clause.goes - self._needed
                if not free:
                    return None
                counts.update((row, counts.get(row, 0) + 1) for row in free)
            most = max(counts.values())
            grown.add(next(row for row in self.rows if counts.get(row) == most))
            left = [clause for clause in left if not clause.met(frozenset(grown))]
        made = frozenset(grown)
        return made if self._kept(made) else None

    def _smallest(self) -> tuple[Status, Rows]:
        """A smallest set of rows that meets all clauses, and without which the plan to keep still holds."""
        while True:
            status, chosen = _smallest_removal(self.clauses, list(self.rows), self.clock)
            if status is not Status.OPTIMAL or self._kept(chosen):
                return status, chosen

    def _kept(self, removed: Rows) -> bool:
        """The plan to keep holds without these rows; learns from it if not."""
        if self._holds(removed):
            return True
        least = removed & self._needed
        if self._holds(least):
            least = removed
        for row in self.ordered(least):
            if not self._holds(least - {row}):
                least -= {row}
        self.clauses.append(_Clause(least, self._spoilt(least)))
        if self.clauses[-1].met(removed):  # with more rows gone it fails for another reason
            self.clauses.append(_Clause(removed, self._spoilt(removed)))
        return False

    def _ground(self, removed: Rows) -> Ground | None:
        try:
            return self.variant(removed)
        except DiagnosticError:  # as where a field has no value left
            return None

    def _holds(self, removed: Rows) -> bool:
        """The plan to keep satisfies the task without these rows, and that asks the same of it."""
        ground = self._ground(removed)
        return (
            ground is not None
            and asked(ground) == self._asked
            and (not self._within or in_scope(ground, self.keep))
            and judge(ground, Plan(self.keep.tables), details="none").status == "pass"
        )

    def _spoilt(self, removed: Rows) -> Rows:
        """The remaining rows of which some have to go, too, before the plan to keep holds again."""
        ground = self._ground(removed)
        if ground is None:
            return self._all - removed
        noting = Reliance(ground.task, self.keep, self._tables)
        if asked(ground) != self._asked:
            for rule in ground.task.constraints:
                for env in noting.bindings(rule.clauses, {}):
                    if rule.when is not None:
                        noting.holds(rule.when, env)
            return self._rows(noting.noted)
        for instance in ground.instances:
            rule = instance.constraint
            if instance.applicable and rule.hard and self._looks(rule):
                noting.noted = set()
                if not noting.holds(rule.body, instance.env):
                    return self._rows(noting.noted)
        return self._all - removed


def _smallest_removal(
    clauses: Sequence[_Clause], rows: Sequence[Removable], clock: TimeBudget
) -> tuple[Status, Rows]:
    """A smallest set of rows that meets all clauses."""
    model = NodeBuilder()
    gone: dict[Removable, Bool] = {
        row: model.member(model.var(str(i), Domain.interval(0, 1)), Domain.of([1]))
        for i, row in enumerate(rows)
    }
    session = named_backend("cpsat").open(Problem(model, [], [], (), [], {}), clock.limits)
    for clause in clauses:
        stays = [model.negate(gone[row]) for row in rows if row in clause.stays]
        session.add(model.disj([*stays, *(gone[row] for row in rows if row in clause.goes)]))
    outcome = clock.ask(session, minimize=model.sum(model.indicator(x) for x in gone.values()))
    chosen = (row for row, var in zip(gone, model.vars, strict=True) if outcome.values.get(var.id) == 1)
    return outcome.status, frozenset(chosen)


def _references(plan: Plan) -> Iterator[Row]:
    """The rows of facts that a plan's rows refer to."""
    for rows in plan.tables.values():
        for row in rows:
            for column in row._table.columns:
                value = getattr(row, column)
                for part in value if isinstance(value, tuple) else (value,):
                    if isinstance(part, Row):
                        yield part
