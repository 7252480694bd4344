"""Sources of text and half-open spans in them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    r"""A text with its name in diagnostics.

    Invariant: `text` is normalised (no byte-order mark, `\\n` line ends); offsets count its characters.
    `trees` caches syntax trees by grammar symbol, start and end offset, since many tasks use one library.

    Attributes:
        base: SQLite file if the source is the result of a query; otherwise `None`.
        first_line: number of the text's first line in its file, which may hold several texts.
        made_from: files from which the text was made, if it is not part of a file.
    """

    name: str
    text: str = field(repr=False)
    line_starts: tuple[int, ...] = field(init=False, repr=False)
    trees: dict[tuple[str, int, int], object] = field(default_factory=dict, init=False, repr=False)
    base: Path | None = field(default=None, repr=False)
    first_line: int = 1
    made_from: tuple[Path, ...] = ()

    def __post_init__(self) -> None:
        starts = [0]
        find = self.text.find
        at = find("\n")
        while at != -1:
            starts.append(at + 1)
            at = find("\n", at + 1)
        object.__setattr__(self, "line_starts", tuple(starts))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the source without its cached syntax trees."""
        return _unpickled, (self.name, self.text, self.base, self.first_line, self.made_from)

    @property
    def files(self) -> tuple[Path, ...]:
        """Paths of the files of the text: the file that contains it, or those from which it was made."""
        return self.made_from or (Path(self.name) if self.base is None else self.base,)

    def position(self, offset: int) -> tuple[int, int]:
        """Return the line and column of an offset, both from 1."""
        at = bisect_right(self.line_starts, offset) - 1
        return self.first_line + at, offset - self.line_starts[at] + 1

    def line_start(self, line: int) -> int:
        """Return the offset at which a line begins; lines are numbered as in the file."""
        return self.line_starts[line - self.first_line]

    def line_text(self, line: int) -> str:
        """Return the text of a line without its line end; lines are numbered as in the file."""
        at = line - self.first_line
        end = self.line_starts[at + 1] - 1 if at + 1 < len(self.line_starts) else len(self.text)
        return self.text[self.line_starts[at] : end]


def _unpickled(name: str, text: str, base: Path | None, first_line: int, made_from: tuple[Path, ...]) -> Source:
    return Source(name, text, base=base, first_line=first_line, made_from=made_from)


class DescribedSource(Source):
    """A source for data that was not read from a text, such as the rows of a Parquet file.

    Its text is a description of the data, generated on first access.

    Args:
        name: the name that diagnostics use.
        describe: generates the text.
        base: SQLite file, as in `Source`.
        made_from: files, as in `Source`.
    """

    __slots__ = ("_describe", "_description")
    _describe: Callable[[], str]
    _description: str | None

    def __init__(
        self, name: str, describe: Callable[[], str], base: Path | None = None, made_from: tuple[Path, ...] = ()
    ) -> None:
        set_ = partial(object.__setattr__, self)  # the dataclass is frozen
        set_("name", name)
        set_("line_starts", (0,))
        set_("trees", {})
        set_("base", base)
        set_("first_line", 1)
        set_("made_from", made_from)
        set_("_describe", describe)
        set_("_description", None)

    @property
    def text(self) -> str:
        """Text of the source: its description, which is computed at first use."""
        if self._description is None:
            object.__setattr__(self, "_description", self._describe())
        assert self._description is not None
        return self._description


@dataclass(frozen=True, slots=True)
class Span:
    """The characters `start:end` of a source."""

    source: Source
    start: int
    end: int

    @property
    def text(self) -> str:
        """The characters of the span."""
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
    def sort_key(self) -> tuple[str, int, int, int]:
        """The sort key and identity of a span: file, first line of the source, start and end."""
        return self.source.name, self.source.first_line, self.start, self.end

    @property
    def first_line(self) -> Span:
        """The part of the span on its first line, at which a mistake in a long span is reported."""
        end = self.source.text.find("\n", self.start, self.end)
        return self if end == -1 else Span(self.source, self.start, end)

    def to(self, other: Span) -> Span:
        """Return the smallest span that covers this one and `other`. Both must have the same source."""
        return Span(self.source, min(self.start, other.start), max(self.end, other.end))


NOWHERE = Span(Source("<planspec>", ""), 0, 0)
"""The span of things that appear in no file, such as a type's implied column."""
