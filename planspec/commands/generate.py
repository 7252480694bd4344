"""`planspec generate`: a family's seeded generator."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from planspec.commands.console import Format, print_json
from planspec.commands.family_commands import family_group
from planspec.commands.progress import progress_bar

if TYPE_CHECKING:
    from planspec.families.family import Family, Lazy
    from planspec.families.suite_writing.options import GeneratedSuite, Generator


def _generate(family: str, make: Callable[..., GeneratedSuite], format: Format) -> None:  # noqa: ARG001 as the group requires
    """Generate a suite and print its summary."""
    with progress_bar("generating") as on_progress:
        suite = make(on_progress=on_progress)
    if format is Format.json:
        print_json(suite.document())
    else:
        sys.stdout.writelines(f"{line}\n" for line in suite.lines())


def _family_generators(family: Family) -> dict[str, Lazy[Generator]]:
    return ({family.name: family.generator} if family.generator else {}) | dict(family.generators)


generate = family_group("Make a suite with a seeded generator.", _family_generators, _generate)
