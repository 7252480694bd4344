"""Proved claims about a task, as JSON and as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from planspec.api.expectations import best_plans_in_words, output_is_as_expected
from planspec.verifiers.answers.format import plain_json

if TYPE_CHECKING:
    from planspec.api.best_values import BestValues
    from planspec.api.certificates import BestClaims, Certificate, Feasible, Unique
    from planspec.api.conversation import TurnOutcome
    from planspec.api.judging import Judge
    from planspec.api.outputs.claims import (
        BackendOutput,
        BestOutput,
        ChangeOutput,
        ClaimOutput,
        DifferenceOutput,
        OpenOutput,
        OpinionOutput,
        ReferenceOutput,
        UniqueOutput,
        ValidateOutput,
    )
    from planspec.dsl.model.task import Task
    from planspec.solvers.questions.beyond_scope import Beyond
    from planspec.solvers.questions.prove import Solution
    from planspec.solvers.questions.second_look import Opinion
    from planspec.solvers.questions.validation import BackendClaim, Claim, Validation
    from planspec.verifiers.meaning.ground import Ground
    from planspec.verifiers.meaning.objectives import ObjectiveValue
    from planspec.verifiers.meaning.plan_rows import Plan

WORDS = {"multiple": "not unique"}
"""Texts of statuses, if they differ from the status."""
BOUNDED = ("unique", "infeasible")
"""Statuses of claims that may be limited to the scope."""


@dataclass(frozen=True, slots=True)
class ContradictoryAnswer:
    """The answer of a back end that contradicts another back end's answer.

    Attributes:
        by: name of the back end, such as `z3`.
        status: its answer, such as `infeasible`.
        plan: rows of the plan that it claims, by table; None if there is none.
    """

    by: str
    status: str
    plan: Any = None


def claim_output(claim: Claim) -> ClaimOutput:
    """Return a back end claim as JSON output."""
    from planspec.api.outputs.claims import ClaimOutput

    return ClaimOutput(status=claim.status, backends=backend_outputs(claim.backends))


def backend_outputs(claims: Mapping[str, BackendClaim]) -> dict[str, BackendOutput]:
    """Return the claims of back ends as JSON output, by back end."""
    from planspec.api.outputs.claims import BackendOutput

    return {
        name: BackendOutput(status=claim.status, seconds=round(claim.seconds, 4), reason=claim.reason)
        for name, claim in claims.items()
    }


def opinion_outputs(task: Task, opinions: Sequence[Opinion], scale: int = 1) -> list[OpinionOutput]:
    """Return contradictory answers of back ends as JSON output.

    Args:
        task: the task.
        opinions: answers of the back ends.
        scale: number by which bounds are divided.
    """
    from planspec.api.judging import encode
    from planspec.api.outputs.claims import OpinionOutput

    return [
        OpinionOutput(
            by=opinion.by,
            status=opinion.status,
            plan=None if opinion.plan is None else plain_json(encode(task, opinion.plan)),
            bound=opinion.bound if opinion.bound is None or scale == 1 else opinion.bound / scale,
        )
        for opinion in opinions
    ]


def opinions_in_words(opinions: Sequence[Opinion | OpinionOutput | ContradictoryAnswer]) -> str:
    """Return a sentence about contradictory back ends, such as `cpsat says unique; smt says multiple`."""
    return "; ".join(f"{each.by} says {each.status}" for each in opinions) + ": a solver is wrong, nothing is proved"


NO_BEST = "no plan keeps every constraint"
"""Text for an infeasible claim about plans that satisfy every constraint."""


def unique_output(
    judge: Judge,
    ground: Ground,
    validation: Validation,
    beyond: Beyond | None,
    *,
    is_requested: bool,
    seconds: float | None = None,
) -> UniqueOutput:
    """Return the claim about uniqueness: whether there is exactly one plan, several plans, or no plan.

    Args:
        judge: judge of the task.
        ground: the grounded task, or the variant of it in which every soft constraint is hard.
        validation: claims proved within the scope.
        beyond: claims proved beyond the scope; None if there are none.
        is_requested: whether the user asked for claims beyond the scope.
        seconds: time limit of each proof beyond the scope; None without one.
    """
    from planspec.api.outputs.claims import OutsideOutput, UniqueOutput

    second = None if validation.second is None else plain_json(judge.encode(validation.second))
    witness_differences = [] if validation.second is None else _differences(ground, validation, validation.second)
    proved = validation.unique if beyond is None or beyond.claim.status == "unknown" else beyond.claim
    claim = claim_output(proved)
    holds = beyond.holds if beyond is not None else is_requested and validation.unique.status == "multiple"
    outside = beyond.outside.items() if beyond is not None else ()
    return UniqueOutput(
        status=validation.unique.status,
        backends=claim.backends,
        second=second,
        differences=witness_differences,
        scope="beyond" if holds else "within",
        leans_on=list(beyond.leans_on) if beyond else [],
        minimal=beyond is None or beyond.minimal,
        outside=[
            OutsideOutput(
                bound=bound,
                plan=plain_json(judge.passing_answer(plan)),
                differences=_differences(ground, validation, plan),
            )
            for bound, plan in outside
        ],
        open=None if beyond is None else _open_output(beyond, seconds),
    )


def _open_output(beyond: Beyond, seconds: float | None) -> OpenOutput | None:
    """Return the claims beyond the scope that were not decided in time; None if there are none."""
    from planspec.api.outputs.claims import OpenOutput

    backends = [name for name, claim in beyond.claim.backends.items() if claim.status == "unknown"]
    if not backends and not beyond.undecided:
        return None
    return OpenOutput(backends=backends, bounds=list(beyond.undecided), seconds=seconds)


def best_output(
    judge: Judge,
    validation: Validation,
    beyond: Beyond | None,
    *,
    is_requested: bool,
    seconds: float | None = None,
) -> BestOutput | None:
    """Return the claims about plans that also satisfy every soft constraint, as JSON output, or None.

    Args:
        judge: judge of the task.
        validation: claims proved within the scope.
        beyond: these claims, proved beyond the scope; None if there are none.
        is_requested: whether the user asked for claims beyond the scope.
        seconds: time limit of each proof beyond the scope; None without one.
    """
    from planspec.api.outputs.claims import BestOutput
    from planspec.solvers.questions.claims import variant_for_best

    best = validation.best
    ground = None if best is None else variant_for_best(judge.ground, best.witness)
    if ground is None or best is None:
        return None
    return BestOutput(
        about=best_plans_in_words(judge.task),
        feasible=claim_output(best.feasible),
        unique=unique_output(judge, ground, best, beyond, is_requested=is_requested, seconds=seconds),
        witness=None if best.witness is None else plain_json(judge.encode(best.witness)),
    )


def certified_best_output(judge: Judge, certified: BestClaims | None) -> BestOutput | None:
    """Return a certificate's claims about plans that also satisfy every soft constraint, as JSON output."""
    from planspec.api.outputs.claims import BestOutput
    from planspec.solvers.questions.claims import variant_for_best

    if certified is None:
        return None
    ground = variant_for_best(judge.ground, judge.read(certified.witness))
    if ground is None:
        return None
    return BestOutput(
        about=best_plans_in_words(judge.task),
        feasible=certified_claim_output(certified.feasible),
        unique=certified_unique_output(judge, ground, certified),
        witness=certified.witness,
    )


