"""Generation of a suite: fact bases, a corpus with pictures, and queries that are proved to have a plan."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from planspec.families.veritrip.base_database import world_text, write_base
from planspec.families.veritrip.base_size import PAPER_DOCUMENTS, PAPER_QUERIES, SHIPPED_DOCUMENTS
from planspec.families.veritrip.city_streams import CityStream, city_streams, prove_city_stream
from planspec.families.veritrip.corpus import (
    LARGE,
    SMALL,
    Corpus,
    Statement,
    load,
    min_document_count,
    save,
    write_corpus,
)
from planspec.families.veritrip.corpus.chinese_words import ChineseWords
from planspec.families.veritrip.corpus.trust import NoiseMeasure
from planspec.families.veritrip.corpus.truth_check import noise_lines, require_truth
from planspec.families.veritrip.drafting import ShowablePlaces
from planspec.families.veritrip.fact_bases import CountryBase, country_bases
from planspec.families.veritrip.facts import AnyPlace, Attraction, FactBase
from planspec.families.veritrip.facts_check.evidence import FIELDS
from planspec.families.veritrip.noise_level import NOISE
from planspec.families.veritrip.picture_documents import picture_documents
from planspec.families.veritrip.pictures import (
    Album,
    PictureFeatures,
    PictureIndex,
    RenderedAlbum,
    allot_pictures,
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
from planspec.suite_writing.kept_sections import existing_sections
from planspec.suite_writing.options import OnProgress, UnsuitableSuiteError, ignore_progress
from planspec.suite_writing.writing import suite_text

if TYPE_CHECKING:
    from planspec.families.veritrip.outputs import GenerateOutput

NEAR_MISSES = 6
QUERY_SHARE = 0.5
"""Share of the reported progress that proving queries makes up, in a suite with pictures."""


@dataclass(frozen=True, slots=True)
class SuiteSize:
    """Seed, size and noise of the suite to generate.

    Attributes:
        seed: seed of the trains, flights, documents, pictures and queries.
        documents: total number of documents.
        images: total number of pictures; more if the queries show more places.
        queries: number of queries with a plan.
        clean: whether the documents that contradict the facts are replaced by harmless ones.
        noise: share of the attractions, hotels and timetables whose facts are contradicted by documents.
    """

    seed: int = 0
    documents: int = 2000
    images: int = 400
    queries: int = 60
    clean: bool = False
    noise: float = NOISE

    @property
    def is_large(self) -> bool:
        """Whether the fact base is larger than the shipped fact base."""
        return self.documents > SHIPPED_DOCUMENTS

    @property
    def name(self) -> str:
        """Name of the suite, and prefix of its tasks' ids. The default arguments give the name of the shipped suite.

        Suites with different queries have different names, so that no answer is judged by the wrong suite.
        """
        kind = f"veritrip-s{self.seed}q{self.queries}" if (self.seed, self.queries) != (0, 60) else "veritrip"
        if self.is_large:
            kind = f"veritrip-s{self.seed}q{self.queries}n{self.documents}"
        if (self.seed, self.documents, self.queries) == (0, PAPER_DOCUMENTS, PAPER_QUERIES):
            kind = "veritrip-paper"
        return kind if self.images else f"{kind}-named"


@dataclass(frozen=True, slots=True)
class GeneratedTasks:
    """Summary of a generated suite.

    Attributes:
        folder: folder of the suite.
        suite: id of the suite.
        documents: number of documents.
        images: number of pictures.
        tasks: ids of the queries with a plan.
        near_misses: ids of the queries without one.
        reused_results: descriptions of the results that were reused from an interrupted run.
        noise: measured noise of the corpus; None if the corpus was reused.
    """

    folder: Path
    suite: str
    documents: int
    images: int
    tasks: tuple[str, ...]
    near_misses: tuple[str, ...]
    noise: NoiseMeasure | None = None
    reused_results: tuple[str, ...] = ()

    def document(self) -> GenerateOutput:
        """Return the summary as JSON."""
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
        """Return the summary as lines of text."""
        return [
            f"{self.documents} documents and {self.images} pictures in {self.folder / 'corpus'}",
            *(() if self.noise is None else noise_lines(self.noise)),
            f"suite {self.suite}: {len(self.tasks)} tasks in {self.folder}",
            f"suite {self.suite}-near-misses: {len(self.near_misses)} tasks without a plan",
            *([f"reused from an interrupted run: {', '.join(self.reused_results)}"] if self.reused_results else []),
        ]


def generate(
    out: Path,
    size: SuiteSize,
    on_progress: OnProgress = ignore_progress,
    *,
    jobs: Jobs = 1,
    photos: Path | None = None,
) -> GeneratedTasks:
    """Generate a suite into a folder. The same arguments give the same bytes.

    Args:
        out: new folder, or the folder of a generated suite, whose files are replaced.
        size: seed, size and noise of the suite.
        on_progress: callback for progress reports.
        jobs: number of processes, or a Ray cluster. The result does not depend on it.
        photos: folder of photographs to use instead of renderings; None for renderings. All photographs are
            used.

    Raises:
        InvalidPhotographsError: The photographs cannot be used.
        OSError: A file cannot be written.
        ValueError: There are too few documents for all facts.
        ModuleNotFoundError: Pictures are requested, but the extra `images` or planspec-pictures is missing.
    """
    if size.images:
        require_images()
        if photos is None:
            require_drawing()
    sized_bases = country_bases(size.seed, size.documents)
    bases = {country: one.base for country, one in sized_bases.items()}
    _require_enough_documents(bases, size)
    places = [place for base in bases.values() for place in base.places]
    album, album_mark = _open_album(size, photos, places)
    out.mkdir(parents=True, exist_ok=True)
    progress = SuiteProgress.begin(out, {**asdict(size), "planspec": version("planspec"), **album_mark})
    if progress.reused_results:
        on_progress(f"continues an interrupted run: {', '.join(progress.reused_results)} exist", 0.0)
    noise = None
    if not progress.has_documents:
        on_progress("facts and documents", 0.0)
        noise = _write_documents(sized_bases, size, out)
        progress.record_documents()
    queries, misses = _prove_queries(bases, size, album, progress, on_progress, jobs)
    queries_and_misses = [*queries, *(miss.query for miss in misses)]
    images = _write_pictures(places, size, queries_and_misses, album, out / "corpus", on_progress, jobs)
    if size.images:
        on_progress("pictures of the queries")
        _write_query_pictures(places, queries_and_misses, album, out, jobs)
    _write_suites(out, size.name, queries, misses)
    progress.finish(
        {
            "family": "veritrip",
            "seed": size.seed,
            "documents": size.documents,
            "images": images,
            "queries": len(queries),
            "clean": size.clean,
            "noise": size.noise,
            **({"chinese": True} if size.is_large else {}),
        }
    )
    return GeneratedTasks(
        out,
        size.name,
        size.documents,
        images,
        tuple(q.id for q in queries),
        tuple(miss.query.id for miss in misses),
        noise,
        progress.reused_results,
    )


def is_empty_or_generated(folder: Path) -> bool:
    """Return whether the folder is empty or holds a generated suite."""
    return (folder / MARK).is_file() or not any(folder.iterdir())


# ------------------------------------------------------------------ documents


def _require_enough_documents(bases: Mapping[str, FactBase], size: SuiteSize) -> None:
    """Check that there are enough documents to state every fact.

    Raises:
        UnsuitableSuiteError: There are too few documents.
    """
    pages = LARGE if size.is_large else SMALL
    least = [min_document_count(base, pages) for base in bases.values()]
    # A small suite has equally many documents for each country.
    needed = sum(least) if size.is_large else len(bases) * max(least)
    if size.documents < needed:
        raise UnsuitableSuiteError(
            f"{size.documents} documents are too few to state every fact of all countries: at least {needed} are needed"
        )


def _write_documents(sized_bases: Mapping[str, CountryBase], size: SuiteSize, out: Path) -> NoiseMeasure:
    """Check that the truth can be found in the documents. Then write the facts and documents."""
    bases = {country: one.base for country, one in sized_bases.items()}
    written = write_corpora(sized_bases, size)
    noise = require_truth(bases, written)
    for country, base in bases.items():
        save_base(base, out / "facts" / country)
        statements = _checked_statements(base, written[country])
        write_base(base, out / f"{country}.sqlite", statements, in_parts=size.is_large)
        title = f"VeriTrip, {', '.join(base.cities)}"
        world = world_text(f"{size.name}-{country}", title, base.currency, f"{country}.sqlite", whole=not size.is_large)
        replace_text(out / f"{country}.world.yaml", world)
    if size.is_large:
        save_origins(sized_bases, out / "facts")
    merged = Corpus(
        tuple(sorted((d for c in written.values() for d in c.documents), key=lambda d: d.id)),
        tuple(sorted((s for c in written.values() for s in c.statements), key=lambda s: s.document)),
    )
    save(merged, out / "corpus")
    return noise


def write_corpora(sized_bases: Mapping[str, CountryBase], size: SuiteSize) -> dict[str, Corpus]:
    """Write the corpus of each country.

    Ids are shuffled over all countries, so that they do not reveal the country.
    """
    by_country: dict[str, Corpus] = {}
    for (country, one), count in zip(sized_bases.items(), _document_counts(sized_bases, size), strict=True):
        words = ChineseWords(one.base, one.chinese, one.about) if size.is_large else None
        pages = LARGE if size.is_large else SMALL
        by_country[country] = write_corpus(
            one.base, size.seed, count, size.clean, size.noise, pages=pages, chinese=words
        )
    ids = list(range(1, size.documents + 1))
    Random(f"{size.seed}/documents").shuffle(ids)
    begun = 0
    for country, corpus in by_country.items():
        shift = begun - 1
        begun += len(corpus.documents)
        by_country[country] = Corpus(
            tuple(replace(d, id=ids[d.id + shift]) for d in corpus.documents),
            tuple(replace(s, document=ids[s.document + shift]) for s in corpus.statements),
        )
    return by_country


def _document_counts(sized_bases: Mapping[str, CountryBase], size: SuiteSize) -> list[int]:
    """Return the number of documents of each country.

    In a small suite, all countries have the same number. In a large one, it depends on the number of facts.
    """
    left, counts = size.documents, []
    weights = [min_document_count(one.base, LARGE) if size.is_large else 1 for one in sized_bases.values()]
    for n, weight in enumerate(weights):
        counts.append(left * weight // sum(weights[n:]))
        left -= counts[-1]
    return counts


def _checked_statements(base: FactBase, corpus: Corpus) -> Iterator[Statement]:
    """Return the statements on attractions that support or contradict cells of answers."""
    checked = {field for fields in FIELDS.values() for field in fields}
    attractions = {(a.name, a.city) for a in base.attractions}
    return (s for s in corpus.statements if s.field in checked and (s.subject, s.city) in attractions)


# ------------------------------------------------------------------ pictures


def _open_album(size: SuiteSize, photos: Path | None, places: Sequence[AnyPlace]) -> tuple[Album, dict[str, str]]:
    """Return the album of pictures, and the entries of `generated.json` that identify it."""
    if photos is None:
        return RenderedAlbum(size.seed), {}
    album = read_photographs(photos, places)
    return album, {"photos": album.digest}


def _write_pictures(
    places: Sequence[AnyPlace],
    size: SuiteSize,
    queries: Sequence[Query],
    album: Album,
    folder: Path,
    on_progress: OnProgress,
    jobs: Jobs,
) -> int:
    """Write and index the pictures of the corpus; return their number.

    Places get their pictures in this order: places shown by queries, other sights, other places. Each place shown by a
    query gets a picture, even beyond the requested number. All photographs of a folder are used.
    """
    if not size.images:
        return 0
    shown = {(query.target_city, name) for query in queries for name in query.shown}
    ordered = list(places)
    Random(f"{size.seed}/pictures").shuffle(ordered)
    ordered.sort(key=lambda place: ((place.city, place.name) not in shown, not isinstance(place, Attraction)))
    most = max(size.images, len(shown)) if isinstance(album, RenderedAlbum) else len(places) ** 2
    chosen = allot_pictures(ordered, album, most)
    names = list(range(1, len(chosen) + 1))
    Random(f"{size.seed}/names").shuffle(names)  # so that names do not reveal the places
    images = folder / "images"
    images.mkdir(exist_ok=True)
    picture_files = [
        _PictureFile(album, place, images / f"{name:05}.jpg", number=number)
        for name, (place, number) in zip(names, chosen, strict=True)
    ]
    indexed = []
    for done, (picture_file, (picture, features)) in enumerate(
        zip(picture_files, map_parallel(_picture_and_features, picture_files, jobs, light=True), strict=True), 1
    ):
        if picture is not None:
            replace_bytes(picture_file.file, picture)
        indexed.append((picture_file.file.stem, picture_file, features))
        if done % 20 == 0:
            on_progress(
                f"pictures, {done} of {len(picture_files)}", QUERY_SHARE + (1 - QUERY_SHARE) * done / len(picture_files)
            )
    indexed.sort(key=lambda one: one[0])
    documents = picture_documents(load(folder))
    _write_json_lines(
        folder / "images.jsonl",
        (
            {
                "id": name,
                "caption": f"{picture_file.place.name}, {picture_file.place.city}",
                "document": documents.document_of(picture_file.place, picture_file.number),
            }
            for name, picture_file, _ in indexed
        ),
    )
    PictureIndex.write(folder / "pictures.sqlite", ((name, features) for name, _, features in indexed))
    return len(indexed)


@dataclass(frozen=True, slots=True)
class _PictureFile:
    """A picture, and the file to which it is written.

    Attributes:
        album: source of the picture.
        place: place to show.
        file: file to write.
        number: number of the picture among the place's pictures in the corpus; unused for a query's picture.
    """

    album: Album
    place: AnyPlace
    file: Path
    number: int = 0


def _picture_and_features(picture_file: _PictureFile) -> tuple[bytes | None, PictureFeatures]:
    """Return a picture and its features. The picture is None if an interrupted run has already written it."""
    if picture_file.file.is_file():
        return None, picture_features(picture_file.file.read_bytes())
    picture = picture_file.album.picture(picture_file.place, picture_file.number)
    return picture, picture_features(picture)


def _query_picture(picture_file: _PictureFile) -> bytes:
    return picture_file.album.query_picture(picture_file.place, picture_file.file.name)


def _write_query_pictures(
    places: Sequence[AnyPlace], queries: Sequence[Query], album: Album, out: Path, jobs: Jobs
) -> None:
    """Write the pictures of queries, and a separate file that names the places in them."""
    folder = out / "anchors"
    folder.mkdir(exist_ok=True)
    by_name = {(place.city, place.name): place for place in reversed(places)}
    picture_files = [
        _PictureFile(album, by_name[query.target_city, name], folder / image)
        for query in queries
        for image, name in zip(query.images, query.shown, strict=True)
    ]
    for picture_file, picture in zip(
        picture_files, map_parallel(_query_picture, picture_files, jobs, light=True), strict=True
    ):
        replace_bytes(picture_file.file, picture)
    _write_json_lines(
        out / "anchors.jsonl",
        ({"image": s.file.name, "city": s.place.city, "place": s.place.name} for s in picture_files),
    )


# ------------------------------------------------------------------ queries


def _prove_queries(
    bases: Mapping[str, FactBase],
    size: SuiteSize,
    album: Album,
    progress: SuiteProgress,
    on_progress: OnProgress,
    jobs: Jobs,
) -> tuple[list[Query], list[NearMiss]]:
    """Prove and write the queries and a few near misses, continuing an interrupted run; return them."""
    out = progress.out
    for name in ("tasks", "near-misses"):
        (out / name).mkdir(exist_ok=True)
    streams = _streams(bases, size, album, out)
    before = {
        stream.key: stream_proof for stream in streams if (stream_proof := progress.load_stream(stream.key)) is not None
    }
    open_ = [stream for stream in streams if stream.key not in before]
    queries: dict[str, Query] = {}
    misses: list[NearMiss] = []
    fresh = zip(open_, map_parallel(_prove_stream, open_, jobs), strict=True)
    for key, stream in chain(before.items(), ((stream.key, stream_proof) for stream, stream_proof in fresh)):
        queries |= {query.id: query for query in stream.queries}
        misses += stream.misses
        for path, text in stream.texts.items():
            replace_text(path, text + existing_sections(path))
        if key not in before:
            progress.save_stream(key, stream)
        on_progress(
            f"queries, {len(queries)} of {size.queries}; near misses, {len(misses)} of {NEAR_MISSES}",
            (QUERY_SHARE if size.images else 1) * len(queries) / size.queries,
        )
    misses.sort(key=lambda miss: _query_number(miss.query.id))
    return [queries[name] for name in sorted(queries, key=_query_number)], misses


def _streams(bases: Mapping[str, FactBase], size: SuiteSize, album: Album, out: Path) -> list[QueryStream | CityStream]:
    pictures: ShowablePlaces = size.images > 0
    if pictures and not isinstance(album, RenderedAlbum):
        places = (place for base in bases.values() for place in base.places)
        pictures = frozenset((place.city, place.name) for place in places if album.has_query_picture(place))
    if size.is_large:
        streams = city_streams(size.name, size.queries, size.seed, size.documents, out, pictures=pictures)
        return list(streams)
    return list(query_streams(bases, size.name, size.queries, size.seed, out, pictures=pictures))


def _prove_stream(stream: QueryStream | CityStream) -> ProvedStream:
    """Prove that a stream's queries have a plan and that its near misses have none."""
    return prove_city_stream(stream) if isinstance(stream, CityStream) else prove_stream(stream)


def _query_number(name: str) -> int:
    return int(name.rpartition("-")[2])


def _write_suites(out: Path, name: str, queries: Sequence[Query], misses: Sequence[NearMiss]) -> None:
    suite = suite_text(
        name,
        "veritrip",
        "'VeriTrip: trips planned from documents and pictures'",
        [f"tasks/{query.id}.yaml" for query in queries],
        "veritrip",
        "feasible",
    )
    near_miss_suite = suite_text(
        f"{name}-near-misses",
        "veritrip",
        "'VeriTrip: queries without a plan'",
        [f"{miss.query.id}.yaml" for miss in misses],
        "veritrip",
        "infeasible",
    )
    replace_text(out / "suite.yaml", suite)
    replace_text(out / "near-misses" / "suite.yaml", near_miss_suite)
    _write_json_lines(out / "queries.jsonl", (query.model_dump(mode="json") for query in queries))
    _write_json_lines(
        out / "near-misses.jsonl", ({**m.query.model_dump(mode="json"), "mus": list(m.mus)} for m in misses)
    )


def _write_json_lines(path: Path, rows: Iterable[Mapping[str, object]]) -> None:
    replace_text(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
