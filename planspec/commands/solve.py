"""`solve`: ask a back end for the best plan, which has passed the verifier before it is printed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from planspec.commands.completion import backends_named, tasks_named
from planspec.commands.console import (
    CallError,
    Exit,
    Format,
    check_writable,
    known_backend,
    leave,
    note,
    print_json,
    refuse_overwriting,
    warn_without_scope,
    write_envelope,
)
from planspec.commands.progress import ending_early, waiting
from planspec.commands.search_limits import Effort, Second, search_limits, timeout_option

if TYPE_CHECKING:
    from planspec.api.judging import Judge
    from planspec.api.optima import OptimumCertificate
    from planspec.dsl.model.task import Task
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.questions.prove import Level, Solution


def solve(
    task: Annotated[
        str, typer.Argument(help="A task's file or id.", metavar="TASK", autocompletion=tasks_named)
    ],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write the plan there, as an envelope.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="With -o, replace the task's reference if it is that file.")
    ] = False,
    backend: Annotated[
        str, typer.Option(help="cpsat, smt, sat or brute.", autocompletion=backends_named)
    ] = "cpsat",
    timeout: Annotated[float | None, timeout_option("the whole search")] = None,
    effort: Effort = None,
    second: Second = False,
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
            help="Write the best value so far and the proved bound to standard error, a line each time one is better.",
        ),
    ] = False,
    proof: Annotated[
        Path | None,
        typer.Option(
            "--proof",
            help="Write a certificate there that the plan is the best within the scope, with a proof beside it that needs no solver.",
            metavar="FILE",
        ),
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option("--check", help="Check such a certificate instead, without a solver.", metavar="FILE"),
    ] = None,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Find the best plan, and prove it best.

    The status says `optimal` if the plan is proved best.
    """
    from planspec.api.certified_proofs import proof_output
    from planspec.api.claim_outputs import opinion_outputs
    from planspec.api.judging import Judge, encode
    from planspec.api.loading import load
    from planspec.api.oracles import BETTERING_S
    from planspec.api.outputs.answers import ObjectiveOutput, SoftOutput, SolveOutput
    from planspec.api.proof_files import steps_in_words
    from planspec.families.registry import family_of
    from planspec.solvers.backends.outcome import Status
    from planspec.solvers.questions import prove
    from planspec.solvers.questions.budget import TimeBudget

    known_backend(backend)
    check_writable(output)
    if check is not None:
        told = next(
            (name for name, value in (("--proof", proof), ("-o", output), ("--progress", progress)) if value),
            None,
        )
        if told is not None:
            raise CallError(f"--check searches for nothing, and {told} belongs to a search")
        _check(task, check, minimize, maximize, format)
    if proof is not None:
        if proof == output:
            raise CallError(f"`{proof}` cannot be both the plan's file and the certificate's")
        from planspec.solvers.proofs.refutation import require_prover

        require_prover()
        check_writable(proof)
    if minimize is not None and maximize is not None:
        raise CallError("a task minimises or maximises: give one of --minimize and --maximize")
    judge = Judge(load(task, minimize=minimize, maximize=maximize))
    _refuse_overwriting(judge.task, task, output, proof, force=force)
    warn_without_scope(judge.task)
    limits = search_limits(timeout, effort)
    clock = TimeBudget(limits)
    with clock:
        ground = judge.ground
    if proof is not None and not judge.task.objectives and all(i.constraint.hard for i in ground.instances):
        raise CallError(
            "--proof shows that no plan is better, and without objective and soft constraints none is better than another"
        )
    with ending_early() as pressed, waiting(f"{judge.task.id}: searching for the best plan") as say:

        def tell(level: Level) -> None:
            known = level.progress_text(judge.task.currency)
            (note if progress else say)(known)

        found = prove.solve(ground, backend=backend, limits=clock.rest, on_progress=tell, second=second)
    told = None
    further = family_of(judge.task.family).better if judge.task.objective is None else None
    if further is not None and found.plan is not None and not clock.over and not pressed():
        with waiting("making the plan better"):
            bettered = further.load()(task, judge, found, BETTERING_S if clock.left is None else clock.left)
        found, told = bettered.solution, bettered.note
    plan = None if found.plan is None else encode(judge.task, found.plan)
    proved = None if proof is None or pressed() else _proved(judge, found, proof, limits, minimize, maximize)
    output_model = SolveOutput(
        task=judge.task.id, status=found.status.value, plan=plan,
        objective=_scaled(found.objective, found.scale), bound=_scaled(found.bound, found.scale),
        objectives=[
            ObjectiveOutput(objective=_scaled(level.value, level.scale), bound=_scaled(level.bound, level.scale))
            for level in found.levels
        ],
        soft=SoftOutput(satisfied=found.soft_weight, total=found.soft_total), backend=backend, seconds=round(found.seconds, 4),
        by=list(found.by), disagreement=opinion_outputs(judge.task, found.disagreement, found.scale), reason=found.reason, proof=None if proved is None else proof_output(proved.proof, checked=True),
    )  # fmt: skip
    if output is not None and plan is not None:
        write_envelope(output, judge.task.id, plan)
    if format is Format.json:
        print_json(output_model)
    else:
        _print(judge, found, output_model.plan, output)
        if told is not None:
            note(told)
        if proved is not None:
            note(
                f"proved the best: {proof}, with {proved.proof.file}, {steps_in_words(proved.proof.steps)}, checked"
            )
    if pressed():
        leave(Exit.INTERRUPTED)
    if proof is not None and proved is None and found.status is not Status.INFEASIBLE:
        leave(Exit.UNDECIDED)
    leave({Status.INFEASIBLE: Exit.FAILS, Status.UNKNOWN: Exit.UNDECIDED}.get(found.status, Exit.HOLDS))


