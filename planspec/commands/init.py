"""`init`: a new benchmark."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from planspec.commands.completion import tasks_named
from planspec.commands.console import note


def init(
    folder: Annotated[
        Path,
        typer.Argument(help="A new folder; its name is the suite's id.", metavar="NAME", show_default=False),
    ],
    start: Annotated[
        str | None,
        typer.Option(
            "--from", help="A shipped task whose library and world are the start, such as berlin-001.",
            metavar="TASK", show_default=False, autocompletion=tasks_named,
        ),
    ] = None,
) -> None:  # fmt: skip
    """Make a folder with a benchmark that passes at once.

    It has a library, a world, tasks with references and cases, a suite, a README, and files for CI and pre-commit;
    without `--from` also an agent, a script that solves the tasks with their tools.
    """
    from planspec.scaffold import new_benchmark

    made = new_benchmark(folder, start)
    sys.stdout.writelines(f"{made.folder / path}\n" for path in made.files)
    around = next(
        (path for path in Path.cwd().glob("*suite.yaml") if made.folder.resolve() != Path.cwd()), None
    )
    if around is not None:
        note(f"note: `{folder}` is a benchmark of its own inside that of {around.name}")
    enter = "" if made.folder.resolve() == Path.cwd() else f"cd {made.folder} && "
    note(f"made {made.name}, {len(made.files)} files; README.md says what each is for")
    note(f"next: {enter}planspec test && planspec run {made.name} --agent {made.agent} --out runs/first")
