"""`planspec report`: makes a page about runs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from planspec.commands.completion import complete_runs
from planspec.commands.console import (
    INSPECT_LOG_SUFFIX,
    CommandLineError,
    Exit,
    Format,
    check_writable,
    existing_file,
    leave,
    note,
    print_json,
    reject_nan,
)
from planspec.files import replace_text
from planspec.scores.intervals import require_intervals

if TYPE_CHECKING:
    from planspec.report import ReportPage
    from planspec.runs import RunFolder
    from planspec.scores import Comparison, RunScores
    from planspec.scores.record import RunTable

ALL_TABLES = "all"
"""Value of `--table` that stands for every table."""


def report(
    runs: Annotated[
        list[Path],
        typer.Argument(
            help="The folders of runs, or logs of Inspect (.eval).",
            metavar="RUN...",
            autocompletion=complete_runs,
        ),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="The file of the page.", metavar="FILE")] = Path(
        "report.html"
    ),
    proofs: Annotated[
        bool,
        typer.Option(
            "--proofs/--no-proofs", help="Search for the best plan of each task and the repair of each failing answer."
        ),
    ] = True,
    timeout: Annotated[
        float,
        typer.Option(
            help="Time limit of each search for proofs, in seconds.",
            metavar="SECONDS",
            min=0.001,
            callback=reject_nan,
        ),
    ] = 5.0,
    anchors: Annotated[
        bool, typer.Option("--anchors/--no-anchors", help="Count the temporal anchors of each task.")
    ] = True,
    table: Annotated[
        list[str] | None,
        typer.Option(
            help="Also print this table of a paper on the tasks' family; `all` prints each. May be repeated.",
            metavar="NAME",
        ),
    ] = None,
    jobs: Annotated[int, typer.Option(help="Number of processes.", min=1)] = 1,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Make one page about runs, with every task and its plans.

    The page has scores with intervals and comparisons of runs, and needs no other file. Logs of Inspect are judged by
    the current versions of their tasks. Tables of the papers on the tasks' family, computed from the runs, are on the
    page and in the output of --format json if the runs have the data; `--table` prints them.

    Proofs are stored in the folders of the runs, so that the next report takes less time. A proof that is not found in
    time is shown as unknown.
    """
    from planspec.report import ReportOptions, gather, render
    from planspec.runs import UNCHAINED, RunFolder
    from planspec.scores import run_scores

    require_intervals()
    if len({path.resolve() for path in runs}) < len(runs):
        raise CommandLineError("a run is named twice")
    check_writable(output)
    scored = []
    with TemporaryDirectory() as temporary:
        for number, path in enumerate(runs):
            folder = (
                run_from_log(path, Path(temporary) / str(number))
                if path.suffix == INSPECT_LOG_SUFFIX
                else RunFolder(path)
            )
            scored.append((folder, run_scores(folder, anchors=anchors, jobs=jobs)))
        requested = _requested_tables([scores for _, scores in scored], table or ())
        with _progress() as on_progress:
            page = gather(
                scored, ReportOptions(seconds=timeout if proofs else None, jobs=jobs, on_progress=on_progress)
            )
        replace_text(output, render(page))
    for folder, scores in scored:
        if not scores.run.chained:
            note(f"warning: {UNCHAINED.format(folder.path)}")
    _print(page, requested, output, format)
    leave(Exit.HOLDS)


def plain_spaces(text: str) -> str:
    """Return a text from the page with plain spaces in place of non-breaking and thin ones."""
    return text.replace("\u00a0", " ").replace("\u2009", "")