def certified_claim_output(claim: Feasible | Unique) -> ClaimOutput:
    """Return a claim of a certificate as JSON output."""
    from planspec.api.outputs.claims import BackendOutput, ClaimOutput

    backends = {
        str(name): BackendOutput(status=proof.status, seconds=proof.seconds) for name, proof in claim.backends.items()
    }
    return ClaimOutput(status=claim.status, backends=backends)


def certified_unique_output(judge: Judge, ground: Ground, certified: Certificate | BestClaims) -> UniqueOutput:
    """Return a certificate's claim about other plans as JSON output."""
    from planspec.api.outputs.claims import OutsideOutput, UniqueOutput

    def witness_differences(answer: Any) -> list[DifferenceOutput]:
        plans = [None if one is None else judge.read(one) for one in (certified.witness, answer)]
        return [] if plans[0] is None or plans[1] is None else _plan_differences(ground, plans[0], plans[1])

    claim = certified_claim_output(certified.unique)
    return UniqueOutput(
        status=claim.status,
        backends=claim.backends,
        second=certified.second,
        differences=witness_differences(certified.second),
        scope=certified.unique.scope,
        leans_on=certified.unique.leans_on,
        outside=[
            OutsideOutput(bound=bound, plan=answer, differences=witness_differences(answer))
            for bound, answer in certified.outside.items()
        ],
    )


