"""`planspec generate veritrip`: from real places a world, a corpus with pictures, and queries that can be satisfied."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle, islice
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from planspec.families.suite_writing.kept_cases import kept_cases
from planspec.families.suite_writing.options import Told, UnfitSuite, untold
from planspec.families.suite_writing.writing import suite_text
from planspec.families.veritrip.base import world_text, write_base
from planspec.families.veritrip.corpus import Corpus, Statement, least_size, save, write_corpus
from planspec.families.veritrip.base_size import COUNTRIES
from planspec.families.veritrip.fact_bases import fact_bases
from planspec.families.veritrip.facts import AnyPlace, Attraction, FactBase
from planspec.families.veritrip.facts_check.evidence import FIELDS
from planspec.families.veritrip.pictures import PictureIndex, Strength, draw, photo
from planspec.families.veritrip.pictures.extra import require_images
from planspec.families.veritrip.proving import NearMiss
from planspec.families.veritrip.query import Query
from planspec.families.veritrip.query_streams import prove_stream, query_streams
from planspec.families.veritrip.saving import save_base
from planspec.files import replace_bytes, replace_text
from planspec.parallel import Jobs, map_parallel

if TYPE_CHECKING:
    from planspec.families.veritrip.outputs import GenerateOutput

NEAR = 10
"""The most neighbours of a place on its picture."""
NEAR_MISSES = 6
QUERIES = 0.5
"""The share of the time that queries take where pictures are drawn, too."""
MARK = "generated.json"
"""The file that marks a folder as generated, with its arguments."""


@dataclass(frozen=True, slots=True)
class SuiteSize:
    """The size of the suite to generate.

    Attributes:
        seed: another one gives other services, documents, pictures and queries.
        documents: in all.
        images: in all.
        queries: those that have a plan.
        clean: without documents that contradict the facts; others stand in their place.
    """

    seed: int = 0
    documents: int = 2000
    images: int = 400
    queries: int = 60
    clean: bool = False

    @property
    def name(self) -> str:
        """The suite's name, and its tasks' names before the number: the shipped suite has the default's.

        Other queries have other ids, so that no answer to one is judged as an answer to another.
        """
        kind = f"veritrip-s{self.seed}q{self.queries}" if (self.seed, self.queries) != (0, 60) else "veritrip"
        return kind if self.images else f"{kind}-named"


@dataclass(frozen=True, slots=True)
class GeneratedTasks:
    """The generated suite, counted.

    Attributes:
        folder: of the suite.
        suite: its id.
        tasks: the ids of the queries that have a plan.
        near_misses: those that have none.
    """

    folder: Path
    suite: str
    documents: int
    images: int
    tasks: tuple[str, ...]
    near_misses: tuple[str, ...]

    def document(self) -> GenerateOutput:
        """The account of it as JSON."""
        from planspec.families.veritrip.outputs import GenerateOutput

        return GenerateOutput(
            family="veritrip",
            suite=self.suite,
            folder=str(self.folder),
            documents=self.documents,
            images=self.images,
            tasks=list(self.tasks),
            near_misses=list(self.near_misses),
        )

    def lines(self) -> list[str]:
        """The account of it for people."""
        return [
            f"{self.documents} documents and {self.images} pictures in {self.folder / 'corpus'}",
            f"suite {self.suite}: {len(self.tasks)} tasks in {self.folder}",
            f"suite {self.suite}-near-misses: {len(self.near_misses)} tasks without a plan",
        ]


def generate(out: Path, wanted: SuiteSize, told: Told = untold, *, jobs: Jobs = 1) -> GeneratedTasks:
    """Fill a folder; the same arguments give the same bytes.

    Args:
        out: a new folder, or one that was generated before, whose files are replaced.
        wanted: how much.
        told: hears what is done.
        jobs: processes, or a Ray cluster; what is made does not depend on it.

    Raises:
        OSError: a file cannot be written.
        ValueError: there are too few documents for all facts.
        ModuleNotFoundError: pictures are wanted, and the extra `images` is not installed.
    """
    if wanted.images:
        require_images()
    bases = fact_bases(wanted.seed)
    corpora = _corpora(bases, wanted)
    out.mkdir(parents=True, exist_ok=True)
    others = _clear(out)
    told("facts and documents")
    for country, base in bases.items():
        save_base(base, out / "facts" / country)
        write_base(base, out / f"{country}.sqlite", _on_attractions(base, corpora[country]))
        title = f"VeriTrip, {', '.join(base.cities)}"
        world = world_text(f"{wanted.name}-{country}", title, base.currency, f"{country}.sqlite")
        replace_text(out / f"{country}.world.yaml", world)
    merged = Corpus(
        tuple(sorted((d for c in corpora.values() for d in c.documents), key=lambda d: d.id)),
        tuple(sorted((s for c in corpora.values() for s in c.statements), key=lambda s: s.document)),
    )
    save(merged, out / "corpus")
    queries, misses = _queries(bases, wanted, out, told, jobs)
    asked = [*queries, *(miss.query for miss in misses)]
    images = _pictures(bases, wanted, asked, out / "corpus", told, jobs)
    if wanted.images:
        told("pictures of the queries")
        _anchors(bases, asked, wanted.seed, out, jobs)
    _suites(out, wanted.name, queries, misses)
    said = {"family": "veritrip", "seed": wanted.seed, "documents": len(merged.documents), "images": images,
            "queries": len(queries), "clean": wanted.clean, "finished": True, "files": sorted(_files(out) - others)}  # fmt: skip
    replace_text(out / MARK, json.dumps(said, indent=2) + "\n")
    return GeneratedTasks(
        out,
        wanted.name,
        len(merged.documents),
        images,
        tuple(q.id for q in queries),
        tuple(miss.query.id for miss in misses),
    )


def is_generated(folder: Path) -> bool:
    """The folder holds what was generated before, or nothing."""
    return (folder / MARK).is_file() or not any(folder.iterdir())


def _files(out: Path) -> set[str]:
    paths = (path for path in out.rglob("*") if path.is_file() and path.name != MARK)
    return {path.relative_to(out).as_posix() for path in paths}


def _clear(out: Path) -> set[str]:
    """Take away what was generated before, broken off or not; the names of what others put beside it, which stays."""
    mark, there = out / MARK, _files(out)
    try:
        before = json.loads(mark.read_text("utf-8")) if mark.is_file() else {}
    except ValueError:
        before = {}
    # of documents that were searched there is an index, which nobody listed
    indexes = {name for name in there if name.startswith("corpus/documents.sqlite")}
    if before.get("finished", True):
        ours = there & {*before.get("files", ()), *indexes}
    else:
        ours = there - set(before.get("others", ()))
    replace_text(mark, json.dumps({"finished": False, "others": sorted(there - ours)}) + "\n")
    for name in ours:
        (out / name).unlink()
    return there - ours


# ------------------------------------------------------------------ documents


def _corpora(bases: Mapping[str, FactBase], wanted: SuiteSize) -> dict[str, Corpus]:
    """The documents of each country, under ids that tell no country."""
    made: dict[str, Corpus] = {}
    left = wanted.documents
    least = len(bases) * max(map(least_size, bases.values()))
    if left < least:
        raise UnfitSuite(
            f"{left} documents are too few to state every fact of all countries: {least} is the least size"
        )
    for n, (country, base) in enumerate(bases.items()):
        size = left // (len(bases) - n)
        left -= size
        made[country] = write_corpus(base, wanted.seed, size, wanted.clean)
    ids = list(range(1, wanted.documents + 1))
    Random(f"{wanted.seed}/documents").shuffle(ids)
    begun = 0
    for country, corpus in made.items():
        shift = begun - 1
        begun += len(corpus.documents)
        made[country] = Corpus(
            tuple(replace(d, id=ids[d.id + shift]) for d in corpus.documents),
            tuple(replace(s, document=ids[s.document + shift]) for s in corpus.statements),
        )
    return made


def _on_attractions(base: FactBase, corpus: Corpus) -> Iterator[Statement]:
    """The documents' statements on the facts of attractions for which answers are checked."""
    checked = {field for fields in FIELDS.values() for field in fields}
    known = {(a.name, a.city) for a in base.attractions}
    return (s for s in corpus.statements if s.field in checked and (s.subject, s.city) in known)