def _refuse_overwriting(
    task: Task, name: str, output: Path | None, proof: Path | None, *, force: bool
) -> None:
    """Refuse files that the task is read from; a plan may replace its reference if that is forced."""
    read = [source.name for source in task.sources]
    if output is not None and _is_reference(output, name):
        if not force:
            raise CallError(f"`{output}` is the task's reference; --force replaces it")
        output = None
    refuse_overwriting((output, proof), read)


def _is_reference(output: Path, task: str) -> bool:
    """The file is the reference of a task, and no other text of it."""
    from planspec.api.catalog import Catalog, text_of
    from planspec.dsl.diagnostics.diagnostic import Report

    catalog = Catalog()
    found = catalog.workspace.open(catalog.named(task).path, Report())
    named = "" if found is None else text_of(found, "reference")
    if found is None or found.path is None or not named:
        return False
    return output.is_file() and output.resolve() == (found.path.parent / named).resolve()


def _print(judge: Judge, found: Solution, plan: Any, output: Path | None) -> None:
    """Print a plan, or its verdict where it was written to a file, and how far it is proved the best."""
    from planspec.api.claim_outputs import opinions_in_words
    from planspec.commands.verify import print_verdict
    from planspec.errors import LimitReachedError
    from planspec.solvers.backends.outcome import Status

    if plan is not None and output is None:
        print_json({"task": judge.task.id, "plan": plan})
    if found.plan is not None and output is not None:
        print_verdict(judge.plan(found.plan))
    said = [found.status.value]
    if found.disagreement:
        said.append(opinions_in_words(found.disagreement))
    if found.reason is not None:
        said.append(str(LimitReachedError(found.reason)))
    if found.soft_total and found.plan is not None:
        said.append(f"soft weight {found.soft_weight}/{found.soft_total}")
    if found.objective is not None:
        said.append(f"objective {', then '.join(found.values_in_words())}")
        if found.status is not Status.OPTIMAL and found.bound is not None:
            said.append(f"not proved the best: the bound is {found.in_words(found.bound)}")
    elif judge.task.objective is not None and found.plan is not None:
        said.append(_without_objective(found))
    note(f"{', '.join(said)} ({' and '.join(found.by or (found.backend,))}, {found.seconds:.2f} s)")


def _proved(
    judge: Judge, found: Solution, path: Path, limits: Limits, minimize: str | None, maximize: str | None
) -> OptimumCertificate | None:
    """The certificate that a plan is the best, written; None where there is none to be had, which is said."""
    from planspec.api.optima import certify_optimum
    from planspec.errors import LimitReachedError
    from planspec.solvers.backends.outcome import Status

    if found.plan is None or found.status is not Status.OPTIMAL:
        if found.status is Status.INFEASIBLE:
            note("there is no plan; `planspec validate --certify --proof` proves that")
        else:
            note("no certificate is written, as no plan was proved the best")
        return None
    try:
        with waiting("searching for a proof"):
            return certify_optimum(judge, found.plan, path, limits, minimize=minimize, maximize=maximize)
    except LimitReachedError as limit:
        note(f"no certificate is written, as there is no proof: {limit}")
        return None


def _check(task: str, path: Path, minimize: str | None, maximize: str | None, format: Format) -> NoReturn:
    """Check a certificate that a plan is the best, and end the command."""
    from planspec.api.judging import Judge
    from planspec.api.loading import load
    from planspec.api.optima import check_optimum, read_optimum
    from planspec.commands.validate import print_check

    try:
        made = read_optimum(path)
    except ValueError as error:
        raise CallError(f"`{path}` is no certificate of a best plan: {error}") from None
    if (minimize, maximize) not in ((None, None), (made.minimize, made.maximize)):
        raise CallError(f"`{path}` says itself what was minimised or maximised")
    judge = Judge(load(task, minimize=made.minimize, maximize=made.maximize))
    checked = check_optimum(judge, made, path)
    if format is Format.json:
        print_json(checked)
    else:
        print_check(checked)
    leave(Exit.HOLDS if checked.status == "valid" else Exit.FAILS)


def _without_objective(found: Solution) -> str:
    """The sentence for an objective that has no value on the plan."""
    from planspec.solvers.backends.outcome import Status

    if found.status is not Status.OPTIMAL:
        return "the objective is none on this plan; a plan with a value would come first"
    among = " of this soft weight" if found.soft_total else ""
    return f"the objective is none on every plan{among}"


def _scaled(value: int | None, scale: int) -> int | float | None:
    return value if value is None or scale == 1 else value / scale
