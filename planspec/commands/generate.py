"""`planspec generate`: seeded generators of tasks, provided by families."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from planspec.commands.console import Format, print_json
from planspec.commands.family_commands import family_group
from planspec.commands.progress import progress_bar
from planspec.suite_writing.options import GENERATORS

if TYPE_CHECKING:
    from planspec.suite_writing.options import GeneratedSuite


def _generate(family: str, make: Callable[..., GeneratedSuite], format: Format) -> None:  # noqa: ARG001 as the group requires
    """Generate a suite and print its summary."""
    with progress_bar("generating") as on_progress:
        suite = make(on_progress=on_progress)
    if format is Format.json:
        print_json(suite.document())
    else:
        sys.stdout.writelines(f"{line}\n" for line in suite.lines())


generate = family_group("Make a suite with a seeded generator.", GENERATORS.of, _generate)
