"""`why`: conflicts among an infeasible task's rules, in the author's words."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from planspec.commands.completion import backends_named, documents
from planspec.commands.console import (
    WIDEST,
    Exit,
    Format,
    known_backend,
    leave,
    note,
    note_folder,
    print_json,
    tell_failure,
    warn_without_scope,
    worst,
)
from planspec.commands.jobs import NumberOfJobs, each
from planspec.commands.progress import best_known, ending_early, waiting
from planspec.commands.search_limits import Effort, Second, search_limits, timeout_option
from planspec.commands.terminal import styled

if TYPE_CHECKING:
    from collections.abc import Callable

    from planspec.api.catalog import TaskReference
    from planspec.api.outputs.explanations import AmountOutput, ConflictProofOutput, MemberOutput, WhyOutput
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.questions.conflicts import Conflict
    from planspec.verifiers.meaning.ground import Ground


def why(
    tasks: Annotated[
        list[str],
        typer.Argument(help="Tasks, suites or folders.", metavar="TASK|SUITE...", autocompletion=documents),
    ],
    all: Annotated[bool, typer.Option("--all", help="Find every minimal conflict, not only one.")] = False,
    bounds: Annotated[
        bool, typer.Option(help="Let the scope's bounds be part of a conflict, or not.")
    ] = True,
    backend: Annotated[
        str, typer.Option(help="cpsat, smt, sat or brute.", autocompletion=backends_named)
    ] = "cpsat",
    proof: Annotated[
        bool,
        typer.Option("--proof", help="Prove each conflict, too, and check the proof without a solver."),
    ] = False,
    timeout: Annotated[float | None, timeout_option("each task")] = None,
    effort: Effort = None,
    second: Second = False,
    jobs: NumberOfJobs = 1,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Explain why a task has no plan.

    Prints minimal conflicts, and the cheapest ways out: what has to be given up, and by how much.

    Exits 0 if a conflict is explained, 1 if there is a plan, 3 if time ran out before. JSON is one object for a task,
    a list for a suite or several tasks.
    """
    from planspec.api.catalog import Catalog

    known_backend(backend)
    if proof:
        from planspec.solvers.proofs.refutation import require_prover

        require_prover()
    catalog = Catalog()
    for name in tasks:
        note_folder(name)
    found = [named for name in tasks for named in catalog.expand(name)]
    several = len(tasks) > 1 or catalog.means_several(tasks[0])
    made: list[WhyOutput] = []
    codes: list[Exit] = []

    def show(output: WhyOutput) -> None:
        if format is Format.json:
            made.append(output)
        else:
            _print(output, several)

    wanted = WhyOptions(all, bounds, backend, search_limits(timeout, effort), proof, second)
    here = jobs == 1 or len(found) == 1
    make = partial(_explaining, wanted, show if here else None)
    try:
        with ending_early() if len(found) == 1 else nullcontext(lambda: False) as pressed:
            for code, output, asked in each(make, found, jobs, lambda _, code: _Explained(code)):
                codes.append(code)
                if output is not None:
                    show(output)
                    note(asked)
    finally:
        if format is Format.json and (made or several):
            print_json(made if several else made[0])
    leave(Exit.INTERRUPTED if pressed() else worst(codes))


@dataclass(frozen=True, slots=True)
class WhyOptions:
    """The options for every task."""

    all: bool
    bounds: bool
    backend: str
    limits: Limits
    proof: bool = False
    second: bool = False


class _Explained(NamedTuple):
    """What is known of a task.

    Attributes:
        output: None where something is wrong with the task.
        effort: who was asked, how often, and for how long.
    """

    code: Exit
    output: WhyOutput | None = None
    effort: str = ""


def _explaining(
    wanted: WhyOptions, best: Callable[[WhyOutput], None] | None
) -> Callable[[TaskReference], _Explained]:
    """Explains task after task; `best` shows what is known of one if Ctrl-C ends it."""
    return partial(_explained, wanted, best or (lambda _: None))


def _explained(wanted: WhyOptions, best: Callable[[WhyOutput], None], task: TaskReference) -> _Explained:
    try:
        return _conflict(wanted, best, str(task))
    except Exception as error:  # noqa: BLE001 whatever is wrong with a task, the others are explained
        return _Explained(tell_failure(error))


