"""`score`: judges many answers, one or several for each task, without a solver."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from planspec.commands.completion import complete_answers, complete_suites
from planspec.commands.console import (
    INSPECT_LOG_SUFFIX,
    CommandLineError,
    Exit,
    Format,
    GivenValues,
    check_writable,
    collect_garbage_often,
    existing_file,
    leave,
    note,
    note_folder_precedence,
    parse_given,
    print_json,
    print_long_json,
    stdin_lines,
    worst_exit,
)
from planspec.commands.jobs import NumberOfJobs, RayAddress, resolve_jobs
from planspec.commands.readings import ReadingNames, readings_of_answers
from planspec.commands.verify import AnsweredSetting, Profile, verdict_exit
from planspec.scores.intervals import require_intervals

if TYPE_CHECKING:
    from planspec.parallel import Jobs
    from planspec.scores.answer_lines import AnswersLike
    from planspec.scores.answers import Scores
    from planspec.scores.stored_verdicts import VerdictSpool


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
            help="Also list the metrics in which the profiles `strict` and `official` differ, each with the cause; only for "
            "families whose traces are scored.",
        ),
    ] = False,
    many: Annotated[
        bool,
        typer.Option(
            "--many",
            help="Accept several answers to a task, each with its `sample`, and print pass@k, pass^k, best and majority.",
        ),
    ] = False,
    samples: Annotated[
        int | None,
        typer.Option(
            help="With --many: the expected number of answers to each task; if left out, the largest number for any task.",
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
            help="With --many: a file for the verdicts, in the order of the answers. Parquet if it ends in .parquet, else JSON lines.",
            metavar="FILE",
            show_default=False,
        ),
    ] = None,
    details: Annotated[
        bool, typer.Option("--details", help="With --many: write whole verdicts, with all findings.")
    ] = False,
    given: GivenValues = None,
    reading: ReadingNames = None,
    jobs: NumberOfJobs = 1,
    ray: RayAddress = None,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Judge many plans, with the family's metrics.

    Tasks without an answer count as undelivered. Families whose metrics need tool calls and tokens take traces
    (`trace/1`, records of the benchmark's public toolkit, or chats), and also bare answers.

    With --many a task may have several answers, `{"task": ..., "sample": ..., "plan": ...}`. They are judged
    as they arrive, and only the metrics are printed.

    A suite with `readings` has a column for each of them, and a line for each answer on which they disagree.
    """
    collect_garbage_often()
    note_folder_precedence(suite)
    require_intervals()
    workers = resolve_jobs(jobs, ray)
    lines: AnswersLike = stdin_lines("the answers") if plans == "-" else existing_file(plans, "the answers")
    if isinstance(lines, Path) and lines.suffix == INSPECT_LOG_SUFFIX:
        from planspec.inspecting.logs import log_lines

        lines = log_lines(lines)
    values = parse_given(given)
    readings = readings_of_answers(suite, reading, values)
    if readings and not isinstance(lines, PathLike):
        lines = list(lines)  # each reading needs the lines
    request = _Request(suite, lines, profile, setting, values, readings, workers, format)
    if many:
        if explain_differences:
            raise CommandLineError("--explain-differences is not for --many; `planspec verify` explains one answer")
        if details and out is None:
            raise CommandLineError("--details needs an output file; name it with --out")
        if out is not None and len(readings) > 1:
            raise CommandLineError("--out has the verdicts of one reading; choose it with --reading")
        check_writable(out)
        _score_many(request, samples, k, out, details=details)
    for name, value in (("--samples", samples), ("--k", k), ("--out", out), ("--details", details or None)):
        if value is not None:
            raise CommandLineError(f"{name} requires --many")
    _score(request, differences=explain_differences)


