"""`planspec play`: tasks in a browser while they are written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planspec.commands.completion import complete_agents, complete_tasks
from planspec.commands.console import CommandLineError, Exit, existing_file, leave, note
from planspec.commands.draft import CALLS, parse_budget, price_table

if TYPE_CHECKING:
    from planspec.live.play.jobs import DraftSettings


def play(
    path: Annotated[
        str,
        typer.Argument(
            help="A task or suite by file or id, or a folder with tasks.",
            metavar="[PATH]",
            autocompletion=complete_tasks,
        ),
    ] = ".",
    answer: Annotated[
        Path | None,
        typer.Option(help="Show the plan of this answer instead of the reference.", metavar="FILE", show_default=False),
    ] = None,
    timeout: Annotated[float, typer.Option(help="Time limit of each solver call, in seconds.", min=0.1)] = 10.0,
    proofs: Annotated[bool, typer.Option("--proofs/--no-proofs", help="Also call solvers.")] = True,
    port: Annotated[int, typer.Option(help="The port to listen on; 0 for a free one.", min=0, max=65535)] = 0,
    model: Annotated[
        str | None,
        typer.Option(
            help="Also let this agent draft tasks from requests, as in `draft`.",
            metavar="AGENT",
            autocompletion=complete_agents,
            show_default=False,
        ),
    ] = None,
    budget: Annotated[
        str,
        typer.Option(
            help="Limit for each draft: of model calls (60), of cost (0.50USD), or of both (60,0.50USD).",
            metavar="BUDGET",
        ),
    ] = str(CALLS),
    prices: Annotated[
        Path | None,
        typer.Option(help="JSON file with the prices of models, as for `run`.", metavar="FILE", show_default=False),
    ] = None,
) -> None:
    """Show tasks in a browser while they are written.

    Prints the address of a local page that is updated when a file changes. The page shows mistakes and the reference's
    verdict and plan at once, then what solvers prove: feasibility, uniqueness, another plan, conflicts, ways out, the
    smallest repair. With --model, tasks can also be drafted on the page from requests in plain words. Ctrl-C ends the
    command.
    """
    from planspec.live.play import PlayServer

    drafting = _draft_settings(model, budget, prices, timeout)
    tasks = _named_tasks(path, may_be_empty=drafting is not None)
    if answer is not None:
        existing_file(str(answer), "the answer")
    try:
        server = PlayServer(tasks, port, timeout, answer, proofs=proofs, drafting=drafting, folder=_draft_folder(path))
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror or error
        raise CommandLineError(f"cannot listen at port {port}: {reason}") from None
    shown = tasks[0][0] if len(tasks) == 1 else f"{len(tasks)} tasks"
    note(f"showing {shown if tasks else 'a box for requests'} at {server.url}")
    try:
        server.serve()
    finally:
        server.close()
    leave(Exit.HOLDS)


def _draft_settings(model: str | None, budget: str, prices: Path | None, timeout: float) -> DraftSettings | None:
    """Return the settings for drafts; None without a model.

    Raises:
        CommandLineError: an option is malformed, or needs another one.
        UnknownAgentError: there is no such model.
    """
    from planspec.drafting.calls import open_writer
    from planspec.live.play.jobs import DraftSettings

    limits = parse_budget(budget)
    table = price_table(prices, limits)
    if model is None:
        return None
    open_writer(model)
    return DraftSettings(model=model, calls=limits.calls, usd=limits.usd, prices=table, seconds=timeout)


def _draft_folder(path: str) -> Path:
    """Return the folder for drafts: `path` if it is a folder, or the current folder."""
    return Path(path) if Path(path).is_dir() else Path()


def _named_tasks(path: str, *, may_be_empty: bool = False) -> list[tuple[str, Path]]:
    """Return name and file of each task to which `path` refers, as a task, a suite or a folder.

    Raises:
        CommandLineError: the folder or suite has no task.
    """
    from planspec.api.catalog import Catalog

    catalog = Catalog()
    folder = Path(path)
    if not catalog.means_several(path):
        named = catalog.named(path)
        return [(path, named.path)]
    tasks = list(catalog.ids(catalog.documents([folder] if folder.exists() else [catalog.suite_path(path)])))
    if not tasks and not may_be_empty:
        raise CommandLineError(
            f"there is no task in `{path}`; name one, or make a folder with some: `planspec init NAME`"
        )
    return tasks
