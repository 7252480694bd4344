"""`why`: conflicts among an infeasible task's rules, in the author's words."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planspec.commands.completing import backends_named, tasks_named
from planspec.commands.console import (
    Exit,
    Format,
    known_backend,
    leave,
    note,
    one_line,
    print_json,
    warn_without_scope,
)
from planspec.commands.terminal import styled
from planspec.commands.waiting import best_known, waiting

if TYPE_CHECKING:
    from planspec.dsl.source import Span
    from planspec.solvers.why import Conflict, Member


def why(
    task: Annotated[
        str, typer.Argument(help="A task's file or id.", metavar="TASK", autocompletion=tasks_named)
    ],
    all: Annotated[bool, typer.Option("--all", help="Every minimal conflict, not only one.")] = False,
    bounds: Annotated[
        bool, typer.Option(help="Whether the scope's own bounds may be part of a conflict.")
    ] = True,
    backend: Annotated[
        str, typer.Option(help="cpsat, smt or brute.", autocompletion=backends_named)
    ] = "cpsat",
    timeout: Annotated[
        float,
        typer.Option(help="Time limit of the whole question, in seconds.", metavar="SECONDS", min=0.001),
    ] = 60.0,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Explain why a task has no plan.

    Minimal conflicts, and the least that has to be given up.

    Exits 0 where a conflict is explained, 1 where there is a plan, 3 where time ran out before.
    """
    from planspec.api import load
    from planspec.solvers import why as search
    from planspec.solvers.outcome import Limits, Status
    from planspec.verifiers.ground import ground

    known_backend(backend)
    made = ground(load(task))
    warn_without_scope(made.task)

    def show(found: Conflict) -> None:
        if format is Format.json:
            print_json(_output(made.task.id, found))
        else:
            _print(made.task.id, found, backend)

    with best_known(show) as keep, waiting(f"{made.task.id}: searching for conflicts") as say:

        def known(found: Conflict) -> None:
            keep(found)
            say(f"{len(found.muses)} so far")

        found = search.why(
            made, all=all, backend=backend, limits=Limits(seconds=timeout), bounds=bounds, known=known
        )
    show(found)
    explained = bool(found.muses) and (found.complete or not all)
    leave(
        {Status.INFEASIBLE: Exit.HOLDS if explained else Exit.UNDECIDED, Status.UNKNOWN: Exit.UNDECIDED}.get(
            found.status, Exit.FAILS
        )
    )


def _output(task: str, found: Conflict) -> Any:
    from planspec.outputs import RelaxationOutput, WhyOutput

    return WhyOutput(
        task=task, status=_word(found), mus=[[m.id for m in mus] for mus in found.muses], complete=found.complete,
        relaxations=[RelaxationOutput(drop=[m.id for m in r.drop], weight=r.weight) for r in found.relaxations],
    )  # fmt: skip


def _word(found: Conflict) -> Any:
    from planspec.solvers.outcome import Status

    return "feasible" if found.status is Status.OPTIMAL else found.status.value


def _print(task: str, found: Conflict, backend: str) -> None:
    from planspec.solvers.outcome import Status

    out = sys.stdout.write
    if found.status is not Status.INFEASIBLE:
        out(f"{task}: {_word(found)}\n")
        note(f"({backend}, {found.seconds:.2f} s)")
        return
    out(f"{task}: " + styled("infeasible", fg="red", bold=True) + "\n")
    for number, mus in enumerate(found.muses, 1):
        count = f" {number} of {len(found.muses)}" if len(found.muses) > 1 else ""
        if not mus:
            out("\nNo plan has the shape that the tables ask for, whatever the rules say.\n")
            continue
        out(
            f"\nConflict{count}: these {len(mus)} cannot all hold, and any {len(mus) - 1} of them can.\n"
            if len(mus) > 2
            else f"\nConflict{count}: these two cannot both hold, and each alone can.\n"
            if len(mus) == 2
            else f"\nConflict{count}: this alone cannot hold.\n"
        )
        for member in mus:
            _print_member(member)
    if found.core:
        out(f"\nTime ran out before a smallest conflict was proved; it is among these {len(found.core)}:\n")
        for member in found.core:
            _print_member(member)
    elif found.muses:
        out("\nThere is no other conflict.\n" if found.complete else "\nThere may be other conflicts.\n")
    if found.relaxations:
        weight = found.relaxations[0].weight
        out(f"Cheapest ways out (weight {weight}):\n")
        for relaxation in found.relaxations:
            out("  without " + " and ".join(m.id for m in relaxation.drop) + "\n")
        if not found.relaxed:
            out("  and maybe others\n")
    elif found.muses and any(found.muses):
        out("Time ran out before the cheapest way out was proved.\n")
    note(f"({backend}, {found.asked} question{'s' * (found.asked != 1)}, {found.seconds:.2f} s)")


def _print_member(member: Member) -> None:
    level = "bound" if member.instance is None else "hard"
    sys.stdout.write(f"  {styled(f'{level:<5}', dim=True)}  {styled(member.id, bold=True)}\n")
    sys.stdout.write(f"         {one_line(member.span)}  {styled(place(member.span), dim=True)}\n")


def place(span: Span) -> str:
    """`tasks/x.task.yaml:21`."""
    from planspec.verifiers.verdict import SourcePlace

    where = SourcePlace.of(span)
    return f"{where.file}:{where.line}"
