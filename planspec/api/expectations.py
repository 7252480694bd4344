"""Comparison of proved claims about a task with its author's expectation."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planspec.api.certificates import Certificate
    from planspec.api.outputs.claims import UniqueOutput
    from planspec.dsl.model.task import Task


def is_as_expected(task: Task, feasible: str, unique: str, *, beyond: bool, outside: bool) -> bool | None:
    """Return whether the proved claims about a task are as its author expects; None if undecided.

    An expected lack of plans must hold beyond the scope, or the task must be closed (only plans in scope count).
    Otherwise an answer outside the scope may pass.

    Args:
        task: the task.
        feasible: status of the claim on whether there is a plan.
        unique: status of the claim on whether there is only one.
        beyond: whether the claim `unique` holds beyond the scope.
        outside: whether a passing plan outside the scope is known.
    """
    match task.expected:
        case "unique":
            return {"unique": True, "multiple": False, "infeasible": False}.get(unique)
        case "feasible":
            return {"feasible": True, "infeasible": False}.get(feasible)
        case "infeasible":
            if feasible == "feasible" or (feasible == "infeasible" and outside and not task.closed):
                return False
            return True if feasible == "infeasible" and (beyond or task.closed) else None


def best_plans_in_words(task: Task) -> str:
    """Return words for the plans that a task's `unique_best` is about."""
    if not task.objectives:
        return "with every soft constraint"
    return "the best plan" + ("" if all(rule.hard for rule in task.constraints) else " with every soft constraint")


def output_is_as_expected(task: Task, feasible: str, unique: UniqueOutput) -> bool | None:
    """Return whether the output of `validate` is as a task's author expects; None if undecided."""
    return is_as_expected(
        task,
        feasible,
        unique.status,
        beyond=unique.scope == "beyond",
        outside=any(one.plan is not None for one in unique.outside),
    )


def certificate_is_as_expected(task: Task, certificate: Certificate) -> bool | None:
    """Return whether a certificate claims what the task now expects; None if its claims leave that open."""
    return is_as_expected(
        task,
        certificate.feasible.status,
        certificate.unique.status,
        beyond=certificate.unique.scope == "beyond",
        outside=bool(certificate.outside),
    )


def expectation_in_words(task: Task, as_expected: bool | None, feasible: str, unique: str) -> str | None:
    """Return a sentence that compares a proved claim with the expectation; None if none is needed.

    Args:
        task: the task.
        as_expected: result of the comparison; None if undecided.
        feasible: status of the claim on whether there is a plan.
        unique: status of the claim on whether there is only one.
    """
    if as_expected:
        if task.expects is not None:
            return "as expected"
        return "several plans, none expected to be the only one" if unique == "multiple" else None
    if task.expected == "infeasible" and feasible == "infeasible":
        found = (
            "whether a plan outside the scope passes is undecided"
            if as_expected is None
            else "outside the scope there is a plan"
        )
        return f"expected infeasible; {found}"
    if as_expected is None:
        return None
    found = {"feasible": "there is a plan", "infeasible": "there is none"}[feasible]
    return f"expected {task.expected}; {'there are several plans' if unique == 'multiple' and task.expected == 'unique' else found}"