# ------------------------------------------------------------------ pictures


def _pictures(
    bases: Mapping[str, FactBase],
    wanted: SuiteSize,
    asked: Sequence[Query],
    folder: Path,
    told: Told,
    jobs: Jobs,
) -> int:
    """Draw and index pictures of each place in turn, first of the places that queries show.

    Every place that a query shows has one, even if fewer are wanted.
    """
    if not wanted.images:
        return 0
    shown = {(query.target_city, name) for query in asked for name in query.shown}
    places = [place for base in bases.values() for place in base.places]
    Random(f"{wanted.seed}/pictures").shuffle(places)
    sights = [p for p in places if isinstance(p, Attraction) and (p.city, p.name) in shown]
    first = set(sights)
    places = [*sights, *(place for place in places if place not in first)]
    count = max(wanted.images, len(sights))
    names = list(range(1, count + 1))
    Random(f"{wanted.seed}/names").shuffle(names)  # a name tells nothing of what is shown
    images = folder / "images"
    images.mkdir(exist_ok=True)
    near = {place: _near(place, places) for place in places}
    drawn = [
        _Drawing(place, near[place], 1 + n // len(places), wanted.seed)
        for n, place in enumerate(islice(cycle(places), count))
    ]
    made: list[tuple[str, bytes, str]] = []
    pictures = map_parallel(_draw, drawn, jobs, light=True)
    for n, (drawing, picture) in enumerate(zip(drawn, pictures, strict=True)):
        made.append((f"{names[n]:05}", picture, f"{drawing.place.name}, {drawing.place.city}"))
        if n % 20 == 19:
            told(f"pictures, {n + 1} of {count}", QUERIES + (1 - QUERIES) * (n + 1) / count)
    made.sort()
    for name, picture, _ in made:
        replace_bytes(images / f"{name}.png", picture)
    _lines(folder / "images.jsonl", ({"id": name, "caption": caption} for name, _, caption in made))
    PictureIndex.build((name, picture) for name, picture, _ in made).save(folder / "pictures.sqlite")
    return count


@dataclass(frozen=True, slots=True)
class _Drawing:
    """A picture to be drawn, as `draw` takes it."""

    place: AnyPlace
    near: Sequence[AnyPlace]
    variant: int
    seed: int
    image: str = ""


def _draw(drawing: _Drawing) -> bytes:
    return draw(drawing.place, drawing.near, drawing.variant, drawing.seed)


def _photograph(drawing: _Drawing) -> bytes:
    """The photo that a query shows, under its name."""
    random = Random(f"{drawing.seed}/{drawing.image}")
    strength: Strength = random.choice(("mild", "mild", "strong"))
    return photo(_draw(drawing), random.randrange(2**31), strength)


def _near(place: AnyPlace, places: Sequence[AnyPlace]) -> list[AnyPlace]:
    """Its nearest neighbours in its city."""
    others = [other for other in places if other.city == place.city and other is not place]
    others.sort(key=lambda o: (o.latitude - place.latitude) ** 2 + (o.longitude - place.longitude) ** 2)
    return others[:NEAR]


def _anchors(
    bases: Mapping[str, FactBase], queries: Sequence[Query], seed: int, out: Path, jobs: Jobs
) -> None:
    """The photos that queries show, and apart what they show."""
    folder = out / "anchors"
    folder.mkdir(exist_ok=True)
    sights = {(a.city, a.name): a for base in bases.values() for a in base.attractions}
    everywhere = [place for base in bases.values() for place in base.places]
    shown = [
        _Drawing(place := sights[query.target_city, name], _near(place, everywhere), 1, seed, image)
        for query in queries
        for image, name in zip(query.images, query.shown, strict=True)
    ]
    for drawing, picture in zip(shown, map_parallel(_photograph, shown, jobs, light=True), strict=True):
        replace_bytes(folder / drawing.image, picture)
    truth = ({"image": d.image, "city": d.place.city, "place": d.place.name} for d in shown)
    _lines(out / "anchors.jsonl", truth)


# ------------------------------------------------------------------ queries


def _queries(
    bases: Mapping[str, FactBase], wanted: SuiteSize, out: Path, told: Told, jobs: Jobs
) -> tuple[list[Query], list[NearMiss]]:
    """The queries of the paper's difficulties, from both countries in turn, and a few that miss."""
    for name in ("tasks", "near-misses"):
        (out / name).mkdir(exist_ok=True)
    made: dict[str, Query] = {}
    misses: list[NearMiss] = []
    streams = query_streams(bases, wanted.name, wanted.queries, wanted.seed, out, pictures=wanted.images > 0)
    for stream in map_parallel(prove_stream, streams, jobs):
        made |= {query.id: query for query in stream.queries}
        misses.append(stream.miss)
        for path, text in stream.texts.items():
            replace_text(path, text + kept_cases(path))
        told(
            f"queries, {len(made)} of {wanted.queries}; near misses, {len(misses)} of {NEAR_MISSES}",
            (QUERIES if wanted.images else 1) * len(made) / wanted.queries,
        )
    return [made[name] for name in sorted(made, key=_number)], misses


def _number(name: str) -> int:
    return int(name.rpartition("-")[2])


def _suites(out: Path, name: str, queries: Sequence[Query], misses: Sequence[NearMiss]) -> None:
    asked = suite_text(
        name, "veritrip", "'VeriTrip: trips planned from documents and pictures'",
        [f"tasks/{query.id}.yaml" for query in queries], "veritrip",
    )  # fmt: skip
    missed = suite_text(
        f"{name}-near-misses", "veritrip", "'VeriTrip: queries without a plan'", [f"{miss.query.id}.yaml" for miss in misses], "veritrip",
    )  # fmt: skip
    replace_text(out / "suite.yaml", asked)
    replace_text(out / "near-misses" / "suite.yaml", missed)
    _lines(out / "queries.jsonl", (query.model_dump(mode="json") for query in queries))
    _lines(
        out / "near-misses.jsonl", ({**m.query.model_dump(mode="json"), "mus": list(m.mus)} for m in misses)
    )


def _lines(path: Path, rows: Iterable[Mapping[str, object]]) -> None:
    replace_text(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
