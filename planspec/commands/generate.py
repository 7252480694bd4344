"""`planspec generate`: a family's seeded generator."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from planspec.commands.console import Format, print_json
from planspec.commands.family_commands import family_group
from planspec.commands.progress import progress_bar

if TYPE_CHECKING:
    from planspec.families.suite_writing.options import GeneratedSuite


def _generate(family: str, make: Callable[..., GeneratedSuite], format: Format) -> None:  # noqa: ARG001 of the group
    """Make a suite and say what was made."""
    with progress_bar("generating") as told:
        made = make(told=told)
    if format is Format.json:
        print_json(made.document())
    else:
        sys.stdout.writelines(f"{line}\n" for line in made.lines())


generate = family_group("Make a suite with a seeded generator.", lambda family: family.generator, _generate)
