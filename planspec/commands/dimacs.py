"""`dimacs`: a claim's formula, its map and its proof, for SAT solvers and proof checkers."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from planspec.commands.completion import complete_tasks
from planspec.commands.console import (
    CommandLineError,
    Exit,
    Format,
    check_writable,
    forbid_overwriting,
    leave,
    print_json,
    warn_if_no_scope,
)
from planspec.commands.progress import show_spinner
from planspec.commands.search_limits import EffortLimit, search_limits, timeout_option
from planspec.files import replacing

if TYPE_CHECKING:
    from planspec.api.judging import Judge
    from planspec.solvers.backends.outcome import Limits
    from planspec.verifiers.meaning.ground import Ground
    from planspec.verifiers.meaning.plan_rows import Plan


class DimacsQuestion(StrEnum):
    """Question whose formula is written."""

    unique = "unique"
    feasible = "feasible"


def dimacs(
    task: Annotated[
        str,
        typer.Argument(
            help="A task's file or id. For a task with turns, the last turn or TASK@1.",
            metavar="TASK",
            autocompletion=complete_tasks,
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            help="Write PREFIX.cnf, PREFIX.map.json and, if the formula is refuted, PREFIX.drup and PREFIX.lrat.",
            metavar="PREFIX",
        ),
    ],
    question: Annotated[
        DimacsQuestion,
        typer.Option(
            help="`unique`: is there a plan other than the reference, or than one that is found if there is no reference? `feasible`: is there any plan?"
        ),
    ] = DimacsQuestion.unique,
    beyond_scope: Annotated[
        bool, typer.Option("--beyond-scope", help="Ask without the scope's bounds.")
    ] = False,
    best: Annotated[
        bool, typer.Option("--best", help="Ask only about plans that keep every soft constraint too.")
    ] = False,
    timeout: Annotated[float | None, timeout_option("the search for a proof")] = None,
    effort: EffortLimit = None,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Write a question's formula in DIMACS, and its proof.

    The proof shows that the formula has no model: there is no other plan, or no plan at all.
    The map says which variable is which bit of which cell of a plan, and which clauses come from which
    constraint.
    """  # fmt: skip
    from planspec.api.judging import Judge
    from planspec.api.loading import load
    from planspec.api.outputs.claims import DimacsOutput
    from planspec.api.proof_files import steps_in_words
    from planspec.errors import LimitReachedError
    from planspec.solvers.proofs.obligation import NoOtherPlan, obligation
    from planspec.solvers.proofs.refutation import Refutation, drup, lrat, refute, require_prover
    from planspec.solvers.proofs.texts import dimacs as lines_of
    from planspec.solvers.proofs.texts import hash_of, map_text

    require_prover()
    limits = search_limits(timeout, effort)
    if not output.name or output.is_dir():
        raise CommandLineError(f"`{output}` names no files: give a prefix, such as {output / 'formula'}")
    prefix = output.name.removesuffix(".cnf")
    files = {kind: output.with_name(f"{prefix}.{kind}") for kind in ("cnf", "map.json", "drup", "lrat")}
    for file in files.values():
        check_writable(file)
    judge = Judge(load(task))
    forbid_overwriting(files.values(), (source.name for source in judge.task.sources))
    warn_if_no_scope(judge.task)
    bounds: tuple[str, ...] | None = () if beyond_scope else None
    with show_spinner(f"{judge.task.id}: encoding, and searching for a proof"):
        ground = _question_ground(judge, best=best)
        witness = _witness(judge, ground, limits) if question is DimacsQuestion.unique else None
        encoding = obligation(ground, NoOtherPlan(witness, bounds))
        if encoding is None:
            raise CommandLineError("the witness has more rows than the search")
        _write(files["cnf"], lines_of(encoding.formula))
        _write(files["map.json"], [map_text(encoding)])
        status: Literal["refuted", "satisfiable", "unknown"]
        steps, reason = None, None
        try:
            result = refute(encoding.formula, limits)
        except LimitReachedError as limit:
            status, reason = "unknown", limit.reason
        else:
            status = "satisfiable"
            if isinstance(result, Refutation):
                status, steps = "refuted", len(result.steps)
                _write(files["drup"], drup(result.steps))
                _write(files["lrat"], lrat(result.steps))
    if steps is None:
        for kind in ("drup", "lrat"):  # files of an earlier call are no proofs of this formula
            files.pop(kind).unlink(missing_ok=True)
    output_model = DimacsOutput(
        task=judge.task.id, question=question.value, status=status, reason=reason,
        variables=encoding.formula.variables, clauses=len(encoding.formula.clauses), steps=steps,
        cnf_sha256=hash_of(lines_of(encoding.formula)), map_sha256=hash_of([map_text(encoding)]),
        files={kind: str(file) for kind, file in files.items()},
    )  # fmt: skip
    words, code = _outcome(status, witness is not None, question)
    if format is Format.json:
        print_json(output_model)
    else:
        out = sys.stdout.write
        out(f"{output_model.task}: {words}\n")
        out(
            f"  {files['cnf']}: {output_model.variables:,} variables, {output_model.clauses:,} clauses; "
            f"{files['map.json']} says what they mean\n"
        )
        if steps is not None:
            out(f"  {files['drup']}, with hints {files['lrat']}: {steps_in_words(steps)}, checked\n")
    leave(code)


def _outcome(status: str, has_witness: bool, question: DimacsQuestion) -> tuple[str, Exit]:
    """Return the result for the task in words, and the exit code."""
    if status == "unknown":
        return "no proof in time", Exit.UNDECIDED
    if status == "satisfiable":
        if question is DimacsQuestion.feasible:
            return "feasible: the formula has a model", Exit.HOLDS
        return "not unique: the formula has a model", Exit.FAILS
    if has_witness:
        return "unique: the formula that there is another plan is refuted", Exit.HOLDS
    return "infeasible: the formula that there is a plan is refuted", Exit.FAILS


def _question_ground(judge: Judge, *, best: bool) -> Ground:
    from planspec.solvers.questions.claims import among_best

    if not best:
        return judge.ground
    ground = among_best(judge.ground)
    if ground is None:
        raise CommandLineError(
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
