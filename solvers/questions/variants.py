"""Search for plans that distinguish a constraint of a task from variants of the constraint, or for a proof of none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from planspec.dsl.diagnostics.diagnostic import DiagnosticError, Report
from planspec.dsl.model import tree as t
from planspec.errors import LimitReachedError
from planspec.solvers.backends.outcome import Outcome, Status
from planspec.solvers.backends.register import backend
from planspec.solvers.ir.builder import BoundError
from planspec.solvers.ir.nodes import FALSE, TRUE, Bool, Linear
from planspec.solvers.lowering.lower import Lowering
from planspec.solvers.lowering.problem import Lowered, lower, report_unsupported
from planspec.solvers.lowering.symbolic import NotSupportedError
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.distance import Distance
from planspec.solvers.questions.second_look import second_look
from planspec.verifiers.meaning.ground import Ground, Instance
from planspec.verifiers.meaning.plan_rows import Plan

NEARER_S = 3.0
"""Maximum seconds of the search for a plan that is nearer to a given plan, after a first plan was found."""
_Question: TypeAlias = tuple[Bool, ...]
"""Conditions that a plan must satisfy to distinguish a constraint from its variant."""


@dataclass(frozen=True, slots=True)
class Distinction:
    """The result of a search for a plan that distinguishes a constraint of a task from a variant of the constraint.

    Attributes:
        status: `different` if `plan` is such a plan; `same` if there is provably none in scope; else `unknown`.
        plan: the plan, which no verifier has judged yet; None if none was found.
        by: back ends that prove the status `same`.
        reason: message that explains the status `unknown`: a limit was reached, or an expression has no encoding.
    """

    status: Literal["different", "same", "unknown"]
    plan: Plan | None = None
    by: tuple[str, ...] = ()
    reason: str | None = None


class VariantSearch:
    """A search for plans that distinguish a constraint of a task from variants of the constraint.

    A variant replaces the constraint, for example by a weaker constraint, or drops it. A plan that distinguishes the
    two satisfies all other hard constraints of the task. If the constraint is hard, the plan violates either the
    constraint or the variant, but not both. If the constraint is soft, the violated instances (bindings of variables)
    of the constraint differ from those of the variant.

    The searches for all variants share one problem: the task without the constraint.

    Args:
        ground: the task.
        constraint: the constraint of which variants are examined.
        near: plan from which the results should differ little; None for no preference.
        backend: name of the back end that searches.
    """

    def __init__(
        self, ground: Ground, constraint: t.Constraint, near: Plan | None = None, *, backend: str = "cpsat"
    ) -> None:
        self._ground = ground
        self._constraint = constraint
        self._near = near
        self._backend = backend
        self._own = [instance for instance in ground.instances if instance.constraint is constraint]
        self._prepared: _Prepared | None = None
        self._failure: str | None = None

    def ask(self, instances: Sequence[Instance], clock: TimeBudget) -> Distinction:
        """Search for a plan that distinguishes the constraint from one of its variants.

        If the search has a plan `near`, it continues for a few seconds to find a plan nearer to it.

        Args:
            instances: instances of the variant; empty if the variant drops the constraint.
            clock: limits on the search. The first search also prepares the shared problem.
        """
        if self._failure is not None:
            return Distinction("unknown", reason=self._failure)
        backend(self._backend)  # imports the solver now, so that no time limit includes the import
        try:
            with clock:
                prepared = self._prepare()
                questions = tuple(self._questions(prepared, instances))
        except DiagnosticError as error:
            if self._prepared is None:
                self._failure = str(error)
            return Distinction("unknown", reason=str(error))
        except LimitReachedError as limit:
            if self._prepared is None:
                self._failure = str(limit)
            return Distinction("unknown", reason=str(limit))
        by: dict[str, None] = {self._backend: None}
        late: Outcome | None = None
        for number, question in enumerate(questions):
            part = clock.share(len(questions) - number)
            outcome = self._find(prepared, question, part)
            if outcome.found:
                return Distinction("different", prepared.lowered.decode(outcome.values))
            if outcome.status is not Status.INFEASIBLE:
                late = late or outcome
                continue
            look = second_look(prepared.lowered.problem, question, by=self._backend, clock=part)
            if look.values is not None:
                return Distinction("different", prepared.lowered.decode(look.values))
            by |= dict.fromkeys(look.by)
        if late is not None:
            return Distinction("unknown", reason=str(LimitReachedError(late.reason or "time")))
        return Distinction("same", by=tuple(by))

    def _prepare(self) -> _Prepared:
        """Return the shared problem: the task without the constraint."""
        if self._prepared is None:
            others = tuple(
                instance
                for instance in self._ground.instances
                if instance.constraint.hard and instance.constraint is not self._constraint
            )
            lowered = lower(replace(self._ground, task=replace(self._ground.task, objectives=()), instances=others))
            lowering = Lowering(self._ground, lowered.problem.model, lowered.slots, lowered.coding)
            own = [(instance.id, condition) for instance, condition in _conditions(lowering, self._own)]
            distance, matching = _distance(lowered, self._near)
            self._prepared = _Prepared(lowered, lowering, own, distance, matching)
        return self._prepared

    def _questions(self, prepared: _Prepared, instances: Sequence[Instance]) -> Iterator[_Question]:
        """Yield the conditions of each query for a solver. Queries that clearly have no plan are left out."""
        model = prepared.lowered.problem.model
        own = dict(prepared.own)
        variant = {instance.id: condition for instance, condition in _conditions(prepared.lowering, instances)}
        if self._constraint.hard:
            sides = (variant.values(), own.values()), (own.values(), variant.values())
            for accepting, refusing in sides:
                shared = set(map(id, accepting))
                refused = model.disj(model.negate(condition) for condition in refusing if id(condition) not in shared)
                question = (*accepting, refused)
                if not any(condition is FALSE for condition in question):
                    yield question
            return
        differing = model.disj(
            part
            for name in own | variant
            for one, other in [(own.get(name, TRUE), variant.get(name, TRUE))]
            if one is not other
            for part in (model.conj((one, model.negate(other))), model.conj((other, model.negate(one))))
        )
        if differing is not FALSE:
            yield (differing,)

    def _find(self, prepared: _Prepared, question: _Question, clock: TimeBudget) -> Outcome:
        """Search for a plan that satisfies a query's conditions and is near the plan `near`."""
        try:
            with clock:
                session = backend(self._backend).open(prepared.lowered.problem, clock.rest)
                for condition in question:
                    if condition is not TRUE:
                        session.add(condition, "told apart")
                outcome = clock.ask(session)
                if not outcome.found or prepared.distance is None:
                    return outcome
                for condition in prepared.matching:
                    session.add(condition, "matching of rows")
        except LimitReachedError as limit:
            return Outcome(Status.UNKNOWN, reason=limit.reason)
        nearer = clock.at_most(NEARER_S).ask(session, minimize=prepared.distance, hint=outcome.values)
        return nearer if nearer.found else outcome


