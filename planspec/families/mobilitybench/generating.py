"""`planspec generate mobilitybench`: cities from a seed, what users ask in them, and what is true, proved as it is written.

Each city is grown once and left behind when its episodes are written, so that memory does not grow with their number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar

from planspec.families.mobilitybench.distinct import DistinctQueries
from planspec.families.mobilitybench.drafting import DraftedEpisodes, DrawDropped, SettledEpisode, drafted
from planspec.families.mobilitybench.drawing import Town
from planspec.families.mobilitybench.episode import FAMILIES, Scenario, ScenarioFamily
from planspec.families.mobilitybench.map import SPECS, MapRecipe, regrown
from planspec.families.mobilitybench.proving import prove
from planspec.families.mobilitybench.sharded_suite import ShardedSuiteWriter, ShardWriter, account_of
from planspec.families.mobilitybench.suite import SuiteWriter
from planspec.families.mobilitybench.suite_files import suite_id
from planspec.families.suite_writing.options import Told, UnfitSuite, untold
from planspec.parallel import Jobs, map_parallel

if TYPE_CHECKING:
    from planspec.families.mobilitybench.outputs import GenerateEpisodesOutput

TITLE = "MobilityBench: questions about ways through invented cities"
FAMILY_SHARES: Mapping[ScenarioFamily, Fraction] = {
    ScenarioFamily.BASIC_INFORMATION: Fraction(366, 1000),
    ScenarioFamily.ROUTE_INFORMATION: Fraction(96, 1000),
    ScenarioFamily.BASIC_PLANNING: Fraction(425, 1000),
    ScenarioFamily.CONSTRAINED_PLANNING: Fraction(113, 1000),
}
"""The paper's proportions."""
WITHIN: Mapping[Scenario, int] = {Scenario.POINT_TO_POINT: 2}
"""The weight of a scenario within its family, if it is not 1; the paper gives no shares of scenarios."""
A_CITY = 40
"""The number of episodes of a city, unless there are too many cities."""
FEWEST_CITIES = 12
MOST_CITIES = 1000
A_SHARD = 1000
"""The least number of episodes of a shard, but for the last."""
SHARDED_FROM = 10_000
"""The least number of episodes that are written in shards."""
COUNTED = ("scenarios", "languages", "dropped")
SHIPPED = 0, 60, 12
"""Seed, episodes and cities of the suite that ships."""
JUNCTIONS = (300, 600)
ATTEMPTS = 80
CHINESE = tuple(spec.english for spec in SPECS if spec.language == "zh")
OTHERS = tuple(spec.english for spec in SPECS if spec.language != "zh")
ORDER = tuple(name for n, other in enumerate(OTHERS) for name in (CHINESE[n % len(CHINESE)], other))
"""Cities in turn, every second one of China, so that about half of the queries are Chinese."""

