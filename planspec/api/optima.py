"""Certificates, with proofs, that no plan in scope is better than a given plan."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import ValidationError, model_validator

from planspec.api.certificates import CertificateModel
from planspec.api.certified_proofs import proof_output
from planspec.api.outputs.claims import CertificateCheck
from planspec.api.proof_files import ProofRecord, proof_errors, steps_in_words, write_proof
from planspec.dsl.model.proof_hash import proof_hash
from planspec.dsl.resources.limits import FILE_BYTES
from planspec.dsl.resources.reading import read_bytes
from planspec.files import replace_text

if TYPE_CHECKING:
    from planspec.api.judging import Judge
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.proofs.obligation import NoBetterPlan
    from planspec.verifiers.meaning.plan_rows import Plan


class OptimumCertificate(CertificateModel):
    """A certificate that no plan in a task's scope is better than a given one.

    `hash` is the same as in `Certificate`. `minimize` or `maximize` is an expression that replaces the task's
    objectives. `objectives` has the plan's objective values as text, for readers only. The verifier computes them
    again.
    """

    planspec: Literal["optimum/1"]
    version: str
    task: str
    hash: str
    minimize: str | None = None
    maximize: str | None = None
    objectives: list[str]
    plan: Any
    proof: ProofRecord

    @model_validator(mode="after")
    def _check_objective(self) -> OptimumCertificate:
        if self.minimize is not None and self.maximize is not None:
            raise ValueError("one of `minimize` and `maximize` was asked for, not both")
        return self


def proof_path(path: Path) -> Path:
    """Return the file of the proof beside a certificate."""
    return path.with_name(f"{path.name.removesuffix('.json')}.lrat.gz")


def certify_optimum(
    judge: Judge, plan: Plan, path: Path, limits: Limits, *, minimize: str | None, maximize: str | None
) -> OptimumCertificate:
    """Prove that no plan in scope is better than a given plan, and write the certificate and its proof.

    Args:
        judge: judge of the task.
        plan: the plan.
        path: file of the certificate.
        limits: limits of the search for the proof.
        minimize: expression to minimise in place of the task's objectives, or None.
        maximize: expression to maximise in place of the task's objectives, or None.

    Raises:
        LimitReachedError: the prover found no proof in time.
        DiagnosticError: the task cannot be encoded.
        InternalError: there is a better plan, or the prover's proof is wrong.
        ModuleNotFoundError: the prover is not installed.
        OSError: a file cannot be written.
    """
    from planspec.solvers.proofs.obligation import NoBetterPlan

    claim = NoBetterPlan.of(judge.ground, plan)
    proof = write_proof(proof_path(path), judge.ground, claim, limits)
    certificate = OptimumCertificate(
        planspec="optimum/1",
        version=version("planspec"),
        task=judge.task.id,
        hash=proof_hash(judge.task),
        minimize=minimize,
        maximize=maximize,
        objectives=values_in_words(judge, claim),
        plan=judge.encode(plan),
        proof=proof,
    )
    replace_text(path, json.dumps(certificate.model_dump(), indent=1, ensure_ascii=False, default=float) + "\n")
    return certificate


def values_in_words(judge: Judge, claim: NoBetterPlan) -> list[str]:
    """Return the values of the objectives as written in a task, such as `4h30min`."""
    from planspec.dsl.model.value_text import show

    return [
        "none" if value is None else show(value, objective.expression.type, judge.task.currency)
        for value, objective in zip(claim.values, judge.task.objectives, strict=True)
    ]


def read_optimum(path: Path) -> OptimumCertificate:
    """Read the certificate in a file.

    Raises:
        ValueError: the file is not such a certificate. The message says why.
        OSError: the file cannot be read.
    """
    try:
        return OptimumCertificate.model_validate_json(read_bytes(path, FILE_BYTES))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise ValueError(f"{where}: {first['msg']}" if where else first["msg"]) from None


def check_optimum(judge: Judge, certificate: OptimumCertificate, path: Path) -> CertificateCheck:
    """Check that the plan passes, and check the proof that no plan is better. No solver is needed.

    Args:
        judge: judge of the task, with the objective in the certificate.
        certificate: the certificate.
        path: file of the certificate.
    """
    task = judge.task.id
    if certificate.task == task and certificate.hash != proof_hash(judge.task):
        reason = "the task or something that it reads has changed since"
        return CertificateCheck(task=task, status="stale", reasons=[reason])
    reasons = list(_certificate_errors(judge, certificate, path))
    if reasons:
        return CertificateCheck(task=task, status="wrong", reasons=reasons)
    return CertificateCheck(
        task=task,
        status="valid",
        reasons=[],
        proofs=[proof_output(certificate.proof, checked=True)],
        claims=[f"{_claim_text(judge, certificate)}, by a checked proof of {steps_in_words(certificate.proof.steps)}"],
    )


def _claim_text(judge: Judge, certificate: OptimumCertificate) -> str:
    """Return a claim such as `the best within the scope: soft weight 3/4, then minimize makespan: 4h`."""
    from planspec.solvers.proofs.obligation import NoBetterPlan

    plan = judge.read(certificate.plan)
    assert plan is not None
    total = sum(instance.weight for instance in judge.ground.instances if instance.applicable)
    parts = [f"soft weight {total - NoBetterPlan.of(judge.ground, plan).lost}/{total}"] if total else []
    for objective, value in zip(judge.task.objectives, certificate.objectives, strict=True):
        verb = "maximize" if objective.maximize else "minimize"
        parts.append(f"{verb} {' '.join(objective.expression.span.text.split())}: {value}")
    own = (
        ""
        if certificate.minimize is None and certificate.maximize is None
        else " by an objective of the certificate's own"
    )
    return f"the best within the scope{own}: {', then '.join(parts)}"


def _certificate_errors(judge: Judge, certificate: OptimumCertificate, path: Path) -> Iterator[str]:
    from planspec.solvers.proofs.obligation import NoBetterPlan

    if certificate.task != judge.task.id:
        yield f"it is the certificate of `{certificate.task}`"
        return
    plan = judge.read(certificate.plan) if judge.decoded(certificate.plan).status == "pass" else None
    if plan is None:
        yield "its plan does not satisfy the task"
        return
    claim = NoBetterPlan.of(judge.ground, plan)
    values = values_in_words(judge, claim)
    if values != certificate.objectives:
        yield f"it says {', then '.join(certificate.objectives) or 'nothing of its value'}, and its plan has {', then '.join(values)}"
        return
    yield from proof_errors(path.parent, judge.ground, claim, certificate.proof)
