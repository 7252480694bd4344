"""`planspec playground`: planspec as a folder of static files that works in a browser."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from planspec.commands.console import Exit, leave
from planspec.commands.progress import show_spinner


def playground(
    out: Annotated[
        Path,
        typer.Option("--out", help="The playground's folder; an older playground there is replaced.", metavar="DIR"),
    ],
    wheels: Annotated[
        Path | None,
        typer.Option(
            help="A folder of packages to use before any package index; missing ones are downloaded into it.",
            metavar="DIR",
            show_default=False,
            file_okay=False,
        ),
    ] = None,
) -> None:
    """Make a page on which planspec runs entirely in the browser.

    The folder has static files for any web server: Pyodide, the solvers as WebAssembly, an editor, examples.
    Packages come from PyPI and npm and are kept for the next call; each is checked by its hash.
    """
    from planspec.live.playground.packages import gather_packages, pinned_packages
    from planspec.live.playground.site import write_site

    packages = pinned_packages()
    with show_spinner("gathering packages") as notify:
        archives = gather_packages(
            packages,
            lambda number, one: notify(f"{number} of {len(packages)}: {one.name} {one.version}"),
            wheels,
        )
    with show_spinner("writing the playground"):
        size = write_site(out, archives)
    sys.stdout.write(f"{out}: {size / 1e6:.1f} MB, for any web server; to try it: python -m http.server -d {out}\n")
    leave(Exit.HOLDS)
