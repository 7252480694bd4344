"""`why`: conflicts between the rules of an infeasible task, in the words of the task's author."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from planspec.commands.completion import complete_documents
from planspec.commands.console import (
    MAX_LINE_WIDTH,
    Exit,
    Format,
    GivenValues,
    check_backends,
    leave,
    note,
    note_folder_precedence,
    parse_given,
    print_json,
    report_failure,
    warn_if_no_scope,
    worst_exit,
)
from planspec.commands.jobs import NumberOfJobs, map_with_messages
from planspec.commands.progress import end_early_on_interrupt, show_best_on_interrupt, show_spinner
from planspec.commands.search_limits import BackendOption, EffortLimit, SecondBackend, search_limits, timeout_option
from planspec.commands.terminal import style_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from planspec.api.catalog import TaskReference
    from planspec.api.outputs.explanations import AmountOutput, ConflictProofOutput, MemberOutput, WhyOutput
    from planspec.api.search import Conflict, Limits
    from planspec.dsl.model.task import Task


def why(
    tasks: Annotated[
        list[str],
        typer.Argument(help="Tasks, suites or folders.", metavar="TASK|SUITE...", autocompletion=complete_documents),
    ],
    all: Annotated[bool, typer.Option("--all", help="Find every minimal conflict, not only one.")] = False,
    bounds: Annotated[bool, typer.Option(help="Let the scope's bounds be part of a conflict, or not.")] = True,
    backend: BackendOption = "cpsat",
    proof: Annotated[
        bool,
        typer.Option("--proof", help="Also prove each conflict, and check the proof without a solver."),
    ] = False,
    timeout: Annotated[float | None, timeout_option("each task")] = None,
    effort: EffortLimit = None,
    second: SecondBackend = False,
    jobs: NumberOfJobs = 1,
    given: GivenValues = None,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Explain why a task has no plan.

    Prints minimal conflicts, and the cheapest ways out: what to give up, and by how much.

    Exits 0 if a conflict is explained, 1 if there is a plan, 3 if time ran out first. JSON is one object for
    a task, a list for a suite or several tasks.
    """
    from planspec.api.catalog import Catalog

    check_backends(backend)
    if proof:
        from planspec.api.search import require_prover

        require_prover()
    catalog = Catalog()
    for name in tasks:
        note_folder_precedence(name)
    references = [reference for name in tasks for reference in catalog.expand(name)]
    several = len(tasks) > 1 or catalog.means_several(tasks[0])
    outputs: list[WhyOutput] = []
    codes: list[Exit] = []

    def show(output: WhyOutput) -> None:
        if format is Format.json:
            outputs.append(output)
        else:
            _print(output, several)

    options = WhyOptions(all, bounds, backend, search_limits(timeout, effort), proof, second, parse_given(given))
    is_local = jobs == 1 or len(references) == 1
    make = partial(_make_explainer, options, show if is_local else None)
    try:
        with end_early_on_interrupt() if len(references) == 1 else nullcontext(lambda: False) as pressed:
            for code, output, effort_text in map_with_messages(
                make, references, jobs, lambda _, code: _TaskExplanation(code)
            ):
                codes.append(code)
                if output is not None:
                    show(output)
                    note(effort_text)
    finally:
        if format is Format.json and (outputs or several):
            print_json(outputs if several else outputs[0])
    leave(Exit.INTERRUPTED if pressed() else worst_exit(codes))


@dataclass(frozen=True, slots=True)
class WhyOptions:
    """Options of `why` that are the same for every task.

    Attributes:
        all: whether to find every minimal conflict instead of one.
        bounds: whether bounds of the scope may be part of a conflict.
        backend: name of the back end.
        limits: limits for each task.
        proof: whether to prove each conflict, with a checked proof.
        second: whether a second back end may use the remaining time to confirm the result.
        given: new values of givens as YAML text, by the name of the given.
    """

    all: bool
    bounds: bool
    backend: str
    limits: Limits
    proof: bool = False
    second: bool = False
    given: Mapping[str, str] = field(default_factory=dict)


class _TaskExplanation(NamedTuple):
    """Result for a task.

    Attributes:
        output: the explanation; None if the task has errors.
        effort: text about the back ends used, the number of solver calls, and the time.
    """

    code: Exit
    output: WhyOutput | None = None
    effort: str = ""


def _make_explainer(
    options: WhyOptions, show_best: Callable[[WhyOutput], None] | None
) -> Callable[[TaskReference], _TaskExplanation]:
    return partial(_explain_or_report, options, show_best or (lambda _: None))


def _explain_or_report(
    options: WhyOptions, show_best: Callable[[WhyOutput], None], task: TaskReference
) -> _TaskExplanation:
    try:
        return _explain(options, show_best, str(task))
    except Exception as error:  # noqa: BLE001 the other tasks are explained whatever is wrong with this one
        return _TaskExplanation(report_failure(error))


