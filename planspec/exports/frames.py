"""A run as data frames."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from planspec.exports.rows import RUN_TABLES
from planspec.extras import needing
from planspec.runs.folder import RunFolder

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, slots=True, eq=False)
class Frames:
    """The tables of a run; `task` and `repeat` join them.

    Attributes:
        attempts: a row for each attempt.
        findings: a row for each finding of each verdict.
        calls: a row for each tool call.
        messages: a row for each message.
        generations: a row for each reply of a model, with all that it was given.
    """

    attempts: DataFrame
    findings: DataFrame
    calls: DataFrame
    messages: DataFrame
    generations: DataFrame

    def __repr__(self) -> str:
        return f"<Frames: {', '.join(f'{len(getattr(self, field.name))} {field.name}' for field in fields(self))}>"


def frames(run: str | PathLike[str]) -> Frames:
    """A run as data frames of pandas; the columns are those of `planspec export rows`.

    Args:
        run: its folder.

    Raises:
        BrokenRun: it is no run, or not as it was written.
        ModuleNotFoundError: the extra `frames` is not installed.
    """
    with needing("frames", "data frames need an extra"):
        import pandas as pd
    made = list(RunFolder(Path(run)).attempts())
    return Frames(
        **{
            name: pd.DataFrame(
                [asdict(row) for attempt in made for row in table.rows(attempt)],
                columns=[field.name for field in fields(table.row)],
            )
            for name, table in RUN_TABLES.items()
        }
    )
