"""Names in both languages, and filler sentences, for Chinese pages."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from planspec.families.veritrip.corpus.draft import DocumentDraft
from planspec.families.veritrip.facts import FactBase


@dataclass(frozen=True, slots=True)
class ChineseWords:
    """Facts and names for Chinese pages.

    Attributes:
        base: facts of the country.
        names: Chinese names of places, cities, dishes and cuisines, by English name.
        about: Chinese descriptions of invented places, by English name.
    """

    base: FactBase
    names: Mapping[str, str]
    about: Mapping[str, str]

    def both_names(self, english: str) -> str:
        """Return the name in both languages, as `故宫（Forbidden City）`, or only the English one."""
        chinese = self.names.get(english)
        return f"{chinese}（{english}）" if chinese and chinese != english else english

    def chinese_name(self, english: str) -> str:
        """Return the Chinese name, or the English one if there is none."""
        return self.names.get(english, english)

    def cuisine_name(self, english: str) -> str:
        """Return the name of a cuisine in both languages."""
        chinese = self.names.get(english, "")
        cities = {self.names.get(city) for city in self.base.cities}
        return f"{chinese}菜（{english}）" if chinese in cities else self.both_names(english)


def add_filler(
    draft: DocumentDraft,
    rng: random.Random,
    sentences: Sequence[str],
    city: str,
    min_count: int,
    max_count: int,
) -> None:
    """Add a paragraph of randomly chosen sentences.

    Args:
        draft: draft to extend.
        rng: source of the choices.
        sentences: sentences, which may contain the placeholder `{city}`.
        city: Chinese name of the city.
        min_count: minimal number of sentences.
        max_count: maximal number of sentences.
    """
    count = min(len(sentences), rng.randint(min_count, max_count))
    draft.add_paragraph("".join(s.replace("{city}", city) for s in rng.sample(sentences, count)))
