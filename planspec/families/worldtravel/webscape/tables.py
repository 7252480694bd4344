"""The tables of a world as they are written: texts of cells, each row with its file and line."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Source
from planspec.dsl.documents.task_sections import plain
from planspec.dsl.yaml.reader import compose
from planspec.families.suite_writing.options import UnsuitableSuiteError


class Cell(NamedTuple):
    """Where a cell stands: the file, the line (the header is 1), and the column."""

    file: str
    line: int
    column: str

    @property
    def table(self) -> str:
        """The name of its table: that of the file without its ending."""
        return self.file.removesuffix(".csv")


class Row(dict[str, str]):
    """A row of a table: its texts by column.

    Args:
        cells: of the row.
        file: the name of its file.
        line: its line there; of a row of several lines the last.
    """

    def __init__(self, cells: Mapping[str, str], file: str, line: int) -> None:
        super().__init__(cells)
        self.file = file
        self.line = line

    def at(self, column: str) -> Cell:
        """Where a cell of the row stands."""
        return Cell(self.file, self.line, column)

    def __hash__(self) -> int:  # type: ignore[override]  # a row is itself, whatever it says
        return hash((self.file, self.line))


class Tables:
    """The CSV files of a suite's `world` folder.

    Args:
        folder: of the world.

    Raises:
        UnsuitableSuiteError: it is no world of WorldTravel.
    """

    def __init__(self, folder: Path) -> None:
        if not (folder / "world.yaml").is_file() or not (folder / "entry.csv").is_file():
            raise UnsuitableSuiteError(
                f"`{folder}` is no world of a suite that `planspec generate worldtravel` made: it has no world.yaml and entry.csv"
            )
        self.folder = folder
        self._read: dict[str, list[Row]] = {}

    def rows(self, name: str) -> list[Row]:
        """The rows of a file in order; none where the world has no such file."""
        if name not in self._read:
            path = self.folder / f"{name}.csv"
            self._read[name] = _rows(path) if path.is_file() else []
        return self._read[name]

    def of(self, name: str, /, **cells: str) -> list[Row]:
        """The rows with these texts."""
        index = self._index(name, tuple(cells))
        return index.get(tuple(cells.values()), [])

    def one(self, name: str, /, **cells: str) -> Row | None:
        """The first row with these texts, if there is one."""
        return next(iter(self.of(name, **cells)), None)

    def _index(self, name: str, columns: tuple[str, ...]) -> Mapping[tuple[str, ...], list[Row]]:
        known = self._indexes.get((name, columns))
        if known is None:
            known = self._indexes[name, columns] = {}
            for row in self.rows(name):
                known.setdefault(tuple(row[column] for column in columns), []).append(row)
        return known

    @cached_property
    def _indexes(self) -> dict[tuple[str, tuple[str, ...]], dict[tuple[str, ...], list[Row]]]:
        return {}

    @cached_property
    def city(self) -> Mapping[str, str]:
        """The city of the world: `id`, `name` and `full`.

        Raises:
            UnsuitableSuiteError: the world is of none, or of several.
        """
        path = self.folder / "world.yaml"
        root = compose(Source(str(path), path.read_text("utf-8")), Report())
        try:
            (city,) = plain(root)["tables"]["City"]["rows"] if root is not None else []
            return {name: str(city[name]) for name in ("id", "name", "full")}
        except (KeyError, TypeError, ValueError) as error:
            raise UnsuitableSuiteError(
                f"{self.folder / 'world.yaml'}: the table `City` has not one row with id, name and full"
            ) from error

    @property
    def names(self) -> list[str]:
        """The files that the world has."""
        return sorted(path.stem for path in self.folder.glob("*.csv"))

    @cached_property
    def days(self) -> list[str]:
        """All days of the calendar, such as `2026-07-01`."""
        return sorted({row["day"] for name in ("window", "entry") for row in self.rows(name)})


def _rows(path: Path) -> list[Row]:
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        return [Row(cells, path.name, reader.line_num) for cells in reader]


def ids(rows: Iterable[Row]) -> list[str]:
    """The ids of rows."""
    return [row["id"] for row in rows]
