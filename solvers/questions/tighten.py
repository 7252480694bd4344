"""Search for a minimum set of rows of facts whose removal makes a plan the only one, by implicit hitting sets.

At least one of the rows on which another plan relies must be removed. Each other plan that is found yields such a
clause. A smallest set of rows that satisfies all clauses is removed, and the search for other plans is repeated until
there are none (Moreno-Centeno and Karp, "The implicit hitting set approach to solve combinatorial optimization
problems", Operations Research 61, 2013). The verifier records the rows on which a plan relies, so the rules may have
any form. We depart from the scheme in three ways:

- The search prefers plans near the plan to keep, because they rely on few rows that the plan to keep does not need.
- It finds several plans per removal. Each has none of the new rows (rows that the plan to keep lacks) of the earlier
  plans.
- Removals are first extended by rows that the plan to keep does not need, until it is the only plan. So there is a
  result before a smallest removal is proved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.model import tree as t
from planspec.dsl.model.rows import Row
from planspec.dsl.model.traversal import clause_expressions, walk
from planspec.errors import KeptPlanError, LimitReachedError
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.backends.register import backend as named_backend
from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.domain import Domain
from planspec.solvers.ir.nodes import Bool
from planspec.solvers.ir.problem import Problem
from planspec.solvers.lowering.problem import lower
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.exclusion import forbid_plan, row_distance, without_new_rows
from planspec.solvers.questions.validation import Validation, validate
from planspec.solvers.questions.witness import witness
from planspec.verifiers.meaning.ground import Ground
from planspec.verifiers.meaning.judge import judge
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.plan_shape import assign_to_scope, is_in_scope
from planspec.verifiers.meaning.reliance import RelianceInterpreter


@dataclass(frozen=True, slots=True)
class Removable:
    """A row of facts that may be removed.

    Attributes:
        table: name of the row's table.
        cells: pairs of a column and a value that distinguish the row from the other rows.
    """

    table: str
    cells: tuple[tuple[str, Any], ...]


Rows = frozenset[Removable]
"""A set of rows of facts that may be removed."""


@dataclass(frozen=True, slots=True)
class Tightening:
    """The result of `tighten`: the removed rows, and a proof that one plan remains.

    Attributes:
        status: OPTIMAL: without the rows in `removed` the plan is the only one, and fewer rows do not suffice;
            FEASIBLE: without them it is the only one; INFEASIBLE: no removal makes it the only one; UNKNOWN: no
            removal was found or proved in time.
        removed: rows of facts to leave out, in the order of their tables.
        validation: validation by CP-SAT and Z3 that the plan is the only one without `removed`; None if no removal was
            found.
        other: if the status is INFEASIBLE, another plan that can be excluded only together with the plan to keep; else
            None.
        seconds: wall-clock time spent.
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
        """Whether it is proved that fewer rows do not suffice."""
        return self.status is Status.OPTIMAL


Applicability: TypeAlias = tuple[tuple[str, bool], ...]
"""For each constraint instance of a task, its id and whether it applies."""


def applicability(ground: Ground) -> Applicability:
    """Return the id of each constraint instance of a task, and whether it applies, which may depend on facts."""
    return tuple((instance.id, instance.applicable) for instance in ground.instances)


@dataclass(frozen=True, slots=True)
class _Clause:
    """A constraint on the choice of rows of facts to remove.

    Some row of `to_keep` must remain, or some row of `to_remove` must be removed.
    """

    to_keep: Rows
    to_remove: Rows

    def is_met(self, removed: Rows) -> bool:
        return not self.to_keep <= removed or bool(self.to_remove & removed)


