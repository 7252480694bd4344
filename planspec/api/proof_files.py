"""Proof files beside certificates. A prover writes them, and they can be checked without a solver.

A certificate may claim that there is no other plan, no plan, or no better plan. Such a claim can have a proof: a
gzipped LRAT file that refutes the claim's formula (`planspec.solvers.proofs.obligation`). To check it, the task is
encoded again. Hashes of the formula and its map in the certificate show whether the proof belongs to this text of the
task. The proof shows whether the claim follows.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field

from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.resources.limits import PROOF_BYTES
from planspec.dsl.resources.reading import read_gzip
from planspec.errors import InternalError, PlanspecError
from planspec.files import replace_bytes

if TYPE_CHECKING:
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.proofs.obligation import Claim, Obligation
    from planspec.solvers.proofs.refutation import Refutation
    from planspec.verifiers.meaning.ground import Ground


def steps_in_words(steps: int) -> str:
    """Return a count such as `1 step` or `2,346 steps`."""
    return f"{steps:,} {'step' if steps == 1 else 'steps'}"


Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class ProofRecord(BaseModel):
    """A certificate's record of a proof.

    `file` is stored beside the certificate. The hashes are SHA-256 of the formula's DIMACS text and of the text of its
    map.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str = Field(pattern=r"^[^/\\]+\.lrat\.gz$")
    cnf_sha256: Sha256
    map_sha256: Sha256
    variables: int = Field(ge=1)
    clauses: int = Field(ge=1)
    steps: int = Field(ge=1)
    prover: str


class UnprovableClaimError(PlanspecError, ValueError):
    """The claim cannot be expressed as a propositional formula, because the encoding cannot express its witness."""


def write_proof(path: Path, ground: Ground, claim: Claim, limits: Limits) -> ProofRecord:
    """Prove a claim, check the proof, and write it.

    Args:
        path: file of the proof, `....lrat.gz`.
        ground: the task.
        claim: claim about the task's plans.
        limits: limits of the search, without the encoding.

    Raises:
        LimitReachedError: the prover found no proof in time.
        UnprovableClaimError: the claim cannot be expressed as a propositional formula.
        DiagnosticError: the task cannot be encoded.
        InternalError: the claim is false although other back ends proved it, or the proof is wrong.
        ModuleNotFoundError: the prover is not installed.
    """
    from planspec.solvers.proofs.refutation import lrat

    refuted = _obligation(ground, claim)
    refutation = _refute(ground, refuted, limits)
    replace_bytes(path, gzip.compress("".join(lrat(refutation.steps)).encode(), mtime=0))
    return _record(path.name, refuted, len(refutation.steps), refutation.prover)


def reasons(ground: Ground, claim: Claim, limits: Limits) -> tuple[str, ...]:
    """Return constraints and bounds of the scope that together imply a claim, according to a proof.

    The set may not be minimal.

    Args:
        ground: the task.
        claim: true claim about the task's plans.
        limits: limits of the search for the proof.

    Returns:
        The ids of constraint instances, in the order of the task, and of bounds such as `scope:visits.end`. The shape
        of the plan's tables and the types of their fields are assumed.

    Raises:
        LimitReachedError, UnprovableClaimError, DiagnosticError, InternalError, ModuleNotFoundError: see
            `write_proof`.
    """
    from planspec.solvers.proofs.reasons import reasons_of

    refuted = _obligation(ground, claim)
    return reasons_of(ground, refuted, _refute(ground, refuted, limits), limits)


def _refute(ground: Ground, obligation: Obligation, limits: Limits) -> Refutation:
    from planspec.solvers.proofs.refutation import Refutation, refute

    try:
        refutation = refute(obligation.formula, limits)
    except RuntimeError as error:
        raise InternalError(str(error), ground.task.hash) from error
    if not isinstance(refutation, Refutation):
        raise InternalError("the formula of a proved claim has a model", ground.task.hash)
    return refutation


def _obligation(ground: Ground, claim: Claim) -> Obligation:
    from planspec.solvers.proofs.obligation import obligation

    result = obligation(ground, claim)
    if result is None:
        raise UnprovableClaimError("the witness has more rows than the search")
    return result


def _record(file: str, obligation: Obligation, steps: int, prover: str) -> ProofRecord:
    from planspec.solvers.proofs.texts import dimacs, hash_of, map_text

    return ProofRecord(
        file=file,
        cnf_sha256=hash_of(dimacs(obligation.formula)),
        map_sha256=hash_of([map_text(obligation)]),
        variables=obligation.formula.variables,
        clauses=len(obligation.formula.clauses),
        steps=steps,
        prover=prover,
    )


def proof_errors(folder: Path, ground: Ground, claim: Claim, record: ProofRecord) -> Iterator[str]:
    """Check that a proof proves a claim about this task. Yield an error if it does not. No solver is needed.

    Args:
        folder: folder of the proof's file.
        ground: the task.
        claim: claim of the certificate.
        record: the certificate's record of the proof.
    """
    from planspec.solvers.proofs.checker import InvalidProofError, check

    try:
        obligation = _obligation(ground, claim)
    except (DiagnosticError, UnprovableClaimError) as error:
        yield f"the claim has no formula: {error}"
        return
    expected = _record(record.file, obligation, record.steps, record.prover)
    parts = (
        ("cnf_sha256", "formula"),
        ("map_sha256", "map"),
        ("clauses", "number of clauses"),
        ("variables", "number of variables"),
    )
    differing = next((words for name, words in parts if getattr(expected, name) != getattr(record, name)), None)
    if differing is not None:
        yield f"the {differing} of the claim differs from that recorded for {record.file}: the task, the witness or the bounds differ from what was proved"
        return
    try:
        packed = read_gzip(folder / record.file, PROOF_BYTES)
    except OSError as error:
        yield f"{record.file} cannot be read: {error.strerror or error}"
        return
    try:
        steps = check(obligation.formula.clauses, (line.decode("ascii") for line in BytesIO(packed)))
    except UnicodeDecodeError:
        yield f"{record.file} is no proof: it has other characters than ASCII's"
        return
    except InvalidProofError as error:
        yield f"{record.file} is no proof of the claim: {error}"
        return
    if steps != record.steps:
        yield f"{record.file} has {steps_in_words(steps)}, and the certificate says {record.steps:,}"
