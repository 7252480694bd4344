"""Rows of sources, before conversion to the types of their columns, stored by row or as texts by column."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import repeat
from typing import TypeAlias

from planspec.dsl.diagnostics.source import Span
from planspec.dsl.resources.composition import normalize_text
from planspec.dsl.tables.cell_forms import UnfitCellError
from planspec.dsl.tables.cells import Cell, ColumnReading, RawRow


class MissingText(Enum):
    """The reason why a cell has no text."""

    ABSENT = "the record has no such column"
    BLANK = "the record has nothing in it"
    __hash__ = object.__hash__  # faster than the enum's own, which is Python code called for each blank cell


CellText: TypeAlias = str | MissingText | None
"""The text of a cell, or the reason why it has none; None if the value must be read from the `Cell` itself."""
NO_TEXTS: Mapping[str, str] = {}


class RawRows(ABC):
    """Rows of one or several sources."""

    __slots__ = ()

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def __getitem__(self, index: int) -> RawRow:
        """Return the row at a position."""

    @abstractmethod
    def cell(self, index: int, name: str) -> Cell | None:
        """Return a cell of the row at a position; None if the row has no such column."""

    @abstractmethod
    def span(self, index: int) -> Span:
        """Return the source span of the row at a position."""

    @abstractmethod
    def names(self) -> Collection[str]:
        """Return the columns that any row has."""

    @abstractmethod
    def samples(self) -> Iterator[RawRow]:
        """Yield some of the rows, at least one for each set of columns that occurs in a row."""

    @abstractmethod
    def column_texts(self, name: str) -> Sequence[CellText]:
        """Return the text of each row's cell in a column, or the reason why it has none."""

    @abstractmethod
    def undeclared_texts(self, columns: Container[str]) -> Iterable[Mapping[str, str]]:
        """Return, for each row, its texts by column, without those in `columns`."""


@dataclass(frozen=True, slots=True, eq=False)
class StoredRows(RawRows):
    """Rows that store their cells, unlike `TextRows`, which create them on request."""

    rows: Sequence[RawRow] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> RawRow:
        return self.rows[index]

    def cell(self, index: int, name: str) -> Cell | None:
        return self.rows[index].cells.get(name)

    def span(self, index: int) -> Span:
        return self.rows[index].span

    def names(self) -> Collection[str]:
        return dict.fromkeys(name for row in self.rows for name in row.cells)

    def samples(self) -> Iterator[RawRow]:
        return iter(self.rows)

    def column_texts(self, name: str) -> Sequence[CellText]:  # noqa: ARG002
        return [None] * len(self.rows)

    def undeclared_texts(self, columns: Container[str]) -> Iterable[Mapping[str, str]]:
        return (
            {
                name: normalize_text(cell.value)
                for name, cell in row.cells.items()
                if name not in columns and isinstance(cell.value, str)
            }
            for row in self.rows
        )


@dataclass(frozen=True, slots=True, eq=False)
class TextRows(RawRows):
    """Rows of texts from one source; cells are created on request.

    Attributes:
        column_indices: index of each column in `texts`, by name.
        texts: texts of each column of the source; None for a blank.
        spans: source span of each row.
        cell_at: creates a cell from its text, its index in the row, and the span of the row.
        readings: rules for reading cells, by column. Cells of other columns are read unchanged.
        header: source span of the column names; None without a header.
    """

    column_indices: Mapping[str, int]
    texts: Sequence[Sequence[str | None]]
    spans: Sequence[Span]
    cell_at: Callable[[str | None, int, Span], Cell]
    readings: Mapping[str, ColumnReading] = field(default_factory=dict)
    header: Span | None = None

    def __len__(self) -> int:
        return len(self.spans)

    def __getitem__(self, index: int) -> RawRow:
        cells = {name: self._cell(index, name, at) for name, at in self.column_indices.items()}
        return RawRow(cells, self.spans[index])

    def cell(self, index: int, name: str) -> Cell | None:
        at = self.column_indices.get(name)
        return None if at is None else self._cell(index, name, at)

    def span(self, index: int) -> Span:
        return self.spans[index]

    def _cell(self, index: int, name: str, at: int) -> Cell:
        cell, reading = self.cell_at(self.texts[at][index], at, self.spans[index]), self.readings.get(name)
        return cell if reading is None else reading.cell(cell)

    def names(self) -> Collection[str]:
        return self.column_indices.keys() if self.spans else ()

    def samples(self) -> Iterator[RawRow]:
        return iter([self[0]] if self.spans else ())

    def column_texts(self, name: str) -> Sequence[CellText]:
        index = self.column_indices.get(name)
        if index is None:
            return [MissingText.ABSENT] * len(self)
        texts = self.texts[index]
        reading = self.readings.get(name)
        if reading is not None and reading.form is not None:
            return _formed_texts(reading, texts)
        if reading is not None and reading.split is None:
            texts = [reading.text(text) for text in texts]
        return [text or MissingText.BLANK for text in texts]

    def undeclared_texts(self, columns: Container[str]) -> Iterable[Mapping[str, str]]:
        names = [name for name in self.column_indices if name not in columns]
        if not names:
            return repeat(NO_TEXTS, len(self))
        written = zip(*map(self.column_texts, names), strict=True)
        return (
            {name: normalize_text(text) for name, text in zip(names, texts, strict=True) if isinstance(text, str)}
            for texts in written
        )

    def read_as(self, column_indices: Mapping[str, int], readings: Mapping[str, ColumnReading]) -> TextRows:
        """Return these rows with other column names and other rules for reading cells."""
        return TextRows(column_indices, self.texts, self.spans, self.cell_at, readings, self.header)


def _formed_texts(reading: ColumnReading, texts: Sequence[str | None]) -> Sequence[CellText]:
    """Apply the rules for reading a column to the texts of its cells."""
    return list(map({text: _formed_text(reading, text) for text in dict.fromkeys(texts)}.__getitem__, texts))


def _formed_text(reading: ColumnReading, text: str | None) -> CellText:
    if reading.split is not None:
        return None if text else MissingText.BLANK  # a list has no single text
    try:
        return reading.text(text) or MissingText.BLANK
    except UnfitCellError:
        return None


@dataclass(frozen=True, slots=True, eq=False)
class JoinedRows(RawRows):
    """Rows of several entries, one after the other."""

    parts: Sequence[RawRows]

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    def __getitem__(self, index: int) -> RawRow:
        part, index = self._part(index)
        return part[index]

    def cell(self, index: int, name: str) -> Cell | None:
        part, index = self._part(index)
        return part.cell(index, name)

    def span(self, index: int) -> Span:
        part, index = self._part(index)
        return part.span(index)

    def _part(self, index: int) -> tuple[RawRows, int]:
        """Return the part that contains a row, and the position of the row in this part."""
        for part in self.parts:
            if index < len(part):
                return part, index
            index -= len(part)
        raise IndexError(index)

    def names(self) -> Collection[str]:
        return dict.fromkeys(name for part in self.parts for name in part.names())

    def samples(self) -> Iterator[RawRow]:
        return (row for part in self.parts for row in part.samples())

    def column_texts(self, name: str) -> Sequence[CellText]:
        return [written for part in self.parts for written in part.column_texts(name)]

    def undeclared_texts(self, columns: Container[str]) -> Iterable[Mapping[str, str]]:
        return (texts for part in self.parts for texts in part.undeclared_texts(columns))


def join_rows(parts: Sequence[RawRows]) -> RawRows:
    """Return the rows of several entries as one."""
    return parts[0] if len(parts) == 1 else JoinedRows(parts)
