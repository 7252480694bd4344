"""Suggestions for misspelt names: the most similar name or passage of a text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from planspec.dsl.resources.similarity import MAX_NAME_CHARACTERS, SUGGESTED

MAX_PASSAGE_CHARACTERS, MAX_TEXT_WORDS = 200, 4_000
"""The maximum number of characters of a passage, and of words of the text in which it is searched."""

NO_LETTER = re.compile(r"[^a-z0-9]")


def most_similar(name: str, candidates: Iterable[str]) -> str | None:
    """Return the most similar candidate; None if no similarity is above 0.6."""
    best = next(iter(similar_names(name, candidates, max_count=1)), None)
    return best if best is not None and is_plausible(name, best) else None


def similar_names(name: str, candidates: Iterable[str], *, max_count: int | None = None) -> list[str]:
    """Return the candidates whose similarity is above 0.6, the most similar ones first."""
    if len(name) > MAX_NAME_CHARACTERS:
        return []
    likely = [candidate for candidate in candidates if _may_be_similar(name, candidate)]
    if not likely:
        return []
    from rapidfuzz import process, utils  # slow to import, and not needed for a correct document
    from rapidfuzz.distance import Indel

    matches = process.extract(
        name,
        likely,
        scorer=Indel.normalized_similarity,
        processor=utils.default_process,
        score_cutoff=SUGGESTED,
        limit=max_count,
    )
    return [candidate for candidate, _, _ in matches]


def _may_be_similar(name: str, other: str) -> bool:
    """Return whether two names may be similar, judged only by their common characters in any order.

    Similarity is twice the length of the longest common subsequence over the sum of both lengths. Before the
    comparison, other characters than letters and digits become blanks, and outer blanks are removed.
    """
    if not (name.isascii() and other.isascii()):
        return True
    one, two = (NO_LETTER.sub(" ", text.lower()) for text in (name, other))
    lengths = len(one.strip()) + len(two.strip())
    return 2 * (Counter(one) & Counter(two)).total() >= SUGGESTED * lengths


def is_plausible(name: str, similar: str) -> bool:
    """Return whether a similar name is a plausible suggestion. Short names are similar to too many others."""
    return len(similar) >= 3 or similar[:1].lower() == name[:1].lower()


def did_you_mean(name: str, candidates: Iterable[str]) -> str | None:
    """Return the help `did you mean ...?` with the most similar candidate; None if none is similar."""
    best = most_similar(name, candidates)
    return f"did you mean `{best}`?" if best else None


def nearest_passage(words: str, text: str) -> str | None:
    """Return the passage most similar to some words; None if no similarity is above 0.6.

    A passage has as many words as `words`, or one more.
    """
    from rapidfuzz import process, utils
    from rapidfuzz.distance import Indel

    whole, length = text.split(), len(words.split())
    if not length or len(words) > MAX_PASSAGE_CHARACTERS or len(whole) > MAX_TEXT_WORDS:
        return None
    passages = [" ".join(whole[at : at + n]) for n in (length, length + 1) for at in range(len(whole) - n + 1)]
    match = process.extractOne(
        words,
        passages,
        scorer=Indel.normalized_similarity,
        processor=utils.default_process,
        score_cutoff=SUGGESTED,
    )
    return None if match is None else match[0].strip(".,;:!?")


def reversed_range_help(low: str, high: str, *, clock: bool) -> str:
    """Return help for a range such as `22:00..6:00`, whose ends are in the wrong order.

    Args:
        low: text of the first end.
        high: text of the second end.
        clock: whether the ends are times of day.
    """
    up = f"a range goes up: `{high}..{low}`"
    return f"{up}; past midnight 01:00 is `25:00`" if clock else up
