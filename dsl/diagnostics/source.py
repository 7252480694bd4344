"""Characters with positions: a source file and half-open spans of it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    r"""One text that was read, with the name by which diagnostics speak of it.

    Invariant: `text` is normalised (no byte-order mark, `\n` line ends); offsets count its characters.
    `trees` remembers what the parser made of parts of it, by kind, start and end: many tasks read one library.

    Attributes:
        base: the SQLite file of which this is a query's result; None of texts.
        first_line: the number of the text's first line in its file: it is not 1 where a file holds several texts.
    """

    name: str
    text: str = field(repr=False)
    line_starts: tuple[int, ...] = field(init=False, repr=False)
    trees: dict[tuple[str, int, int], object] = field(default_factory=dict, init=False, repr=False)
    base: Path | None = field(default=None, repr=False)
    first_line: int = 1

    def __post_init__(self) -> None:
        starts = [0]
        find = self.text.find
        at = find("\n")
        while at != -1:
            starts.append(at + 1)
            at = find("\n", at + 1)
        object.__setattr__(self, "line_starts", tuple(starts))

    def __reduce__(self) -> tuple[Any, ...]:
        """Goes to another process without what the parser made of it."""
        return Source, (self.name, self.text, self.base, self.first_line)

    def position(self, offset: int) -> tuple[int, int]:
        """The line and column of an offset, both from 1."""
        at = bisect_right(self.line_starts, offset) - 1
        return self.first_line + at, offset - self.line_starts[at] + 1

    def line_start(self, line: int) -> int:
        """The offset at which a line, by its number in the file, begins."""
        return self.line_starts[line - self.first_line]

    def line_text(self, line: int) -> str:
        """The text of a line, by its number in the file, without its line end."""
        at = line - self.first_line
        end = self.line_starts[at + 1] - 1 if at + 1 < len(self.line_starts) else len(self.text)
        return self.text[self.line_starts[at] : end]


class DescribedSource(Source):
    """A source for what was read from no text: its text is a description, made when somebody first asks for it.

    Args:
        name: by which diagnostics speak of it.
        describe: makes the text.
        base: see `Source`.
    """

    __slots__ = ("_describe", "_made")
    _describe: Callable[[], str]
    _made: str | None

    def __init__(self, name: str, describe: Callable[[], str], base: Path | None = None) -> None:
        put = partial(object.__setattr__, self)  # past the freezing, as a dataclass itself does
        put("name", name)
        put("line_starts", (0,))
        put("trees", {})
        put("base", base)
        put("first_line", 1)
        put("_describe", describe)
        put("_made", None)

    @property
    def text(self) -> str:
        """The description."""
        if self._made is None:
            object.__setattr__(self, "_made", self._describe())
        assert self._made is not None
        return self._made


@dataclass(frozen=True, slots=True)
class Span:
    """The characters `start:end` of a source."""

    source: Source
    start: int
    end: int

    @property
    def text(self) -> str:
        """The characters themselves."""
        return self.source.text[self.start : self.end]

    @property
    def line(self) -> int:
        """The line of the first character, from 1."""
        return self.source.position(self.start)[0]

    @property
    def column(self) -> int:
        """The column of the first character, from 1."""
        return self.source.position(self.start)[1]

    @property
    def place(self) -> tuple[str, int, int, int]:
        """What tells spans apart and puts them in order: the file, the text's line in it, both offsets."""
        return self.source.name, self.source.first_line, self.start, self.end

    @property
    def first_line(self) -> Span:
        """The part on the first line, for what is wrong with the whole and needs no more to be found."""
        end = self.source.text.find("\n", self.start, self.end)
        return self if end == -1 else Span(self.source, self.start, end)

    def to(self, other: Span) -> Span:
        """The smallest span that holds this one and `other` of the same source."""
        return Span(self.source, min(self.start, other.start), max(self.end, other.end))


NOWHERE = Span(Source("<planspec>", ""), 0, 0)
"""The span of what no file says, such as a type's implied column."""
