"""Proofs beside certificates: written once by a prover, and checked by anyone without a solver.

A certificate's claim that there is no other plan, or none, or none better, may have a proof: a file in LRAT, gzipped, which refutes
the claim's formula (`planspec.solvers.proofs.obligation`). To check it the task is encoded again. So the certificate's hashes of the formula and
of its map say whether the proof is of this text of the task, and the proof says whether the claim follows.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field

from planspec.dsl.resources.limits import PROOF_BYTES
from planspec.dsl.resources.reading import read_gzip
from planspec.errors import DiagnosticError, InternalError, PlanspecError
from planspec.files import replace_bytes

if TYPE_CHECKING:
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.proofs.obligation import Claim, Obligation
    from planspec.solvers.proofs.refutation import Refutation
    from planspec.verifiers.meaning.ground import Ground


def steps_in_words(steps: int) -> str:
    """`1 step`, `2,346 steps`."""
    return f"{steps:,} {'step' if steps == 1 else 'steps'}"


Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class ProofRecord(BaseModel):
    """A proof as a certificate knows it.

    `file` lies beside the certificate. The hashes are SHA-256 of the formula's text in DIMACS and of its map's.
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
    """A claim has no proof of this kind: its witness is not among what the search can say."""


def write_proof(path: Path, ground: Ground, claim: Claim, limits: Limits) -> ProofRecord:
    """Prove a claim, check the proof, and write it.

    Args:
        path: the file, `....lrat.gz`.
        ground: the task.
        claim: about its plans.
        limits: of the search, encoding not included.

    Raises:
        LimitReachedError: the prover did not find one in time.
        UnprovableClaimError: the claim cannot be stated.
        DiagnosticError: the task has no encoding.
        InternalError: the claim is false, though others proved it, or the prover's proof is wrong.
        ModuleNotFoundError: the prover is not installed.
    """
    from planspec.solvers.proofs.refutation import lrat

    made = _obligation(ground, claim)
    found = _refuted(ground, made, limits)
    replace_bytes(path, gzip.compress("".join(lrat(found.steps)).encode(), mtime=0))
    return _record(path.name, made, len(found.steps), found.prover)


def reasons(ground: Ground, claim: Claim, limits: Limits) -> tuple[str, ...]:
    """Constraints and bounds of the scope from which a claim follows: they are proved to be enough, and fewer may be.

    Args:
        ground: the task.
        claim: about its plans, and true.
        limits: of the search for the proof.

    Returns:
        The ids of instances, in the order of the task, and of bounds such as `scope:visits.end`. What a plan's tables are,
        and that what is in a field is of its type, is understood.

    Raises:
        LimitReachedError, UnprovableClaimError, DiagnosticError, InternalError, ModuleNotFoundError: as above.
    """
    from planspec.solvers.proofs.reasons import reasons_of

    made = _obligation(ground, claim)
    return reasons_of(ground, made, _refuted(ground, made, limits), limits)


def _refuted(ground: Ground, made: Obligation, limits: Limits) -> Refutation:
    from planspec.solvers.proofs.refutation import Refutation, refute

    try:
        found = refute(made.formula, limits)
    except RuntimeError as error:
        raise InternalError(str(error), ground.task.hash) from error
    if not isinstance(found, Refutation):
        raise InternalError("the formula of a proved claim has a model", ground.task.hash)
    return found


def _obligation(ground: Ground, claim: Claim) -> Obligation:
    from planspec.solvers.proofs.obligation import obligation

    made = obligation(ground, claim)
    if made is None:
        raise UnprovableClaimError("the witness has more rows than the search")
    return made


def _record(file: str, made: Obligation, steps: int, prover: str) -> ProofRecord:
    from planspec.solvers.proofs.texts import dimacs, hash_of, map_text

    return ProofRecord(
        file=file, cnf_sha256=hash_of(dimacs(made.formula)), map_sha256=hash_of([map_text(made)]),
        variables=made.formula.variables, clauses=len(made.formula.clauses), steps=steps, prover=prover,
    )  # fmt: skip


def wrong_proof(folder: Path, ground: Ground, claim: Claim, told: ProofRecord) -> Iterator[str]:
    """Why a proof does not show a claim of this task; nothing if it does. No solver is loaded.

    Args:
        folder: of the proof's file.
        ground: the task.
        claim: what the certificate claims.
        told: what it says of the proof.
    """
    from planspec.solvers.proofs.checker import InvalidProofError, check

    try:
        made = _obligation(ground, claim)
    except (DiagnosticError, UnprovableClaimError) as error:
        yield f"the claim has no formula: {error}"
        return
    found = _record(told.file, made, told.steps, told.prover)
    parts = (
        ("cnf_sha256", "formula"), ("map_sha256", "map"), ("clauses", "number of clauses"), ("variables", "number of variables"),
    )  # fmt: skip
    differing = next((words for name, words in parts if getattr(found, name) != getattr(told, name)), None)
    if differing is not None:
        yield f"the {differing} of what is claimed is not that which {told.file} is said to refute: the task, the witness or the bounds differ from what was proved"
        return
    try:
        packed = read_gzip(folder / told.file, PROOF_BYTES)
    except OSError as error:
        yield f"{told.file} cannot be read: {error.strerror or error}"
        return
    try:
        steps = check(made.formula.clauses, (line.decode("ascii") for line in BytesIO(packed)))
    except UnicodeDecodeError:
        yield f"{told.file} is no proof: it has other characters than ASCII's"
        return
    except InvalidProofError as error:
        yield f"{told.file} is no proof of the claim: {error}"
        return
    if steps != told.steps:
        yield f"{told.file} has {steps_in_words(steps)}, and the certificate says {told.steps:,}"
