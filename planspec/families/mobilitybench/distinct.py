"""Rewording of a suite's queries so that they differ from each other and do not repeat a pattern too often.

The pattern of a query is its text with names and numbers hidden.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from random import Random

from planspec.families.mobilitybench.episode import Context, Episode
from planspec.families.mobilitybench.program_readings import today_of
from planspec.families.mobilitybench.wording import wording

QUERIES_PER_USE = 100
"""Number of queries per use of a pattern. With 250 queries in a language, each of its patterns may be used twice."""
TRIES = 60
"""Maximum number of other wordings tried for one query."""


def now_of(context: Context) -> str | None:
    """Return the time at which the user asks, as HH:MM; None if unknown."""
    parts = (context.time or "").split()
    return parts[-1] if parts else None


@dataclass(slots=True)
class DistinctQueries:
    """Set of the queries of a suite. It rewords new queries that repeat an earlier one or overuse a pattern.

    Attributes:
        reworded: number of queries that were reworded.
    """

    reworded: int = 0
    _seen: set[str] = field(default_factory=set)
    _patterns: Counter[tuple[str, str]] = field(default_factory=Counter)
    _languages: Counter[str] = field(default_factory=Counter)

    def make_distinct(self, episode: Episode) -> Episode:
        """Return the episode, reworded if its query is not new.

        If no tried wording is new, the wording with the least used pattern is chosen. A reworded episode gets a new
        checksum.
        """
        language, today = episode.language, today_of(episode.context)
        if language is None or today is None:
            return episode
        words, now = wording(language), now_of(episode.context)
        max_uses = max(1, (self._languages[language] + 1) // QUERIES_PER_USE)
        best: tuple[tuple[bool, int], str, str] | None = None
        for n in range(TRIES + 1):
            query = episode.query
            if n:
                rng = Random(f"{episode.id}/{n}")
                query = words.query(episode.scenario, episode.constraints, today, rng, now, episode.context.travel_tool)
            pattern = words.query_pattern(episode.constraints, query, today, now)
            rank = query.casefold() in self._seen, self._patterns[language, pattern]
            if best is None or rank < best[0]:
                best = rank, query, pattern
            if not rank[0] and rank[1] < max_uses:
                break
        assert best is not None
        _, query, pattern = best
        self._seen.add(query.casefold())
        self._patterns[language, pattern] += 1
        self._languages[language] += 1
        if query == episode.query:
            return episode
        self.reworded += 1
        return episode.model_copy(update={"query": query, "checksum": ""}).with_checksum()
