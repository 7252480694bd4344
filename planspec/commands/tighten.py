"""`tighten`: availability taken away until one plan is the only one."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from planspec.commands.completion import answers, documents
from planspec.commands.console import (
    CallError,
    Exit,
    Format,
    check_writable,
    leave,
    note,
    note_folder,
    print_json,
    read_bytes,
    tell_failure,
    worst,
)
from planspec.commands.jobs import NumberOfJobs, each
from planspec.commands.progress import best_known, waiting
from planspec.commands.search_limits import Effort, search_limits, timeout_option
from planspec.commands.terminal import styled

if TYPE_CHECKING:
    from planspec.api.catalog import Catalog, TaskReference
    from planspec.api.outputs.explanations import TightenOutput
    from planspec.api.tightening import TightenableTask
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.questions.tighten import Tightening


@dataclass(frozen=True, slots=True)
class TightenOptions:
    """The options for every task: tables to take rows from, rows to keep, limits."""

    remove: tuple[str, ...]
    spare: tuple[str, ...]
    limits: Limits


def tighten(
    task: Annotated[
        str,
        typer.Argument(
            help="A task; or a suite or folder, whose tasks keep their references.",
            metavar="TASK|SUITE",
            autocompletion=documents,
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            help="The file of the new task; for a suite the folder of the new tasks.",
            metavar="NEW",
        ),
    ],
    keep: Annotated[
        str | None,
        typer.Option(
            help="The answer that shall be a task's only one.",
            metavar="PLAN",
            show_default=False,
            autocompletion=answers,
        ),
    ] = None,
    remove: Annotated[
        str | None, typer.Option(help="Tables to take rows from, instead of those marked `removable:`.")
    ] = None,
    spare: Annotated[
        list[str] | None, typer.Option(help="Rows to keep, such as `Slot[tv_tower]`; may be repeated.")
    ] = None,
    timeout: Annotated[float | None, timeout_option("each task's search", 300.0)] = None,
    effort: Effort = None,
    jobs: NumberOfJobs = 1,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Leave rows out until a plan is the only one.

    Leaves out as few rows as possible, proved by both back ends.

    The new task names them under `without:`; its world stays as it is. JSON is one object for a task, a list for a suite.
    """
    from planspec.api.catalog import Catalog

    wanted = TightenOptions(
        tuple((remove or "").replace(",", " ").split()),
        tuple(spare or ()),
        search_limits(timeout, effort, 300.0),
    )
    catalog = Catalog()
    note_folder(task)
    if catalog.means_several(task):
        _tighten_suite(catalog, task, keep, output, wanted, jobs, format)
    if keep is None:
        raise CallError("name the answer that shall be the only one with --keep PLAN")
    file = _named_task(catalog, task, keep, output)

    def show(made: TightenOutput) -> None:
        _print(made, format)

    code, made = _tightened(file, output, wanted, show)
    show(made)
    leave(code)


def _named_task(catalog: Catalog, task: str, keep: str, output: Path) -> TightenableTask:
    """The task of a call, with the answer to keep.

    Raises:
        CallError: the answer cannot be read, or the new task cannot be written there.
    """
    from planspec.api.loading import load
    from planspec.api.tightening import TightenableTask
    from planspec.families.registry import family_of
    from planspec.verifiers.answers.envelope import Undelivered, read_answer

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
    return TightenableTask(path, read.plan)


def _tighten_suite(
    catalog: Catalog,
    suite: str,
    keep: str | None,
    output: Path,
    wanted: TightenOptions,
    jobs: int,
    format: Format,
) -> NoReturn:
    if keep is not None:
        raise CallError("the tasks of a suite keep their own references: leave --keep out")
    if output.suffix in (".yaml", ".yml") or (output.exists() and not output.is_dir()):
        raise CallError(f"the new tasks of a suite stand in a folder, and `{output}` is a file")
    tasks = catalog.expand(suite)
    if output.resolve() in {task.path.parent.resolve() for task in tasks}:
        raise CallError("the new tasks would take the places of the old ones: give them another folder")
    if len(set(map(_file_name, tasks))) < len(tasks):
        raise CallError("two tasks of the suite have files of one name, and so would the new ones")
    output.mkdir(parents=True, exist_ok=True)
    codes: list[Exit] = []
    made: list[TightenOutput] = []
    make = partial(_tightening, output, wanted)
    for code, one in each(make, tasks, jobs, lambda _, code: (code, None)):
        codes.append(code)
        if one is None:
            continue
        made.append(one)
        if format is Format.text:
            _print(one, format)
    if format is Format.json:
        print_json(made)
    leave(worst(codes))


def _tightening(
    folder: Path, wanted: TightenOptions
) -> Callable[[TaskReference], tuple[Exit, TightenOutput | None]]:
    """Tightens task after task."""
    return partial(_tightened_reference, folder, wanted)


def _tightened_reference(
    folder: Path, wanted: TightenOptions, task: TaskReference
) -> tuple[Exit, TightenOutput | None]:
    """A task of a suite, tightened until its reference is the only plan."""
    from planspec.api.loading import load
    from planspec.api.tightening import TightenableTask

    try:
        reference = load(str(task)).reference
        if not isinstance(reference, Mapping):
            raise CallError(f"{task}: there is no reference to keep")
        file = TightenableTask(task.path, reference)
        return _tightened(file, folder / _file_name(task), wanted, lambda _: None)
    except Exception as error:  # noqa: BLE001 whatever is wrong with a task, the others are tightened
        return tell_failure(error), None


def _file_name(task: TaskReference) -> str:
    """The name of the new task's file in its folder: the old one's, or for a task of a shard its id."""
    from planspec.api.tightening import file_id
    from planspec.dsl.workspace.shards import shard_of

    inside = shard_of(task.path)
    return f"{file_id(task.path) if inside is None else inside[1]}.task.yaml"


def _tightened(
    file: TightenableTask, output: Path, wanted: TightenOptions, best: Callable[[TightenOutput], None]
) -> tuple[Exit, TightenOutput]:
    """What became of a task; `best` shows what is known of it if Ctrl-C ends the search."""
    from planspec.solvers.backends.outcome import Status

    rows = file.removable(wanted.remove, wanted.spare)

    def show(found: Tightening) -> None:
        best(_output(file, found))

    with (
        best_known(show) as kept,
        waiting(f"{file.task.id}: searching for other plans") as say,
    ):

        def known(found: Tightening) -> None:
            kept(found)
            say(f"{len(found.removed)} rows have to go so far")

        found = file.tighten(rows, limits=wanted.limits, on_better=known)
    found = file.settle(found, output)
    if found.status in (Status.OPTIMAL, Status.FEASIBLE):
        note(f"written to {output}, with the kept plan beside it as its reference")
    code = {Status.INFEASIBLE: Exit.FAILS, Status.UNKNOWN: Exit.UNDECIDED}.get(found.status, Exit.HOLDS)
    return code, _output(file, found)


def _output(file: TightenableTask, found: Tightening) -> TightenOutput:
    from planspec.api.claim_outputs import claim_output
    from planspec.api.outputs.claims import DifferenceOutput, UniqueOutput
    from planspec.api.outputs.explanations import RemovedOutput, TightenOutput
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
        by=[] if unique is None else [name for name, claim in unique.backends.items() if claim.status == "unique"],
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
