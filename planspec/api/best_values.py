"""The best known plan of a task with objectives, and the distance of other plans from it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from planspec.dsl.model.task import OPTIMAL
from planspec.dsl.model.value_text import show
from planspec.verifiers.meaning.margin import margin_text
from planspec.verifiers.meaning.objectives import ObjectiveValue, amount

if TYPE_CHECKING:
    from planspec.api.certificates import Certificate
    from planspec.api.judging import Judge
    from planspec.dsl.model.task import Objective, Task
    from planspec.solvers.questions.prove import Solution
    from planspec.verifiers.meaning.ground import Ground
    from planspec.verifiers.meaning.verdict import Verdict

Scope: TypeAlias = Literal["within", "beyond"]


@dataclass(frozen=True, slots=True)
class BestValue:
    """The value of an objective in the best known plan, and its proved bound, in the objective's unit.

    Attributes:
        best: value in the best known plan; None if the objective has no value there.
        bound: proved bound on the value, over plans that tie with the best on soft weight and earlier objectives; None
            if no bound is proved.
    """

    best: Fraction | None
    bound: Fraction | None


@dataclass(frozen=True, slots=True)
class BestValues:
    """Soft weight and objective values of a task's best known plan.

    Attributes:
        soft_weight: weight of the soft constraints that the best known plan satisfies.
        values: values of the objectives, in order.
        by: back ends that proved that no plan is better; empty if none did.
        scope: `beyond` if this proof is about all plans, `within` if it is only about plans in the scope.
    """

    soft_weight: int
    values: tuple[BestValue, ...]
    by: tuple[str, ...]
    scope: Scope

    @classmethod
    def of(cls, solution: Solution) -> BestValues | None:
        """Return the values of a solver's plan; None if it found no plan."""
        from planspec.solvers.backends.outcome import Status

        if solution.plan is None:
            return None
        values = tuple(
            BestValue(
                None if level.value is None else Fraction(level.value, level.scale),
                None if level.bound is None else Fraction(level.bound, level.scale),
            )
            for level in solution.levels
        )
        by = solution.by if solution.status is Status.OPTIMAL else ()
        return cls(solution.soft_weight, values, by, "beyond" if solution.task.closed else "within")

    @classmethod
    def from_certificate(cls, certificate: Certificate, task: Task) -> BestValues | None:
        """Return the values that a certificate claims; None if it has no claim about the best plan."""
        claim = certificate.optimum
        if claim is None:
            return None
        values = tuple(BestValue(_fraction(each.value), _fraction(each.bound)) for each in claim.objectives)
        by = tuple(claim.by) if claim.status == "optimal" else ()
        return cls(claim.soft_weight, values, by, "beyond" if task.closed else "within")


def certified_best_values(judge: Judge, task: Path) -> BestValues | None:
    """Return the values of the best plan from a task's certificate.

    Return None if the task has no objective, or no valid certificate with such values.

    Args:
        judge: judge of the task.
        task: file of the task.
    """
    from planspec.api import certificates
    from planspec.dsl.model.proof_hash import proof_hash

    if not judge.task.objectives:
        return None
    try:
        certificate = certificates.read(certificates.certificate_path(task, judge.task.certificate_id))
    except (OSError, ValueError):
        return None
    if certificate.optimum is None or certificate.hash != proof_hash(judge.task):
        return None
    return BestValues.from_certificate(certificate, judge.task)


def with_best(verdict: Verdict, ground: Ground, best_values: BestValues | None) -> Verdict:
    """Return a verdict whose objectives are compared with the best known plan.

    Args:
        verdict: verdict on an answer.
        ground: the task.
        best_values: values of its best known plan; None to leave the verdict unchanged.
    """
    if best_values is None or not verdict.objectives:
        return verdict
    compared = verdict.status != "undelivered" and _soft_weight(verdict, ground) == best_values.soft_weight
    objectives: list[ObjectiveValue] = []
    for value, declared, best in zip(verdict.objectives, ground.task.objectives, best_values.values, strict=True):
        gap = None
        if compared and value.value is not None and best.best is not None:
            gap = (Fraction(value.value) - best.best) * (-1 if declared.maximize else 1)
        compared_value = replace(
            value,
            best=None if best.best is None else amount(best.best),
            bound=None if best.bound is None else amount(best.bound),
            gap=None if gap is None else amount(gap),
            by=best_values.by,
            scope=best_values.scope,
        )
        compared = compared and compared_value.ties
        objectives.append(
            replace(compared_value, text=objective_in_words(compared_value, declared, ground.task.currency))
        )
    return replace(verdict, objectives=tuple(objectives))


