"""Claims beyond the scope's bounds: whether they hold for every answer, and which bounds carry them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from planspec.dsl.diagnostics.source import Span
from planspec.errors import DiagnosticError, LimitReachedError
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
    """A claim without the scope's bounds, as far as it holds.

    Attributes:
        claim: each back end's proof with the bounds that the claim leans on, and without all others.
        leans_on: ids of bounds, such as `scope:visits.start`, without which there is another plan, and of
            those that could not be removed. If empty, the claim holds beyond the scope.
        minimal: whether each of them that could be removed is needed, as `outside` shows.
        outside: a plan outside the scope for each bound, by its id.
        spans: place of each bound in the scope.
    """

    claim: Claim
    leans_on: tuple[str, ...]
    minimal: bool
    outside: Mapping[str, Plan] = field(default_factory=dict)
    spans: Mapping[str, Span] = field(default_factory=dict)

    def __repr__(self) -> str:
        leans = "holds without the scope" if self.holds else f"leans on {len(self.leans_on)} bounds"
        return f"<Beyond: {self.claim.status}, {leans}>"

    @property
    def holds(self) -> bool:
        """Whether every back end proved the claim without any bound."""
        return self.claim.status != "unknown" and not self.leans_on


def beyond(
    ground: Ground,
    validation: Validation,
    *,
    backends: Sequence[str] = PROVERS,
    limits: Limits = Limits(),  # noqa: B008
) -> Beyond | None:
    """Decide whether a claim within the scope holds beyond it and, if not, which bounds carry it.

    The bounds are removed one after the other, permanently if the claim is still proved. Each bound that
    stays is therefore needed, given the others. Bounds on the fields that distinguish plans are tried last: a
    claim that leans on one of them says most.

    Args:
        ground: the task.
        validation: proof within the scope that a plan is the only one, or that there is none.
        backends: names of the back ends that prove; the first of them searches for the bounds.
        limits: limits on the search, and again on each proof.

    Returns:
        The result, or None without such a claim: a second plan within the scope is also one beyond it.

    Raises:
        InternalError: a plan does not pass the verifier.
    """
    if validation.unique.status not in ("unique", "infeasible"):
        return None
    search = _BoundSearch(ground, validation.witness, TimeBudget(limits), backends[0])
    leans_on, minimal = search.bounds()
    claim = search.claims(leans_on, backends, limits)
    spans = {bound.id: bound.span for bound in search.everything}
    return Beyond(claim, leans_on, minimal, search.outside, spans)


def claim_with(
    ground: Ground, only: Plan | None, keep: Sequence[str], *, backends: Sequence[str], limits: Limits
) -> Claim:
    """Return the claim that back ends prove with some bounds, and without all others.

    Args:
        ground: the task.
        only: the plan claimed to be the only one; None for the claim that there is no plan.
        keep: ids of bounds that stay.
        backends: names of the back ends that prove.
        limits: limits on each proof.
    """
    return _BoundSearch(ground, only, TimeBudget(limits), backends[0]).claims(keep, backends, limits)


@dataclass(frozen=True, slots=True)
class _Answer:
    """A back end's answer to the question for another plan.

    Attributes:
        lowered: the problem; None if it has no encoding, or none in time, and when it is no longer needed.
        outcome: outcome of the question.
        seconds: wall-clock time of lowering, encoding and solving.
    """

    lowered: Lowered | None
    outcome: Outcome
    seconds: float


class _BoundSearch:
    """The search for the bounds of one task that can be removed."""

    def __init__(self, ground: Ground, only: Plan | None, clock: TimeBudget, backend: str) -> None:
        self._ground = ground
        self._only = only
        self._clock = clock
        self._backend = backend
        self._widest = widen_beyond(ground)
        self.everything: tuple[ColumnBound | RowsBound, ...] = (*self._widest.rows, *self._widest.bounds)
        self.outside: dict[str, Plan] = {}
        self._proved: dict[frozenset[str], _Answer] = {}
        self._last: tuple[frozenset[str], Lowered, float] | None = None

    def bounds(self) -> tuple[tuple[str, ...], bool]:
        """Return the bounds that have to stay, and whether each of them was seen to be needed."""
        identities = identity(self._ground)
        order = [bound.id for bound in self._widest.rows]
        fields = sorted(
            self._widest.bounds, key=lambda bound: bound.column in identities.get(bound.table, ())
        )
        order += [bound.id for bound in fields]
        if self._without(order) is Status.INFEASIBLE:
            return self._widest.unremovable, True
        stay, minimal = list(order), True
        for bound in order:
            status = self._without([b for b in order if b not in stay or b == bound], bound)
            if status is Status.INFEASIBLE:
                stay.remove(bound)
            elif status is Status.UNKNOWN:
                minimal = False
        return (*(b for b in order if b in stay), *self._widest.unremovable), minimal

    def _without(self, removed: Sequence[str], bound: str | None = None) -> Status:
        """Return whether there is another plan without these bounds.

        A plan that is found is recorded in `outside` under `bound`, the bound that excludes it.
        """
        keep = [b.id for b in self.everything if b.id not in removed]
        answer = self._ask(self._backend, keep, self._clock)
        outcome = answer.outcome
        if answer.lowered is not None and outcome.found and bound is not None:
            self.outside[bound] = witness(answer.lowered, outcome.values)
        if outcome.status is Status.INFEASIBLE:
            self._proved[self._bounds(keep)] = replace(answer, lowered=None)
        return Status.OPTIMAL if outcome.found else outcome.status

    def claims(self, keep: Sequence[str], backends: Sequence[str], limits: Limits) -> Claim:
        """Return the claim with some bounds and without all others, reusing what the search has proved."""
        by_backend = {name: self._claim(name, keep, limits) for name in backends}
        statuses = {claim.status for claim in by_backend.values()}
        return Claim(statuses.pop() if len(statuses) == 1 else "unknown", by_backend)

    def _claim(self, name: str, keep: Sequence[str], limits: Limits) -> BackendClaim:
        cached = self._proved.get(self._bounds(keep)) if name == self._backend else None
        answer = cached or self._ask(name, keep, TimeBudget(limits))
        outcome = answer.outcome
        holds = "infeasible" if self._only is None else "unique"
        fails = "feasible" if self._only is None else "multiple"
        status = {Status.INFEASIBLE: holds, Status.UNKNOWN: "unknown"}.get(outcome.status, fails)
        version = named_backend(name).version
        return BackendClaim(status, answer.seconds, version, outcome.statistics, outcome.reason)

    def _ask(self, name: str, keep: Sequence[str], clock: TimeBudget) -> _Answer:
        """Ask for another plan with some bounds kept; the outcome is UNKNOWN if there is no encoding."""
        started = time.perf_counter()
        lowered: Lowered | None = None
        try:
            with clock:
                lowered, earlier_s = self._lowered(keep)
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
        return _Answer(lowered, outcome, time.perf_counter() - started)

    def _lowered(self, keep: Sequence[str]) -> tuple[Lowered, float]:
        """Return the problem over the wider scope; the last one is cached for the next back end.

        Returns:
            The problem, and the seconds that it took if it comes from the cache, else 0.
        """
        bounds = self._bounds(keep)
        if self._last is not None and self._last[0] == bounds:
            return self._last[1:]
        started = time.perf_counter()
        lowered = lower(widen_beyond(self._ground, keep).ground)
        # A wider scope opens more fields; the identity of plans stays the same.
        lowered = replace(lowered, problem=replace(lowered.problem, identity=identity(self._ground)))
        self._last = bounds, lowered, time.perf_counter() - started
        return lowered, 0.0

    def _bounds(self, keep: Sequence[str]) -> frozenset[str]:
        """Return those of the ids that can be removed."""
        return frozenset(keep) & {bound.id for bound in self.everything}
