"""Validation of one task: proof of its claims, certification, or a check of its certificate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from planspec.api.claim_outputs import (
    certified_best_output,
    certified_claim_output,
    certified_objectives,
    certified_unique_output,
    reference_output,
    validate_output,
)
from planspec.api.expectations import expectation_in_words, output_is_as_expected
from planspec.api.search import Limits
from planspec.commands.console import Exit, note, report_failure, warn_if_no_scope, worst_exit

if TYPE_CHECKING:
    from planspec.api.catalog import TaskReference
    from planspec.api.certificates import BestClaims, Certificate
    from planspec.api.certified_proofs import CertifiedClaim
    from planspec.api.conversation import TurnOutcome
    from planspec.api.judging import Judge
    from planspec.api.outputs.claims import (
        BestOutput,
        CertificateCheck,
        UniqueOutput,
        ValidateOutput,
    )
    from planspec.api.search import Beyond, Solution, Validation
    from planspec.dsl.model.reading import Reading
    from planspec.dsl.model.task import Task
    from planspec.dsl.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class ValidateOptions:
    """Options of `validate` that are the same for every task.

    Attributes:
        backends: names of the back ends that prove claims.
        limits: limits for each task or turn.
        certify: whether to write certificates.
        check: whether to check certificates instead of proving claims.
        reprove: whether to prove the claims again when a certificate is checked.
        beyond: whether to also prove the claims without the scope's bounds.
        resume: whether to skip tasks with a valid certificate.
        proof: whether to write proofs with certificates, or to require them in a check.
        explain: whether to name constraints that imply the claims.
        given: new values of givens as YAML text, by the name of the given.
        as_written: whether to validate tasks with readings also as written.
    """

    backends: tuple[str, ...]
    limits: Limits
    certify: bool = False
    check: bool = False
    reprove: bool = False
    beyond: bool = False
    resume: bool = False
    proof: bool = False
    explain: bool = False
    given: Mapping[str, str] = field(default_factory=dict)
    as_written: bool = False

    @property
    def needs_backends(self) -> bool:
        """Whether the options need back ends to prove something."""
        return not self.check or self.reprove


@dataclass(frozen=True, slots=True)
class TaskResult:
    """Result for a task or one of its turns. Parts that were not requested are None.

    Attributes:
        kept_share: share, from 0 to 1, of the previous plan's cells that the turn's plan keeps.
        conflict: ids of rules that cannot all hold, if the turn has no plan.
        expectation: sentence that compares the claims with the author's expectation.
        reading: reading (interpretation) of the suite in which the task was read; None for the task as written.
        judge: judge of the turn; None if an error ended the validation of the turn.
    """

    code: Exit
    validation: ValidateOutput | None = None
    certificate: CertificateCheck | None = None
    kept_share: Fraction | None = None
    conflict: tuple[str, ...] = ()
    expectation: str | None = None
    reading: str | None = None
    judge: Judge | None = None


class Validator:
    """Validates one task after another. Documents used by several tasks are read once."""

    def __init__(self, options: ValidateOptions) -> None:
        from planspec.dsl.workspace.workspace import Workspace

        self._options, self._workspace = options, Workspace()

    def __call__(self, task: TaskReference) -> list[TaskResult]:
        """Validate a task in each of its readings. Without readings, or if requested, validate it as written.

        Returns:
            The result of each turn in each reading, up to the first turn with an error.
        """
        written = (None,) if self._options.as_written or not task.readings else ()
        results = [each for reading in (*written, *task.readings) for each in self._validate(task, reading)]
        if len(task.readings) > 1:
            try:
                results = _add_differences(results, self._options)
            except Exception as error:  # noqa: BLE001 the other tasks are validated whatever is wrong with this one
                results.append(TaskResult(report_failure(error), reading=task.readings[-1].name))
        return [replace(each, judge=None) for each in results]

    def _validate(self, task: TaskReference, reading: Reading | None) -> list[TaskResult]:
        from planspec.errors import LimitReachedError

        name = None if reading is None else reading.name
        results: list[TaskResult] = []
        try:
            for turn in _validate_turns(task, reading, self._options, self._workspace):
                results.append(replace(turn, reading=name))  # noqa: PERF401 - earlier results stay when a later turn fails
        except LimitReachedError as limit:  # the message already names the task
            note(f"{task}: unknown, {limit}")
            results.append(TaskResult(Exit(limit.exit_code), reading=name))
        except Exception as error:  # noqa: BLE001 the other tasks are validated whatever is wrong with this one
            results.append(TaskResult(report_failure(error), reading=name))
        return results


def _validate_turns(
    task: TaskReference, reading: Reading | None, options: ValidateOptions, workspace: Workspace
) -> Iterator[TaskResult]:
    from planspec.api.conversation import judges, turn_outcomes
    from planspec.api.oracles import best_plan
    from planspec.api.proofs import beyond_claims

    limits = options.limits
    turns = _warn_at_first_turn(
        judges(str(task), workspace=workspace, expects=task.expects, given=options.given, reading=reading)
    )
    if not options.needs_backends:
        yield from (_check_result(_check_certificate(task, judge, None, options), None) for judge in turns)
        return
    if options.resume:
        judged = list(turns)
        certified = [_certificate_result(task, judge, options) for judge in judged]
        if all(certified):
            yield from (turn for turn in certified if turn is not None)
            return
        turns = iter(judged)
    for outcome in turn_outcomes(turns, backends=options.backends, limits=limits):
        judge, validation = outcome.judge, outcome.validation
        beyond: tuple[Beyond | None, Beyond | None] = (None, None)
        is_beyond_needed = options.beyond or _has_to_hold_beyond(judge.task)
        if is_beyond_needed:
            beyond = beyond_claims(judge, validation, backends=options.backends, limits=limits)
        optimum = None
        if judge.task.objectives and validation.feasible.status == "feasible":
            optimum = best_plan(judge, limits=limits, second=options.certify)
        output = validate_output(
            outcome, *beyond, is_beyond_requested=is_beyond_needed, optimum=optimum, seconds=limits.seconds
        )
        output = _with_certified_seconds(task, judge, output)
        code = _exit_code(output, is_beyond_requested=options.beyond)
        if judge.task.max_gaps and optimum is not None and optimum.status.value != "optimal":
            code = worst_exit((code, Exit.UNDECIDED))
        if options.certify or options.explain:
            code, output = _certify(task, outcome, beyond, optimum, options, (code, output))
        turn = TaskResult(
            code, output, None, outcome.kept, outcome.conflict, _expectation(judge.task, output), judge=judge
        )
        if options.check:
            checked = _check_result(_check_certificate(task, judge, (validation, optimum), options), validation)
            turn = replace(turn, code=checked.code, certificate=checked.certificate)
        yield turn


def _with_certified_seconds(task: TaskReference, judge: Judge, output: ValidateOutput) -> ValidateOutput:
    """Add to undecided claims the time limit of their proofs in the task's certificate."""
    from planspec.api import certificate_check, certificates

    best = output.best
    is_open = output.unique.open is not None or (best is not None and best.unique.open is not None)
    path = certificates.certificate_path(task.path, judge.task.certificate_id)
    if not is_open or certificate_check.check(judge, path).status != "valid":
        return output
    certificate = certificates.read(path)
    if not certificate.claims_beyond:
        return output
    limit = {"certified_seconds": certificate.limits.seconds}

    def with_limit(unique: UniqueOutput) -> UniqueOutput:
        return (
            unique if unique.open is None else unique.model_copy(update={"open": unique.open.model_copy(update=limit)})
        )

    update: dict[str, object] = {"unique": with_limit(output.unique)}
    if best is not None:
        update["best"] = best.model_copy(update={"unique": with_limit(best.unique)})
    return output.model_copy(update=update)