def _conflict(wanted: WhyOptions, best: Callable[[WhyOutput], None], task: str) -> _Explained:
    from planspec.api.conflict_outputs import conflict_output
    from planspec.api.loading import load
    from planspec.solvers.questions import conflicts as search
    from planspec.verifiers.meaning.ground import ground

    made = ground(load(task))
    warn_without_scope(made.task)

    def told(found: Conflict) -> None:
        best(conflict_output(made.task, found))

    with best_known(told) as keep, waiting(f"{made.task.id}: searching for conflicts") as say:

        def known(found: Conflict) -> None:
            keep(found)
            say(f"{len(found.mus_sets)} so far")

        found = search.why(
            made, every=wanted.all, backend=wanted.backend, limits=wanted.limits,
            bounds=wanted.bounds, on_progress=known, second=wanted.second,
        )  # fmt: skip
    questions = f"{found.asked} question{'s' * (found.asked != 1)}, " if found.mus_sets or found.core else ""
    effort = f"({' and '.join(found.by or (wanted.backend,))}, {questions}{found.seconds:.2f} s)"
    output, code = conflict_output(made.task, found), _code(found, wanted)
    if wanted.proof and found.mus_sets:
        with best_known(best) as keep_output:
            keep_output(output)
            proofs = _proofs(made, found, wanted)
        output = output.model_copy(update={"proofs": proofs})
        code = code if len(proofs) == len(found.mus_sets) else worst((code, Exit.UNDECIDED))
    return _Explained(code, output, effort)


def _proofs(ground: Ground, found: Conflict, wanted: WhyOptions) -> list[ConflictProofOutput]:
    """The proofs of conflicts, up to one that is not found in time, which is said."""
    from planspec.api.outputs.explanations import ConflictProofOutput
    from planspec.errors import LimitReachedError
    from planspec.solvers.proofs.conflict_proofs import prove_conflicts

    made: list[ConflictProofOutput] = []
    try:
        with waiting(f"{ground.task.id}: searching for proofs"):
            for proof in prove_conflicts(ground, found.mus_sets, bounds=wanted.bounds, limits=wanted.limits):
                made.append(ConflictProofOutput(steps=proof.steps, uses=list(proof.uses)))  # noqa: PERF401 - those before a limit stay
    except LimitReachedError as limit:
        note(f"{ground.task.id}: no proof of conflict {len(made) + 1}: {limit}")
    return made


def _code(found: Conflict, wanted: WhyOptions) -> Exit:
    from planspec.solvers.backends.outcome import Status

    if found.status is Status.INFEASIBLE:
        return Exit.HOLDS if found.mus_sets and (found.complete or not wanted.all) else Exit.UNDECIDED
    return Exit.UNDECIDED if found.status is Status.UNKNOWN else Exit.FAILS


def _print(made: WhyOutput, several: bool) -> None:
    from planspec.api.claim_outputs import opinions_in_words
    from planspec.api.proof_files import steps_in_words

    out = sys.stdout.write
    if made.status != "infeasible":
        undecided = f", {opinions_in_words(made.disagreement)}" if made.disagreement else ""
        out(f"{made.task}: {made.status}{undecided}\n")
        return
    out(f"{made.task}: " + styled("infeasible", fg="red", bold=True) + "\n")
    words = made.words
    for number, mus in enumerate(made.mus, 1):
        out(f"\n{words.conflicts[number - 1]}.\n")
        for member in mus:
            _print_member(member, made.members[member])
        if number <= len(made.proofs):
            proof = made.proofs[number - 1]
            used = f"all {len(mus)}" if len(proof.uses) == len(mus) > 1 else ", ".join(proof.uses)
            out(f"  proof of {steps_in_words(proof.steps)}, checked; it uses {used}\n")
    if made.core:
        out(f"\n{words.core}:\n")
        for member in made.core:
            _print_member(member, made.members[member])
    if words.after:
        out(f"\n{words.after}\n")
    if made.relaxations:
        out(f"{words.ways}:\n")
        for relaxation in made.relaxations:
            amounts = {amount.member: amount for amount in relaxation.amounts}
            out(
                "  without "
                + " and ".join(_way(m, made.members[m], amounts.get(m)) for m in relaxation.drop)
                + "\n"
            )
        if words.ways_after:
            out(f"  {words.ways_after}\n")
    elif words.ways:
        out(f"{words.ways}\n")
    if several:
        out("\n")


def _way(id: str, member: MemberOutput, amount: AmountOutput | None) -> str:
    """A member of a way out, with how much of it is needed."""
    from planspec.verifiers.meaning.margin import in_words

    if amount is None:
        return id
    most = "" if amount.proved else "at most "
    if amount.stated is not None:
        return f"{id} ({most}{amount.needed} would do, not {amount.stated})"
    by = in_words(amount.by, amount.unit).lstrip("+")
    return f"{id} ({most}{by} further)" if member.level == "bound" else f"{id} (missed by {most}{by})"


def _print_member(id: str, member: MemberOutput) -> None:
    from planspec.verifiers.meaning.verdict_text import file_name

    where = styled(f"{file_name(member.file)}:{member.line}", dim=True)
    sys.stdout.write(f"  {styled(f'{member.level:<10}', dim=True)}  {styled(id, bold=True)}  {where}\n")
    for line in wrap(member.text, WIDEST, break_long_words=False, break_on_hyphens=False):
        sys.stdout.write(f"              {line}\n")
    if member.message is not None:
        sys.stdout.write(styled(f"              broken: {member.message}", dim=True) + "\n")
