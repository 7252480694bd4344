"""Proofs of what a certificate claims: written, checked, and the constraints from which the claims follow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from planspec.api.certificates import BEST, claims_beyond, proof_path
from planspec.api.outputs.claims import ProofOutput
from planspec.api.proof_files import write_proof, wrong_proof

if TYPE_CHECKING:
    from planspec.api.certificates import BestClaims, Certificate
    from planspec.api.judging import Judge
    from planspec.api.proof_files import ProofRecord
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.proofs.obligation import NoOtherPlan
    from planspec.verifiers.meaning.ground import Ground


class CertifiedClaim(NamedTuple):
    """A part of a certificate that may have a proof.

    Attributes:
        name: empty, or `BEST`.
        ground: the task that it is about.
        made: what is certified.
        claim: what a proof may show; None where the certificate says that there are other plans.
    """

    name: str
    ground: Ground
    made: Certificate | BestClaims
    claim: NoOtherPlan | None

    @property
    def before(self) -> str:
        """The beginning of what is said of it."""
        return f"{self.name}: " if self.name else ""


def certified_claims(judge: Judge, made: Certificate) -> Iterator[CertifiedClaim]:
    """The claims of a certificate."""
    from planspec.solvers.questions.claims import among_best

    yield CertifiedClaim("", judge.ground, made, _claim(judge, made))
    best = among_best(judge.ground)
    if best is not None and made.best is not None:
        yield CertifiedClaim(BEST, best, made.best, _claim(judge, made.best))


def _claim(judge: Judge, part: Certificate | BestClaims) -> NoOtherPlan | None:
    from planspec.solvers.proofs.obligation import NoOtherPlan

    unique = part.unique
    if unique.status == "multiple":
        return None
    witness = None if unique.status == "infeasible" else judge.read(part.witness)
    return NoOtherPlan(witness, tuple(unique.leans_on) if claims_beyond(unique) else None)


def with_proofs(
    judge: Judge, made: Certificate, path: Path, limits: Limits, *, only: str | None = None
) -> Certificate:
    """The certificate with a proof of each claim, written beside it; claims that have a valid proof keep it.

    Args:
        judge: of the task.
        made: the certificate, which is still to be written.
        path: its file.
        limits: of each search.
        only: the name of the one claim to prove; all if left out.

    Raises:
        LimitReachedError: the prover did not find a proof in time.
        UnprovableClaimError: a claim cannot be stated.
        DiagnosticError: a claim has no encoding.
        InternalError: a claim is false, or the prover's proof is wrong.
        ModuleNotFoundError: the prover is not installed.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    for name, ground, part, claim in certified_claims(judge, made):
        if (
            only not in (None, name)
            or claim is None
            or (part.proof is not None and not any(_wrong(path, ground, claim, part.proof)))
        ):
            continue
        file = proof_path(path, made.task, name)
        changed: dict[str, Any] = {"proof": write_proof(file, ground, claim, limits)}
        if name == BEST:
            changed = {"best": part.model_copy(update=changed)}
        made = made.model_copy(update=changed)
    return made


def checked_proofs(judge: Judge, made: Certificate, path: Path) -> tuple[list[ProofOutput], list[str]]:
    """The proofs of a certificate's claims, checked if they are here, and what is wrong with them. No solver is loaded.

    Args:
        judge: of the task.
        made: the certificate.
        path: its file.
    """
    proofs: list[ProofOutput] = []
    reasons: list[str] = []
    for found in certified_claims(judge, made):
        proof = found.made.proof
        if proof is None:
            continue
        if found.claim is None:
            reasons.append(
                f"{found.before}it says that there are other plans, and has a proof that there are none"
            )
            continue
        here = (path.parent / proof.file).exists()
        if here:
            reasons += [f"{found.before}{wrong}" for wrong in _wrong(path, found.ground, found.claim, proof)]
        proofs.append(proof_output(proof, checked=here))
    return proofs, reasons


def _wrong(path: Path, ground: Ground, claim: NoOtherPlan, proof: ProofRecord) -> Iterator[str]:
    return wrong_proof(path.parent, ground, claim, proof)


def proof_output(proof: ProofRecord, *, checked: bool) -> ProofOutput:
    """A proof as the command line tells it in JSON."""
    return ProofOutput(**proof.model_dump(), checked=checked)
