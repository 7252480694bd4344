"""`planspec generate veritrip`: from real places a world, a corpus with pictures, and queries that can be satisfied."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import planspec
from planspec.families.suite_writing.kept_cases import kept_cases
from planspec.families.suite_writing.options import OnProgress, UnsuitableSuiteError, ignore_progress
from planspec.families.suite_writing.writing import suite_text
from planspec.families.veritrip.base import world_text, write_base
from planspec.families.veritrip.base_size import PAPER_DOCUMENTS, PAPER_QUERIES, SHIPPED_DOCUMENTS
from planspec.families.veritrip.city_streams import CityStream, city_streams, prove_city_stream
from planspec.families.veritrip.corpus import (
    LARGE,
    SMALL,
    Corpus,
    Statement,
    least_size,
    load,
    save,
    write_corpus,
)
from planspec.families.veritrip.corpus.chinese_words import ChineseWords
from planspec.families.veritrip.corpus.trust import NoiseMeasure
from planspec.families.veritrip.corpus.truth_check import noise_lines, require_truth
from planspec.families.veritrip.drafting import Showable
from planspec.families.veritrip.fact_bases import SizedBase, sized_bases
from planspec.families.veritrip.facts import AnyPlace, Attraction, FactBase
from planspec.families.veritrip.facts_check.evidence import FIELDS
from planspec.families.veritrip.noise_level import NOISE
from planspec.families.veritrip.picture_documents import picture_documents
from planspec.families.veritrip.pictures import (
    Album,
    PictureFeatures,
    PictureIndex,
    Renderings,
    allotted,
    picture_features,
    read_photographs,
)
from planspec.families.veritrip.pictures.extra import require_drawing, require_images
from planspec.families.veritrip.progress import MARK, SuiteProgress
from planspec.families.veritrip.proving import NearMiss
from planspec.families.veritrip.query import Query
from planspec.families.veritrip.query_streams import (
    ProvedStream,
    QueryStream,
    prove_stream,
    query_streams,
)
from planspec.families.veritrip.saving import save_base, save_origins
from planspec.files import replace_bytes, replace_text
from planspec.parallel import Jobs, map_parallel

if TYPE_CHECKING:
    from planspec.families.veritrip.outputs import GenerateOutput

NEAR_MISSES = 6
QUERIES = 0.5
"""The share of the time that queries take where pictures are drawn, too."""


@dataclass(frozen=True, slots=True)
class SuiteSize:
    """The size of the suite to generate.

    Attributes:
        seed: another one gives other services, documents, pictures and queries.
        documents: in all.
        images: in all.
        queries: those that have a plan.
        clean: without documents that contradict the facts; others stand in their place.
        noise: the share of the attractions, hotels and timetables of which documents contradict facts.
    """

    seed: int = 0
    documents: int = 2000
    images: int = 400
    queries: int = 60
    clean: bool = False
    noise: float = NOISE

    @property
    def large(self) -> bool:
        """The fact base is larger than the shipped one."""
        return self.documents > SHIPPED_DOCUMENTS

    @property
    def name(self) -> str:
        """The suite's name, and its tasks' names before the number: the shipped suite has the default's.

        Other queries have other ids, so that no answer to one is judged as an answer to another.
        """
        kind = f"veritrip-s{self.seed}q{self.queries}" if (self.seed, self.queries) != (0, 60) else "veritrip"
        if self.large:
            kind = f"veritrip-s{self.seed}q{self.queries}n{self.documents}"
        if (self.seed, self.documents, self.queries) == (0, PAPER_DOCUMENTS, PAPER_QUERIES):
            kind = "veritrip-paper"
        return kind if self.images else f"{kind}-named"


@dataclass(frozen=True, slots=True)
class GeneratedTasks:
    """The generated suite, counted.

    Attributes:
        folder: of the suite.
        suite: its id.
        tasks: the ids of the queries that have a plan.
        near_misses: those that have none.
        kept: what was there, where the work had been broken off.
        noise: of the corpus; None where it was there already.
    """

    folder: Path
    suite: str
    documents: int
    images: int
    tasks: tuple[str, ...]
    near_misses: tuple[str, ...]
    noise: NoiseMeasure | None = None
    kept: tuple[str, ...] = ()

    def document(self) -> GenerateOutput:
        """The account of it as JSON."""
        from planspec.families.veritrip.outputs import GenerateOutput, NoiseOutput

        return GenerateOutput(
            family="veritrip",
            suite=self.suite,
            folder=str(self.folder),
            documents=self.documents,
            images=self.images,
            tasks=list(self.tasks),
            near_misses=list(self.near_misses),
            noise=None if self.noise is None else NoiseOutput.of(self.noise),
        )

    def lines(self) -> list[str]:
        """The account of it for people."""
        return [
            f"{self.documents} documents and {self.images} pictures in {self.folder / 'corpus'}",
            *(() if self.noise is None else noise_lines(self.noise)),
            f"suite {self.suite}: {len(self.tasks)} tasks in {self.folder}",
            f"suite {self.suite}-near-misses: {len(self.near_misses)} tasks without a plan",
            *([f"kept of a run that was broken off: {', '.join(self.kept)}"] if self.kept else []),
        ]


def generate(
    out: Path,
    wanted: SuiteSize,
    on_progress: OnProgress = ignore_progress,
    *,
    jobs: Jobs = 1,
    photos: Path | None = None,
) -> GeneratedTasks:
    """Fill a folder; the same arguments give the same bytes.

    Args:
        out: a new folder, or one that was generated before, whose files are replaced.
        wanted: how much.
        on_progress: called with the progress.
        jobs: processes, or a Ray cluster; what is made does not depend on it.
        photos: a folder of photographs in the place of renderings; all of them are taken.

    Raises:
        InvalidPhotographsError: the photographs cannot be used.
        OSError: a file cannot be written.
        ValueError: there are too few documents for all facts.
        ModuleNotFoundError: pictures are wanted, and the extra `images`, or planspec-pictures, is not installed.
    """
    if wanted.images:
        require_images()
        if photos is None:
            require_drawing()
    sized = sized_bases(wanted.seed, wanted.documents)
    bases = {country: one.base for country, one in sized.items()}
    _require_room(bases, wanted)
    every = [place for base in bases.values() for place in base.places]
    album, asked_for = _album(wanted, photos, every)
    out.mkdir(parents=True, exist_ok=True)
    progress = SuiteProgress.begin(out, {**asdict(wanted), "planspec": planspec.__version__, **asked_for})
    if progress.kept:
        on_progress(f"goes on where it was broken off: {', '.join(progress.kept)} are there", 0.0)
    noise = None
    if not progress.documents:
        on_progress("facts and documents", 0.0)
        noise = _write_documents(sized, wanted, out)
        progress.documents_done()
    queries, misses = _queries(bases, wanted, album, progress, on_progress, jobs)
    asked = [*queries, *(miss.query for miss in misses)]
    images = _pictures(every, wanted, asked, album, out / "corpus", on_progress, jobs)
    if wanted.images:
        on_progress("pictures of the queries")
        _anchors(every, asked, album, out, jobs)
    _suites(out, wanted.name, queries, misses)
    progress.finish(
        {"family": "veritrip", "seed": wanted.seed, "documents": wanted.documents, "images": images,
         "queries": len(queries), "clean": wanted.clean, "noise": wanted.noise, **({"chinese": True} if wanted.large else {})}
    )  # fmt: skip
    return GeneratedTasks(
        out,
        wanted.name,
        wanted.documents,
        images,
        tuple(q.id for q in queries),
        tuple(miss.query.id for miss in misses),
        noise,
        progress.kept,
    )


def is_generated(folder: Path) -> bool:
    """The folder holds what was generated before, or nothing."""
    return (folder / MARK).is_file() or not any(folder.iterdir())


# ------------------------------------------------------------------ documents


def _require_room(bases: Mapping[str, FactBase], wanted: SuiteSize) -> None:
    """Refuse to make fewer documents than it takes to state every fact.

    Raises:
        UnsuitableSuiteError: there are fewer.
    """
    pages = LARGE if wanted.large else SMALL
    least = [least_size(base, pages) for base in bases.values()]
    # a small suite has as many documents on each country
    needed = sum(least) if wanted.large else len(bases) * max(least)
    if wanted.documents < needed:
        raise UnsuitableSuiteError(
            f"{wanted.documents} documents are too few to state every fact of all countries: {needed} is the least size"
        )


def _write_documents(sized: Mapping[str, SizedBase], wanted: SuiteSize, out: Path) -> NoiseMeasure:
    """Write the facts, the worlds and the documents, once the truth of every fact is found in these."""
    bases = {country: one.base for country, one in sized.items()}
    written = corpora(sized, wanted)
    noise = require_truth(bases, written)
    for country, base in bases.items():
        save_base(base, out / "facts" / country)
        statements = _on_attractions(base, written[country])
        write_base(base, out / f"{country}.sqlite", statements, in_parts=wanted.large)
        title = f"VeriTrip, {', '.join(base.cities)}"
        world = world_text(
            f"{wanted.name}-{country}", title, base.currency, f"{country}.sqlite", whole=not wanted.large
        )
        replace_text(out / f"{country}.world.yaml", world)
    if wanted.large:
        save_origins(sized, out / "facts")
    merged = Corpus(
        tuple(sorted((d for c in written.values() for d in c.documents), key=lambda d: d.id)),
        tuple(sorted((s for c in written.values() for s in c.statements), key=lambda s: s.document)),
    )
    save(merged, out / "corpus")
    return noise


def corpora(sized: Mapping[str, SizedBase], wanted: SuiteSize) -> dict[str, Corpus]:
    """The documents of each country, under ids that tell no country."""
    made: dict[str, Corpus] = {}
    for (country, one), size in zip(sized.items(), _sizes(sized, wanted), strict=True):
        words = ChineseWords(one.base, one.chinese, one.about) if wanted.large else None
        pages = LARGE if wanted.large else SMALL
        made[country] = write_corpus(
            one.base, wanted.seed, size, wanted.clean, wanted.noise, pages=pages, chinese=words
        )
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


def _sizes(sized: Mapping[str, SizedBase], wanted: SuiteSize) -> list[int]:
    """The number of documents on each country: even in a small suite, else by what there is to state."""
    left, made = wanted.documents, []
    weights = [least_size(one.base, LARGE) if wanted.large else 1 for one in sized.values()]
    for n, weight in enumerate(weights):
        made.append(left * weight // sum(weights[n:]))
        left -= made[-1]
    return made


def _on_attractions(base: FactBase, corpus: Corpus) -> Iterator[Statement]:
    """The documents' statements on the facts of attractions for which answers are checked."""
    checked = {field for fields in FIELDS.values() for field in fields}
    known = {(a.name, a.city) for a in base.attractions}
    return (s for s in corpus.statements if s.field in checked and (s.subject, s.city) in known)


