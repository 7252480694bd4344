"""Tables of a world (a city's data), read from CSV files. Each row has its file and line."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Source
from planspec.dsl.documents.task_sections import plain_data
from planspec.dsl.yaml.reader import compose
from planspec.suite_writing.options import UnsuitableSuiteError


class WorldCell(NamedTuple):
    """Position of a cell: file, line and column. The header is line 1."""

    file: str
    line: int
    column: str

    @property
    def table(self) -> str:
        """Name of the table: the name of the file without its ending."""
        return self.file.removesuffix(".csv")


class WorldRow(dict[str, str]):
    """A row of a table: its cells' texts by column.

    Args:
        cells: texts of the row by column.
        file: name of the row's file.
        line: line of the row in the file. It is the last line if the row has several.
    """

    def __init__(self, cells: Mapping[str, str], file: str, line: int) -> None:
        super().__init__(cells)
        self.file = file
        self.line = line

    def at(self, column: str) -> WorldCell:
        """Return the position of a cell of the row."""
        return WorldCell(self.file, self.line, column)

    def __hash__(self) -> int:  # type: ignore[override]  # hashes the row's position instead of its content
        return hash((self.file, self.line))


class Tables:
    """CSV tables in a suite's `world` folder.

    Args:
        folder: folder of the world.

    Raises:
        UnsuitableSuiteError: the folder is not the world of a WorldTravel suite.
    """

    def __init__(self, folder: Path) -> None:
        if not (folder / "world.yaml").is_file() or not (folder / "entry.csv").is_file():
            raise UnsuitableSuiteError(
                f"`{folder}` is no world of a suite that `planspec generate worldtravel` made: it has no world.yaml and entry.csv"
            )
        self.folder = folder
        self._read: dict[str, list[WorldRow]] = {}

    def rows(self, name: str) -> list[WorldRow]:
        """Return the rows of a file, in order. The list is empty if the world has no such file."""
        if name not in self._read:
            path = self.folder / f"{name}.csv"
            self._read[name] = _read_rows(path) if path.is_file() else []
        return self._read[name]

    def rows_where(self, name: str, /, **cells: str) -> list[WorldRow]:
        """Return the rows of a file with the given texts in the given columns."""
        index = self._index(name, tuple(cells))
        return index.get(tuple(cells.values()), [])

    def row_where(self, name: str, /, **cells: str) -> WorldRow | None:
        """Return the first row of a file with the given texts in the given columns, or None if there is none."""
        return next(iter(self.rows_where(name, **cells)), None)

    def _index(self, name: str, columns: tuple[str, ...]) -> Mapping[tuple[str, ...], list[WorldRow]]:
        index = self._indexes.get((name, columns))
        if index is None:
            index = self._indexes[name, columns] = {}
            for row in self.rows(name):
                index.setdefault(tuple(row[column] for column in columns), []).append(row)
        return index

    @cached_property
    def _indexes(self) -> dict[tuple[str, tuple[str, ...]], dict[tuple[str, ...], list[WorldRow]]]:
        return {}

    @cached_property
    def city(self) -> Mapping[str, str]:
        """The only row of the table `City`, with `id`, `name` and `full`.

        Raises:
            UnsuitableSuiteError: the world has no city, or several.
        """
        path = self.folder / "world.yaml"
        root = compose(Source(str(path), path.read_text("utf-8")), Report())
        try:
            (city,) = plain_data(root)["tables"]["City"]["rows"] if root is not None else []
            return {name: str(city[name]) for name in ("id", "name", "full")}
        except (KeyError, TypeError, ValueError) as error:
            raise UnsuitableSuiteError(
                f"{self.folder / 'world.yaml'}: the table `City` has not one row with id, name and full"
            ) from error

    @property
    def names(self) -> list[str]:
        """Names of the world's CSV files without their endings."""
        return sorted(path.stem for path in self.folder.glob("*.csv"))

    @cached_property
    def days(self) -> list[str]:
        """All days of the calendar as texts such as `2026-07-01`, in order."""
        return sorted({row["day"] for name in ("window", "entry") for row in self.rows(name)})


def _read_rows(path: Path) -> list[WorldRow]:
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        return [WorldRow(cells, path.name, reader.line_num) for cells in reader]


def ids(rows: Iterable[WorldRow]) -> list[str]:
    """Return the ids of rows, in order."""
    return [row["id"] for row in rows]
