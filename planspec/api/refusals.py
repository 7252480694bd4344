"""Refusals: answers that claim there is no plan, `{"infeasible": [conflicting constraints]}`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planspec.dsl.model.expectation import REFUSAL
from planspec.dsl.model.memory import Kind
from planspec.verifiers.meaning.verdict import REFUSED, Finding, Tally, Verdict

if TYPE_CHECKING:
    from planspec.solvers.backends.outcome import Limits, Status
    from planspec.verifiers.meaning.ground import Ground

PROOFS: Kind[frozenset[str] | None, tuple[Status, tuple[str, ...]]] = Kind("whether rules can hold together")


def judge_refusal(ground: Ground, named: Any, limits: Limits | None = None) -> tuple[bool, str]:
    """Judge a refusal. It is right if it is proved that its constraints cannot hold together in the scope.

    Return whether it is right, and a message.


    Args:
        ground: the task.
        named: list of ids of constraints or instances, or True for all hard constraints.
        limits: limits of the proof; None for a minute.

    Raises:
        DiagnosticError: the task has no encoding.
    """
    from planspec.solvers.backends.outcome import Limits, Status
    from planspec.solvers.questions.infeasibility import conflict_among

    ids = {i.id for i in ground.instances} | {i.constraint.id for i in ground.instances}
    if named is not True and not (isinstance(named, list) and named and all(isinstance(rule, str) for rule in named)):
        return False, "a refusal names the rules that cannot hold together, in a list"
    rules = None if named is True else frozenset(named)
    unknown = sorted((rules or frozenset()) - ids)
    if unknown:
        return False, f"the refusal names `{unknown[0][:60]}`, which is no constraint of the task"
    limits = limits or Limits(seconds=60.0)
    proofs = ground.interpreter.static.of(PROOFS)  # shared by all refusals of this task
    status, conflict = proofs.get(rules) or conflict_among(ground, rules, limits=limits)
    if status is not Status.UNKNOWN:
        proofs[rules] = status, conflict
    if status is Status.INFEASIBLE:
        contradiction = (
            f"{', '.join(conflict)} cannot hold together"
            if len(conflict) > 1
            else f"{conflict[0]} cannot hold"
            if conflict
            else "no rows have the shape of a plan"
        )
        return True, f"there is no plan: {contradiction}"
    if status is Status.UNKNOWN:
        return False, f"the refusal is undecided: no proof was found in {limits.seconds:g} s"
    return False, "the answer says that there is no plan, but " + (
        "there is one" if rules is None else "the rules that it names can hold together"
    )


def right_refusal(task: str, message: str) -> Verdict:
    """Return the passing verdict on a right refusal. It counts no constraint."""
    finding = Finding(constraint=REFUSAL, level="shape", kind=REFUSED, status="satisfied", message=message)
    nothing = Tally(satisfied=0, total=0)
    return Verdict(
        task=task,
        profile="strict",
        status="pass",
        hard=nothing,
        soft=nothing,
        metrics={},
        in_scope=True,
        findings=(finding,),
    )
