"""`planspec import`: public data sets -> suites and maps."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from planspec.commands.console import Exit, Format, leave, note, print_json
from planspec.commands.family_commands import family_group
from planspec.text_table import align

if TYPE_CHECKING:
    from planspec.families.suite_writing.counts import TableCount
    from planspec.families.suite_writing.folder import ImportResult


def _import(family: str, make: Callable[[], ImportResult], format: Format) -> None:
    """Make a suite, say what was made, and leave."""
    from planspec.api.outputs.imports import ImportOutput

    made = make()
    for remark in made.notes:
        note(f"note: {remark}")
    if format is Format.json:
        print_json(ImportOutput.of(family, made))
    else:
        for count in made.tables:  # each line for itself: one name that is long does not push the others away
            sys.stdout.writelines(f"{line}\n" for line in align([(count.table, _rows(count))], least=(14,)))
        holds = f": {len(made.tasks)} tasks" if made.made == "suite" else ""
        sys.stdout.write(f"{made.made} {made.suite}{holds} in {made.folder}\n")
    for left in made.left_out:
        note(f"error: {left}; it is left out")
    lacking = made.made == "suite" and not made.tasks
    leave(Exit.WRONG_INPUT if made.left_out or lacking else Exit.HOLDS)


import_ = family_group(
    "Make a suite, or a map, of public data.",
    lambda family: ({family.name: family.importer} if family.importer else {}) | dict(family.importers),
    _import,
)


def _rows(count: TableCount) -> str:
    parts = [f"{count.kept:,} of {count.read:,} rows"]
    if count.repeated:
        parts.append(f"{count.repeated:,} repeated (the first counts)")
    parts += [f"{n:,} dropped: {reason}" for reason, n in count.dropped.items()]
    parts += [f"{n:,} {remark}" for remark, n in count.noted.items() if n]
    return "; ".join(parts)
