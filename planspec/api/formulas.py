"""The formula of a claim in DIMACS, its map, and its proof, for SAT solvers and proof checkers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from planspec.api.outputs.claims import DimacsOutput
from planspec.errors import LimitReachedError, UnsuitableTaskError
from planspec.files import replacing

if TYPE_CHECKING:
    from planspec.api.judging import Judge
    from planspec.solvers.backends.outcome import Limits
    from planspec.verifiers.meaning.ground import Ground
    from planspec.verifiers.meaning.plan_rows import Plan

FormulaQuestion: TypeAlias = Literal["unique", "feasible"]
"""Question for a formula. `unique`: is there a plan other than a given one? `feasible`: is there any plan?"""


def write_formula(
    judge: Judge,
    files: Mapping[str, Path],
    question: FormulaQuestion,
    *,
    beyond_scope: bool = False,
    best: bool = False,
    limits: Limits,
) -> tuple[DimacsOutput, Plan | None]:
    """Write a formula, the map of its variables and, if it is refuted in time, its proof.

    Args:
        judge: judge of the task.
        files: files to write, by `cnf`, `map.json`, `drup` and `lrat`. Files of an earlier proof are removed if there
            is no proof.
        question: the question. `unique` asks whether there is a plan other than the reference or, if the verifier does
            not accept that, other than a plan that CP-SAT finds.
        beyond_scope: whether to ask without the scope's bounds.
        best: whether to ask only about the plans of `unique_best`. They also satisfy every soft constraint, and are the
            best of these by the objectives.
        limits: limits on the search for the proof.

    Returns:
        The result, and the plan that the formula excludes; None if it excludes no plan.

    Raises:
        UnsuitableTaskError: the task has no `unique_best`, or the excluded plan has more rows than the scope allows.
        DiagnosticError: the task cannot be encoded.
        OSError: a file cannot be written.
    """
    from planspec.solvers.proofs.obligation import NoOtherPlan, obligation
    from planspec.solvers.proofs.refutation import Refutation, drup, lrat, refute
    from planspec.solvers.proofs.texts import dimacs as lines_of
    from planspec.solvers.proofs.texts import hash_of, map_text

    ground = _question_ground(judge, limits, best=best)
    witness = _witness(judge, ground, limits) if question == "unique" else None
    encoding = obligation(ground, NoOtherPlan(witness, () if beyond_scope else None))
    if encoding is None:
        raise UnsuitableTaskError("the witness has more rows than the search")
    _write(files["cnf"], lines_of(encoding.formula))
    _write(files["map.json"], [map_text(encoding)])
    status: Literal["refuted", "satisfiable", "unknown"] = "satisfiable"
    steps, reason = None, None
    try:
        result = refute(encoding.formula, limits)
    except LimitReachedError as limit:
        status, reason = "unknown", limit.reason
    else:
        if isinstance(result, Refutation):
            status, steps = "refuted", len(result.steps)
            _write(files["drup"], drup(result.steps))
            _write(files["lrat"], lrat(result.steps))
    if steps is None:
        for kind in _PROOFS:  # files of an earlier call may prove another formula
            files[kind].unlink(missing_ok=True)
        files = {kind: file for kind, file in files.items() if kind not in _PROOFS}
    output = DimacsOutput(
        task=judge.task.id,
        question=question,
        status=status,
        reason=reason,
        variables=encoding.formula.variables,
        clauses=len(encoding.formula.clauses),
        steps=steps,
        cnf_sha256=hash_of(lines_of(encoding.formula)),
        map_sha256=hash_of([map_text(encoding)]),
        files={kind: str(file) for kind, file in files.items()},
    )
    return output, witness


_PROOFS = ("drup", "lrat")


def _question_ground(judge: Judge, limits: Limits, *, best: bool) -> Ground:
    from planspec.solvers.backends.outcome import Status
    from planspec.solvers.questions.claims import variant_for_best
    from planspec.solvers.questions.prove import solve

    if not best:
        return judge.ground
    ground = variant_for_best(judge.ground)
    if ground is not None and judge.task.objectives:
        solution = solve(ground, limits=limits)
        if solution.status is Status.UNKNOWN:
            raise LimitReachedError(solution.reason or "time")
        ground = variant_for_best(judge.ground, solution.plan)
    if ground is None:
        raise UnsuitableTaskError(
            f"`{judge.task.id}` makes no claim about plans that keep every soft constraint: it has no `unique_best`"
        )
    return ground


def _witness(judge: Judge, ground: Ground, limits: Limits) -> Plan | None:
    """Return the reference if the verifier accepts it, otherwise a plan that CP-SAT finds.

    Return None if there is no plan.
    """
    from planspec.solvers.questions.prove import any_plan
    from planspec.solvers.questions.witness import refusal

    reference = judge.reference_plan()
    if reference is not None and refusal(ground, reference) is None:
        return reference
    return any_plan(ground, limits=limits)


def _write(path: Path, lines: Iterable[str]) -> None:
    with replacing(path) as file:
        file.writelines(line.encode() for line in lines)
