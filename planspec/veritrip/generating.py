"""`planspec generate veritrip`: from real places a world, a corpus with pictures, and queries that can be satisfied."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import as_file, files
from itertools import cycle, islice
from pathlib import Path
from random import Random

from planspec.dsl.workspace import Workspace
from planspec.verifiers.facts.veritrip_evidence import FIELDS
from planspec.veritrip.base import world_text, write_base
from planspec.veritrip.corpus import Corpus, Statement, save, write_corpus
from planspec.veritrip.drafting import drafts, shares
from planspec.veritrip.facts import FactBase, Place
from planspec.veritrip.pictures import PictureIndex, Strength, draw, photo
from planspec.veritrip.proving import NearMiss, Setting, near_miss, proved
from planspec.veritrip.query import Difficulty, Query
from planspec.veritrip.reading import read_places
from planspec.veritrip.saving import save_base
from planspec.veritrip.tasks import Names
from planspec.veritrip.timetable import timetable

COUNTRIES = {"china": "CNY", "usa": "USD"}
"""A world for each, since a world has one currency."""
NEAR = 10
"""So many neighbours of a place are on its picture."""
NEAR_MISSES = 6
MARK = "generated.json"
"""What says that a folder was generated, and how."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """How much is to be made.

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


@dataclass(frozen=True, slots=True)
class Generated:
    """What was made.

    Attributes:
        folder: of the suite.
        tasks: the ids of the queries that have a plan.
        near_misses: those that have none.
    """

    folder: Path
    documents: int
    images: int
    tasks: tuple[str, ...]
    near_misses: tuple[str, ...]


def fact_bases(seed: int) -> dict[str, FactBase]:
    """The fact base of each country: the places that ship, and invented services."""
    made = {}
    for country, currency in COUNTRIES.items():
        with as_file(files("planspec.tasks") / "veritrip" / "places" / country) as folder:
            base = read_places(folder, currency)
        made[country] = replace(base, services=timetable(base, seed))
    return made


def generate(out: Path, wanted: Wanted, told: Callable[[str], None] = lambda _: None) -> Generated:
    """Fill a folder; the same arguments give the same bytes.

    Args:
        out: a new folder, or one that was generated before.
        wanted: how much.
        told: hears what is done.

    Raises:
        OSError: a file cannot be written.
        ValueError: there are too few documents for all facts.
        ModuleNotFoundError: pictures are wanted, and the extra `images` is not installed.
    """
    bases = fact_bases(wanted.seed)
    corpora = _corpora(bases, wanted)
    out.mkdir(parents=True, exist_ok=True)
    (out / MARK).write_text('{"finished": false}\n', "utf-8")
    told("facts and documents")
    for country, base in bases.items():
        save_base(base, out / "facts" / country)
        write_base(base, out / f"{country}.sqlite", _on_attractions(base, corpora[country]))
        world = world_text(
            f"veritrip-{country}", f"VeriTrip, {', '.join(base.cities)}", base.currency, f"{country}.sqlite"
        )
        (out / f"{country}.world.yaml").write_text(world, "utf-8")
    merged = Corpus(
        tuple(sorted((d for c in corpora.values() for d in c.documents), key=lambda d: d.id)),
        tuple(sorted((s for c in corpora.values() for s in c.statements), key=lambda s: s.document)),
    )
    save(merged, out / "corpus")
    images = _pictures(bases, wanted, out / "corpus", told)
    queries, misses = _queries(bases, wanted, out, told)
    if wanted.images:
        told("pictures of the queries")
        _anchors(bases, [*queries, *(miss.query for miss in misses)], wanted.seed, out)
    _suites(out, queries, misses)
    said = {"family": "veritrip", "seed": wanted.seed, "documents": len(merged.documents), "images": images,
            "queries": len(queries), "clean": wanted.clean, "finished": True}  # fmt: skip
    (out / MARK).write_text(json.dumps(said, indent=2) + "\n", "utf-8")
    return Generated(
        out,
        len(merged.documents),
        images,
        tuple(q.id for q in queries),
        tuple(miss.query.id for miss in misses),
    )


def is_generated(folder: Path) -> bool:
    """The folder holds what was generated before, or nothing."""
    return (folder / MARK).is_file() or not any(folder.iterdir())


# ------------------------------------------------------------------ documents


def _corpora(bases: Mapping[str, FactBase], wanted: Wanted) -> dict[str, Corpus]:
    """The documents of each country, under ids that tell no country."""
    made: dict[str, Corpus] = {}
    left = wanted.documents
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
    """What documents say of the facts of attractions that answers are checked for."""
    checked = {field for fields in FIELDS.values() for field in fields}
    known = {(a.name, a.city) for a in base.attractions}
    return (s for s in corpus.statements if s.field in checked and (s.subject, s.city) in known)


# ------------------------------------------------------------------ pictures


