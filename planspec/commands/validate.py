"""`validate`: is there a plan, is it the only one, and who proved it; certificates of all that."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from planspec.commands.claims import (
    best_output,
    best_words,
    bounds_told,
    certified_best,
    certified_claim,
    certified_unique,
    claim_output,
    claim_words,
    unique_output,
)
from planspec.commands.completion import backends_named, documents
from planspec.commands.console import (
    CallError,
    Exit,
    Format,
    collect_as_it_goes,
    leave,
    named_backends,
    note,
    print_json,
    tell_failure,
    warn_without_scope,
    worst,
)
from planspec.commands.jobs import NumberOfJobs, RayAddress, each, place_of_work
from planspec.commands.terminal import styled
from planspec.commands.verify import print_violations
from planspec.solvers.backends.register import PROVERS
from planspec.verifiers.answers.format import plain_json

if TYPE_CHECKING:
    from planspec.api.catalog import TaskReference
    from planspec.api.certificates import BestClaims, Certificate
    from planspec.api.conversation import TurnOutcome
    from planspec.api.judging import Judge
    from planspec.api.outputs import (
        BestOutput,
        CertificateCheck,
        ChangeOutput,
        ReferenceOutput,
        UniqueOutput,
        ValidateOutput,
    )
    from planspec.dsl.workspace.workspace import Workspace
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.questions.beyond_scope import Beyond
    from planspec.solvers.questions.prove import Validation
    from planspec.verifiers.meaning.ground import Ground


SUMMARY = {
    Exit.UNDECIDED: "undecided",
    Exit.WRONG_INPUT: "with errors",
    Exit.BUG: "stopped by a bug",
}
"""The words of the last line for each outcome of which the code says all."""
HOLDING = (PROVED, CERTIFIED) = ("feasible and unique", "with a valid certificate")
FAILING = (INFEASIBLE, SEVERAL, NO_BEST, SEVERAL_BEST, OUTSIDE, REFUSED, UNCERTIFIED) = (
    "infeasible",
    "with several plans",
    "without a plan that keeps every constraint",
    "with several plans that keep every constraint",
    "with other plans beyond the scope",
    "with a reference that is not accepted",
    "without a valid certificate",
)
"""The words for what holds, and for what does not."""


MOST_FREE = 3
"""The most differences of two plans that are printed for each of several tasks."""


@dataclass(frozen=True, slots=True)
class ValidateOptions:
    """The options for every task: back ends, time, whether to go beyond the scope, what to do with the certificate."""

    backends: tuple[str, ...]
    seconds: float
    certify: bool = False
    check: bool = False
    prove: bool = True
    beyond: bool = False
    resume: bool = False


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


def validate(
    tasks: Annotated[
        list[str],
        typer.Argument(help="Tasks, suites or folders.", metavar="TASK|SUITE...", autocompletion=documents),
    ],
    backends: Annotated[
        str, typer.Option(help="The back ends to ask, separated by commas.", autocompletion=backends_named)
    ] = ",".join(PROVERS),
    timeout: Annotated[
        float,
        typer.Option(
            help="Time limit of each task, or of each of its turns, in seconds.", metavar="SECONDS", min=0.001
        ),
    ] = 60.0,
    jobs: NumberOfJobs = 1,
    ray: RayAddress = None,
    beyond_scope: Annotated[
        bool,
        typer.Option(
            "--beyond-scope",
            help="Also prove the claims without the scope's bounds, or name the bounds on which they lean.",
        ),
    ] = False,
    certify: Annotated[
        bool,
        typer.Option("--certify", help="Write what was proved to certificates/ID.json beside each task."),
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Check the certificates instead: text, witness, second plan.")
    ] = False,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="With --certify, prove only tasks that have no valid certificate yet."),
    ] = False,
    reprove: Annotated[
        bool, typer.Option("--reprove", help="With --check, also prove everything again.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("-q", "--quiet", help="Print only the tasks that fail, and a summary.")
    ] = False,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Prove whether a task has a plan, and only one.

    Reports each turn of a task with turns, with the least change from the plan of the turn before.
    """
    from planspec.api.catalog import Catalog

    if certify and check:
        raise CallError("--certify writes certificates and --check reads them: take one of the two")
    if check and beyond_scope:
        raise CallError("a certificate says itself whether it claims something beyond the scope")
    if reprove and not check:
        raise CallError("--reprove belongs to --check")
    if resume and not certify:
        raise CallError("--resume belongs to --certify")
    names = named_backends(backends)
    if certify and not set(PROVERS) <= set(names):
        raise CallError("a certificate has the proofs of both cpsat and smt")
    place = place_of_work(jobs, ray)
    collect_as_it_goes()
    catalog = Catalog()
    found = [task for name in tasks for task in catalog.expand(name)]
    wanted = ValidateOptions(names, timeout, certify, check, not check or reprove, beyond_scope, resume)
    done_by_task = each(partial(_Validating, wanted), found, place, lambda _, code: [TaskResult(code)])
    validations: list[ValidateOutput] = []
    checks: list[CertificateCheck] = []
    codes: list[Exit] = []
    outcomes = Counter[str]()
    for number, turns in enumerate(done_by_task, 1):
        codes.append(worst(done.code for done in turns))
        outcomes[_outcome(codes[-1], turns)] += 1
        for done in turns:
            if done.validation is not None:
                validations.append(done.validation)
            if done.certificate is not None:
                checks.append(done.certificate)
            if format is Format.text and not (quiet and done.code is Exit.HOLDS):
                _print(done, most=None if len(found) == 1 else MOST_FREE)
        if len(found) > 1 and sys.stderr.isatty():
            sys.stderr.write(f"\r{number} of {len(found)}\r")
    if format is Format.json:
        print_json(list(checks) if check else list(validations))
    elif len(found) > 1:
        said = [
            f"{outcomes[word]} {word}" for word in (*HOLDING, *FAILING, *SUMMARY.values()) if outcomes[word]
        ]
        note(f"{len(found)} tasks: {', '.join(said)}")
    leave(worst(codes))


