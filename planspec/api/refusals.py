"""Answers that say there is no plan: `{"infeasible": [rules that cannot hold together]}`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from planspec.dsl.model.memory import Kind
from planspec.verifiers.meaning.verdict import REFUSED, Finding, Tally, Verdict

if TYPE_CHECKING:
    from planspec.solvers.backends.outcome import Limits, Status
    from planspec.verifiers.meaning.ground import Ground

REFUSAL = "infeasible"
"""The key of a refusal, and the id of the finding on it."""
PROOFS: Kind[frozenset[str] | None, tuple[Status, tuple[str, ...]]] = Kind("whether rules can hold together")


def is_refusal(data: Any) -> bool:
    """The answer says that there is no plan."""
    return isinstance(data, Mapping) and set(data) == {REFUSAL}


def refusal(ground: Ground, said: Any, limits: Limits | None = None) -> tuple[bool, str]:
    """Judge a refusal: it is right if the rules that it names are proved not to hold together in the scope.

    Args:
        ground: the task.
        said: ids of constraints or instances in a list, or true for all hard ones.
        limits: for the proof; a minute by default.

    Raises:
        DiagnosticError: the task has no encoding.
    """
    from planspec.solvers.backends.outcome import Limits, Status
    from planspec.solvers.questions.infeasibility import conflict_among

    known = {i.id for i in ground.instances} | {i.constraint.id for i in ground.instances}
    if said is not True and not (
        isinstance(said, list) and said and all(isinstance(rule, str) for rule in said)
    ):
        return False, "a refusal names the rules that cannot hold together, in a list"
    rules = None if said is True else frozenset(said)
    unknown = sorted((rules or frozenset()) - known)
    if unknown:
        return False, f"the refusal names `{unknown[0][:60]}`, which is no constraint of the task"
    limits = limits or Limits(seconds=60.0)
    proofs = ground.interpreter.static.of(PROOFS)  # of this task, whoever refuses it
    status, conflict = proofs.get(rules) or conflict_among(ground, rules, limits=limits)
    if status is not Status.UNKNOWN:
        proofs[rules] = status, conflict
    if status is Status.INFEASIBLE:
        told = (
            f"{', '.join(conflict)} cannot hold together"
            if len(conflict) > 1
            else f"{conflict[0]} cannot hold"
            if conflict
            else "no rows have the shape of a plan"
        )
        return True, f"there is no plan: {told}"
    if status is Status.UNKNOWN:
        return False, f"the refusal is undecided: no proof was found in {limits.seconds:g} s"
    return False, "the answer says that there is no plan, but " + (
        "there is one" if rules is None else "the rules that it names can hold together"
    )


def right_refusal(task: str, message: str) -> Verdict:
    """The verdict on a refusal that is right: nothing is asked of the plan that cannot be."""
    finding = Finding(constraint=REFUSAL, level="shape", kind=REFUSED, status="satisfied", message=message)
    nothing = Tally(satisfied=0, total=0)
    return Verdict(
        task=task, profile="strict", status="pass", hard=nothing, soft=nothing, metrics={}, in_scope=True,
        findings=(finding,),
    )  # fmt: skip
