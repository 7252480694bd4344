"""Rows as their sources have them, before the types of a table's columns are applied: row by row, or texts column by column."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import repeat
from typing import TypeAlias

from planspec.dsl.diagnostics.source import Span
from planspec.dsl.resources.composition import composed
from planspec.dsl.tables.cells import Cell, ColumnReading, RawRow


class Unwritten(Enum):
    """A cell without a text."""

    ABSENT = "the record has no such column"
    BLANK = "the record has nothing in it"
    __hash__ = object.__hash__  # an enum's own takes a call of Python's, for each blank cell


Written: TypeAlias = str | Unwritten | None
"""What alone decides the value of a cell: its text, or that there is none; None where it is more than a text."""
NO_TEXTS: Mapping[str, str] = {}


class RawRows(ABC):
    """Rows that an entry brings, or several entries."""

    __slots__ = ()

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def __getitem__(self, place: int) -> RawRow:
        """The row at a place."""

    @abstractmethod
    def cell(self, place: int, name: str) -> Cell | None:
        """A cell of the row at a place; None where the row has no such column."""

    @abstractmethod
    def span(self, place: int) -> Span:
        """Where the row at a place stands."""

    @abstractmethod
    def names(self) -> Collection[str]:
        """The columns that some row has."""

    @abstractmethod
    def samples(self) -> Iterator[RawRow]:
        """Rows such that any other has the same columns as one of them."""

    @abstractmethod
    def written(self, name: str) -> Sequence[Written]:
        """What alone decides the value of a column in each row."""

    @abstractmethod
    def others(self, columns: Container[str]) -> Iterable[Mapping[str, str]]:
        """The texts that each row has in columns other than these."""


@dataclass(frozen=True, slots=True, eq=False)
class WrittenRows(RawRows):
    """Rows with cells of their own."""

    rows: Sequence[RawRow] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: int) -> RawRow:
        return self.rows[place]

    def cell(self, place: int, name: str) -> Cell | None:
        """See `RawRows`."""
        return self.rows[place].cells.get(name)

    def span(self, place: int) -> Span:
        """See `RawRows`."""
        return self.rows[place].span

    def names(self) -> Collection[str]:
        """See `RawRows`."""
        return dict.fromkeys(name for row in self.rows for name in row.cells)

    def samples(self) -> Iterator[RawRow]:
        """See `RawRows`."""
        return iter(self.rows)

    def written(self, name: str) -> Sequence[Written]:  # noqa: ARG002
        """See `RawRows`."""
        return [None] * len(self.rows)

    def others(self, columns: Container[str]) -> Iterable[Mapping[str, str]]:
        """See `RawRows`."""
        return (
            {
                name: composed(cell.value)
                for name, cell in row.cells.items()
                if name not in columns and isinstance(cell.value, str)
            }
            for row in self.rows
        )


@dataclass(frozen=True, slots=True, eq=False)
class TextRows(RawRows):
    """Rows of texts that one source has; a cell is made when somebody asks for it.

    Attributes:
        places: the place of each column among the columns of the source.
        texts: the texts of each column of the source; None for a blank.
        spans: where each row stands.
        cell_at: makes the cell of a text, given its place in the row and the row's.
        readings: how the cells of some columns are read.
        header: where the names of the columns stand, if they stand anywhere.
    """

    places: Mapping[str, int]
    texts: Sequence[Sequence[str | None]]
    spans: Sequence[Span]
    cell_at: Callable[[str | None, int, Span], Cell]
    readings: Mapping[str, ColumnReading] = field(default_factory=dict)
    header: Span | None = None

    def __len__(self) -> int:
        return len(self.spans)

    def __getitem__(self, place: int) -> RawRow:
        cells = {name: self._cell(place, name, at) for name, at in self.places.items()}
        return RawRow(cells, self.spans[place])

    def cell(self, place: int, name: str) -> Cell | None:
        """See `RawRows`."""
        at = self.places.get(name)
        return None if at is None else self._cell(place, name, at)

    def span(self, place: int) -> Span:
        """See `RawRows`."""
        return self.spans[place]

    def _cell(self, place: int, name: str, at: int) -> Cell:
        cell, reading = self.cell_at(self.texts[at][place], at, self.spans[place]), self.readings.get(name)
        return cell if reading is None else reading.cell(cell)

    def names(self) -> Collection[str]:
        """See `RawRows`."""
        return self.places.keys() if self.spans else ()

    def samples(self) -> Iterator[RawRow]:
        """See `RawRows`."""
        return iter([self[0]] if self.spans else ())

    def written(self, name: str) -> Sequence[Written]:
        """See `RawRows`."""
        place = self.places.get(name)
        if place is None:
            return [Unwritten.ABSENT] * len(self)
        texts = self.texts[place]
        reading = self.readings.get(name)
        if reading is not None and reading.split is None:
            texts = [reading.text(text) for text in texts]
        return [text or Unwritten.BLANK for text in texts]

    def others(self, columns: Container[str]) -> Iterable[Mapping[str, str]]:
        """See `RawRows`."""
        names = [name for name in self.places if name not in columns]
        if not names:
            return repeat(NO_TEXTS, len(self))
        written = zip(*map(self.written, names), strict=True)
        return (
            {name: composed(text) for name, text in zip(names, texts, strict=True) if isinstance(text, str)}
            for texts in written
        )

    def read_as(self, places: Mapping[str, int], readings: Mapping[str, ColumnReading]) -> TextRows:
        """The same rows with columns of other names, and read in another way."""
        return TextRows(places, self.texts, self.spans, self.cell_at, readings, self.header)


@dataclass(frozen=True, slots=True, eq=False)
class JoinedRows(RawRows):
    """Rows of several entries, one after the other."""

    parts: Sequence[RawRows]

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    def __getitem__(self, place: int) -> RawRow:
        part, place = self._part(place)
        return part[place]

    def cell(self, place: int, name: str) -> Cell | None:
        """See `RawRows`."""
        part, place = self._part(place)
        return part.cell(place, name)

    def span(self, place: int) -> Span:
        """See `RawRows`."""
        part, place = self._part(place)
        return part.span(place)

    def _part(self, place: int) -> tuple[RawRows, int]:
        """The part in which a row stands, and its place there."""
        for part in self.parts:
            if place < len(part):
                return part, place
            place -= len(part)
        raise IndexError(place)

    def names(self) -> Collection[str]:
        """See `RawRows`."""
        return dict.fromkeys(name for part in self.parts for name in part.names())

    def samples(self) -> Iterator[RawRow]:
        """See `RawRows`."""
        return (row for part in self.parts for row in part.samples())

    def written(self, name: str) -> Sequence[Written]:
        """See `RawRows`."""
        return [written for part in self.parts for written in part.written(name)]

    def others(self, columns: Container[str]) -> Iterable[Mapping[str, str]]:
        """See `RawRows`."""
        return (texts for part in self.parts for texts in part.others(columns))


def joined(parts: Sequence[RawRows]) -> RawRows:
    """The rows of several entries as those of one."""
    return parts[0] if len(parts) == 1 else JoinedRows(parts)