def _pictures(
    bases: Mapping[str, FactBase], wanted: Wanted, folder: Path, told: Callable[[str], None]
) -> int:
    """Draw so many pictures, of each place in turn, and index them."""
    if not wanted.images:
        return 0
    places = [place for base in bases.values() for place in base.places]
    Random(f"{wanted.seed}/pictures").shuffle(places)
    images = folder / "images"
    images.mkdir(exist_ok=True)
    near = {place: _near(place, places) for place in places}
    made: list[tuple[str, bytes]] = []
    with (folder / "images.jsonl").open("w", encoding="utf-8") as captions:
        for n, place in enumerate(islice(cycle(places), wanted.images)):
            name = f"{n + 1:05}"
            picture = draw(place, near[place], 1 + n // len(places), wanted.seed)
            (images / f"{name}.png").write_bytes(picture)
            made.append((name, picture))
            captions.write(
                json.dumps({"id": name, "caption": f"{place.name}, {place.city}"}, ensure_ascii=False) + "\n"
            )
            if n % 20 == 19:
                told(f"pictures, {n + 1} of {wanted.images}")
    PictureIndex.build(made).save(folder / "pictures.sqlite")
    return len(made)


def _near(place: Place, places: Sequence[Place]) -> list[Place]:
    """Its nearest neighbours in its city."""
    others = [other for other in places if other.city == place.city and other is not place]
    others.sort(key=lambda o: (o.latitude - place.latitude) ** 2 + (o.longitude - place.longitude) ** 2)
    return others[:NEAR]


def _anchors(bases: Mapping[str, FactBase], queries: Sequence[Query], seed: int, out: Path) -> None:
    """The photos that queries show, and apart what they show."""
    folder = out / "anchors"
    folder.mkdir(exist_ok=True)
    sights = {(a.city, a.name): a for base in bases.values() for a in base.attractions}
    everywhere = [place for base in bases.values() for place in base.places]
    with (out / "anchors.jsonl").open("w", encoding="utf-8") as truth:
        for query in queries:
            for image, name in zip(query.images, query.shown, strict=True):
                place = sights[query.target_city, name]
                random = Random(f"{seed}/{image}")
                picture = draw(place, _near(place, everywhere), 1, seed)
                strength: Strength = random.choice(("mild", "mild", "strong"))
                (folder / image).write_bytes(photo(picture, random.randrange(2**31), strength))
                truth.write(
                    json.dumps({"image": image, "city": place.city, "place": place.name}, ensure_ascii=False)
                    + "\n"
                )


# ------------------------------------------------------------------ queries


def _queries(
    bases: Mapping[str, FactBase], wanted: Wanted, out: Path, told: Callable[[str], None]
) -> tuple[list[Query], list[NearMiss]]:
    """The queries of the paper's difficulties, from both countries in turn, and a few that miss."""
    for name in ("tasks", "near-misses"):
        (out / name).mkdir(exist_ok=True)
    workspace = Workspace()
    settings = {
        country: Setting(
            Names.of(base), f"../{country}.sqlite", f"../{country}.world.yaml", out / "tasks", workspace
        )
        for country, base in bases.items()
    }
    random = Random(f"{wanted.seed}/queries")
    made: list[Query] = []
    misses: list[NearMiss] = []
    for difficulty, count in shares(wanted.queries).items():
        sources = _sources(bases, difficulty, wanted.seed)
        for country, source in islice(cycle(sources.items()), count):
            name = f"veritrip-{len(made) + 1:03}"
            made.append(proved(source, name, settings[country], random))
            told(f"queries, {len(made)} of {wanted.queries}")
        for country, source in sources.items() if wanted.queries else ():
            misses.append(near_miss(source, f"veritrip-miss-{len(misses) + 1}", settings[country]))
            told(f"near misses, {len(misses)} of {NEAR_MISSES}")
    for query in [*made, *(miss.query for miss in misses)]:
        country = next(c for c, base in bases.items() if query.target_city in base.cities)
        folder = out / ("tasks" if query in made else "near-misses")
        (folder / f"{query.id}.yaml").write_text(settings[country].text(query), "utf-8")
    return made, misses


def _sources(bases: Mapping[str, FactBase], difficulty: Difficulty, seed: int) -> dict[str, Iterator[Query]]:
    return {country: drafts(base, difficulty, f"{seed}/{country}") for country, base in bases.items()}


def _suites(out: Path, queries: Sequence[Query], misses: Sequence[NearMiss]) -> None:
    title = "VeriTrip: trips planned from documents and pictures"
    _suite(out / "suite.yaml", "veritrip", title, [f"tasks/{query.id}" for query in queries])
    title = "VeriTrip: queries without a plan"
    _suite(
        out / "near-misses" / "suite.yaml", "veritrip-near-misses", title, [miss.query.id for miss in misses]
    )
    _lines(out / "queries.jsonl", (query.model_dump(mode="json") for query in queries))
    _lines(
        out / "near-misses.jsonl", ({**m.query.model_dump(mode="json"), "mus": list(m.mus)} for m in misses)
    )


def _suite(path: Path, name: str, title: str, tasks: Sequence[str]) -> None:
    listed = [f"  - {task}.yaml" for task in tasks]
    lines = ["planspec: suite/1", f"id: {name}", "family: veritrip", f"title: '{title}'",
             *(["tasks:", *listed] if listed else ["tasks: []"]), "protocol: veritrip"]  # fmt: skip
    path.write_text("\n".join(lines) + "\n", "utf-8")


def _lines(path: Path, rows: Iterator[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
