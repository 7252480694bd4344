"""`dimacs`: the formula of a claim, its map and its proof, for SAT solvers and proof checkers."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from planspec.commands.completion import complete_tasks
from planspec.commands.console import (
    CommandLineError,
    Exit,
    Format,
    GivenValues,
    check_writable,
    forbid_overwriting,
    leave,
    parse_given,
    print_json,
    warn_if_no_scope,
)
from planspec.commands.progress import show_spinner
from planspec.commands.search_limits import EffortLimit, search_limits, timeout_option


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
            help="`unique`: is there another plan than the reference (without a reference: than the first plan found)? `feasible`: is there any plan?"
        ),
    ] = DimacsQuestion.unique,
    beyond_scope: Annotated[bool, typer.Option("--beyond-scope", help="Leave out the scope's bounds.")] = False,
    best: Annotated[
        bool,
        typer.Option(
            "--best",
            help="Consider only the best plans: those that also satisfy every soft constraint, and are best by the objectives.",
        ),
    ] = False,
    timeout: Annotated[float | None, timeout_option("the search for a proof")] = None,
    effort: EffortLimit = None,
    given: GivenValues = None,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Write a question about a task as a DIMACS formula.

    If the formula is refuted, a proof is also written. It shows that the formula has no model: there is no other plan,
    or no plan at all. The map tells which bit of which cell of a plan each variable is, and from which constraint each
    clause comes.
    """
    from planspec.api.formulas import write_formula
    from planspec.api.judging import Judge
    from planspec.api.loading import load
    from planspec.api.proof_files import steps_in_words
    from planspec.api.search import require_prover

    require_prover()
    limits = search_limits(timeout, effort)
    if not output.name or output.is_dir():
        raise CommandLineError(f"`{output}` names no files: give a prefix, such as {output / 'formula'}")
    prefix = output.name.removesuffix(".cnf")
    files = {kind: output.with_name(f"{prefix}.{kind}") for kind in ("cnf", "map.json", "drup", "lrat")}
    for file in files.values():
        check_writable(file)
    judge = Judge(load(task, given=parse_given(given)))
    forbid_overwriting(files.values(), (str(path) for source in judge.task.sources for path in source.files))
    warn_if_no_scope(judge.task)
    with show_spinner(f"{judge.task.id}: encoding, and searching for a proof"):
        result, witness = write_formula(
            judge, files, question.value, beyond_scope=beyond_scope, best=best, limits=limits
        )
    words, code = _outcome(result.status, witness is not None, question)
    if format is Format.json:
        print_json(result)
    else:
        out = sys.stdout.write
        out(f"{result.task}: {words}\n")
        out(
            f"  {files['cnf']}: {result.variables:,} variables, {result.clauses:,} clauses; "
            f"{files['map.json']} says what they mean\n"
        )
        if result.steps is not None:
            out(f"  {files['drup']}, with hints {files['lrat']}: {steps_in_words(result.steps)}, checked\n")
    leave(code)


def _outcome(status: str, has_witness: bool, question: DimacsQuestion) -> tuple[str, Exit]:
    """Return the claim about the task that follows from a status, as text, and the exit code."""
    if status == "unknown":
        return "no proof in time", Exit.UNDECIDED
    if status == "satisfiable":
        if question is DimacsQuestion.feasible:
            return "feasible: the formula has a model", Exit.HOLDS
        return "not unique: the formula has a model", Exit.FAILS
    if has_witness:
        return "unique: the formula that there is another plan is refuted", Exit.HOLDS
    return "infeasible: the formula that there is a plan is refuted", Exit.FAILS
