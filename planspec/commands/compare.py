"""`compare`: two versions of a suite, compared by the plans that each task accepts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planspec.api.claim_outputs import backend_outputs
from planspec.api.search import PROVERS
from planspec.commands.completion import complete_backends, complete_documents
from planspec.commands.console import (
    CommandLineError,
    Exit,
    Format,
    GivenValues,
    leave,
    note,
    parse_backends,
    parse_given,
    print_json,
    report_error,
    worst_exit,
    write_envelope,
)
from planspec.commands.search_limits import EffortLimit, search_limits, timeout_option
from planspec.commands.terminal import Terminal
from planspec.files import id_as_file_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from planspec.api.comparison import ComparisonRequest
    from planspec.api.comparison_report import TaskComparison
    from planspec.api.outputs.claims import TaskComparedOutput

EXIT_CODES = {True: Exit.HOLDS, False: Exit.FAILS, None: Exit.UNDECIDED}
"""Exit status by `TaskComparison.same`."""


def compare(
    first: Annotated[
        str,
        typer.Argument(help="A suite, task or folder of tasks.", metavar="SUITE-A", autocompletion=complete_documents),
    ],
    second: Annotated[
        str,
        typer.Argument(help="Another version of it.", metavar="SUITE-B", autocompletion=complete_documents),
    ],
    backends: Annotated[
        str, typer.Option(help="The back ends to use, separated by commas.", autocompletion=complete_backends)
    ] = ",".join(PROVERS),
    timeout: Annotated[float | None, timeout_option("each task")] = None,
    effort: EffortLimit = None,
    jobs: Annotated[int, typer.Option(help="Number of processes.", min=1)] = 1,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write each plan on which two versions disagree to DIR/TASK.json.",
            metavar="DIR",
            show_default=False,
        ),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("-q", "--quiet", help="Print only the tasks that differ, and a summary.")
    ] = False,
    given: GivenValues = None,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Compare two versions of a suite by accepted plans.

    Shows for each task a plan that one version accepts and the other refuses, judged by both, or proves with
    CP-SAT and Z3 that the scope has none. Tasks are paired by id; two single tasks are paired whatever their
    ids. Only hard constraints count.

    Exits 0 if all tasks accept the same plans, 1 if a task does not or is in one suite only, 3 if one is
    undecided.
    """
    from planspec.api.comparison import ComparisonRequest, pair_tasks
    from planspec.api.comparison_report import SuiteComparison, only_lines, summary
    from planspec.api.outputs.claims import CompareOutput
    from planspec.parallel import PerWorker, map_parallel

    names = parse_backends(backends)
    if out is not None and out.exists() and not out.is_dir():
        raise CommandLineError(f"`{out}` is a file; the plans are written to a folder")
    pairing = pair_tasks(first, second)
    values = parse_given(given)
    work = [ComparisonRequest(pair, names, search_limits(timeout, effort), values) for pair in pairing.pairs]
    comparisons: list[TaskComparison] = []
    codes: list[Exit] = []
    for result in map_parallel(PerWorker(_make_comparer), work, jobs):
        if isinstance(result, Exit):
            codes.append(result)
            continue
        comparisons.append(result)
        codes.append(EXIT_CODES[result.same])
        if format is Format.text and not (quiet and result.same):
            _print(result)
        if out is not None and result.answer is not None:
            out.mkdir(parents=True, exist_ok=True)
            write_envelope(out / f"{id_as_file_name(result.task)}.json", result.task, result.answer)
    whole = SuiteComparison(pairing.first, pairing.second, tuple(comparisons), pairing.only_first, pairing.only_second)
    if pairing.only_first or pairing.only_second:
        codes.append(Exit.FAILS)
    if format is Format.json:
        print_json(
            CompareOutput(
                first=whole.first,
                second=whole.second,
                tasks=[_output(task) for task in comparisons],
                only_first=list(whole.only_first),
                only_second=list(whole.only_second),
            )
        )
    else:
        sys.stdout.writelines(f"{line}\n" for line in only_lines(whole))
        if len(work) != 1:
            note(summary(whole))
    leave(worst_exit(codes))


def _make_comparer() -> Callable[[ComparisonRequest], TaskComparison | Exit]:
    """Return a function that compares two versions of a task.

    The function prints the errors of a version, if there are any, and returns an exit code.
    """
    from planspec.api.comparison import Comparer
    from planspec.errors import PlanspecError

    compare_ = Comparer()

    def compare_or_report(request: ComparisonRequest) -> TaskComparison | Exit:
        try:
            return compare_(request)
        except PlanspecError as error:
            return report_error(error)

    return compare_or_report


def _print(comparison: TaskComparison) -> None:
    from planspec.api.comparison_report import comparison_lines

    sys.stdout.writelines(f"{line}\n" for line in comparison_lines(comparison, Terminal()))


def _output(task: TaskComparison) -> TaskComparedOutput:
    from planspec.api.outputs.claims import OpinionOutput, TaskComparedOutput

    return TaskComparedOutput(
        task=task.task,
        same=task.same,
        how=task.how,
        scope=task.scope,
        backends=backend_outputs(task.backends),
        accepted_by=task.accepted_by,
        witness=task.answer,
        rows=task.rows,
        refused=list(task.refused),
        reasons=list(task.reasons),
        disagreement=[OpinionOutput(by=each.by, status=each.status, plan=each.plan) for each in task.disagreement],
    )
