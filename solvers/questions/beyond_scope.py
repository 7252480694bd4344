"""Search for the bounds of the scope that a claim needs, because claims may also hold outside the scope."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.diagnostics.source import Span
from planspec.errors import LimitReachedError
from planspec.solvers.backends.outcome import Limits, Outcome, Status
from planspec.solvers.backends.register import PROVERS
from planspec.solvers.backends.register import backend as named_backend
from planspec.solvers.lowering.problem import Lowered, identity, lower
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.exclusion import forbid_plan
from planspec.solvers.questions.relaxed_scope import ColumnBound, RowsBound, widen_beyond
from planspec.solvers.questions.validation import BackendClaim, Claim, Validation
from planspec.solvers.questions.witness import witness
from planspec.verifiers.meaning.ground import Ground
from planspec.verifiers.meaning.plan_rows import Plan


@dataclass(frozen=True, slots=True)
class Beyond:
    """The claim that a task has only one plan, or none, proved with only those bounds of the scope that it needs.

    A bound limits the values of a plan's column, or the rows of a plan table.

    Attributes:
        claim: results of each back end with only the bounds in `leans_on`.
        leans_on: ids of the bounds that the claim needs, such as `scope:visits.start`. Without such a bound there
            is another plan, or the bound cannot be removed. If `leans_on` is empty, the claim holds beyond the scope.
        minimal: whether `outside` has a plan for each removable bound in `leans_on`.
        outside: for bounds in `leans_on`, by id, another plan that only this bound excludes.
        spans: place of each bound in the task's text, by its id.
        undecided: bounds in `leans_on` that were not tested completely, because a limit was reached. The claim may not
            need them.
    """

    claim: Claim
    leans_on: tuple[str, ...]
    minimal: bool
    outside: Mapping[str, Plan] = field(default_factory=dict)
    spans: Mapping[str, Span] = field(default_factory=dict)
    undecided: tuple[str, ...] = ()

    def __repr__(self) -> str:
        leans = "holds without the scope" if self.holds else f"leans on {len(self.leans_on)} bounds"
        return f"<Beyond: {self.claim.status}, {leans}>"

    @property
    def holds(self) -> bool:
        """Whether every back end proved the claim without any of the limits that the scope sets on values and rows."""
        return self.claim.status != "unknown" and not self.leans_on


def beyond(
    ground: Ground,
    validation: Validation,
    *,
    backends: Sequence[str] = PROVERS,
    limits: Limits = Limits(),  # noqa: B008
) -> Beyond | None:
    """Decide whether the claim that a task has only one plan, or none, also holds without the bounds of its scope.

    If not, decide which bounds of the scope the claim needs. The scope lists the rows and values that plans may have.
    The claim must already be proved within the scope.

    The bounds are removed one after the other. A bound stays removed if the claim can still be proved. Each remaining
    bound is therefore needed in the presence of the others. Bounds on the compared fields of plans are tried last, so
    that they remain if there is a choice.

    Args:
        ground: the task.
        validation: result that proves that the scope contains only one plan, or none.
        backends: names of the back ends that prove the claim. The first of them also searches for the bounds that the
            claim needs.
        limits: limits on the search; they also apply separately to each proof.

    Returns:
        The result; None if `validation` proves neither claim.

    Raises:
        InternalError: a plan does not pass the verifier.
    """
    if validation.unique.status not in ("unique", "infeasible"):
        return None
    search = _BoundSearch(ground, validation.witness, TimeBudget(limits), backends[0])
    leans_on, undecided = search.bounds()
    claim = search.claims(leans_on, backends, limits)
    spans = {bound.id: bound.span for bound in search.everything}
    return Beyond(claim, leans_on, not undecided, search.outside, spans, undecided)


def claim_with(
    ground: Ground, only: Plan | None, keep: Sequence[str], *, backends: Sequence[str], limits: Limits
) -> Claim:
    """Let each back end prove that there is only one plan, or none, with only some bounds of the scope.

    Args:
        ground: the task.
        only: the plan claimed to be the only one; None for the claim that there is no plan.
        keep: ids of bounds, such as `scope:visits.start`, that are not removed.
        backends: names of the back ends that prove.
        limits: limits on each proof.
    """
    return _BoundSearch(ground, only, TimeBudget(limits), backends[0]).claims(keep, backends, limits)


@dataclass(frozen=True, slots=True)
class _BackendAnswer:
    """A back end's answer to the question whether there is another plan.

    Attributes:
        lowered: the task, translated into a problem for solvers; None if it has no encoding, if a limit was reached, or
            if the answer is cached.
        outcome: outcome of the search for another plan.
        seconds: wall-clock time in seconds of translating the task and solving.
    """

    lowered: Lowered | None
    outcome: Outcome
    seconds: float


class _BoundSearch:
    """A search for the bounds of a task's scope that the claim "there is only one plan" or "there is no plan" needs.

    `only` is the plan that is claimed to be the only one; None for the claim that there is no plan.
    """

    def __init__(self, ground: Ground, only: Plan | None, clock: TimeBudget, backend: str) -> None:
        self._ground = ground
        self._only = only
        self._clock = clock
        self._backend = backend
        self._widest = widen_beyond(ground)
        self.everything: tuple[ColumnBound | RowsBound, ...] = (*self._widest.rows, *self._widest.bounds)
        self.outside: dict[str, Plan] = {}
        self._proved: dict[frozenset[str], _BackendAnswer] = {}
        self._last: tuple[frozenset[str], Lowered, float] | None = None

    def bounds(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the ids of the bounds that the claim needs, and the ids of those that could not be decided in time."""
        identities = identity(self._ground)
        order = [bound.id for bound in self._widest.rows]
        fields = sorted(self._widest.bounds, key=lambda bound: bound.column in identities.get(bound.table, ()))
        order += [bound.id for bound in fields]
        if self._status_without(order) is Status.INFEASIBLE:
            return self._widest.unremovable, ()
        stay, undecided = list(order), []
        for bound in order:
            status = self._status_without([b for b in order if b not in stay or b == bound], bound)
            if status is Status.INFEASIBLE:
                stay.remove(bound)
            elif status is Status.UNKNOWN:
                undecided.append(bound)
        return (*(b for b in order if b in stay), *self._widest.unremovable), tuple(undecided)

    def _status_without(self, removed: Sequence[str], bound: str | None = None) -> Status:
        """Search for another plan (or any, if there is none in scope) without some bounds, and return the status.

        A plan that is found is recorded in `outside` under `bound`, the bound that excludes it.
        """
        keep = [b.id for b in self.everything if b.id not in removed]
        answer = self._ask_for_another_plan(self._backend, keep, self._clock)
        outcome = answer.outcome
        if answer.lowered is not None and outcome.found and bound is not None:
            self.outside[bound] = witness(answer.lowered, outcome.values)
        if outcome.status is Status.INFEASIBLE:
            self._proved[self._removable_ids(keep)] = replace(answer, lowered=None)
        return Status.OPTIMAL if outcome.found else outcome.status

    def claims(self, keep: Sequence[str], backends: Sequence[str], limits: Limits) -> Claim:
        """Let each back end prove, with only the bounds in `keep`, that there is only one plan, or none.

        Results of the search are reused.
        """
        by_backend = {name: self._prove_claim(name, keep, limits) for name in backends}
        statuses = {claim.status for claim in by_backend.values()}
        return Claim(statuses.pop() if len(statuses) == 1 else "unknown", by_backend)

    def _prove_claim(self, name: str, keep: Sequence[str], limits: Limits) -> BackendClaim:
        cached = self._proved.get(self._removable_ids(keep)) if name == self._backend else None
        answer = cached or self._ask_for_another_plan(name, keep, TimeBudget(limits))
        outcome = answer.outcome
        holds = "infeasible" if self._only is None else "unique"
        fails = "feasible" if self._only is None else "multiple"
        status = {Status.INFEASIBLE: holds, Status.UNKNOWN: "unknown"}.get(outcome.status, fails)
        version = named_backend(name).version
        return BackendClaim(status, answer.seconds, version, outcome.statistics, outcome.reason)

    def _ask_for_another_plan(self, name: str, keep: Sequence[str], clock: TimeBudget) -> _BackendAnswer:
        """Let a back end search for a plan other than `_only`, with only those bounds of the scope that are in `keep`.

        If `_only` is None, the back end searches for any plan. The outcome is UNKNOWN if the task without the other
        bounds has no encoding.
        """
        started = time.perf_counter()
        lowered: Lowered | None = None
        try:
            with clock:
                lowered, earlier_s = self._lower_with(keep)
                started -= earlier_s
                session = named_backend(name).open(lowered.problem, clock.rest)
                if self._only is not None:
                    other = forbid_plan(lowered, self._only)
                    if other is not None:
                        session.add(other, "another plan")
                outcome = clock.ask(session)
        except DiagnosticError:
            lowered, outcome = None, Outcome(Status.UNKNOWN)
        except LimitReachedError as limit:
            lowered, outcome = None, Outcome(Status.UNKNOWN, reason=limit.reason)
        return _BackendAnswer(lowered, outcome, time.perf_counter() - started)

    def _lower_with(self, keep: Sequence[str]) -> tuple[Lowered, float]:
        """Translate the task, with only those bounds of its scope that are in `keep`, into a problem for solvers.

        The last result is cached for the next back end.

        Returns:
            The result, and the seconds that an earlier call took to compute it: 0 if it was computed now.
        """
        bounds = self._removable_ids(keep)
        if self._last is not None and self._last[0] == bounds:
            return self._last[1:]
        started = time.perf_counter()
        lowered = lower(widen_beyond(self._ground, keep).ground)
        # In a wider scope, more columns can differ between plans, but plans are compared only in the columns that
        # distinguish them in the task's own scope.
        lowered = replace(lowered, problem=replace(lowered.problem, identity=identity(self._ground)))
        self._last = bounds, lowered, time.perf_counter() - started
        return lowered, 0.0

    def _removable_ids(self, keep: Sequence[str]) -> frozenset[str]:
        """Return the ids in `keep` of bounds that `widen_beyond` can remove."""
        return frozenset(keep) & {bound.id for bound in self.everything}