def _differences(ground: Ground, validation: Validation, plan: Plan) -> list[DifferenceOutput]:
    """Return the differences between a plan and the witness (the first plan), in the fields compared for uniqueness."""
    return [] if validation.witness is None else _plan_differences(ground, validation.witness, plan)


def _plan_differences(ground: Ground, witness: Plan, plan: Plan) -> list[DifferenceOutput]:
    from planspec.api.outputs.claims import DifferenceOutput
    from planspec.solvers.lowering.problem import identity
    from planspec.verifiers.meaning.differences import differences

    distinguishing = identity(ground)
    return [
        DifferenceOutput.of(d)
        for d in differences(ground.task, witness, plan)
        if d.table in distinguishing and (d.field is None or d.field in distinguishing[d.table])
    ]


def claim_words(feasible: ClaimOutput, unique: UniqueOutput) -> str:
    """Return a line such as `feasible, unique within the scope (cpsat unique 0.01 s, smt unique 0.02 s)`."""
    words = [
        f"{WORDS.get(status, status)} {unique.scope} the scope" if status in BOUNDED else WORDS.get(status, status)
        for status in dict.fromkeys((feasible.status, unique.status))
    ]
    return f"{', '.join(words)} ({_provers(unique)})"


def best_words(best: BestOutput) -> str:
    """Return a line such as `with every soft constraint: unique within the scope (cpsat unique 0.01 s)`."""
    status = best.unique.status
    words = NO_BEST if status == "infeasible" else WORDS.get(status, status)
    bounded = f" {best.unique.scope} the scope" if status in BOUNDED else ""
    return f"{best.about}: {words}{bounded} ({_provers(best.unique)})"


def _provers(unique: UniqueOutput) -> str:
    return ", ".join(f"{n} {b.status} {b.seconds:.2f} s" for n, b in unique.backends.items())


def bound_lines(unique: UniqueOutput) -> Iterator[str]:
    """Yield lines about each bound on which the claim depends, a plan beyond this bound, and open claims."""
    shown = {outside.bound: outside for outside in unique.outside}
    undecided = set() if unique.open is None else set(unique.open.bounds)
    for bound in unique.leans_on:
        if bound in undecided:
            continue
        yield f"leans on {bound}"
        if bound not in shown:
            continue
        if shown[bound].plan is None:
            yield "  beyond it: rows that no answer can express"
        for difference in shown[bound].differences:
            yield f"  beyond it: {difference.said}"
    if unique.open is not None:
        yield _open_words(unique.open)


MOST_BOUNDS = 3
"""Maximum number of undecided bounds that a line lists. A larger number is only counted."""


def _open_words(open_: OpenOutput) -> str:
    """Return a line such as `open beyond the scope: smt found no proof in 10 s; its certificate: --timeout 300`."""
    within = "" if open_.seconds is None else f" in {open_.seconds:g} s"
    parts = [f"{' and '.join(open_.backends)} found no proof{within}"] if open_.backends else []
    if open_.bounds:
        count = len(open_.bounds)
        bounds = ", ".join(open_.bounds) if count <= MOST_BOUNDS else f"{count} bounds, which --format json names,"
        parts.append(f"whether the claim needs {bounds} was not decided{within}")
    if open_.certified_seconds is not None:
        parts.append(f"the certificate has the proofs, found with --timeout {open_.certified_seconds:g}")
    elif open_.seconds is not None:
        parts.append("a longer --timeout may decide it")
    return f"open beyond the scope: {'; '.join(parts)}"


