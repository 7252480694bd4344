"""Claims without the scope's bounds: whether they hold of all that an answer could say, and which bounds carry them."""

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
    """The rest of a claim without the scope's bounds.

    Attributes:
        claim: what each back end proved with the bounds that the claim leans on, and without all others.
        leans_on: ids of bounds, such as `scope:visits.start`: those without which there is another plan, and those that
            could not be taken off. None: the claim holds beyond the scope.
        minimal: without any of them that could be taken off there is another plan, as `outside` shows.
        outside: a plan outside the scope for each bound, by its id.
        spans: where the scope says each bound.
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
        """Every back end proved the claim without any bound."""
        return self.claim.status != "unknown" and not self.leans_on


def beyond(
    ground: Ground,
    found: Validation,
    *,
    backends: Sequence[str] = PROVERS,
    limits: Limits = Limits(),  # noqa: B008
) -> Beyond | None:
    """Whether a claim within the scope holds beyond it, and if not, the bounds that carry it.

    The bounds are taken off one after the other, for good where the claim is still proved. So each one that stays
    is needed, given the others. What tells plans apart is tried last: a bound on it says most.

    Args:
        ground: the task.
        found: what was proved of it: that a plan is the only one, or that there is none.
        backends: who proves; the first of them searches for the bounds.
        limits: hold for the search, and again for each proof.

    Returns:
        None where there is no such claim: a second plan within the scope is one beyond it, too.

    Raises:
        InternalError: a plan does not pass the verifier.
    """
    if found.unique.status not in ("unique", "infeasible"):
        return None
    search = _Search(ground, found.witness, TimeBudget(limits), backends[0])
    leans_on, minimal = search.bounds()
    claim = search.claims(leans_on, backends, limits)
    spans = {bound.id: bound.span for bound in search.everything}
    return Beyond(claim, leans_on, minimal, search.outside, spans)


def claim_with(
    ground: Ground, only: Plan | None, keep: Sequence[str], *, backends: Sequence[str], limits: Limits
) -> Claim:
    """The claim that back ends prove with some bounds, and without all others.

    Args:
        ground: the task.
        only: the plan that is said to be the only one; None where there is said to be none.
        keep: ids of bounds.
        backends: who proves.
        limits: of each proof.
    """
    return _Search(ground, only, TimeBudget(limits), backends[0]).claims(keep, backends, limits)


@dataclass(frozen=True, slots=True)
class _Answer:
    """What a back end said to the question for another plan.

    Attributes:
        lowered: the problem; None where it has no encoding, or not in time, and where it is no longer of use.
        seconds: wall-clock time of lowering, encoding and solving.
    """

    lowered: Lowered | None
    outcome: Outcome
    seconds: float


class _Search:
    """The search for the bounds of one task that can be taken off."""

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
        """The bounds that have to stay, and whether each of them was seen to be needed."""
        apart = identity(self._ground)
        order = [bound.id for bound in self._widest.rows]
        fields = sorted(self._widest.bounds, key=lambda bound: bound.column in apart.get(bound.table, ()))
        order += [bound.id for bound in fields]
        if self._without(order) is Status.INFEASIBLE:
            return self._widest.kept, True
        stay, minimal = list(order), True
        for bound in order:
            status = self._without([b for b in order if b not in stay or b == bound], bound)
            if status is Status.INFEASIBLE:
                stay.remove(bound)
            elif status is Status.UNKNOWN:
                minimal = False
        return (*(b for b in order if b in stay), *self._widest.kept), minimal

    def _without(self, off: Sequence[str], bound: str | None = None) -> Status:
        """Whether there is another plan without these bounds; it is noted as a plan that the last of them keeps out."""
        keep = [b.id for b in self.everything if b.id not in off]
        answer = self._ask(self._backend, keep, self._clock)
        outcome = answer.outcome
        if answer.lowered is not None and outcome.found and bound is not None:
            self.outside[bound] = witness(answer.lowered, outcome.values)
        if outcome.status is Status.INFEASIBLE:
            self._proved[self._bounds(keep)] = replace(answer, lowered=None)
        return Status.OPTIMAL if outcome.found else outcome.status

    def claims(self, keep: Sequence[str], backends: Sequence[str], limits: Limits) -> Claim:
        """The claim with some bounds, and without all others: what the search proved on its way is not proved again."""
        made = {name: self._claim(name, keep, limits) for name in backends}
        statuses = {claim.status for claim in made.values()}
        return Claim(statuses.pop() if len(statuses) == 1 else "unknown", made)

    def _claim(self, name: str, keep: Sequence[str], limits: Limits) -> BackendClaim:
        known = self._proved.get(self._bounds(keep)) if name == self._backend else None
        answer = known or self._ask(name, keep, TimeBudget(limits))
        outcome = answer.outcome
        proved = "infeasible" if self._only is None else "unique"
        found = "feasible" if self._only is None else "multiple"
        status = {Status.INFEASIBLE: proved, Status.UNKNOWN: "unknown"}.get(outcome.status, found)
        version = named_backend(name).version
        return BackendClaim(status, answer.seconds, version, outcome.statistics, outcome.reason)

    def _ask(self, name: str, keep: Sequence[str], clock: TimeBudget) -> _Answer:
        """Another plan, where some bounds are kept; UNKNOWN where that has no encoding."""
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
        """The problem over the wider scope; the last one is kept for the next back end, with the seconds that it took.

        Returns:
            The problem, and those seconds if it was made before; 0 if it was made now.
        """
        bounds = self._bounds(keep)
        if self._last is not None and self._last[0] == bounds:
            return self._last[1:]
        started = time.perf_counter()
        lowered = lower(widen_beyond(self._ground, keep).ground)
        # A wider scope opens more fields; plans are told apart as before.
        lowered = replace(lowered, problem=replace(lowered.problem, identity=identity(self._ground)))
        self._last = bounds, lowered, time.perf_counter() - started
        return lowered, 0.0

    def _bounds(self, keep: Sequence[str]) -> frozenset[str]:
        """Those of the ids that can be taken off."""
        return frozenset(keep) & {bound.id for bound in self.everything}
