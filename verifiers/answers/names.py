"""Names as agents write them -> the rows that are meant."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import cached_property

from planspec.dsl.diagnostics.suggestions import suggestion
from planspec.dsl.model.rows import Row
from planspec.dsl.resources.similarity import IN_ANSWERS
from planspec.verifiers.answers.tables import row_names

_NOT_IN_ASCII_NAMES = re.compile("[^a-z0-9]+")


def folded(name: str) -> str:
    """A name without case, accents, blanks and punctuation."""
    if name.isascii():
        return _NOT_IN_ASCII_NAMES.sub("", name.lower())
    bare = (c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    return "".join(c for c in "".join(bare).casefold() if c.isalnum())


_WORDS = re.compile(r"[东西南北]|\d+|[^\W\d_东西南北]+")
_TELLING = frozenset(
    {"north", "south", "east", "west", "northern", "southern", "eastern", "western", "东", "西", "南", "北"}
)


def telling(name: str) -> list[str]:
    """The words that tell otherwise similar names apart: points of the compass, and numbers."""
    words = _WORDS.findall(unicodedata.normalize("NFKC", name).casefold())
    return sorted(word for word in words if word in _TELLING or word.isdecimal())


MOST_KNOWN = 10_000
LONGEST_KNOWN = 200
"""The most texts of which an index keeps what they mean, and the longest of them."""


class NameIndex:
    """Rows by what they are called.

    A row is found by its key or its name as they stand; else by the same, folded; else by a name that is
    similar after folding, if no other row has one, and if the text tells no other compass points or numbers.

    Args:
        rows: what can be meant.
        names: what a row is called.
    """

    def __init__(self, rows: Iterable[Row], names: Callable[[Row], Iterable[str]] = row_names) -> None:
        self._names = names
        self._rows = tuple(rows)
        self._exact: dict[str, dict[Row, None]] = {}
        for row in self._rows:
            for name in names(row):
                self._exact.setdefault(name, {})[row] = None
        self._found: dict[str, tuple[Row, ...]] = {}

    @cached_property
    def _folded(self) -> dict[str, dict[Row, None]]:
        """Rows by their folded names; most texts are names as they stand."""
        found: dict[str, dict[Row, None]] = {}
        for row in self._rows:
            for name in self._names(row):
                if plain := folded(name):
                    found.setdefault(plain, {})[row] = None
        return found

    def find(self, said: str) -> tuple[Row, ...]:
        """The rows that a text can mean: one, none, or several with an equal claim."""
        found = self._found.get(said)
        if found is None:
            found = self._look_up(said)
            if len(said) <= LONGEST_KNOWN:
                if len(self._found) >= MOST_KNOWN:
                    self._found.clear()
                self._found[said] = found
        return found

    def nearest(self, said: str) -> str | None:
        """The name most similar to a text that names nothing, if it is similar at all."""
        return suggestion(said[:100], self._exact)

    def _look_up(self, said: str) -> tuple[Row, ...]:
        exact = self._exact.get(said) or self._exact.get(said.strip())
        if exact:
            return tuple(exact)
        plain = folded(said[:1000])
        if plain in self._folded:
            return tuple(self._folded[plain])
        if not plain:
            return ()
        from rapidfuzz import process  # only for names that are not written as they should be
        from rapidfuzz.distance import Indel

        near = process.extract(
            plain, list(self._folded), scorer=Indel.normalized_similarity, score_cutoff=IN_ANSWERS, limit=None
        )
        alike = tuple({row: None for name, _, _ in near for row in self._folded[name]})
        told = telling(said[:1000])
        if len(alike) == 1 and told and not any(telling(name) == told for name in self._names(alike[0])):
            return ()
        return alike