def with_max_gap(verdict: Verdict, ground: Ground, best_values: BestValues) -> Verdict:
    """Return a verdict that fails if an objective is worse than the best by more than the task's `max_gap`.

    Args:
        verdict: verdict on an answer, before `max_gap` is applied.
        ground: the task.
        best_values: proved values of its best plan.
    """
    from planspec.verifiers.meaning.verdict import Finding, Tally

    gaps = ground.task.max_gaps
    total = verdict.hard.total + 1
    if verdict.status == "undelivered" or verdict.refusal is not None:
        return replace(verdict, hard=Tally(satisfied=0, total=total))
    verdict = with_best(verdict, ground, best_values)
    margin: Fraction | None = None
    unit: str | None = None
    message = "the soft constraints that the best plan keeps come first, and this plan keeps others"
    for value, allowed in zip(verdict.objectives, gaps, strict=False):
        if value.value is None and value.best is None:
            margin, unit = Fraction(allowed.amount), value.unit
            message = f"no plan has a value of `{value.name}`"
            continue
        if value.gap is None:
            margin, unit = None, None
            message = f"the plan has no value of `{value.name}`" if value.value is None else message
            break
        most = allowed.amount * (abs(Fraction(value.best or 0)) if allowed.relative else 1)
        margin, unit = most - Fraction(value.gap), value.unit
        message = f"{value.text}; at most {allowed.text} is allowed"
        if margin < 0 or value.gap != 0:
            break  # later objectives are not compared after a gap
    holds = margin is not None and margin >= 0
    finding = Finding(
        constraint=OPTIMAL,
        level="hard",
        status="satisfied" if holds else "violated",
        message=message,
        margin=None if margin is None else amount(margin),
        unit=unit,
    )
    return replace(
        verdict,
        status=verdict.status if holds else "fail",
        hard=Tally(satisfied=verdict.hard.satisfied + holds, total=total),
        findings=(*verdict.findings, finding),
    )


def objective_in_words(value: ObjectiveValue, declared: Objective, currency: str | None) -> str:
    """Return an objective's value, the best known value and the difference, as text.

    An example is `makespan 5h, best 4h45min (proved within the scope: cpsat, smt): +15min, +5.3 %`.
    """
    type_ = declared.expression.type

    def shown(number: int | str | None) -> str:
        return "none" if number is None else show(Fraction(number), type_, currency)

    text = f"{value.name} {shown(value.value)}"
    if value.best is None:
        return text
    if value.by:
        within = " within the scope" if value.scope == "within" else ""
        status = f"proved{within}: {', '.join(value.by)}"
    else:
        status = "not proved" if value.bound is None else f"not proved; the bound is {shown(value.bound)}"
    if value.gap == 0:
        return f"{text}, {'the best' if value.by else 'the best known'} ({status})"
    text += f", best {shown(value.best)} ({status})"
    if value.gap is None:
        return text
    gap, relative = Fraction(value.gap), value.relative_gap
    if gap < 0:
        return f"{text}: better than the best {'within the scope' if value.by else 'known'}"
    worse = value.gap if value.goal == "minimize" else amount(-gap)
    share = "" if relative is None else f", {'-' if value.goal == 'maximize' else '+'}{float(relative):.1%}"
    return f"{text}: {margin_text(worse, value.unit)}{share.replace('%', ' %')}"


def _soft_weight(verdict: Verdict, ground: Ground) -> int:
    """Return the weight of the soft constraints that a plan satisfies."""
    violated = {finding.constraint for finding in verdict.findings if finding.status == "violated"}
    return sum(instance.weight for instance in ground.instances if instance.applicable and instance.id not in violated)


def _fraction(number: int | str | None) -> Fraction | None:
    return None if number is None else Fraction(number)