# ------------------------------------------------------------------ pictures


def _album(
    wanted: SuiteSize, photos: Path | None, places: Sequence[AnyPlace]
) -> tuple[Album, dict[str, str]]:
    """Where pictures come from, and what marks the folder beside the size."""
    if photos is None:
        return Renderings(wanted.seed), {}
    album = read_photographs(photos, places)
    return album, {"photos": album.digest}


def _pictures(
    places: Sequence[AnyPlace],
    wanted: SuiteSize,
    asked: Sequence[Query],
    album: Album,
    folder: Path,
    on_progress: OnProgress,
    jobs: Jobs,
) -> int:
    """Make and index pictures of each place in turn, first of those that queries show, then of the other sights.

    Every place that a query shows has one, even if fewer are wanted. All photographs of a folder are taken.
    """
    if not wanted.images:
        return 0
    shown = {(query.target_city, name) for query in asked for name in query.shown}
    ordered = list(places)
    Random(f"{wanted.seed}/pictures").shuffle(ordered)
    ordered.sort(key=lambda place: ((place.city, place.name) not in shown, not isinstance(place, Attraction)))
    most = max(wanted.images, len(shown)) if isinstance(album, Renderings) else len(places) ** 2
    chosen = allotted(ordered, album, most)
    names = list(range(1, len(chosen) + 1))
    Random(f"{wanted.seed}/names").shuffle(names)  # a name tells nothing of what is shown
    images = folder / "images"
    images.mkdir(exist_ok=True)
    shots = [
        _Shot(album, place, images / f"{name:05}.jpg", number=number)
        for name, (place, number) in zip(names, chosen, strict=True)
    ]
    made = []
    for done, (shot, (picture, features)) in enumerate(
        zip(shots, map_parallel(_taken, shots, jobs, light=True), strict=True), 1
    ):
        if picture is not None:
            replace_bytes(shot.file, picture)
        made.append((shot.file.stem, shot, features))
        if done % 20 == 0:
            on_progress(f"pictures, {done} of {len(shots)}", QUERIES + (1 - QUERIES) * done / len(shots))
    made.sort(key=lambda one: one[0])
    documents = picture_documents(load(folder))
    _lines(folder / "images.jsonl", (
        {"id": name, "caption": f"{shot.place.name}, {shot.place.city}", "document": documents.of(shot.place, shot.number)}
        for name, shot, _ in made
    ))  # fmt: skip
    PictureIndex.write(folder / "pictures.sqlite", ((name, features) for name, _, features in made))
    return len(made)


