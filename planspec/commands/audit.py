"""`audit`: proofs about the tasks of a suite, and a comparison with published answers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planspec.commands.completion import complete_agents, complete_suites
from planspec.commands.console import (
    CommandLineError,
    Exit,
    check_writable,
    collect_garbage_often,
    existing_file,
    leave,
    note,
    note_folder_precedence,
    print_json,
    report_failure,
    worst_exit,
)
from planspec.commands.jobs import NumberOfJobs, RayAddress, map_with_messages, resolve_jobs
from planspec.commands.progress import show_spinner
from planspec.commands.search_limits import EffortLimit, search_limits, timeout_option
from planspec.commands.terminal import Terminal
from planspec.dsl.diagnostics.suggestions import did_you_mean

if TYPE_CHECKING:
    from planspec.api.auditing.suites import SuiteToAudit
    from planspec.api.auditing.tasks import AuditOptions, AuditWork
    from planspec.api.outputs.audits import AuditOutput, TaskAudit
    from planspec.foreign_scorers import Scorer, ScorerAudit
    from planspec.parallel import Jobs


class AuditFormat(StrEnum):
    """Output format of `audit`."""

    text = "text"
    json = "json"
    sarif = "sarif"


PAGE, RECORD = ".html", ".json"
"""Suffixes of the files that `-o` can write."""


def audit(
    suite: Annotated[
        str,
        typer.Argument(help="A suite's file, folder or id, or a task.", autocompletion=complete_suites),
    ],
    answers: Annotated[
        Path | None,
        typer.Option(
            help="Published answers to judge: JSON lines, or a Parquet table.", metavar="FILE", show_default=False
        ),
    ] = None,
    verdicts: Annotated[
        Path | None,
        typer.Option(
            help="With --answers: another judge's verdicts on them, as JSON lines or CSV with `task` and `pass`.",
            metavar="FILE",
            show_default=False,
        ),
    ] = None,
    scorer: Annotated[
        str | None,
        typer.Option(
            help="Another judge to test with answers whose verdicts are proved: python:FILE.py:FUNCTION, command:PROGRAM, "
            "inspect:MODULE:SCORER or http://127.0.0.1:PORT/PATH.",
            metavar="ADDRESS",
        ),
    ] = None,
    threshold: Annotated[
        float, typer.Option(help="With --scorer: the lowest score of an accepted answer.", metavar="SCORE")
    ] = 1.0,
    reading: Annotated[
        list[str] | None,
        typer.Option(
            "--reading",
            help="Name of a reading of the suite, or `all`. By default, tasks are audited as written. May be repeated.",
            metavar="NAME",
            show_default=False,
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            help="An agent that compares each query with the rules, as in `draft --check`.",
            metavar="AGENT",
            autocompletion=complete_agents,
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option("--by", help="A key of `meta`. Also count the tasks for each of its values.", metavar="KEY"),
    ] = None,
    most: Annotated[int, typer.Option("--most", help="Maximum number of plans to count.", min=1)] = 10,
    deep: Annotated[
        bool, typer.Option("--deep/--no-deep", help="Also run the solver checks of `check --deep`.")
    ] = True,
    certify: Annotated[
        bool,
        typer.Option(
            "--certify",
            help="Write a certificate of the proved claims beside each task: certificates/ID.json, or ID~READING.json for a "
            "reading.",
        ),
    ] = False,
    timeout: Annotated[float | None, timeout_option("each task, or of each of its turns")] = None,
    effort: EffortLimit = None,
    jobs: NumberOfJobs = 1,
    ray: RayAddress = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            help="Record each audit in DIR/audit.jsonl, and reuse the recorded audits of unchanged tasks.",
            metavar="DIR",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help="Also write a page (.html) or the JSON (.json).", metavar="FILE", show_default=False
        ),
    ] = None,
    format: Annotated[AuditFormat, typer.Option(help="How to print.")] = AuditFormat.text,
) -> None:
    """Audit a suite, its references and published answers.

    Each task gets the worst result that applies: none (a proof contradicts what the task expects, the reference fails,
    or the task has errors), several (more than one plan, where one is expected), gap (the reference is not the best),
    lazy (an answer without rows passes), text (the query differs from the rules), ? (undecided), or ok.

    Exits 1 if a task is none, several or lazy, the suite's document has an error, or the scorer misjudges an answer or
    fails; 3 if a task or an answer is undecided.
    """
    from planspec.api.auditing.suites import audit_output, recorded_audits, suite_to_audit
    from planspec.api.auditing.tasks import AuditOptions

    _check_options(answers, verdicts, output)
    for option, value in (("--scorer", scorer), ("--model", model)):
        if reading and value is not None:
            raise CommandLineError(f"{option} is about the tasks as written: leave out --reading")
    workers = resolve_jobs(jobs, ray)
    collect_garbage_often()
    note_folder_precedence(suite)
    options = AuditOptions(most, search_limits(timeout, effort), deep, certify)
    try:
        recorded = [] if resume is None else recorded_audits(resume)
    except ValueError as error:
        raise CommandLineError(str(error)) from None
    audited = suite_to_audit(suite, recorded, reading)
    if len(audited.readings) > 1 and answers is not None:
        raise CommandLineError("--answers are judged in one reading at a time: name one by --reading")
    reader = None if model is None else _make_reader(model, resume, options)
    tasks: list[TaskAudit] = []
    codes: list[Exit] = []
    with ExitStack() as stack:
        opened = None if scorer is None else stack.enter_context(closing(_open_scorer(scorer)))
        for work, result in zip(audited.work, _run(audited, options, workers, resume), strict=True):
            checked = result.tasks if reader is None else reader(work, result.tasks)
            tasks += checked
            codes.append(result.code)
            if format is AuditFormat.text:
                _print_tasks(checked)
        has_key = by is None or any(by in task.meta for task in tasks)
        whole = audit_output(audited, tasks, options, by if has_key else None)
        if answers is not None:
            whole = _with_answers(whole, suite, answers, verdicts, workers)
        scored = None if opened is None else _ask_scorer(opened, threshold, suite, timeout)
    if scored is not None:
        whole = whole.model_copy(update={"scorer": scored.to_json()})
    _print(whole, format)
    if scored is not None and format is AuditFormat.text:
        sys.stdout.writelines(f"{line}\n" for line in scored.lines())
    _write(whole, output)
    if by is not None and not has_key:
        keys = sorted({key for task in tasks for key in task.meta})
        hint = did_you_mean(by, keys) or (
            f"they have {', '.join(f'`{key}`' for key in keys)}" if keys else "they have none"
        )
        raise CommandLineError(f"--by: no task has `{by}` under `meta`; {hint}")
    leave(worst_exit([*codes, *_codes(whole), *_scorer_codes(scored)]))


def _check_options(answers: Path | None, verdicts: Path | None, output: Path | None) -> None:
    """Check options and files before any other work.

    Raises:
        CommandLineError: options exclude each other, or a file is missing or cannot be written.
    """
    if verdicts is not None and answers is None:
        raise CommandLineError("--verdicts requires --answers: the answers that they are about")
    for path, what in ((answers, "the answers"), (verdicts, "the verdicts")):
        if path is not None:
            existing_file(str(path), what)
    if output is not None and output.suffix not in (PAGE, RECORD):
        raise CommandLineError(f"`{output}` is neither a page ({PAGE}) nor a record ({RECORD})")
    check_writable(output)


class _Result:
    """The audits of a task and its turns, and an exit code if the audit failed."""

    def __init__(self, tasks: Sequence[TaskAudit], code: Exit = Exit.HOLDS) -> None:
        self.tasks, self.code = list(tasks), code


class _Auditor:
    """Auditor of one task after another. It prints failures, and returns a failed task as undecided."""

    def __init__(self, options: AuditOptions) -> None:
        from planspec.api.auditing.tasks import TaskAuditor

        self._audit = TaskAuditor(options)

    def __call__(self, work: AuditWork) -> _Result:
        from planspec.api.auditing.tasks import unaudited

        try:
            return _Result(self._audit(work))
        except Exception as error:  # noqa: BLE001 the other tasks are audited whatever is wrong with this one
            return _Result([unaudited(work, str(error))], report_failure(error))


def _run(suite: SuiteToAudit, options: AuditOptions, jobs: Jobs, folder: Path | None) -> Iterator[_Result]:
    """Yield the audits of the tasks in order. If `folder` is given, each is recorded there."""
    from planspec.api.auditing.suites import record_file
    from planspec.api.auditing.tasks import unaudited

    def lost(work: AuditWork, code: Exit) -> _Result:
        return _Result([unaudited(work, "every process that audited it ended")], code)

    with ExitStack() as stack:
        notify = stack.enter_context(show_spinner("auditing"))
        add_records = None if folder is None else stack.enter_context(record_file(folder))
        results = map_with_messages(partial(_Auditor, options), suite.work, jobs, lost)
        for number, (work, result) in enumerate(zip(suite.work, results, strict=True), 1):
            notify(f"{number} of {len(suite.work)}: {result.tasks[0].task if result.tasks else work}")
            if add_records is not None and tuple(result.tasks) != work.recorded and result.code is Exit.HOLDS:
                add_records(result.tasks)
            yield result


def _make_reader(
    model: str, folder: Path | None, options: AuditOptions
) -> Callable[[AuditWork, Sequence[TaskAudit]], list[TaskAudit]]:
    """Return a function by which a language model compares the queries of audited tasks with their rules."""
    from planspec.drafting.auditing import with_words
    from planspec.drafting.calls import open_writer

    opened = open_writer(model)
    log = None if folder is None else folder / "replies.jsonl"

    def read(work: AuditWork, audits: Sequence[TaskAudit]) -> list[TaskAudit]:
        return [with_words(each, str(work.reference), opened, log, options.limits) for each in audits]

    return read


def _with_answers(audit: AuditOutput, suite: str, answers: Path, verdicts: Path | None, jobs: Jobs) -> AuditOutput:
    from planspec.scores.published import judge_published
    from planspec.scores.verdict_files import read_verdicts

    theirs = None if verdicts is None else read_verdicts(verdicts)
    judged = judge_published(suite, audit, answers, theirs, jobs=jobs)
    return audit.model_copy(update={"answers": judged})


def _open_scorer(address: str) -> Scorer:
    """Open a scorer.

    Raises:
        CommandLineError: there is no such scorer.
    """
    from planspec.foreign_scorers import UnknownScorerError, open_scorer

    try:
        return open_scorer(address)
    except UnknownScorerError as error:
        raise CommandLineError(str(error)) from None


def _ask_scorer(scorer: Scorer, threshold: float, suite: str, timeout: float | None) -> ScorerAudit:
    """Let a scorer judge answers with proved verdicts to the tasks of a suite."""
    from planspec.api.catalog import Catalog
    from planspec.api.probes import DEADLINE_S
    from planspec.foreign_scorers import audit_scorer

    paths = [str(reference.path) for reference in Catalog().expand(suite)]
    with show_spinner("asking the scorer") as notify:
        deadline = DEADLINE_S if timeout is None else timeout
        return audit_scorer(
            paths,
            scorer,
            threshold=threshold,
            deadline=deadline,
            on_task=lambda task: notify(f"{task.task}: asked"),
        )


def _scorer_codes(scored: ScorerAudit | None) -> Iterator[Exit]:
    """Yield the exit code for disagreements and errors of a scorer; nothing without a scorer."""
    if scored is not None and (scored.disagreements or scored.totals.errors):
        yield Exit.FAILS


def _codes(audit: AuditOutput) -> Iterator[Exit]:
    """Yield the exit code for each result of an audit."""
    from planspec.api.outputs.audits import ERRORS

    for task in audit.tasks:
        if task.result in ERRORS or (task.lazy is not None and task.lazy.passes):
            yield Exit.FAILS
        if task.undecided:
            yield Exit.UNDECIDED
    if any(each.severity == "error" for each in audit.findings):
        yield Exit.FAILS
    if audit.answers is not None and audit.answers.undecided:
        yield Exit.UNDECIDED


def _print_tasks(tasks: Sequence[TaskAudit]) -> None:
    from planspec.api.auditing.text import task_lines

    for task in tasks:
        if task.result != "ok":
            sys.stdout.writelines(f"{line}\n" for line in task_lines(task, Terminal()))


def _print(audit: AuditOutput, format: AuditFormat) -> None:
    from planspec.api.auditing.findings import sarif
    from planspec.api.auditing.text import closing_lines

    match format:
        case AuditFormat.text:
            sys.stdout.writelines(f"{line}\n" for line in closing_lines(audit))
        case AuditFormat.json:
            print_json(audit)
        case AuditFormat.sarif:
            print_json(sarif(audit))


def _write(audit: AuditOutput, output: Path | None) -> None:
    from planspec.files import replace_text

    if output is None:
        return
    if output.suffix == PAGE:
        from planspec.report.audits import render_audit

        replace_text(output, render_audit(audit))
        note(f"page: {output}")
    else:
        replace_text(output, audit.model_dump_json(indent=2) + "\n")
        note(f"record: {output}")
