"""`planspec generate mobilitybench`: regions from a seed, what users ask in them, and what is true, proved as it is written.

Each episode draws its city; those of one city are on as many days as their number asks for. A city's region is grown for a
day and left behind when the episodes of that day are written, so that memory does not grow with their number.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from enum import StrEnum
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar

from planspec.families.mobilitybench.distinct import DistinctQueries
from planspec.families.mobilitybench.drafting import (
    DraftedEpisodes,
    DroppedDrawError,
    SettledEpisode,
    drafted,
)
from planspec.families.mobilitybench.drawing import Town
from planspec.families.mobilitybench.episode import FAMILIES, Scenario, ScenarioFamily
from planspec.families.mobilitybench.map import MapRecipe, atlas, regrown
from planspec.families.mobilitybench.map.days import YEAR
from planspec.families.mobilitybench.map_folder import digest, kept_map, load_map, notice
from planspec.families.mobilitybench.proving import prove
from planspec.families.mobilitybench.sharded_suite import ShardedSuiteWriter, ShardWriter, account_of
from planspec.families.mobilitybench.suite import SuiteWriter
from planspec.families.mobilitybench.suite_files import MAP, NOTICE, suite_id
from planspec.families.suite_writing.options import Told, UnsuitableSuiteError, untold
from planspec.files import replace_bytes, replace_text
from planspec.parallel import Jobs, map_parallel

if TYPE_CHECKING:
    from planspec.families.mobilitybench.outputs import GenerateEpisodesOutput

TITLE = "MobilityBench: questions about ways through and between cities"
FAMILY_SHARES: Mapping[ScenarioFamily, Fraction] = {
    ScenarioFamily.BASIC_INFORMATION: Fraction(366, 1000),
    ScenarioFamily.ROUTE_INFORMATION: Fraction(96, 1000),
    ScenarioFamily.BASIC_PLANNING: Fraction(425, 1000),
    ScenarioFamily.CONSTRAINED_PLANNING: Fraction(113, 1000),
}
"""The paper's proportions."""
WITHIN: Mapping[Scenario, int] = {Scenario.POINT_TO_POINT: 2}
"""The weight of a scenario within its family, if it is not 1; the paper gives no shares of scenarios."""
A_BLOCK = 60
"""The most episodes of a city on one day."""
FEWEST_CITIES = 12
A_CITY = 2
"""A suite draws from so many cities that each could have as many episodes, and from all of them in the end."""
TAIL = 1.1, 3
"""Zipf's law, as Mandelbrot has it: the n-th city is asked about as often as 1 / (n + 3) ** 1.1 says."""
A_SHARD = 1000
"""The least number of episodes of a shard, but for the last."""
SHARDED_FROM = 10_000
"""The least number of episodes that are written in shards."""
COUNTED = ("scenarios", "languages", "cities", "countries", "days", "dropped")
SHIPPED = 0, 60, 30
"""Seed, episodes and cities of the suite that ships."""
FIRST_DAY, DAYS = date(YEAR, 1, 1), 365
"""The days on which episodes are."""
JUNCTIONS = 330
"""Of the city in the middle of a region."""
ATTEMPTS = 80

