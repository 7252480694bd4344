"""Feasible and unique: asked of several back ends, whose answers have to agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from planspec.errors import LimitReachedError, Reason
from planspec.shown import Shown
from planspec.solvers.backends.outcome import Limits, Outcome, Status
from planspec.solvers.backends.register import PROVERS
from planspec.solvers.backends.register import backend as named_backend
from planspec.solvers.lowering.problem import Lowered, lower
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.exclusion import forbid
from planspec.solvers.questions.second_look import Opinion
from planspec.solvers.questions.witness import witness
from planspec.solvers.reductions.session import opened
from planspec.verifiers.meaning.ground import Ground
from planspec.verifiers.meaning.plan_rows import Plan


@dataclass(frozen=True, slots=True)
class BackendClaim:
    """The claim of one back end.

    Attributes:
        seconds: wall-clock time until it was proved: lowering, encoding and the questions before it included.
        reason: which limit was reached, where the status is `unknown` for that.
    """

    status: str
    seconds: float
    version: str = ""
    statistics: Mapping[str, int] = field(default_factory=dict)
    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """The claim of every asked back end; `unknown` if one is undecided, or two contradict each other."""

    status: str
    backends: Mapping[str, BackendClaim]

    @property
    def contradictory(self) -> bool:
        """Two back ends have decided, each another way."""
        return len({claim.status for claim in self.backends.values()} - {"unknown"}) > 1


@dataclass(frozen=True, slots=True)
class Validation(Shown):
    """A validation: whether a task has a plan, and only one.

    Attributes:
        witness: a plan, if there is one.
        second: another one, if one was found.
        best: the same of the plans that keep every soft constraint, too, and of the fields of `unique_best`; None where
            the task does not claim that, or nobody asked.
        disagreement: where two back ends contradict each other, the answer of each, with the last plan that it found.
    """

    feasible: Claim
    unique: Claim
    witness: Plan | None
    second: Plan | None
    best: Validation | None = None
    disagreement: tuple[Opinion, ...] = ()

    def __repr__(self) -> str:
        claims = dict.fromkeys((self.feasible.status, self.unique.status))
        best = "" if self.best is None else f"; best {self.best.unique.status}"
        return f"<Validation: {', '.join(claims)}{best} ({', '.join(self.unique.backends)})>"


def validate(
    ground: Ground,
    *,
    backends: Sequence[str] = PROVERS,
    limits: Limits = Limits(),  # noqa: B008
) -> Validation:
    """Validate a task: find a plan, and look for another one, by each back end on its own.

    Args:
        ground: the task.
        backends: who is asked, one after the other.
        limits: hold for everything together, lowering and encoding included, the first import of a solver not; each
            back end has an equal share of the seconds that those before it left.

    Raises:
        DiagnosticError: the task has no encoding.
        InternalError: a back end's plan does not pass the verifier.
    """
    versions = {
        name: named_backend(name).version for name in backends
    }  # which imports them before the task's time begins
    clock = TimeBudget(limits)
    try:
        with clock:
            lowered = lower(ground)
    except LimitReachedError as limit:
        unknown = {
            n: BackendClaim("unknown", clock.seconds, v, reason=limit.reason) for n, v in versions.items()
        }
        return Validation(Claim("unknown", unknown), Claim("unknown", unknown), None, None)
    lowering_s = clock.seconds
    feasible: dict[str, BackendClaim] = {}
    unique: dict[str, BackendClaim] = {}
    found: Plan | None = None
    second: Plan | None = None
    last: dict[str, Plan] = {}
    for place, (name, version) in enumerate(versions.items()):
        first, other = _first_two(name, lowered, clock.share(len(versions) - place))
        if first.found:
            plan = last[name] = witness(lowered, first.values)
            found = found or plan
            if other.found:
                another = last[name] = witness(lowered, other.values)
                second = second or another
        feasible[name] = _claim(_feasible(first.status), first, lowering_s, version)
        unique[name] = _claim(_unique(first, other), other, lowering_s, version)
    agreed, alone = Claim(_agreed(feasible), feasible), Claim(_agreed(unique), unique)
    opinions: tuple[Opinion, ...] = ()
    if agreed.contradictory or alone.contradictory:
        opinions = tuple(Opinion(name, claim.status, last.get(name)) for name, claim in unique.items())
    return Validation(agreed, alone, found, second, disagreement=opinions)


def _first_two(name: str, lowered: Lowered, clock: TimeBudget) -> tuple[Outcome, Outcome]:
    """An assignment, and one that means another plan; their `seconds` count from the clock's start."""
    first = Outcome(Status.UNKNOWN)
    try:
        with clock:
            session = opened(name, lowered.problem, clock.limits)
            first = clock.ask(session)
            first = replace(first, seconds=clock.seconds)
            if not first.found:
                return first, first
            session.add(forbid(lowered, first.values), "another plan")
            other = clock.ask(session)
            return first, replace(other, seconds=clock.seconds)
    except LimitReachedError as limit:
        late = Outcome(Status.UNKNOWN, seconds=clock.seconds, reason=limit.reason)
        return first if first.found else late, late


def _claim(status: str, outcome: Outcome, lowering_s: float, version: str) -> BackendClaim:
    return BackendClaim(status, lowering_s + outcome.seconds, version, outcome.statistics, outcome.reason)


def _feasible(status: Status) -> str:
    return "feasible" if status is Status.OPTIMAL else status.value


def _unique(first: Outcome, other: Outcome) -> str:
    if not first.found:
        return first.status.value
    return {Status.INFEASIBLE: "unique", Status.UNKNOWN: "unknown"}.get(other.status, "multiple")


def _agreed(claims: Mapping[str, BackendClaim]) -> str:
    statuses = {claim.status for claim in claims.values()}
    return statuses.pop() if len(statuses) == 1 else "unknown"
