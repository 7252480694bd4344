"""`tighten`: availability taken away until one plan is the only one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planspec.commands.completion import answers, tasks_named
from planspec.commands.console import (
    CallError,
    Exit,
    Format,
    check_writable,
    leave,
    note,
    print_json,
    read_bytes,
)
from planspec.commands.progress import best_known, waiting
from planspec.commands.terminal import styled

if TYPE_CHECKING:
    from planspec.api.outputs import TightenOutput
    from planspec.api.tightening import TaskFile
    from planspec.solvers.questions.tighten import Tightening


def tighten(
    task: Annotated[
        str, typer.Argument(help="A task's file or id.", metavar="TASK", autocompletion=tasks_named)
    ],
    keep: Annotated[
        str,
        typer.Option(help="The answer that shall be the only one.", metavar="PLAN", autocompletion=answers),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="The file of the new task.", metavar="TASK")],
    remove: Annotated[
        str | None, typer.Option(help="Tables to take rows from, instead of those marked `removable:`.")
    ] = None,
    spare: Annotated[
        list[str] | None, typer.Option(help="Rows to keep, such as `Slot[tv_tower]`; may be repeated.")
    ] = None,
    timeout: Annotated[
        float, typer.Option(help="Time limit of the search, in seconds.", metavar="SECONDS", min=0.001)
    ] = 300.0,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Leave rows out until a plan is the only one.

    Leaves out as few rows as possible, proved by both back ends.

    The new task names them under `without:`; its world stays as it is.
    """
    from planspec.api.catalog import Catalog
    from planspec.api.loading import load
    from planspec.api.tightening import TaskFile
    from planspec.families.registry import family_of
    from planspec.solvers.backends.outcome import Limits, Status
    from planspec.verifiers.answers.envelope import Undelivered, read_answer

    catalog = Catalog()
    path = catalog.task(task)
    if output.suffix not in (".yaml", ".yml"):
        raise CallError(f"the new task is a YAML file, and `{output}` is not called so")
    check_writable(output)
    if output.exists() and output.resolve() == path.resolve():
        raise CallError("the new task would take the place of the old one: give it another file")
    lists = family_of(load(path, workspace=catalog.workspace).family).format.load().lists
    read = read_answer(read_bytes(keep, "the plan to keep"), lists=lists)
    if isinstance(read, Undelivered):
        raise CallError(f"the plan to keep cannot be read: {read.reason}")
    file = TaskFile(path, read.plan)

    def show(best: Tightening) -> None:
        _print(_output(file, best), format)

    rows = file.removable((remove or "").replace(",", " ").split(), spare or ())
    with best_known(show) as kept, waiting(f"{file.task.id}: searching for other plans") as say:

        def known(best: Tightening) -> None:
            kept(best)
            say(f"{len(best.removed)} rows have to go so far")

        found = file.tighten(rows, limits=Limits(seconds=timeout), known=known)
    found = file.settle(found, output)
    if found.status in (Status.OPTIMAL, Status.FEASIBLE):
        note(f"written to {output}, with the kept plan beside it as its reference")
    show(found)
    leave({Status.INFEASIBLE: Exit.FAILS, Status.UNKNOWN: Exit.UNDECIDED}.get(found.status, Exit.HOLDS))


def _output(file: TaskFile, found: Tightening) -> TightenOutput:
    from planspec.api.outputs import DifferenceOutput, RemovedOutput, TightenOutput, UniqueOutput
    from planspec.commands.claims import claim_output
    from planspec.solvers.backends.outcome import Status
    from planspec.verifiers.meaning.differences import differences

    words = {Status.INFEASIBLE: "impossible", Status.UNKNOWN: "unknown"}
    status = words.get(found.status, "tightened" if found.removed else "already-unique")
    unique = None
    if found.validation is not None:
        claim = claim_output(found.validation.unique)
        unique = UniqueOutput(status=claim.status, backends=claim.backends)
    free = []
    if found.other is not None:
        free = [DifferenceOutput.of(d) for d in differences(file.task, file.plan, found.other)]
    return TightenOutput(
        task=file.task.id, status=status,  # type: ignore[arg-type]
        removed=[
            RemovedOutput(table=row.table, row=dict(row.cells))
            for row in (found.removed if status != "impossible" else ())
        ],
        proved_smallest=found.smallest, unique=unique, free=free,
    )  # fmt: skip


def _print(made: TightenOutput, format: Format) -> None:
    if format is Format.json:
        print_json(made)
        return
    out = sys.stdout.write
    rows = f"{len(made.removed)} row{'s' * (len(made.removed) != 1)}"
    proved = ", proved smallest" if made.proved_smallest else ", not proved smallest" if made.unique else ""
    if made.status == "impossible":
        out(f"{made.task}: {styled('impossible', bold=True)}; nothing is written\n")
    elif made.unique is None:
        out(f"{made.task}: {styled(made.status, bold=True)}; nothing is written\n")
    else:
        out(f"{made.task}: {styled(made.status, bold=True)}, {rows} left out{proved}\n")
    for row in made.removed:
        out(f"  {row.table}  {', '.join(f'{name} {value}' for name, value in row.row.items())}\n")
    if made.unique is not None:
        who = ", ".join(f"{n} {b.status} {b.seconds:.2f} s" for n, b in made.unique.backends.items())
        within = " within the scope" if made.unique.status == "unique" else ""
        out(f"{made.unique.status}{within} ({who})\n")
    if made.free:
        out(
            "whatever rows go, some other plan stays or the one to keep goes with it; add a rule, or mark other tables\n"
        )
        out("as `removable`. One that is too near:\n")
        for free in made.free:
            out(f"  {free.said}\n")
