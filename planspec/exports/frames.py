"""A run as data frames."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from functools import cache
from os import PathLike
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, get_args, get_origin, get_type_hints

from planspec.exports.rows import RUN_TABLES, RunTable
from planspec.extras import needing
from planspec.runs.folder import RunFolder

if TYPE_CHECKING:
    from pandas import DataFrame


DTYPES = {str: "string", int: "Int64", float: "float64", bool: "bool"}
"""pandas dtype of a column, by Python type of its cells. It gives empty columns the right type."""


@dataclass(frozen=True, slots=True, eq=False)
class Frames:
    """The tables of a run as data frames. The columns `task` and `repeat` join them.

    Other libraries can read them, for example `polars.from_dataframe(frames.attempts)`.

    Attributes:
        attempts: a row for each attempt.
        findings: a row for each finding of each verdict.
        calls: a row for each tool call.
        messages: a row for each message.
        generations: a row for each reply of a model, with the complete input.
    """

    attempts: DataFrame
    findings: DataFrame
    calls: DataFrame
    messages: DataFrame
    generations: DataFrame

    def __repr__(self) -> str:
        return f"<Frames: {', '.join(f'{len(getattr(self, field.name))} {field.name}' for field in fields(self))}>"


def frames(run: str | PathLike[str]) -> Frames:
    """Return a run as pandas data frames; the columns are those of `planspec export rows`.

    Args:
        run: folder of the run.

    Raises:
        InvalidRunError: the folder is not a run, or its records were changed.
        ModuleNotFoundError: the extra `frames` is not installed.
    """
    with needing("frames", "data frames need an extra"):
        import pandas as pd
    attempts = list(RunFolder(Path(run)).attempts())
    return Frames(
        **{
            name: pd.DataFrame(
                [asdict(row) for attempt in attempts for row in table.rows(attempt)],
                columns=[field.name for field in fields(table.row)],
            ).astype(_dtypes(table))
            for name, table in RUN_TABLES.items()
        }
    )


@cache
def _dtypes(table: RunTable) -> dict[str, Any]:
    """Return the dtypes of a table's columns, without columns that hold lists."""
    types = {}
    for name, hint in get_type_hints(table.row).items():
        kinds = get_args(hint) if get_origin(hint) is UnionType else (hint,)
        matches = [DTYPES[kind] for kind in kinds if kind in DTYPES]
        if matches:
            types[name] = matches[0]
    return types
