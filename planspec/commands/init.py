"""`init`: creates a new benchmark."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from planspec.commands.completion import complete_tasks
from planspec.commands.console import note


def init(
    folder: Annotated[
        Path,
        typer.Argument(help="The new folder; its name becomes the suite's id.", metavar="NAME", show_default=False),
    ],
    start: Annotated[
        str | None,
        typer.Option(
            "--from",
            help="A shipped task whose library and world to start from, such as berlin-001.",
            metavar="TASK",
            show_default=False,
            autocompletion=complete_tasks,
        ),
    ] = None,
) -> None:
    """Make a folder with a new benchmark that passes its tests.

    It has a library, a world, tasks with references and cases, a suite, a README, and files for CI and
    pre-commit. Without `--from` it also has an agent: a script that solves the tasks with their tools.
    """
    from planspec.scaffold import new_benchmark

    benchmark = new_benchmark(folder, start)
    sys.stdout.writelines(f"{benchmark.folder / path}\n" for path in benchmark.files)
    around = next((path for path in Path.cwd().glob("*suite.yaml") if benchmark.folder.resolve() != Path.cwd()), None)
    if around is not None:
        note(f"note: `{folder}` is a separate benchmark inside that of {around.name}")
    enter = "" if benchmark.folder.resolve() == Path.cwd() else f"cd {benchmark.folder} && "
    note(f"made {benchmark.name}, {len(benchmark.files)} files; README.md says what each is for")
    note(f"next: {enter}planspec test && planspec run {benchmark.name} --agent {benchmark.agent} --out runs/first")
