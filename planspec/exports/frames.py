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
"""The types of columns by those of their cells, so that a column has its type also where nothing stands in it; lists are objects."""


@dataclass(frozen=True, slots=True, eq=False)
class Frames:
    """The tables of a run; `task` and `repeat` join them.

    Other libraries of data frames take each by the interchange protocols of data frames and of Arrow, such as
    `polars.from_dataframe(frames.attempts)`.

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
        InvalidRunError: it is no run, or not as it was written.
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
            ).astype(_dtypes(table))
            for name, table in RUN_TABLES.items()
        }
    )


@cache
def _dtypes(table: RunTable) -> dict[str, Any]:
    """The types of the columns of a table, those of lists left out."""
    made = {}
    for name, told in get_type_hints(table.row).items():
        kinds = get_args(told) if get_origin(told) is UnionType else (told,)
        known = [DTYPES[kind] for kind in kinds if kind in DTYPES]
        if known:
            made[name] = known[0]
    return made