def _outcome(code: Exit, turns: Sequence[TaskResult]) -> str:
    """What the last line says of a task: of what fails in its turns the worst."""
    if code is Exit.HOLDS:
        return CERTIFIED if any(done.certificate is not None for done in turns) else PROVED
    if code is Exit.FAILS:
        return min((_failure(done) for done in turns if done.code is code), key=FAILING.index)
    return SUMMARY[code]


def _failure(done: TaskResult) -> str:
    if done.certificate is not None and done.certificate.status != "valid":
        return UNCERTIFIED
    assert done.validation is not None
    result = done.validation
    if result.feasible.status == "infeasible":
        return INFEASIBLE
    if result.reference.present and not result.reference.accepted:
        return REFUSED
    if result.unique.status == "multiple":
        return SEVERAL
    best = None if result.best is None else result.best.unique.status
    return {"infeasible": NO_BEST, "multiple": SEVERAL_BEST}.get(best or "", OUTSIDE)


class _Validating:
    """Validates task after task, and reads what they share once."""

    def __init__(self, wanted: ValidateOptions) -> None:
        from planspec.dsl.workspace.workspace import Workspace

        self._wanted, self._workspace = wanted, Workspace()

    def __call__(self, task: TaskReference) -> list[TaskResult]:
        """The results for a task, or for each of its turns up to one that stops."""
        from planspec.errors import LimitReached

        made: list[TaskResult] = []
        try:
            for done in _each_turn(task, self._wanted, self._workspace):
                made.append(done)  # noqa: PERF402 - what is known stays known when a later turn stops
        except LimitReached as limit:  # which of many tasks it is
            note(f"{task}: unknown, {limit}")
            made.append(TaskResult(Exit(limit.exit_code)))
        except Exception as error:  # noqa: BLE001 whatever is wrong with a task, the others are validated
            made.append(TaskResult(tell_failure(error)))
        return made


def _each_turn(task: TaskReference, wanted: ValidateOptions, workspace: Workspace) -> Iterator[TaskResult]:
    from planspec.api.conversation import followed, judges
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.questions.claims import beyond_claims

    limits = Limits(seconds=wanted.seconds)
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
    for outcome in followed(turns, backends=wanted.backends, limits=limits):
        judge, validation = outcome.judge, outcome.validation
        there: tuple[Beyond | None, Beyond | None] = (None, None)
        if wanted.beyond:
            there = beyond_claims(judge.ground, validation, backends=wanted.backends, limits=limits)
        code, output = _output(outcome, *there, asked=wanted.beyond)
        if wanted.certify:
            _certify(task, judge, validation, there, limits)
        done = TaskResult(code, output, None, outcome.kept, outcome.conflict)
        if wanted.check:
            checked = _of_certificate(_checked(task, judge, validation, wanted), validation)
            done = replace(done, code=checked.code, certificate=checked.certificate)
        yield done


