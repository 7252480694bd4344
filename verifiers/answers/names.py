"""Resolution of names in answers to rows."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import cached_property

from planspec.dsl.diagnostics.suggestions import most_similar
from planspec.dsl.model.rows import Row
from planspec.dsl.resources.similarity import IN_ANSWERS
from planspec.verifiers.answers.tables import row_names

_NOT_IN_ASCII_NAMES = re.compile("[^a-z0-9]+")


def folded_name(name: str) -> str:
    """Return a name in lower case without accents, spaces and punctuation."""
    if name.isascii():
        return _NOT_IN_ASCII_NAMES.sub("", name.lower())
    bare = (c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    return "".join(c for c in "".join(bare).casefold() if c.isalnum())


_WORDS = re.compile(r"[东西南北]|\d+|[^\W\d_东西南北]+")
_DIRECTIONS = frozenset(
    {"north", "south", "east", "west", "northern", "southern", "eastern", "western", "东", "西", "南", "北"}
)


def directions_and_numbers(name: str) -> list[str]:
    """Return the compass points and numbers in a name, such as `north` and `2`.

    Names that differ in them, such as `Hall 1` and `Hall 2`, belong to different things, however similar they are.
    """
    words = _WORDS.findall(unicodedata.normalize("NFKC", name).casefold())
    return sorted(word for word in words if word in _DIRECTIONS or word.isdecimal())


MAX_CACHED = 10_000
"""Maximum number of strings for which an index caches the rows."""
LONGEST_CACHED = 200
"""Maximum length of a string for which an index caches the rows."""


class NameIndex:
    """An index of rows by name.

    Rows are found by exact key or name. If there are none, case, accents and punctuation are ignored. If there are
    still none, all rows with similar names are found. A single similar row does not count if the string has numbers or
    compass points (`north`) that differ from those in the row's names: `Hall 2` does not match `Hall 1`.

    Args:
        rows: the rows.
        names: function that returns the names of a row.
    """

    def __init__(self, rows: Iterable[Row], names: Callable[[Row], Iterable[str]] = row_names) -> None:
        self._names = names
        self._rows = tuple(rows)
        self._exact: dict[str, dict[Row, None]] = {}
        for row in self._rows:
            for name in names(row):
                self._exact.setdefault(name, {})[row] = None
        self._cache: dict[str, tuple[Row, ...]] = {}

    @cached_property
    def _folded(self) -> dict[str, dict[Row, None]]:
        """Rows by name without case, accents and punctuation. Computed on demand, since most strings match exactly."""
        rows: dict[str, dict[Row, None]] = {}
        for row in self._rows:
            for name in self._names(row):
                if plain := folded_name(name):
                    rows.setdefault(plain, {})[row] = None
        return rows

    def find(self, text: str) -> tuple[Row, ...]:
        """Return the rows that a string may refer to; several if the string is ambiguous."""
        rows = self._cache.get(text)
        if rows is None:
            rows = self._look_up(text)
            if len(text) <= LONGEST_CACHED:
                if len(self._cache) >= MAX_CACHED:
                    self._cache.clear()
                self._cache[text] = rows
        return rows

    def nearest(self, text: str) -> str | None:
        """Return the name that is most similar to a string; None if no name is similar."""
        return most_similar(text[:100], self._exact)

    def _look_up(self, text: str) -> tuple[Row, ...]:
        exact = self._exact.get(text) or self._exact.get(text.strip())
        if exact:
            return tuple(exact)
        plain = folded_name(text[:1000])
        if plain in self._folded:
            return tuple(self._folded[plain])
        if not plain:
            return ()
        from rapidfuzz import process  # imported late, since only misspelt names need it
        from rapidfuzz.distance import Indel

        near = process.extract(
            plain, list(self._folded), scorer=Indel.normalized_similarity, score_cutoff=IN_ANSWERS, limit=None
        )
        alike = tuple({row: None for name, _, _ in near for row in self._folded[name]})
        markers = directions_and_numbers(text[:1000])
        if (
            len(alike) == 1
            and markers
            and not any(directions_and_numbers(name) == markers for name in self._names(alike[0]))
        ):
            return ()
        return alike
