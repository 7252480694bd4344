"""What `validate` does with one task: prove its claims, certify them, or check its certificate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from planspec.api.claim_outputs import (
    best_output,
    certified_best,
    certified_claim,
    certified_unique,
    claim_output,
    opinion_outputs,
    unique_output,
)
from planspec.commands.console import Exit, note, tell_failure, warn_without_scope, worst
from planspec.solvers.backends.outcome import Limits
from planspec.verifiers.answers.format import plain_json

if TYPE_CHECKING:
    from planspec.api.catalog import TaskReference
    from planspec.api.certificates import BestClaims, Certificate
    from planspec.api.certified_proofs import CertifiedClaim
    from planspec.api.conversation import TurnOutcome
    from planspec.api.judging import Judge
    from planspec.api.outputs.claims import (
        BestOutput,
        CertificateCheck,
        ChangeOutput,
        ReferenceOutput,
        ValidateOutput,
    )
    from planspec.dsl.workspace.workspace import Workspace
    from planspec.solvers.questions.beyond_scope import Beyond
    from planspec.solvers.questions.validation import Validation
    from planspec.verifiers.meaning.ground import Ground


@dataclass(frozen=True, slots=True)
class ValidateOptions:
    """The options for every task: back ends, time, whether to go beyond the scope, what to do with certificates and proofs."""

    backends: tuple[str, ...]
    limits: Limits
    certify: bool = False
    check: bool = False
    reprove: bool = False
    beyond: bool = False
    resume: bool = False
    proof: bool = False
    explain: bool = False

    @property
    def prove(self) -> bool:
        """Back ends are asked."""
        return not self.check or self.reprove


@dataclass(frozen=True, slots=True)
class TaskResult:
    """The result for a task, or for one turn of it; a part that was not asked for is None.

    Attributes:
        kept: the share of the previous plan's cells that the turn's plan keeps.
        conflict: ids of rules of an infeasible turn that cannot all hold.
    """

    code: Exit
    validation: ValidateOutput | None = None
    certificate: CertificateCheck | None = None
    kept: Fraction | None = None
    conflict: tuple[str, ...] = ()


class Validating:
    """Validates task after task, and reads what they share once."""

    def __init__(self, wanted: ValidateOptions) -> None:
        from planspec.dsl.workspace.workspace import Workspace

        self._wanted, self._workspace = wanted, Workspace()

    def __call__(self, task: TaskReference) -> list[TaskResult]:
        """The results for a task, or for each of its turns up to one that stops."""
        from planspec.errors import LimitReachedError

        made: list[TaskResult] = []
        try:
            for done in _each_turn(task, self._wanted, self._workspace):
                made.append(done)  # noqa: PERF402 - what is known stays known when a later turn stops
        except LimitReachedError as limit:  # which of many tasks it is
            note(f"{task}: unknown, {limit}")
            made.append(TaskResult(Exit(limit.exit_code)))
        except Exception as error:  # noqa: BLE001 whatever is wrong with a task, the others are validated
            made.append(TaskResult(tell_failure(error)))
        return made


def _each_turn(task: TaskReference, wanted: ValidateOptions, workspace: Workspace) -> Iterator[TaskResult]:
    from planspec.api.conversation import judges, turn_outcomes
    from planspec.solvers.questions.claims import beyond_claims

    limits = wanted.limits
    turns = _with_warning(judges(str(task), workspace=workspace))
    if not wanted.prove:
        yield from (_of_certificate(_checked(task, judge, None, wanted), None) for judge in turns)
        return
    if wanted.resume:
        judged = list(turns)
        certified = [_certified(task, judge, wanted) for judge in judged]
        if all(certified):
            yield from (done for done in certified if done is not None)
            return
        turns = iter(judged)
    for outcome in turn_outcomes(turns, backends=wanted.backends, limits=limits):
        judge, validation = outcome.judge, outcome.validation
        there: tuple[Beyond | None, Beyond | None] = (None, None)
        if wanted.beyond:
            there = beyond_claims(judge.ground, validation, backends=wanted.backends, limits=limits)
        code, output = _output(outcome, *there, asked=wanted.beyond)
        if wanted.certify or wanted.explain:
            code, output = _certify(task, outcome, there, wanted, (code, output))
        done = TaskResult(code, output, None, outcome.kept, outcome.conflict)
        if wanted.check:
            checked = _of_certificate(_checked(task, judge, validation, wanted), validation)
            done = replace(done, code=checked.code, certificate=checked.certificate)
        yield done


def _certified(task: TaskReference, judge: Judge, wanted: ValidateOptions) -> TaskResult | None:
    """The result that a valid certificate tells; None if there is none, or it claims less than is asked."""
    from planspec.api import certificate_check, certificates
    from planspec.api.outputs.claims import ValidateOutput

    path = certificates.certificate_path(task.path, judge.task.id)
    if certificate_check.check(judge, path).status != "valid":
        return None
    made = certificates.read(path)
    claims: list[Certificate | BestClaims] = [made, *([] if made.best is None else [made.best])]
    proved = set.intersection(*(set(one.feasible.backends) & set(one.unique.backends) for one in claims))
    if (wanted.beyond and not made.claims_beyond) or not set(wanted.backends) <= proved:
        return None
    output = ValidateOutput(
        task=judge.task.id, feasible=certified_claim(made.feasible), unique=certified_unique(judge, judge.ground, made),
        reference=_reference(judge), witness=made.witness,
        best=certified_best(judge, made.best), by_certificate=True,
    )  # fmt: skip
    code = _code(output, asked=wanted.beyond)
    if wanted.proof:
        made, late = _with_proofs(judge, made, path, wanted)
        code = worst((code, late))
        certificates.write(made, path)
    return TaskResult(code, _told(judge, made, wanted, output))


def _with_warning(turns: Iterator[Judge]) -> Iterator[Judge]:
    for number, judge in enumerate(turns):
        if number == 0:
            warn_without_scope(judge.task)
        yield judge


def _of_certificate(checked: CertificateCheck, again: Validation | None) -> TaskResult:
    code = Exit.HOLDS if checked.status == "valid" else Exit.FAILS
    if again is not None and _undecided(again):
        code = worst((code, Exit.UNDECIDED))
    return TaskResult(code, certificate=checked)


def _undecided(found: Validation) -> bool:
    """Some claim was neither proved nor refuted in time."""
    claims = [found, *([] if found.best is None else [found.best])]
    return any("unknown" in (one.feasible.status, one.unique.status) for one in claims)


def _certify(
    task: TaskReference,
    outcome: TurnOutcome,
    there: tuple[Beyond | None, Beyond | None],
    wanted: ValidateOptions,
    known: tuple[Exit, ValidateOutput],
) -> tuple[Exit, ValidateOutput]:
    """Certify what was proved, with proofs where they are asked for.

    Returns:
        The exit code and what is told, which were `known`, with what came of this.
    """
    from planspec.api import certificates

    judge, found = outcome.judge, outcome.validation
    code, output = known
    if _undecided(found):
        if wanted.certify:
            note(f"{judge.task.id}: no certificate is written, as not everything was proved in time")
        return known
    made = certificates.certify(judge, found, wanted.limits, *there)
    if wanted.proof and "multiple" in (
        found.unique.status,
        *(() if found.best is None else (found.best.unique.status,)),
    ):
        note(f"{judge.task.id}: that there are several plans needs no proof: the certificate has two")
    if wanted.certify:
        path = certificates.certificate_path(task.path, judge.task.id)
        if wanted.proof:
            made, late = _with_proofs(judge, made, path, wanted)
            code = worst((code, late))
        for gone in certificates.write(made, path):
            note(
                f"{judge.task.id}: {gone.name}, the proof of an earlier certificate, is gone; --proof writes one"
            )
    return code, _told(judge, made, wanted, output)


def _with_proofs(
    judge: Judge, made: Certificate, path: Path, wanted: ValidateOptions
) -> tuple[Certificate, Exit]:
    """The certificate with proofs, or without those that cannot be had, which is said."""
    from planspec.api.certified_proofs import with_proofs
    from planspec.api.proof_files import UnprovableClaimError
    from planspec.errors import DiagnosticError, LimitReachedError

    try:
        return with_proofs(judge, made, path, wanted.limits), Exit.HOLDS
    except (LimitReachedError, UnprovableClaimError, DiagnosticError) as error:
        note(f"{judge.task.id}: no proof is written: {error}")
        return made, Exit.UNDECIDED


def _told(judge: Judge, made: Certificate, wanted: ValidateOptions, output: ValidateOutput) -> ValidateOutput:
    """What is told of a task, with its proofs, and with the constraints from which its claims follow if that is asked."""
    from planspec.api.certificates import BEST
    from planspec.api.certified_proofs import certified_claims

    for part in certified_claims(judge, made):
        if part.name == BEST and output.best is not None:
            output = output.model_copy(update={"best": _with_reasons(output.best, judge, part, wanted)})
        elif part.name != BEST:
            output = _with_reasons(output, judge, part, wanted)
    return output


Told = TypeVar("Told", "ValidateOutput", "BestOutput")


def _with_reasons(told: Told, judge: Judge, part: CertifiedClaim, wanted: ValidateOptions) -> Told:
    """What is told of one claim, likewise."""
    from planspec.api.certified_proofs import proof_output
    from planspec.api.proof_files import reasons
    from planspec.errors import LimitReachedError

    if part.certified.proof is not None and wanted.proof:
        told = told.model_copy(update={"proof": proof_output(part.certified.proof, checked=True)})
    if wanted.explain and part.claim is not None:
        try:
            because = reasons(part.ground, part.claim, wanted.limits)
        except LimitReachedError as limit:
            note(f"{judge.task.id}: {part.prefix}not explained: {limit}")
        else:
            unique = told.unique.model_copy(update={"because_of": list(because)})
            told = told.model_copy(update={"unique": unique})
    return told


def _checked(
    task: TaskReference, judge: Judge, again: Validation | None, wanted: ValidateOptions
) -> CertificateCheck:
    from planspec.api import certificate_check, certificates
    from planspec.api.outputs.claims import CertificateCheck
    from planspec.solvers.questions.claims import among_best

    path = certificates.certificate_path(task.path, judge.task.id)
    found = certificate_check.check(judge, path, proofs=wanted.proof)
    if again is None or found.status != "valid":
        return found
    made = certificates.read(path)
    reasons = _unlike(judge.ground, made, again, wanted)
    best = among_best(judge.ground)
    if best is not None and made.best is not None and again.best is not None:
        reasons += [f"best: {reason}" for reason in _unlike(best, made.best, again.best, wanted)]
    if reasons:
        return CertificateCheck(task=found.task, status="wrong", reasons=reasons)
    return found


def _unlike(
    ground: Ground, made: Certificate | BestClaims, again: Validation, wanted: ValidateOptions
) -> list[str]:
    """How a certificate's claims about the plans of `ground` differ from what was proved again."""
    from planspec.api.certificates import claims_beyond
    from planspec.solvers.questions.beyond_scope import claim_with

    reasons = [
        f"it says {said}, and {now} was proved again"
        for said, now in (
            (made.feasible.status, again.feasible.status),
            (made.unique.status, again.unique.status),
        )
        if now not in (said, "unknown")
    ]
    if not reasons and claims_beyond(made.unique) and again.unique.status != "multiple":
        keep = made.unique.leans_on
        claim = claim_with(ground, again.witness, keep, backends=wanted.backends, limits=wanted.limits)
        if claim.status != made.unique.status:
            kept = f"with {', '.join(keep)} kept" if keep else "beyond the scope"
            reasons.append(f"it says {made.unique.status} {kept}, and {claim.status} was proved again")
    return reasons