K = TypeVar("K", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class SuiteOptions:
    """The options of a generated suite.

    Attributes:
        seed: another seed makes other episodes.
        size: episodes.
        cities: the number of cities to draw from, the most asked ones; by the size if None.
        jobs: processes, or a Ray cluster; the result does not depend on it.
        map: the folder of a map in which all episodes are; None for regions that are grown.
    """

    seed: int
    size: int
    cities: int | None = None
    jobs: Jobs = 1
    map: Path | None = None

    @property
    def towns(self) -> int:
        """The number of cities to draw from."""
        wanted = max(FEWEST_CITIES, self.size // A_CITY) if self.cities is None else self.cities
        return max(1, min(len(atlas()), wanted))

    @property
    def sharded(self) -> bool:
        """The tasks are too many for a file each."""
        return self.size >= SHARDED_FROM

    @property
    def decisive(self) -> dict[str, Any]:
        """All that the suite's bytes follow from."""
        own = {"cities": self.towns} if self.map is None else {"map": digest(self.map)}
        return {"planspec": version("planspec"), "seed": self.seed, "size": self.size, **own}

    @property
    def prefix(self) -> str:
        """The prefix of the ids; no other arguments make it, so that no answer is judged as one to another query."""
        if self.map is not None:
            return f"mb-s{self.seed}n{self.size}m{digest(self.map)[:8]}"
        if (self.seed, self.size, self.towns) == SHIPPED:
            return "mb"
        return f"mb-s{self.seed}n{self.size}c{self.towns}"


@dataclass(slots=True)
class GeneratedEpisodes:
    """The generated suite, counted.

    Attributes:
        suite: its name.
        folder: where it is.
        scenarios: episodes of each.
        languages: likewise.
        cities: likewise.
        countries: likewise.
        days: likewise.
        dropped: draws that were given up, by reason.
        wished: episodes with wishes.
        biting: those of them whose wishes change the best way.
    """

    suite: str
    folder: Path
    scenarios: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    cities: Counter[str] = field(default_factory=Counter)
    countries: Counter[str] = field(default_factory=Counter)
    days: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    wished: int = 0
    biting: int = 0

    @property
    def episodes(self) -> int:
        """The number of episodes."""
        return sum(self.scenarios.values())

    def add(self, block: DraftedEpisodes) -> None:
        """Count the episodes of a city on a day."""
        for settled in block.made:
            self.scenarios[settled.episode.scenario.value] += 1
            self.languages[str(settled.episode.language)] += 1
            self.wished += settled.bites is not None
            self.biting += settled.bites is True
        self.cities[block.city] += len(block.made)
        self.countries[block.country] += len(block.made)
        self.days[block.day] += len(block.made)
        self.dropped.update(block.dropped)

    def add_all(self, other: Mapping[str, Any]) -> None:
        """Count what another account counts, which is one as `counts` gives it."""
        for name in COUNTED:
            getattr(self, name).update(other[name])
        self.wished += other["wished"]
        self.biting += other["biting"]

    def counts(self) -> dict[str, Any]:
        """The account as JSON, without the suite."""
        made: dict[str, Any] = {name: dict(getattr(self, name)) for name in COUNTED}
        return made | {"wished": self.wished, "biting": self.biting}

    def document(self) -> GenerateEpisodesOutput:
        """The account of it as JSON."""
        from planspec.families.mobilitybench.outputs import GenerateEpisodesOutput

        return GenerateEpisodesOutput(
            family="mobilitybench", suite=self.suite, folder=str(self.folder), cities=len(self.cities),
            countries=len(self.countries), days=len(self.days),
            episodes=self.episodes, scenarios=dict(self.scenarios), languages=dict(self.languages),
            wishes=self.wished, biting=self.biting, dropped=dict(self.dropped.most_common()),
        )  # fmt: skip

    def lines(self) -> list[str]:
        """The account of it for people."""
        cities = (
            f"{len(self.cities)} {'city' if len(self.cities) == 1 else 'cities'} in "
            f"{len(self.countries)} {'country' if len(self.countries) == 1 else 'countries'} on "
            f"{len(self.days)} {'day' if len(self.days) == 1 else 'days'}"
        )
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
    """Episodes of one city on one day.

    Attributes:
        seed: of all.
        city: its English name.
        day: the day.
        first: the number of its first episode, from 1.
        scenarios: of its episodes, in order.
        prefix: of the ids.
        map: the folder of the map; None if the city's region is grown.
    """

    seed: int
    city: str
    day: date
    first: int
    scenarios: tuple[Scenario, ...]
    prefix: str
    map: Path | None = None


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
        UnsuitableSuiteError: the folder holds something else.
        UnsuitableSuiteError: nothing is wanted, or an episode cannot be drawn.
    """
    if (
        wanted.size < 1
        or (isinstance(wanted.jobs, int) and wanted.jobs < 1)
        or (wanted.cities is not None and wanted.cities < 1)
    ):
        raise UnsuitableSuiteError("a suite has one episode at least, of one city, made by one process")
    if wanted.map is not None and wanted.cities is not None:
        raise UnsuitableSuiteError("a map is one city: `cities` says nothing with it")
    made = GeneratedEpisodes(suite_id(out), out)

    def tell() -> None:
        told(
            f"{made.episodes} of {wanted.size} episodes of {len(made.cities)} cities",
            made.episodes / wanted.size,
        )

    if wanted.sharded:
        with ShardedSuiteWriter(out, TITLE, wanted.decisive) as shards:
            _keep_map(wanted, shards.beside)
            for counts in map_parallel(make_shard, shard_works(wanted, shards.shards), wanted.jobs, ahead=2):
                made.add_all(counts)
                tell()
        return made
    with SuiteWriter(out, TITLE) as writer:
        _keep_map(wanted, writer.beside)
        queries = DistinctQueries()
        for block in _blocks(wanted):
            for settled in block.made:
                writer.add(queries.distinct(settled.episode), settled.ways)
            made.add(block)
            tell()
    return made


def _keep_map(wanted: SuiteOptions, beside: Callable[[str], Path]) -> None:
    """A suite on a map goes with the map, which answers in the setting `live`, and with the notice of its licence."""
    if wanted.map is None:
        return
    replace_bytes(beside(MAP), (wanted.map / MAP).read_bytes())
    said = notice(wanted.map)
    if said is not None:
        replace_text(beside(NOTICE), said)


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


def drawn_cities(wanted: SuiteOptions) -> Counter[str]:
    """The number of episodes of each city that has any: few have many, and many few, after `TAIL`."""
    if wanted.map is not None:
        return Counter({load_map(wanted.map).english: wanted.size})
    names = [spec.english for spec in atlas()[: wanted.towns]]
    power, shift = TAIL
    weights = [1 / (n + shift) ** power for n in range(1, len(names) + 1)]
    return Counter(Random(f"{wanted.seed}/cities").choices(names, weights, k=wanted.size))


def blocks(wanted: SuiteOptions) -> Iterator[CityEpisodes]:
    """The episodes by cities and days in a drawn order, of mixed scenarios."""
    scenarios = [scenario for scenario, count in shares(wanted.size).items() for _ in range(count)]
    Random(f"{wanted.seed}/scenarios").shuffle(scenarios)
    chance = Random(f"{wanted.seed}/days")
    parts: list[tuple[str, date, int]] = []
    for city, count in sorted(drawn_cities(wanted).items()):
        number = -(-count // A_BLOCK)
        for part in range(number):
            day = FIRST_DAY + timedelta(days=chance.randrange(DAYS))
            parts.append((city, day, count * (part + 1) // number - count * part // number))
    chance.shuffle(parts)
    first = 0
    for city, day, count in parts:
        own = tuple(scenarios[first : first + count])
        yield CityEpisodes(wanted.seed, city, day, first + 1, own, wanted.prefix, wanted.map)
        first += count


def shard_works(wanted: SuiteOptions, folder: Path) -> Iterator[ShardWork]:
    """The shards, each of as many blocks as have a thousand episodes."""
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


# ------------------------------------------------------------------ one city


@contextmanager
def rare_collections() -> Iterator[None]:
    """Look for garbage in cycles more rarely: a region is a million objects that all live, and looking at them takes long."""
    usual = gc.get_threshold()
    gc.set_threshold(20_000, 10, 3)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


@rare_collections()
def make_block(block: CityEpisodes) -> DraftedEpisodes:
    """The episodes of a city on a day; each one's reference answer was found right.

    Raises:
        ValueError: one cannot be drawn.
    """
    if block.map is None:
        recipe = MapRecipe(city=block.city, seed=block.seed, size=JUNCTIONS, day=block.day.isoformat())
        town = Town(regrown(recipe), recipe)
    else:
        town = Town(*kept_map(block.map, block.seed, block.day))
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
    settled_all = tuple(made[at] for at in range(len(block.scenarios)))
    return DraftedEpisodes(settled_all, dropped, town.city.english, town.city.country, town.city.today)


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
        except DroppedDrawError as reason:
            dropped[str(reason)] += 1
            continue
        # some things are said in few ways
        if settled.episode.query in said and attempts[at] < ATTEMPTS // 8:
            dropped["was said before"] += 1
            continue
        said.add(settled.episode.query)
        return settled
    why = [reason for reason, _ in dropped.most_common() if reason.startswith(scenario.value)]
    raise UnsuitableSuiteError(
        f"no episode could be drawn in {town.city.name}: {why[0] if why else scenario.value}"
    )
