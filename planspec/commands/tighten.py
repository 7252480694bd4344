"""`tighten`: removes facts until a given plan is the only one."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from planspec.commands.completion import complete_answers, complete_documents
from planspec.commands.console import (
    CommandLineError,
    Exit,
    Format,
    GivenValues,
    check_writable,
    leave,
    note,
    note_folder_precedence,
    parse_given,
    print_json,
    read_bytes,
    report_failure,
    worst_exit,
)
from planspec.commands.jobs import NumberOfJobs, map_with_messages
from planspec.commands.progress import show_best_on_interrupt, show_spinner
from planspec.commands.search_limits import EffortLimit, Workers, search_limits, timeout_option
from planspec.commands.terminal import style_text

if TYPE_CHECKING:
    from planspec.api.catalog import Catalog, TaskReference
    from planspec.api.outputs.explanations import TightenOutput
    from planspec.api.search import Limits, Tightening
    from planspec.api.tightening import TightenableTask


@dataclass(frozen=True, slots=True)
class TightenOptions:
    """Options that are the same for every task.

    Attributes:
        remove: tables from which to remove rows; empty for those marked `removable:`.
        spare: rows to keep, such as `Slot[tv_tower]`.
        limits: limits of each task's search.
        given: new values of givens as YAML text, by the name of the given.
    """

    remove: tuple[str, ...]
    spare: tuple[str, ...]
    limits: Limits
    given: Mapping[str, str]


def tighten(
    task: Annotated[
        str,
        typer.Argument(
            help="A task; or a suite or folder of tasks, which keep their own references.",
            metavar="TASK|SUITE",
            autocompletion=complete_documents,
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            help="The file of the new task; for a suite, the folder of the new tasks.",
            metavar="NEW",
        ),
    ],
    keep: Annotated[
        str | None,
        typer.Option(
            help="The answer that should become the task's only one.",
            metavar="PLAN",
            show_default=False,
            autocompletion=complete_answers,
        ),
    ] = None,
    remove: Annotated[
        str | None, typer.Option(help="Tables to remove rows from, instead of those marked `removable:`.")
    ] = None,
    spare: Annotated[
        list[str] | None, typer.Option(help="Rows to keep, such as `Slot[tv_tower]`; may be repeated.")
    ] = None,
    timeout: Annotated[float | None, timeout_option("each task's search", 300.0)] = None,
    effort: EffortLimit = None,
    workers: Workers = 1,
    jobs: NumberOfJobs = 1,
    given: GivenValues = None,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Remove facts until the plan is unique.

    Removes the fewest rows, or few if time runs out. CP-SAT and Z3 prove that no other plan is left.

    The new task lists the removed rows under `without:` and has the values of `--given`; the world is unchanged. JSON
    is one object for a task, a list for a suite.
    """
    from planspec.api.catalog import Catalog

    options = TightenOptions(
        tuple((remove or "").replace(",", " ").split()),
        tuple(spare or ()),
        search_limits(timeout, effort, 300.0, workers),
        parse_given(given),
    )
    catalog = Catalog()
    note_folder_precedence(task)
    if catalog.means_several(task):
        _tighten_suite(catalog, task, keep, output, options, jobs, format)
    if keep is None:
        raise CommandLineError("name the answer that should become the only one with --keep PLAN")
    file = _load_named_task(catalog, task, keep, output, options.given)

    def show(result: TightenOutput) -> None:
        _print(result, format)

    code, result = _tighten_task(file, output, options, show)
    show(result)
    leave(code)


def _load_named_task(catalog: Catalog, task: str, keep: str, output: Path, given: Mapping[str, str]) -> TightenableTask:
    """Load the task named on the command line, with the answer to keep.

    Raises:
        CommandLineError: the answer cannot be read, or the new task cannot be written to the output.
    """
    from planspec.api.loading import load
    from planspec.api.tightening import TightenableTask
    from planspec.family.registry import family_of
    from planspec.verifiers.answers.envelope import Undelivered, read_answer

    path = catalog.task(task)
    if output.suffix not in (".yaml", ".yml"):
        raise CommandLineError(f"the new task is a YAML file, and `{output}` does not end with .yaml or .yml")
    check_writable(output)
    if output.exists() and output.resolve() == path.resolve():
        raise CommandLineError("the new task would overwrite the old one: choose another file")
    lists = family_of(load(path, workspace=catalog.workspace).family).format.load().lists
    answer = read_answer(read_bytes(keep, "the plan to keep"), lists=lists)
    if isinstance(answer, Undelivered):
        raise CommandLineError(f"the plan to keep cannot be read: {answer.reason}")
    return TightenableTask(path, answer.plan, given=given)


