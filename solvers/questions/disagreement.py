"""Comparison of two versions of a task: a plan that only one version accepts, or a proof that there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.resources.deadline import shielded
from planspec.errors import InternalError, LimitReachedError
from planspec.solvers.backends.outcome import Limits, Outcome, Status
from planspec.solvers.backends.register import PROVERS, backend
from planspec.solvers.ir.nodes import FALSE, Bool
from planspec.solvers.lowering.other_version import OpenKeysError, other_version
from planspec.solvers.lowering.problem import Lowered, lower
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.second_look import Opinion
from planspec.solvers.questions.validation import BackendClaim
from planspec.solvers.questions.witness import refusal
from planspec.verifiers.answers.format import TABLES
from planspec.verifiers.meaning.counterparts import Scope, counterpart_scope, have_same_scope
from planspec.verifiers.meaning.ground import Ground
from planspec.verifiers.meaning.plan_rows import Plan

Version: TypeAlias = Literal["first", "second"]
"""One of the two versions of a task that are compared."""
OTHER: Mapping[Version, Version] = {"first": "second", "second": "first"}
"""For each of two compared versions of a task, the other one."""


@dataclass(frozen=True, slots=True)
class ContestedPlan:
    """A plan that one version of a task accepts and the other version rejects. Verifiers have confirmed both verdicts.

    Attributes:
        accepted_by: the version that accepts the plan.
        plan: the plan, as rows of the accepting version.
        scope: the version in whose scope the plan was found.
    """

    accepted_by: Version
    plan: Plan
    scope: Version


@dataclass(frozen=True, slots=True)
class Disagreement:
    """The result of comparing two versions of a task: whether they accept the same plans in scope.

    Attributes:
        status: `same` if every back end proved that no plan in scope is accepted by only one version;
            `different` if `contested` is such a plan; else `unknown`.
        scope: `both` if the versions have equal scopes (rows and values that plans may have); `each` if their scopes
            differ, and each was searched. Plans outside both scopes are not considered.
        backends: answer of each back end that was consulted, by its name.
        contested: a plan that only one version accepts.
        reason: message about an expression without an encoding, if the status is `unknown` because of it; else None.
        opinions: contradictory answers if one back end found a contested plan and another proved that there is none.
            The status is then `unknown`.
    """

    status: Literal["same", "different", "unknown"]
    scope: Literal["both", "each"]
    backends: Mapping[str, BackendClaim] = field(default_factory=dict)
    contested: ContestedPlan | None = None
    reason: str | None = None
    opinions: tuple[Opinion, ...] = ()

    def __repr__(self) -> str:
        return f"<Disagreement: {self.status}, {self.scope} scope ({', '.join(self.backends)})>"


def disagreement(
    first: Ground,
    second: Ground,
    *,
    backends: Sequence[str] = PROVERS,
    limits: Limits = Limits(),  # noqa: B008
    lowered: Mapping[Version, Lowered] = MappingProxyType({}),
) -> Disagreement:
    """Search for a plan that only one of two versions of a task accepts.

    Each query searches one scope for a plan that one version accepts and the other rejects. There are two queries if
    the scopes are equal, else four. The first such plan ends the search. If none exists, each back end proves this
    independently.

    Args:
        first: one version of the task.
        second: the other version. Its plan tables must have the same columns and types (see
            `counterparts.form_differences`).
        backends: names of the back ends that prove, one after the other.
        limits: limits on everything together, including the translation for solvers. The remaining seconds are divided
            equally among the remaining back ends.
        lowered: versions that have been translated into problems for solvers already, each with its own scope.

    Raises:
        InternalError: a verifier contradicts a back end's verdict on a plan.
    """
    clock = TimeBudget(limits)
    scope: Literal["both", "each"] = "both" if have_same_scope(first, second) else "each"
    questions = _Questions(first, second, scope, lowered, clock)
    claims: dict[str, BackendClaim] = {}
    for place, name in enumerate(backends):
        started, lowering_s = clock.seconds, questions.seconds
        try:
            outcome, contested = _ask_questions(name, questions, clock.share(len(backends) - place))
        except (DiagnosticError, OpenKeysError) as error:
            return Disagreement("unknown", scope, reason=str(error))
        claims[name] = _backend_claim(name, outcome, lowering_s + clock.seconds - started)
        if contested is not None:
            if any(claim.status == "same" for claim in claims.values()):
                opinions = tuple(
                    Opinion(by, claim.status, contested.plan if by == name else None) for by, claim in claims.items()
                )
                return Disagreement("unknown", scope, claims, opinions=opinions)
            return Disagreement("different", scope, claims, contested)
    proved = bool(claims) and all(claim.status == "same" for claim in claims.values())
    return Disagreement("same" if proved else "unknown", scope, claims)


def _ask_questions(name: str, questions: _Questions, clock: TimeBudget) -> tuple[Outcome, ContestedPlan | None]:
    """Let one back end search for a contested plan, which only one of two versions of a task accepts.

    Return the outcome, and the first contested plan. Without one, return None; the outcome is then INFEASIBLE, or
    UNKNOWN if a query is undecided.
    """
    undecided: Outcome | None = None
    for number in range(len(questions)):
        try:
            question = questions.open(number)
        except LimitReachedError as limit:
            return undecided or Outcome(Status.UNKNOWN, reason=limit.reason), None
        if question is None:
            continue
        outcome = question.ask(name, clock.share(len(questions) - number))
        if outcome.found:
            return outcome, question.contested(outcome)
        if outcome.status is not Status.INFEASIBLE:
            undecided = undecided or outcome
    return undecided or Outcome(Status.INFEASIBLE), None


def _backend_claim(name: str, outcome: Outcome, seconds: float) -> BackendClaim:
    infeasible = "same" if outcome.status is Status.INFEASIBLE else "unknown"
    status = "different" if outcome.found else infeasible
    return BackendClaim(status, seconds, backend(name).version, outcome.statistics, outcome.reason)


class _Questions:
    """The queries for plans that only one of two versions of a task accepts.

    A query searches the scope of one version (the rows and values that its plans may have) for a plan that a given
    version accepts and the other version rejects. It is translated into a problem for solvers (lowered) when it is
    first used.

    Args:
        first: one version.
        second: the other version.
        scope: `both` if the versions have equal scopes, so that only the first version's scope is searched; `each` if
            each version's scope must be searched.
        lowered: versions that have been translated already, each with its own scope.
        clock: limits on translating.

    Attributes:
        seconds: wall-clock time spent on lowering so far.
    """

    def __init__(
        self,
        first: Ground,
        second: Ground,
        scope: Literal["both", "each"],
        lowered: Mapping[Version, Lowered],
        clock: TimeBudget,
    ) -> None:
        self._versions: Mapping[Version, Ground] = {"first": first, "second": second}
        self._scope, self._lowered, self._clock = scope, lowered, clock
        searched: tuple[Version, ...] = ("first",) if scope == "both" else ("first", "second")
        self._places = [(where, name) for where in searched for name in self._versions]
        self._opened: dict[int, _ContestedPlanQuestion | None] = {}
        self.seconds = 0.0

    def __len__(self) -> int:
        return len(self._places)

    def open(self, number: int) -> _ContestedPlanQuestion | None:
        """Return the query with a given number, from 0; None if no search is needed to see that it has no answer.

        The answer to a query is a plan that one version accepts and the other version rejects.

        Raises:
            DiagnosticError: a version has no encoding.
            OpenKeysError: a version's closed scope has no encoding.
            LimitReachedError: time ran out.
        """
        if number not in self._opened:
            started = self._clock.seconds
            with self._clock:
                self._opened[number] = self._make_question(*self._places[number])
            self.seconds += self._clock.seconds - started
        return self._opened[number]

    def _make_question(self, scope_version: Version, accepting_version: Version) -> _ContestedPlanQuestion | None:
        accepting, refusing = self._versions[accepting_version], self._versions[OTHER[accepting_version]]
        rows = counterpart_scope(self._versions[scope_version].rows, accepting.task)
        if rows is None:  # this version accepts no plan of that scope
            return None
        own = self._scope == "both" or scope_version == accepting_version
        lowered = self._lowered.get(accepting_version) if own else None
        if lowered is None:
            lowered = _lower_hard(accepting, rows, own=own)
        condition = _rejection_condition(lowered, refusing, same_scope=self._scope == "both")
        if condition is FALSE:
            return None
        return _ContestedPlanQuestion(accepting_version, scope_version, accepting, refusing, lowered, condition)


def _lower_hard(ground: Ground, rows: Scope, *, own: bool) -> Lowered:
    """Translate the hard constraints of one version of a task into a problem for solvers.

    Args:
        ground: the version of the task.
        rows: rows that plans may have in the problem: the scope of this version, or the scope of the other version.
        own: whether `rows` is the scope of this version. If not, and if this version is closed (accepts only plans in
            its scope), added conditions exclude plans outside the scope of this version.
    """
    hard = tuple(instance for instance in ground.instances if instance.constraint.hard)
    task = replace(ground.task, objectives=())
    lowered = lower(replace(ground, task=task, rows=rows, instances=hard))
    if not own and ground.task.closed:
        closure = other_version(lowered, replace(ground, instances=()), closed=True)
        lowered.problem.hard.extend(closure.conditions)
    return lowered


def _rejection_condition(lowered: Lowered, other: Ground, *, same_scope: bool) -> Bool:
    """Return the condition that another version rejects the solver's plan.

    Conditions that both versions share are left out, because each plan that the solver can return satisfies them.

    Args:
        lowered: the version of the task that accepts the plan, translated into a problem for solvers.
        other: the other version of the task.
        same_scope: whether both versions have the same scope.
    """
    model = lowered.problem.model
    shared = {id(rooted.condition) for rooted in lowered.problem.hard}
    return model.disj(
        model.negate(rooted.condition)
        for rooted in other_version(lowered, other, closed=not same_scope).conditions
        if id(rooted.condition) not in shared
    )


@dataclass(frozen=True, slots=True)
class _ContestedPlanQuestion:
    """The query for a plan that one version of a task accepts and the other rejects, in the scope of one version.

    Attributes:
        accepting_version: the version that must accept the plan.
        scope_version: the version whose scope is searched.
        accepting_task: the task in the accepting version.
        rejecting_task: the task in the other version.
        lowered: the accepting version's hard constraints as a problem for solvers, in the searched scope.
        rejection: condition that the other version rejects the plan.
    """

    accepting_version: Version
    scope_version: Version
    accepting_task: Ground
    rejecting_task: Ground
    lowered: Lowered
    rejection: Bool

    def ask(self, backend_name: str, clock: TimeBudget) -> Outcome:
        """Search for a plan that only the accepting version accepts, and return the outcome."""
        try:
            with clock:
                session = backend(backend_name).open(self.lowered.problem, clock.rest)
                session.add(self.rejection, "refused by the other version")
                return clock.ask(session)
        except LimitReachedError as limit:
            return Outcome(Status.UNKNOWN, reason=limit.reason)

    def contested(self, outcome: Outcome) -> ContestedPlan:
        """Return the plan that the back end found, which one version of the task accepts and the other rejects.

        The verifiers of both versions have judged it.

        Raises:
            InternalError: the verifiers contradict the back end.
        """
        plan = self.lowered.decode(outcome.values)
        with shielded():
            wrong = refusal(self.accepting_task, plan)
            if wrong is not None:
                raise InternalError(f"a back end's plan is refused: {wrong}", self.accepting_task.task.hash)
            if _rejection_reason(self.rejecting_task, self.accepting_task, plan) is None:
                raise InternalError(
                    "a plan that a back end claims to be refused is accepted", self.rejecting_task.task.hash
                )
        return ContestedPlan(self.accepting_version, plan, self.scope_version)


def _rejection_reason(ground: Ground, owner: Ground, plan: Plan) -> str | None:
    """Return why the task's version `ground` rejects a plan of its version `owner`; None if it accepts the plan.

    The plan is encoded as an answer in `owner`. The answer is then decoded and judged in `ground`.
    """
    data: Any = TABLES.encode(owner.task, plan)
    decoded, findings = TABLES.decode(ground.task, data)
    failing = next((finding for finding in findings if finding.fails), None)
    return failing.message if failing is not None else refusal(ground, decoded)
