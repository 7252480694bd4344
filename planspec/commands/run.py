"""`planspec run`: runs an agent on a suite, and records each attempt."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from planspec.commands.completion import complete_agents, complete_documents, complete_runs, complete_settings
from planspec.commands.console import (
    CommandInterrupt,
    CommandLineError,
    Exit,
    Format,
    collect_garbage_often,
    leave,
    note,
    note_folder_precedence,
    print_json,
    reject_nan,
    shorten_line,
)
from planspec.commands.jobs import RayAddress, resolve_jobs
from planspec.environments.agent_task import SETTINGS
from planspec.family.registry import family_of
from planspec.scores.intervals import require_intervals

if TYPE_CHECKING:
    from planspec.runs import Attempt, FailingAgentError, Progress, RunFolder

RUNS = Path("runs")
"""Default parent folder of runs."""


def run(
    suite: Annotated[
        str | None,
        typer.Argument(
            help="A suite, task or folder of tasks, by path or id.",
            metavar="SUITE|TASK",
            show_default=False,
            autocompletion=complete_documents,
        ),
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option(
            help="The agent, with options: NAME[:option=value,...].",
            metavar="NAME[:opt=v]",
            autocompletion=complete_agents,
        ),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            help="Continue a run: make the attempts that are missing or that failed at the provider.",
            metavar="RUN",
            autocompletion=complete_runs,
        ),
    ] = None,
    setting: Annotated[
        str | None,
        typer.Option(
            help="The setting in which agents solve the tasks; if left out, the first for which the suite has the files.",
            autocompletion=complete_settings,
        ),
    ] = None,
    jobs: Annotated[int, typer.Option(help="Number of parallel attempts, each in its own process.", min=1)] = 1,
    ray: RayAddress = None,
    limit: Annotated[int | None, typer.Option(help="Run only the first N tasks.", metavar="N", min=1)] = None,
    task: Annotated[
        list[str] | None,
        typer.Option(
            help="Run only this task of the suite; may be given several times.",
            metavar="ID",
            show_default=False,
        ),
    ] = None,
    repeats: Annotated[int, typer.Option(help="Number of attempts at each task, each with its own seed.", min=1)] = 1,
    seed: Annotated[int, typer.Option(help="Seed of the first repeat.")] = 0,
    timeout: Annotated[
        float,
        typer.Option(help="Time limit of one attempt, in seconds.", metavar="SECONDS", min=0.001, callback=reject_nan),
    ] = 600.0,
    tool_calls: Annotated[
        int | None,
        typer.Option(
            help="Maximum number of tool calls in an attempt; one more ends it. Calls beyond a setting's own limit (`calls`) are only refused.",
            min=0,
            show_default=False,
        ),
    ] = None,
    steps: Annotated[int, typer.Option(help="Maximum number of model requests in an attempt.", min=0)] = 60,
    tokens: Annotated[
        int | None, typer.Option(help="Maximum number of tokens in an attempt, input and output.", min=1)
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The run's new folder.", metavar="DIR", show_default=False)] = None,
    name: Annotated[
        str | None,
        typer.Option(help="Name of the run in reports, instead of its agent.", metavar="NAME", show_default=False),
    ] = None,
    prices: Annotated[
        Path | None,
        typer.Option(
            help="JSON file of prices in USD per million tokens: {MODEL: {input, cached_input, output}}.",
            metavar="FILE",
            show_default=False,
        ),
    ] = None,
    response_cache: Annotated[
        Path | None,
        typer.Option(
            help="Cache replies of models in a folder, and send each request only once.",
            metavar="DIR",
            show_default=False,
        ),
    ] = None,
    fail_under: Annotated[
        float,
        typer.Option(help="Exit 1 if a smaller share of attempts passes.", metavar="SHARE", min=0, max=1),
    ] = 0.0,
    fail_on_error: Annotated[
        int | None,
        typer.Option(
            help="Stop after K consecutive failures at the same boundary; 0: never. By default, stop after 10 at `provider`, at "
            "`tool` or at `adapter`.",
            metavar="K",
            min=0,
            show_default=False,
        ),
    ] = None,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Run an agent on a suite or a task.

    Each attempt is recorded when it ends, and --resume continues an interrupted run. An attempt without an answer
    counts as undelivered; the boundary at which it failed, such as `provider` or `tool`, is recorded. The first failure
    at each boundary is reported at once.

    Exits 0 when the run is complete, whatever the scores; 1 if fewer attempts pass than --fail-under
    requires, or if every attempt failed at a boundary; 3 if --fail-on-error stopped it.
    """
    from planspec.agents import AgentSpec, Limits
    from planspec.runs import UNCHAINED, FailingAgentError, RunFolder, RunOptions, begin, resume_run
    from planspec.runs.prices import read_prices
    from planspec.scores import run_metrics

    collect_garbage_often()
    require_intervals()
    workers = resolve_jobs(jobs, ray)
    if resume is not None:
        if suite is not None or agent is not None or task or name or prices or response_cache:
            raise CommandLineError("--resume takes the suite and agent from the run; leave out the other options")
        folder = RunFolder(resume)
    else:
        if suite is None or agent is None:
            raise CommandLineError(
                "name a suite or task and an agent: planspec run SUITE --agent NAME; or a run to --resume"
            )
        note_folder_precedence(suite)
        spec = AgentSpec.read(agent)
        limits = Limits(seconds=timeout, tool_calls=tool_calls, steps=steps, tokens=tokens)
        if name is not None and not (name.strip() and name.isprintable()):
            raise CommandLineError("--name must be a line of text")
        folder = RunFolder(out or _new_folder(suite, spec.name if name is None else name))
        options = RunOptions(
            suite,
            spec,
            setting,
            limits,
            repeats,
            seed,
            limit,
            tuple(task or ()),
            name,
            {} if prices is None else read_prices(prices),
            response_cache,
        )
        header = begin(options, folder)
        note(f"run {folder.path}")
        family_settings = SETTINGS.of(family_of(header.family))
        default = next(iter(family_settings))
        if setting is None and header.setting in family_settings and header.setting != default:
            note(f"setting {header.setting}, which the suite is prepared for; --setting {default} says what it needs")
        if header.uncontained is not None:
            note(f"warning: the agent's program is not contained: {header.uncontained}")
    stopped: FailingAgentError | None = None
    try:
        with _progress() as shown:
            resume_run(
                folder,
                workers,
                _FailureReporter(folder, shown).on_progress,
                begun=resume is None,
                max_consecutive_failures=fail_on_error,
            )
    except FailingAgentError as error:
        stopped = error
    except CommandInterrupt:
        note(_resume_hint(folder))
        raise
    metrics = run_metrics(folder)
    if not folder.read_header().chained:
        note(f"warning: {UNCHAINED.format(folder.path)}")
    _report_and_exit(folder, format, metrics, fail_under, stopped)


