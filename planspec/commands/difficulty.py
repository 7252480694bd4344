"""`difficulty`: how hard tasks are."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from planspec.commands.completion import documents
from planspec.commands.console import (
    Exit,
    Format,
    leave,
    note_folder,
    print_json,
    tell_failure,
    worst,
)
from planspec.commands.jobs import NumberOfJobs, each
from planspec.commands.progress import waiting
from planspec.commands.search_limits import Effort, Second, search_limits, timeout_option
from planspec.commands.terminal import styled

if TYPE_CHECKING:
    from collections.abc import Callable

    from planspec.api.catalog import TaskReference
    from planspec.api.outputs.explanations import DifficultyOutput
    from planspec.solvers.backends.outcome import Limits


def difficulty(
    name: Annotated[
        str, typer.Argument(help="A task, suite or folder.", metavar="TASK|SUITE", autocompletion=documents)
    ],
    most: Annotated[int, typer.Option(help="Stop counting plans at this number.", min=1)] = 100,
    timeout: Annotated[float | None, timeout_option("each task")] = None,
    effort: Effort = None,
    second: Second = False,
    jobs: NumberOfJobs = 1,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Measure how hard a task is.

    Prints the number of plans, backbone, slack, anchors, search effort, and how far greedy planners get.

    Exits 1 for a task without a plan, 3 if time ran out. JSON is a list, with an entry for each task.
    """
    from planspec.api.catalog import Catalog

    made: list[DifficultyOutput] = []
    codes: list[Exit] = []
    note_folder(name)
    tasks = Catalog().expand(name)
    for code, found in each(
        partial(_measuring, most, search_limits(timeout, effort), second),
        tasks,
        jobs,
        lambda _, code: (code, None),
    ):
        codes.append(code)
        if found is None:
            continue
        made.append(found)
        if format is Format.text:
            _print(found)
    if format is Format.json and (made or len(tasks) > 1):
        print_json(made)
    leave(worst(codes))


def _measuring(
    most: int, limits: Limits, second: bool
) -> Callable[[TaskReference], tuple[Exit, DifficultyOutput | None]]:
    """Measures task after task."""
    return partial(_told, most, limits, second)


def _told(
    most: int, limits: Limits, second: bool, task: TaskReference
) -> tuple[Exit, DifficultyOutput | None]:
    try:
        with waiting(f"{task.path.name}: measuring"):
            found = _measured(str(task), most, limits, second)
    except Exception as error:  # noqa: BLE001 whatever is wrong with a task, the others are measured
        return tell_failure(error), None
    if found.status == "infeasible":
        return Exit.FAILS, found
    return Exit.HOLDS if found.finished and not found.disagreement else Exit.UNDECIDED, found


def _measured(task: str, most: int, limits: Limits, second: bool) -> DifficultyOutput:
    from planspec.api.claim_outputs import opinion_outputs
    from planspec.api.judging import Judge
    from planspec.api.loading import load
    from planspec.api.outputs.explanations import (
        BackboneOutput,
        CountOutput,
        DifficultyOutput,
        GreedyOutput,
        SlackOutput,
    )
    from planspec.solvers.questions import difficulty as measures

    judge = Judge(load(task))
    reference = judge.reference_plan()
    found = measures.difficulty(judge.ground, reference=reference, most=most, limits=limits, second=second)
    count, core = found.solutions, found.backbone
    return DifficultyOutput(
        task=judge.task.id, status=found.feasible,  # type: ignore[arg-type]
        solutions=None if count is None else CountOutput(count=count.count, exact=count.exact, by=list(count.by)),
        backbone=None if core is None else BackboneOutput(
            fixed=len(core.fixed), open=core.open, share=core.share, complete=core.complete
        ),
        slack=[SlackOutput(constraint=s.constraint, margin=s.margin, unit=s.unit) for s in found.slack],
        anchors=found.anchors, hard=found.hard, soft=found.soft, total=found.hard + found.soft, search=dict(found.search),
        greedy=[
            GreedyOutput(
                strategy=g.strategy, table=g.table, settled=g.settled, rows=g.rows, end=g.end
            )
            for g in found.greedy
        ],
        finished=found.finished, by=list(found.by), disagreement=opinion_outputs(judge.task, found.disagreement),
    )  # fmt: skip


def _print(made: DifficultyOutput) -> None:
    from planspec.api.claim_outputs import opinions_in_words
    from planspec.verifiers.meaning.margin import in_words

    out = sys.stdout.write
    out(f"{styled(made.task, bold=True)}: {made.status}\n")
    count, core = made.solutions, made.backbone
    if count is not None:
        by = f" ({' and '.join(count.by)})" if count.exact else ""
        out(f"  plans        {'' if count.exact else 'at least '}{count.count}{by}\n")
    if made.disagreement:
        out(f"  undecided    {opinions_in_words(made.disagreement)}\n")
    if core is not None:
        share = "" if core.share is None else f" ({core.share:.0%})"
        out(
            f"  backbone     {core.fixed} of {core.open} open fields{share}{'' if core.complete else ' at most'}\n"
        )
    for slack in made.slack:
        out(f"  least slack  {in_words(slack.margin, slack.unit)}  {slack.constraint}\n")
    out(f"  anchors      {made.anchors}\n  hard         {made.hard}\n  soft         {made.soft}\n")
    effort = [f"{name} {value}" for name, value in made.search.items() if name != "seconds"]
    out(f"  search       {', '.join(effort)}, {made.search.get('seconds', 0):.2f} s\n")
    for run in made.greedy:
        end = {
            "stuck": " until no plan was left",
            "through": ", got through",
            "unknown": ", cut short by the limit",
        }[run.end]
        out(f"  greedy       {run.strategy}: {run.settled} of {run.rows} rows of {run.table}{end}\n")