def tighten(
    variant: Callable[[Rows], Ground],
    keep: Plan,
    rows: Iterable[Removable],
    *,
    identify: Callable[[Row], Removable | None],
    backend: str = "cpsat",
    limits: Limits = Limits(),  # noqa: B008
    on_progress: Callable[[Tightening], None] = lambda _: None,
) -> Tightening:
    """Remove as few rows of facts as possible so that the plan `keep` is the only one that the task accepts.

    Args:
        variant: function that returns the task without the given rows. Each result is used before the next call, so the
            function may modify and return the same object each time.
        keep: the plan to keep. References in its rows are rows of the tasks that `variant` returns.
        rows: rows that may be removed. Among them, rows to which the plan to keep refers are never removed.
        identify: function that returns the member of `rows` for a row of facts; None if the row is not
            removable.
        backend: name of the back end that searches for other plans; both CP-SAT and Z3 prove the result.
        limits: limits on the search; they also apply separately to the proof of the result.
        on_progress: called whenever a smaller set of rows is found that, if removed, makes `keep` the only plan.

    Raises:
        KeptPlanError: the task does not accept the plan to keep.
        DiagnosticError: part of the task cannot be encoded for solvers.
        InternalError: a plan does not pass the verifier.
    """
    clock = TimeBudget(limits)
    full = variant(frozenset())
    violated = [
        f.constraint for f in judge(full, keep, details="none").findings if f.status == "violated" and f.level != "soft"
    ]
    if violated:
        raise KeptPlanError(f"the plan to keep does not satisfy {', '.join(violated)}; `planspec verify` says why")
    search = _TighteningSearch(variant, full, keep, dict.fromkeys(rows), identify, clock, backend)
    status = Status.UNKNOWN
    with clock, suppress(LimitReachedError):
        status = search.run(on_progress)
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
class _TighteningSearch:
    """A search for a smallest set of rows to remove so that the plan `keep` is the only one.

    Attributes:
        variant: function that returns the task without the given rows.
        full: the task with all rows.
        keep: the plan to keep.
        rows: rows that may be removed, in order.
        identify: function that returns the member of `rows` for a row of facts, or None.
        clock: limit on the search.
        backend: name of the back end that searches for other plans.
        clauses: constraints on the choice of rows to remove. Every set of rows satisfies all of them if its removal
            makes `keep` the only plan.
        other: the plan other than `keep` that was found last; None if none was found.
        best: smallest set of rows found so far that, if removed, makes `keep` the only plan; None if none was found.
    """

    variant: Callable[[Rows], Ground]
    full: Ground
    keep: Plan
    rows: dict[Removable, None]
    identify: Callable[[Row], Removable | None]
    clock: TimeBudget
    backend: str
    clauses: list[_Clause] = field(default_factory=list)
    other: Plan | None = None
    best: Rows | None = None
    _applicability: Applicability = field(init=False)
    _keep_in_scope: bool = field(init=False)
    _tables: frozenset[str] = field(init=False)
    _reads_by_rule: dict[t.Constraint, bool] = field(default_factory=dict)
    _needed: Rows = field(init=False)

    def __post_init__(self) -> None:
        self._applicability = applicability(self.full)
        self._keep_in_scope = is_in_scope(self.full, self.keep)
        self._tables = frozenset(row.table for row in self.rows)
        for row in self._identify_rows(_references(self.keep)):
            del self.rows[row]
        self._needed = self._reliance(self.full, self.keep) or frozenset()

    def ordered(self, removed: Rows) -> tuple[Removable, ...]:
        """Return the removed rows in the order of their tables."""
        return tuple(row for row in self.rows if row in removed)

    def run(self, on_progress: Callable[[Tightening], None]) -> Status:
        """Run the search.

        Return OPTIMAL if `best` is proved smallest, INFEASIBLE if no removal makes `keep` the only plan, and UNKNOWN if
        a limit was reached.
        """
        removed: Rows = frozenset()
        while True:
            status = self._learn_from_others(removed)
            if status is Status.UNKNOWN:
                return status
            if status is Status.INFEASIBLE and (self.best is None or len(removed) < len(self.best)):
                self.best = removed
                on_progress(Tightening(Status.UNKNOWN, self.ordered(removed), seconds=self.clock.seconds))
            extended = None if status is Status.INFEASIBLE else self._extend_removal(removed)
            if extended is None:
                status, extended = self._smallest_surviving()
                if status is not Status.OPTIMAL:
                    return status
                if self.best is not None and len(extended) == len(self.best):
                    return status
            removed = extended

    # -- other plans ------------------------------------------------------------------------------

    def _learn_from_others(self, removed: Rows) -> Status:
        """Find other plans that are still accepted after rows of facts are removed, and add a clause for each.

        If the plan to keep is not in scope after the removal, add a clause that excludes the removal.

        Returns:
            INFEASIBLE if no other plan remains; FEASIBLE if clauses were added; UNKNOWN if a limit was reached.
        """
        lowered = lower(self.variant(removed))
        different = forbid_plan(lowered, self.keep)
        if different is None:
            if not removed:
                raise KeptPlanError("the plan to keep is outside the task's scope")
            self.clauses.append(_Clause(removed, self._all_rows - removed))
            return Status.FEASIBLE
        session = named_backend(self.backend).open(lowered.problem, self.clock.limits)
        session.add(different, "another plan")
        distance = row_distance(lowered, self.keep)
        plans: list[Plan] = []
        outcome = self.clock.ask(session, minimize=distance)
        while outcome.found:
            plans.append(witness(lowered, outcome.values))
            session.add(without_new_rows(lowered, self.keep, outcome.values), "none of its rows")
            outcome = self.clock.ask(session, minimize=distance)
        if not plans:
            return outcome.status
        self.other = plans[-1]
        full = self.variant(frozenset())
        dependent_plans: list[Plan] = []
        for plan in plans:
            reliance = self._reliance(full, plan)
            if reliance is not None:
                self.clauses.append(_Clause(frozenset(), reliance))
            if reliance is None or reliance & removed:
                dependent_plans.append(plan)
        if dependent_plans:  # with all rows, these plans are rejected or rely on removed rows
            ground = self.variant(removed)
            for plan in dependent_plans:
                reliance = self._reliance(ground, plan)
                self.clauses.append(_Clause(removed, self._all_rows - removed if reliance is None else reliance))
        return Status.FEASIBLE

    def _reliance(self, ground: Ground, plan: Plan) -> Rows | None:
        """Return the removable rows of facts on which a plan relies; None if the task does not accept the plan.

        The task accepts the plan as long as these rows remain and the same constraint instances apply.
        """
        if not is_in_scope(ground, plan) and plan is not self.keep:
            return None
        recorder = RelianceInterpreter(ground.task, plan, self._tables)
        recorder.record(_references(plan))
        self._record_scope_rows(ground, plan, recorder)
        for instance in ground.instances:
            rule = instance.constraint
            if (
                instance.applicable
                and rule.hard
                and self._reads_removable(rule)
                and not recorder.holds(rule.body, instance.env)
            ):
                return None
        return self._identify_rows(recorder.recorded_rows)

    def _record_scope_rows(self, ground: Ground, plan: Plan, recorder: RelianceInterpreter) -> None:
        """Record the rows of facts without which the scope would not allow the plan's rows and values."""
        for entry in ground.task.scope:
            if not entry.optional and self._mention_removable(*clause_expressions(entry.clauses)):
                for _ in recorder.bindings(entry.clauses, {}):
                    pass
        for name, rows in plan.tables.items():
            for row, scope_row in zip(rows, assign_to_scope(ground, name, rows), strict=True):
                if scope_row is None:
                    continue
                for clause in scope_row.entry.clauses:
                    bound = tuple(scope_row.env[target] for target in clause.targets)
                    recorder.contains(clause.source, bound if len(bound) > 1 else bound[0], scope_row.env)
                    if clause.condition is not None:
                        recorder.holds(clause.condition, scope_row.env)
                for column, declared in scope_row.entry.fields.items():
                    if declared.many:
                        recorder.contains(declared.domain, getattr(row, column), scope_row.env)
                    else:
                        recorder.value(declared.domain, scope_row.env)

    def _reads_removable(self, rule: t.Constraint) -> bool:
        if rule not in self._reads_by_rule:
            self._reads_by_rule[rule] = self._mention_removable(rule.body)
        return self._reads_by_rule[rule]

    def _mention_removable(self, *exprs: t.Expr) -> bool:
        return any(isinstance(node, t.AllRows | t.Lookup) and node.table.name in self._tables for node in walk(*exprs))

    @property
    def _all_rows(self) -> Rows:
        return frozenset(self.rows)

    def _identify_rows(self, rows: Iterable[Row]) -> Rows:
        """Return the removable rows among given rows of facts."""
        return frozenset(row for row in map(self.identify, rows) if row in self.rows)

    # -- removals ---------------------------------------------------------------------------------

    def _extend_removal(self, removed: Rows) -> Rows | None:
        """Add rows to a set of removed rows until it satisfies all of `clauses`, and return the larger set.

        Only rows that the plan to keep does not need are added. Return None if these cannot satisfy a clause, or if the
        task rejects the plan to keep after the larger removal.
        """
        extended = set(removed)
        unmet_clauses = [clause for clause in self.clauses if not clause.is_met(removed)]
        while unmet_clauses:
            counts: dict[Removable, int] = {}
            for clause in unmet_clauses:
                free = clause.to_remove - self._needed
                if not free:
                    return None
                counts.update((row, counts.get(row, 0) + 1) for row in free)
            max_count = max(counts.values())
            extended.add(next(row for row in self.rows if counts.get(row) == max_count))
            unmet_clauses = [clause for clause in unmet_clauses if not clause.is_met(frozenset(extended))]
        removal = frozenset(extended)
        return removal if self._check_kept(removal) else None

    def _smallest_surviving(self) -> tuple[Status, Rows]:
        """Return the status of the search, and a smallest set of rows of facts to remove.

        The removal satisfies all of `clauses`, and the task still accepts the plan `keep` after it.
        """
        while True:
            status, chosen = _smallest_removal(self.clauses, list(self.rows), self.clock)
            if status is not Status.OPTIMAL or self._check_kept(chosen):
                return status, chosen

    def _check_kept(self, removed: Rows) -> bool:
        """Return whether the task accepts the plan `keep` without the removed rows of facts.

        If not, add clauses that later removals must satisfy so that the task accepts it.
        """
        if self._kept_plan_holds(removed):
            return True
        minimal = removed & self._needed
        if self._kept_plan_holds(minimal):
            minimal = removed
        for row in self.ordered(minimal):
            if not self._kept_plan_holds(minimal - {row}):
                minimal -= {row}
        self.clauses.append(_Clause(minimal, self._rows_to_remove_too(minimal)))
        if self.clauses[-1].is_met(removed):
            # `removed` satisfies the clause, because it also contains a row of the clause's `to_remove`. The plan
            # nevertheless fails, so a second clause must exclude `removed`.
            self.clauses.append(_Clause(removed, self._rows_to_remove_too(removed)))
        return False

    def _variant_or_none(self, removed: Rows) -> Ground | None:
        try:
            return self.variant(removed)
        except DiagnosticError:  # for instance, a field has no value left
            return None

    def _kept_plan_holds(self, removed: Rows) -> bool:
        """Return whether the task accepts the plan `keep` without these rows of facts.

        Return False, too, if other constraint instances apply than before.
        """
        ground = self._variant_or_none(removed)
        return (
            ground is not None
            and applicability(ground) == self._applicability
            and (not self._keep_in_scope or is_in_scope(ground, self.keep))
            and judge(ground, Plan(self.keep.tables), details="none").status == "pass"
        )

    def _rows_to_remove_too(self, removed: Rows) -> Rows:
        """Return rows at least one of which must also be removed before the task accepts the plan `keep` again.

        If exactly the rows in `removed` are removed, the plan is known to fail (see `_kept_plan_holds`).
        """
        ground = self._variant_or_none(removed)
        if ground is None:
            return self._all_rows - removed
        recorder = RelianceInterpreter(ground.task, self.keep, self._tables)
        if applicability(ground) != self._applicability:
            for rule in ground.task.constraints:
                for env in recorder.bindings(rule.clauses, {}):
                    if rule.when is not None:
                        recorder.holds(rule.when, env)
            return self._identify_rows(recorder.recorded_rows)
        for instance in ground.instances:
            rule = instance.constraint
            if instance.applicable and rule.hard and self._reads_removable(rule):
                recorder.recorded_rows = set()
                if not recorder.holds(rule.body, instance.env):
                    return self._identify_rows(recorder.recorded_rows)
        return self._all_rows - removed


