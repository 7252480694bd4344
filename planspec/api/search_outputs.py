"""Results of `solve`, `repair`, `difficulty` and `tighten` as JSON output."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from planspec.api.certified_proofs import proof_output
from planspec.api.claim_outputs import claim_output, opinion_outputs
from planspec.api.outputs.answers import ObjectiveOutput, SoftOutput, SolveOutput
from planspec.api.outputs.claims import DifferenceOutput, UniqueOutput
from planspec.api.outputs.explanations import (
    BackboneOutput,
    CountOutput,
    DifficultyOutput,
    GreedyOutput,
    RemovedOutput,
    RepairOutput,
    SlackOutput,
    TightenOutput,
)
from planspec.solvers.backends.outcome import Status
from planspec.verifiers.answers.format import plain_json
from planspec.verifiers.meaning.differences import differences

if TYPE_CHECKING:
    from planspec.api.judging import Judge
    from planspec.api.proof_files import ProofRecord
    from planspec.api.tightening import TightenableTask
    from planspec.dsl.model.task import Task
    from planspec.solvers.questions.difficulty import Difficulty
    from planspec.solvers.questions.prove import Solution
    from planspec.solvers.questions.repair import Repair
    from planspec.solvers.questions.tighten import Tightening
    from planspec.verifiers.meaning.plan_rows import Plan

TightenStatus = Literal["tightened", "already-unique", "impossible", "unknown"]
_TIGHTEN_STATUS: Mapping[Status, TightenStatus] = {Status.INFEASIBLE: "impossible", Status.UNKNOWN: "unknown"}


def solve_output(solution: Solution, proof: ProofRecord | None = None) -> SolveOutput:
    """Return a solution as JSON output.

    Args:
        solution: the solution.
        proof: checked proof that no plan is better; None if none was written.
    """
    return SolveOutput(
        task=solution.task.id,
        status=solution.status.value,
        plan=solution.answer,
        objective=_unscale(solution.objective, solution.scale),
        bound=_unscale(solution.bound, solution.scale),
        objectives=[
            ObjectiveOutput(objective=_unscale(level.value, level.scale), bound=_unscale(level.bound, level.scale))
            for level in solution.levels
        ],
        soft=SoftOutput(satisfied=solution.soft_weight, total=solution.soft_total),
        backend=solution.backend,
        seconds=round(solution.seconds, 4),
        by=list(solution.by),
        disagreement=opinion_outputs(solution.task, solution.disagreement, solution.scale),
        reason=solution.reason,
        proof=None if proof is None else proof_output(proof, checked=True),
    )


def repair_output(judge: Judge, repair: Repair) -> RepairOutput:
    """Return a repair as JSON output."""
    status = repair.status.value if repair.plan is None else "repaired"
    return RepairOutput(
        task=judge.task.id,
        status=status,  # type: ignore[arg-type]
        edits=[DifferenceOutput.of(d) for d in repair.edits],
        proved_smallest=repair.status is Status.OPTIMAL,
        plan=None if repair.plan is None else plain_json(judge.encode(repair.plan)),
        by=list(repair.by),
        disagreement=opinion_outputs(judge.task, repair.disagreement),
        reason=repair.reason,
    )


def valid_output(judge: Judge, plan: Plan) -> RepairOutput:
    """Return the JSON output for an answer that is already valid."""
    return RepairOutput(
        task=judge.task.id, status="already-valid", edits=[], proved_smallest=True, plan=plain_json(judge.encode(plan))
    )


def difficulty_output(task: Task, difficulty: Difficulty) -> DifficultyOutput:
    """Return the difficulty of a task as JSON output."""
    count, core = difficulty.solutions, difficulty.backbone
    return DifficultyOutput(
        task=task.id,
        reading=task.reading,
        status=difficulty.feasible,  # type: ignore[arg-type]
        solutions=None if count is None else CountOutput(count=count.count, exact=count.exact, by=list(count.by)),
        backbone=None
        if core is None
        else BackboneOutput(fixed=len(core.fixed), open=core.open, share=core.share, complete=core.complete),
        slack=[SlackOutput(constraint=s.constraint, margin=s.margin, unit=s.unit) for s in difficulty.slack],
        anchors=difficulty.anchors,
        hard=difficulty.hard,
        soft=difficulty.soft,
        total=difficulty.hard + difficulty.soft,
        search=dict(difficulty.search),
        greedy=[
            GreedyOutput(strategy=g.strategy, table=g.table, settled=g.settled, rows=g.rows, end=g.end)
            for g in difficulty.greedy
        ],
        finished=difficulty.finished,
        by=list(difficulty.by),
        disagreement=opinion_outputs(task, difficulty.disagreement),
    )


def tighten_output(file: TightenableTask, result: Tightening) -> TightenOutput:
    """Return the rows removed from a task, and the claims about the resulting task, as JSON output."""
    status = _TIGHTEN_STATUS.get(result.status, "tightened" if result.removed else "already-unique")
    unique = None
    if result.validation is not None:
        claim = claim_output(result.validation.unique)
        unique = UniqueOutput(status=claim.status, backends=claim.backends)
    free = []
    if result.other is not None:
        free = [DifferenceOutput.of(d) for d in differences(file.task, file.plan, result.other)]
    return TightenOutput(
        task=file.task.id,
        status=status,
        removed=[
            RemovedOutput(table=row.table, row=dict(row.cells))
            for row in (result.removed if status != "impossible" else ())
        ],
        proved_smallest=result.smallest,
        unique=unique,
        free=free,
        by=[] if unique is None else [name for name, claim in unique.backends.items() if claim.status == "unique"],
    )


def _unscale(value: int | None, scale: int) -> int | float | None:
    return value if value is None or scale == 1 else value / scale
