"""Proofs of conflicts: that the members of each cannot hold together, checked without a solver."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from planspec.errors import InternalError
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.backends.sat.encoder import ClauseEncoder
from planspec.solvers.proofs.refutation import Refutation, refute
from planspec.solvers.questions.conflicts import Member, background_of, relaxable
from planspec.verifiers.meaning.ground import Ground


@dataclass(frozen=True, slots=True)
class ConflictProof:
    """A proof, checked, that the members of a conflict cannot hold together.

    Attributes:
        steps: of the proof.
        uses: ids of the members whose clauses it uses: of a minimal conflict that is each one.
    """

    steps: int
    uses: tuple[str, ...]


def prove_conflicts(
    ground: Ground, conflicts: Sequence[Sequence[Member]], *, bounds: bool, limits: Limits
) -> Iterator[ConflictProof]:
    """Prove conflicts, one after the other.

    Args:
        ground: the task.
        conflicts: as `why` found them.
        bounds: the scope's bounds were allowed to be members.
        limits: of the search for each proof.

    Raises:
        LimitReachedError: a limit came first.
        InternalError: a conflict is none, or the prover's proof is wrong.
        ModuleNotFoundError: the prover is not installed.
    """
    background = any(member.level == "background" for conflict in conflicts for member in conflict)
    made = background_of(ground) if background else relaxable(ground, bounds=bounds)
    conditions = {rooted.origin: rooted for rooted in made.conditions}
    for conflict in conflicts:
        encoder = ClauseEncoder()
        for rooted in (*made.lowered.problem.hard, *(conditions[member.id] for member in conflict)):
            encoder.require(rooted.condition, rooted.origin)
        try:
            found = refute(encoder.formula, limits)
        except RuntimeError as error:
            raise InternalError(str(error), ground.task.hash) from error
        if not isinstance(found, Refutation):
            raise InternalError("the members of a conflict hold together", ground.task.hash)
        used = set(found.origins(encoder.formula))
        yield ConflictProof(len(found.steps), tuple(member.id for member in conflict if member.id in used))
