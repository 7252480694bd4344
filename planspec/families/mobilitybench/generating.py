"""`planspec generate mobilitybench`: generates regions from a seed, with queries and checked ground truth.

A city is drawn for each episode. A city's episodes are divided into blocks, each on one day. The region of a city is
generated for one block and freed afterwards. Memory use therefore does not depend on the number of episodes.
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
    DraftedBlock,
    DroppedDrawError,
    SettledEpisode,
    draft_episode,
)
from planspec.families.mobilitybench.drawing import Town
from planspec.families.mobilitybench.episode import FAMILIES, Scenario, ScenarioFamily
from planspec.families.mobilitybench.map import MapRecipe, atlas, regrow
from planspec.families.mobilitybench.map.days import YEAR
from planspec.families.mobilitybench.map_folder import digest, load_map, map_with_recipe, notice
from planspec.families.mobilitybench.proving import prove
from planspec.families.mobilitybench.sharded_suite import ShardedSuiteWriter, ShardWriter, read_account
from planspec.families.mobilitybench.suite import SuiteWriter
from planspec.families.mobilitybench.suite_files import MAP, NOTICE, suite_id
from planspec.files import replace_bytes, replace_text
from planspec.parallel import Jobs, map_parallel
from planspec.suite_writing.options import OnProgress, UnsuitableSuiteError, ignore_progress

if TYPE_CHECKING:
    from planspec.families.mobilitybench.outputs import GenerateEpisodesOutput

TITLE = "MobilityBench: questions about ways through and between cities"
FAMILY_SHARES: Mapping[ScenarioFamily, Fraction] = {
    ScenarioFamily.BASIC_INFORMATION: Fraction(366, 1000),
    ScenarioFamily.ROUTE_INFORMATION: Fraction(96, 1000),
    ScenarioFamily.BASIC_PLANNING: Fraction(425, 1000),
    ScenarioFamily.CONSTRAINED_PLANNING: Fraction(113, 1000),
}
"""Shares of the families of scenarios, from the paper."""
SCENARIO_WEIGHTS: Mapping[Scenario, int] = {Scenario.POINT_TO_POINT: 2}
"""Weights of scenarios within their family, 1 if not listed. The paper gives no shares of scenarios."""
BLOCK_EPISODES = 60
"""Maximum number of episodes in a block, which is a city on one day."""
FEWEST_CITIES = 12
EPISODES_PER_CITY = 2
"""Average number of episodes per city, from which the number of cities is derived."""
ZIPF_MANDELBROT = 1.1, 3
"""Exponent and shift of the Zipf-Mandelbrot law: the n-th city has the weight 1 / (n + 3) ** 1.1."""
SHARD_EPISODES_MIN = 1000
"""Minimum number of episodes in each shard except the last."""
SHARDED_FROM = 10_000
"""Number of episodes from which on a suite is written in shards."""
COUNT_NAMES = ("scenarios", "languages", "cities", "countries", "days", "dropped")
SHIPPED = 0, 60, 30
"""Seed, number of episodes and number of cities of the suite that is shipped with the package."""
FIRST_DAY, DAYS = date(YEAR, 1, 1), 365
"""Days on which episodes take place."""
JUNCTIONS = 330
"""Number of junctions of the city at the centre of a region."""
ATTEMPTS = 80

K = TypeVar("K", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class SuiteOptions:
    """Options of a generated suite.

    Attributes:
        seed: random seed; each seed yields different episodes.
        size: number of episodes.
        cities: number of cities to draw from, the first of the table of cities; None to derive it from the size.
        jobs: number of processes, or a Ray cluster. The result does not depend on it.
        map: folder of a map in which all episodes take place; None for generated regions.
    """

    seed: int
    size: int
    cities: int | None = None
    jobs: Jobs = 1
    map: Path | None = None

    @property
    def city_count(self) -> int:
        """Number of cities to draw from."""
        requested = max(FEWEST_CITIES, self.size // EPISODES_PER_CITY) if self.cities is None else self.cities
        return max(1, min(len(atlas()), requested))

    @property
    def is_sharded(self) -> bool:
        """Whether the suite is written in shards, because it has too many tasks for one file each."""
        return self.size >= SHARDED_FROM

    @property
    def determining_options(self) -> dict[str, Any]:
        """All options that affect the content of the suite's files."""
        own = {"cities": self.city_count} if self.map is None else {"map": digest(self.map)}
        return {"planspec": version("planspec"), "seed": self.seed, "size": self.size, **own}

    @property
    def prefix(self) -> str:
        """Prefix of the episodes' ids.

        Suites with different options have different prefixes, so no answer can be judged against another suite's query.
        """
        if self.map is not None:
            return f"mb-s{self.seed}n{self.size}m{digest(self.map)[:8]}"
        if (self.seed, self.size, self.city_count) == SHIPPED:
            return "mb"
        return f"mb-s{self.seed}n{self.size}c{self.city_count}"


