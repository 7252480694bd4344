"""`validate`: proves whether a task has a plan and only one, and writes and checks certificates."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from planspec.api.claim_outputs import (
    WORDS,
    best_words,
    bound_lines,
    claim_words,
    opinions_in_words,
)
from planspec.api.reading_text import name_in_reading, reading_difference_lines
from planspec.api.search import PROVERS
from planspec.commands.completion import complete_backends, complete_documents
from planspec.commands.console import (
    CommandLineError,
    Exit,
    Format,
    GivenValues,
    collect_garbage_often,
    leave,
    note,
    note_folder_precedence,
    parse_backends,
    parse_given,
    print_json,
    worst_exit,
)
from planspec.commands.jobs import NumberOfJobs, RayAddress, map_with_messages, resolve_jobs
from planspec.commands.progress import end_early_on_interrupt
from planspec.commands.readings import ReadingNames, selected_tasks
from planspec.commands.search_limits import EffortLimit, Workers, search_limits, timeout_option
from planspec.commands.terminal import Terminal, style_text
from planspec.commands.validating import TaskResult, ValidateOptions, Validator
from planspec.commands.verify import print_violations
from planspec.dsl.model.reading import READING_MARK

if TYPE_CHECKING:
    from planspec.api.outputs.claims import (
        BestOutput,
        CertificateCheck,
        ChangeOutput,
        UniqueOutput,
        ValidateOutput,
    )


SUMMARY = {
    Exit.UNDECIDED: "undecided",
    Exit.WRONG_INPUT: "with errors",
    Exit.BUG: "stopped by a bug",
}
"""Phrases of the summary line, by exit code of a task."""
HOLDING = (PROVED, CERTIFIED) = ("as expected", "with a valid certificate")
FAILING = (INFEASIBLE, SEVERAL, FEASIBLE, NO_BEST, SEVERAL_BEST, OUTSIDE, REFUSED, UNCERTIFIED, UNEXPECTED) = (
    "infeasible",
    "with several plans",
    "with a plan where none is expected",
    "without a plan that keeps every constraint",
    "with several best plans",
    "with other plans beyond the scope",
    "with a reference that is not accepted",
    "without a valid certificate",
    "with a certificate of what is not expected",
)
"""Phrases of the summary for kinds of failure, worst first."""


MOST_DIFFERENCES = 3
"""Maximum number of printed differences between two plans of a task, if there are several tasks."""


def validate(
    tasks: Annotated[
        list[str],
        typer.Argument(help="Tasks, suites or folders.", metavar="TASK|SUITE...", autocompletion=complete_documents),
    ],
    backends: Annotated[
        str, typer.Option(help="The back ends to use, separated by commas.", autocompletion=complete_backends)
    ] = ",".join(PROVERS),
    timeout: Annotated[float | None, timeout_option("each task, or of each of its turns")] = None,
    effort: EffortLimit = None,
    workers: Workers = 1,
    jobs: NumberOfJobs = 1,
    ray: RayAddress = None,
    beyond_scope: Annotated[
        bool,
        typer.Option(
            "--beyond-scope",
            help="Also prove the claims without the scope's bounds, or name the bounds on which they depend.",
        ),
    ] = False,
    certify: Annotated[
        bool,
        typer.Option(
            "--certify",
            help="Write a certificate of the proved claims beside each task: certificates/ID.json, or ID~READING.json for a "
            "reading.",
        ),
    ] = False,
    proof: Annotated[
        bool,
        typer.Option(
            "--proof",
            help="With --certify, also write proofs that there is no other plan, or no plan. With --check, accept no certificate without one.",
        ),
    ] = False,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Name constraints that imply that there is no other plan, or no plan."),
    ] = False,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Instead, check without a solver that the certificates are of the unchanged tasks, and that their plans and "
            "proofs are right.",
        ),
    ] = False,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="With --certify, prove only tasks without a valid certificate."),
    ] = False,
    reprove: Annotated[bool, typer.Option("--reprove", help="With --check, also prove everything again.")] = False,
    quiet: Annotated[
        bool, typer.Option("-q", "--quiet", help="Print only the tasks that fail, and a summary.")
    ] = False,
    given: GivenValues = None,
    reading: ReadingNames = None,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Prove whether a task has a plan, and only one.

    The result is compared with what the task `expects`. A suite with `readings` has a result for each of them. A task
    with turns has a result for each turn, with the smallest change from the plan of the turn before.
    """
    from planspec.api.catalog import Catalog

    options = ValidateOptions(
        parse_backends(backends),
        search_limits(timeout, effort, workers=workers),
        certify,
        check,
        reprove,
        beyond_scope,
        resume,
        proof,
        explain,
        parse_given(given),
        as_written=(certify or check) and not reading,
    )
    _check_options(options)
    processes = resolve_jobs(jobs, ray)
    collect_garbage_often()
    catalog = Catalog()
    for name in tasks:
        note_folder_precedence(name)
    references = selected_tasks([task for name in tasks for task in catalog.expand(name)], reading, options.given)
    results_by_task: Iterable[list[TaskResult]] = map_with_messages(
        partial(Validator, options), references, processes, lambda _, code: [TaskResult(code)]
    )
    validations: list[ValidateOutput] = []
    checks: list[CertificateCheck] = []
    codes: list[Exit] = []
    outcomes: dict[str | None, Counter[str]] = {}
    refused: Counter[str | None] = Counter()
    differing = 0
    with end_early_on_interrupt() if len(references) == 1 else nullcontext(lambda: False) as pressed:
        results_by_task = [*results_by_task] if len(references) == 1 else results_by_task
    for number, turns in enumerate(results_by_task, 1):
        codes.append(worst_exit(turn.code for turn in turns))
        for in_reading, own in _by_reading(turns).items():
            worst = worst_exit(turn.code for turn in own)
            outcomes.setdefault(in_reading, Counter())[_outcome_words(worst, own)] += 1
            refused[in_reading] += any(map(_refuses_reference, own))
        differing += any(turn.validation is not None and bool(turn.validation.differences) for turn in turns)
        for turn in turns:
            if turn.validation is not None:
                validations.append(turn.validation)
            if turn.certificate is not None:
                checks.append(turn.certificate)
            if format is Format.text and not (quiet and turn.code is Exit.HOLDS):
                _print(turn, max_differences=None if len(references) == 1 else MOST_DIFFERENCES)
        if len(references) > 1 and sys.stderr.isatty():
            sys.stderr.write(f"\r{number} of {len(references)}\r")
    if format is Format.json:
        print_json(list(checks) if check else list(validations))
    elif len(references) > 1 or len(outcomes) > 1:
        for in_reading, counts in outcomes.items():
            note(_summary_text(in_reading, counts, refused[in_reading]))
        if differing:
            note(f"the readings differ on {_tasks_in_words(differing)}")
    leave(Exit.INTERRUPTED if pressed() else worst_exit(codes))


