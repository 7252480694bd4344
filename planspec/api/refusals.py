"""Refusals: answers that claim there is no plan, `{"infeasible": [conflicting constraints]}`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from planspec.dsl.model.expectation import REFUSAL
from planspec.dsl.model.memory import Kind
from planspec.verifiers.meaning.verdict import REFUSED, Finding, RefusalJudgement, Tally, Verdict

if TYPE_CHECKING:
    from planspec.solvers.backends.outcome import Limits, Status
    from planspec.verifiers.meaning.ground import Ground

PROOFS: Kind[frozenset[str] | None, tuple[Status, tuple[str, ...]]] = Kind("whether rules can hold together")


def judge_refusal(ground: Ground, named: Any, limits: Limits | None = None) -> tuple[RefusalJudgement | None, str]:
    """Judge a refusal. It is right if it is proved that its constraints cannot hold together in the scope.

    Args:
        ground: the task.
        named: list of ids of constraints or instances, or True for all hard constraints.
        limits: limits of each proof; None for a minute.

    Returns:
        The judgement, or None if the refusal has no meaning; and a message.

    Raises:
        DiagnosticError: the task has no encoding.
    """
    from planspec.solvers.backends.outcome import Limits, Status

    ids = {i.id for i in ground.instances} | {i.constraint.id for i in ground.instances}
    if named is not True and not (isinstance(named, list) and named and all(isinstance(rule, str) for rule in named)):
        return None, "a refusal names the rules that cannot hold together, in a list"
    rules = None if named is True else frozenset(named)
    unknown = sorted((rules or frozenset()) - ids)
    if unknown:
        return None, f"the refusal names `{unknown[0][:60]}`, which is no constraint of the task"
    limits = limits or Limits(seconds=60.0)
    status, conflict = _prove(ground, rules, limits)
    if status is Status.INFEASIBLE:
        contradiction = (
            f"{', '.join(conflict)} cannot hold together"
            if len(conflict) > 1
            else f"{conflict[0]} cannot hold"
            if conflict
            else "no rows have the shape of a plan"
        )
        minimal = None if rules is None else _is_minimal(ground, rules, limits)
        judgement = RefusalJudgement(right=True, conflict=conflict, minimal=minimal)
        return judgement, f"there is no plan: {contradiction}"
    if status is Status.UNKNOWN:
        return RefusalJudgement(right=None), f"the refusal is undecided: no proof was found in {limits.seconds:g} s"
    return RefusalJudgement(right=False), "the answer says that there is no plan, but " + (
        "there is one" if rules is None else "the rules that it names can hold together"
    )


MOST_NAMED = 20
"""Maximum number of named rules of which it is decided whether each is needed."""


def _is_minimal(ground: Ground, rules: frozenset[str], limits: Limits) -> bool | None:
    """Return whether some rules that cannot hold together can do so without any one of them; None if undecided."""
    from planspec.solvers.backends.outcome import Status

    if len(rules) > MOST_NAMED:
        return None
    statuses = {_prove(ground, rules - {rule}, limits)[0] for rule in rules}
    if Status.INFEASIBLE in statuses:
        return False
    return None if Status.UNKNOWN in statuses else True


def _prove(ground: Ground, rules: frozenset[str] | None, limits: Limits) -> tuple[Status, tuple[str, ...]]:
    """Decide whether some rules can hold together. What is decided is shared by all refusals of the task."""
    from planspec.solvers.backends.outcome import Status
    from planspec.solvers.questions.infeasibility import conflict_among

    proofs = ground.interpreter.static.of(PROOFS)
    proved = proofs.get(rules) or conflict_among(ground, rules, limits=limits)
    if proved[0] is not Status.UNKNOWN:
        proofs[rules] = proved
    return proved


def refusal_verdict(missing: Verdict, judgement: RefusalJudgement, message: str) -> Verdict:
    """Return the verdict on a refusal. A right one passes and counts no constraint; a wrong one keeps none.

    Args:
        missing: verdict on a missing answer to the task.
        judgement: judgement on the refusal, which is decided.
        message: what is said of it.
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
