"""`repair`: the smallest change after which an answer satisfies every hard constraint."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planspec.commands.completion import complete_answers, complete_tasks
from planspec.commands.console import (
    Exit,
    Format,
    GivenValues,
    check_backends,
    check_writable,
    leave,
    load_answered_task,
    note,
    parse_given,
    print_json,
    read_bytes,
    write_envelope,
)
from planspec.commands.progress import show_best_on_interrupt, show_spinner
from planspec.commands.search_limits import (
    BackendOption,
    EffortLimit,
    SecondBackend,
    Workers,
    search_limits,
    timeout_option,
)
from planspec.commands.terminal import style_text

if TYPE_CHECKING:
    from planspec.api.judging import Judge
    from planspec.api.outputs.explanations import RepairOutput
    from planspec.api.search import Limits, Repair
    from planspec.verifiers.answers.envelope import Answer, Undelivered
    from planspec.verifiers.meaning.plan_rows import Plan


HINTS = {
    "infeasible": "; `planspec why` explains the conflict",
}


def repair(
    plan: Annotated[
        str,
        typer.Argument(
            help="The answer as JSON; `-` for standard input.",
            metavar="PLAN",
            autocompletion=complete_answers,
        ),
    ],
    task: Annotated[
        str | None,
        typer.Option(help="The task's file or id, if the answer does not name it.", autocompletion=complete_tasks),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Write the repaired plan to this file, with the task's id."),
    ] = None,
    backend: BackendOption = "cpsat",
    timeout: Annotated[float | None, timeout_option("the whole search")] = None,
    effort: EffortLimit = None,
    workers: Workers = 1,
    second: SecondBackend = False,
    given: GivenValues = None,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Find the nearest plan that satisfies every hard constraint.

    The nearest plan has the fewest rows added or removed, then the fewest fields changed, then the fewest
    minutes moved, then the least money moved, then the largest weight of satisfied soft
    constraints.
    """
    from planspec.api.judging import Judge
    from planspec.verifiers.answers.envelope import read_answer

    check_backends(backend)
    check_writable(output)
    data = read_bytes(plan, "the plan")
    read = read_answer(data)
    judge = Judge(load_answered_task(task, read.task, parse_given(given)))
    read = judge.reading(data)
    answer, valid = decode_answer(judge, read)
    code, output_model = repair_answer(
        judge,
        answer,
        valid=valid,
        backend=backend,
        limits=search_limits(timeout, effort, workers=workers),
        second=second,
        format=format,
    )
    if output is not None and output_model.plan is not None:
        write_envelope(output, judge.task.id, output_model.plan)
    print_repair(output_model, format, with_plan=output is None)
    leave(code)


def decode_answer(judge: Judge, answer: Answer | Undelivered) -> tuple[Plan, bool]:
    """Return the plan in an answer, and whether the plan passes. An unreadable answer counts as an empty plan."""
    from planspec.verifiers.answers.envelope import Undelivered
    from planspec.verifiers.meaning.plan_rows import Plan

    if isinstance(answer, Undelivered):
        note(f"there is no plan to repair ({answer.reason}): searching for the plan nearest to an empty one")
        return Plan({table.name: () for table in judge.task.plan_tables}), False
    plan, faults = judge.format.decode(judge.task, answer.plan)
    findings = [f.as_finding() for f in (*answer.findings, *faults)]
    return plan, judge.plan(plan, findings).status == "pass"


def repair_answer(
    judge: Judge,
    answer: Plan,
    *,
    valid: bool,
    backend: str,
    limits: Limits,
    format: Format,
    second: bool = False,
) -> tuple[Exit, RepairOutput]:
    """Repair an answer, and return the exit status and the output.

    Args:
        judge: judge of the task.
        answer: plan in the answer.
        valid: whether the verifier accepts the plan.
        backend: back end of the search.
        limits: limits of the search.
        format: output format of the best repair so far, printed after Ctrl-C.
        second: whether a second back end may use the remaining time to confirm the result.
    """
    from planspec.api.proofs import repair_plan
    from planspec.api.search import Status
    from planspec.api.search_outputs import repair_output, valid_output

    if valid:
        return Exit.HOLDS, valid_output(judge, answer)

    def show(best: RepairOutput) -> None:
        print_repair(best, format)

    with (
        show_best_on_interrupt(show) as keep,
        show_spinner(f"{judge.task.id}: searching for the nearest plan") as notify,
    ):

        def report_progress(result: Repair) -> None:
            keep(repair_output(judge, result))
            notify(", ".join(f"{name} {value}" for name, value in (result.distance or {}).items()))

        result = repair_plan(judge, answer, backend=backend, limits=limits, on_progress=report_progress, second=second)
    code = {Status.OPTIMAL: Exit.HOLDS, Status.INFEASIBLE: Exit.FAILS}.get(result.status, Exit.UNDECIDED)
    return code, repair_output(judge, result)


def print_repair(output: RepairOutput, format: Format, *, with_plan: bool = True) -> None:
    """Print a repair as text or JSON."""
    from planspec.api.claim_outputs import opinions_in_words
    from planspec.errors import LimitReachedError

    if format is Format.json:
        print_json(output)
        return
    out = sys.stdout.write
    if output.status == "repaired":
        by = f" by {' and '.join(output.by)}" if output.by else ""
        proved = f"proved smallest{by}" if output.proved_smallest else "not proved smallest in time"
        out(
            f"{output.task}: {style_text('repaired', bold=True)}, {len(output.edits)} edit{'s' * (len(output.edits) != 1)}, {proved}\n"
        )
        for edit in output.edits:
            out(f"  {edit.said}\n")
        if with_plan:
            print_json({"task": output.task, "plan": output.plan})
    else:
        after = HINTS.get(output.status, "")
        if output.disagreement:
            after = f", {opinions_in_words(output.disagreement)}"
        elif output.status == "unknown" and output.reason is not None:
            after = f", {LimitReachedError(output.reason)}"
            if output.reason in ("time", "effort"):
                after += f"; --{'timeout' if output.reason == 'time' else 'effort'} raises the limit"
        out(f"{output.task}: {style_text(output.status, bold=True)}{after}\n")
