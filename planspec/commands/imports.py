"""`planspec import`: public data sets -> suites and maps."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from planspec.commands.console import Exit, Format, leave, note, print_json
from planspec.commands.family_commands import family_group
from planspec.suite_writing.options import IMPORTERS
from planspec.text import align

if TYPE_CHECKING:
    from planspec.suite_writing.counts import TableCount
    from planspec.suite_writing.folder import ImportResult


def _import_suite(family: str, make: Callable[[], ImportResult], format: Format) -> None:
    """Import a suite or a map, print a summary, and end the command."""
    from planspec.api.outputs.imports import ImportOutput

    result = make()
    for remark in result.notes:
        note(f"note: {remark}")
    if format is Format.json:
        print_json(ImportOutput.of(family, result))
    else:
        for count in result.tables:  # aligned one by one: a long name must not push the others away
            sys.stdout.writelines(
                f"{line}\n" for line in align([(count.table, _row_counts_text(count))], min_widths=(14,))
            )
        size = f": {len(result.tasks)} tasks" if result.made == "suite" else ""
        sys.stdout.write(f"{result.made} {result.suite}{size} in {result.folder}\n")
    for left in result.left_out:
        note(f"error: {left}; it is left out")
    is_empty = result.made == "suite" and not result.tasks
    leave(Exit.WRONG_INPUT if result.left_out or is_empty else Exit.HOLDS)


import_ = family_group(
    "Make a suite, or a map, from public data.",
    IMPORTERS.of,
    _import_suite,
)


def _row_counts_text(count: TableCount) -> str:
    parts = [f"{count.stored:,} of {count.read:,} rows"]
    if count.repeated:
        parts.append(f"{count.repeated:,} repeated (the first counts)")
    parts += [f"{n:,} dropped: {reason}" for reason, n in count.dropped.items()]
    parts += [f"{n:,} {remark}" for remark, n in count.noted.items() if n]
    return "; ".join(parts)
