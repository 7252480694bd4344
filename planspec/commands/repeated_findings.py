"""Shortening of `check`'s output for tables of tasks: the first findings of each code, and the number of others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from planspec.dsl.diagnostics.diagnostic import Diagnostic
from planspec.dsl.diagnostics.rendering import reported_span
from planspec.dsl.workspace.shards import is_shard

SHOWN = 3
"""Number of findings of one code that are printed for each file of tasks."""
LEAST_LEFT_OUT = 2
"""Minimum number of findings that are replaced by a summary line."""
MOST_PLACES = 5
"""Maximum number of places named in a summary line."""
DOCUMENTS = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class RepeatedFindings:
    """The omitted findings of one code in one file of tasks.

    Attributes:
        diagnostics: the findings, in order.
    """

    diagnostics: tuple[Diagnostic, ...]

    def __str__(self) -> str:
        first = self.diagnostics[0]
        lines = list(dict.fromkeys(str(reported_span(each).line) for each in self.diagnostics))
        places = ", ".join(lines[:MOST_PLACES]) + (", ..." if len(lines) > MOST_PLACES else "")
        file = reported_span(first).source.name
        return f"{first.severity.value}[{first.code}]: {len(self.diagnostics)} more in {file}, lines {places} (--all prints them)"


def first_of_each_kind(diagnostics: Sequence[Diagnostic]) -> tuple[list[Diagnostic], list[RepeatedFindings]]:
    """Return the findings to print and the omitted ones.

    Findings are omitted if their code occurs too often in a file of tasks.
    """
    counts: dict[tuple[str, str], list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        file = reported_span(diagnostic).source.name
        if _holds_tasks(file):
            counts.setdefault((file, diagnostic.code), []).append(diagnostic)
    repeated = [
        RepeatedFindings(tuple(each[SHOWN:])) for each in counts.values() if len(each) >= SHOWN + LEAST_LEFT_OUT
    ]
    left_out = set(_ids(each.diagnostics for each in repeated))
    return [each for each in diagnostics if id(each) not in left_out], repeated


def _ids(groups: Iterable[Iterable[Diagnostic]]) -> Iterator[int]:
    yield from (id(each) for group in groups for each in group)


def _holds_tasks(file: str) -> bool:
    path = Path(file)
    return path.suffix not in DOCUMENTS or is_shard(path)