def validate_output(
    outcome: TurnOutcome,
    beyond: Beyond | None = None,
    best: Beyond | None = None,
    *,
    is_beyond_requested: bool = False,
    optimum: Solution | None = None,
    seconds: float | None = None,
) -> ValidateOutput:
    """Return the claims about a task, or about one of its turns, as JSON output.

    Args:
        outcome: claims about the task.
        beyond: claims about all plans without the scope's bounds; None if they were not proved.
        best: claims without these bounds about plans that also satisfy every soft constraint; None if they
            were not proved.
        is_beyond_requested: whether claims without the scope's bounds were requested.
        optimum: best plan that was found; None for a task without objectives.
        seconds: time limit of each proof beyond the scope; None without one.
    """
    from planspec.api.best_values import BestValues
    from planspec.api.outputs.claims import ValidateOutput

    judge, validation = outcome.judge, outcome.validation
    unique = unique_output(judge, judge.ground, validation, beyond, is_requested=is_beyond_requested, seconds=seconds)
    return ValidateOutput(
        task=judge.task.id,
        reading=judge.task.reading,
        feasible=claim_output(validation.feasible),
        unique=unique,
        expected=judge.task.expected,
        as_expected=output_is_as_expected(judge.task, validation.feasible.status, unique),
        reference=reference_output(judge, None if optimum is None else BestValues.of(optimum)),
        witness=None if validation.witness is None else plain_json(judge.encode(validation.witness)),
        best=best_output(judge, validation, best, is_requested=is_beyond_requested, seconds=seconds),
        objectives=[] if optimum is None else _objectives(judge, optimum.plan, BestValues.of(optimum)),
        change=_change_output(outcome),
        disagreement=opinion_outputs(
            judge.task, validation.disagreement or (() if validation.best is None else validation.best.disagreement)
        ),
    )


def certified_objectives(judge: Judge, certificate: Certificate) -> list[ObjectiveValue]:
    """Return the objective values of the reference or, without one, of the certified best plan.

    Each is compared with the best value in the certificate. The result is empty without a certified best plan.
    """
    from planspec.api.best_values import BestValues

    plan = None if certificate.optimum is None else judge.read(certificate.optimum.plan)
    return _objectives(judge, plan, BestValues.from_certificate(certificate, judge.task))


def _objectives(judge: Judge, plan: Plan | None, best_values: BestValues | None) -> list[ObjectiveValue]:
    """Return the objective values of the reference or, without one, of `plan`, compared with the best values."""
    from planspec.api.best_values import with_best

    if best_values is None or plan is None:
        return []
    verdict = judge.reference_verdict()
    return list(with_best(verdict or judge.plan(plan, details="none"), judge.ground, best_values).objectives)


def reference_output(judge: Judge, best_values: BestValues | None = None) -> ReferenceOutput:
    """Return whether a task has a reference and whether the verifier accepts it, as JSON output.

    Args:
        judge: judge of the task.
        best_values: values of its best known plan. If they are proved, the task's `max_gap` applies to the reference.
    """
    from planspec.api.best_values import with_max_gap
    from planspec.api.outputs.claims import ReferenceOutput

    verdict = judge.reference_verdict()
    if verdict is not None and judge.task.max_gaps and best_values is not None and best_values.by:
        verdict = with_max_gap(verdict, judge.ground, best_values)
    accepted = verdict is not None and verdict.status == "pass"
    return ReferenceOutput(present=verdict is not None, accepted=accepted, verdict=None if accepted else verdict)


def _change_output(outcome: TurnOutcome) -> ChangeOutput | None:
    from planspec.api.outputs.claims import ChangeOutput, DifferenceOutput

    change, plan = outcome.change, outcome.plan
    if change is None:
        return None
    return ChangeOutput.model_validate(
        {
            "from": change.before,
            "edits": [DifferenceOutput.of(d) for d in change.edits],
            "proved_smallest": change.proved_smallest,
            "status": change.status,
            "plan": None if plan is None else plain_json(outcome.judge.encode(plan)),
        }
    )