def _certified(task: TaskReference, judge: Judge, wanted: ValidateOptions) -> TaskResult | None:
    """The result that a valid certificate tells; None if there is none, or it claims less than is asked."""
    from planspec.api import certificates
    from planspec.api.outputs import ValidateOutput

    path = certificates.certificate_path(task.path, judge.task.id)
    if certificates.check(judge, path).status != "valid":
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
    return TaskResult(_code(output, asked=wanted.beyond), output)


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
    judge: Judge,
    found: Validation,
    there: tuple[Beyond | None, Beyond | None],
    limits: Limits,
) -> None:
    from planspec.api import certificates

    if _undecided(found):
        note(f"{judge.task.id}: no certificate is written, as not everything was proved in time")
        return
    certificates.write(
        certificates.certify(judge, found, limits, *there),
        certificates.certificate_path(task.path, judge.task.id),
    )


def _checked(
    task: TaskReference, judge: Judge, again: Validation | None, wanted: ValidateOptions
) -> CertificateCheck:
    from planspec.api import certificates
    from planspec.api.outputs import CertificateCheck
    from planspec.solvers.questions.claims import among_best

    path = certificates.certificate_path(task.path, judge.task.id)
    found = certificates.check(judge, path)
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
    from planspec.solvers.backends.outcome import Limits
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
        limits = Limits(seconds=wanted.seconds)
        claim = claim_with(ground, again.witness, keep, backends=wanted.backends, limits=limits)
        if claim.status != made.unique.status:
            kept = f"with {', '.join(keep)} kept" if keep else "beyond the scope"
            reasons.append(f"it says {made.unique.status} {kept}, and {claim.status} was proved again")
    return reasons


def _output(
    outcome: TurnOutcome, beyond: Beyond | None, best: Beyond | None, *, asked: bool
) -> tuple[Exit, ValidateOutput]:
    from planspec.api.outputs import ValidateOutput

    judge, found = outcome.judge, outcome.validation
    output = ValidateOutput(
        task=judge.task.id, feasible=claim_output(found.feasible),
        unique=unique_output(judge, judge.ground, found, beyond, asked=asked), reference=_reference(judge),
        witness=None if found.witness is None else plain_json(judge.encode(found.witness)),
        best=best_output(judge, found, best, asked=asked), change=_change(outcome),
    )  # fmt: skip
    return _code(output, asked=asked), output


def _reference(judge: Judge) -> ReferenceOutput:
    from planspec.api.outputs import ReferenceOutput

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
    from planspec.api.outputs import ChangeOutput, DifferenceOutput

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


def _print(done: TaskResult, most: int | None) -> None:
    out = sys.stdout.write
    result, checked = done.validation, done.certificate
    if result is not None:
        reference = ""
        if result.reference.present:
            accepted = result.reference.accepted
            reference = "; the reference is accepted" if accepted else "; the reference is NOT accepted"
        if result.by_certificate:
            reference += "; as certified before"
        out(f"{result.task}: {claim_words(result.feasible, result.unique)}{reference}\n")
        if result.reference.verdict is not None:
            print_violations(result.reference.verdict)
        _print_others(result.task, result.unique, most)
        if result.best is not None:
            out(f"  {best_words(result.best)}\n")
            _print_others(result.task, result.best.unique, most)
        if done.conflict:
            out(f"  conflict: {', '.join(done.conflict)}\n")
        if result.change is not None and result.change.status != "infeasible":
            _print_change(result.change, done.kept)
    if checked is not None:
        color = "green" if checked.status == "valid" else "red"
        out(f"{checked.task}: certificate {styled(checked.status, fg=color)}\n")
        for reason in (*checked.claims, *checked.reasons, *checked.notes):
            out(f"  {reason}\n")


def _print_others(task: str, unique: UniqueOutput, most: int | None) -> None:
    """What differs in another plan, within the scope and beyond it."""
    out = sys.stdout.write
    for free in unique.differences[:most]:
        out(f"  free: {free.said}\n")
    if most is not None and len(unique.differences) > most:
        out(f"  ... and {len(unique.differences) - most} more; `planspec validate {task}` has all\n")
    for line in bounds_told(unique):
        out(f"  {line}\n")


def _print_change(change: ChangeOutput, kept: Fraction | None) -> None:
    out = sys.stdout.write
    share = "" if kept is None else f", keeps {float(kept):.0%}"
    if change.status != "changed":
        said = {"unchanged": "the plan still holds", "unknown": "time ran out before a plan was found"}
        out(f"  from {change.before}: {said[change.status]}\n")
        return
    proved = "proved smallest" if change.proved_smallest else "not proved smallest in time"
    count = len(change.edits)
    out(f"  from {change.before}: {count} edit{'s' * (count != 1)}, {proved}{share}\n")
    for edit in change.edits:
        out(f"    {edit.said}\n")
