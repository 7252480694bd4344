"""`test`: judges the cases of tasks and compares the verdicts with the expected ones."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planspec.api.search import SUGGESTION_S, SUGGESTIONS_S
from planspec.commands.completion import complete_documents
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
    reject_nan,
    report_error,
    worst_exit,
)
from planspec.commands.jobs import NumberOfJobs, map_with_messages
from planspec.commands.progress import show_spinner
from planspec.commands.search_limits import EffortLimit, search_limits, timeout_option
from planspec.commands.terminal import Terminal
from planspec.extras import require

if TYPE_CHECKING:
    from planspec.api.cases.report import TaskTest
    from planspec.api.cases.testing import CaseOptions
    from planspec.api.catalog import TaskReference
    from planspec.dsl.model.task import Task

EXIT_CODES = {True: Exit.HOLDS, False: Exit.FAILS, None: Exit.UNDECIDED}
"""Exit status by `CaseReport.as_expected`."""


def test(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            help="Tasks, suites or folders, by path or id; if left out, the current folder.",
            metavar="[PATH...]",
            autocompletion=complete_documents,
        ),
    ] = None,
    coverage: Annotated[
        bool,
        typer.Option("--coverage", help="Also list constraints that no case violates, and those that none satisfies."),
    ] = False,
    mutate: Annotated[
        bool,
        typer.Option("--mutate", help="Also drop or weaken each constraint, and list changes that no case detects."),
    ] = False,
    suggest: Annotated[
        bool,
        typer.Option(
            "--suggest",
            help="Also search for cases that detect those changes, and print them; implies --mutate.",
        ),
    ] = False,
    timeout: Annotated[float | None, timeout_option("the search for each suggested case", SUGGESTION_S)] = None,
    effort: EffortLimit = None,
    total_timeout: Annotated[
        float | None,
        typer.Option(
            "--total-timeout",
            help="Time limit of the searches for all suggested cases together, in seconds; "
            f"{SUGGESTIONS_S:g} unless --effort is given.",
            metavar="SECONDS",
            min=0.001,
            callback=reject_nan,
        ),
    ] = None,
    junit: Annotated[
        Path | None,
        typer.Option(help="Also write the results as JUnit XML.", metavar="FILE", show_default=False),
    ] = None,
    jobs: NumberOfJobs = 1,
    quiet: Annotated[
        bool, typer.Option("-q", "--quiet", help="Print only the cases that differ, and a summary.")
    ] = False,
    given: GivenValues = None,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Judge the cases of tasks, and compare verdicts.

    A case is an answer with the verdict that the task's author expects. If the verdict differs, both are printed.

    With --suggest, CP-SAT searches the scope for answers on which the task and a changed task disagree. The task's
    verifier judges each answer before it is shown as a case.

    Exits 0 if every verdict is as expected, 1 if one differs, 3 if an answer takes too long to judge.
    """
    from planspec.api.cases.junit import junit_report
    from planspec.api.cases.report import case_lines, gap_lines, suggestion_lines, summary
    from planspec.api.cases.testing import CaseOptions, add_suggestions, case_report, references
    from planspec.api.outputs.claims import TestOutput
    from planspec.files import replace_text

    check_writable(junit)
    if suggest:
        require("ortools", "solve", "suggested cases need an extra")
        if given:
            raise CommandLineError("suggested cases are of the task as written: --given does not go with --suggest")
    questions = CaseOptions(coverage, mutate or suggest, parse_given(given))
    tests: list[TaskTest | None] = []
    tested: list[tuple[TaskReference | Task, TaskTest | None]] = []
    failed: list[tuple[str, Exit]] = []
    for name in paths or ():
        note_folder_precedence(name)
    tasks = references(paths or ["."])
    for reference, result in zip(
        tasks,
        map_with_messages(partial(_make_tester, questions), tasks, jobs, _keep_exit_code),
        strict=True,
    ):
        if isinstance(result, Exit):
            failed.append((str(reference), result))
            continue
        tests.append(result)
        tested.append((reference, result))
        for case in result.cases if result is not None and format is Format.text else ():
            if not (quiet and case.as_expected):
                sys.stdout.writelines(f"{line}\n" for line in case_lines(case, Terminal()))
    report = case_report(tests, questions, len(failed))
    if suggest:
        if total_timeout is None and effort is None:
            total_timeout = SUGGESTIONS_S
        limits = search_limits(timeout, effort, SUGGESTION_S)
        with show_spinner("searching cases") as show:
            report = add_suggestions(report, tested, limits=limits, total_s=total_timeout, on_search=show)
    if format is Format.json:
        print_json(TestOutput.of(report))
    else:
        sys.stdout.writelines(f"{line}\n" for line in (*gap_lines(report), *suggestion_lines(report)))
        note(summary(report))
    if junit is not None:
        replace_text(junit, junit_report(report, [name for name, _ in failed]))
    leave(worst_exit([EXIT_CODES[report.as_expected], *(code for _, code in failed)]))


def _keep_exit_code(_: TaskReference, code: Exit) -> Exit:
    """Return the exit code as the result for a task whose worker process died."""
    return code


def _make_tester(options: CaseOptions) -> Callable[[TaskReference], TaskTest | Exit | None]:
    """Return a function that judges the cases of a task.

    The function prints the errors of a task, if there are any, and returns an exit code.
    """
    from planspec.api.cases.testing import CaseTester
    from planspec.errors import PlanspecError

    test_task = CaseTester(options)

    def test_or_report(reference: TaskReference) -> TaskTest | Exit | None:
        try:
            return test_task(reference)
        except PlanspecError as error:
            return report_error(error)

    return test_or_report