@dataclass(frozen=True, slots=True, eq=False)
class _Prepared:
    """The problem that the searches for all variants of a constraint share: the task without the constraint.

    Attributes:
        lowered: the task without the constraint, translated into a problem for solvers.
        lowering: translator of further conditions into expressions of that problem.
        own: id and condition of each instance of the constraint.
        distance: distance from the plan `near`; None if there is no such plan.
        matching: conditions that the distance needs: each row matches at most one other row.
    """

    lowered: Lowered
    lowering: Lowering
    own: Sequence[tuple[str, Bool]]
    distance: Linear | None
    matching: Sequence[Bool]


def _conditions(lowering: Lowering, instances: Sequence[Instance]) -> Iterator[tuple[Instance, Bool]]:
    """Yield the applicable constraint instances with their conditions.

    Raises:
        DiagnosticError: an instance has no encoding (PS501, PS502), or a number in its encoding may exceed 2**53
            (PS503).
    """
    report = Report()
    for instance in instances:
        if not instance.applicable:
            continue
        try:
            yield instance, lowering.condition(instance.constraint.body, instance.env)
        except (NotSupportedError, BoundError) as error:
            report_unsupported(error, instance.constraint.body, report)
            report.stop_if_failed()


def _distance(lowered: Lowered, near: Plan | None) -> tuple[Linear | None, Sequence[Bool]]:
    """Return a linear expression for the number of cells that differ from `near`, and the conditions that it needs.

    A row that is added or removed counts as one more than the number of its cells.
    """
    if near is None:
        return None, ()
    model = lowered.problem.model
    levels = Distance(lowered, near).levels()
    cells = max(len(table.columns) for table in lowered.ground.task.plan_tables)
    return model.plus(model.scale(levels.linears["rows"], cells + 1), levels.linears["fields"]), levels.conditions
