"""How many kinds of questions a suite of MobilityBench asks, and how alike they are, by language.

Method: a suite that is given, or 2,000 episodes that are generated. A pattern is a question without the names and numbers of
its slots, in small letters. Counted are patterns, the share of the most frequent one, questions that are asked twice, those that are
nearly asked twice (Indel similarity to another one of at least 0.9, names and all), and those whose time could be of leaving
or of arriving. As a suite has few questions of some languages, its slots are put into words again, over and over, until each
language has a thousand questions, whose patterns are counted (`of 1,000`) with the share of the most frequent one. `--sample` prints so many questions of each language, drawn by a seed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from rapidfuzz.distance import Indel

from planspec.families.mobilitybench.distinct import now_of
from planspec.families.mobilitybench.episode import Episode
from planspec.families.mobilitybench.program_readings import today_of
from planspec.families.mobilitybench.suite import read_episodes
from planspec.families.mobilitybench.wording import Moment, wording

AGAIN = 1000
"""Questions of each language that are put into words anew."""
NEAR = 0.9
"""Questions that are so similar are nearly the same."""


@dataclass(frozen=True, slots=True)
class Figures:
    """The questions of a language, counted.

    Attributes:
        questions: all.
        patterns: different ones without names and numbers.
        most: questions of the most frequent pattern.
        often: that pattern.
        twice: questions that were asked before.
        near: questions that are nearly the same as another one.
        unclear: questions with a time that can be taken in two ways.
        ways: sentences of the grammar for an episode's slots, the fewest.
        again: patterns of `AGAIN` questions that are put into words anew from the same slots.
        again_most: those of the most frequent one.
    """

    questions: int
    patterns: int
    most: int
    often: str
    twice: int
    near: int
    unclear: int
    ways: int
    again: int
    again_most: int


def patterns_again(episodes: Sequence[Episode], seed: int) -> Counter[str]:
    """Patterns of questions that are put into words anew, from the slots of one episode after the other."""
    chance, found = Random(seed), Counter[str]()
    for n in range(AGAIN):
        one = episodes[n % len(episodes)]
        assert one.language is not None
        words, today, now = wording(one.language), today_of(one.context) or "", now_of(one.context)
        query = words.query(one.scenario, one.constraints, today, chance, now)
        found[words.masked(one.constraints, query, today, now)] += 1
    return found


def figures(episodes: Sequence[Episode], seed: int) -> Figures:
    """The figures of one language."""
    patterns: Counter[str] = Counter()
    unclear = 0
    ways = []
    for episode in episodes:
        assert episode.language is not None
        words, today, now = (
            wording(episode.language),
            today_of(episode.context) or "",
            now_of(episode.context),
        )
        patterns[words.masked(episode.constraints, episode.query, today, now)] += 1
        unclear += not words.is_clear(episode.constraints, episode.query, today, now)
        ways.append(words.ways(episode.scenario, episode.constraints, Moment(today, now)))
    said = [episode.query.casefold().strip(".?!。？！ ") for episode in episodes]
    (often, most), *_ = patterns.most_common(1)
    again = patterns_again(episodes, seed)
    return Figures(
        len(episodes), len(patterns), most, often, len(said) - len(set(said)), _near(said), unclear, min(ways),
        len(again), max(again.values()),
    )  # fmt: skip


def _near(said: Sequence[str]) -> int:
    ordered = sorted(said, key=len)
    found: set[int] = set()
    for n, one in enumerate(ordered):
        for m in range(n + 1, len(ordered)):
            # the longer one has so many characters that nothing could make up for them
            if 2 * len(one) < NEAR * (len(one) + len(ordered[m])):
                break
            if Indel.normalized_similarity(one, ordered[m], score_cutoff=NEAR):
                found |= {n, m}
    return len(found)


def generated(size: int, seed: int, folder: Path) -> Path:
    """A suite of so many episodes."""
    program = [sys.executable, "-m", "planspec", "generate", "mobilitybench", "--out", str(folder)]
    subprocess.run(
        [*program, "--size", str(size), "--seed", str(seed)], check=True, stdout=subprocess.DEVNULL
    )
    return folder


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--suite", type=Path, help="one that is there, instead of a generated one")
    parser.add_argument("--size", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--sample", type=int, default=0, help="questions of each language to be printed")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        suite = asked.suite or generated(asked.size, asked.seed, Path(place) / "suite")
        languages: dict[str, list[Episode]] = defaultdict(list)
        for episode in read_episodes(suite):
            if episode.language is not None:
                languages[episode.language].append(episode)
    print("language questions patterns most share twice near unclear     ways  of 1,000  most")
    for language, episodes in sorted(languages.items()):
        one = figures(episodes, asked.seed)
        print(
            f"{language:8} {one.questions:9} {one.patterns:8} {one.most:4} {one.most / one.questions:5.1%} "
            f"{one.twice:5} {one.near:4} {one.unclear:7} {one.ways:8,} {one.again:9} {one.again_most / AGAIN:5.1%}"
        )
        print(f"         most frequent: {one.often}")
    for language, episodes in sorted(languages.items()):
        for episode in Random(asked.seed).sample(episodes, min(asked.sample, len(episodes))):
            print(f"{language} {episode.scenario.value}: {episode.query}")


if __name__ == "__main__":
    main()
