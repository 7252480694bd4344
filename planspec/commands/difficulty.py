"""`difficulty`: measures how hard tasks are."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from planspec.api.reading_text import name_in_reading, reading_difference_lines
from planspec.commands.completion import complete_documents
from planspec.commands.console import (
    Exit,
    Format,
    GivenValues,
    leave,
    note,
    note_folder_precedence,
    parse_given,
    print_json,
    report_failure,
    worst_exit,
)
from planspec.commands.jobs import NumberOfJobs, map_with_messages
from planspec.commands.progress import show_spinner
from planspec.commands.readings import ReadingNames, selected_tasks
from planspec.commands.search_limits import EffortLimit, SecondBackend, search_limits, timeout_option
from planspec.commands.terminal import Terminal, style_text

if TYPE_CHECKING:
    from planspec.api.catalog import TaskReference
    from planspec.api.outputs.explanations import DifficultyOutput
    from planspec.api.search import Limits
    from planspec.dsl.model.reading import Reading
    from planspec.dsl.model.task import Task


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
    reading: ReadingNames = None,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Measure how hard a task is.

    Prints the number of plans, backbone, slack, anchors, search effort, and how far greedy planners get.

    A suite with `readings` has a result for each of them.

    Exits 1 for a task without a plan, 3 if time ran out. JSON is a list, with an entry for each task.
    """
    from planspec.api.catalog import Catalog

    outputs: list[DifficultyOutput] = []
    codes: list[Exit] = []
    counts: dict[str, Counter[str]] = {}
    note_folder_precedence(name)
    options = DifficultyOptions(most, search_limits(timeout, effort), second, parse_given(given))
    tasks = selected_tasks(Catalog().expand(name), reading, options.given)
    for results in map_with_messages(partial(Measurer, options), tasks, jobs, _lost):
        for code, output in results:
            codes.append(code)
            if output is None:
                continue
            outputs.append(output)
            if output.reading is not None:
                counts.setdefault(output.reading, Counter())[output.status] += 1
            if format is Format.text:
                _print(output)
    if format is Format.json and (outputs or len(tasks) > 1):
        print_json(outputs)
    elif format is Format.text:
        for in_reading, statuses in counts.items():
            note(f"{in_reading}: {', '.join(f'{n} {status}' for status, n in sorted(statuses.items()))}")
    leave(worst_exit(codes))


@dataclass(frozen=True, slots=True)
class DifficultyOptions:
    """Options that are the same for every task.

    Attributes:
        most: maximum number of plans to count.
        limits: limits for each task.
        second: whether a second back end checks the answers.
        given: new values of givens as YAML text, by the name of the given.
    """

    most: int
    limits: Limits
    second: bool
    given: Mapping[str, str]


class Measurer:
    """Measures one task after another, in each of its readings (interpretations) or as written."""

    def __init__(self, options: DifficultyOptions) -> None:
        self._options = options

    def __call__(self, task: TaskReference) -> list[tuple[Exit, DifficultyOutput | None]]:
        """Return exit status and result for each reading. The result is None if the reading has an error."""
        results: list[tuple[Exit, DifficultyOutput | None]] = []
        earlier: list[tuple[Task, DifficultyOutput]] = []
        for reading in task.readings or (None,):
            try:
                with show_spinner(f"{task.path.name}: measuring"):
                    loaded, output = self._measure(str(task), reading)
                    if reading is not None:
                        output = self._with_differences(loaded, output, earlier)
            except Exception as error:  # noqa: BLE001 the other tasks are measured whatever is wrong with this one
                results.append((report_failure(error), None))
            else:
                results.append((_exit_code(output), output))
        return results

    def _measure(self, name: str, reading: Reading | None) -> tuple[Task, DifficultyOutput]:
        from planspec.api.loading import load_variant
        from planspec.api.proofs import difficulty
        from planspec.api.search_outputs import difficulty_output

        options = self._options
        loaded = load_variant(name, given=options.given, reading=reading)
        measured = difficulty(loaded, most=options.most, limits=options.limits, second=options.second)
        return loaded, difficulty_output(loaded, measured)

    def _with_differences(
        self, task: Task, output: DifficultyOutput, earlier: list[tuple[Task, DifficultyOutput]]
    ) -> DifficultyOutput:
        """Return an output with its differences from earlier readings that have other results.

        An output with a new result is appended to `earlier`.
        """
        from planspec.api.judging import Judge
        from planspec.api.readings import difference_output, tell_apart

        if any(_result(output) == _result(other) for _, other in earlier):
            return output
        differences = [
            difference_output(tell_apart(Judge(other), Judge(task), limits=self._options.limits))
            for other, result in earlier
            if "unknown" not in (output.status, result.status)
        ]
        earlier.append((task, output))
        return output.model_copy(update={"differences": differences})


def _lost(_: TaskReference, code: Exit) -> list[tuple[Exit, DifficultyOutput | None]]:
    """Return the result for a task whose worker process died."""
    return [(code, None)]


def _result(output: DifficultyOutput) -> tuple[str, int | None, bool]:
    """Return the status, the number of plans and whether it is exact. Readings of a task agree if these are equal."""
    count = output.solutions
    return output.status, None if count is None else count.count, count is not None and count.exact


def _exit_code(output: DifficultyOutput) -> Exit:
    if output.status == "infeasible":
        return Exit.FAILS
    return Exit.HOLDS if output.finished and not output.disagreement else Exit.UNDECIDED


def _print(output: DifficultyOutput) -> None:
    from planspec.api.claim_outputs import opinions_in_words
    from planspec.verifiers.meaning.margin import margin_text

    out = sys.stdout.write
    out(f"{style_text(name_in_reading(output.task, output.reading), bold=True)}: {output.status}\n")
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
    for difference in output.differences:
        sys.stdout.writelines(f"  {line}\n" for line in reading_difference_lines(difference, Terminal()))
