"""The requests of the 150 shipped tasks do not follow a common template."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from itertools import combinations
from statistics import median

import pytest

import planspec
from planspec.api.catalog import Catalog
from planspec.dsl.workspace.workspace import Workspace
from planspec.families.worldtravel.generator.city import CityFolder
from planspec.families.worldtravel.generator.wording import trigram_overlap, trigrams
from planspec.families.worldtravel.generator.written_requests import (
    read_requests,
    specification_digest,
    specification_of,
)
from tests.paths import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("worldtravel-suites")]

CITIES = ("berlin", "vienna", "rome", "barcelona", "florence")
REPEATED_SENTENCES = 0.15
"""Maximum share of sentences that occur twice if numbers are masked. The value may only be lowered."""
REPEATED_TRIGRAMS = 0.35
"""Maximum share of a request's word trigrams that also occur in another request. The value may only be lowered."""
MAX_OVERLAP = 0.15
"""Maximum overlap of the word trigrams of two requests; see `trigram_overlap`. The value may only be lowered."""


@cache
def queries() -> dict[str, str]:
    """Return the requests of all tasks, by id."""
    workspace = Workspace()
    tasks = [
        planspec.load(path, workspace=workspace)
        for city in CITIES
        for path in Catalog().suite(f"worldtravel-{city}").tasks
    ]
    return {task.id: str(task.query) for task in tasks}


def sentences(text: str) -> list[str]:
    """Return the sentences of a text in lower case, with `#` for each number."""
    parts = re.split(r"(?<=[.!?])\s+", " ".join(text.split()))
    return [re.sub(r"\d+", "#", part.casefold()) for part in parts]


@pytest.mark.thorough
def test_few_sentences_are_used_twice() -> None:
    counts = Counter(sentence for text in queries().values() for sentence in sentences(text))
    repeated = {sentence: count for sentence, count in counts.items() if count > 1}
    assert sum(repeated.values()) / counts.total() < REPEATED_SENTENCES, Counter(repeated).most_common(10)


def test_few_word_trigrams_occur_in_another_request() -> None:
    triples = {task: trigrams(text) for task, text in queries().items()}
    counts = Counter(triple for each in triples.values() for triple in each)
    repeated = sum(count for count in counts.values() if count > 1)
    assert repeated / counts.total() < REPEATED_TRIGRAMS, counts.most_common(25)


def test_no_request_is_close_to_another() -> None:
    triples = {task: trigrams(text) for task, text in queries().items()}
    nearest = dict.fromkeys(triples, (0.0, ""))
    for one, other in combinations(triples, 2):
        overlap = trigram_overlap(triples[one], triples[other])
        nearest[one], nearest[other] = max(nearest[one], (overlap, other)), max(nearest[other], (overlap, one))
    assert median(overlap for overlap, _ in nearest.values()) < MAX_OVERLAP
    assert {task: near for task, near in nearest.items() if near[0] >= MAX_OVERLAP} == {}


@pytest.mark.parametrize("name", CITIES)
def test_each_task_has_the_request_written_for_its_specification(name: str) -> None:
    requests = read_requests(CityFolder.read(ROOT / "tasks" / "cities" / name))
    paths = {path.name.partition(".")[0]: path for path in Catalog().suite(f"worldtravel-{name}").tasks}
    assert requests.keys() == paths.keys()
    for task, request in requests.items():
        assert request.digest == specification_digest(specification_of(paths[task].read_text("utf-8"))), task
        assert queries()[task].strip() == request.worded().text, task
