"""Words of Chinese pages: names in both languages, and sentences that state no fact."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from planspec.families.veritrip.corpus.draft import DocumentDraft
from planspec.families.veritrip.facts import FactBase


@dataclass(frozen=True, slots=True)
class ChineseWords:
    """Words with which Chinese pages are written.

    Attributes:
        base: facts of the country.
        names: Chinese names of places, cities, dishes and cuisines, by the English ones.
        about: descriptions of invented places.
    """

    base: FactBase
    names: Mapping[str, str]
    about: Mapping[str, str]

    def name(self, english: str) -> str:
        """Return the name in both languages, `故宫（Forbidden City）`, or the English one alone."""
        chinese = self.names.get(english)
        return f"{chinese}（{english}）" if chinese and chinese != english else english

    def short(self, english: str) -> str:
        """Return the name in Chinese, if it has one."""
        return self.names.get(english, english)

    def kitchen(self, english: str) -> str:
        """Return the name of a cuisine in both languages."""
        chinese = self.names.get(english, "")
        cities = {self.names.get(city) for city in self.base.cities}
        return f"{chinese}菜（{english}）" if chinese in cities else self.name(english)


def add_filler(
    draft: DocumentDraft, chance: random.Random, sentences: Sequence[str], city: str, least: int, most: int
) -> None:
    """Add a paragraph of some sentences, which may hold `{city}`."""
    count = min(len(sentences), chance.randint(least, most))
    draft.paragraph("".join(s.replace("{city}", city) for s in chance.sample(sentences, count)))
