"""Names of places, roads and lines in MobilityBench answers: more is asked than likeness, since maps are full of it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from itertools import pairwise

from planspec.dsl.model.rows import Row
from planspec.verifiers.answers.names import NameIndex, folded, telling
from planspec.verifiers.answers.tables import row_names

_WORD = re.compile(r"[^\W_]+")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_TELLING = frozenset({
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "first", "second",
    "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth",
    "inner", "outer", "upper", "lower", "new", "old", "left", "right", "front", "rear", "central",
    "ost", "süd", "nord", "alte", "neue", "alter", "neuer", "obere", "untere", "erster", "zweiter",
    "dritter", "vierter", "fünfter",
})  # fmt: skip
_TELLING_CHARACTERS = frozenset("上中下前后後左右内内外新老旧大小高低本一二三四五六七八九十百甲乙丙丁東")
_SLIPPED = 5
"""A shorter word must be as it is written."""
_CUT = re.compile(
    r"\s*\([^()]*\)$|[\s,]+(?:railway station|station|stop)$|(?:地铁站|公交站|火车站|站|市|店)$",
    re.IGNORECASE,
)


def apart(name: str) -> list[str]:
    """The words and characters that tell otherwise similar names apart, and single letters."""
    text = unicodedata.normalize("NFKC", name).casefold()
    words = [word for word in _WORD.findall(text) if word in _TELLING or (len(word) == 1 and word.isascii())]
    characters = [c for c in text if c in _TELLING_CHARACTERS]
    return sorted([*telling(name), *words, *characters])


def slipped(said: str, name: str) -> bool:
    """A text is a name with a slip of the pen: in Latin letters one in a word, in others a letter more or less."""
    if apart(said) != apart(name):
        return False
    a, b = folded(said), folded(name)
    if _WIDE.search(a + b):
        return _within(a, b) or _within(b, a)
    mine, its = ([folded(word) for word in _WORD.findall(text)] for text in (said, name))
    return len(mine) == len(its) and all(map(_one_slip, mine, its))


def _one_slip(a: str, b: str) -> bool:
    if a == b:
        return True
    if min(len(a), len(b)) < _SLIPPED:
        return False
    from rapidfuzz.distance import OSA  # only for names that are not written as they should be

    return OSA.distance(a, b, score_cutoff=1) <= 1


def _within(short: str, long: str) -> bool:
    """All characters stand in the longer text, in their order."""
    rest = iter(long)
    return all(c in rest for c in short)


class RowNames:
    """Rows by what they are called.

    A text is a name as it stands; or the same in other letters, blanks and punctuation; or with a slip of the pen,
    such as `matching.NameIndex` finds; or one of them is the other without its last part, as in `Zoo` for
    `Zoo (main entrance)`. Points of the compass, numbers and the like have to be the same.
    """

    def __init__(self, rows: Iterable[Row], names: Callable[[Row], Iterable[str]] = row_names) -> None:
        rows = tuple(rows)
        self._names = names
        self._index = NameIndex(rows, names)
        self._folded: dict[str, dict[Row, None]] = {}
        self._cut: dict[str, dict[Row, None]] = {}
        for row in rows:
            for name in names(row):
                self._folded.setdefault(folded(name), {})[row] = None
                bare = cut(name)
                if bare is not None:
                    self._cut.setdefault(folded(bare), {})[row] = None

    def find(self, said: str) -> tuple[Row, ...]:
        """The rows that a text can mean: one, none, or several with an equal claim."""
        said = said.strip()[:1000]
        found = self._index.find(said)
        plain = folded(said)
        if not plain:
            return tuple(row for row in found if said in self._names(row))
        sure = tuple(row for row in found if any(_same(said, name) for name in self._names(row)))
        if sure or any(said in self._names(row) for row in found):
            return sure
        near = tuple(row for row in found if any(slipped(said, name) for name in self._names(row)))
        if near:
            return near
        bare = cut(said) if "(" not in said else None
        shorter = self._folded.get(folded(bare), {}) if bare is not None else {}
        return tuple({**self._cut.get(plain, {}), **shorter})

    def nearest(self, said: str) -> str | None:
        """The name most similar to a text that names nothing, if it is similar at all."""
        return self._index.nearest(said)


def cut(name: str) -> str | None:
    """A name without its last part; None if that tells it apart, or there is none."""
    bare = _CUT.sub("", name.strip(), count=1)
    return bare if bare != name.strip() and len(folded(bare)) > 1 and apart(bare) == apart(name) else None


def _same(said: str, name: str) -> bool:
    if said == name:
        return True
    return folded(said) == folded(name) and _figures(said) == _figures(name)


def _figures(name: str) -> list[str]:
    return re.findall(r"\d+", unicodedata.normalize("NFKC", name))


def collapsed(rows: Iterable[Row]) -> tuple[Row, ...]:
    """The rows, of those that follow themselves one."""
    every = list(rows)
    return tuple(every[:1] + [b for a, b in pairwise(every) if b is not a])