def _has_to_hold_beyond(task: Task) -> bool:
    """Return whether claims must hold beyond the scope.

    This is so if the task is expected to have no plan and is not closed (plans outside the scope count).
    """
    return task.expected == "infeasible" and not task.closed


def _certificate_result(task: TaskReference, judge: Judge, options: ValidateOptions) -> TaskResult | None:
    """Return a result with the claims of the task's certificate.

    Return None if the certificate is invalid or claims less than requested.
    """
    from planspec.api import certificate_check, certificates
    from planspec.api.best_values import BestValues
    from planspec.api.outputs.claims import ValidateOutput

    path = certificates.certificate_path(task.path, judge.task.certificate_id)
    if certificate_check.check(judge, path).status != "valid":
        return None
    certificate = certificates.read(path)
    claims: list[Certificate | BestClaims] = [
        certificate,
        *([] if certificate.best is None else [certificate.best]),
    ]
    proved = set.intersection(*(set(one.feasible.backends) & set(one.unique.backends) for one in claims))
    is_beyond_needed = options.beyond or _has_to_hold_beyond(judge.task)
    if judge.task.objectives and certificate.feasible.status == "feasible" and certificate.optimum is None:
        return None
    if (is_beyond_needed and not certificate.claims_beyond) or not set(options.backends) <= proved:
        return None
    unique = certified_unique_output(judge, judge.ground, certificate)
    output = ValidateOutput(
        task=judge.task.id,
        reading=judge.task.reading,
        feasible=certified_claim_output(certificate.feasible),
        unique=unique,
        expected=judge.task.expected,
        as_expected=output_is_as_expected(judge.task, certificate.feasible.status, unique),
        reference=reference_output(judge, BestValues.from_certificate(certificate, judge.task)),
        witness=certificate.witness,
        best=certified_best_output(judge, certificate.best),
        objectives=certified_objectives(judge, certificate),
        by_certificate=True,
    )
    code = _exit_code(output, is_beyond_requested=options.beyond)
    if options.proof:
        certificate, proof_code = _with_proofs(judge, certificate, path, options)
        code = worst_exit((code, proof_code))
        certificates.write(certificate, path)
    return TaskResult(
        code,
        _add_reasons(judge, certificate, options, output),
        expectation=_expectation(judge.task, output),
        judge=judge,
    )


