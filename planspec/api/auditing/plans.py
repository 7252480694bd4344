"""Plans in a task's audit: their number, a plan other than the reference, and the plan without rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from planspec.api.best_values import with_best, with_max_gap
from planspec.api.outputs.audits import LazyAnswer, OtherPlan, PlanCount, ReferenceAudit
from planspec.api.proofs import repair_plan
from planspec.solvers.lowering.problem import identity, same_plan
from planspec.solvers.questions import enumerate as enumeration
from planspec.verifiers.answers.envelope import Undelivered
from planspec.verifiers.answers.format import plain_json
from planspec.verifiers.meaning.differences import differences
from planspec.verifiers.meaning.plan_rows import Plan

if TYPE_CHECKING:
    from planspec.api.auditing.proving import ProvedTurn
    from planspec.api.judging import Judge


def counted_plans(turn: ProvedTurn, most: int) -> tuple[PlanCount | None, list[Plan]]:
    """Count the plans of a turn. Return their number, and the plans that were found.

    No plans are enumerated if both back ends prove that there is at most one.

    Args:
        turn: proved claims.
        most: number at which counting stops.
    """
    validation = turn.outcome.validation
    plans = [plan for plan in (validation.witness, validation.second) if plan is not None]
    match validation.unique.status:
        case "unique":
            return PlanCount(count=1, exact=True), plans
        case "infeasible":
            return PlanCount(count=0, exact=True), plans
        case "multiple" if not turn.clock.over:
            return _enumerated_plans(turn, most)
        case _:
            return (PlanCount(count=len(plans), exact=False) if plans else None), plans


def _enumerated_plans(turn: ProvedTurn, most: int) -> tuple[PlanCount, list[Plan]]:
    from planspec.errors import LimitReachedError

    validation, plans = turn.outcome.validation, list[Plan]()
    earlier = [plan for plan in (validation.witness, validation.second) if plan is not None]
    if len(earlier) > 1 and same_plan(turn.judge.ground, *earlier):
        earlier.pop()  # the two back ends found the same plan
    try:
        with turn.clock:
            lowered = turn.lowering(turn.judge.ground)
        number = enumeration.count(lowered, most=most, limits=turn.clock.rest, on_plan=plans.append, earlier=earlier)
    except LimitReachedError:
        return PlanCount(count=2, exact=False), earlier
    return PlanCount(count=max(number.count, 2), exact=number.exact), plans


def reference_audit(turn: ProvedTurn) -> ReferenceAudit | None:
    """Return the author's answer and its verdict; None without one."""
    judge, accepted = turn.judge, turn.output.reference.accepted
    verdict = judge.reference_verdict()
    if verdict is None:
        return None
    status: Any = "pass" if accepted else "fail" if verdict.status == "pass" else verdict.status
    refusal = turn.output.reference.verdict
    violated = [] if refusal is None else [each for each in refusal.findings if each.status == "violated"]
    best = turn.best_values
    compared = verdict if best is None else with_best(verdict, judge.ground, best)
    return ReferenceAudit(
        status=status,
        answer=plain_json(judge.task.reference),
        violations=[f"{each.constraint}: {each.message}" for each in violated if each.level in ("hard", "shape")],
        objectives=list(compared.objectives),
    )


def has_gap(reference: ReferenceAudit | None) -> bool:
    """Return whether a known plan is better than the reference by one of the objectives."""
    return reference is not None and any(_is_worse(each.gap) for each in reference.objectives)


def _is_worse(gap: int | str | None) -> bool:
    from fractions import Fraction

    return gap is not None and Fraction(gap) > 0


def other_plan(turn: ProvedTurn, plans: Sequence[Plan], *, gap: bool) -> OtherPlan | None:
    """Return a passing plan to show for comparison with the reference, or with the first plan if there is no reference.

    It is the best plan if the reference is worse than that, the passing plan nearest to the reference if the reference
    fails, and otherwise the most similar other plan.

    Args:
        turn: proved claims.
        plans: passing plans of the turn.
        gap: whether a better plan than the reference is known.
    """
    judge, optimum = turn.judge, turn.optimum
    reference = judge.reference_plan()
    if judge.task.reference is not None and reference is None:
        return _nearest_plan(turn)
    if reference is not None and gap and optimum is not None and optimum.plan is not None:
        return _other_plan("better", judge, reference, optimum.plan, all_fields=True)
    base = reference or next(iter(plans), None)
    if base is None:
        return None
    others = [(differs, plan) for plan in plans if (differs := list(difference_texts(judge, base, plan)))]
    differs, plan = min(others, key=lambda other: len(other[0]), default=([], base))
    if not differs:
        return None
    nearest = OtherPlan(kind="another", plan=plain_json(judge.passing_answer(plan)), differs=differs)
    if reference is not None:
        return nearest
    return nearest.model_copy(update={"first": plain_json(judge.passing_answer(base))})


def _nearest_plan(turn: ProvedTurn) -> OtherPlan | None:
    """Return the passing plan nearest to a failing reference; None if none is found."""
    from planspec.errors import LimitReachedError

    judge = turn.judge
    read = judge.reading(judge.task.reference)
    plan = None if isinstance(read, Undelivered) else judge.read(read.plan)
    if plan is None or turn.outcome.validation.feasible.status != "feasible" or turn.clock.over:
        return None
    try:
        repaired = repair_plan(judge, plan, limits=turn.clock.rest)
    except LimitReachedError:
        return None
    return None if repaired.plan is None else _other_plan("nearest", judge, plan, repaired.plan, all_fields=True)


def _other_plan(kind: Any, judge: Judge, base: Plan, plan: Plan, *, all_fields: bool = False) -> OtherPlan | None:
    """Return a plan with its differences from a base plan; None if there are none.

    Args:
        kind: kind of the plan.
        judge: judge of the task.
        base: plan with which to compare.
        plan: the plan.
        all_fields: whether to compare all fields, or only those that the task compares for uniqueness.
    """
    differs = list(difference_texts(judge, base, plan, all_fields=all_fields))
    return OtherPlan(kind=kind, plan=plain_json(judge.passing_answer(plan)), differs=differs) if differs else None


def difference_texts(judge: Judge, base: Plan, plan: Plan, *, all_fields: bool = False) -> Iterator[str]:
    """Yield the differences between two plans, such as `meeting.start 12:30 -> 11:30`."""
    compared = None if all_fields else identity(judge.ground)
    for each in differences(judge.task, base, plan):
        if compared is None or (each.table in compared and (each.field is None or each.field in compared[each.table])):
            yield str(each)


def lazy_answer(judge: Judge) -> LazyAnswer | None:
    """Return the result of an answer without rows; None if it cannot be judged or the task expects no plan."""
    task = judge.task
    if task.expected == "infeasible":
        return None
    best = judge.best_values
    if task.max_gaps and (best is None or not best.by):
        return None
    verdict = judge.plan(Plan({table.name: () for table in task.plan_tables}), details="violated")
    if task.max_gaps and best is not None:
        verdict = with_max_gap(verdict, judge.ground, best)
    soft = verdict.soft.satisfied / verdict.soft.total if verdict.soft.total else None
    return LazyAnswer(passes=verdict.status == "pass", soft=soft)
