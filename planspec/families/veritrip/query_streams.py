"""Streams (lists of queries) for a generated suite, one per difficulty and country. Each is proved independently."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from random import Random

from planspec.dsl.workspace.workspace import Workspace
from planspec.families.veritrip.drafting import ShowablePlaces, draft_queries, query_counts
from planspec.families.veritrip.facts import FactBase
from planspec.families.veritrip.proving import NearMiss, ProvingFolder, find_near_miss, prove_draft
from planspec.families.veritrip.query import Difficulty, Query
from planspec.families.veritrip.tasks import FactBaseNames


@dataclass(frozen=True, slots=True)
class QueryStream:
    """A stream: queries of one difficulty in one country, and a near miss (a query without a plan).

    All of them come from one sequence of drafts.

    Attributes:
        base: fact base of the country.
        country: name of the country.
        difficulty: difficulty of the queries.
        seed: seed of the drafts.
        pictures: attractions that queries may show.
        query_ids: ids of the queries.
        budget_percents: for each query, two percentages of the cost of a plan. They are tried in turn as the
            query's budget.
        near_miss_id: id of the near miss.
        out: folder of the suite.
    """

    base: FactBase
    country: str
    difficulty: Difficulty
    seed: int
    pictures: ShowablePlaces
    query_ids: tuple[str, ...]
    budget_percents: tuple[tuple[int, int], ...]
    near_miss_id: str
    out: Path

    @property
    def key(self) -> str:
        """Name of the stream, unique within the suite."""
        return f"{self.country}-{self.difficulty}"


@dataclass(frozen=True, slots=True)
class ProvedStream:
    """Queries and near misses of a stream after their proofs.

    Attributes:
        queries: queries with a plan.
        misses: near misses.
        texts: YAML of the tasks of both, by file.
    """

    queries: tuple[Query, ...]
    misses: tuple[NearMiss, ...]
    texts: Mapping[Path, str]


def shipped_queries() -> tuple[Query, ...]:
    """Return the queries of the shipped suite."""
    return tuple(_read_shipped("queries.jsonl"))


def _read_shipped(name: str) -> Iterator[Query]:
    text = (files("planspec.tasks") / "veritrip" / name).read_text("utf-8")
    return (Query.model_validate(json.loads(line)) for line in text.splitlines())


def query_streams(
    bases: Mapping[str, FactBase], name: str, queries: int, seed: int, out: Path, *, pictures: ShowablePlaces
) -> Iterator[QueryStream]:
    """Yield one stream (list of queries) per difficulty and country.

    Within a difficulty, consecutive queries alternate between the countries.

    Args:
        bases: fact base of each country.
        name: name of the suite and prefix of the queries' ids.
        queries: total number of queries.
        seed: seed of drafts and budgets.
        out: folder of the suite.
        pictures: attractions that queries may show.
    """
    if not queries:
        return
    random = Random(f"{seed}/queries")
    percents = [(random.randint(50, 90), random.randint(100, 120)) for _ in range(queries)]
    first = misses = 0
    for difficulty, count in query_counts(queries).items():
        for turn, (country, base) in enumerate(bases.items()):
            numbers = range(first + turn, first + count, len(bases))
            misses += 1
            yield QueryStream(
                base,
                country,
                difficulty,
                seed,
                pictures,
                tuple(f"{name}-{number + 1:03}" for number in numbers),
                tuple(percents[number] for number in numbers),
                f"{name}-miss-{misses}",
                out,
            )
        first += count


def prove_stream(stream: QueryStream) -> ProvedStream:
    """Prove that a stream's queries have a plan and that its near miss has none."""
    country, out = stream.country, stream.out
    setting = ProvingFolder(
        FactBaseNames.of(stream.base), f"../{country}.sqlite", f"../{country}.world.yaml", out / "tasks", Workspace()
    )
    source = draft_queries(stream.base, stream.difficulty, f"{stream.seed}/{country}", pictures=stream.pictures)
    # Shipped queries keep their budgets: another version of the solver may find other plans, with other costs.
    shipped = {query.id: query for name in ("queries.jsonl", "near-misses.jsonl") for query in _read_shipped(name)}
    queries = [
        prove_draft(source, name, setting, percents, shipped.get(name))
        for name, percents in zip(stream.query_ids, stream.budget_percents, strict=True)
    ]
    miss = find_near_miss(source, stream.near_miss_id, setting, shipped.get(stream.near_miss_id))
    texts = {out / "tasks" / f"{query.id}.yaml": setting.text(query) for query in queries}
    texts[out / "near-misses" / f"{miss.query.id}.yaml"] = setting.text(miss.query)
    return ProvedStream(tuple(queries), (miss,), texts)