def _tighten_suite(
    catalog: Catalog,
    suite: str,
    keep: str | None,
    output: Path,
    options: TightenOptions,
    jobs: int,
    format: Format,
) -> NoReturn:
    if keep is not None:
        raise CommandLineError("the tasks of a suite keep their own references: leave out --keep")
    if output.suffix in (".yaml", ".yml") or (output.exists() and not output.is_dir()):
        raise CommandLineError(f"the new tasks of a suite are written to a folder, and `{output}` is a file")
    tasks = catalog.expand(suite)
    if output.resolve() in {task.path.parent.resolve() for task in tasks}:
        raise CommandLineError("the new tasks would overwrite the old ones: choose another folder")
    if len(set(map(_new_file_name, tasks))) < len(tasks):
        raise CommandLineError("two tasks of the suite have the same file name, and so would the new ones")
    output.mkdir(parents=True, exist_ok=True)
    codes: list[Exit] = []
    results: list[TightenOutput] = []
    make = partial(_make_tightener, output, options)
    for code, one in map_with_messages(make, tasks, jobs, lambda _, code: (code, None)):
        codes.append(code)
        if one is None:
            continue
        results.append(one)
        if format is Format.text:
            _print(one, format)
    if format is Format.json:
        print_json(results)
    leave(worst_exit(codes))


def _make_tightener(
    folder: Path, options: TightenOptions
) -> Callable[[TaskReference], tuple[Exit, TightenOutput | None]]:
    return partial(_tighten_reference, folder, options)


def _tighten_reference(folder: Path, options: TightenOptions, task: TaskReference) -> tuple[Exit, TightenOutput | None]:
    """Tighten a task of a suite until its reference is the only plan."""
    from planspec.api.judging import Judge
    from planspec.api.loading import load
    from planspec.api.tightening import TightenableTask

    try:
        reference = Judge(load(str(task))).reference_data()
        if not isinstance(reference, Mapping):
            raise CommandLineError(f"{task}: there is no reference to keep")
        file = TightenableTask(task.path, reference, given=options.given)
        return _tighten_task(file, folder / _new_file_name(task), options, lambda _: None)
    except Exception as error:  # noqa: BLE001 the other tasks are tightened whatever is wrong with this one
        return report_failure(error), None


def _new_file_name(task: TaskReference) -> str:
    """Return the name of the old file for the new task or, if that file has several tasks, a name from the task's id."""
    from planspec.api.tightening import file_id
    from planspec.dsl.workspace.shards import split_task_path
    from planspec.files import id_as_file_name

    inside = split_task_path(task.path)
    return f"{file_id(task.path) if inside is None else id_as_file_name(inside[1])}.task.yaml"


def _tighten_task(
    file: TightenableTask, output: Path, options: TightenOptions, show_best: Callable[[TightenOutput], None]
) -> tuple[Exit, TightenOutput]:
    """Tighten a task. If Ctrl-C ends the search, `show_best` gets the best result so far."""
    from planspec.api.search import Status
    from planspec.api.search_outputs import tighten_output

    rows = file.removable(options.remove, options.spare)

    def show(result: Tightening) -> None:
        show_best(tighten_output(file, result))

    with (
        show_best_on_interrupt(show) as keep,
        show_spinner(f"{file.task.id}: searching for other plans") as notify,
    ):

        def report_progress(result: Tightening) -> None:
            keep(result)
            notify(f"{len(result.removed)} rows removed so far")

        result = file.tighten(rows, limits=options.limits, on_better=report_progress)
    result = file.settle(result, output)
    if result.status in (Status.OPTIMAL, Status.FEASIBLE):
        note(f"written to {output}, with the kept plan beside it as its reference")
    code = {Status.INFEASIBLE: Exit.FAILS, Status.UNKNOWN: Exit.UNDECIDED}.get(result.status, Exit.HOLDS)
    return code, tighten_output(file, result)


def _print(output: TightenOutput, format: Format) -> None:
    if format is Format.json:
        print_json(output)
        return
    out = sys.stdout.write
    rows = f"{len(output.removed)} row{'s' * (len(output.removed) != 1)}"
    proved = ", proved smallest" if output.proved_smallest else ", not proved smallest" if output.unique else ""
    if output.status == "impossible":
        out(f"{output.task}: {style_text('impossible', bold=True)}; nothing is written\n")
    elif output.unique is None:
        out(f"{output.task}: {style_text(output.status, bold=True)}; nothing is written\n")
    else:
        out(f"{output.task}: {style_text(output.status, bold=True)}, {rows} left out{proved}\n")
    for row in output.removed:
        out(f"  {row.table}  {', '.join(f'{name} {value}' for name, value in row.row.items())}\n")
    if output.unique is not None:
        who = ", ".join(f"{n} {b.status} {b.seconds:.2f} s" for n, b in output.unique.backends.items())
        within = " within the scope" if output.unique.status == "unique" else ""
        out(f"{output.unique.status}{within} ({who})\n")
    if output.free:
        out(
            "no removal of rows makes the plan unique: another plan always stays, or this one goes too. Add a rule, or mark\n"
        )
        out("other tables as `removable`. One of the other plans differs by:\n")
        for free in output.free:
            out(f"  {free.said}\n")