def _check_options(options: ValidateOptions) -> None:
    """Check that the options are compatible, before anything is read.

    Raises:
        CommandLineError: two options exclude each other.
        ModuleNotFoundError: a prover is needed and not installed.
    """
    if options.certify and options.check:
        raise CommandLineError("--certify writes certificates and --check reads them: choose one of them")
    if options.given and (options.certify or options.check):
        raise CommandLineError(
            "a certificate is of the task as it is, or of a reading of its suite: --given goes with neither --certify nor --check"
        )
    if options.check and options.beyond:
        raise CommandLineError("--check takes the claims from the certificates; leave out --beyond-scope")
    if options.reprove and not options.check:
        raise CommandLineError("--reprove requires --check")
    if options.resume and not options.certify:
        raise CommandLineError("--resume requires --certify")
    if options.proof and not (options.certify or options.check):
        raise CommandLineError("--proof requires --certify or --check")
    if options.certify and not set(PROVERS) <= set(options.backends):
        raise CommandLineError("a certificate needs the proofs of both cpsat and smt")
    if options.explain and options.check:
        raise CommandLineError("--explain proves claims and --check proves nothing: choose one of them")
    if (options.proof and options.certify) or options.explain:
        from planspec.api.search import require_prover

        require_prover()


def _tasks_in_words(count: int) -> str:
    return f"{count} task{'s' * (count != 1)}"


def _summary_text(reading: str | None, counts: Counter[str], refused: int) -> str:
    """Return the number of tasks for each outcome, and the number of refused references, as text."""
    parts = [f"{counts[word]} {word}" for word in (*HOLDING, *FAILING, *SUMMARY.values()) if counts[word]]
    rest = f"; {refused} references in all are not accepted" if refused > counts[REFUSED] else ""
    return f"{'' if reading is None else f'{reading}: '}{_tasks_in_words(counts.total())}: {', '.join(parts)}{rest}"


def _refuses_reference(turn: TaskResult) -> bool:
    result = turn.validation
    return result is not None and result.reference.present and not result.reference.accepted


def _by_reading(turns: Sequence[TaskResult]) -> dict[str | None, list[TaskResult]]:
    """Return the results of a task's turns, by reading. The key None stands for the task as written."""
    grouped: dict[str | None, list[TaskResult]] = {}
    for turn in turns:
        grouped.setdefault(turn.reading, []).append(turn)
    return grouped


def _outcome_words(code: Exit, turns: Sequence[TaskResult]) -> str:
    """Return the phrase under which the summary counts a task. For a failing task it describes the worst turn."""
    if code is Exit.HOLDS:
        return CERTIFIED if any(turn.certificate is not None for turn in turns) else PROVED
    if code is Exit.FAILS:
        return min((_failure_words(turn) for turn in turns if turn.code is code), key=FAILING.index)
    return SUMMARY[code]


