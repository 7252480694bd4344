"""`solve`: searches for the best plan. The verifier checks each plan before it is printed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from planspec.commands.completion import complete_tasks
from planspec.commands.console import (
    CommandLineError,
    Exit,
    Format,
    GivenValues,
    check_backends,
    check_writable,
    forbid_overwriting,
    leave,
    note,
    parse_given,
    print_json,
    warn_if_no_scope,
    write_envelope,
)
from planspec.commands.progress import end_early_on_interrupt, show_spinner
from planspec.commands.search_limits import (
    BackendOption,
    EffortLimit,
    SecondBackend,
    Workers,
    search_limits,
    timeout_option,
)

if TYPE_CHECKING:
    from planspec.api.judging import Judge
    from planspec.api.optima import OptimumCertificate
    from planspec.api.search import Level, Limits, Solution
    from planspec.dsl.model.task import Task


def solve(
    task: Annotated[str, typer.Argument(help="A task's file or id.", metavar="TASK", autocompletion=complete_tasks)],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write the plan to this file, with the task's id.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Let -o replace the task's reference.")] = False,
    backend: BackendOption = "cpsat",
    timeout: Annotated[float | None, timeout_option("the whole search")] = None,
    effort: EffortLimit = None,
    workers: Workers = 1,
    second: SecondBackend = False,
    minimize: Annotated[
        str | None,
        typer.Option(
            help="Minimise this expression, such as a measure, instead of the task's objectives.",
            metavar="EXPR",
        ),
    ] = None,
    maximize: Annotated[
        str | None,
        typer.Option(help="Maximise this expression instead of the task's objectives.", metavar="EXPR"),
    ] = None,
    progress: Annotated[
        bool,
        typer.Option(
            "--progress",
            help="Write the best value so far and the proved bound to standard error, a line for each improvement.",
        ),
    ] = False,
    proof: Annotated[
        Path | None,
        typer.Option(
            "--proof",
            help="Write a certificate that the plan is the best within the scope, and beside it a proof that can be checked without a solver.",
            metavar="FILE",
        ),
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option("--check", help="Instead, check such a certificate without a solver.", metavar="FILE"),
    ] = None,
    given: GivenValues = None,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Find the best plan, and prove it best.

    The status says `optimal` if the plan is proved best.
    """
    from planspec.api.judging import Judge
    from planspec.api.loading import load
    from planspec.api.oracles import best_plan
    from planspec.api.proof_files import steps_in_words
    from planspec.api.search import Status, require_prover
    from planspec.api.search_outputs import solve_output

    check_backends(backend)
    check_writable(output)
    if check is not None:
        conflicting = next(
            (name for name, value in (("--proof", proof), ("-o", output), ("--progress", progress)) if value),
            None,
        )
        if conflicting is not None:
            raise CommandLineError(f"--check does not search, and {conflicting} belongs to a search")
        _check_certificate(task, check, minimize, maximize, format)
    if proof is not None:
        if proof == output:
            raise CommandLineError(f"`{proof}` cannot be both the plan's file and the certificate's")
        require_prover()
        check_writable(proof)
    if minimize is not None and maximize is not None:
        raise CommandLineError("only one of --minimize and --maximize can be given")
    judge = Judge(load(task, minimize=minimize, maximize=maximize, given=parse_given(given)))
    _forbid_overwriting(judge.task, task, output, proof, force=force)
    warn_if_no_scope(judge.task)
    limits = search_limits(timeout, effort, workers=workers)
    if proof is not None and not judge.task.objectives and all(i.constraint.hard for i in judge.ground.instances):
        raise CommandLineError(
            "--proof shows that no plan is better, and without an objective or soft constraints all plans are equally good"
        )
    with (
        end_early_on_interrupt() as pressed,
        show_spinner(f"{judge.task.id}: searching for the best plan") as notify,
    ):

        def report_progress(level: Level) -> None:
            text = level.progress_text(judge.task.currency)
            (note if progress else notify)(text)

        solution = best_plan(
            judge,
            name=task,
            backend=backend,
            limits=limits,
            second=second,
            on_progress=report_progress,
            on_improve=lambda: notify("improving the plan"),
        )
    certificate = None if proof is None or pressed() else _certify(judge, solution, proof, limits, minimize, maximize)
    output_model = solve_output(solution, None if certificate is None else certificate.proof)
    plan = output_model.plan
    if output is not None and plan is not None:
        write_envelope(output, judge.task.id, plan)
    if format is Format.json:
        print_json(output_model)
    else:
        _print(judge, solution, plan, output)
        if solution.remark is not None:
            note(solution.remark)
        if certificate is not None:
            note(
                f"proved best: {proof}, with {certificate.proof.file}, {steps_in_words(certificate.proof.steps)}, checked"
            )
    if pressed():
        leave(Exit.INTERRUPTED)
    if proof is not None and certificate is None and solution.status is not Status.INFEASIBLE:
        leave(Exit.UNDECIDED)
    leave({Status.INFEASIBLE: Exit.FAILS, Status.UNKNOWN: Exit.UNDECIDED}.get(solution.status, Exit.HOLDS))


