"""No two queries of a suite are equal. No pattern (a query with names and numbers masked) is frequent."""

from __future__ import annotations

from collections import Counter

from planspec.families.mobilitybench.distinct import DistinctQueries
from planspec.families.mobilitybench.episode import Context, Episode, Scenario
from planspec.families.mobilitybench.wording import wording

CONTEXT = Context(location="1,2", city="X", time="08:00", extra={"day": "2026-05-11"})


def episode_of_a_lost_user(number: int, query: str = "Where am I?") -> Episode:
    return Episode(
        id=f"mb-{number}",
        family=Scenario.GEOLOCATION.family,
        scenario=Scenario.GEOLOCATION,
        language="en",
        query=query,
        context=CONTEXT,
        constraints={"location": "here"},
        program=(),
        snapshot=(),
    ).with_checksum()


def test_a_repeated_query_is_reworded() -> None:
    queries = DistinctQueries()
    first, *others = [queries.make_distinct(episode_of_a_lost_user(n)) for n in range(120)]
    assert first == episode_of_a_lost_user(0)
    assert len({episode.query.casefold() for episode in (first, *others)}) == 120
    assert all(episode.checksum == episode.expected_checksum for episode in others)
    assert queries.reworded >= 119


def test_at_most_one_query_in_a_hundred_has_the_same_sentence_pattern() -> None:
    queries = DistinctQueries()
    words = wording("en")
    episodes = [queries.make_distinct(episode_of_a_lost_user(n)) for n in range(200)]
    patterns = Counter(words.query_pattern(e.constraints, e.query, "2026-05-11", "08:00") for e in episodes)
    assert max(patterns.values()) <= 2


def test_a_new_query_is_not_reworded() -> None:
    queries = DistinctQueries()
    assert queries.make_distinct(episode_of_a_lost_user(1)).query == "Where am I?"
    assert queries.make_distinct(episode_of_a_lost_user(2, "Where on earth am I?")).query == "Where on earth am I?"
    assert queries.reworded == 0


def test_a_query_without_a_known_language_is_not_reworded() -> None:
    queries = DistinctQueries()
    plain = episode_of_a_lost_user(1).model_copy(update={"language": None})
    assert queries.make_distinct(plain) is plain and queries.make_distinct(plain) is plain
