"""Stems of English words, which make different forms of a word comparable."""

from __future__ import annotations

import re
from functools import lru_cache

WORD = re.compile(r"[^\W\d_]{3,}")
ENDING = re.compile(r"(?:ings?|ies|ers?|ed|es|s|e|y)$")
MOST, LEAST = 6, 3
"""Maximum length of a stem, and minimum number of characters that remain after an ending is removed."""
COMMON_WORDS = """
about after again all also and another any are back been before begins being between both but can cannot comes
does during each ends every first for from goes has have her his into its last later least less long many more
most must need needs never next nobody none nor not nothing off one only other out over same some starts such
than that the their them then there these they this those through time too two under until was way were when
where which while who will with within without would you
"""
COMMON = frozenset(COMMON_WORDS.split())
"""Words that occur in any sentence. They are ignored."""


@lru_cache(maxsize=4096)
def stems(text: str) -> frozenset[str]:
    """Return the stems of the words of a text. Underscores and hyphens separate words."""
    words = (word for word in WORD.findall(re.sub(r"[_-]", " ", text).casefold()) if word not in COMMON)
    return frozenset(_stem(word)[:MOST] for word in words)


def _stem(word: str) -> str:
    short = ENDING.sub("", word)
    return short if len(short) >= LEAST else word
