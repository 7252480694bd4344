"""Refusals: answers that claim that there is no plan, `{"infeasible": [conflicting constraints]}`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from planspec.dsl.model.expectation import REFUSAL
from planspec.dsl.model.memory import Kind
from planspec.verifiers.meaning.verdict import REFUSED, Finding, RefusalJudgement, Tally, Verdict

if TYPE_CHECKING:
    from planspec.solvers.backends.outcome import Limits, Status
    from planspec.verifiers.meaning.ground import Ground

PROOFS: Kind[frozenset[str] | None, tuple[Status, tuple[str, ...]]] = Kind("whether rules can hold together")
SECONDS = 60.0
"""Default time limit in seconds of each proof."""


class ConflictOracle(Protocol):
    """Decides whether rules of a task can be satisfied together within its scope."""

    def conflict(self, ground: Ground, rules: frozenset[str] | None) -> tuple[bool | None, tuple[str, ...]]:
        """Decide whether some rules conflict.

        Args:
            ground: the task.
            rules: ids of constraints or constraint instances; None for all hard constraints.

        Returns:
            A pair: whether the rules conflict, or None if undecided; and the ids of rules that conflict, empty if
            unknown.
        """


@dataclass(frozen=True, slots=True)
class SolverOracle:
    """An oracle that decides with solvers whether the constraints named in a refusal conflict.

    It stores its results for later refusals of the same task.

    Attributes:
        limits: limits of each proof; None for one minute.
    """

    limits: Limits | None = None

    def conflict(self, ground: Ground, rules: frozenset[str] | None) -> tuple[bool | None, tuple[str, ...]]:
        """Decide by solvers whether the rules conflict; see `ConflictOracle.conflict`.

        Raises:
            DiagnosticError: the task cannot be encoded for solvers.
        """
        from planspec.solvers.backends.outcome import Limits, Status
        from planspec.solvers.questions.infeasibility import conflict_among

        proofs = ground.interpreter.static.of(PROOFS)
        limits = self.limits or Limits(seconds=SECONDS)
        status, conflict = proofs.get(rules) or conflict_among(ground, rules, limits=limits)
        if status is Status.UNKNOWN:
            return None, ()
        proofs[rules] = status, conflict
        return status is Status.INFEASIBLE, conflict


@dataclass(frozen=True, slots=True)
class KnownConflicts:
    """An oracle that has all minimal conflicts of a task and needs no solver.

    Attributes:
        minimal: ids of the constraint instances in each minimal conflict; empty for a task with a plan. A conflict
            without instances means that no plan has the required shape.
    """

    minimal: tuple[frozenset[str], ...]

    def conflict(self, ground: Ground, rules: frozenset[str] | None) -> tuple[bool | None, tuple[str, ...]]:
        """Decide by the stored conflicts whether the rules conflict; see `ConflictOracle.conflict`."""
        chosen = {
            instance.id
            for instance in ground.instances
            if rules is None or instance.id in rules or instance.constraint.id in rules
        }
        found = next((conflict for conflict in self.minimal if conflict <= chosen), None)
        if found is None:
            return False, ()
        return True, tuple(instance.id for instance in ground.instances if instance.id in found)


@dataclass(frozen=True, slots=True)
class RefusalJudge:
    """Judge of refusals. A refusal is right if its constraints are proved to conflict within the scope.

    Attributes:
        oracle: decides whether rules conflict.
    """

    oracle: ConflictOracle = field(default_factory=SolverOracle)

    def judge(self, ground: Ground, named: Any) -> tuple[RefusalJudgement | None, str]:
        """Judge a refusal, given the constraints that it names as conflicting.

        Args:
            ground: the task.
            named: list of ids of constraints or constraint instances; True for all hard constraints.

        Returns:
            The judgement, or None if the refusal names no rules of the task; and a message.

        Raises:
            DiagnosticError: the task cannot be encoded for solvers.
        """
        ids = {i.id for i in ground.instances} | {i.constraint.id for i in ground.instances}
        if named is not True and not (
            isinstance(named, list) and named and all(isinstance(rule, str) for rule in named)
        ):
            return None, "a refusal names the rules that cannot hold together, in a list"
        rules = None if named is True else frozenset(named)
        unknown = sorted((rules or frozenset()) - ids)
        if unknown:
            return None, f"the refusal names `{unknown[0][:60]}`, which is no constraint of the task"
        right, conflict = self.oracle.conflict(ground, rules)
        if right is None:
            return RefusalJudgement(right=None), "the refusal is undecided: no proof was found in time"
        if not right:
            return RefusalJudgement(right=False), "the answer says that there is no plan, but " + (
                "there is one" if rules is None else "the rules that it names can hold together"
            )
        contradiction = (
            f"{', '.join(conflict)} cannot hold together"
            if len(conflict) > 1
            else f"{conflict[0]} cannot hold"
            if conflict
            else "no rows have the shape of a plan"
        )
        minimal = None if rules is None else self._is_minimal(ground, rules)
        judgement = RefusalJudgement(right=True, conflict=conflict, minimal=minimal)
        return judgement, f"there is no plan: {contradiction}"

    def _is_minimal(self, ground: Ground, rules: frozenset[str]) -> bool | None:
        """Return whether conflicting rules stop conflicting if any one is removed; None if undecided."""
        if len(rules) > MOST_NAMED:
            return None
        return _none_conflicts(self.oracle.conflict(ground, rules - {rule})[0] for rule in rules)


MOST_NAMED = 20
"""Maximum number of rules in a refusal for which minimality is tested."""


def _none_conflicts(answers: Iterable[bool | None]) -> bool | None:
    """Return whether all answers are False; None if that depends on an undecided one."""
    found = set(answers)
    return False if True in found else None if None in found else True


def refusal_verdict(missing: Verdict, judgement: RefusalJudgement, message: str) -> Verdict:
    """Return the verdict on a refusal.

    A right refusal passes, and its verdict counts no constraints. After a wrong refusal, all constraints count as
    violated.

    Args:
        missing: verdict on a missing answer, as a template.
        judgement: decided judgement on the refusal.
        message: text of the verdict's finding.
    """
    finding = Finding(
        constraint=REFUSAL,
        level="shape",
        kind=REFUSED,
        status="satisfied" if judgement.right else "violated",
        message=message,
    )
    nothing = Tally(satisfied=0, total=0)
    right = bool(judgement.right)
    return replace(
        missing,
        status="pass" if right else "fail",
        hard=nothing if right else missing.hard,
        soft=nothing if right else missing.soft,
        in_scope=right,
        findings=(finding,),
        objectives=() if right else missing.objectives,
        refusal=judgement,
    )
