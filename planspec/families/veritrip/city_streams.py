"""Lists of queries over a large fact base (streams): one per difficulty and city, and several of shipped queries.

The queries of a stream are proved feasible one after the other. Different streams are proved in parallel.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random

from planspec.dsl.workspace.workspace import Workspace
from planspec.families.veritrip.base_size import COUNTRIES, cities_of
from planspec.families.veritrip.drafting import (
    PROPORTIONS,
    QUERY_BOUNDS,
    ShowablePlaces,
    query_counts,
)
from planspec.families.veritrip.fact_bases import country_bases
from planspec.families.veritrip.paper_drafting import draft_paper_queries
from planspec.families.veritrip.proving import (
    NearMiss,
    ProvingFolder,
    find_near_miss,
    prove_draft,
    prove_unchanged,
)
from planspec.families.veritrip.query import Difficulty, Query
from planspec.families.veritrip.query_streams import ProvedStream, shipped_queries
from planspec.families.veritrip.search_candidates import CandidateSelector, SearchCandidates
from planspec.families.veritrip.tasks import FactBaseNames

SHIPPED_PER_STREAM = 10
"""Number of shipped queries per stream (list of queries that are proved one after the other)."""


@dataclass(frozen=True, slots=True)
class CityStream:
    """A stream: queries of one difficulty and destination that are proved one after the other.

    Attributes:
        seed: seed of the trains, flights and drafts.
        documents: number of documents of the corpus, which determines the fact base.
        country: country of the cities.
        difficulty: difficulty of the drafts.
        target: destination of the drafts.
        pictures: places that queries may show.
        query_ids: ids of the queries to draft.
        budget_percents: for each query, two percentages of the cost of a plan. They are tried in turn as the query's
            budget.
        shipped: queries of planspec's shipped suite, which are proved without changes.
        near_miss_ids: ids of the near misses (queries without a plan) to draft.
        out: folder of the suite.
    """

    seed: int
    documents: int
    country: str
    difficulty: Difficulty
    target: str
    pictures: ShowablePlaces
    query_ids: tuple[str, ...]
    budget_percents: tuple[tuple[int, int], ...]
    shipped: tuple[Query, ...]
    near_miss_ids: tuple[str, ...]
    out: Path

    @property
    def key(self) -> str:
        """Name of the stream, unique within the suite."""
        first_shipped = self.shipped[0].id if self.shipped else ""
        return "-".join(part for part in (self.country, self.difficulty, self.target, first_shipped) if part).replace(
            " ", "_"
        )


def city_streams(
    name: str, queries: int, seed: int, documents: int, out: Path, *, pictures: ShowablePlaces
) -> list[CityStream]:
    """Return the streams (lists of queries) that together make up the suite.

    The shipped queries come first if the seed is 0 and the suite has room for them. The other queries are
    spread evenly over difficulties and cities.

    Args:
        name: name of the suite and prefix of the queries' ids.
        queries: total number of queries.
        seed: seed of drafts and budgets.
        documents: number of documents of the corpus.
        out: folder of the suite.
        pictures: places that queries may show.
    """
    if not queries:
        return []
    shipped = shipped_queries() if seed == 0 and pictures is True else ()
    shipped = shipped if len(shipped) <= queries else ()
    country_of = {city: country for country, cities in cities_of(documents).items() for city in cities}
    streams: list[CityStream] = []
    for country in COUNTRIES:
        country_queries = [query for query in shipped if country_of[query.target_city] == country]
        streams += [
            CityStream(
                seed,
                documents,
                country,
                "Simple",
                "shipped",
                pictures,
                (),
                (),
                tuple(country_queries[n : n + SHIPPED_PER_STREAM]),
                (),
                out,
            )
            for n in range(0, len(country_queries), SHIPPED_PER_STREAM)
        ]
    places = _spread_queries(queries, shipped, list(country_of), Random(f"{seed}/places"))
    random = Random(f"{seed}/queries/{documents}")
    requested: dict[tuple[Difficulty, str], list[tuple[str, tuple[int, int]]]] = {}
    for number, place in enumerate(places, len(shipped) + 1):
        percents = (random.randint(50, 90), random.randint(100, 120))
        requested.setdefault(place, []).append((f"{name}-{number:03}", percents))
    near_misses = {
        (difficulty, country): f"{name}-miss-{n}"
        for n, (difficulty, country) in enumerate(((d, c) for d in QUERY_BOUNDS for c in COUNTRIES), 1)
    }
    for (difficulty, target), entries in requested.items():
        miss = near_misses.pop((difficulty, country_of[target]), None)
        streams.append(
            CityStream(
                seed,
                documents,
                country_of[target],
                difficulty,
                target,
                pictures,
                tuple(n for n, _ in entries),
                tuple(p for _, p in entries),
                (),
                (miss,) if miss else (),
                out,
            )
        )
    return streams


def _spread_queries(
    count: int, shipped: Sequence[Query], cities: Sequence[str], random: Random
) -> list[tuple[Difficulty, str]]:
    """Return the difficulty and city of each query to draft, sorted by difficulty.

    Shipped queries are counted, so that all cities get about the same number of queries in total.
    """
    order = list(cities)
    random.shuffle(order)
    of_city = Counter(query.target_city for query in shipped)
    of_both = Counter((query.difficulty, query.target_city) for query in shipped)
    remaining = query_counts(count)
    for query in shipped:
        assert query.difficulty is not None
        remaining[query.difficulty] -= 1
    pairs: list[tuple[Difficulty, str]] = []
    while sum(remaining.values()) > 0:
        for difficulty in PROPORTIONS:
            if remaining[difficulty] > 0:
                claims = [(of_city[city], of_both[difficulty, city], n) for n, city in enumerate(order)]
                city = order[min(claims)[-1]]
                remaining[difficulty] -= 1
                of_city[city] += 1
                of_both[difficulty, city] += 1
                pairs.append((difficulty, city))
    return sorted(pairs, key=lambda place: (list(PROPORTIONS).index(place[0]), order.index(place[1])))


def prove_city_stream(stream: CityStream) -> ProvedStream:
    """Prove that a stream's queries have a plan and that its near misses have none."""
    base = country_bases(stream.seed, stream.documents)[stream.country].base
    folder = _proving_folder(stream.seed, stream.documents, stream.country, stream.out)
    queries = [prove_unchanged(query, folder) for query in stream.shipped]
    misses: list[NearMiss] = []
    if stream.query_ids or stream.near_miss_ids:
        source: Iterator[Query] = draft_paper_queries(
            base, stream.difficulty, stream.target, str(stream.seed), pictures=stream.pictures
        )
        queries += [
            prove_draft(source, name, folder, percents)
            for name, percents in zip(stream.query_ids, stream.budget_percents, strict=True)
        ]
        whole = ProvingFolder(folder.names, folder.base, folder.world, folder.folder, folder.workspace, _all_candidates)
        misses = [find_near_miss(source, name, whole, must_be_feasible=True) for name in stream.near_miss_ids]
        miss_texts = {miss.query.id: whole.text(miss.query) for miss in misses}
    else:
        miss_texts = {}
    texts = {stream.out / "tasks" / f"{query.id}.yaml": folder.text(query) for query in queries}
    texts |= {stream.out / "near-misses" / f"{name}.yaml": text for name, text in miss_texts.items()}
    return ProvedStream(tuple(queries), tuple(misses), texts)


@lru_cache(maxsize=4)
def _proving_folder(seed: int, documents: int, country: str, out: Path) -> ProvingFolder:
    """Return the folder in which a country's tasks are proved. It is cached, so that its tables are read once."""
    base = country_bases(seed, documents)[country].base
    return ProvingFolder(
        FactBaseNames.of(base),
        f"../{country}.sqlite",
        f"../{country}.world.yaml",
        out / "tasks",
        Workspace(),
        CandidateSelector(base).select,
    )


def _all_candidates(query: Query) -> SearchCandidates:  # noqa: ARG001 signature of `CandidateSelector.select`
    """Return candidates that include all rows, so that no preselection makes a query infeasible."""
    return SearchCandidates()