def _failure_words(turn: TaskResult) -> str:
    if turn.certificate is not None and turn.certificate.status != "valid":
        return UNCERTIFIED
    if turn.certificate is not None and turn.certificate.as_expected is False:
        return UNEXPECTED
    assert turn.validation is not None
    result = turn.validation
    if result.as_expected is False:
        if result.expected == "infeasible":
            return FEASIBLE if result.feasible.status == "feasible" else OUTSIDE
        return INFEASIBLE if result.feasible.status == "infeasible" else SEVERAL
    if _refuses_reference(turn):
        return REFUSED
    best = None if result.best is None else result.best.unique.status
    return {"infeasible": NO_BEST, "multiple": SEVERAL_BEST}.get(best or "", OUTSIDE)


def _print(turn: TaskResult, max_differences: int | None) -> None:
    out = sys.stdout.write
    result, checked = turn.validation, turn.certificate
    if result is not None:
        reference = ""
        if result.reference.present:
            accepted = result.reference.accepted
            reference = "; the reference is accepted" if accepted else "; the reference is NOT accepted"
        if result.by_certificate:
            reference += "; as certified before"
        if turn.expectation is not None:
            reference += f"; {turn.expectation}"
        name = name_in_reading(result.task, result.reading)
        out(f"{name}: {claim_words(result.feasible, result.unique)}{reference}\n")
        if result.disagreement:
            out(f"  {opinions_in_words(result.disagreement)}\n")
        if result.reference.verdict is not None:
            print_violations(result.reference.verdict)
        for objective in result.objectives:
            out(f"  {'reference' if result.reference.present else 'best plan'}: {objective.text}\n")
        _print_differences(name, result.unique, max_differences)
        _print_reasons_and_proof(result)
        if result.best is not None:
            out(f"  {best_words(result.best)}\n")
            _print_differences(name, result.best.unique, max_differences)
            _print_reasons_and_proof(result.best)
        if turn.conflict:
            out(f"  conflict: {', '.join(turn.conflict)}\n")
        if result.change is not None and result.change.status != "infeasible":
            _print_change(result.change, turn.kept_share)
        for difference in result.differences:
            sys.stdout.writelines(f"  {line}\n" for line in reading_difference_lines(difference, Terminal()))
    if checked is not None:
        print_check(checked)


def print_check(checked: CertificateCheck) -> None:
    """Print the result of a certificate check."""
    color = "green" if checked.status == "valid" else "red"
    sys.stdout.write(
        f"{name_in_reading(checked.task, checked.reading)}: certificate {style_text(checked.status, fg=color)}\n"
    )
    for reason in (*checked.claims, *checked.reasons, *checked.notes):
        sys.stdout.write(f"  {reason}\n")


def _print_reasons_and_proof(part: ValidateOutput | BestOutput) -> None:
    """Print the proof of a claim, and the constraints that imply the claim."""
    from planspec.api.proof_files import steps_in_words

    out, unique = sys.stdout.write, part.unique
    if unique.because_of is not None:
        because = ", ".join(unique.because_of) or "the plan's tables alone"
        out(f"  {WORDS.get(unique.status, unique.status)} because of: {because} (sufficient, not minimal)\n")
    if part.proof is not None:
        size = f"{part.proof.variables:,} variables, {part.proof.clauses:,} clauses, {steps_in_words(part.proof.steps)}"
        out(f"  proof: {part.proof.file}: {size}, checked\n")


def _print_differences(task: str, unique: UniqueOutput, max_differences: int | None) -> None:
    """Print the differences between the first and the second plan, and the claims beyond the scope.

    `max_differences` is the maximum number of printed differences; None prints all.
    """
    out = sys.stdout.write
    for free in unique.differences[:max_differences]:
        out(f"  free: {free.said}\n")
    if max_differences is not None and len(unique.differences) > max_differences:
        shows = "--format json shows all" if READING_MARK in task else f"`planspec validate {task}` shows all"
        out(f"  ... and {len(unique.differences) - max_differences} more; {shows}\n")
    for line in bound_lines(unique):
        out(f"  {line}\n")


def _print_change(change: ChangeOutput, kept_share: Fraction | None) -> None:
    out = sys.stdout.write
    share = "" if kept_share is None else f", keeps {float(kept_share):.0%}"
    if change.status != "changed":
        outcomes = {"unchanged": "the plan still holds", "unknown": "time ran out before a plan was found"}
        out(f"  from {change.before}: {outcomes[change.status]}\n")
        return
    proved = "proved smallest" if change.proved_smallest else "not proved smallest in time"
    count = len(change.edits)
    out(f"  from {change.before}: {count} edit{'s' * (count != 1)}, {proved}{share}\n")
    for edit in change.edits:
        out(f"    {edit.said}\n")