@dataclass(frozen=True, slots=True)
class _Shot:
    """A picture to be taken for a file: one of the corpus by its number, or one by which a query asks."""

    album: Album
    place: AnyPlace
    file: Path
    number: int = 0


def _taken(shot: _Shot) -> tuple[bytes | None, PictureFeatures]:
    """A picture and its features; of one that was made before the work was broken off, its features alone."""
    if shot.file.is_file():
        return None, picture_features(shot.file.read_bytes())
    picture = shot.album.picture(shot.place, shot.number)
    return picture, picture_features(picture)


def _asked(shot: _Shot) -> bytes:
    return shot.album.anchor(shot.place, shot.file.name)


def _anchors(
    places: Sequence[AnyPlace], queries: Sequence[Query], album: Album, out: Path, jobs: Jobs
) -> None:
    """The pictures by which queries ask, and apart what they show."""
    folder = out / "anchors"
    folder.mkdir(exist_ok=True)
    known = {(place.city, place.name): place for place in reversed(places)}
    shots = [
        _Shot(album, known[query.target_city, name], folder / image)
        for query in queries
        for image, name in zip(query.images, query.shown, strict=True)
    ]
    for shot, picture in zip(shots, map_parallel(_asked, shots, jobs, light=True), strict=True):
        replace_bytes(shot.file, picture)
    _lines(
        out / "anchors.jsonl",
        ({"image": s.file.name, "city": s.place.city, "place": s.place.name} for s in shots),
    )


