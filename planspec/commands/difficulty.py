"""`difficulty`: how hard tasks are."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from planspec.commands.completion import complete_documents
from planspec.commands.console import (
    Exit,
    Format,
    GivenValues,
    leave,
    note_folder_precedence,
    parse_given,
    print_json,
    report_failure,
    worst_exit,
)
from planspec.commands.jobs import NumberOfJobs, map_with_messages
from planspec.commands.progress import show_spinner
from planspec.commands.search_limits import EffortLimit, SecondBackend, search_limits, timeout_option
from planspec.commands.terminal import style_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from planspec.api.catalog import TaskReference
    from planspec.api.outputs.explanations import DifficultyOutput
    from planspec.api.search import Limits


def difficulty(
    name: Annotated[
        str,
        typer.Argument(help="A task, suite or folder.", metavar="TASK|SUITE", autocompletion=complete_documents),
    ],
    most: Annotated[int, typer.Option(help="Stop counting plans at this number.", min=1)] = 100,
    timeout: Annotated[float | None, timeout_option("each task")] = None,
    effort: EffortLimit = None,
    second: SecondBackend = False,
    jobs: NumberOfJobs = 1,
    given: GivenValues = None,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Measure how hard a task is.

    Prints the number of plans, backbone, slack, anchors, search effort, and how far greedy planners get.

    Exits 1 for a task without a plan, 3 if time ran out. JSON is a list, with an entry for each task.
    """
    from planspec.api.catalog import Catalog

    outputs: list[DifficultyOutput] = []
    codes: list[Exit] = []
    note_folder_precedence(name)
    tasks = Catalog().expand(name)
    for code, output in map_with_messages(
        partial(_make_measurer, most, search_limits(timeout, effort), second, parse_given(given)),
        tasks,
        jobs,
        lambda _, code: (code, None),
    ):
        codes.append(code)
        if output is None:
            continue
        outputs.append(output)
        if format is Format.text:
            _print(output)
    if format is Format.json and (outputs or len(tasks) > 1):
        print_json(outputs)
    leave(worst_exit(codes))


def _make_measurer(
    max_plans: int, limits: Limits, uses_second_backend: bool, given: Mapping[str, str]
) -> Callable[[TaskReference], tuple[Exit, DifficultyOutput | None]]:
    return partial(_measure_or_report, max_plans, limits, uses_second_backend, given)


def _measure_or_report(
    max_plans: int, limits: Limits, uses_second_backend: bool, given: Mapping[str, str], task: TaskReference
) -> tuple[Exit, DifficultyOutput | None]:
    try:
        with show_spinner(f"{task.path.name}: measuring"):
            output = _measure(str(task), max_plans, limits, uses_second_backend, given)
    except Exception as error:  # noqa: BLE001 the other tasks are measured whatever is wrong with this one
        return report_failure(error), None
    if output.status == "infeasible":
        return Exit.FAILS, output
    return Exit.HOLDS if output.finished and not output.disagreement else Exit.UNDECIDED, output


def _measure(
    task: str, max_plans: int, limits: Limits, uses_second_backend: bool, given: Mapping[str, str]
) -> DifficultyOutput:
    from planspec.api.loading import load
    from planspec.api.proofs import difficulty
    from planspec.api.search_outputs import difficulty_output

    loaded = load(task, given=given)
    return difficulty_output(loaded, difficulty(loaded, most=max_plans, limits=limits, second=uses_second_backend))


def _print(output: DifficultyOutput) -> None:
    from planspec.api.claim_outputs import opinions_in_words
    from planspec.verifiers.meaning.margin import margin_text

    out = sys.stdout.write
    out(f"{style_text(output.task, bold=True)}: {output.status}\n")
    count, core = output.solutions, output.backbone
    if count is not None:
        by = f" ({' and '.join(count.by)})" if count.exact else ""
        out(f"  plans        {'' if count.exact else 'at least '}{count.count}{by}\n")
    if output.disagreement:
        out(f"  undecided    {opinions_in_words(output.disagreement)}\n")
    if core is not None:
        share = "" if core.share is None else f" ({core.share:.0%})"
        out(f"  backbone     {core.fixed} of {core.open} open fields{share}{'' if core.complete else ' at most'}\n")
    for slack in output.slack:
        out(f"  least slack  {margin_text(slack.margin, slack.unit)}  {slack.constraint}\n")
    out(f"  anchors      {output.anchors}\n  hard         {output.hard}\n  soft         {output.soft}\n")
    effort = [f"{name} {value}" for name, value in output.search.items() if name != "seconds"]
    out(f"  search       {', '.join(effort)}, {output.search.get('seconds', 0):.2f} s\n")
    for run in output.greedy:
        end = {
            "stuck": " until no plan was left",
            "through": ", got through",
            "unknown": ", cut short by the limit",
        }[run.end]
        out(f"  greedy       {run.strategy}: {run.settled} of {run.rows} rows of {run.table}{end}\n")