def run_from_log(log: Path, out: Path) -> RunFolder:
    """Convert a log of Inspect to a run in the folder `out`."""
    from planspec.inspecting.logs import run_of_log

    return run_of_log(existing_file(str(log), "a log of Inspect"), out)


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None] | None]:
    """Show a progress bar within a `with` block, on standard error.

    Yields:
        A callback for the numbers of completed and of all tasks; None if there is no terminal.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("tasks"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("tasks", total=None)
        yield lambda completed, total: bar.update(task, completed=completed, total=total)


def _setting_gap_lines(pair: Comparison) -> Iterator[str]:
    """Yield the lines of a table that compares an agent's metrics in two settings, with intervals."""
    from planspec.text import align

    first, second = pair.first.setting, pair.second.setting
    yield f"{pair.first.agent}, {second} less {first}, over {pair.tasks} tasks, with paired intervals of 95 %:"
    rows = [("  metric", first, second, "difference", "interval")]
    for one in pair.differences:
        has_interval = one.low is not None and one.high is not None
        rows.append(
            (
                f"  {one.metric}",
                _number_text(one.first),
                _number_text(one.second),
                _number_text(one.difference, "+"),
                f"[{one.low:+.4f}, {one.high:+.4f}]" if has_interval else "-",
            )
        )
    yield from (line.rstrip() for line in align(rows, right=(1, 2, 3, 4)))


def _number_text(value: float | None, sign: str = "") -> str:
    return "-" if value is None else f"{value:{sign}.4f}"


def _requested_tables(scores: Sequence[RunScores], names: Sequence[str]) -> list[str]:
    """Return the names of the tables to print.

    Raises:
        CommandLineError: no run has a table with one of the names.
    """
    present = list(dict.fromkeys(table.name for one in scores for table in one.tables))
    for name in names:
        if name != ALL_TABLES and name not in present:
            others = f"; they have {', '.join(present)}" if present else ", and no other"
            raise CommandLineError(f"the records of these runs fill no table `{name}`{others}")
    return present if ALL_TABLES in names else list(names)


def _table_lines(name: str, runs: Sequence[RunScores]) -> Iterator[str]:
    """Yield the lines of a table for each run, and once the definitions of its columns."""
    note = ""
    for scores in runs:
        for table in scores.tables:
            if table.name == name:
                yield from _rows_as_lines(scores, table)
                note = table.note
    if note:
        yield f"  {note}"


def _rows_as_lines(scores: RunScores, table: RunTable) -> Iterator[str]:
    from planspec.report.texts import format_cell
    from planspec.text import align

    yield f"{table.title}: {scores.name}, {scores.run.agent}"
    header = [f"  {table.columns[0].name}", *(column.name for column in table.columns[1:])]
    rows = [
        [format_cell(cell, column.kind) for cell, column in zip(row, table.columns, strict=True)] for row in table.rows
    ]
    right = {place for place, column in enumerate(table.columns) if column.kind != "text" and place}
    yield from align([header, *([f"  {row[0]}", *row[1:]] for row in rows)], right=right)


def _print(page: ReportPage, tables: Sequence[str], output: Path, format: Format) -> None:
    from planspec.report import ReportOutput
    from planspec.report.rendering import format_estimate, format_interval

    if format is Format.json:
        print_json(ReportOutput.of(page, str(output)))
        return
    for chapter in page.chapters:
        for run in chapter.runs:
            scores = run.scores
            summary = f"{scores.passed} of {scores.wanted} pass, {format_estimate(scores.pass_rate)}"
            reach = format_interval(scores.pass_rate)
            missing = f", {scores.missing} without a record" if scores.missing else ""
            shown = f"{chapter.suite}  {run.name}: {summary}{f' ({reach})' if reach else ''}{missing}"
            sys.stdout.write(plain_spaces(shown) + "\n")
        for pair in chapter.comparisons:
            sys.stdout.write(f"{pair.said}\n")
        for gap in chapter.setting_comparisons:
            sys.stdout.writelines(f"{line}\n" for line in _setting_gap_lines(gap.pair))
    scores_of_runs = [run.scores for run in page.runs]
    for name in tables:
        sys.stdout.writelines(f"{plain_spaces(line)}\n" for line in _table_lines(name, scores_of_runs))
    note(f"page: {output}")