@dataclass(slots=True)
class GenerationCounts:
    """Numbers of episodes and of discarded draws in a generated suite.

    Attributes:
        suite: name of the suite.
        folder: its folder.
        scenarios: number of episodes by scenario.
        languages: number of episodes by language.
        cities: number of episodes by city.
        countries: number of episodes by country.
        days: number of episodes by day.
        dropped: number of discarded draws by reason.
        with_wishes: number of episodes with wishes.
        decisive_wishes: number of episodes in which the wishes change the best route.
    """

    suite: str
    folder: Path
    scenarios: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    cities: Counter[str] = field(default_factory=Counter)
    countries: Counter[str] = field(default_factory=Counter)
    days: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    with_wishes: int = 0
    decisive_wishes: int = 0

    @property
    def episodes(self) -> int:
        """Number of episodes."""
        return sum(self.scenarios.values())

    def add(self, block: DraftedBlock) -> None:
        """Add the counts of the episodes of a city on a day."""
        for settled in block.episodes:
            self.scenarios[settled.episode.scenario.value] += 1
            self.languages[str(settled.episode.language)] += 1
            self.with_wishes += settled.wishes_are_binding is not None
            self.decisive_wishes += settled.wishes_are_binding is True
        self.cities[block.city] += len(block.episodes)
        self.countries[block.country] += len(block.episodes)
        self.days[block.day] += len(block.episodes)
        self.dropped.update(block.dropped)

    def add_counts(self, other: Mapping[str, Any]) -> None:
        """Add the counts that `counts` of another object returned."""
        for name in COUNT_NAMES:
            getattr(self, name).update(other[name])
        self.with_wishes += other["wished"]
        self.decisive_wishes += other["biting"]

    def counts(self) -> dict[str, Any]:
        """Return the counts as JSON, without name and folder of the suite."""
        account: dict[str, Any] = {name: dict(getattr(self, name)) for name in COUNT_NAMES}
        return account | {"wished": self.with_wishes, "biting": self.decisive_wishes}

    def document(self) -> GenerateEpisodesOutput:
        """Return the counts as the JSON output of the command."""
        from planspec.families.mobilitybench.outputs import GenerateEpisodesOutput

        return GenerateEpisodesOutput(
            family="mobilitybench",
            suite=self.suite,
            folder=str(self.folder),
            cities=len(self.cities),
            countries=len(self.countries),
            days=len(self.days),
            episodes=self.episodes,
            scenarios=dict(self.scenarios),
            languages=dict(self.languages),
            wishes=self.with_wishes,
            biting=self.decisive_wishes,
            dropped=dict(self.dropped.most_common()),
        )

    def lines(self) -> list[str]:
        """Return the counts as lines of text."""
        cities = (
            f"{len(self.cities)} {'city' if len(self.cities) == 1 else 'cities'} in "
            f"{len(self.countries)} {'country' if len(self.countries) == 1 else 'countries'} on "
            f"{len(self.days)} {'day' if len(self.days) == 1 else 'days'}"
        )
        languages = ", ".join(f"{count} {name}" for name, count in sorted(self.languages.items()))
        return [
            f"suite {self.suite}: {self.episodes} episodes of {cities} in {self.folder} ({languages})",
            *(f"  {name}: {count}" for name, count in sorted(self.scenarios.items())),
            f"{self.decisive_wishes} of {self.with_wishes} wishes change the best way",
            f"draws given up: {self.dropped.total()}",
            *(f"  {count} {reason}" for reason, count in self.dropped.most_common()),
        ]


@dataclass(frozen=True, slots=True)
class CityEpisodes:
    """Specification of a block: the episodes of one city on one day.

    Attributes:
        seed: seed of the suite.
        city: English name of the city.
        day: the day.
        first_number: number of its first episode, from 1.
        scenarios: scenarios of its episodes, in order.
        prefix: prefix of the ids.
        map: folder of the map; None if the city's region is generated.
    """

    seed: int
    city: str
    day: date
    first_number: int
    scenarios: tuple[Scenario, ...]
    prefix: str
    map: Path | None = None


@dataclass(frozen=True, slots=True)
class ShardWork:
    """A shard to write.

    Attributes:
        folder: folder of the shard.
        number: number of the shard, from 1.
        cities: blocks of the shard.
    """

    folder: Path
    number: int
    cities: tuple[CityEpisodes, ...]