def _output(
    outcome: TurnOutcome, beyond: Beyond | None, best: Beyond | None, *, asked: bool
) -> tuple[Exit, ValidateOutput]:
    from planspec.api.outputs.claims import ValidateOutput

    judge, found = outcome.judge, outcome.validation
    output = ValidateOutput(
        task=judge.task.id, feasible=claim_output(found.feasible),
        unique=unique_output(judge, judge.ground, found, beyond, is_requested=asked), reference=_reference(judge),
        witness=None if found.witness is None else plain_json(judge.encode(found.witness)),
        best=best_output(judge, found, best, is_requested=asked), change=_change(outcome),
        disagreement=opinion_outputs(judge.task, found.disagreement or (() if found.best is None else found.best.disagreement)),
    )  # fmt: skip
    return _code(output, asked=asked), output


def _reference(judge: Judge) -> ReferenceOutput:
    from planspec.api.outputs.claims import ReferenceOutput

    verdict = judge.reference_verdict()
    accepted = verdict is not None and verdict.status == "pass"
    return ReferenceOutput(
        present=verdict is not None, accepted=accepted, verdict=None if accepted else verdict
    )


def _code(output: ValidateOutput, *, asked: bool) -> Exit:
    """The exit status of a result; `asked`: for what lies beyond the scope."""
    claims: list[ValidateOutput | BestOutput] = [output, *([] if output.best is None else [output.best])]
    reference = output.reference
    statuses = [status for one in claims for status in (one.feasible.status, one.unique.status)]
    if "infeasible" in statuses or "multiple" in statuses or reference.present > reference.accepted:
        return Exit.FAILS
    if "unknown" in statuses:
        return Exit.UNDECIDED
    within = [one.unique for one in claims if one.unique.scope == "within"] if asked else []
    if within:
        return Exit.FAILS if any(unique.outside for unique in within) else Exit.UNDECIDED
    return Exit.HOLDS


def _change(outcome: TurnOutcome) -> ChangeOutput | None:
    from planspec.api.outputs.claims import ChangeOutput, DifferenceOutput

    change, plan = outcome.change, outcome.plan
    if change is None:
        return None
    return ChangeOutput.model_validate(
        {
            "from": change.before, "edits": [DifferenceOutput.of(d) for d in change.edits],
            "proved_smallest": change.proved_smallest, "status": change.status,
            "plan": None if plan is None else plain_json(outcome.judge.encode(plan)),
        }
    )  # fmt: skip