def _expectation(task: Task, output: ValidateOutput) -> str | None:
    return expectation_in_words(task, output.as_expected, output.feasible.status, output.unique.status)


def _warn_at_first_turn(turns: Iterator[Judge]) -> Iterator[Judge]:
    for number, judge in enumerate(turns):
        if number == 0:
            warn_if_no_scope(judge.task)
        yield judge


def _check_result(checked: CertificateCheck, reproved: Validation | None) -> TaskResult:
    code = Exit.HOLDS if checked.status == "valid" and checked.as_expected is not False else Exit.FAILS
    if reproved is not None and _is_undecided(reproved):
        code = worst_exit((code, Exit.UNDECIDED))
    return TaskResult(code, certificate=checked)


def _is_undecided(validation: Validation) -> bool:
    """Return whether a claim was neither proved nor refuted in time."""
    claims = [validation, *([] if validation.best is None else [validation.best])]
    return any("unknown" in (one.feasible.status, one.unique.status) for one in claims)


def _certify(
    task: TaskReference,
    outcome: TurnOutcome,
    beyond: tuple[Beyond | None, Beyond | None],
    optimum: Solution | None,
    options: ValidateOptions,
    proved: tuple[Exit, ValidateOutput],
) -> tuple[Exit, ValidateOutput]:
    """Write a certificate of proved claims, with proofs if requested.

    Returns:
        The exit code and the output from `proved`, updated.
    """
    from planspec.api import certificates

    judge, validation = outcome.judge, outcome.validation
    code, output = proved
    if _is_undecided(validation):
        if options.certify:
            note(f"{judge.task.certificate_id}: no certificate is written, since not everything was proved in time")
        return proved
    certificate = certificates.certify(judge, validation, options.limits, *beyond, optimum=optimum)
    if options.proof and "multiple" in (
        validation.unique.status,
        *(() if validation.best is None else (validation.best.unique.status,)),
    ):
        note(f"{judge.task.certificate_id}: no proof is needed that there are several plans: the certificate has two")
    if options.certify:
        path = certificates.certificate_path(task.path, judge.task.certificate_id)
        if options.proof:
            certificate, proof_code = _with_proofs(judge, certificate, path, options)
            code = worst_exit((code, proof_code))
        for removed in certificates.write(certificate, path):
            note(
                f"{judge.task.certificate_id}: {removed.name}, the proof of an earlier certificate, was removed; --proof writes one"
            )
    return code, _add_reasons(judge, certificate, options, output)


def _with_proofs(
    judge: Judge, certificate: Certificate, path: Path, options: ValidateOptions
) -> tuple[Certificate, Exit]:
    """Return a certificate with its proofs, and the exit status.

    If a proof is not found, print the reason and return the certificate unchanged.
    """
    from planspec.api.certified_proofs import prove_claims
    from planspec.api.proof_files import UnprovableClaimError
    from planspec.dsl.diagnostics.diagnostic import DiagnosticError
    from planspec.errors import LimitReachedError

    try:
        return prove_claims(judge, certificate, path, options.limits), Exit.HOLDS
    except (LimitReachedError, UnprovableClaimError, DiagnosticError) as error:
        note(f"{judge.task.certificate_id}: no proof is written: {error}")
        return certificate, Exit.UNDECIDED