def _smallest_removal(clauses: Sequence[_Clause], rows: Sequence[Removable], clock: TimeBudget) -> tuple[Status, Rows]:
    """Search for a smallest set of rows of facts whose removal satisfies all clauses. Return the status and the set."""
    model = NodeBuilder()
    removed: dict[Removable, Bool] = {
        row: model.member(model.var(str(i), Domain.interval(0, 1)), Domain.of([1])) for i, row in enumerate(rows)
    }
    session = named_backend("cpsat").open(Problem(model, [], [], (), [], {}), clock.limits)
    for clause in clauses:
        remaining = [model.negate(removed[row]) for row in rows if row in clause.to_keep]
        session.add(model.disj([*remaining, *(removed[row] for row in rows if row in clause.to_remove)]))
    outcome = clock.ask(session, minimize=model.sum(model.indicator(x) for x in removed.values()))
    chosen = (row for row, var in zip(removed, model.vars, strict=True) if outcome.values.get(var.id) == 1)
    return outcome.status, frozenset(chosen)


def _references(plan: Plan) -> Iterator[Row]:
    """Yield the rows of facts that a plan's rows refer to."""
    for rows in plan.tables.values():
        for row in rows:
            for column in row._table.columns:
                value = getattr(row, column)
                for part in value if isinstance(value, tuple) else (value,):
                    if isinstance(part, Row):
                        yield part
