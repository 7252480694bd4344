"""Variety of the questions of a MobilityBench suite, by language.

Method: the suite is `--suite` or, without this option, a newly generated one of 2,000 episodes. A pattern is a question
in lower case, without the names and numbers of its slots. The benchmark counts patterns, repeated questions, and near
repetitions (Indel similarity to another question of at least 0.9, including names). It also counts ambiguous times,
which may be a departure or an arrival, and prints the share of the most frequent pattern. Some languages have few
questions in a suite. Therefore a thousand further questions in each language are generated from the same slots, and
their patterns are counted (`of 1,000`). `--sample` prints some questions of each language, drawn by a seed.
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

REWORDED = 1000
"""Number of reworded questions in each language."""
MIN_SIMILARITY = 0.9
"""Minimum similarity of two questions that count as near repetitions."""


@dataclass(frozen=True, slots=True)
class QuestionCounts:
    """Counts of questions in one language.

    Attributes:
        questions: number of all questions.
        patterns: number of different questions without names and numbers.
        frequent_pattern_count: number of questions with the most frequent pattern.
        frequent_pattern: the most frequent pattern.
        repeated: number of repeated questions.
        near_repetitions: number of questions that are nearly the same as another one.
        unclear: number of questions with an ambiguous time.
        min_sentences: smallest number of sentences, over all episodes, that the grammar can generate for the slots.
        reworded: number of patterns among `REWORDED` questions that are generated from the same slots.
        frequent_reworded_count: number of reworded questions with the most frequent pattern.
    """

    questions: int
    patterns: int
    frequent_pattern_count: int
    frequent_pattern: str
    repeated: int
    near_repetitions: int
    unclear: int
    min_sentences: int
    reworded: int
    frequent_reworded_count: int


def reworded_patterns(episodes: Sequence[Episode], seed: int) -> Counter[str]:
    """Generate `REWORDED` further questions from the episodes' constraints, and count their sentence patterns."""
    random_source, patterns = Random(seed), Counter[str]()
    for n in range(REWORDED):
        one = episodes[n % len(episodes)]
        assert one.language is not None
        words, today, now = wording(one.language), today_of(one.context) or "", now_of(one.context)
        query = words.query(one.scenario, one.constraints, today, random_source, now, one.context.travel_tool)
        patterns[words.query_pattern(one.constraints, query, today, now)] += 1
    return patterns


def count_questions(episodes: Sequence[Episode], seed: int) -> QuestionCounts:
    """Count the questions of episodes in one language."""
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
        patterns[words.query_pattern(episode.constraints, episode.query, today, now)] += 1
        unclear += not words.is_clear(episode.constraints, episode.query, today, now)
        ways.append(words.count_sentences(episode.scenario, episode.constraints, Moment(today, now)))
    queries = [episode.query.casefold().strip(".?!。？！ ") for episode in episodes]
    (frequent_pattern, most), *_ = patterns.most_common(1)
    reworded = reworded_patterns(episodes, seed)
    return QuestionCounts(
        len(episodes),
        len(patterns),
        most,
        frequent_pattern,
        len(queries) - len(set(queries)),
        _near_repetitions(queries),
        unclear,
        min(ways),
        len(reworded),
        max(reworded.values()),
    )


def _near_repetitions(queries: Sequence[str]) -> int:
    ordered = sorted(queries, key=len)
    near: set[int] = set()
    for n, one in enumerate(ordered):
        for m in range(n + 1, len(ordered)):
            # this question and all longer ones differ too much in length to be similar
            if 2 * len(one) < MIN_SIMILARITY * (len(one) + len(ordered[m])):
                break
            if Indel.normalized_similarity(one, ordered[m], score_cutoff=MIN_SIMILARITY):
                near |= {n, m}
    return len(near)


def generate(size: int, seed: int, folder: Path) -> Path:
    """Generate a suite of `size` episodes in a folder, and return the folder."""
    program = [sys.executable, "-m", "planspec", "generate", "mobilitybench", "--out", str(folder)]
    subprocess.run([*program, "--size", str(size), "--seed", str(seed)], check=True, stdout=subprocess.DEVNULL)
    return folder


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--suite", type=Path, help="an existing suite (default: a generated one)")
    parser.add_argument("--size", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--sample", type=int, default=0, help="number of questions of each language to print")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        suite = options.suite or generate(options.size, options.seed, Path(folder) / "suite")
        languages: dict[str, list[Episode]] = defaultdict(list)
        for episode in read_episodes(suite):
            if episode.language is not None:
                languages[episode.language].append(episode)
    print("language questions patterns most share twice near unclear     ways  of 1,000  most")
    for language, episodes in sorted(languages.items()):
        one = count_questions(episodes, options.seed)
        print(
            f"{language:8} {one.questions:9} {one.patterns:8} {one.frequent_pattern_count:4} {one.frequent_pattern_count / one.questions:5.1%} "
            f"{one.repeated:5} {one.near_repetitions:4} {one.unclear:7} {one.min_sentences:8,} {one.reworded:9} {one.frequent_reworded_count / REWORDED:5.1%}"
        )
        print(f"         most frequent: {one.frequent_pattern}")
    for language, episodes in sorted(languages.items()):
        for episode in Random(options.seed).sample(episodes, min(options.sample, len(episodes))):
            print(f"{language} {episode.scenario.value}: {episode.query}")


if __name__ == "__main__":
    main()
