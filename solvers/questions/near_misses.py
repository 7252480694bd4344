"""Near misses: plans that violate one constraint by the minimum amount and satisfy all others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from planspec.dsl.diagnostics.diagnostic import DiagnosticError, Report
from planspec.dsl.model import tree as t
from planspec.errors import LimitReachedError
from planspec.solvers.backends.outcome import Outcome, Status
from planspec.solvers.backends.register import backend as named_backend
from planspec.solvers.ir.builder import BoundError
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.ir.nodes import FALSE, TRUE, Bool, Linear
from planspec.solvers.lowering.lower import Lowering
from planspec.solvers.lowering.problem import lower, report_unsupported
from planspec.solvers.lowering.symbolic import NotSupportedError, Num
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.field_distance import field_distance
from planspec.solvers.questions.parts import parts_of
from planspec.solvers.questions.relaxed_scope import widen_beyond
from planspec.solvers.questions.second_look import second_look
from planspec.solvers.questions.shortfall import shortfall_of
from planspec.verifiers.meaning.ground import Ground, Instance
from planspec.verifiers.meaning.plan_rows import Plan


@dataclass(frozen=True, slots=True)
class NearMiss:
    """The result of a search for a plan that violates one constraint and satisfies all others.

    Attributes:
        status: `found`; `none` if there is provably no such plan; else `unknown`.
        plan: the plan, which no verifier has judged yet; None if none was found.
        amount: amount by which the plan violates the constraint, such as 5 for a visit that ends 5 minutes too late;
            None if the violation has no amount.
        is_least: whether it is proved that no plan violates the constraint by a smaller amount.
        by: back ends that prove that there is no such plan (`none`), or that no plan has a smaller amount (`found`).
            Empty without such a proof. No proof is needed if the amount is the smallest unit.
        scope: `within` if only plans with the rows and values of the task's scope were searched; `beyond` if other rows
            and values were searched, too.
        reason: message that explains the status `unknown`.
    """

    status: Literal["found", "none", "unknown"]
    plan: Plan | None = None
    amount: Fraction | None = None
    is_least: bool = False
    by: tuple[str, ...] = ()
    scope: Literal["within", "beyond"] = "within"
    reason: str | None = None


class NearMissSearch:
    """A search for plans near a given plan that violate only one hard constraint, by the minimum amount.

    The search starts with the rows and values that the task's scope lists. It continues with all others, which lie on a
    finer grid (such as every minute), if a violation may be smaller there.

    Args:
        ground: the task.
        constraint: the constraint, which is hard.
        near: plan from which the results should differ little; None for no preference.
        backend: name of the back end that searches.

    Attributes:
        parts: parts of the constraint that can be violated separately, such as the lower and the upper bound of a
            range.
    """

    def __init__(self, ground: Ground, constraint: t.Constraint, near: Plan | None, *, backend: str = "cpsat") -> None:
        named_backend(backend)  # imports the solver now, so that no time limit includes the import
        self.parts = parts_of(constraint)
        self._ground = ground
        self._constraint = constraint
        self._near = near
        self._backend = backend
        self._searches: dict[bool, _Search] = {}

    def ask(self, part: t.Constraint, clock: TimeBudget) -> NearMiss:
        """Search for a plan that violates one part of the constraint. Other parts may also be violated.

        Args:
            part: one of `parts`.
            clock: limits on the search. The first search includes preparation.
        """
        within = self._ask(part, clock, is_beyond=False)
        if within.status == "found" and (within.amount is None or (within.is_least and not within.by)):
            return within
        beyond = self._ask(part, clock, is_beyond=True)
        if within.status == "found" and (
            beyond.amount is None or within.amount is None or beyond.amount >= within.amount
        ):
            return within
        return beyond

    def _ask(self, part: t.Constraint, clock: TimeBudget, *, is_beyond: bool) -> NearMiss:
        widened = widen_beyond(self._ground) if is_beyond else None
        ground = self._ground if widened is None else widened.ground
        try:
            if is_beyond not in self._searches:
                with clock:
                    self._searches[is_beyond] = _Search(ground, self._constraint, self._near, self._backend)
            found = self._searches[is_beyond].result(part, clock)
        except (DiagnosticError, LimitReachedError) as error:
            return NearMiss("unknown", reason=str(error))
        is_complete = widened is not None and not (found.status == "none" and widened.unremovable)
        return replace(found, scope="beyond") if is_complete else found


class _Search:
    """A search for near misses among the plans with the rows and values that a task's scope lists.

    Args:
        ground: the task with that scope.
        constraint: the constraint that the plan violates.
        near: plan from which the result should differ little; None for no preference.
        backend: name of the back end that searches.

    Raises:
        DiagnosticError: part of the task cannot be encoded for solvers.
    """

    def __init__(self, ground: Ground, constraint: t.Constraint, near: Plan | None, backend: str) -> None:
        others = tuple(i for i in ground.instances if i.constraint.hard and i.constraint is not constraint)
        self._own = [i for i in ground.instances if i.constraint is constraint and i.applicable]
        self._lowered = lower(replace(ground, task=replace(ground.task, objectives=()), instances=others))
        self._model = self._lowered.problem.model
        self._lowering = Lowering(ground, self._model, self._lowered.slots, self._lowered.coding)
        self._backend = backend
        self._distance = None if near is None else field_distance(self._lowered, near)

    def result(self, part: t.Constraint, clock: TimeBudget) -> NearMiss:
        """Return a plan that violates the part by the minimum amount, the nearest one on a tie.

        If the violation has no amount, return the nearest plan that violates the part.

        Args:
            part: part of the constraint to violate.
            clock: limits on the search.

        Raises:
            DiagnosticError: the part has no encoding.
            LimitReachedError: the limit was reached before a plan was found.
        """
        own = [replace(instance, constraint=part) for instance in self._own]
        with clock:
            violated = self._model.negate(self._model.conj(self._conditions(own)))
        if violated is FALSE:
            return NearMiss("none", by=(self._backend,))
        nearest = self._ask((violated,), self._distance, clock.share(3))
        if nearest.status is Status.INFEASIBLE:
            look = second_look(self._lowered.problem, (violated,), by=self._backend, clock=clock)
            if look.values is None:
                return NearMiss("none", by=look.by)
            return NearMiss("found", self._lowered.decode(look.values))
        amount = self._amount(own, clock.share(3))
        least = None if amount is None else self._least(violated, amount, nearest, clock)
        if least is not None:
            return least
        if nearest.found:
            return NearMiss("found", self._lowered.decode(nearest.values))
        return NearMiss("unknown", reason=str(LimitReachedError(nearest.reason or "time")))

    def _conditions(self, instances: Iterable[Instance]) -> Sequence[Bool]:
        """Return the conditions of constraint instances."""
        report = Report()
        conditions: list[Bool] = []
        for instance in instances:
            try:
                conditions.append(self._lowering.condition(instance.constraint.body, instance.env))
            except (NotSupportedError, BoundError) as error:
                report_unsupported(error, instance.constraint.body, report)
        report.stop_if_failed()
        return conditions

    def _amount(self, instances: Sequence[Instance], clock: TimeBudget) -> Num | None:
        """Return the amount by which the instances are violated; None if they have no amount, or if time ran out."""
        try:
            shortfall = shortfall_of(self._lowering, instances, clock)
        except (NotSupportedError, LimitReachedError):  # this includes numbers beyond 2**53
            return None
        return None if shortfall is None or shortfall.linear.high < 1 else shortfall

    def _least(self, violated: Bool, number: Num, start: Outcome, clock: TimeBudget) -> NearMiss | None:
        """Return the plan with the smallest amount of violation that was found in time; None if none was found.

        On a tie, a plan near the plan `near` of the search is preferred.

        Args:
            violated: condition that the constraint is violated.
            number: amount of the violation.
            start: an earlier outcome. If it has an assignment, that assignment violates the constraint.
            clock: limit on the search.
        """
        model, amount = self._model, number.linear
        conditions = [violated, model.at_most_zero(model.minus(model.constant(1), amount))]
        if not start.found or evaluate(amount, start.values) < 1:
            start = self._ask(conditions, self._distance, clock.share(3))
        if not start.found:
            return None
        least = evaluate(amount, start.values)
        if least == 1:
            return NearMiss("found", self._lowered.decode(start.values), Fraction(1, number.scale), is_least=True)
        smaller = self._ask((*conditions, self._at_most(amount, least - 1)), amount, clock.share(2), start)
        by: tuple[str, ...] = ()
        if smaller.found:
            least = evaluate(amount, smaller.values)
            nearest = self._ask((*conditions, self._at_most(amount, least)), self._distance, clock.share(2), smaller)
            start = nearest if nearest.found else smaller
        if smaller.status in (Status.OPTIMAL, Status.INFEASIBLE) and least > 1:
            better = (*conditions, self._at_most(amount, least - 1))
            look = second_look(self._lowered.problem, better, by=self._backend, clock=clock)
            by = look.by if look.values is None else ()
        plan, size = self._lowered.decode(start.values), Fraction(least, number.scale)
        return NearMiss("found", plan, size, is_least=least == 1 or bool(by), by=by)

    def _at_most(self, amount: Linear, most: int) -> Bool:
        return self._model.at_most_zero(self._model.minus(amount, self._model.constant(most)))

    def _ask(
        self,
        conditions: Sequence[Bool],
        minimize: Linear | None,
        clock: TimeBudget,
        start: Outcome | None = None,
    ) -> Outcome:
        try:
            with clock:
                session = named_backend(self._backend).open(self._lowered.problem, clock.rest)
                for condition in conditions:
                    if condition is not TRUE:
                        session.add(condition, "near miss")
            return clock.ask(session, minimize=minimize, hint=None if start is None else start.values)
        except LimitReachedError as limit:
            return Outcome(Status.UNKNOWN, reason=limit.reason)