def _resume_hint(folder: RunFolder) -> str:
    return f"continue with: planspec run --resume {quote(str(folder.path))}"


class _FailureReporter:
    """Prints the first failure at each boundary (such as `provider`) when it happens.

    Args:
        folder: folder of the run.
        forward: further callback for the progress, or None.
    """

    def __init__(self, folder: RunFolder, forward: Callable[[Progress], None] | None) -> None:
        self._folder, self._forward = folder, forward
        self._reported: set[str] = set()

    def on_progress(self, progress: Progress) -> None:
        """Print the failure of the last attempt if it is the first at its boundary."""
        failure = None if progress.last is None else progress.last.failure
        if progress.last is not None and failure is not None and failure.boundary not in self._reported:
            self._reported.add(failure.boundary)
            note(f"{progress.last.task} failed at {failure.boundary}: {failure.message}")
            if failure.traceback is not None:
                note(
                    f"  at {failure.place}; traceback: {self._folder.attempts_file}, line {progress.line}, and in the report"
                )
        if self._forward is not None:
            self._forward(progress)


def _new_folder(suite: str, agent: str) -> Path:
    """Return the path of a new folder for a run, named after the suite, the agent and the time."""
    when = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    base = f"{Path(suite).resolve().stem if Path(suite).exists() else suite}-{_slug(agent)}-{when}"
    folder, again = RUNS / base, 1
    while folder.exists():
        again += 1
        folder = RUNS / f"{base}-{again}"
    return folder


