"""Document search for facts: recall at 10, latency, and build times.

Method: the documents are generated for the shipped worlds with seed 1, including contradictions. A question asks for
one fact in plain words. It is a hit if one of the ten documents found states the fact correctly, according to the
corpus's hidden statements. The same number of questions of each sort is drawn. Latency is the median over all
questions, with one thread and the file in the cache. A second recall is for the ranking by words fused, by reciprocal
ranks, with a ranking by dense vectors of MiniLM. It is skipped if the model is missing.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from planspec.dsl.resources.english_words import MONTHS
from planspec.families.veritrip.corpus import Corpus, save, write_corpus
from planspec.families.veritrip.corpus.nearby import NeighbourSearch
from planspec.families.veritrip.dense import DenseIndex, MissingDenseModelError, TextEncoder
from planspec.families.veritrip.facts import FactBase
from planspec.families.veritrip.reading import read_places
from planspec.families.veritrip.search import DocumentIndex, open_corpus
from planspec.families.veritrip.timetable import timetable

PLACES = Path(__file__).resolve().parent.parent / "tasks" / "veritrip" / "places"
CURRENCIES = {"china": "CNY", "usa": "USD"}


@dataclass(frozen=True, slots=True)
class Question:
    """A question in natural language. A document answers it if it states one of the facts correctly.

    Attributes:
        sort: sort of question, such as "ticket".
        text: the question.
        facts: subject, city and field of each fact that answers it.
    """

    sort: str
    text: str
    facts: frozenset[tuple[str, str, str]]


def world(name: str) -> FactBase:
    base = read_places(PLACES / name, CURRENCIES[name])
    return replace(base, services=timetable(base, 1))


def draw_questions(base: FactBase, each: int, seed: int) -> list[Question]:
    """Draw `each` questions of each sort, or fewer if there are fewer facts."""
    by_sort: dict[str, list[Question]] = defaultdict(list)

    def ask(sort: str, text: str, facts: Sequence[tuple[str, str, str]]) -> None:
        by_sort[sort].append(Question(sort, text, frozenset(facts)))

    for sight in base.attractions:
        name, city = sight.name, sight.city
        ask("ticket", f"ticket price of {name}", [(name, city, "ticket")])
        ask("hours", f"when does {name} in {city} open and close?", [(name, city, "opens")])
        ask("closed on", f"on which days is {name} closed", [(name, city, "closed_on")])
        ask("visit", f"how long should I plan for a visit to {name}", [(name, city, "visit")])
    directions: dict[tuple[object, ...], list[tuple[str, str, str]]] = defaultdict(list)
    for service in base.services:
        subject = f"{service.number} {service.date.isoformat()}"
        fact = (subject, service.origin_city, "depart")
        directions[service.vehicle, service.origin_city, service.to_city, service.date].append(fact)
        day = f"{MONTHS[service.date.month - 1]} {service.date.day}"
        ask("service", f"departure time of {service.number} on {day}", [fact])
    for service in base.services:
        facts = directions.pop((service.vehicle, service.origin_city, service.to_city, service.date), None)
        if facts:
            day = f"{MONTHS[service.date.month - 1]} {service.date.day}"
            noun = "train" if service.vehicle == "train" else "flight"
            ask(noun, f"{noun} from {service.origin_city} to {service.to_city} on {day}", facts)
    sights = NeighbourSearch(base.attractions)
    families: dict[tuple[str, str], list[tuple[str, str, str]]] = defaultdict(list)
    for hotel in base.hotels:
        room = hotel.rooms[0].kind
        ask("room", f"price of a {room.lower()} at {hotel.name}", [(hotel.name, hotel.city, f"room:{room}")])
        for sight_near, _ in sights.nearest(hotel, 3):
            for kind in hotel.rooms:
                if kind.kind == "Family room":
                    families[sight_near, hotel.city].append((hotel.name, hotel.city, "room:Family room"))
    for (near, city), facts in families.items():
        ask("hotel nearby", f"hotel near {near} in {city} with family rooms", facts)
    for table in base.restaurants:
        ask("meal", f"how much is a meal at {table.name}, {table.city}", [(table.name, table.city, "price")])
    for poi in base.pois:
        ask("place", f"where is {poi.name} in {poi.city}", [(poi.name, poi.city, "existence")])
    chance = random.Random(seed)
    return [one for group in by_sort.values() for one in chance.sample(group, min(each, len(group)))]


def count_hits(
    queries: Sequence[Question], corpus: Corpus, search: Callable[[str], Sequence[int]]
) -> dict[str, tuple[int, int]]:
    """Return the number of hits and the number of questions of each sort."""
    truths: dict[tuple[str, str, str], set[int]] = defaultdict(set)
    for statement in corpus.statements:
        if statement.true:
            truths[statement.subject, statement.city, statement.field].add(statement.document)
    hit, total = Counter[str](), Counter[str]()
    for question in queries:
        right = set().union(*(truths[fact] for fact in question.facts))
        total[question.sort] += 1
        hit[question.sort] += any(document in right for document in search(question.text))
    return {sort: (hit[sort], count) for sort, count in total.items()}


def search_function(index: DocumentIndex, dense: DenseIndex | None = None) -> Callable[[str], list[int]]:
    return lambda text: [one.document for one in index.search(text, dense=dense)]


def recall_text(results: Sequence[dict[str, tuple[int, int]]]) -> str:
    """Format the recall over all questions and for each sort of question."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for result in results:
        for sort, (hit, count) in result.items():
            counts[sort][0] += hit
            counts[sort][1] += count
    hit, count = (sum(pair[side] for pair in counts.values()) for side in (0, 1))
    parts = ", ".join(f"{sort} {pair[0] / pair[1]:.3f}" for sort, pair in counts.items())
    return f"{hit / count:.3f} of {count} questions ({parts})"