def generate(out: Path, options: SuiteOptions, on_progress: OnProgress = ignore_progress) -> GenerationCounts:
    """Generate a suite.

    Args:
        out: folder of the suite, new or with an earlier generated suite.
        options: options of the suite.
        on_progress: function called after each block or shard, with a message and the completed share.

    Raises:
        UnsuitableSuiteError: the folder holds something else, the options are invalid, or an episode cannot be
            drawn.
    """
    if (
        options.size < 1
        or (isinstance(options.jobs, int) and options.jobs < 1)
        or (options.cities is not None and options.cities < 1)
    ):
        raise UnsuitableSuiteError("a suite has one episode at least, of one city, made by one process")
    if options.map is not None and options.cities is not None:
        raise UnsuitableSuiteError("a map is one city: `cities` says nothing with it")
    generated = GenerationCounts(suite_id(out), out)

    def report() -> None:
        on_progress(
            f"{generated.episodes} of {options.size} episodes of {len(generated.cities)} cities",
            generated.episodes / options.size,
        )

    if options.is_sharded:
        with ShardedSuiteWriter(out, TITLE, options.determining_options) as shards:
            _copy_map(options, shards.extra_file)
            for counts in map_parallel(make_shard, shard_works(options, shards.shards), options.jobs, ahead=2):
                generated.add_counts(counts)
                report()
        return generated
    with SuiteWriter(out, TITLE) as writer:
        _copy_map(options, writer.extra_file)
        queries = DistinctQueries()
        for block in _make_blocks(options):
            for settled in block.episodes:
                writer.add(queries.make_distinct(settled.episode), settled.episode_rows)
            generated.add(block)
            report()
    return generated


def _copy_map(options: SuiteOptions, extra_file: Callable[[str], Path]) -> None:
    """Copy the map and its licence notice into the suite's folder. The setting `live` needs the map there."""
    if options.map is None:
        return
    replace_bytes(extra_file(MAP), (options.map / MAP).read_bytes())
    licence = notice(options.map)
    if licence is not None:
        replace_text(extra_file(NOTICE), licence)


# ------------------------------------------------------------------ cities, days and shards


def scenario_counts(size: int) -> dict[Scenario, int]:
    """Return the number of episodes of each scenario. They add up to `size`, with the families' shares of the paper."""
    counts: dict[Scenario, int] = {}
    for family, count in _round_to_sum(FAMILY_SHARES, size).items():
        own = {s: Fraction(SCENARIO_WEIGHTS.get(s, 1)) for s, its in FAMILIES.items() if its is family}
        whole = sum(own.values())
        counts |= _round_to_sum({scenario: share / whole for scenario, share in own.items()}, count)
    return counts


def _round_to_sum(parts: Mapping[K, Fraction], size: int) -> dict[K, int]:
    """Scale shares to integers with the sum `size`, by the method of largest remainders."""
    counts = {key: int(part * size) for key, part in parts.items()}
    order = sorted(parts, key=lambda key: counts[key] - parts[key] * size)
    for key in order[: size - sum(counts.values())]:
        counts[key] += 1
    return counts


def draw_city_counts(options: SuiteOptions) -> Counter[str]:
    """Draw a city for each episode, with weights by `ZIPF_MANDELBROT`. Return the number of episodes by city."""
    if options.map is not None:
        return Counter({load_map(options.map).english: options.size})
    names = [spec.english for spec in atlas()[: options.city_count]]
    power, shift = ZIPF_MANDELBROT
    weights = [1 / (n + shift) ** power for n in range(1, len(names) + 1)]
    return Counter(Random(f"{options.seed}/cities").choices(names, weights, k=options.size))


