"""A task made unique by taking availability away, as little as possible: an implicit hitting set.

Every plan but the one to keep must lose something that it needs. For each other plan that is found, a minimal set
of removable rows is worked out without which it fails; any removal that excludes the plan takes one of them. A
smallest set that hits all of these is taken away, and another plan is looked for, until there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from planspec.dsl import tree as t
from planspec.dsl.task import Task
from planspec.dsl.walk import walk
from planspec.solvers import backend as backends
from planspec.solvers.clock import Clock
from planspec.solvers.domain import Domain
from planspec.solvers.ir import Bool, Problem
from planspec.solvers.model import Model
from planspec.solvers.outcome import Limits, Status
from planspec.solvers.problem import lower
from planspec.solvers.prove import Validation, forbid_plan, validate, witness
from planspec.verifiers.ground import Ground
from planspec.verifiers.judge import judge
from planspec.verifiers.plan_rows import Plan


@dataclass(frozen=True, slots=True)
class Removable:
    """A row of facts, by the cells that tell it from others."""

    table: str
    cells: tuple[tuple[str, Any], ...]


Rows = frozenset[Removable]


@dataclass(frozen=True, slots=True)
class Tightening:
    """What was taken away.

    Attributes:
        status: OPTIMAL: with `removed` gone the plan is the only one, and no fewer rows would do; FEASIBLE: it is
            the only one; INFEASIBLE: no removal makes it so; UNKNOWN: a limit was reached, or
            `other` could not be excluded and the rules' form does not show that nothing can.
        removed: rows to leave out, in the order of their tables.
        validation: of the result, by both back ends; None unless there is one.
        other: where it is impossible, a plan that cannot be excluded.
    """

    status: Status
    removed: tuple[Removable, ...] = ()
    validation: Validation | None = None
    other: Plan | None = None
    seconds: float = 0.0

    @property
    def smallest(self) -> bool:
        """No fewer rows would do."""
        return self.status is Status.OPTIMAL


Asked: TypeAlias = tuple[tuple[str, bool], ...]
"""The instances of a task's constraints, and which of them apply."""


def asked(ground: Ground) -> Asked:
    """What a task asks: rows of facts may decide it, too."""
    return tuple((instance.id, instance.applicable) for instance in ground.instances)


class KeepFails(ValueError):
    """The plan to keep does not satisfy the task, or lies outside its scope."""


@dataclass(slots=True)
class _Search:
    variant: Callable[[Rows], Ground]
    rows: Sequence[Removable]
    clock: Clock
    backend: str
    known: Callable[[Tightening], None]
    asked: Asked
    needs: list[Rows] = field(default_factory=list)  # one row of each is to go
    spares: list[Rows] = field(default_factory=list)  # not all rows of each may go

    def holds(self, plan: Plan, removed: Rows) -> bool:
        """The plan satisfies the task without these rows, and that asks the same of it."""
        ground = self.variant(removed)
        return asked(ground) == self.asked and judge(ground, plan, details="none").status == "pass"

    def support(self, plan: Plan, removed: Rows, rows: Sequence[Removable]) -> Rows | None:
        """A minimal part of `rows` that must stay for the plan to hold, all others gone; None if none must.

        By QuickXplain (Junker, "Preferred explanations and relaxations for over-constrained problems", 2004).
        """
        if self.holds(plan, removed | set(rows)):
            return None
        return frozenset(self._needed(plan, removed | set(rows), frozenset(), False, list(rows)))

    def _needed(
        self, plan: Plan, gone: Rows, kept: Rows, grown: bool, rows: list[Removable]
    ) -> list[Removable]:
        if grown and self.holds(plan, gone - kept):
            return []
        if len(rows) == 1:
            return rows
        middle = len(rows) // 2
        first, second = rows[:middle], rows[middle:]
        from_second = self._needed(plan, gone, kept | set(first), True, second)
        from_first = self._needed(plan, gone, kept | set(from_second), bool(from_second), first)
        return from_first + from_second


