"""Other plans of a task: the farthest from a given plan, the nearest to it, and any others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from planspec.errors import LimitReachedError
from planspec.solvers.backends.outcome import Status
from planspec.solvers.backends.protocol import Session
from planspec.solvers.backends.register import backend as named_backend
from planspec.solvers.ir.nodes import Bool, Linear
from planspec.solvers.lowering.problem import lower
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.exclusion import forbid, forbid_plan
from planspec.solvers.questions.field_distance import field_distance
from planspec.solvers.questions.improvement import no_worse_than
from planspec.solvers.questions.second_look import second_look
from planspec.solvers.questions.witness import witness
from planspec.verifiers.meaning.ground import Ground
from planspec.verifiers.meaning.plan_rows import Plan


@dataclass(frozen=True, slots=True)
class OtherPlan:
    """The result of a search for a plan that differs from the given plan and from all plans returned before.

    Attributes:
        status: `found`; `none` if there is provably no other plan; else `unknown`.
        plan: the plan, which the verifier has accepted; None if none was found.
        by: back ends that prove that there is no other plan (status `none`), or that no other plan is farther from or
            nearer to the given plan (`found` by `OtherPlans.farthest` or `OtherPlans.nearest`). Empty without a proof.
        reason: message that explains the status `unknown`.
    """

    status: Literal["found", "none", "unknown"]
    plan: Plan | None = None
    by: tuple[str, ...] = ()
    reason: str | None = None


class OtherPlans:
    """A search for plans of a task that differ from a given plan and from one another.

    Args:
        ground: the task.
        plan: the given plan, which the verifier accepts.
        no_worse: whether the plans must be at least as good as the given plan in soft weight and in each objective.
        clock: limit on preparing the search.
        backend: name of the back end that searches.

    Raises:
        DiagnosticError: part of the task cannot be encoded for solvers.
        LimitReachedError: the limit was reached.
    """

    def __init__(
        self, ground: Ground, plan: Plan, clock: TimeBudget, *, no_worse: bool = False, backend: str = "cpsat"
    ) -> None:
        self._backend = backend
        named_backend(backend)  # imports the solver now, so that no time limit includes the import
        with clock:
            self._lowered = lower(ground)
            self._distance = field_distance(self._lowered, plan)
            different = forbid_plan(self._lowered, plan)
            self._conditions: list[Bool] = [] if different is None else [different]
            if no_worse:
                self._conditions.append(no_worse_than(self._lowered, plan))
            self._session: Session = named_backend(backend).open(self._lowered.problem, clock.rest)
            for condition in self._conditions:
                self._session.add(condition, "another plan")

    def farthest(self, clock: TimeBudget) -> OtherPlan:
        """Return the plan that differs from the given one in as many fields as possible."""
        return self._next(self._lowered.problem.model.scale(self._distance, -1), clock)

    def nearest(self, clock: TimeBudget) -> OtherPlan:
        """Return the plan that differs from the given one in as few fields as possible."""
        return self._next(self._distance, clock)

    def another(self, clock: TimeBudget) -> OtherPlan:
        """Return any other plan that has not been returned yet."""
        return self._next(None, clock)

    def _next(self, minimize: Linear | None, clock: TimeBudget) -> OtherPlan:
        """Return a new plan that minimises an expression (any new plan for None). Later plans differ from it."""
        outcome = clock.ask(self._session, minimize=minimize)
        if outcome.status is Status.INFEASIBLE:
            look = second_look(self._lowered.problem, self._conditions, by=self._backend, clock=clock)
            if look.values is None:
                return OtherPlan("none", by=look.by)
            values = look.values
        elif not outcome.found:
            return OtherPlan("unknown", reason=str(LimitReachedError(outcome.reason or "time")))
        else:
            values = outcome.values
        plan = witness(self._lowered, values)
        by: tuple[str, ...] = ()
        if outcome.status is Status.OPTIMAL and minimize is not None and outcome.objective is not None:
            model = self._lowered.problem.model
            better = model.at_most_zero(model.minus(minimize, model.constant(outcome.objective - 1)))
            look = second_look(self._lowered.problem, (*self._conditions, better), by=self._backend, clock=clock)
            by = look.by if look.values is None else ()
        try:
            with clock:
                self._conditions.append(forbid(self._lowered, values))
                self._session.add(self._conditions[-1], "another plan")
        except LimitReachedError:
            pass  # the session is broken, so later queries are undecided
        return OtherPlan("found", plan, by)