def draw_blocks(options: SuiteOptions) -> Iterator[CityEpisodes]:
    """Yield the blocks of a suite in random order, each with one city, one day and mixed scenarios."""
    scenarios = [scenario for scenario, count in scenario_counts(options.size).items() for _ in range(count)]
    Random(f"{options.seed}/scenarios").shuffle(scenarios)
    rng = Random(f"{options.seed}/days")
    parts: list[tuple[str, date, int]] = []
    for city, count in sorted(draw_city_counts(options).items()):
        number = -(-count // BLOCK_EPISODES)
        for part in range(number):
            day = FIRST_DAY + timedelta(days=rng.randrange(DAYS))
            parts.append((city, day, count * (part + 1) // number - count * part // number))
    rng.shuffle(parts)
    first = 0
    for city, day, count in parts:
        own = tuple(scenarios[first : first + count])
        yield CityEpisodes(options.seed, city, day, first + 1, own, options.prefix, options.map)
        first += count


def shard_works(options: SuiteOptions, folder: Path) -> Iterator[ShardWork]:
    """Yield the shards. A shard takes consecutive blocks until it has at least `SHARD_EPISODES_MIN` episodes."""
    number, cities = 1, list[CityEpisodes]()
    for city in draw_blocks(options):
        cities.append(city)
        if sum(len(each.scenarios) for each in cities) >= SHARD_EPISODES_MIN:
            yield ShardWork(folder, number, tuple(cities))
            number, cities = number + 1, []
    if cities:
        yield ShardWork(folder, number, tuple(cities))


def make_shard(work: ShardWork) -> dict[str, Any]:
    """Write a shard if it is not yet complete. Return the shard's `GenerationCounts.counts`.

    Raises:
        ValueError: an episode cannot be drawn.
        OSError: the shard cannot be written.
    """
    existing = read_account(work.folder, work.number)
    if existing is not None:
        return existing
    generated = GenerationCounts("", work.folder)
    queries = DistinctQueries()
    with ShardWriter(work.folder, work.number) as writer:
        for city in work.cities:
            block = make_block(city)
            for settled in block.episodes:
                assert settled.episode_rows is not None, "a proved episode has its rows"
                writer.add(queries.make_distinct(settled.episode), settled.episode_rows)
            generated.add(block)
        counts = generated.counts()
        writer.finish(counts)
    return counts


def _make_blocks(options: SuiteOptions) -> Iterator[DraftedBlock]:
    """Yield the generated blocks in order. Each process works at most one block ahead."""
    return map_parallel(make_block, draw_blocks(options), options.jobs, ahead=2)


# ------------------------------------------------------------------ one city


@contextmanager
def rare_collections() -> Iterator[None]:
    """Context manager that makes garbage collection rarer. Each collection scans a region's million live objects."""
    usual = gc.get_threshold()
    gc.set_threshold(20_000, 10, 3)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


@rare_collections()
def make_block(block: CityEpisodes) -> DraftedBlock:
    """Generate the episodes of a block, and check with the verifier that each reference answer passes.

    Raises:
        ValueError: an episode cannot be drawn.
    """
    if block.map is None:
        recipe = MapRecipe(city=block.city, seed=block.seed, size=JUNCTIONS, day=block.day.isoformat())
        town = Town(regrow(recipe), recipe)
    else:
        town = Town(*map_with_recipe(block.map, block.seed, block.day))
    dropped: Counter[str] = Counter()
    queries: set[str] = set()
    proved: dict[int, SettledEpisode] = {}
    attempts = dict.fromkeys(range(len(block.scenarios)), 0)
    while len(proved) < len(block.scenarios):
        drafts: dict[int, SettledEpisode] = {}
        for at, scenario in enumerate(block.scenarios):
            if at not in proved:
                name = f"{block.prefix}-{block.first_number + at:06}"
                drafts[at] = _draw_episode(block, town, scenario, name, attempts, at, dropped, queries)
        proofs = prove([settled.episode for settled in drafts.values()])
        for at, settled in drafts.items():
            proof = proofs[settled.episode.id]
            if proof.broken_rules is None:
                is_binding = (
                    settled.wishes_are_binding if proof.wishes_are_binding is None else proof.wishes_are_binding
                )
                proved[at] = replace(settled, wishes_are_binding=is_binding, episode_rows=proof.episode_rows)
            else:
                dropped[f"{block.scenarios[at].value}: the reference answer breaks {proof.broken_rules}"] += 1
    settled_all = tuple(proved[at] for at in range(len(block.scenarios)))
    return DraftedBlock(settled_all, dropped, town.city.english, town.city.country, town.city.today)


def _draw_episode(
    block: CityEpisodes,
    town: Town,
    scenario: Scenario,
    name: str,
    attempts: dict[int, int],
    at: int,
    dropped: Counter[str],
    queries: set[str],
) -> SettledEpisode:
    """Draw until a draw yields an episode, and return the episode.

    Args:
        block: city and day of the episode.
        town: the city, generated or imported.
        scenario: scenario of the query.
        name: id of the episode.
        attempts: number of draws so far by index of the episode; updated.
        at: index of the episode in the block.
        dropped: discarded draws by reason; updated.
        queries: queries of the block so far; updated.

    Raises:
        UnsuitableSuiteError: `ATTEMPTS` draws yielded no episode.
    """
    while attempts[at] < ATTEMPTS:
        rng = Random(f"{block.seed}/{name}/{attempts[at]}")
        attempts[at] += 1
        try:
            settled = draft_episode(town, scenario, name, rng)
        except DroppedDrawError as reason:
            dropped[str(reason)] += 1
            continue
        # some requests can be worded in only a few ways, so a repeated query is accepted after some attempts
        if settled.episode.query in queries and attempts[at] < ATTEMPTS // 8:
            dropped["was said before"] += 1
            continue
        queries.add(settled.episode.query)
        return settled
    why = [reason for reason, _ in dropped.most_common() if reason.startswith(scenario.value)]
    raise UnsuitableSuiteError(f"no episode could be drawn in {town.city.name}: {why[0] if why else scenario.value}")
