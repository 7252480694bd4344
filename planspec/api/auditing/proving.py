"""Proofs of an audit: the claims of `validate` about a task or turn, proved within one time limit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from planspec.api.best_values import BestValues
from planspec.api.claim_outputs import validate_output
from planspec.api.conversation import turn_outcomes
from planspec.api.oracles import best_plan
from planspec.api.proofs import beyond_claims
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.lowering.problem import SharedLowering
from planspec.solvers.questions.budget import TimeBudget

if TYPE_CHECKING:
    from planspec.api.conversation import TurnOutcome
    from planspec.api.judging import Judge
    from planspec.api.outputs.claims import ValidateOutput
    from planspec.solvers.lowering.problem import Lowered
    from planspec.solvers.questions.beyond_scope import Beyond
    from planspec.solvers.questions.prove import Solution
    from planspec.verifiers.meaning.ground import Ground


@dataclass(frozen=True, slots=True)
class AuditOptions:
    """Options of an audit that are the same for every task.

    Attributes:
        most: number of plans at which counting stops.
        limits: limits on all questions about a task or turn.
        deep: whether to also run the checks of `check --deep`.
        certify: whether to write certificates.
    """

    most: int = 10
    limits: Limits = field(default_factory=Limits)
    deep: bool = True
    certify: bool = False

    def __str__(self) -> str:
        limits = self.limits
        parts = [f"most {self.most}", "deep" if self.deep else "not deep"]
        parts += [] if limits.seconds is None else [f"{limits.seconds:g} s"]
        parts += [] if limits.effort is None else [f"effort {limits.effort:g}"]
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class ProvedTurn:
    """Proved claims about a task, or about one of its turns.

    Attributes:
        outcome: the claims.
        beyond: claims without the scope's bounds, about all plans and about the best plans; each is None if not proved.
        optimum: the best plan that was found; None for a task without objectives, or without a plan.
        output: all results as JSON output of `validate`.
        clock: remaining time and effort.
        lowering: function that translates the task for the solvers. It is shared, so that the task is translated once.
    """

    outcome: TurnOutcome
    beyond: tuple[Beyond | None, Beyond | None]
    optimum: Solution | None
    output: ValidateOutput
    clock: TimeBudget
    lowering: SharedLowering

    @property
    def judge(self) -> Judge:
        """Judge of the turn's task."""
        return self.outcome.judge

    @property
    def best_values(self) -> BestValues | None:
        """Values of the best known plan; None without objectives or without a plan."""
        return None if self.optimum is None else BestValues.of(self.optimum)


def proved_turns(turns: Iterator[Judge], options: AuditOptions) -> Iterator[ProvedTurn]:
    """Prove the claims of a task turn by turn.

    Raises:
        DiagnosticError: a turn has errors, or cannot be encoded for solvers.
        LimitReachedError: the time was used up before the task was grounded (its constraints instantiated).
        InternalError: a plan does not pass the verifier.
    """
    clocks: list[TimeBudget] = []
    lowerings: list[SharedLowering] = []

    def lower(ground: Ground) -> Lowered:
        return lowerings[-1](ground)

    def timed(judge: Judge) -> Judge:
        clocks.append(TimeBudget(options.limits))
        lowerings[:] = [SharedLowering()]
        return judge

    for outcome in turn_outcomes(map(timed, turns), limits=options.limits, lowering=lower):
        judge, validation, clock = outcome.judge, outcome.validation, clocks[-1]
        task = judge.task
        beyond: tuple[Beyond | None, Beyond | None] = (None, None)
        needs_beyond = task.expected == "infeasible" and not task.closed
        if needs_beyond:
            beyond = beyond_claims(judge, validation, limits=clock.rest)
        optimum = None
        if task.objectives and validation.feasible.status == "feasible":
            optimum = best_plan(judge, limits=clock.rest, second=options.certify, lowering=lower)
            judge.best_values = BestValues.of(optimum)
        output = validate_output(outcome, *beyond, is_beyond_requested=needs_beyond, optimum=optimum)
        yield ProvedTurn(outcome, beyond, optimum, output, clock, lowerings[-1])


def certify_turn(turn: ProvedTurn, options: AuditOptions) -> str | None:
    """Write the certificate of a turn. Return the reason if none was written, else None."""
    from planspec.api import certificates

    judge, validation = turn.judge, turn.outcome.validation
    claims = [validation, *([] if validation.best is None else [validation.best])]
    if any("unknown" in (claim.feasible.status, claim.unique.status) for claim in claims):
        return "no certificate is written, since not everything was proved in time"
    certificate = certificates.certify(judge, validation, options.limits, *turn.beyond, optimum=turn.optimum)
    path = certificates.certificate_path(judge.task.file, judge.task.certificate_id)
    certificates.write(certificate, path)
    return None


def undecided_claims(turn: ProvedTurn) -> Iterator[str]:
    """Yield a text for each claim that was not decided."""
    output = turn.output
    if output.disagreement:
        yield "two back ends contradict each other"
    elif output.as_expected is None:
        yield "whether the task is as expected"
    if output.best is not None and "unknown" in (output.best.feasible.status, output.best.unique.status):
        yield "whether there is only one best plan"
    if turn.optimum is not None and turn.optimum.status is not Status.OPTIMAL:
        yield "the best plan"