# ------------------------------------------------------------------ queries


def _queries(
    bases: Mapping[str, FactBase],
    wanted: SuiteSize,
    album: Album,
    progress: SuiteProgress,
    on_progress: OnProgress,
    jobs: Jobs,
) -> tuple[list[Query], list[NearMiss]]:
    """The queries of the paper's difficulties, and a few that miss, each proved once."""
    out = progress.out
    for name in ("tasks", "near-misses"):
        (out / name).mkdir(exist_ok=True)
    streams = _streams(bases, wanted, album, out)
    before = {stream.key: found for stream in streams if (found := progress.proved(stream.key)) is not None}
    open_ = [stream for stream in streams if stream.key not in before]
    made: dict[str, Query] = {}
    misses: list[NearMiss] = []
    fresh = zip(open_, map_parallel(_prove, open_, jobs), strict=True)
    for key, stream in chain(before.items(), ((stream.key, found) for stream, found in fresh)):
        made |= {query.id: query for query in stream.queries}
        misses += stream.misses
        for path, text in stream.texts.items():
            replace_text(path, text + kept_cases(path))
        if key not in before:
            progress.note(key, stream)
        on_progress(
            f"queries, {len(made)} of {wanted.queries}; near misses, {len(misses)} of {NEAR_MISSES}",
            (QUERIES if wanted.images else 1) * len(made) / wanted.queries,
        )
    misses.sort(key=lambda miss: _number(miss.query.id))
    return [made[name] for name in sorted(made, key=_number)], misses


def _streams(
    bases: Mapping[str, FactBase], wanted: SuiteSize, album: Album, out: Path
) -> list[QueryStream | CityStream]:
    pictures: Showable = wanted.images > 0
    if pictures and not isinstance(album, Renderings):
        every = (place for base in bases.values() for place in base.places)
        pictures = frozenset((place.city, place.name) for place in every if album.can_be_asked(place))
    if wanted.large:
        streams = city_streams(
            wanted.name, wanted.queries, wanted.seed, wanted.documents, out, pictures=pictures
        )
        return list(streams)
    return list(query_streams(bases, wanted.name, wanted.queries, wanted.seed, out, pictures=pictures))


def _prove(stream: QueryStream | CityStream) -> ProvedStream:
    return prove_city_stream(stream) if isinstance(stream, CityStream) else prove_stream(stream)


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