def tighten(
    variant: Callable[[Rows], Ground],
    keep: Plan,
    rows: Iterable[Removable],
    *,
    backend: str = "cpsat",
    limits: Limits = Limits(),  # noqa: B008
    known: Callable[[Tightening], None] = lambda _: None,
) -> Tightening:
    """Take rows away until the plan to keep is the only one.

    Args:
        variant: makes the task without some rows; it may be the same task, changed, as each is used before the
            next is made.
        keep: the plan to keep, whose rows refer to those of `variant`.
        rows: what may be taken away.
        backend: who looks for other plans; both CP-SAT and Z3 prove the result.
        limits: its seconds hold for the search; each proof of the result has them again.
        known: told what has to go so far.

    Raises:
        KeepFails: the plan to keep is no plan of the task.
        DiagnosticError: the task has no encoding.
        InternalError: a plan does not pass the verifier.
    """
    clock = Clock(limits)
    full = variant(frozenset())
    search = _Search(variant, tuple(dict.fromkeys(rows)), clock, backend, known, asked(full))
    broken = [
        f.constraint
        for f in judge(variant(frozenset()), keep, details="none").findings
        if f.status == "violated" and f.level != "soft"
    ]
    if broken:
        raise KeepFails(f"the plan to keep does not satisfy {', '.join(broken)}; `planspec verify` says why")
    free = list(search.rows)
    needed = search.support(keep, frozenset(), free) or frozenset()
    for row in sorted(needed, key=free.index):  # only of these one alone can matter
        if not search.holds(keep, frozenset({row})):
            free.remove(row)
    if asked(variant(frozenset(free))) != search.asked:  # without all of them other rules would apply
        free = [row for row in free if row not in needed]
    smallest = only_worse(full.task, {row.table for row in search.rows})
    # where fewer rows could also make a plan hold, what did not help here might help elsewhere
    nothing = Status.INFEASIBLE if smallest else Status.UNKNOWN
    removed: Rows = frozenset()
    while True:
        lowered = lower(variant(removed))
        session = backends.backend(backend).open(lowered.problem, limits)
        different = forbid_plan(lowered, keep)
        if different is None:
            raise KeepFails("the plan to keep is outside the task's scope")
        session.add(different, "another plan")
        outcome = clock.ask(session)
        if outcome.status is Status.UNKNOWN:
            return Tightening(Status.UNKNOWN, _ordered(search, removed), seconds=clock.seconds)
        if not outcome.found:
            break
        other = witness(lowered, outcome.values)
        need = search.support(other, removed, [row for row in free if row not in removed])
        if need is None:
            return Tightening(nothing, _ordered(search, removed), other=other, seconds=clock.seconds)
        search.needs.append(need)
        hit = _smallest_hit(search, keep, free)
        if hit is None:
            status = nothing if clock.left != 0.0 else Status.UNKNOWN
            return Tightening(status, _ordered(search, removed), other=other, seconds=clock.seconds)
        removed = hit
        known(Tightening(Status.UNKNOWN, _ordered(search, removed), seconds=clock.seconds))
    validation = validate(variant(removed), limits=limits)
    proved = validation.unique.status == "unique"
    status = (Status.OPTIMAL if smallest else Status.FEASIBLE) if proved else Status.UNKNOWN
    return Tightening(status, _ordered(search, removed), validation, seconds=clock.seconds)


