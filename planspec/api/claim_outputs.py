"""The proved claims about a task, as JSON and in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from planspec.verifiers.answers.format import plain_json

if TYPE_CHECKING:
    from planspec.api.certificates import BestClaims, Certificate, Feasible, Unique
    from planspec.api.comparison import ContradictoryAnswer
    from planspec.api.judging import Judge
    from planspec.api.outputs.claims import (
        BackendOutput,
        BestOutput,
        ClaimOutput,
        DifferenceOutput,
        OpinionOutput,
        UniqueOutput,
    )
    from planspec.dsl.model.task import Task
    from planspec.solvers.questions.beyond_scope import Beyond
    from planspec.solvers.questions.second_look import Opinion
    from planspec.solvers.questions.validation import BackendClaim, Claim, Validation
    from planspec.verifiers.meaning.ground import Ground
    from planspec.verifiers.meaning.plan_rows import Plan

WORDS = {"multiple": "not unique"}
"""The words for people, where the status is another word."""
BOUNDED = ("unique", "infeasible")
"""The statuses whose claims hold within the scope and say nothing beyond it."""


def claim_output(claim: Claim) -> ClaimOutput:
    """A claim as JSON."""
    from planspec.api.outputs.claims import ClaimOutput

    return ClaimOutput(status=claim.status, backends=backend_outputs(claim.backends))


def backend_outputs(claims: Mapping[str, BackendClaim]) -> dict[str, BackendOutput]:
    """The claims of back ends as JSON, by their names."""
    from planspec.api.outputs.claims import BackendOutput

    return {
        name: BackendOutput(status=claim.status, seconds=round(claim.seconds, 4), reason=claim.reason)
        for name, claim in claims.items()
    }


def opinion_outputs(task: Task, opinions: Sequence[Opinion], scale: int = 1) -> list[OpinionOutput]:
    """The answers of back ends that contradict each other, as JSON.

    Args:
        task: the task.
        opinions: the answers.
        scale: a bound is divided by it.
    """
    from planspec.api.judging import encode
    from planspec.api.outputs.claims import OpinionOutput

    return [
        OpinionOutput(
            by=opinion.by, status=opinion.status,
            plan=None if opinion.plan is None else plain_json(encode(task, opinion.plan)),
            bound=opinion.bound if opinion.bound is None or scale == 1 else opinion.bound / scale,
        )
        for opinion in opinions
    ]  # fmt: skip


def opinions_in_words(opinions: Sequence[Opinion | OpinionOutput | ContradictoryAnswer]) -> str:
    """A sentence about back ends that contradict each other, such as `cpsat says unique; smt says multiple`."""
    return (
        "; ".join(f"{each.by} says {each.status}" for each in opinions)
        + ": a solver is wrong, nothing is proved"
    )


NO_BEST = "no plan keeps every constraint"
"""What is said where the task claims something about such plans."""


def unique_output(
    judge: Judge, ground: Ground, found: Validation, beyond: Beyond | None, *, asked: bool
) -> UniqueOutput:
    """The claim that a plan is the only one, or that there is none.

    Args:
        judge: of the task.
        ground: whose plans the claim is about: the task's, or those that keep every soft constraint, too.
        found: what was proved within the scope.
        beyond: what was proved beyond it.
        asked: somebody asked for that.
    """
    from planspec.api.outputs.claims import OutsideOutput, UniqueOutput

    second = None if found.second is None else plain_json(judge.encode(found.second))
    apart = [] if found.second is None else _apart(ground, found, found.second)
    proved = found.unique if beyond is None or beyond.claim.status == "unknown" else beyond.claim
    claim = claim_output(proved)
    holds = beyond.holds if beyond is not None else asked and found.unique.status == "multiple"
    outside = beyond.outside.items() if beyond is not None else ()
    return UniqueOutput(
        status=found.unique.status, backends=claim.backends, second=second, differences=apart,
        scope="beyond" if holds else "within", leans_on=list(beyond.leans_on) if beyond else [],
        minimal=beyond is None or beyond.minimal,
        outside=[
            OutsideOutput(bound=bound, plan=plain_json(judge.passing_answer(plan)), differences=_apart(ground, found, plan))
            for bound, plan in outside
        ],
    )  # fmt: skip


def best_output(judge: Judge, found: Validation, beyond: Beyond | None, *, asked: bool) -> BestOutput | None:
    """The claims about plans that keep every soft constraint, too; None where the task makes none.

    Args:
        judge: of the task.
        found: what was proved within the scope.
        beyond: what was proved of these claims beyond it.
        asked: somebody asked for that.
    """
    from planspec.api.outputs.claims import BestOutput
    from planspec.solvers.questions.claims import among_best

    ground, best = among_best(judge.ground), found.best
    if ground is None or best is None:
        return None
    return BestOutput(
        feasible=claim_output(best.feasible), unique=unique_output(judge, ground, best, beyond, asked=asked),
        witness=None if best.witness is None else plain_json(judge.encode(best.witness)),
    )  # fmt: skip


def certified_best(judge: Judge, made: BestClaims | None) -> BestOutput | None:
    """What a certificate claims about plans that keep every soft constraint, too, as JSON."""
    from planspec.api.outputs.claims import BestOutput
    from planspec.solvers.questions.claims import among_best

    ground = among_best(judge.ground)
    if ground is None or made is None:
        return None
    return BestOutput(
        feasible=certified_claim(made.feasible), unique=certified_unique(judge, ground, made), witness=made.witness
    )  # fmt: skip


def certified_claim(claim: Feasible | Unique) -> ClaimOutput:
    """The claim of a certificate as JSON."""
    from planspec.api.outputs.claims import BackendOutput, ClaimOutput

    backends = {
        str(name): BackendOutput(status=proof.status, seconds=proof.seconds)
        for name, proof in claim.backends.items()
    }
    return ClaimOutput(status=claim.status, backends=backends)


def certified_unique(judge: Judge, ground: Ground, made: Certificate | BestClaims) -> UniqueOutput:
    """What a certificate claims about other plans, as JSON."""
    from planspec.api.outputs.claims import OutsideOutput, UniqueOutput

    def apart(answer: Any) -> list[DifferenceOutput]:
        plans = [None if one is None else judge.read(one) for one in (made.witness, answer)]
        return [] if plans[0] is None or plans[1] is None else _differing(ground, plans[0], plans[1])

    claim = certified_claim(made.unique)
    return UniqueOutput(
        status=claim.status, backends=claim.backends, second=made.second, differences=apart(made.second),
        scope=made.unique.scope, leans_on=made.unique.leans_on,
        outside=[
            OutsideOutput(bound=bound, plan=answer, differences=apart(answer))
            for bound, answer in made.outside.items()
        ],
    )  # fmt: skip


def _apart(ground: Ground, found: Validation, plan: Plan) -> list[DifferenceOutput]:
    """The differences of a plan from the witness, in the fields that tell plans apart."""
    return [] if found.witness is None else _differing(ground, found.witness, plan)


def _differing(ground: Ground, witness: Plan, plan: Plan) -> list[DifferenceOutput]:
    from planspec.api.outputs.claims import DifferenceOutput
    from planspec.solvers.lowering.problem import identity
    from planspec.verifiers.meaning.differences import differences

    told_apart = identity(ground)
    return [
        DifferenceOutput.of(d)
        for d in differences(ground.task, witness, plan)
        if d.table in told_apart and (d.field is None or d.field in told_apart[d.table])
    ]


def claim_words(feasible: ClaimOutput, unique: UniqueOutput) -> str:
    """`feasible, unique within the scope (cpsat unique 0.01 s, smt unique 0.02 s)`."""
    said = [
        f"{WORDS.get(status, status)} {unique.scope} the scope" if status in BOUNDED else WORDS.get(status, status)
        for status in dict.fromkeys((feasible.status, unique.status))
    ]  # fmt: skip
    return f"{', '.join(said)} ({_provers(unique)})"


def best_words(best: BestOutput) -> str:
    """`with every soft constraint: unique within the scope (cpsat unique 0.01 s, smt unique 0.02 s)`."""
    status = best.unique.status
    said = NO_BEST if status == "infeasible" else WORDS.get(status, status)
    bounded = f" {best.unique.scope} the scope" if status in BOUNDED else ""
    return f"with every soft constraint: {said}{bounded} ({_provers(best.unique)})"


def _provers(unique: UniqueOutput) -> str:
    return ", ".join(f"{n} {b.status} {b.seconds:.2f} s" for n, b in unique.backends.items())


def bounds_told(unique: UniqueOutput) -> Iterator[str]:
    """A line for each bound that the claim leans on, and for what lies beyond it."""
    shown = {outside.bound: outside for outside in unique.outside}
    for bound in unique.leans_on:
        yield f"leans on {bound}"
        if bound not in shown:
            continue
        if shown[bound].plan is None:
            yield "  beyond it: rows that no answer says"
        for difference in shown[bound].differences:
            yield f"  beyond it: {difference.said}"
    if not unique.minimal:
        yield "that it leans on no fewer bounds was not proved in time"
