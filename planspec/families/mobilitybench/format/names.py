"""Matching of names of places, roads and lines in MobilityBench answers.

Many names on a map are similar, such as `North Street` and `South Street`. So a match needs more than similarity.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from itertools import pairwise

from planspec.dsl.model.rows import Row
from planspec.verifiers.answers.names import NameIndex, directions_and_numbers, folded_name
from planspec.verifiers.answers.tables import row_names

_WORD = re.compile(r"[^\W_]+")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_TELLING = frozenset(
    {
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "first",
        "second",
        "third",
        "fourth",
        "fifth",
        "sixth",
        "seventh",
        "eighth",
        "ninth",
        "tenth",
        "eleventh",
        "twelfth",
        "inner",
        "outer",
        "upper",
        "lower",
        "new",
        "old",
        "left",
        "right",
        "front",
        "rear",
        "central",
        "ost",
        "süd",
        "nord",
        "alte",
        "neue",
        "alter",
        "neuer",
        "obere",
        "untere",
        "erster",
        "zweiter",
        "dritter",
        "vierter",
        "fünfter",
    }
)
_TELLING_CHARACTERS = frozenset("上中下前后後左右内内外新老旧大小高低本一二三四五六七八九十百甲乙丙丁東")
_MIN_TYPO_LENGTH = 5
"""Minimum length of a word that may have a typing error."""
_CUT = re.compile(
    r"\s*\([^()]*\)$|[\s,]+(?:railway station|station|stop)$|(?:地铁站|公交站|火车站|站|市|店)$",
    re.IGNORECASE,
)


def distinguishing_words(name: str) -> list[str]:
    """Return the parts of a name that distinguish it from similar names, such as numbers and points of the compass."""
    text = unicodedata.normalize("NFKC", name).casefold()
    words = [word for word in _WORD.findall(text) if word in _TELLING or (len(word) == 1 and word.isascii())]
    characters = [c for c in text if c in _TELLING_CHARACTERS]
    return sorted([*directions_and_numbers(name), *words, *characters])


def is_misspelling(text: str, name: str) -> bool:
    """Return whether a string is a name with typing errors.

    In Latin letters, each word may have one error. In Chinese and Japanese, characters may be missing or added.
    """
    if distinguishing_words(text) != distinguishing_words(name):
        return False
    a, b = folded_name(text), folded_name(name)
    if _WIDE.search(a + b):
        return _is_subsequence(a, b) or _is_subsequence(b, a)
    text_words, name_words = ([folded_name(word) for word in _WORD.findall(string)] for string in (text, name))
    return len(text_words) == len(name_words) and all(map(_differs_by_one_slip, text_words, name_words))


def _differs_by_one_slip(a: str, b: str) -> bool:
    if a == b:
        return True
    if min(len(a), len(b)) < _MIN_TYPO_LENGTH:
        return False
    from rapidfuzz.distance import OSA  # imported only if a name may be misspelt

    return OSA.distance(a, b, score_cutoff=1) <= 1


def _is_subsequence(short: str, long: str) -> bool:
    """Return whether the characters of `short` occur in `long` in the same order."""
    rest = iter(long)
    return all(c in rest for c in short)


class RowNames:
    """Index of rows by name.

    A string matches a name in one of three ways:

    - it equals the name apart from case, blanks and punctuation;
    - it is the name with typing errors (see `is_misspelling`);
    - one of the two is the other without its last part, such as `Zoo` and `Zoo (main entrance)`.

    Distinguishing words, such as numbers and points of the compass, must be equal.
    """

    def __init__(self, rows: Iterable[Row], names: Callable[[Row], Iterable[str]] = row_names) -> None:
        rows = tuple(rows)
        self._names = names
        self._index = NameIndex(rows, names)
        self._folded: dict[str, dict[Row, None]] = {}
        self._cut: dict[str, dict[Row, None]] = {}
        for row in rows:
            for name in names(row):
                self._folded.setdefault(folded_name(name), {})[row] = None
                bare = drop_last_part(name)
                if bare is not None:
                    self._cut.setdefault(folded_name(bare), {})[row] = None

    def find(self, text: str) -> tuple[Row, ...]:
        """Return the rows with the best matching names: none if no name matches, several if the string is ambiguous."""
        text = text.strip()[:1000]
        rows = self._index.find(text)
        plain = folded_name(text)
        if not plain:
            return tuple(row for row in rows if text in self._names(row))
        sure = tuple(row for row in rows if any(_is_same_name(text, name) for name in self._names(row)))
        if sure or any(text in self._names(row) for row in rows):
            return sure
        near = tuple(row for row in rows if any(is_misspelling(text, name) for name in self._names(row)))
        if near:
            return near
        bare = drop_last_part(text) if "(" not in text else None
        shorter = self._folded.get(folded_name(bare), {}) if bare is not None else {}
        return tuple({**self._cut.get(plain, {}), **shorter})

    def nearest(self, text: str) -> str | None:
        """Return the name most similar to a string; None if no name is similar."""
        return self._index.nearest(text)


def drop_last_part(name: str) -> str | None:
    """Return a name without a last part such as `(main entrance)` or `station`.

    Return None if there is no such part, or if the part distinguishes the name from similar names.
    """
    bare = _CUT.sub("", name.strip(), count=1)
    return (
        bare
        if bare != name.strip()
        and len(folded_name(bare)) > 1
        and distinguishing_words(bare) == distinguishing_words(name)
        else None
    )


def _is_same_name(text: str, name: str) -> bool:
    if text == name:
        return True
    return folded_name(text) == folded_name(name) and _digit_runs(text) == _digit_runs(name)


def _digit_runs(name: str) -> list[str]:
    return re.findall(r"\d+", unicodedata.normalize("NFKC", name))


def drop_repeats(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Drop consecutive repetitions of a row."""
    all_rows = list(rows)
    return tuple(all_rows[:1] + [b for a, b in pairwise(all_rows) if b is not a])