K = TypeVar("K", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class SuiteOptions:
    """The options of a generated suite.

    Attributes:
        seed: another seed makes other episodes.
        size: episodes.
        cities: the number of cities; by the size if None.
        jobs: processes, or a Ray cluster; the result does not depend on it.
    """

    seed: int
    size: int
    cities: int | None = None
    jobs: Jobs = 1

    @property
    def towns(self) -> int:
        """The number of cities."""
        wanted = max(FEWEST_CITIES, -(-self.size // A_CITY)) if self.cities is None else self.cities
        return max(1, min(MOST_CITIES, wanted, self.size))

    @property
    def sharded(self) -> bool:
        """The tasks are too many for a file each."""
        return self.size >= SHARDED_FROM

    @property
    def decisive(self) -> dict[str, Any]:
        """All that the suite's bytes follow from."""
        return {"planspec": version("planspec"), "seed": self.seed, "size": self.size, "cities": self.towns}

    @property
    def prefix(self) -> str:
        """The prefix of the ids; no other arguments make it, so that no answer is judged as one to another query."""
        return (
            "mb"
            if (self.seed, self.size, self.towns) == SHIPPED
            else f"mb-s{self.seed}n{self.size}c{self.towns}"
        )


@dataclass(slots=True)
class GeneratedEpisodes:
    """The generated suite, counted.

    Attributes:
        suite: its name.
        folder: where it is.
        scenarios: episodes of each.
        languages: likewise.
        cities: that were grown.
        dropped: draws that were given up, by reason.
        wished: episodes with wishes.
        biting: those of them whose wishes change the best way.
    """

    suite: str
    folder: Path
    scenarios: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    cities: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    wished: int = 0
    biting: int = 0

    @property
    def episodes(self) -> int:
        """The number of episodes."""
        return sum(self.scenarios.values())

    def add(self, block: DraftedEpisodes) -> None:
        """Count the episodes of a city."""
        for settled in block.made:
            self.scenarios[settled.episode.scenario.value] += 1
            self.languages[str(settled.episode.language)] += 1
            self.wished += settled.bites is not None
            self.biting += settled.bites is True
        self.dropped.update(block.dropped)
        self.cities += 1

    def add_all(self, other: Mapping[str, Any]) -> None:
        """Count what another account counts, which is one as `counts` gives it."""
        for name in COUNTED:
            getattr(self, name).update(other[name])
        self.cities += other["cities"]
        self.wished += other["wished"]
        self.biting += other["biting"]

    def counts(self) -> dict[str, Any]:
        """The account as JSON, without the suite."""
        made: dict[str, Any] = {name: dict(getattr(self, name)) for name in COUNTED}
        return made | {"cities": self.cities, "wished": self.wished, "biting": self.biting}

    def document(self) -> GenerateEpisodesOutput:
        """The account of it as JSON."""
        from planspec.families.mobilitybench.outputs import GenerateEpisodesOutput

        return GenerateEpisodesOutput(
            family="mobilitybench", suite=self.suite, folder=str(self.folder), cities=self.cities,
            episodes=self.episodes, scenarios=dict(self.scenarios), languages=dict(self.languages),
            wishes=self.wished, biting=self.biting, dropped=dict(self.dropped.most_common()),
        )  # fmt: skip

    def lines(self) -> list[str]:
        """The account of it for people."""
        cities = f"{self.cities} {'city' if self.cities == 1 else 'cities'}"
        languages = ", ".join(f"{count} {name}" for name, count in sorted(self.languages.items()))
        return [
            f"suite {self.suite}: {self.episodes} episodes of {cities} in {self.folder} ({languages})",
            *(f"  {name}: {count}" for name, count in sorted(self.scenarios.items())),
            f"{self.biting} of {self.wished} wishes change the best way",
            f"draws given up: {self.dropped.total()}",
            *(f"  {count} {reason}" for reason, count in self.dropped.most_common()),
        ]


@dataclass(frozen=True, slots=True)
class CityEpisodes:
    """The episodes of one city.

    Attributes:
        seed: of all.
        number: of the city, from 0.
        first: the number of its first episode, from 1.
        scenarios: of its episodes, in order.
        prefix: of the ids.
    """

    seed: int
    number: int
    first: int
    scenarios: tuple[Scenario, ...]
    prefix: str


@dataclass(frozen=True, slots=True)
class ShardWork:
    """A shard to be made.

    Attributes:
        folder: to write it to.
        number: from 1.
        cities: with the episodes of each.
    """

    folder: Path
    number: int
    cities: tuple[CityEpisodes, ...]


def generate(out: Path, wanted: SuiteOptions, told: Told = untold) -> GeneratedEpisodes:
    """Make a suite.

    Args:
        out: its folder, new or with a suite that was made before.
        wanted: the options.
        told: gets the progress.

    Raises:
        UnfitSuite: the folder holds something else.
        UnfitSuite: nothing is wanted, or an episode cannot be drawn.
    """
    if (
        wanted.size < 1
        or (isinstance(wanted.jobs, int) and wanted.jobs < 1)
        or (wanted.cities is not None and wanted.cities < 1)
    ):
        raise UnfitSuite("a suite has one episode at least, of one city, made by one process")
    made = GeneratedEpisodes(suite_id(out), out)

    def tell() -> None:
        told(
            f"{made.episodes} of {wanted.size} episodes, {made.cities} of {wanted.towns} cities",
            made.episodes / wanted.size,
        )

    if wanted.sharded:
        with ShardedSuiteWriter(out, TITLE, wanted.decisive) as shards:
            for counts in map_parallel(make_shard, shard_works(wanted, shards.shards), wanted.jobs, ahead=2):
                made.add_all(counts)
                tell()
        return made
    with SuiteWriter(out, TITLE) as writer:
        queries = DistinctQueries()
        for block in _blocks(wanted):
            for settled in block.made:
                writer.add(queries.distinct(settled.episode), settled.ways)
            made.add(block)
            tell()
    return made


# ------------------------------------------------------------------ what is made where


def shares(size: int) -> dict[Scenario, int]:
    """The number of episodes of each scenario, rounded so that families and all of them add up."""
    found: dict[Scenario, int] = {}
    for family, count in _rounded(FAMILY_SHARES, size).items():
        own = {s: Fraction(WITHIN.get(s, 1)) for s, its in FAMILIES.items() if its is family}
        whole = sum(own.values())
        found |= _rounded({scenario: share / whole for scenario, share in own.items()}, count)
    return found


def _rounded(parts: Mapping[K, Fraction], size: int) -> dict[K, int]:
    """Whole numbers that add up: the greatest remainders are rounded up."""
    counts = {key: int(part * size) for key, part in parts.items()}
    order = sorted(parts, key=lambda key: counts[key] - parts[key] * size)
    for key in order[: size - sum(counts.values())]:
        counts[key] += 1
    return counts


def blocks(wanted: SuiteOptions) -> Iterator[CityEpisodes]:
    """The cities with their episodes, of mixed scenarios."""
    scenarios = [scenario for scenario, count in shares(wanted.size).items() for _ in range(count)]
    Random(f"{wanted.seed}/scenarios").shuffle(scenarios)
    first = 0
    for number in range(wanted.towns):
        last = first + (wanted.size - first) // (wanted.towns - number)
        yield CityEpisodes(wanted.seed, number, first + 1, tuple(scenarios[first:last]), wanted.prefix)
        first = last


def shard_works(wanted: SuiteOptions, folder: Path) -> Iterator[ShardWork]:
    """The shards, each of as many whole cities as have a thousand episodes."""
    number, cities = 1, list[CityEpisodes]()
    for city in blocks(wanted):
        cities.append(city)
        if sum(len(each.scenarios) for each in cities) >= A_SHARD:
            yield ShardWork(folder, number, tuple(cities))
            number, cities = number + 1, []
    if cities:
        yield ShardWork(folder, number, tuple(cities))


def make_shard(work: ShardWork) -> dict[str, Any]:
    """Write a shard, unless it is there and whole; the account of it.

    Raises:
        ValueError: an episode cannot be drawn.
        OSError: it cannot be written.
    """
    kept = account_of(work.folder, work.number)
    if kept is not None:
        return kept
    made = GeneratedEpisodes("", work.folder)
    queries = DistinctQueries()
    with ShardWriter(work.folder, work.number) as writer:
        for city in work.cities:
            block = make_block(city)
            for settled in block.made:
                assert settled.ways is not None, "what was proved has ways"
                writer.add(queries.distinct(settled.episode), settled.ways)
            made.add(block)
        counts = made.counts()
        writer.finish(counts)
    return counts


def _blocks(wanted: SuiteOptions) -> Iterator[DraftedEpisodes]:
    """The blocks of episodes, in order; each of several processes is at most one block ahead."""
    return map_parallel(make_block, blocks(wanted), wanted.jobs, ahead=2)


def grown(seed: int, number: int) -> Town:
    """The city of a number: one after the other in turn, each time another one of its name."""
    chance = Random(f"{seed}/city/{number}")
    recipe = MapRecipe(
        city=ORDER[number % len(ORDER)], seed=chance.randrange(2**31), size=chance.randint(*JUNCTIONS)
    )
    return Town(regrown(recipe), recipe)


# ------------------------------------------------------------------ one city


def make_block(block: CityEpisodes) -> DraftedEpisodes:
    """The episodes of a city; each one's reference answer was found right.

    Raises:
        ValueError: one cannot be drawn.
    """
    town = grown(block.seed, block.number)
    dropped: Counter[str] = Counter()
    said: set[str] = set()
    made: dict[int, SettledEpisode] = {}
    attempts = dict.fromkeys(range(len(block.scenarios)), 0)
    while len(made) < len(block.scenarios):
        fresh: dict[int, SettledEpisode] = {}
        for at, scenario in enumerate(block.scenarios):
            if at not in made:
                name = f"{block.prefix}-{block.first + at:06}"
                fresh[at] = _drawn(block, town, scenario, name, attempts, at, dropped, said)
        proofs = prove([settled.episode for settled in fresh.values()])
        for at, settled in fresh.items():
            proof = proofs[settled.episode.id]
            if proof.broken is None:
                bites = settled.bites if proof.bites is None else proof.bites
                made[at] = replace(settled, bites=bites, ways=proof.ways)
            else:
                dropped[f"{block.scenarios[at].value}: the reference answer breaks {proof.broken}"] += 1
    return DraftedEpisodes(tuple(made[at] for at in range(len(block.scenarios))), dropped)


def _drawn(
    block: CityEpisodes,
    town: Town,
    scenario: Scenario,
    name: str,
    attempts: dict[int, int],
    at: int,
    dropped: Counter[str],
    said: set[str],
) -> SettledEpisode:
    """The first draw that makes an episode."""
    while attempts[at] < ATTEMPTS:
        chance = Random(f"{block.seed}/{name}/{attempts[at]}")
        attempts[at] += 1
        try:
            settled = drafted(town, scenario, name, chance)
        except DrawDropped as reason:
            dropped[str(reason)] += 1
            continue
        # some things are said in few ways
        if settled.episode.query in said and attempts[at] < ATTEMPTS // 8:
            dropped["was said before"] += 1
            continue
        said.add(settled.episode.query)
        return settled
    raise UnfitSuite(f"no episode of {scenario.value} could be drawn in {town.city.name}")
