"""What was read from the files of others: imported suites, and tours over tables of distances."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Literal

from planspec.api.outputs.base import Output

if TYPE_CHECKING:
    from planspec.families.suite_writing.folder import ImportResult


class TableCountOutput(Output):
    """The account of a public table's rows; `noted` rows are kept."""

    table: str
    read: int
    kept: int
    repeated: int
    dropped: dict[str, int]
    noted: dict[str, int]


class LeftOutOutput(Output):
    """A line of a file that made no task, and why."""

    file: str
    line: int
    reason: str


class ImportOutput(Output):
    """The result of an import from a public data set."""

    family: str
    suite: str
    folder: str
    tables: list[TableCountOutput]
    tasks: list[str]
    left_out: list[LeftOutOutput]

    @classmethod
    def of(cls, family: str, made: ImportResult) -> ImportOutput:
        """An import as JSON."""
        return cls(
            family=family, suite=made.suite, folder=str(made.folder),
            tables=[TableCountOutput(
                    table=count.table, read=count.read, kept=count.kept, repeated=count.repeated,
                    dropped=dict(count.dropped), noted=dict(count.noted),
                ) for count in made.tables],
            tasks=list(made.tasks),
            left_out=[LeftOutOutput.model_validate(asdict(left)) for left in made.left_out],
        )  # fmt: skip


class TourOutput(Output):
    """A shortest tour. Nodes are names, or numbers from 1; `length` is null where none was found."""

    n: int
    length: int | None
    bound: int
    status: Literal["optimal", "feasible", "infeasible", "unknown"]
    tour: list[int | str]
    method: str
