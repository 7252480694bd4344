"""`score`: judges many answers, one or several for each task, without a solver."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from planspec.commands.completion import complete_answers, complete_suites
from planspec.commands.console import (
    INSPECT_LOG_SUFFIX,
    CommandLineError,
    Exit,
    Format,
    check_writable,
    collect_garbage_often,
    existing_file,
    leave,
    note,
    note_folder_precedence,
    print_json,
    stdin_lines,
    worst_exit,
)
from planspec.commands.jobs import NumberOfJobs, RayAddress, resolve_jobs
from planspec.commands.verify import AnsweredSetting, Profile, verdict_exit
from planspec.scores.intervals import require_intervals

if TYPE_CHECKING:
    from planspec.parallel import Jobs
    from planspec.scores.answer_lines import AnswersLike


def score(
    plans: Annotated[
        str,
        typer.Argument(
            help="JSON lines or a Parquet table, one answer or trace on each line, or a log of Inspect (.eval); `-` for standard input.",
            metavar="PLANS.jsonl",
            autocompletion=complete_answers,
        ),
    ],
    suite: Annotated[str, typer.Option(help="The suite's file, folder or id.", autocompletion=complete_suites)],
    profile: Profile = "strict",
    setting: AnsweredSetting = None,
    explain_differences: Annotated[
        bool,
        typer.Option(
            "--explain-differences",
            help="Also show where strict and official differ, and why (for families whose traces are scored).",
        ),
    ] = False,
    many: Annotated[
        bool,
        typer.Option(
            "--many",
            help="Accept several answers to a task, each with its `sample`: pass@k, pass^k, best and majority.",
        ),
    ] = False,
    samples: Annotated[
        int | None,
        typer.Option(
            help="With --many: the number of requested answers to each task; if left out, the most that a task has.",
            min=1,
            show_default=False,
        ),
    ] = None,
    k: Annotated[
        str | None,
        typer.Option(
            "--k",
            help="With --many: the k of pass@k and pass^k, such as 1,5,10; if left out, powers of two.",
            metavar="K,...",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="With --many: a file for the verdicts, in the order of the lines: JSON lines, or *.parquet.",
            metavar="FILE",
            show_default=False,
        ),
    ] = None,
    details: Annotated[
        bool, typer.Option("--details", help="With --many: write whole verdicts, with all findings.")
    ] = False,
    jobs: NumberOfJobs = 1,
    ray: RayAddress = None,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Judge many plans, with the family's metrics.

    Tasks without an answer count as undelivered. Families whose metrics need tool calls and tokens take whole
    traces: `trace/1`, records of the public toolkit, chats, or answers alone.

    With --many a task may have several answers, `{"task": ..., "sample": ..., "plan": ...}`. They are judged
    as they arrive, and only the metrics are printed.
    """
    collect_garbage_often()
    note_folder_precedence(suite)
    require_intervals()
    workers = resolve_jobs(jobs, ray)
    lines: AnswersLike = stdin_lines("the answers") if plans == "-" else existing_file(plans, "the answers")
    if isinstance(lines, Path) and lines.suffix == INSPECT_LOG_SUFFIX:
        from planspec.inspecting.logs import log_lines

        lines = log_lines(lines)
    if many:
        if explain_differences:
            raise CommandLineError("--explain-differences is not for --many; `planspec verify` explains one answer")
        if details and out is None:
            raise CommandLineError("--details needs an output file; name it with --out")
        check_writable(out)
        _score_many(suite, lines, profile, setting, samples, k, out, format, details=details, jobs=workers)
    for name, value in (("--samples", samples), ("--k", k), ("--out", out), ("--details", details or None)):
        if value is not None:
            raise CommandLineError(f"{name} requires --many")
    _score(suite, lines, profile, setting, format, differences=explain_differences, jobs=workers)


def _score(
    suite: str,
    lines: AnswersLike,
    profile: str,
    setting: str | None,
    format: Format,
    *,
    differences: bool,
    jobs: Jobs,
) -> NoReturn:
    from planspec.scores.answers import score as scores_of

    details = format is Format.json
    scores = scores_of(
        suite, lines, profile=profile, jobs=jobs, differences=differences, details=details, setting=setting
    )
    if format is Format.text:
        sys.stdout.write(f"{scores}\n")
    elif scores.traces is not None:
        print_json(scores.traces)
    else:
        from planspec.api.outputs.answers import ScoreOutput

        output = ScoreOutput(
            suite=scores.suite,
            profile=scores.profile,
            metrics=dict(scores.metrics),
            plans=list(scores.verdicts),
            unread=list(scores.unread),
        )
        print_json(output)
    if scores.traces is not None:
        leave(Exit.HOLDS if scores.passed else Exit.FAILS)
    leave(worst_exit([*map(verdict_exit, scores.verdicts), *(Exit.FAILS for _ in scores.unread[:1])]))


def _score_many(
    suite: str,
    lines: AnswersLike,
    profile: str,
    setting: str | None,
    samples: int | None,
    k: str | None,
    out: Path | None,
    format: Format,
    *,
    details: bool,
    jobs: Jobs,
) -> NoReturn:
    from planspec.scores.sampling import score_many

    scores = score_many(
        suite,
        lines,
        profile=profile,
        setting=setting,
        jobs=jobs,
        samples=samples,
        draws=_parse_k_values(k),
        out=out,
        details=details,
    )
    if format is Format.text:
        sys.stdout.write(f"{scores}\n")
    else:
        from planspec.api.outputs.answers import ManyScoresOutput

        intervals = {
            name: None if one.low is None or one.high is None else (one.low, one.high)
            for name, one in scores.estimates.items()
        }
        print_json(
            ManyScoresOutput(
                suite=scores.suite,
                profile=scores.profile,
                metrics=scores.metrics,
                intervals=intervals,
                unread=list(scores.unread),
                unjudged=list(scores.unjudged),
            )
        )
    if out is not None:
        note(f"{scores.lines:,} verdicts in {out}")
    leave(Exit.HOLDS if scores.passed else Exit.FAILS)


def _parse_k_values(text: str | None) -> list[int] | None:
    """Parse the values of `--k`, such as `1,5,10`; return None if there are none.

    Raises:
        CommandLineError: a part is not a positive whole number.
    """
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdecimal() and int(part) for part in parts):
        raise CommandLineError(f"--k takes whole numbers such as 1,5,10, not `{text}`")
    return [int(part) for part in parts]
