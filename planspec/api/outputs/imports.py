"""Output models for data of other projects: imported suites, and tours over distance tables."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

from planspec.api.outputs.base import Output

if TYPE_CHECKING:
    from planspec.suite_writing.folder import ImportResult


class TableCountOutput(Output):
    """Counts of a public table's rows.

    Attributes:
        read: number of rows read.
        kept: number of rows kept.
        repeated: number of rows left out because they repeat another row.
        dropped: number of rows left out for other reasons, by reason.
        noted: number of rows kept with a remark, by remark.
    """

    table: str
    read: int
    kept: int
    repeated: int
    dropped: dict[str, int]
    noted: dict[str, int]


class SkippedLineOutput(Output):
    """A line of a file that was not imported as a task, with the reason."""

    file: str
    line: int
    reason: str


class ImportOutput(Output):
    """Result of importing a public data set."""

    family: str
    suite: str
    folder: str
    tables: list[TableCountOutput]
    tasks: list[str]
    left_out: list[SkippedLineOutput]

    @classmethod
    def of(cls, family: str, result: ImportResult) -> ImportOutput:
        """Return an import as JSON output."""
        return cls(
            family=family,
            suite=result.suite,
            folder=str(result.folder),
            tables=[
                TableCountOutput(
                    table=count.table,
                    read=count.read,
                    kept=count.stored,
                    repeated=count.repeated,
                    dropped=dict(count.dropped),
                    noted=dict(count.noted),
                )
                for count in result.tables
            ],
            tasks=list(result.tasks),
            left_out=[SkippedLineOutput.model_validate(asdict(left)) for left in result.left_out],
        )


class TourOutput(Output):
    """A shortest tour.

    Attributes:
        n: number of nodes.
        length: length of the tour; null if none was found.
        bound: proved lower bound of the length.
        tour: nodes in order, as names or as numbers that count from 1.
    """

    n: int
    length: int | None
    bound: int
    status: Literal["optimal", "feasible", "infeasible", "unknown"]
    tour: list[int | str]
    method: str


OUTPUTS: dict[str, Any] = {
    "tour": TourOutput,
    "import": ImportOutput,
}
"""Pydantic models of the JSON output of commands, by name."""