@dataclass(frozen=True, slots=True)
class _Request:
    """Arguments of `score`, with and without `--many`.

    Attributes:
        suite: path, folder or id of the suite.
        lines: lines with the answers. With several readings, they can be iterated several times.
        profile: profile by which the answers are judged.
        setting: setting in which the answers were given; None for the default setting.
        given: new values of givens as YAML text, by the name of the given.
        readings: names of the requested readings; empty for the tasks as written.
        jobs: number of processes, or a Ray cluster.
        format: output format.
    """

    suite: str
    lines: AnswersLike
    profile: str
    setting: str | None
    given: Mapping[str, str]
    readings: tuple[str, ...]
    jobs: Jobs
    format: Format


def _score(request: _Request, *, differences: bool) -> NoReturn:
    from planspec.scores.reading_scores import ReadingScores, answer_differences

    if not request.readings:
        leave(_score_as_written(request, differences=differences))
    by_reading = {reading: _scores(request, reading, differences=differences) for reading in request.readings}
    result = ReadingScores(by_reading, tuple(answer_differences(by_reading, request.lines)))
    if request.format is Format.text:
        sys.stdout.write(f"{result}\n")
    else:
        from planspec.scores.score_outputs import reading_scores_output

        print_json(reading_scores_output(result))
    leave(worst_exit(map(_exit_code, by_reading.values())))


def _score_as_written(request: _Request, *, differences: bool) -> Exit:
    """Print the scores of answers to the tasks as written, and return the exit code."""
    if request.format is Format.text:
        scores = _scores(request, differences=differences)
        sys.stdout.write(f"{scores}\n")
        return _exit_code(scores)
    from planspec.scores.score_outputs import score_output
    from planspec.scores.stored_verdicts import VerdictSpool

    with VerdictSpool() as spool:
        scores = _scores(request, differences=differences, spool=spool)
        if scores.traces is not None:
            print_json(scores.traces)
        else:
            print_long_json(score_output(replace(scores, verdicts=())).model_dump(mode="json"), "plans", spool)
    return _exit_code(scores)


def _scores(
    request: _Request, reading: str | None = None, *, differences: bool, spool: VerdictSpool | None = None
) -> Scores:
    from planspec.scores.answers import score

    return score(
        request.suite,
        request.lines,
        profile=request.profile,
        jobs=request.jobs,
        differences=differences,
        details=request.format is Format.json,
        setting=request.setting,
        given=request.given,
        reading=reading,
        spool=spool,
    )


def _exit_code(scores: Scores) -> Exit:
    if scores.traces is not None:
        return Exit.HOLDS if scores.passed else Exit.FAILS
    return worst_exit([*map(verdict_exit, scores.verdicts), *(Exit.FAILS for _ in scores.unread[:1])])


def _score_many(request: _Request, samples: int | None, k: str | None, out: Path | None, *, details: bool) -> NoReturn:
    from planspec.scores.reading_scores import ReadingScores
    from planspec.scores.sampling import score_many

    by_reading = {
        reading: score_many(
            request.suite,
            request.lines,
            profile=request.profile,
            setting=request.setting,
            jobs=request.jobs,
            samples=samples,
            draws=_parse_k_values(k),
            out=out,
            details=details,
            given=request.given,
            reading=reading,
        )
        for reading in request.readings or (None,)
    }
    named = {name: scores for name, scores in by_reading.items() if name is not None}
    result = ReadingScores(named) if named else by_reading[None]
    if request.format is Format.text:
        sys.stdout.write(f"{result}\n")
    else:
        from planspec.scores.score_outputs import many_scores_output, reading_many_scores_output

        print_json(
            reading_many_scores_output(result) if isinstance(result, ReadingScores) else many_scores_output(result)
        )
    if out is not None:
        note(f"{sum(one.lines for one in by_reading.values()):,} verdicts in {out}")
    leave(Exit.HOLDS if result.passed else Exit.FAILS)


def _parse_k_values(text: str | None) -> list[int] | None:
    """Parse the values of `--k`, such as `1,5,10`; None stays None.

    Raises:
        CommandLineError: a part is not a positive whole number.
    """
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdecimal() and int(part) for part in parts):
        raise CommandLineError(f"--k takes whole numbers such as 1,5,10, not `{text}`")
    return [int(part) for part in parts]
