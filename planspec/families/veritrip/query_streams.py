"""The queries of a generated suite as streams that can be proved each by itself: of a difficulty, in a country."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from random import Random

from planspec.dsl.workspace.workspace import Workspace
from planspec.families.veritrip.drafting import Showable, drafts, shares
from planspec.families.veritrip.facts import FactBase
from planspec.families.veritrip.proving import NearMiss, ProvingFolder, near_miss, proved
from planspec.families.veritrip.query import Difficulty, Query
from planspec.families.veritrip.tasks import FactBaseNames


@dataclass(frozen=True, slots=True)
class QueryStream:
    """The queries of one difficulty in one country, of drafts that are taken one after the other, then a near miss.

    Attributes:
        base: the country's fact base.
        country: its name.
        difficulty: of the queries.
        seed: of the drafts.
        pictures: the attractions that queries may show.
        names: of the queries.
        percents: for each query those of what some plan costs that are tried as its budget.
        miss: the name of the near miss.
        out: the suite's folder.
    """

    base: FactBase
    country: str
    difficulty: Difficulty
    seed: int
    pictures: Showable
    names: tuple[str, ...]
    percents: tuple[tuple[int, int], ...]
    miss: str
    out: Path

    @property
    def key(self) -> str:
        """Its name among the streams of the suite."""
        return f"{self.country}-{self.difficulty}"


@dataclass(frozen=True, slots=True)
class ProvedStream:
    """What a stream gives, with the texts of its tasks by their files."""

    queries: tuple[Query, ...]
    misses: tuple[NearMiss, ...]
    texts: Mapping[Path, str]


def shipped_queries() -> tuple[Query, ...]:
    """The queries of the shipped suite."""
    return tuple(_shipped("queries.jsonl"))


def _shipped(name: str) -> Iterator[Query]:
    text = (files("planspec.tasks") / "veritrip" / name).read_text("utf-8")
    return (Query.model_validate(json.loads(line)) for line in text.splitlines())


def query_streams(
    bases: Mapping[str, FactBase], name: str, queries: int, seed: int, out: Path, *, pictures: Showable
) -> Iterator[QueryStream]:
    """The queries of each difficulty and country; in a difficulty the countries take turns.

    Args:
        bases: the fact base of each country.
        name: the suite's, with which the names of queries begin.
        queries: how many there are in all.
        seed: of drafts and budgets.
        out: the suite's folder.
        pictures: the attractions that queries may show.
    """
    if not queries:
        return
    random = Random(f"{seed}/queries")
    percents = [(random.randint(50, 90), random.randint(100, 120)) for _ in range(queries)]
    first = misses = 0
    for difficulty, count in shares(queries).items():
        for turn, (country, base) in enumerate(bases.items()):
            numbers = range(first + turn, first + count, len(bases))
            misses += 1
            yield QueryStream(
                base, country, difficulty, seed, pictures,
                tuple(f"{name}-{number + 1:03}" for number in numbers),
                tuple(percents[number] for number in numbers), f"{name}-miss-{misses}", out,
            )  # fmt: skip
        first += count


def prove_stream(stream: QueryStream) -> ProvedStream:
    """Prove the queries of a stream and its near miss."""
    country, out = stream.country, stream.out
    setting = ProvingFolder(
        FactBaseNames.of(stream.base), f"../{country}.sqlite", f"../{country}.world.yaml", out / "tasks", Workspace()
    )  # fmt: skip
    source = drafts(stream.base, stream.difficulty, f"{stream.seed}/{country}", pictures=stream.pictures)
    # what ships keeps its budgets: another version of the solver finds other plans first, which cost something else
    known = {query.id: query for name in ("queries.jsonl", "near-misses.jsonl") for query in _shipped(name)}
    made = [
        proved(source, name, setting, percents, known.get(name))
        for name, percents in zip(stream.names, stream.percents, strict=True)
    ]
    miss = near_miss(source, stream.miss, setting, known.get(stream.miss))
    texts = {out / "tasks" / f"{query.id}.yaml": setting.text(query) for query in made}
    texts[out / "near-misses" / f"{miss.query.id}.yaml"] = setting.text(miss.query)
    return ProvedStream(tuple(made), (miss,), texts)