def latency_ms(index: DocumentIndex, queries: Sequence[Question]) -> float:
    for question in queries[:20]:
        index.search(question.text)
    times = []
    for question in queries:
        began = time.perf_counter()
        index.search(question.text)
        times.append(time.perf_counter() - began)
    return statistics.median(times) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=int, default=40, help="questions of each sort and world")
    parser.add_argument("--size", type=int, default=1100, help="documents of each world for recall")
    parser.add_argument("--sizes", type=int, nargs="*", default=[2000, 4000, 8000], help="corpus sizes for times")
    parser.add_argument("--no-dense", action="store_true", help="leave out the dense vectors, which take minutes")
    arguments = parser.parse_args()
    encoder = None
    if not arguments.no_dense:
        try:
            encoder = TextEncoder()
        except MissingDenseModelError as error:
            print(f"no dense vectors: {error}")
    words, fused = [], []
    with tempfile.TemporaryDirectory() as scratch:
        for name in CURRENCIES:
            base = world(name)
            corpus = write_corpus(base, 1, arguments.size, False)
            queries = draw_questions(base, arguments.questions, 1)
            folder = Path(scratch, name)
            save(corpus, folder)
            with open_corpus(folder) as index:
                words.append(count_hits(queries, corpus, search_function(index)))
                if encoder is not None:
                    began = time.perf_counter()
                    dense = DenseIndex.build(encoder, index.rows())
                    print(f"{name}: {arguments.size} documents encoded in {time.perf_counter() - began:.0f} s")
                    fused.append(count_hits(queries, corpus, search_function(index, dense)))
        print(f"recall at 10, words: {recall_text(words)}")
        if fused:
            print(f"recall at 10, words and vectors: {recall_text(fused)}")
        base = world("china")
        queries = draw_questions(base, arguments.questions, 1)
        print(f"{'documents':>9} {'written':>9} {'saved':>9} {'indexed':>9} {'search':>10}")
        for size in arguments.sizes:
            folder = Path(scratch, str(size))
            marks = [time.perf_counter()]
            corpus = write_corpus(base, 1, size, False)
            marks.append(time.perf_counter())
            save(corpus, folder)
            marks.append(time.perf_counter())
            index = open_corpus(folder)
            marks.append(time.perf_counter())
            spent = [f"{after - before:.2f} s" for before, after in pairwise(marks)]
            print(f"{size:>9} {spent[0]:>9} {spent[1]:>9} {spent[2]:>9} {latency_ms(index, queries):>7.2f} ms")
            index.close()


if __name__ == "__main__":
    main()
