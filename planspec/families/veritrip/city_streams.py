"""The queries of a suite over a large fact base as small streams: of a difficulty, to a city; and the shipped ones."""

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
    BANDS,
    PROPORTIONS,
    Showable,
    shares,
)
from planspec.families.veritrip.fact_bases import sized_bases
from planspec.families.veritrip.paper_drafting import paper_drafts
from planspec.families.veritrip.proving import (
    NearMiss,
    ProvingFolder,
    near_miss,
    proved,
    proved_as_it_is,
)
from planspec.families.veritrip.query import Difficulty, Query
from planspec.families.veritrip.query_streams import ProvedStream, shipped_queries
from planspec.families.veritrip.task_reach import Surroundings, TaskReach
from planspec.families.veritrip.tasks import FactBaseNames

TOGETHER = 10
"""How many of the shipped queries are proved in one stream."""


@dataclass(frozen=True, slots=True)
class CityStream:
    """Queries that are proved one after the other.

    Attributes:
        seed: of services and drafts.
        documents: of the corpus, by which the fact base is known.
        country: of the cities.
        difficulty: of the drafts.
        target: the city of the drafts.
        pictures: queries show some places.
        names: of the queries that are drafted.
        percents: for each of them those of what some plan costs that are tried as its budget.
        shipped: queries that are proved as they stand.
        misses: the names of near misses.
        out: the suite's folder.
    """

    seed: int
    documents: int
    country: str
    difficulty: Difficulty
    target: str
    pictures: Showable
    names: tuple[str, ...]
    percents: tuple[tuple[int, int], ...]
    shipped: tuple[Query, ...]
    misses: tuple[str, ...]
    out: Path

    @property
    def key(self) -> str:
        """Its name among the streams of the suite."""
        known = self.shipped[0].id if self.shipped else ""
        return "-".join(part for part in (self.country, self.difficulty, self.target, known) if part).replace(
            " ", "_"
        )


def city_streams(
    name: str, queries: int, seed: int, documents: int, out: Path, *, pictures: Showable
) -> list[CityStream]:
    """Streams that together make the suite.

    Where the seed is the shipped one and there are enough queries, the shipped ones are the first of them. The others are
    spread over difficulties and cities so that all together are even.

    Args:
        name: the suite's, with which the names of queries begin.
        queries: how many there are in all.
        seed: of drafts and budgets.
        documents: of the corpus.
        out: the suite's folder.
        pictures: queries show some places.
    """
    if not queries:
        return []
    known = shipped_queries() if seed == 0 and pictures is True else ()
    known = known if len(known) <= queries else ()
    where = {city: country for country, cities in cities_of(documents).items() for city in cities}
    made: list[CityStream] = []
    for country in COUNTRIES:
        own = [query for query in known if where[query.target_city] == country]
        made += [
            CityStream(
                seed,
                documents,
                country,
                "Simple",
                "shipped",
                pictures,
                (),
                (),
                tuple(own[n : n + TOGETHER]),
                (),
                out,
            )
            for n in range(0, len(own), TOGETHER)
        ]
    places = _even(queries, known, list(where), Random(f"{seed}/places"))
    random = Random(f"{seed}/queries/{documents}")
    wanted: dict[tuple[Difficulty, str], list[tuple[str, tuple[int, int]]]] = {}
    for number, place in enumerate(places, len(known) + 1):
        percents = (random.randint(50, 90), random.randint(100, 120))
        wanted.setdefault(place, []).append((f"{name}-{number:03}", percents))
    missed = {(difficulty, country): f"{name}-miss-{n}" for n, (difficulty, country) in enumerate(
        ((d, c) for d in BANDS for c in COUNTRIES), 1)}  # fmt: skip
    for (difficulty, target), asked in wanted.items():
        miss = missed.pop((difficulty, where[target]), None)
        made.append(
            CityStream(
                seed, documents, where[target], difficulty, target, pictures, tuple(n for n, _ in asked),
                tuple(p for _, p in asked), (), (miss,) if miss else (), out,
            )
        )  # fmt: skip
    return made


def _even(
    count: int, known: Sequence[Query], cities: Sequence[str], random: Random
) -> list[tuple[Difficulty, str]]:
    """Difficulty and city of each query that is not known, by difficulty: no city has many more queries than another."""
    order = list(cities)
    random.shuffle(order)
    of_city = Counter(query.target_city for query in known)
    of_both = Counter((query.difficulty, query.target_city) for query in known)
    left = shares(count)
    for query in known:
        assert query.difficulty is not None
        left[query.difficulty] -= 1
    made: list[tuple[Difficulty, str]] = []
    while sum(left.values()) > 0:
        for difficulty in PROPORTIONS:
            if left[difficulty] > 0:
                claims = [(of_city[city], of_both[difficulty, city], n) for n, city in enumerate(order)]
                city = order[min(claims)[-1]]
                left[difficulty] -= 1
                of_city[city] += 1
                of_both[difficulty, city] += 1
                made.append((difficulty, city))
    return sorted(made, key=lambda place: (list(PROPORTIONS).index(place[0]), order.index(place[1])))


def prove_city_stream(stream: CityStream) -> ProvedStream:
    """Prove the queries of a stream and its near misses."""
    base = sized_bases(stream.seed, stream.documents)[stream.country].base
    setting = _setting(stream.seed, stream.documents, stream.country, stream.out)
    made = [proved_as_it_is(query, setting) for query in stream.shipped]
    misses: list[NearMiss] = []
    if stream.names or stream.misses:
        source: Iterator[Query] = paper_drafts(
            base, stream.difficulty, stream.target, str(stream.seed), pictures=stream.pictures
        )
        made += [
            proved(source, name, setting, percents)
            for name, percents in zip(stream.names, stream.percents, strict=True)
        ]
        whole = ProvingFolder(
            setting.names, setting.base, setting.world, setting.folder, setting.workspace, _everything
        )
        misses = [near_miss(source, name, whole, for_money=True) for name in stream.misses]
        missed = {miss.query.id: whole.text(miss.query) for miss in misses}
    else:
        missed = {}
    texts = {stream.out / "tasks" / f"{query.id}.yaml": setting.text(query) for query in made}
    texts |= {stream.out / "near-misses" / f"{name}.yaml": text for name, text in missed.items()}
    return ProvedStream(tuple(made), tuple(misses), texts)


@lru_cache(maxsize=4)
def _setting(seed: int, documents: int, country: str, out: Path) -> ProvingFolder:
    """The folder and worlds of a country's tasks; they are read once in a process."""
    base = sized_bases(seed, documents)[country].base
    return ProvingFolder(
        FactBaseNames.of(base), f"../{country}.sqlite", f"../{country}.world.yaml", out / "tasks", Workspace(),
        Surroundings(base).reach,
    )  # fmt: skip


def _everything(query: Query) -> TaskReach:  # noqa: ARG001 as the other one
    """A search that chooses from all that the city has: a query that has no plan then has none."""
    return TaskReach()
