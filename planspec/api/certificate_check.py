"""Checks of certificates: their text, claims, plans and proofs. No solver is needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from planspec.api.certificates import BEST, claims_beyond, read
from planspec.api.certified_proofs import certified_claims, check_proofs
from planspec.api.expectations import best_plans_in_words, certificate_is_as_expected, expectation_in_words
from planspec.api.outputs.claims import CertificateCheck
from planspec.dsl.model.proof_hash import proof_hash
from planspec.solvers.backends.register import PROVERS
from planspec.solvers.backends.versions import version_of
from planspec.verifiers.meaning.objectives import is_optimal

if TYPE_CHECKING:
    from planspec.api.certificates import BestClaims, Certificate, Feasible, Unique
    from planspec.api.judging import Judge
    from planspec.api.proof_files import ProofRecord
    from planspec.dsl.model.task import Task
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.questions.prove import Solution
    from planspec.solvers.questions.validation import Validation
    from planspec.verifiers.meaning.ground import Ground
    from planspec.verifiers.meaning.plan_rows import Plan


def check(judge: Judge, path: Path, *, proofs: bool = False) -> CertificateCheck:
    """Check that a certificate is consistent and belongs to the current task, and that its plans are as claimed.

    Args:
        judge: judge of the task.
        path: file of the certificate.
        proofs: whether to require a checked proof of each claim that can have one.

    Returns:
        The result. Its status is `missing` (no file), `wrong` (not a certificate of this task, contradictory, or with a
        failing plan), `stale` (the task or a file of it has changed since), or `valid`.
    """
    return _check(judge, path, proofs=proofs).model_copy(update={"reading": judge.task.reading})


def _check(judge: Judge, path: Path, *, proofs: bool) -> CertificateCheck:
    task = judge.task.id
    try:
        certificate = read(path)
    except FileNotFoundError:
        return CertificateCheck(task=task, status="missing", reasons=[f"there is no file {path}"])
    except (OSError, ValueError) as error:
        return CertificateCheck(task=task, status="wrong", reasons=[f"{path} is no certificate: {error}"])
    reasons = (
        [f"it is the certificate of `{certificate.task}`"] if certificate.task != judge.task.certificate_id else []
    )
    reasons.extend(_contradictions(certificate, judge.task))
    reasons.extend(_plan_errors(judge, judge.ground, certificate))
    reasons.extend(_best_claim_errors(judge, certificate))
    reasons.extend(_optimum_errors(judge, certificate))
    if reasons:
        return CertificateCheck(task=task, status="wrong", reasons=reasons)
    if certificate.hash != proof_hash(judge.task):
        return CertificateCheck(
            task=task, status="stale", reasons=["the task or something that it reads has changed since"]
        )
    proof_outputs, reasons = check_proofs(judge, certificate, path)
    if proofs:
        checked_files = {each.file for each in proof_outputs if each.checked}
        reasons += [
            f"{part.prefix}no proof was checked: {_why_missing(part.certified.proof)}"
            for part in certified_claims(judge, certificate)
            if part.claim is not None
            and (part.certified.proof is None or part.certified.proof.file not in checked_files)
        ]
    if reasons:
        return CertificateCheck(task=task, status="wrong", reasons=reasons)
    absent = [f"the proof {each.file} is not here, and was not checked" for each in proof_outputs if not each.checked]
    steps = {each.file: each.steps for each in proof_outputs if each.checked}
    best_prefix = f"{best_plans_in_words(judge.task)}: "
    claims = [
        f"{best_prefix if part.name == BEST else ''}{part.certified.unique.in_words(steps.get(part.certified.proof.file) if part.certified.proof else None)}"
        for part in certified_claims(judge, certificate)
    ]
    as_expected = certificate_is_as_expected(judge.task, certificate)
    statuses = certificate.feasible.status, certificate.unique.status
    expectation = None if as_expected else expectation_in_words(judge.task, as_expected, *statuses)
    return CertificateCheck(
        task=task,
        status="valid",
        as_expected=as_expected,
        reasons=[],
        notes=[*filter(None, [expectation]), *_version_notes(certificate), *absent],
        claims=claims,
        proofs=proof_outputs,
    )


def _why_missing(proof: ProofRecord | None) -> str:
    return "it names none" if proof is None else f"{proof.file} is not here"


def _best_claim_errors(judge: Judge, certificate: Certificate) -> Iterator[str]:
    """Yield errors in claims about plans that also satisfy every soft constraint."""
    from planspec.solvers.questions.claims import variant_for_best

    plan = None if certificate.best is None else judge.read(certificate.best.witness)
    ground = variant_for_best(judge.ground, plan)
    if certificate.best is None or ground is None:
        if certificate.best is not None:
            yield "it has claims under `best`, and the task has no `unique_best`"
        if ground is not None:
            yield "the task has `unique_best`, and it has no claims under `best`"
        return
    for reason in (
        *_contradictions(certificate.best, judge.task),
        *_plan_errors(judge, ground, certificate.best),
    ):
        yield f"best: {reason}"
    if judge.task.objectives and plan is not None:
        yield from _best_value_errors(judge, certificate)
    if certificate.feasible.status == "infeasible" and certificate.best.feasible.status == "feasible":
        yield "it says infeasible, but also that a plan satisfies every constraint"


def _best_value_errors(judge: Judge, certificate: Certificate) -> Iterator[str]:
    """Yield errors in the objective values for the witness of the claims about best plans."""
    from planspec.api.best_values import BestValues, with_best

    best, several = BestValues.from_certificate(certificate, judge.task), certificate.best
    assert several is not None
    if best is None or not best.by:
        if several.unique.status == "multiple":
            yield "best: it says that there are several best plans, and does not say what is the best"
        return
    verdict = with_best(judge.decoded(several.witness), judge.ground, best)
    if not is_optimal(verdict.objectives):
        yield "best: the witness is not as good as the optimum"


def _optimum_errors(judge: Judge, certificate: Certificate) -> Iterator[str]:
    """Yield errors in the claim about the best plan: the plan must pass and have the claimed values."""
    from planspec.api.best_values import BestValues, with_best

    claim, best_values = certificate.optimum, BestValues.from_certificate(certificate, judge.task)
    if claim is None or best_values is None:
        return
    names = [each.name for each in judge.task.objectives]
    if [each.name for each in claim.objectives] != names:
        yield f"optimum: it has the objectives {', '.join(each.name for each in claim.objectives)}, and the task {', '.join(names)}"
        return
    if claim.status == "optimal" and not claim.by:
        yield "optimum: it says optimal, and no back end proved it"
    verdict = judge.decoded(claim.plan)
    if verdict.status != "pass":
        yield "optimum: the plan does not satisfy the task"
    elif any(
        each.value != each.best or (each.gap is None and each.best is not None)
        for each in with_best(verdict, judge.ground, best_values).objectives
    ):
        yield "optimum: the plan does not have the values that it says"


def _contradictions(certificate: Certificate | BestClaims, task: Task) -> Iterator[str]:
    """Yield contradictions between claims of a certificate, or between its claims and proofs."""
    claims: tuple[tuple[str, Feasible | Unique], ...] = (
        ("feasible", certificate.feasible),
        ("unique", certificate.unique),
    )
    for name, claim in claims:
        for prover in PROVERS:
            if prover not in claim.backends:
                yield f"`{name}` has no proof by {prover}"
        for prover, proof in claim.backends.items():
            if proof.status != claim.status:
                yield f"`{name}` says {claim.status}, and {prover} proved {proof.status}"
    if (certificate.feasible.status == "infeasible") != (certificate.unique.status == "infeasible"):
        yield f"it says {certificate.feasible.status} and {certificate.unique.status}"
    for name, plan, is_required, status in (
        (
            "witness",
            certificate.witness,
            certificate.feasible.status == "feasible",
            certificate.feasible.status,
        ),
        (
            "second plan",
            certificate.second,
            certificate.unique.status == "multiple",
            certificate.unique.status,
        ),
    ):
        if (plan is not None) != is_required:
            yield f"it says {status} and has {'no' if plan is None else 'a'} {name}"
    if certificate.unique.scope == "beyond" and certificate.unique.leans_on:
        yield f"a claim beyond the scope cannot lean on a bound, such as {certificate.unique.leans_on[0]}"
    for bound in certificate.outside:
        if bound not in certificate.unique.leans_on:
            yield f"it has a plan beyond {bound}, and does not lean on it"
    for bound in certificate.unique.leans_on:
        table, _, column = bound.removeprefix("scope:").partition(".")
        plan_table = next((each for each in task.plan_tables if each.name == table), None)
        if plan_table is None or (column and column not in plan_table.columns):
            yield f"it leans on {bound}, and the plan has no such table or column"


def _plan_errors(judge: Judge, ground: Ground, certificate: Certificate | BestClaims) -> Iterator[str]:
    """Yield errors about the plans in a certificate.

    Each plan must satisfy `ground`, and each other plan must differ from the witness (the first plan).
    """
    from planspec.solvers.lowering.problem import same_plan
    from planspec.solvers.questions.witness import refusal

    read: dict[str, Plan] = {}
    beyond = {f"plan beyond {bound}": plan for bound, plan in certificate.outside.items()}
    for name, answer in {"witness": certificate.witness, "second plan": certificate.second, **beyond}.items():
        if answer is None:
            continue
        plan = judge.read(answer) if judge.decoded(answer).status == "pass" else None
        if plan is None:
            yield f"the {name} does not satisfy the task"
        elif ground is not judge.ground and (refused := refusal(ground, plan)) is not None:
            yield f"the {name} does not keep every constraint: {refused}"
        else:
            read[name] = plan
    witness = read.pop("witness", None)
    for name, plan in read.items():
        if witness is not None and same_plan(ground, witness, plan):
            yield f"the {name} is the witness, in the fields that distinguish plans"


def _version_notes(certificate: Certificate) -> Iterator[str]:
    """Yield notes on back ends that are installed in another version than in the certificate."""
    from importlib.metadata import version

    if certificate.version != version("planspec"):
        yield f"made by planspec {certificate.version}; this is {version('planspec')}"
    for prover, proof in certificate.unique.backends.items():
        installed = version_of(prover)
        if installed is not None and proof.version != installed:
            yield f"proved with {prover} {proof.version}; here is {installed}"


def differing_claims(
    judge: Judge,
    certificate: Certificate,
    reproved: Validation,
    optimum: Solution | None = None,
    *,
    backends: Sequence[str],
    limits: Limits,
) -> list[str]:
    """Return a sentence for each claim of a valid certificate that newly proved claims do not confirm.

    Args:
        judge: judge of the task.
        certificate: the certificate.
        reproved: newly proved claims.
        optimum: newly found best plan; None without one.
        backends: back ends that prove claims beyond the scope again.
        limits: limits on each such proof.
    """
    from planspec.api.best_values import BestValues
    from planspec.solvers.questions.claims import variant_for_best

    reasons = _differing_claims(judge.ground, certificate, reproved, backends, limits)
    best_values = None if optimum is None else BestValues.of(optimum)
    certified = BestValues.from_certificate(certificate, judge.task)
    if best_values is not None and best_values.by and certified is not None and certified.by:
        now, then = ([each.best for each in one.values] + [one.soft_weight] for one in (best_values, certified))
        if now != then:
            reasons.append("optimum: another best value was proved again")
    certified_plan = None if certificate.best is None else judge.read(certificate.best.witness)
    best = variant_for_best(judge.ground, certified_plan)
    if best is not None and certificate.best is not None and reproved.best is not None:
        reasons += [
            f"best: {reason}" for reason in _differing_claims(best, certificate.best, reproved.best, backends, limits)
        ]
    return reasons


def _differing_claims(
    ground: Ground,
    certificate: Certificate | BestClaims,
    reproved: Validation,
    backends: Sequence[str],
    limits: Limits,
) -> list[str]:
    """Return a sentence for each claim of a certificate that differs from `reproved`, the claims proved on `ground`."""
    from planspec.solvers.questions.beyond_scope import claim_with

    reasons = [
        f"it says {claimed}, and {now} was proved again"
        for claimed, now in (
            (certificate.feasible.status, reproved.feasible.status),
            (certificate.unique.status, reproved.unique.status),
        )
        if now not in (claimed, "unknown")
    ]
    if not reasons and claims_beyond(certificate.unique) and reproved.unique.status != "multiple":
        keep = certificate.unique.leans_on
        claim = claim_with(ground, reproved.witness, keep, backends=backends, limits=limits)
        if claim.status != certificate.unique.status:
            bounds = f"with {', '.join(keep)} kept" if keep else "beyond the scope"
            reasons.append(f"it says {certificate.unique.status} {bounds}, and {claim.status} was proved again")
    return reasons