def _explain(options: WhyOptions, show_best: Callable[[WhyOutput], None], task: str) -> _TaskExplanation:
    """Search for conflicts. If Ctrl-C ends the search, `show_best` gets the result so far."""
    from planspec.api.conflict_outputs import conflict_output
    from planspec.api.loading import load
    from planspec.api.proofs import why

    loaded = load(task, given=options.given)
    warn_if_no_scope(loaded)

    def show(conflict: Conflict) -> None:
        show_best(conflict_output(loaded, conflict))

    with (
        show_best_on_interrupt(show) as keep,
        show_spinner(f"{loaded.id}: searching for conflicts") as notify,
    ):

        def report_progress(conflict: Conflict) -> None:
            keep(conflict)
            notify(f"{len(conflict.mus_sets)} so far")

        conflict = why(
            loaded,
            all=options.all,
            backend=options.backend,
            limits=options.limits,
            bounds=options.bounds,
            on_progress=report_progress,
            second=options.second,
        )
    questions = (
        f"{conflict.asked} question{'s' * (conflict.asked != 1)}, " if conflict.mus_sets or conflict.core else ""
    )
    effort = f"({' and '.join(conflict.by or (options.backend,))}, {questions}{conflict.seconds:.2f} s)"
    output, code = conflict_output(loaded, conflict), _exit_code(conflict, options)
    if options.proof and conflict.mus_sets:
        with show_best_on_interrupt(show_best) as keep_output:
            keep_output(output)
            proofs = _prove_conflicts(loaded, conflict, options)
        output = output.model_copy(update={"proofs": proofs})
        code = code if len(proofs) == len(conflict.mus_sets) else worst_exit((code, Exit.UNDECIDED))
    return _TaskExplanation(code, output, effort)


def _prove_conflicts(task: Task, conflict: Conflict, options: WhyOptions) -> list[ConflictProofOutput]:
    """Return a proof for each minimal conflict in `conflict`.

    If a proof is not found in time, print a note and return the proofs so far.
    """
    from planspec.api.outputs.explanations import ConflictProofOutput
    from planspec.api.proofs import prove_conflicts
    from planspec.errors import LimitReachedError

    proofs: list[ConflictProofOutput] = []
    try:
        with show_spinner(f"{task.id}: searching for proofs"):
            for proof in prove_conflicts(task, conflict.mus_sets, bounds=options.bounds, limits=options.limits):
                proofs.append(ConflictProofOutput(steps=proof.steps, uses=list(proof.uses)))  # noqa: PERF401 - earlier proofs stay
    except LimitReachedError as limit:
        note(f"{task.id}: no proof of conflict {len(proofs) + 1}: {limit}")
    return proofs


def _exit_code(conflict: Conflict, options: WhyOptions) -> Exit:
    from planspec.api.search import Status

    if conflict.status is Status.INFEASIBLE:
        return Exit.HOLDS if conflict.mus_sets and (conflict.complete or not options.all) else Exit.UNDECIDED
    return Exit.UNDECIDED if conflict.status is Status.UNKNOWN else Exit.FAILS


def _print(output: WhyOutput, several: bool) -> None:
    from planspec.api.claim_outputs import opinions_in_words
    from planspec.api.proof_files import steps_in_words

    out = sys.stdout.write
    if output.status != "infeasible":
        undecided = f", {opinions_in_words(output.disagreement)}" if output.disagreement else ""
        out(f"{output.task}: {output.status}{undecided}\n")
        return
    out(f"{output.task}: " + style_text("infeasible", fg="red", bold=True) + "\n")
    words = output.words
    for number, mus in enumerate(output.mus, 1):
        out(f"\n{words.conflicts[number - 1]}.\n")
        for member in mus:
            _print_member(member, output.members[member])
        if number <= len(output.proofs):
            proof = output.proofs[number - 1]
            used = f"all {len(mus)}" if len(proof.uses) == len(mus) > 1 else ", ".join(proof.uses)
            out(f"  proof of {steps_in_words(proof.steps)}, checked; it uses {used}\n")
    if output.core:
        out(f"\n{words.core}:\n")
        for member in output.core:
            _print_member(member, output.members[member])
    if words.after:
        out(f"\n{words.after}\n")
    if output.relaxations:
        out(f"{words.ways}:\n")
        for relaxation in output.relaxations:
            amounts = {amount.member: amount for amount in relaxation.amounts}
            out(
                "  without "
                + " and ".join(_relaxation_text(m, output.members[m], amounts.get(m)) for m in relaxation.drop)
                + "\n"
            )
        if words.ways_after:
            out(f"  {words.ways_after}\n")
    elif words.ways:
        out(f"{words.ways}\n")
    if several:
        out("\n")


def _relaxation_text(id: str, member: MemberOutput, amount: AmountOutput | None) -> str:
    """Return a text for a constraint or bound in a way out (relaxation), with the amount of the relaxation."""
    from planspec.verifiers.meaning.margin import margin_text

    if amount is None:
        return id
    most = "" if amount.proved else "at most "
    if amount.stated is not None:
        return f"{id} ({most}{amount.needed} would do, not {amount.stated})"
    by = margin_text(amount.by, amount.unit).lstrip("+")
    return f"{id} ({most}{by} further)" if member.level == "bound" else f"{id} (missed by {most}{by})"


def _print_member(id: str, member: MemberOutput) -> None:
    from planspec.verifiers.meaning.verdict import shown_file_name

    where = style_text(f"{shown_file_name(member.file)}:{member.line}", dim=True)
    sys.stdout.write(f"  {style_text(f'{member.level:<10}', dim=True)}  {style_text(id, bold=True)}  {where}\n")
    for line in wrap(member.text, MAX_LINE_WIDTH, break_long_words=False, break_on_hyphens=False):
        sys.stdout.write(f"              {line}\n")
    if member.message is not None:
        sys.stdout.write(style_text(f"              broken: {member.message}", dim=True) + "\n")