def _add_reasons(
    judge: Judge, certificate: Certificate, options: ValidateOptions, output: ValidateOutput
) -> ValidateOutput:
    """Return an output with the proofs of its claims and, if requested, the constraints that imply them."""
    from planspec.api.certificates import BEST
    from planspec.api.certified_proofs import certified_claims

    for part in certified_claims(judge, certificate):
        if part.name == BEST and output.best is not None:
            output = output.model_copy(update={"best": _add_reason(output.best, judge, part, options)})
        elif part.name != BEST:
            output = _add_reason(output, judge, part, options)
    return output


ClaimOutputT = TypeVar("ClaimOutputT", "ValidateOutput", "BestOutput")


def _add_reason(output: ClaimOutputT, judge: Judge, part: CertifiedClaim, options: ValidateOptions) -> ClaimOutputT:
    from planspec.api.certified_proofs import proof_output
    from planspec.api.proof_files import reasons
    from planspec.errors import LimitReachedError

    if part.certified.proof is not None and options.proof:
        output = output.model_copy(update={"proof": proof_output(part.certified.proof, checked=True)})
    if options.explain and part.claim is not None:
        try:
            because = reasons(part.ground, part.claim, options.limits)
        except LimitReachedError as limit:
            note(f"{judge.task.certificate_id}: {part.prefix}not explained: {limit}")
        else:
            unique = output.unique.model_copy(update={"because_of": list(because)})
            output = output.model_copy(update={"unique": unique})
    return output


def _check_certificate(
    task: TaskReference,
    judge: Judge,
    reproved: tuple[Validation, Solution | None] | None,
    options: ValidateOptions,
) -> CertificateCheck:
    from planspec.api import certificate_check, certificates
    from planspec.api.outputs.claims import CertificateCheck

    path = certificates.certificate_path(task.path, judge.task.certificate_id)
    result = certificate_check.check(judge, path, proofs=options.proof)
    if reproved is None or result.status != "valid":
        return result
    certificate = certificates.read(path)
    reasons = certificate_check.differing_claims(
        judge, certificate, *reproved, backends=options.backends, limits=options.limits
    )
    if not reasons:
        return result
    return CertificateCheck(task=result.task, reading=result.reading, status="wrong", reasons=reasons)


def _exit_code(output: ValidateOutput, *, is_beyond_requested: bool) -> Exit:
    """Return the exit status for a result.

    `is_beyond_requested` is true if claims beyond the scope were requested.
    """
    best = [] if output.best is None or output.expected == "infeasible" else [output.best]
    statuses = [status for one in best for status in (one.feasible.status, one.unique.status)]
    is_wrong = output.as_expected is False or "infeasible" in statuses or "multiple" in statuses
    if is_wrong or output.reference.present > output.reference.accepted:
        return Exit.FAILS
    if output.as_expected is None or "unknown" in statuses or output.disagreement:
        return Exit.UNDECIDED
    only = [output.unique] if output.expected == "unique" else []
    within = [unique for unique in (*only, *(one.unique for one in best)) if unique.scope == "within"]
    if within and is_beyond_requested:
        return Exit.FAILS if any(unique.outside for unique in within) else Exit.UNDECIDED
    return Exit.HOLDS


def _add_differences(results: Sequence[TaskResult], options: ValidateOptions) -> list[TaskResult]:
    """Return the results of a task in several readings, extended by plans on which these readings differ."""
    from planspec.api.readings import differences_by_reading

    by_turn: dict[str, list[int]] = {}
    for at, result in enumerate(results):
        if result.judge is not None and result.validation is not None and result.reading is not None:
            by_turn.setdefault(result.judge.task.id, []).append(at)
    added = list(results)
    for places in by_turn.values():
        rows = [(each.judge, each.validation) for each in (results[at] for at in places)]
        outputs = differences_by_reading(
            [(judge, output) for judge, output in rows if judge is not None and output is not None],
            backends=options.backends,
            limits=options.limits,
        )
        for at, output in zip(places, outputs, strict=True):
            added[at] = replace(results[at], validation=output)
    return added