def _smallest_hit(search: _Search, keep: Plan, free: Sequence[Removable]) -> Rows | None:
    """A smallest set of rows with one of every need, without which the plan to keep still holds."""
    while True:
        model = Model()
        gone: dict[Removable, Bool] = {
            row: model.member(model.var(str(i), Domain.interval(0, 1)), Domain.of([1]))
            for i, row in enumerate(dict.fromkeys(row for need in search.needs for row in need))
        }
        problem = Problem(model, [], [], None, [], {})
        session = backends.backend("cpsat").open(problem, search.clock.limits)
        for need in search.needs:
            session.add(model.disj(gone[row] for row in sorted(need, key=free.index)))
        for spare in search.spares:
            if spare <= gone.keys():
                session.add(model.negate(model.conj(gone[row] for row in spare)))
        outcome = search.clock.ask(session, minimize=model.sum(model.indicator(x) for x in gone.values()))
        if outcome.status is not Status.OPTIMAL:
            return None
        chosen = frozenset(
            row for row, var in zip(gone, model.vars, strict=True) if outcome.values[var.id] == 1
        )
        if search.holds(keep, chosen):
            return chosen
        broken = chosen
        for row in sorted(chosen, key=free.index):
            if not search.holds(keep, broken - {row}):
                broken -= {row}
        search.spares.append(broken)


def _ordered(search: _Search, removed: Rows) -> tuple[Removable, ...]:
    return tuple(row for row in search.rows if row in removed)


def only_worse(task: Task, tables: set[str]) -> bool:
    """Whether fewer rows in the tables can only make plans fail, as far as the rules' form shows it.

    It does where the tables are asked only whether some row is there: looked up, or searched by `any`, within
    atoms that are not negated, without `??`, `is none` or a condition of `if` on top, and not in the scope. A
    `when:` or `for ... if` may ask for them only such that it cannot change to and fro: as it is the same with
    all rows and without those that may go, it is the same in between.
    """
    static = [
        e for c in task.constraints for e in (c.when, *(x.condition for x in c.clauses)) if e is not None
    ]
    ranged = [x.source for c in task.constraints for x in c.clauses]
    scope = [f.domain for row in task.scope for f in row.fields.values()]
    scope += [e for row in task.scope for x in row.clauses for e in (x.source, x.condition) if e is not None]
    return (
        not any(_mentions(e, tables) for e in (*ranged, *scope))
        and all(_grows(e, tables, True) or _grows(e, tables, False) for e in static)
        and all(_grows(c.body, tables, True) for c in task.constraints if c.hard)
    )


def _mentions(expr: t.Expr, tables: set[str]) -> bool:
    for node in walk(expr):
        if isinstance(node, t.AllRows | t.Lookup) and node.table.name in tables:
            return True
        if isinstance(node, t.Apply) and _mentions(node.definition.body, tables):
            return True
    return False


def _grows(expr: t.Expr, tables: set[str], wanted: bool) -> bool:
    """With more rows the condition can only become true (`wanted`), or only false."""
    if not _mentions(expr, tables):
        return True
    match expr:
        case t.Logic(op="and" | "or", operands=xs):
            return all(_grows(x, tables, wanted) for x in xs)
        case t.Logic(operands=(a, b)):
            return _grows(a, tables, not wanted) and _grows(b, tables, wanted)
        case t.Not(operand=x):
            return _grows(x, tables, not wanted)
        case t.Compare() | t.InSet():
            return wanted and _strict(expr, tables)
        case t.Apply(definition=definition, args=args):
            return not any(_mentions(a, tables) for a in args) and _grows(definition.body, tables, wanted)
        case t.Aggregate(function="all" | "any" as name, clauses=clauses, body=body):
            searched = wanted if name == "any" else not wanted
            return _grows(body, tables, wanted) and all(
                (searched if _mentions(c.source, tables) else True)
                and (c.condition is None or _grows(c.condition, tables, searched))
                for c in clauses
            )
    return False


def _strict(expr: t.Expr, tables: set[str]) -> bool:
    """The tables are only looked up in it, and what is not there makes the whole none."""
    for node in walk(expr):
        if isinstance(node, t.Apply) and _mentions(node.definition.body, tables):
            return False
        if isinstance(node, t.Coalesce | t.Conditional | t.IsNone | t.Aggregate | t.SetOf) and _mentions(
            node, tables
        ):
            return False
        if isinstance(node, t.AllRows) and node.table.name in tables:
            return False
        if isinstance(node, t.Lookup) and node.table.name in tables and len(node.keys) < len(node.table.key):
            return False  # of several rows one may be left, and then it is found
    return True
