"""Feasibility and uniqueness, proved by several back ends that must agree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from planspec.errors import LimitReachedError, Reason
from planspec.shown import NotebookValue
from planspec.solvers.backends.outcome import Limits, Outcome, Status
from planspec.solvers.backends.register import PROVERS
from planspec.solvers.backends.register import backend as named_backend
from planspec.solvers.lowering.problem import Lowered, lower
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.exclusion import forbid
from planspec.solvers.questions.second_look import Opinion
from planspec.solvers.questions.witness import witness
from planspec.solvers.reductions.session import open_session
from planspec.verifiers.meaning.ground import Ground
from planspec.verifiers.meaning.plan_rows import Plan


@dataclass(frozen=True, slots=True)
class BackendClaim:
    """The answer of one back end about a task's plans, such as a proof that there is only one.

    Attributes:
        status: what the back end proved, such as `feasible` or `unique`; `unknown` if it proved nothing.
        seconds: wall-clock time in seconds until the proof, including translating the task and earlier queries.
        version: version of the back end.
        statistics: counters of the solver, such as `conflicts`.
        reason: limit that was reached, if the status is `unknown` because of it; else None.
    """

    status: str
    seconds: float
    version: str = ""
    statistics: Mapping[str, int] = field(default_factory=dict)
    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """The answers of several back ends to the same question, such as whether a task has only one plan.

    Attributes:
        status: what every back end proved, such as `feasible` or `unique`; `unknown` if one back end is undecided, or
            two contradict each other.
        backends: answer of each back end, by its name.
    """

    status: str
    backends: Mapping[str, BackendClaim]

    @property
    def contradictory(self) -> bool:
        """Whether two back ends proved answers that contradict each other."""
        return len({claim.status for claim in self.backends.values()} - {"unknown"}) > 1


@dataclass(frozen=True, slots=True)
class Validation(NotebookValue):
    """The result of a validation: whether a task has a plan, and whether it has only one.

    Attributes:
        feasible: answers to the question whether there is a plan.
        unique: answers to the question whether there is only one plan.
        witness: a plan; None if none was found.
        second: another plan; None if none was found.
        best: validation of the claim `unique_best`: of the plans that satisfy all hard and soft constraints, only one
            is best. None if the task does not make that claim, or if its validation was not requested.
        disagreement: contradictory answers of back ends, each with the last plan that it found.
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
    lowering: Callable[[Ground], Lowered] | None = None,
) -> Validation:
    """Validate a task: each back end independently searches for a plan and then for another one.

    Args:
        ground: the task.
        backends: names of the back ends, which are called one after the other.
        limits: limits on everything together, including the translation for solvers. Importing a solver does not
            count. The remaining seconds are divided equally among the remaining back ends.
        lowering: function that translates the task into a problem for solvers; None translates it anew. Pass the same
            `SharedLowering`, which caches its results, to all functions that need the problem of this task.

    Raises:
        DiagnosticError: part of the task cannot be encoded for solvers.
        InternalError: a back end's plan does not pass the verifier.
    """
    versions = {name: named_backend(name).version for name in backends}  # imports solvers before the clock starts
    clock = TimeBudget(limits)
    try:
        with clock:
            lowered = (lowering or lower)(ground)
    except LimitReachedError as limit:
        unknown = {n: BackendClaim("unknown", clock.seconds, v, reason=limit.reason) for n, v in versions.items()}
        return Validation(Claim("unknown", unknown), Claim("unknown", unknown), None, None)
    lowering_s = clock.seconds
    feasible: dict[str, BackendClaim] = {}
    unique: dict[str, BackendClaim] = {}
    plan_found: Plan | None = None
    second: Plan | None = None
    last_plans: dict[str, Plan] = {}
    for position, (name, version) in enumerate(versions.items()):
        first, other = _find_two_plans(name, lowered, clock.share(len(versions) - position))
        if first.found:
            plan = last_plans[name] = witness(lowered, first.values)
            plan_found = plan_found or plan
            if other.found:
                another = last_plans[name] = witness(lowered, other.values)
                second = second or another
        feasible[name] = _backend_claim(_feasibility_status(first.status), first, lowering_s, version)
        unique[name] = _backend_claim(_uniqueness_status(first, other), other, lowering_s, version)
    feasible_claim, unique_claim = (
        Claim(_common_status(feasible), feasible),
        Claim(_common_status(unique), unique),
    )
    opinions: tuple[Opinion, ...] = ()
    if feasible_claim.contradictory or unique_claim.contradictory:
        opinions = tuple(Opinion(name, claim.status, last_plans.get(name)) for name, claim in unique.items())
    return Validation(feasible_claim, unique_claim, plan_found, second, disagreement=opinions)


def _find_two_plans(name: str, lowered: Lowered, clock: TimeBudget) -> tuple[Outcome, Outcome]:
    """Search for a plan, and then for another plan. Return both outcomes.

    If no plan is found, both outcomes are the same. Their `seconds` count from the start of the clock.
    """
    first = Outcome(Status.UNKNOWN)
    try:
        with clock:
            session = open_session(name, lowered.problem, clock.limits)
            first = clock.ask(session)
            first = replace(first, seconds=clock.seconds)
            if not first.found:
                return first, first
            session.add(forbid(lowered, first.values), "another plan")
            other = clock.ask(session)
            return first, replace(other, seconds=clock.seconds)
    except LimitReachedError as limit:
        timed_out = Outcome(Status.UNKNOWN, seconds=clock.seconds, reason=limit.reason)
        return first if first.found else timed_out, timed_out


def _backend_claim(status: str, outcome: Outcome, lowering_s: float, version: str) -> BackendClaim:
    return BackendClaim(status, lowering_s + outcome.seconds, version, outcome.statistics, outcome.reason)


def _feasibility_status(status: Status) -> str:
    return "feasible" if status is Status.OPTIMAL else status.value


def _uniqueness_status(first: Outcome, other: Outcome) -> str:
    if not first.found:
        return first.status.value
    return {Status.INFEASIBLE: "unique", Status.UNKNOWN: "unknown"}.get(other.status, "multiple")


def _common_status(claims: Mapping[str, BackendClaim]) -> str:
    statuses = {claim.status for claim in claims.values()}
    return statuses.pop() if len(statuses) == 1 else "unknown"