def _forbid_overwriting(task: Task, name: str, output: Path | None, proof: Path | None, *, force: bool) -> None:
    """Check that no output overwrites a file of the task. With `force`, the plan may replace the reference."""
    read = [str(path) for source in task.sources for path in source.files]
    if output is not None and _is_reference(output, name):
        if not force:
            raise CommandLineError(f"`{output}` is the task's reference; --force replaces it")
        output = None
    forbid_overwriting((output, proof), read)


def _is_reference(output: Path, task: str) -> bool:
    """Return whether a file is the task's reference, and not another of its files."""
    from planspec.api.catalog import Catalog, text_of
    from planspec.dsl.diagnostics.diagnostic import Report

    catalog = Catalog()
    document = catalog.workspace.open(catalog.named(task).path, Report())
    reference = "" if document is None else text_of(document, "reference")
    if document is None or document.path is None or not reference:
        return False
    return output.is_file() and output.resolve() == (document.path.parent / reference).resolve()


def _print(judge: Judge, solution: Solution, plan: Any, output: Path | None) -> None:
    """Print a plan, or only its verdict if it was written to a file, and the status of the search."""
    from planspec.api.claim_outputs import opinions_in_words
    from planspec.api.search import Status
    from planspec.commands.verify import print_verdict
    from planspec.errors import LimitReachedError

    if plan is not None and output is None:
        print_json({"task": judge.task.id, "plan": plan})
    if solution.plan is not None and output is not None:
        print_verdict(judge.plan(solution.plan))
    parts = [solution.status.value]
    if solution.disagreement:
        parts.append(opinions_in_words(solution.disagreement))
    if solution.reason is not None:
        parts.append(str(LimitReachedError(solution.reason)))
    if solution.soft_total and solution.plan is not None:
        parts.append(f"soft weight {solution.soft_weight}/{solution.soft_total}")
    if solution.objective is not None:
        parts.append(f"objective {', then '.join(solution.values_in_words())}")
        if solution.status is not Status.OPTIMAL and solution.bound is not None:
            parts.append(f"not proved the best: the bound is {solution.in_words(solution.bound)}")
    elif judge.task.objective is not None and solution.plan is not None:
        parts.append(_undefined_objective_text(solution))
    note(f"{', '.join(parts)} ({' and '.join(solution.by or (solution.backend,))}, {solution.seconds:.2f} s)")


def _certify(
    judge: Judge, solution: Solution, path: Path, limits: Limits, minimize: str | None, maximize: str | None
) -> OptimumCertificate | None:
    """Write a certificate that a plan is the best. If none can be proved, print why and return None."""
    from planspec.api.optima import certify_optimum
    from planspec.api.search import Status
    from planspec.errors import LimitReachedError

    if solution.plan is None or solution.status is not Status.OPTIMAL:
        if solution.status is Status.INFEASIBLE:
            note("there is no plan; `planspec validate --certify --proof` proves that")
        else:
            note("no certificate is written, since no plan was proved best")
        return None
    try:
        with show_spinner("searching for a proof"):
            return certify_optimum(judge, solution.plan, path, limits, minimize=minimize, maximize=maximize)
    except LimitReachedError as limit:
        note(f"no certificate is written, since there is no proof: {limit}")
        return None


def _check_certificate(task: str, path: Path, minimize: str | None, maximize: str | None, format: Format) -> NoReturn:
    """Check a certificate that a plan is the best, and end the command."""
    from planspec.api.judging import Judge
    from planspec.api.loading import load
    from planspec.api.optima import check_optimum, read_optimum
    from planspec.commands.validate import print_check

    try:
        certificate = read_optimum(path)
    except ValueError as error:
        raise CommandLineError(f"`{path}` is not a certificate of a best plan: {error}") from None
    if (minimize, maximize) not in ((None, None), (certificate.minimize, certificate.maximize)):
        raise CommandLineError(
            f"`{path}` is for another objective than the one given; leave out --minimize and --maximize"
        )
    judge = Judge(load(task, minimize=certificate.minimize, maximize=certificate.maximize))
    checked = check_optimum(judge, certificate, path)
    if format is Format.json:
        print_json(checked)
    else:
        print_check(checked)
    leave(Exit.HOLDS if checked.status == "valid" else Exit.FAILS)


def _undefined_objective_text(solution: Solution) -> str:
    """Return a sentence about an objective that is *none* (undefined) on the plan."""
    from planspec.api.search import Status

    if solution.status is not Status.OPTIMAL:
        return "the objective is none on this plan; any plan with a value is better"
    among = " of this soft weight" if solution.soft_total else ""
    return f"the objective is none on every plan{among}"