def _slug(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name).strip("-.")[:60] or "run"


@contextmanager
def _progress() -> Iterator[Callable[[Progress], None] | None]:
    """Show a progress bar within a `with` block, on standard error.

    Yields:
        A callback for the progress of a run; None if there is no terminal.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=None)

        def show(now: Progress) -> None:
            left = "" if now.seconds_left is None else f", {_clock_text(now.seconds_left)} left"
            rate = f"{now.passed / now.done:.0%} pass" if now.done else "none ended yet"
            failed = f", {now.failed} failed" if now.failed else ""
            bar.update(task, total=now.total, completed=now.done, description=f"{rate}{failed}{left}")

        yield show


def _clock_text(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _report_and_exit(
    folder: RunFolder,
    format: Format,
    metrics: Mapping[str, Any],
    fail_under: float,
    stopped: FailingAgentError | None,
) -> NoReturn:
    from planspec.api.outputs.runs import FailureOutput, RunOutput
    from planspec.scores.score_text import metric_lines
    from planspec.traces.metrics import trace_metrics
    from planspec.verifiers.official.protocol import STRICT

    header = folder.read_header()
    attempts = list(folder.attempts())
    statuses = Counter(attempt.status for attempt in attempts)
    failures = [
        FailureOutput(
            boundary=boundary,
            attempts=len(failed),
            task=failed[0].task,
            message=failed[0].failure.message,
            place=failed[0].failure.place,
        )
        for boundary, failed in _failures_by_boundary(attempts).items()
        if failed[0].failure is not None
    ]
    if format is Format.json:
        print_json(
            RunOutput(
                run=str(folder.path),
                name=header.name,
                usd=_total_usd(attempts),
                suite=header.suite,
                agent=header.agent,
                metrics=dict(metrics),
                attempts=dict(statuses),
                failures=failures,
                stopped=None if stopped is None else str(stopped),
            )
        )
    else:
        trace_metric_set = trace_metrics(header.family)
        lines = metric_lines(metrics) if trace_metric_set is None else trace_metric_set.metric_lines(metrics, STRICT)
        sys.stdout.writelines(f"{line}\n" for line in lines)
        if trace_metric_set is not None and "samples" in metrics:
            sys.stdout.writelines(f"{line}\n" for line in metric_lines({"samples": metrics["samples"]}))
        sys.stdout.write(", ".join(f"{n} {status}" for status, n in sorted(statuses.items())) + "\n")
        if header.prices:
            cost = _total_usd(attempts)
            unknown = sum(attempt.usd is None for attempt in attempts)
            sys.stdout.write(f"cost unknown for {unknown} attempts\n" if cost is None else f"cost {cost:.6f} USD\n")
        for failure in failures:
            sys.stdout.write(
                f"{failure.attempts} failed at {failure.boundary}, first {failure.task}: {shorten_line(failure.message)}\n"
            )
        if stopped is None:
            note(f"next: planspec report {quote(str(folder.path))}")
    if stopped is not None:
        missing = len(header.tasks) * header.repeats - len(attempts)
        note(f"error: {stopped}; {missing} of {len(attempts) + missing} attempts were not made")
        note(_resume_hint(folder))
        leave(Exit(stopped.exit_code))
    passed = statuses["pass"] / len(attempts) if attempts else 0.0
    unanswered = sum(failure.attempts for failure in failures) == len(attempts)
    leave(Exit.FAILS if unanswered or passed < fail_under else Exit.HOLDS)


def _total_usd(attempts: Iterable[Attempt]) -> float | None:
    """Return the total cost of attempts in USD; None if there are none or a cost is unknown."""
    costs = [attempt.usd for attempt in attempts]
    recorded = [usd for usd in costs if usd is not None]
    return sum(recorded) if costs and len(recorded) == len(costs) else None


def _failures_by_boundary(attempts: Iterable[Attempt]) -> dict[str, list[Attempt]]:
    """Return failed attempts by boundary, beginning with the boundary that has most failures."""
    failed: dict[str, list[Attempt]] = {}
    for attempt in attempts:
        if attempt.failure is not None:
            failed.setdefault(attempt.failure.boundary, []).append(attempt)
    return dict(sorted(failed.items(), key=lambda item: -len(item[1])))
