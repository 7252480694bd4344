"""Writing and checking proofs of the claims in a certificate."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from planspec.api.certificates import BEST, claims_beyond, proof_path
from planspec.api.outputs.claims import ProofOutput
from planspec.api.proof_files import proof_errors, write_proof

if TYPE_CHECKING:
    from planspec.api.certificates import BestClaims, Certificate
    from planspec.api.judging import Judge
    from planspec.api.proof_files import ProofRecord
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.proofs.obligation import NoOtherPlan
    from planspec.verifiers.meaning.ground import Ground


class CertifiedClaim(NamedTuple):
    """A claim of a certificate that can have a proof.

    Attributes:
        name: name of the claim: empty, or `BEST`.
        ground: grounded task. The claim is about its plans.
        certified: part of the certificate that contains the claim.
        claim: statement to prove; None if the certificate says that there are other plans.
    """

    name: str
    ground: Ground
    certified: Certificate | BestClaims
    claim: NoOtherPlan | None

    @property
    def prefix(self) -> str:
        """Prefix of messages about the claim."""
        return f"{self.name}: " if self.name else ""


def certified_claims(judge: Judge, certificate: Certificate) -> Iterator[CertifiedClaim]:
    """Yield the claims of a certificate that can have a proof."""
    from planspec.solvers.questions.claims import variant_for_best

    yield CertifiedClaim("", judge.ground, certificate, _claim_to_prove(judge, certificate))
    best = None if certificate.best is None else variant_for_best(judge.ground, judge.read(certificate.best.witness))
    if best is not None and certificate.best is not None:
        yield CertifiedClaim(BEST, best, certificate.best, _claim_to_prove(judge, certificate.best))


def _claim_to_prove(judge: Judge, part: Certificate | BestClaims) -> NoOtherPlan | None:
    from planspec.solvers.proofs.obligation import NoOtherPlan

    unique = part.unique
    if unique.status == "multiple":
        return None
    witness = None if unique.status == "infeasible" else judge.read(part.witness)
    return NoOtherPlan(witness, tuple(unique.leans_on) if claims_beyond(unique) else None)


def prove_claims(
    judge: Judge, certificate: Certificate, path: Path, limits: Limits, *, only: str | None = None
) -> Certificate:
    """Prove the claims of a certificate, write the proofs beside it, and return it with the names of the proofs.

    Valid proofs that exist already are kept.

    Args:
        judge: judge of the task.
        certificate: the certificate, not yet written.
        path: file of the certificate.
        limits: limits of each search.
        only: name of the single claim to prove; None for all.

    Raises:
        LimitReachedError: the prover did not find a proof in time.
        UnprovableClaimError: a claim cannot be expressed as a propositional formula.
        DiagnosticError: a claim cannot be encoded.
        InternalError: a claim is false, or the prover's proof is wrong.
        ModuleNotFoundError: the prover is not installed.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    for name, ground, part, claim in certified_claims(judge, certificate):
        if (
            only not in (None, name)
            or claim is None
            or (part.proof is not None and not any(_proof_errors(path, ground, claim, part.proof)))
        ):
            continue
        file = proof_path(path, certificate.task, name)
        changed: dict[str, Any] = {"proof": write_proof(file, ground, claim, limits)}
        if name == BEST:
            changed = {"best": part.model_copy(update=changed)}
        certificate = certificate.model_copy(update=changed)
    return certificate


def check_proofs(judge: Judge, certificate: Certificate, path: Path) -> tuple[list[ProofOutput], list[str]]:
    """Check the stored proofs of a certificate. No solver is needed.

    Args:
        judge: judge of the task.
        certificate: the certificate.
        path: file of the certificate.

    Returns:
        All proofs that the certificate names, and the errors.
    """
    proofs: list[ProofOutput] = []
    reasons: list[str] = []
    for part in certified_claims(judge, certificate):
        proof = part.certified.proof
        if proof is None:
            continue
        if part.claim is None:
            reasons.append(f"{part.prefix}it says that there are other plans, and has a proof that there are none")
            continue
        present = (path.parent / proof.file).exists()
        if present:
            reasons += [f"{part.prefix}{wrong}" for wrong in _proof_errors(path, part.ground, part.claim, proof)]
        proofs.append(proof_output(proof, checked=present))
    return proofs, reasons


def _proof_errors(path: Path, ground: Ground, claim: NoOtherPlan, proof: ProofRecord) -> Iterator[str]:
    return proof_errors(path.parent, ground, claim, proof)


def proof_output(proof: ProofRecord, *, checked: bool) -> ProofOutput:
    """Return a proof as JSON output."""
    return ProofOutput(**proof.model_dump(), checked=checked)
