"""Proofs that the members of a conflict (rules and bounds) cannot all hold. They are checked without a solver."""

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
    """A checked proof that the rules and bounds of a conflict (its members) cannot all hold.

    Attributes:
        steps: number of steps of the proof.
        uses: ids, such as `slot[pergamon]`, of the members that the proof uses. If the conflict is minimal, these are
            all of its members.
    """

    steps: int
    uses: tuple[str, ...]


def prove_conflicts(
    ground: Ground, conflicts: Sequence[Sequence[Member]], *, bounds: bool, limits: Limits
) -> Iterator[ConflictProof]:
    """Yield a proof for each conflict, in order.

    Args:
        ground: the task.
        conflicts: the conflicts that `why` found. Each is a list of rules and bounds that cannot all hold.
        bounds: value of the argument `bounds` of `why`: whether members may be bounds of the scope, which limit the
            values of a plan's fields.
        limits: limits on the search for each proof.

    Raises:
        LimitReachedError: a limit was reached before a proof was found.
        InternalError: the members of a conflict can hold together, or the checker rejects the proof.
        ModuleNotFoundError: the prover is not installed.
    """
    background = any(member.level == "background" for conflict in conflicts for member in conflict)
    relaxed = background_of(ground) if background else relaxable(ground, bounds=bounds)
    conditions = {rooted.origin: rooted for rooted in relaxed.conditions}
    for conflict in conflicts:
        encoder = ClauseEncoder()
        for rooted in (*relaxed.lowered.problem.hard, *(conditions[member.id] for member in conflict)):
            encoder.require(rooted.condition, rooted.origin)
        try:
            result = refute(encoder.formula, limits)
        except RuntimeError as error:
            raise InternalError(str(error), ground.task.hash) from error
        if not isinstance(result, Refutation):
            raise InternalError("the members of a conflict hold together", ground.task.hash)
        used = set(result.origins(encoder.formula))
        yield ConflictProof(len(result.steps), tuple(member.id for member in conflict if member.id in used))
